// policy/topology_spread_filter.cpp - filter PodTopologySpread.
//
// Rule     count(domain) + self - least > maxSkew rejects; least is the smallest count of an
//          eligible domain, 0 if there are fewer than minDomains. A node without the key is
//          rejected as unresolvable. Constraints are tried in order; the first that fails decides.
// Counts   1.36: pods on nodes that have every key and that the constraint's node policies include.
//          1.20: domains come from such nodes, but pods of every node with the label value count.
// Cost     O(pods + nodes) a class, O(1) a bound pod unless the least count moves, O(constraints) a
//          row.
// Source   kube-scheduler plugins/podtopologyspread/filtering.go.
#include <limits>

#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/spread_constraints.hpp"

namespace gedge {
namespace {

// What upstream takes for the least count where there is no domain at all.
constexpr std::int64_t kNoLeast = std::numeric_limits<std::int32_t>::max();

struct Counter {
  Counter(const ClassContext& context, SpreadConstraint resolved)
      : constraint(std::move(resolved)),
        matcher(context, constraint.counted()),
        self(constraint.selector.matches(context.pod.labels) ? 1 : 0),
        counted(context.cluster.slots()),
        count(constraint.column->domain_count(), 0),
        eligible(constraint.column->domain_count(), false) {}

  DomainIndex domain_of(NodeIndex n) const { return constraint.column->domain_of[raw(n)]; }
  void find_least();
  void add(DomainIndex domain, std::int64_t delta);

  SpreadConstraint constraint;
  SpreadMatcher matcher;
  std::int64_t self = 0;
  NodeMask counted;                 // rows whose pods count
  std::vector<std::int64_t> count;  // [domains]
  std::vector<bool> eligible;       // [domains]
  std::int64_t domains = 0;         // eligible ones
  std::int64_t least = kNoLeast;
  std::int64_t at_least = 0;  // eligible domains with that count
};

void Counter::find_least() {
  least = kNoLeast;
  at_least = 0;
  for (DomainIndex d = 0; d < count.size(); ++d) {
    if (!eligible[d] || count[d] > least) continue;
    if (count[d] < least) at_least = 0;
    least = count[d];
    ++at_least;
  }
}

void Counter::add(DomainIndex domain, std::int64_t delta) {
  const std::int64_t before = count[domain];
  count[domain] += delta;
  if (count[domain] < least) {
    least = count[domain];
    at_least = 1;
  } else if (count[domain] == least) {
    ++at_least;
  } else if (before == least && --at_least == 0) {
    find_least();
  }
}

struct State final : ClassState {
  std::vector<Counter> counters;
};

class TopologySpreadFilter final : public FilterPolicy {
 public:
  TopologySpreadFilter(const PolicyArgs& args, Compat compat) : source_(args, compat) {}
  std::string_view name() const override { return "PodTopologySpread"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    constexpr unsigned kRead = kLabelPart | kTaintPart | kPresencePart;
    return state == nullptr || (change.parts & kRead) == 0;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    source_.sign(pod, true, signature);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override;
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched& touched) const override;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;

 private:
  std::int64_t least(const Counter& counter) const {
    const bool too_few = counter.domains < counter.constraint.min_domains;
    return too_few && source_.compat != Compat::k1_20 ? 0 : counter.least;
  }
  void find_domains(const ClassContext& context, const std::vector<SpreadConstraint>& all,
                    Counter& counter) const;
  void apply(const Counter& counter, Rows rows, NodeMask& feasible, Recorder* recorder) const;

  SpreadSource source_;
};

void TopologySpreadFilter::find_domains(const ClassContext& context,
                                        const std::vector<SpreadConstraint>& all,
                                        Counter& counter) const {
  included_nodes(context, counter.constraint).for_each([&](NodeIndex n) {
    if (!has_all_keys(all, n)) return;
    counter.counted.set(n);
    const DomainIndex domain = counter.domain_of(n);
    if (!counter.eligible[domain]) ++counter.domains;
    counter.eligible[domain] = true;
  });
  if (source_.compat != Compat::k1_20) return;
  context.cluster.alive().for_each([&](NodeIndex n) {
    const DomainIndex domain = counter.domain_of(n);
    if (domain != kNoDomain && counter.eligible[domain]) counter.counted.set(n);
  });
}

std::unique_ptr<ClassState> TopologySpreadFilter::prepare(const ClassContext& context) const {
  const std::vector<SpreadConstraint> constraints = source_.plan(context, true).constraints;
  if (constraints.empty()) return nullptr;
  auto state = std::make_unique<State>();
  for (const SpreadConstraint& constraint : constraints) {
    Counter& counter = state->counters.emplace_back(context, constraint);
    find_domains(context, constraints, counter);
    counter.counted.for_each([&](NodeIndex n) {
      for (const PodIndex pod : context.cluster.pods_on(n))
        if (counter.matcher.counts(context.cluster, pod)) ++counter.count[counter.domain_of(n)];
    });
    counter.find_least();
  }
  return state;
}

void TopologySpreadFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                                  NodeIndex node, int delta, Touched& touched) const {
  for (Counter& counter : static_cast<State&>(state).counters) {
    if (!counter.counted.test(node) || !counter.matcher.counts(context.cluster, other)) continue;
    const std::int64_t before = least(counter);
    counter.add(counter.domain_of(node), delta);
    if (least(counter) != before)
      touched.all = true;
    else if (!counter.constraint.one_row_a_domain)
      touch_domain(touched, *counter.constraint.column, counter.domain_of(node));
  }
}

void TopologySpreadFilter::apply(const Counter& counter, Rows rows, NodeMask& feasible,
                                 Recorder* recorder) const {
  const std::int64_t allowed = counter.constraint.max_skew + least(counter) - counter.self;
  for_each_set(feasible, rows, [&](NodeIndex n) {
    const DomainIndex domain = counter.domain_of(n);
    const bool lacks_key = domain == kNoDomain;
    if (!lacks_key && counter.count[domain] <= allowed) return;
    feasible.clear(n);
    if (recorder == nullptr) return;
    Evidence evidence;
    evidence.subject = counter.constraint.column->key;
    evidence.reason = lacks_key ? Reason::kSpreadLabelMissing : Reason::kSpread;
    if (lacks_key) {
      evidence.verdict = Verdict::kUnresolvable;
    } else {
      evidence.measured = counter.count[domain] + counter.self - least(counter);
      evidence.limit = counter.constraint.max_skew;
      evidence.unit = Unit::kCount;
    }
    recorder->reject(n, std::move(evidence));
  });
}

void TopologySpreadFilter::filter(const ClassContext&, const ClassState* state, Rows rows,
                                  NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  for (const Counter& counter : static_cast<const State*>(state)->counters)
    apply(counter, rows, feasible, recorder);
}

}  // namespace

std::unique_ptr<FilterPolicy> make_pod_topology_spread_filter(const PolicyArgs& args,
                                                              Compat compat) {
  return std::make_unique<TopologySpreadFilter>(args, compat);
}

}  // namespace gedge
