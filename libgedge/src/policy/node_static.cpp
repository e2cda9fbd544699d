#include "policy/node_static.hpp"

#include "policy/domain_rows.hpp"
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

bool NodeStaticFilter::on_facts(ClassState* state, const ClassContext& context,
                                const FactsChange& change, Touched&) const {
  if (state == nullptr || change.node == kNoNode) return true;
  const ClusterState& cluster = context.cluster;
  NodeMask& admitted = static_cast<MaskState*>(state)->admitted;
  if (cluster.alive().test(change.node) && admits(context.pod, cluster.node(change.node)))
    admitted.set(change.node);
  else
    admitted.clear(change.node);
  return true;
}

void NodeStaticFilter::filter(const ClassContext& context, const ClassState* state, Rows rows,
                              NodeMask& feasible, Recorder* recorder) const {
  if (state == nullptr) return;
  const NodeMask& admitted = static_cast<const MaskState*>(state)->admitted;
  for_each_block(rows, [&](Rows block) {
    const std::uint64_t here = admitted.word(block.first / kWordRows);
    reject_others(feasible, block, here, recorder, [&](NodeIndex n) {
      recorder->reject(n, evidence(context.pod, context.cluster.node(n)));
    });
  });
}

std::unique_ptr<ClassState> NodeStaticScore::prepare(const ClassContext& context) const {
  auto state = std::make_unique<ScoreState>();
  state->scores.assign(context.cluster.slots(), 0);
  fill(context, state->scores);
  return state;
}

bool NodeStaticScore::on_facts(ClassState* state, const ClassContext& context,
                               const FactsChange& change, Touched& touched) const {
  if ((change.parts & (parts_read() | kPresencePart)) == 0) return true;
  std::vector<std::int64_t>& scores = static_cast<ScoreState*>(state)->scores;
  const std::vector<std::int64_t> before = scores;
  scores.assign(before.size(), 0);
  fill(context, scores);
  for (std::uint32_t row = 0; row < scores.size(); ++row)
    if (scores[row] != before[row]) touch(touched, NodeIndex{row}, scores.size());
  return true;
}

void NodeStaticScore::score(const ClassContext&, const ClassState* state, Rows rows,
                            std::span<std::int64_t> raw) const {
  const std::vector<std::int64_t>& scores = static_cast<const ScoreState*>(state)->scores;
  std::copy_n(scores.begin() + rows.first, rows.size(), raw.begin());
}

}  // namespace gedge
