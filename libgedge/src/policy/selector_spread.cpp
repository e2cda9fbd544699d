// policy/selector_spread.cpp - score SelectorSpread of 1.20, alias DefaultPodTopologySpread.
//
// Raw      pods on the node that the pod's services and controllers select too; 0 for pods with
//          spread constraints of their own.
// Range    normalised 100 * (max - raw) / max over the feasible nodes; where one has a zone,
//          nodes with a zone get 1/3 of that and 2/3 of the same figure for the sums of the zones.
// Cost     O(pods) a class, O(1) a bound pod.
// Source   kube-scheduler 1.20 plugins/selectorspread/selector_spread.go, util/node GetZoneKey.
#include <map>

#include "policy/make.hpp"
#include "policy/sign_pods.hpp"
#include "policy/spread_constraints.hpp"

namespace gedge {
namespace {

constexpr double kMaxScore = 100.0;
constexpr double kZoneWeight = 2.0 / 3.0;
constexpr std::uint32_t kNoZone = std::numeric_limits<std::uint32_t>::max();

const std::string* first_label(const Node& node, const char* key, const char* fallback) {
  const std::string* value = node.labels.find(key);
  return value != nullptr ? value : node.labels.find(fallback);
}

// Region and zone; empty if the node has neither.
std::pair<std::string, std::string> zone_key(const Node& node) {
  const std::string* zone =
      first_label(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const std::string* region = first_label(node, "failure-domain.beta.kubernetes.io/region",
                                          "topology.kubernetes.io/region");
  return {region == nullptr ? "" : *region, zone == nullptr ? "" : *zone};
}

struct State final : ClassState {
  State(const ClassContext& context, const LabelSelector& selector)
      : matcher(context, selector), count(context.cluster.slots(), 0) {}
  SpreadMatcher matcher;
  std::vector<std::int64_t> count;     // [slots]
  std::vector<std::uint32_t> zone_of;  // [slots]
  std::uint32_t zones = 0;
};

class SelectorSpread final : public ScorePolicy {
 public:
  explicit SelectorSpread(Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "SelectorSpread"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & (kLabelPart | kPresencePart)) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(static_cast<std::uint64_t>(pod.spec->spread.empty()));
    signature.add(pod.namespace_name());
    gedge::sign(signature, pod.labels());
    signature.add(pod.controller().kind);
    signature.add(pod.controller().name);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState* state) const override {
    return state == nullptr ? Normalize::kNone : Normalize::kOwn;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched&) const override {
    State& spread = static_cast<State&>(state);
    if (spread.matcher.counts(context.cluster, other)) spread.count[gedge::raw(node)] += delta;
  }
  void score(const ClassContext&, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    for (std::uint32_t row = rows.first; row < rows.last; ++row)
      raw[row - rows.first] = state == nullptr ? 0 : static_cast<const State*>(state)->count[row];
  }
  void normalize_rows(const ClassContext& context, const ClassState* state,
                      const NodeMask& feasible, std::span<std::int64_t> scores) const override;

 private:
  Compat compat_;
};

std::unique_ptr<ClassState> SelectorSpread::prepare(const ClassContext& context) const {
  if (!context.pod.spec->spread.empty()) return nullptr;
  LabelSelector selector = default_spread_selector(context, compat_);
  selector.nothing = selector.requirements.empty();
  auto state = std::make_unique<State>(context, selector);
  const ClusterState& cluster = context.cluster;
  std::map<std::pair<std::string, std::string>, std::uint32_t> zones;
  state->zone_of.assign(cluster.slots(), kNoZone);
  cluster.alive().for_each([&](NodeIndex n) {
    const auto key = zone_key(cluster.node(n));
    if (!key.first.empty() || !key.second.empty())
      state->zone_of[raw(n)] =
          zones.try_emplace(key, static_cast<std::uint32_t>(zones.size())).first->second;
    for (const PodIndex pod : cluster.pods_on(n))
      if (state->matcher.counts(cluster, pod)) ++state->count[raw(n)];
  });
  state->zones = static_cast<std::uint32_t>(zones.size());
  return state;
}

double share_below(std::int64_t count, std::int64_t max) {
  if (max <= 0) return kMaxScore;
  return kMaxScore * (static_cast<double>(max - count) / static_cast<double>(max));
}

void SelectorSpread::normalize_rows(const ClassContext&, const ClassState* state,
                                    const NodeMask& feasible,
                                    std::span<std::int64_t> scores) const {
  const State& spread = static_cast<const State&>(*state);
  std::vector<std::int64_t> in_zone(spread.zones, 0);
  std::int64_t max = 0, max_zone = 0;
  feasible.for_each([&](NodeIndex n) {
    const std::int64_t count = scores[raw(n)];
    max = std::max(max, count);
    const std::uint32_t zone = spread.zone_of[raw(n)];
    if (zone == kNoZone) return;
    in_zone[zone] += count;
    max_zone = std::max(max_zone, in_zone[zone]);
  });
  feasible.for_each([&](NodeIndex n) {
    double score = share_below(scores[raw(n)], max);
    const std::uint32_t zone = spread.zone_of[raw(n)];
    if (zone != kNoZone)
      score = (score * (1.0 - kZoneWeight)) + (kZoneWeight * share_below(in_zone[zone], max_zone));
    scores[raw(n)] = static_cast<std::int64_t>(score);
  });
}

}  // namespace

std::unique_ptr<ScorePolicy> make_selector_spread_score(const PolicyArgs&, Compat compat) {
  return std::make_unique<SelectorSpread>(compat);
}

}  // namespace gedge
