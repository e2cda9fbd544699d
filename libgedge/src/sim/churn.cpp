#include "sim/churn.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "sim/stage.hpp"

namespace gedge::sim {
namespace {

template <typename Map>
const typename Map::value_type* any_of(const Map& map, SplitMix& dice) {
  if (map.empty()) return nullptr;
  return &*std::next(map.begin(), static_cast<std::ptrdiff_t>(dice.below(map.size())));
}

// One that waits, as often as not: a bind of it may be on its way.
const PodName* some_pod(const SimWorld& world, SplitMix& dice) {
  std::vector<const PodName*> waiting;
  for (const auto& [name, known] : world.cluster().pods())
    if (known.pod.bound_node.empty()) waiting.push_back(&name);
  if (!waiting.empty() && dice.below(2) == 0) return waiting[dice.below(waiting.size())];
  const auto* const any = any_of(world.cluster().pods(), dice);
  return any == nullptr ? nullptr : &any->first;
}

void change_node(SimWorld& world, const std::string& name,
                 const std::function<void(Facts&, Node&)>& change) {
  const auto edit = [&](Facts& facts, RttMatrix&) {
    for (Node& node : facts.nodes)
      if (node.name == name) return change(facts, node), Status{};
    return Status{};
  };
  static_cast<void>(world.edit(edit, {}));
}

}  // namespace

void churn(SimWorld& world, SplitMix& dice) {
  const PodName* const pod = some_pod(world, dice);
  const auto* const node = any_of(world.cluster().nodes(), dice);
  const std::size_t what = dice.below(10);
  if (pod == nullptr || node == nullptr) return;
  const PodName pod_name = *pod;
  const std::string node_name = node->first;
  switch (what) {
    case 0:
    case 1:
    case 2:
      return static_cast<void>(world.delete_pod(pod_name, "deleted"));
    case 3:
    case 4:
      return static_cast<void>(world.replace_pod(pod_name));
    case 5:
      return static_cast<void>(world.finish_pod(pod_name));
    case 6:
    case 7:
      return change_node(world, node_name,
                         [](Facts&, Node& of) { of.unschedulable = !of.unschedulable; });
    case 8:
      if (const Status failed = world.fail_node(node_name); !failed)
        static_cast<void>(world.recover_node(node_name));
      return;
    default: {
      // It goes with its pods and comes back as it was.
      const Facts before = world.cluster().list();
      change_node(world, node_name, [&](Facts& facts, Node&) {
        std::erase_if(facts.nodes, [&](const Node& of) { return of.name == node_name; });
      });
      Facts none, back;
      for (const Node& of : before.nodes)
        if (of.name == node_name) back.nodes.push_back(of);
      const Nanos later =
          world.time() + Nanos(static_cast<std::int64_t>(dice.below(60'000'000'000)));
      world.at(later, [none, back](SimWorld& then) {
        then.add(none, back);
        return Status{};
      });
    }
  }
}

}  // namespace gedge::sim
