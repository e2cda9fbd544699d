// policy/g_low_latency.cpp - score GLowLatencyPriority of GS-Scheduler.
//
// Formula  1000000 - RTT in microseconds from the source: the node that gschConfig names, else the
//          peer of the pod's first delay budget; 0 for pods without either. A point of 100 is 10
//          ms.
// Range    up to 1000000; below 0 beyond one second, least where the RTT is unmeasured or the
//          source unknown. Not normalised: GS-Scheduler takes the nearest, and 0..100 would make
//          nodes equal that differ by microseconds.
// Cost     O(nodes) a class and whenever the peer moves; a copy afterwards.
// Source   GS-Scheduler v4.0, GLowLatencyPriority: the source itself first, then by mean RTT.
#include <algorithm>
#include <optional>
#include <utility>

#include "policy/delay_columns.hpp"
#include "policy/make.hpp"
#include "policy/sign_pods.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kNearest = 1'000'000;

struct LatencyState final : ClassState {
  DelayBudget source;  // what `column` points to
  std::optional<DelayColumn> column;
};

// Where the pod's latency counts from; empty if nobody said.
std::optional<DelayBudget> source_of(const PodSpec& spec) {
  if (!spec.latency_source.empty()) {
    DelayBudget source;
    source.from = source.name = spec.latency_source;
    source.kind = PeerKind::kNode;
    return source;
  }
  if (spec.budgets.empty()) return std::nullopt;
  return spec.budgets.front();
}

class GLowLatency final : public ScorePolicy {
 public:
  std::string_view name() const override { return "GLowLatencyPriority"; }
  std::uint8_t reads() const override { return kRowStatic | kDomains; }
  bool on_facts(ClassState* state, const ClassContext&, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || !moves_delays(change);
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::optional<DelayBudget> source = source_of(*pod.spec);
    signature.add(static_cast<std::uint64_t>(source.has_value()));
    if (!source) return true;
    gedge::sign(signature, *source);
    signature.add(pod.namespace_name());
    signature.add(pod.peer_name);
    signature.add(pod.peer_workload_kind);
    signature.add(pod.peer_workload);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }

  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    std::optional<DelayBudget> source = source_of(*context.pod.spec);
    if (!source) return nullptr;
    auto state = std::make_unique<LatencyState>();
    state->source = *std::move(source);
    state->column.emplace(context, state->source);
    return state;
  }

  void on_pod(ClassState& state, const ClassContext&, PodIndex other, NodeIndex node, int delta,
              Touched& touched) const override {
    if (static_cast<LatencyState&>(state).column->on_pod(other, node, delta)) touched.all = true;
  }

  void score(const ClassContext&, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    if (state == nullptr) {
      std::fill_n(raw.begin(), rows.size(), 0);
      return;
    }
    const DelayColumn& column = *static_cast<const LatencyState*>(state)->column;
    const bool measured = column.status() == DelayColumn::Status::kMeasured;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const NodeIndex n{rows.first + static_cast<std::uint32_t>(i)};
      raw[i] = kNearest - (measured ? column.rtt(n) : kUnmeasured).us;
    }
  }
};

}  // namespace

std::unique_ptr<ScorePolicy> make_g_low_latency_score(const PolicyArgs&, Compat) {
  return std::make_unique<GLowLatency>();
}

}  // namespace gedge
