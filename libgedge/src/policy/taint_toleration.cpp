// policy/taint_toleration.cpp - filter and score TaintToleration.
//
// Filter   rejects a node whose NoSchedule or NoExecute taints are not all tolerated; names the
//          first such taint in the node's list. Unresolvable.
// Score    number of PreferNoSchedule taints that are not tolerated; normalised 100 - 100*s/max,
//          100 if max is 0. Range 0..100, fewer is better.
// Cost     O(nodes * taints * tolerations) a class.
// Source   kube-scheduler plugins/tainttoleration; 1.20 and 1.36 agree but for the words.
#include <algorithm>

#include "policy/make.hpp"
#include "policy/node_static.hpp"
#include "policy/sign.hpp"

namespace gedge {
namespace {

bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return toleration.tolerates(taint); });
}

const Taint* first_untolerated(const Node& node, const PodFacts& pod) {
  for (const Taint& taint : node.taints)
    if (taint.effect != TaintEffect::kPreferNoSchedule &&
        !is_tolerated(taint, pod.spec->tolerations))
      return &taint;
  return nullptr;
}

class TaintFilter final : public NodeStaticFilter {
 public:
  std::string_view name() const override { return "TaintToleration"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    gedge::sign(signature, pod.spec->tolerations);
    return true;
  }

 protected:
  bool concerns(const PodFacts&) const override { return true; }
  bool admits(const PodFacts& pod, const Node& node) const override {
    return first_untolerated(node, pod) == nullptr;
  }
  Evidence evidence(const PodFacts& pod, const Node& node) const override {
    const Taint* taint = first_untolerated(node, pod);
    return {.reason = Reason::kUntoleratedTaint,
            .verdict = Verdict::kUnresolvable,
            .subject = taint == nullptr ? std::string() : taint->key + ": " + taint->value};
  }
};

class TaintScore final : public NodeStaticScore {
 public:
  std::string_view name() const override { return "TaintToleration"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    gedge::sign(signature, pod.spec->tolerations);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kMaxReverse;
  }

 protected:
  std::uint8_t parts_read() const override { return kTaintPart; }
  void fill(const ClassContext& context, std::vector<std::int64_t>& scores) const override {
    context.cluster.alive().for_each([&](NodeIndex n) {
      const std::vector<Taint>& taints = context.cluster.node(n).taints;
      scores[raw(n)] = std::count_if(taints.begin(), taints.end(), [&](const Taint& taint) {
        return taint.effect == TaintEffect::kPreferNoSchedule &&
               !is_tolerated(taint, context.pod.spec->tolerations);
      });
    });
  }
};

}  // namespace

std::unique_ptr<FilterPolicy> make_taint_toleration_filter(const PolicyArgs&, Compat) {
  return std::make_unique<TaintFilter>();
}

std::unique_ptr<ScorePolicy> make_taint_toleration_score(const PolicyArgs&, Compat) {
  return std::make_unique<TaintScore>();
}

}  // namespace gedge
