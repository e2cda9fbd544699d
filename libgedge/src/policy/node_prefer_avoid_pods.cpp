// policy/node_prefer_avoid_pods.cpp - score NodePreferAvoidPods (1.20).
//
// Formula  0 on nodes whose annotation scheduler.alpha.kubernetes.io/preferAvoidPods names the
//          pod's ReplicaSet or ReplicationController by kind and uid, else 100. Not normalised;
//          the default weight of 10000 makes it stronger than all other scores together.
// Cost     O(nodes) a class.
// Source   kube-scheduler 1.20 plugins/nodepreferavoidpods.
#include <algorithm>

#include "policy/amounts.hpp"
#include "policy/make.hpp"
#include "policy/node_static.hpp"

namespace gedge {
namespace {

bool is_honoured(const ControllerRef& controller) {
  return controller.kind == "ReplicaSet" || controller.kind == "ReplicationController";
}

class NodePreferAvoidPods final : public NodeStaticScore {
 public:
  std::string_view name() const override { return "NodePreferAvoidPods"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const bool honoured = is_honoured(pod.controller());
    signature.add(honoured ? std::string_view(pod.controller().kind) : std::string_view{});
    signature.add(honoured ? std::string_view(pod.controller().uid) : std::string_view{});
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }

 protected:
  std::uint8_t parts_read() const override { return kOtherPart; }
  void fill(const ClassContext& context, std::vector<std::int64_t>& scores) const override {
    const ControllerRef& controller = context.pod.controller();
    context.cluster.alive().for_each([&](NodeIndex n) {
      const std::vector<AvoidedController>& avoided = context.cluster.node(n).avoided;
      const bool avoids = is_honoured(controller) &&
                          std::any_of(avoided.begin(), avoided.end(), [&](const auto& entry) {
                            return entry.kind == controller.kind && entry.uid == controller.uid;
                          });
      scores[raw(n)] = avoids ? 0 : kMaxScore;
    });
  }
};

}  // namespace

std::unique_ptr<ScorePolicy> make_node_prefer_avoid_pods_score(const PolicyArgs&, Compat) {
  return std::make_unique<NodePreferAvoidPods>();
}

}  // namespace gedge
