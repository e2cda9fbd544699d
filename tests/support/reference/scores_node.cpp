// Scores that compare the pod with the node itself: images, affinity, taints, avoided controllers,
// latency.
#include <algorithm>
#include <string>

#include "support/reference/delay.hpp"
#include "support/reference/scores.hpp"

namespace gedge::reference {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

std::string with_tag(const std::string& image) {
  const auto colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

const NodeImage* find_image(const Node& node, const std::string& name) {
  for (const NodeImage& image : node.images)
    if (std::count(image.names().begin(), image.names().end(), name) > 0) return &image;
  return nullptr;
}

std::int64_t image_sum(const World& world, const std::vector<const Container*>& containers,
                       const Node& node) {
  std::int64_t sum = 0;
  for (const Container* container : containers) {
    const std::string name = with_tag(container->image);
    const NodeImage* image = find_image(node, name);
    if (image == nullptr) continue;
    std::size_t holders = 0;
    for (const Node& other : world.facts->nodes)
      holders += find_image(other, name) != nullptr ? 1U : 0U;
    sum += scaled_image(image->size_bytes(), holders, world.facts->nodes.size());
  }
  return sum;
}

std::int64_t preferred_weight(const std::vector<PreferredNodeTerm>& terms, const Node& node) {
  std::int64_t sum = 0;
  for (const PreferredNodeTerm& term : terms)
    if (term.term.matches(node.labels, node.name)) sum += term.weight;
  return sum;
}

/// Tolerations for one effect do nothing for another, but those without an effect do for all.
bool prefers_not(const PodSpec& spec, const Taint& taint) {
  return taint.effect == TaintEffect::kPreferNoSchedule && !tolerates(spec, taint);
}

std::int64_t slack_of(const World& world, const Seat& pod, const DelayBudget& budget,
                      const Node& node) {
  const Measured measured = measure(world, pod, budget, node);
  if (measured.judgement != Judgement::kHolds) return 0;
  if (budget.limit_us == 0 || !measured.rtt_us) return 100;
  return 100 * (budget.limit_us - *measured.rtt_us) / budget.limit_us;
}

}  // namespace

std::int64_t image_score(std::int64_t sum, std::size_t containers) {
  const std::int64_t min = 23 * kMiB, max = 1000 * kMiB * static_cast<std::int64_t>(containers);
  return 100 * (std::clamp(sum, min, max) - min) / (max - min);
}

std::int64_t scaled_image(std::int64_t size, std::size_t nodes_with_it, std::size_t all_nodes) {
  const double spread = static_cast<double>(nodes_with_it) / static_cast<double>(all_nodes);
  return static_cast<std::int64_t>(static_cast<double>(size) * spread);
}

Scores image_locality(const World& world, const Seat& pod, const Nodes& feasible) {
  std::vector<const Container*> containers;
  if (!world.is_1_20())
    for (const Container& c : pod.spec->init_containers) containers.push_back(&c);
  for (const Container& c : pod.spec->containers) containers.push_back(&c);
  Scores out;
  for (const Node* node : feasible) {
    const std::int64_t raw = image_score(image_sum(world, containers, *node), containers.size());
    out.push_back({raw, raw});
  }
  return out;
}

Scores node_affinity_score(const PolicyArgs& args, const Seat& pod, const Nodes& feasible) {
  Scores out;
  for (const Node* node : feasible)
    out.push_back({preferred_weight(pod.spec->preferred_node_terms, *node) +
                       preferred_weight(args.added_preferred_terms, *node),
                   0});
  normalize_by_max(out, false);
  return out;
}

Scores taint_score(const Seat& pod, const Nodes& feasible) {
  Scores out;
  for (const Node* node : feasible)
    out.push_back({std::count_if(node->taints.begin(), node->taints.end(),
                                 [&](const Taint& taint) { return prefers_not(*pod.spec, taint); }),
                   0});
  normalize_by_max(out, true);
  return out;
}

Scores avoid_pods(const Seat& pod, const Nodes& feasible) {
  const ControllerRef& owner = pod.pod->controller;
  const bool concerned = owner.kind == "ReplicaSet" || owner.kind == "ReplicationController";
  Scores out;
  for (const Node* node : feasible) {
    const bool avoided =
        concerned && std::any_of(node->avoided.begin(), node->avoided.end(), [&](const auto& a) {
          return a.kind == owner.kind && a.uid == owner.uid;
        });
    const std::int64_t raw = avoided ? 0 : 100;
    out.push_back({raw, raw});
  }
  return out;
}

Scores latency_slack(const World& world, const Seat& pod, const Nodes& feasible) {
  Scores out;
  for (const Node* node : feasible) {
    std::int64_t raw = 100;
    for (const DelayBudget& budget : pod.spec->budgets)
      raw = std::min(raw, slack_of(world, pod, budget, *node));
    out.push_back({raw, raw});
  }
  return out;
}

}  // namespace gedge::reference
