#include "policy/node_static.hpp"

#include "policy/rows.hpp"

namespace gedge {
namespace {

struct MaskState final : ClassState {
  explicit MaskState(std::size_t slots) : admitted(slots) {}
  NodeMask admitted;
};

struct ScoreState final : ClassState {
  std::vector<std::int64_t> scores;  // [slots]
};

}  // namespace

std::unique_ptr<ClassState> NodeStaticFilter::prepare(const ClassContext& context) const {
  if (!concerns(context.pod)) return nullptr;
  auto state = std::make_unique<MaskState>(context.cluster.slots());
  context.cluster.alive().for_each([&](NodeIndex n) {
    if (admits(context.pod, context.cluster.node(n))) state->admitted.set(n);
  });
  return state;
}

void NodeStaticFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                              NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const NodeMask& admitted = static_cast<const MaskState*>(state)->admitted;
  for_each_block(rows, [&](Rows block) {
    reject_others(feasible, block, admitted.word(block.first / kWordRows), [&](NodeIndex n) {
      if (recorder != nullptr) recorder->reject(n, evidence(context.pod, context.cluster.node(n)));
    });
  });
}

std::unique_ptr<ClassState> NodeStaticScore::prepare(const ClassContext& context) const {
  auto state = std::make_unique<ScoreState>();
  state->scores.assign(context.cluster.slots(), 0);
  fill(context, state->scores);
  return state;
}

void NodeStaticScore::score(const ClassContext&, const ClassState* state, Rows rows,
                            std::span<std::int64_t> raw) const {
  const std::vector<std::int64_t>& scores = static_cast<const ScoreState*>(state)->scores;
  std::copy_n(scores.begin() + rows.first, rows.size(), raw.begin());
}

}  // namespace gedge
