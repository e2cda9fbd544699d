// verify/verify.cpp - adds pods one by one and asks every rule.
#include "gedge/verify/verify.hpp"

#include <algorithm>
#include <set>

#include "verify/world.hpp"

namespace gedge {
namespace {

using verify_detail::Finding;
using verify_detail::Findings;
using verify_detail::GroupSizes;
using verify_detail::Placed;
using verify_detail::World;

bool has_ended(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

/// A static pod, which the kubelet of its node runs without asking a scheduler.
bool is_mirror(const Pod& pod, const PodSpec& spec) {
  return pod.controller.kind == "Node" ||
         spec.annotations.find("kubernetes.io/config.mirror") != nullptr;
}

class Check {
 public:
  explicit Check(const VerifyInput& input) : input_(input), world_(input) {}

  std::vector<Violation> run() {
    std::vector<Placed> bound = take_bound_pods();
    std::vector<Placed> placed = take_placements();
    std::set<const Pod*> judged, moved;
    for (const Placed& pod : bound) judged.insert(pod.pod);
    for (const Placed& pod : placed) moved.insert(pod.pod);
    judged.insert(moved.begin(), moved.end());
    replay(std::move(bound));
    replay(std::move(placed));
    const GroupSizes groups = placed_of_groups(world_);
    for (const Placed& pod : world_.placed()) {
      Findings findings;
      if (judged.contains(pod.pod)) {
        check_budgets(world_, pod, findings);
      } else {
        check_budgets_towards(world_, pod, moved, findings);
      }
      if (moved.contains(pod.pod)) check_pod_group(pod, groups, findings);
      report(pod, findings);
    }
    std::sort(violations_.begin(), violations_.end());
    return std::move(violations_);
  }

 private:
  /// Adds the bound pods that are not judged, and returns the others.
  std::vector<Placed> take_bound_pods() {
    std::vector<Placed> judged;
    for (const Pod& pod : input_.facts.pods) {
      if (pod.bound_node.empty() || has_ended(pod)) continue;
      const Node* node = world_.node(pod.bound_node);
      if (node == nullptr) {
        if (input_.bound_pods_too) report(pod, pod.bound_node, "there is no such node");
        continue;
      }
      Placed placed = world_.describe(pod, *node);
      if (input_.bound_pods_too && !is_mirror(pod, *placed.spec)) {
        judged.push_back(std::move(placed));
      } else {
        world_.add(std::move(placed));
      }
    }
    return judged;
  }

  std::vector<Placed> take_placements() {
    std::vector<Placed> taken;
    std::set<const Pod*> seen;
    for (const Placement& placement : input_.placements) {
      const Pod* pod = world_.pod(placement.namespace_name, placement.pod);
      const Node* node = world_.node(placement.node);
      if (const std::string wrong = nonsense(pod, node, seen); !wrong.empty()) {
        violations_.push_back(
            {placement.namespace_name, placement.pod, placement.node, "Placement", wrong});
        continue;
      }
      seen.insert(pod);
      taken.push_back(world_.describe(*pod, *node));
    }
    return taken;
  }

  /// Why a placement means nothing; empty where it does.
  static std::string nonsense(const Pod* pod, const Node* node, const std::set<const Pod*>& seen) {
    if (pod == nullptr) return "there is no such pod";
    if (has_ended(*pod)) return "the pod has ended";
    if (!pod->bound_node.empty()) return "the pod is bound to " + pod->bound_node + " already";
    if (seen.contains(pod)) return "the pod is placed twice";
    if (node == nullptr) return "there is no such node";
    return {};
  }

  Findings broken_rules(const Placed& pod) const {
    Findings out;
    check_node(pod, out);
    check_ports(world_, pod, out);
    check_resources(world_, pod, out);
    check_gpus(world_, pod, out);
    check_volumes(world_, pod, out);
    check_spread(world_, pod, out);
    check_pod_affinity(world_, pod, out);
    return out;
  }

  /// Adds pods one by one; those that fail wait until nothing else can be added.
  void replay(std::vector<Placed> waiting) {
    for (bool progress = true; progress && !waiting.empty();) {
      progress = false;
      std::vector<Placed> failed;
      for (Placed& pod : waiting) {
        if (!broken_rules(pod).empty()) {
          failed.push_back(std::move(pod));
          continue;
        }
        world_.add(std::move(pod));
        progress = true;
      }
      waiting = std::move(failed);
    }
    for (Placed& pod : waiting) {
      report(pod, broken_rules(pod));
      world_.add(std::move(pod));
    }
  }

  void report(const Placed& pod, const Findings& findings) {
    for (const Finding& finding : findings) {
      violations_.push_back(
          {pod.pod->namespace_name, pod.pod->name, pod.node->name, finding.rule, finding.text});
    }
  }
  void report(const Pod& pod, const std::string& node, const std::string& text) {
    violations_.push_back({pod.namespace_name, pod.name, node, "Placement", text});
  }

  const VerifyInput& input_;
  World world_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> verify(const VerifyInput& input) { return Check(input).run(); }

}  // namespace gedge
