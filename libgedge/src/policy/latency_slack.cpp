// policy/latency_slack.cpp - score LatencySlack.
//
// Raw      idiv(100 * slack, limit), the least over the pod's budgets; 100 without budgets. A limit
//          of 0 gives 100 if the RTT is 0. Budgets that bind nothing now do not count.
// Range    0..100, not normalised; 0 where a budget is over its limit or unmeasured.
// Cost     O(nodes * places of peers) a class, O(nodes) a bound peer, O(budgets) a row.
// Source   spec/surface.md section 3.
#include <algorithm>
#include <bit>

#include "policy/delay_columns.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/score_kernels.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMaxScore = 100;
// Above this 100 * limit leaves int64; every RTT is then less than a hundredth of the limit.
constexpr std::int64_t kHugeLimit = std::numeric_limits<std::int64_t>::max() / kMaxScore;

std::int64_t slack_score(Rtt rtt, std::int64_t limit) {
  const std::int64_t us = std::int64_t{rtt.us};
  if (rtt == kUnmeasured || us > limit) return 0;
  if (us == 0) return kMaxScore;
  if (limit > kHugeLimit) return kMaxScore - 1;
  return kMaxScore * (limit - us) / limit;
}

struct State final : ClassState {
  std::vector<DelayColumn> columns;
};

// No RTT of the feasible rows of a word is less; bounds of a row of the matrix know it at once.
Rtt nearest_of(const DelayColumn& column, RttMatrix::Strips strips, std::uint32_t word,
               std::uint64_t feasible) {
  if (!strips.least.empty()) {
    if (raw(column.here()) / kWordRows == word) return Rtt{0};
    const auto first = strips.least.begin() + kStripsInWord * std::ptrdiff_t{word};
    return RttMatrix::least_of(*std::min_element(first, first + kStripsInWord));
  }
  Rtt nearest = kUnmeasured;
  for (std::uint64_t bits = feasible; bits != 0; bits &= bits - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(bits));
    nearest = std::min(nearest, column.rtt(NodeIndex{word * kWordRows + at}));
  }
  return nearest;
}

// The least so far and the score of one column, in vectors: false where that cannot be.
bool join_row(const DelayColumn& column, Rows rows, std::span<std::int64_t> least) {
  const std::span<const Rtt> row = column.as_row();
  if (row.empty() || column.limit_us() < 1 || column.limit_us() > kMaxRtt.us) return false;
  const std::uint32_t here = raw(column.here());
  const bool has_here = here >= rows.first && here < rows.last;
  const std::int64_t before = has_here ? least[here - rows.first] : 0;
  join_slack_scores(row.data() + rows.first, static_cast<std::uint32_t>(rows.size()),
                    column.limit_us(), least.data());
  if (has_here) least[here - rows.first] = before;  // 0 to itself: the whole slack
  return true;
}

class LatencySlack final : public ScorePolicy {
 public:
  std::string_view name() const override { return "LatencySlack"; }
  std::uint8_t reads() const override { return kRowStatic | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || !moves_delays(change);
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    sign_list(signature, pod.spec->budgets);
    if (pod.spec->budgets.empty()) return true;
    signature.add(pod.namespace_name());
    signature.add(pod.peer_name);
    signature.add(pod.peer_workload);
    signature.add(pod.peer_workload_kind);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    if (context.pod.spec->budgets.empty()) return nullptr;
    auto state = std::make_unique<State>();
    state->columns = make_columns(context);
    return state;
  }
  void on_pod(ClassState& state, const ClassContext&, PodIndex other, NodeIndex node, int delta,
              Touched& touched) const override {
    for (DelayColumn& column : static_cast<State&>(state).columns)
      if (column.on_pod(other, node, delta)) touched.all = true;
  }
  void listen(const ClassContext&, const ClassState& state,
              std::vector<Topic>& topics) const override {
    if (any_follows_pods(static_cast<const State&>(state).columns)) topics.push_back(kAnyPod);
  }
  std::optional<std::int64_t> constant(const ClassState* state) const override {
    return state == nullptr ? std::optional(kMaxScore) : std::nullopt;
  }
  std::int64_t most(const ClassState*) const override { return kMaxScore; }
  void upper_bounds(const ClassContext&, const ClassState* state, const NodeMask& feasible,
                    std::span<const std::uint32_t> words,
                    std::span<std::int64_t> bounds) const override {
    std::fill(bounds.begin(), bounds.end(), kMaxScore);
    if (state == nullptr) return;
    for (const DelayColumn& column : static_cast<const State&>(*state).columns) {
      if (column.status() != DelayColumn::Status::kMeasured) continue;
      const RttMatrix::Strips strips = column.row_strips();
      for (std::size_t i = 0; i < words.size(); ++i) {
        const Rtt nearest = nearest_of(column, strips, words[i], feasible.word(words[i]));
        bounds[i] = std::min(bounds[i], slack_score(nearest, column.limit_us()));
      }
    }
  }
  void score(const ClassContext&, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    std::fill(raw.begin(), raw.end(), kMaxScore);
    if (state == nullptr) return;
    for (const DelayColumn& column : static_cast<const State&>(*state).columns) {
      if (column.status() == DelayColumn::Status::kFree) continue;
      const bool measured = column.status() == DelayColumn::Status::kMeasured;
      if (measured && join_row(column, rows, raw)) continue;
      for (std::uint32_t row = rows.first; row < rows.last; ++row) {
        const Rtt rtt = measured ? column.rtt(NodeIndex{row}) : kUnmeasured;
        std::int64_t& least = raw[row - rows.first];
        least = std::min(least, slack_score(rtt, column.limit_us()));
      }
    }
  }
};

}  // namespace

std::unique_ptr<ScorePolicy> make_latency_slack_score(const PolicyArgs&, Compat) {
  return std::make_unique<LatencySlack>();
}

}  // namespace gedge
