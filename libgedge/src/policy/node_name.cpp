// policy/node_name.cpp - filters NodeUnschedulable and NodeName.
//
// NodeUnschedulable  rejects a cordoned node unless the pod tolerates node.kubernetes.io/
//                    unschedulable:NoSchedule. Unresolvable.
// NodeName           rejects every node but spec.nodeName, where that is set. Unresolvable.
// Cost               O(nodes) a class; nothing for pods without nodeName.
// Source             kube-scheduler plugins/nodeunschedulable and plugins/nodename; 1.20 and 1.36
//                    agree but for the words.
#include "policy/make.hpp"
#include "policy/node_static.hpp"
#include "policy/sign.hpp"

namespace gedge {
namespace {

class NodeUnschedulable final : public NodeStaticFilter {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(static_cast<std::uint64_t>(concerns(pod)));
    return true;
  }

 protected:
  bool concerns(const PodFacts& pod) const override {
    static const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
    for (const Toleration& toleration : pod.spec->tolerations)
      if (toleration.tolerates(cordon)) return false;
    return true;
  }
  bool admits(const PodFacts&, const Node& node) const override { return !node.unschedulable; }
  Evidence evidence(const PodFacts&, const Node&) const override {
    return {.reason = Reason::kNodeUnschedulable, .verdict = Verdict::kUnresolvable};
  }
};

class NodeName final : public NodeStaticFilter {
 public:
  std::string_view name() const override { return "NodeName"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.spec->node_name);
    return true;
  }

 protected:
  bool concerns(const PodFacts& pod) const override { return !pod.spec->node_name.empty(); }
  bool admits(const PodFacts& pod, const Node& node) const override {
    return node.name == pod.spec->node_name;
  }
  Evidence evidence(const PodFacts& pod, const Node&) const override {
    return {.reason = Reason::kNodeName,
            .verdict = Verdict::kUnresolvable,
            .subject = pod.spec->node_name};
  }
};

}  // namespace

std::unique_ptr<FilterPolicy> make_node_unschedulable_filter(const PolicyArgs&, Compat) {
  return std::make_unique<NodeUnschedulable>();
}

std::unique_ptr<FilterPolicy> make_node_name_filter(const PolicyArgs&, Compat) {
  return std::make_unique<NodeName>();
}

}  // namespace gedge
