// policy/topology_spread_filter.cpp - filter PodTopologySpread.
//
// Rule     count(domain) + self - least > maxSkew rejects; least is the smallest count of an
//          eligible domain, 0 if there are fewer than minDomains. A node without the key is
//          rejected as unresolvable. Constraints are tried in order; the first that fails decides.
// Counts   1.36: pods on nodes that have every key and that the constraint's node policies include.
//          1.20: domains come from such nodes, but pods of every node with the label value count.
// Memory   pods per domain, and the rows of the domains that are full.
// Cost     O(pods that the selectors match + words of masks) a class, O(words of a domain) a bound
//          pod, of all domains where the least count moves; O(constraints) a row with evidence.
// Source   kube-scheduler plugins/podtopologyspread/filtering.go.
#include <algorithm>
#include <limits>

#include "policy/domain_rows.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/spread_constraints.hpp"

namespace gedge {
namespace {

// What upstream takes for the least count where there is no domain at all.
constexpr std::int64_t kNoLeast = std::numeric_limits<std::int32_t>::max();

bool counts_every_node(const ClassContext& context, const SpreadConstraint& constraint) {
  const PodSpec& spec = *context.pod.spec;
  return (!constraint.honor_node_affinity ||
          (spec.node_selector.empty() && !spec.has_required_node_terms)) &&
         !constraint.honor_node_taints;
}

struct Counter {
  Counter(const ClassContext& context, SpreadConstraint resolved)
      : constraint(std::move(resolved)),
        matcher(context, constraint.counted()),
        self(constraint.selector.matches(context.pod.labels()) ? 1 : 0),
        counted(context.cluster.slots()),
        count(constraint.column->domain_count(), 0),
        eligible(constraint.column->domain_count(), false) {}

  DomainIndex domain_of(NodeIndex n) const { return constraint.column->domain_of[raw(n)]; }
  void find_domains();
  void find_least();
  void add(DomainIndex domain, std::int64_t delta);
  void bar(DomainIndex domain, std::int64_t allowed);

  SpreadConstraint constraint;
  SpreadMatcher matcher;
  std::int64_t self = 0;
  NodeMask counted;                 // rows whose pods count
  std::vector<std::int64_t> count;  // [domains]
  std::vector<bool> eligible;       // [domains]
  std::int64_t domains = 0;         // eligible ones
  std::int64_t least = kNoLeast;
  std::int64_t at_least = 0;  // eligible domains with that count
  NodeMask barred;            // rows without the key, and those of full domains
};

// Which domains have a row that counts.
void Counter::find_domains() {
  for (DomainIndex d = 0; d < eligible.size(); ++d) {
    const auto rows = constraint.column->rows_of(d);
    eligible[d] = std::any_of(rows.begin(), rows.end(), [&](const WordRows& part) {
      return (counted.word(part.word) & part.bits) != 0;
    });
    domains += eligible[d] ? 1 : 0;
  }
}

void Counter::bar(DomainIndex domain, std::int64_t allowed) {
  for (const WordRows& part : constraint.column->rows_of(domain)) {
    if (count[domain] > allowed)
      barred.add(part.word, part.bits);
    else
      barred.keep(part.word, ~part.bits);
  }
}

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
  NodeMask barred;  // by any of several counters

  void unite() {
    if (counters.size() == 1) return;
    barred = counters.front().barred;
    for (const Counter& counter : counters) barred |= counter.barred;
  }
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
  void listen(const ClassContext& context, const ClassState& state,
              std::vector<Topic>& topics) const override;
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override;
  bool keeps_barred() const override { return true; }
  const NodeMask* barred(const ClassState* state) const override {
    if (state == nullptr) return nullptr;
    const State& known = static_cast<const State&>(*state);
    return known.counters.size() == 1 ? &known.counters.front().barred : &known.barred;
  }

 private:
  std::int64_t least(const Counter& counter) const {
    const bool too_few = counter.domains < counter.constraint.min_domains;
    return too_few && source_.compat != Compat::k1_20 ? 0 : counter.least;
  }
  std::int64_t allowed(const Counter& counter) const {
    return counter.constraint.max_skew + least(counter) - counter.self;
  }
  void find_counted(const ClassContext& context, const NodeMask& keyed, Counter& counter) const;
  void count_placed(const ClassContext& context, Counter& counter) const;
  void bar_all(Counter& counter) const;
  void explain(const Counter& counter, Rows rows, NodeMask& feasible, Recorder& recorder) const;

  SpreadSource source_;
};

// `keyed`: rows that have the keys of all constraints.
void TopologySpreadFilter::find_counted(const ClassContext& context, const NodeMask& keyed,
                                        Counter& counter) const {
  counter.counted = counts_every_node(context, counter.constraint)
                        ? context.cluster.alive()
                        : included_nodes(context, counter.constraint);
  counter.counted &= keyed;
  counter.find_domains();
  if (source_.compat != Compat::k1_20) return;
  for (DomainIndex d = 0; d < counter.eligible.size(); ++d)
    if (counter.eligible[d])
      for (const WordRows& part : counter.constraint.column->rows_of(d))
        counter.counted.add(part.word, part.bits);
  counter.counted &= context.cluster.alive();
}

void TopologySpreadFilter::count_placed(const ClassContext& context, Counter& counter) const {
  std::vector<Topic> topics;
  listen_to_selected(counter.constraint.counted(), topics);
  if (topics.empty()) return;
  context.cluster.for_each_placed(topics, [&](PodIndex pod, NodeIndex n) {
    if (counter.counted.test(n) && counter.matcher.counts(context.cluster, pod))
      ++counter.count[counter.domain_of(n)];
  });
}

void TopologySpreadFilter::bar_all(Counter& counter) const {
  const std::int64_t most = allowed(counter);
  counter.barred = NodeMask(counter.counted.size(), true);
  counter.barred -= counter.constraint.column->keyed;
  for (DomainIndex d = 0; d < counter.count.size(); ++d)
    if (counter.count[d] > most) counter.bar(d, most);
}

std::unique_ptr<ClassState> TopologySpreadFilter::prepare(const ClassContext& context) const {
  const std::vector<SpreadConstraint> constraints = source_.plan(context, true).constraints;
  if (constraints.empty()) return nullptr;
  NodeMask keyed = context.cluster.alive();
  for (const SpreadConstraint& constraint : constraints) keyed &= constraint.column->keyed;
  auto state = std::make_unique<State>();
  state->counters.reserve(constraints.size());
  for (const SpreadConstraint& constraint : constraints) {
    Counter& counter = state->counters.emplace_back(context, constraint);
    find_counted(context, keyed, counter);
    count_placed(context, counter);
    counter.find_least();
    bar_all(counter);
  }
  state->unite();
  return state;
}

void TopologySpreadFilter::listen(const ClassContext&, const ClassState& state,
                                  std::vector<Topic>& topics) const {
  for (const Counter& counter : static_cast<const State&>(state).counters)
    listen_to_selected(counter.constraint.counted(), topics);
}

void TopologySpreadFilter::on_pod(ClassState& state, const ClassContext& context, PodIndex other,
                                  NodeIndex node, int delta, Touched&) const {
  State& known = static_cast<State&>(state);
  bool changed = false;
  for (Counter& counter : known.counters) {
    if (!counter.counted.test(node) || !counter.matcher.counts(context.cluster, other)) continue;
    changed = true;
    const std::int64_t before = least(counter);
    counter.add(counter.domain_of(node), delta);
    if (least(counter) == before)
      counter.bar(counter.domain_of(node), allowed(counter));
    else
      bar_all(counter);
  }
  if (changed) known.unite();
}

void TopologySpreadFilter::explain(const Counter& counter, Rows rows, NodeMask& feasible,
                                   Recorder& recorder) const {
  for_each_set(feasible, rows, [&](NodeIndex n) {
    const DomainIndex domain = counter.domain_of(n);
    const bool lacks_key = domain == kNoDomain;
    if (!lacks_key && counter.count[domain] <= allowed(counter)) return;
    feasible.clear(n);
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
    recorder.reject(n, std::move(evidence));
  });
}

void TopologySpreadFilter::filter(const ClassContext&, const ClassState* state, Rows rows,
                                  NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  if (recorder == nullptr) return reject_barred(*barred(state), rows, feasible);
  for (const Counter& counter : static_cast<const State*>(state)->counters)
    explain(counter, rows, feasible, *recorder);
}

}  // namespace

std::unique_ptr<FilterPolicy> make_pod_topology_spread_filter(const PolicyArgs& args,
                                                              Compat compat) {
  return std::make_unique<TopologySpreadFilter>(args, compat);
}

}  // namespace gedge
