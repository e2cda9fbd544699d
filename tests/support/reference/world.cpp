#include "support/reference/world.hpp"

#include <algorithm>

namespace gedge::reference {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200LL * 1024 * 1024;

void add(Resources& to, const Resources& from) {
  for (const auto& [name, amount] : from) to.set(name, to.amount(name) + amount);
}

void raise(Resources& to, const Resources& from) {
  for (const auto& [name, amount] : from)
    if (!to.find(name) || to.amount(name) < amount) to.set(name, amount);
}

Resources container_requests(const Container& container, bool nonzero) {
  Resources out = container.requests;
  if (nonzero && !out.find(kCpu)) out.set(kCpu, kDefaultMilliCpu);
  if (nonzero && !out.find(kMemory)) out.set(kMemory, kDefaultMemory);
  return out;
}

/// 1.20: max(sum of containers, each init container).
Resources old_total(const PodSpec& spec, bool nonzero) {
  Resources sum;
  for (const Container& c : spec.containers) add(sum, container_requests(c, nonzero));
  for (const Container& c : spec.init_containers) raise(sum, container_requests(c, nonzero));
  return sum;
}

bool set_on_pod_level(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource.substr(0, 10) == "hugepages-";
}

/// 3.1: sidecars run beside the app containers and beside every init container after them.
Resources new_total(const PodSpec& spec, bool nonzero) {
  Resources sum, sidecars, start;
  for (const Container& c : spec.containers) add(sum, container_requests(c, nonzero));
  for (const Container& c : spec.init_containers) {
    Resources now = container_requests(c, nonzero);
    if (c.restartable) {
      add(sum, now);
      add(sidecars, now);
      now = sidecars;
    } else {
      add(now, sidecars);
    }
    raise(start, now);
  }
  raise(sum, start);
  if (spec.pod_requests) {
    for (const auto& [name, amount] : *spec.pod_requests)
      if (set_on_pod_level(name)) sum.set(name, amount);
  }
  return sum;
}

Resources total(const PodSpec& spec, Compat compat, bool nonzero) {
  return compat == Compat::k1_20 ? old_total(spec, nonzero) : new_total(spec, nonzero);
}

}  // namespace

const Node* World::find_node(std::string_view name) const {
  for (const Node& node : facts->nodes)
    if (node.name == name) return &node;
  return nullptr;
}

const Namespace* World::find_namespace(std::string_view name) const {
  for (const Namespace& space : facts->namespaces)
    if (space.name == name) return &space;
  return nullptr;
}

std::vector<const Seat*> World::on(const Node& node) const {
  std::vector<const Seat*> out;
  for (const Seat& seat : seats)
    if (seat.node == &node) out.push_back(&seat);
  return out;
}

bool is_alive(const Seat& seat) {
  return seat.pod->phase != PodPhase::kSucceeded && seat.pod->phase != PodPhase::kFailed;
}

World make_world(const Facts& facts, const RttMatrix& rtt, std::string rtt_by, Compat compat) {
  World world{&facts, &rtt, std::move(rtt_by), compat, {}, {}};
  for (const Pod& pod : facts.pods) {
    Seat seat;
    seat.pod = &pod;
    seat.spec = &facts.spec_of(pod);
    seat.labels = pod_labels(pod, *seat.spec);
    seat.requests = requests_of(*seat.spec, compat);
    seat.nonzero = nonzero_requests_of(*seat.spec, compat);
    seat.pending = pod.bound_node.empty() && pod.phase == PodPhase::kPending;
    if (is_alive(seat) && !pod.bound_node.empty()) seat.node = world.find_node(pod.bound_node);
    world.seats.push_back(std::move(seat));
  }
  for (const Seat& seat : world.seats)
    if (seat.node != nullptr) take_volumes(world, seat);
  return world;
}

Resources requests_of(const PodSpec& spec, Compat compat) {
  Resources out = total(spec, compat, false);
  add(out, spec.overhead);
  return out;
}

Resources nonzero_requests_of(const PodSpec& spec, Compat compat) {
  Resources out = total(spec, compat, true);
  add(out, spec.overhead);
  return out;
}

Resources incoming_requests_of(const PodSpec& spec, Compat compat) {
  if (compat != Compat::k1_20) return nonzero_requests_of(spec, compat);
  Resources overhead = spec.overhead;
  if (const auto cpu = overhead.find(kCpu)) overhead.set(kCpu, (*cpu + 999) / 1000);
  Resources out = total(spec, compat, true);
  add(out, overhead);
  return out;
}

bool tolerates(const PodSpec& spec, const Taint& taint) {
  return std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                     [&](const Toleration& t) { return t.tolerates(taint); });
}

bool matches_node_affinity(const PodSpec& spec, const Node& node) {
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* have = node.labels.find(key);
    if (have == nullptr || *have != value) return false;
  }
  if (!spec.has_required_node_terms) return true;
  for (const NodeSelectorTerm& term : spec.required_node_terms)
    if (term.matches(node.labels, node.name)) return true;
  return false;
}

}  // namespace gedge::reference
