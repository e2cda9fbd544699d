#include "gedge/pin/topology_manager.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace gedge {
namespace {

NumaMask mask(std::initializer_list<int> ids) {
  NumaMask bits = 0;
  for (const int id : ids) bits |= numa_bit(id);
  return bits;
}
NumaHint yes(std::initializer_list<int> ids) { return {mask(ids), true}; }
NumaHint no(std::initializer_list<int> ids) { return {mask(ids), false}; }
NumaHints list(std::initializer_list<NumaHint> hints) { return std::vector<NumaHint>(hints); }

const NumaLayout kTwo{{0, 1}, {}};
const NumaLayout kFour{{0, 1, 2, 3},
                       {10, 21, 12, 21,  //
                        21, 10, 21, 21,  //
                        12, 21, 10, 21,  //
                        21, 21, 21, 10}};

MergedHint merge(const NumaLayout& layout, TopologyPolicy policy,
                 const std::vector<NumaHints>& providers, KubeletForm form = KubeletForm::kToday,
                 bool closest = false) {
  return merge_hints(layout, form, {.policy = policy, .prefer_closest_numa_nodes = closest},
                     providers);
}

}  // namespace

TEST_CASE("topology manager: policy none asks nobody") {
  const MergedHint merged = merge(kTwo, TopologyPolicy::kNone, {list({})});
  CHECK(merged.admitted);
  CHECK_FALSE(merged.hint.nodes);
}

TEST_CASE("topology manager: what all share wins, lowest ids first") {
  const auto cpus = list({yes({0}), yes({1}), no({0, 1})});
  const auto device = list({yes({1}), no({0, 1})});
  for (const auto policy : {TopologyPolicy::kBestEffort, TopologyPolicy::kRestricted,
                            TopologyPolicy::kSingleNumaNode}) {
    CHECK(merge(kTwo, policy, {cpus, std::nullopt}).hint == yes({0}));
    CHECK(merge(kTwo, policy, {cpus, device}).hint == yes({1}));
    CHECK(merge(kTwo, policy, {cpus, device}).admitted);
  }
}

TEST_CASE("topology manager: only best-effort admits what is not preferred") {
  const auto split = list({no({0, 1})});
  CHECK(merge(kTwo, TopologyPolicy::kBestEffort, {split}).admitted);
  CHECK_FALSE(merge(kTwo, TopologyPolicy::kRestricted, {split}).admitted);
  CHECK_FALSE(merge(kTwo, TopologyPolicy::kSingleNumaNode, {split}).admitted);
  // Two nodes may be the fewest that could ever do.
  const auto large = list({yes({0, 1})});
  CHECK(merge(kTwo, TopologyPolicy::kRestricted, {large}).admitted);
  CHECK_FALSE(merge(kTwo, TopologyPolicy::kSingleNumaNode, {large}).admitted);
}

TEST_CASE("topology manager: who cannot be served spoils it, who does not care does not") {
  const auto cpus = list({yes({0})});
  CHECK_FALSE(merge(kTwo, TopologyPolicy::kRestricted, {cpus, list({})}).admitted);
  CHECK(merge(kTwo, TopologyPolicy::kRestricted, {cpus, std::nullopt}).admitted);
  CHECK(merge(kTwo, TopologyPolicy::kRestricted, {std::nullopt}).admitted);
  CHECK(merge(kTwo, TopologyPolicy::kBestEffort, {cpus, list({})}).hint == no({0}));
}

TEST_CASE("topology manager: preferred hints of different nodes are not preferred today") {
  const std::vector<NumaHints> providers{list({yes({0})}), list({yes({0, 1})})};
  CHECK(merge(kTwo, TopologyPolicy::kRestricted, providers, KubeletForm::k1_20).admitted);
  CHECK_FALSE(merge(kTwo, TopologyPolicy::kRestricted, providers).admitted);
}

TEST_CASE("topology manager: nothing in common falls back to all nodes") {
  const std::vector<NumaHints> providers{list({yes({0})}), list({yes({1})})};
  for (const auto form : {KubeletForm::k1_20, KubeletForm::kToday}) {
    const MergedHint merged = merge(kTwo, TopologyPolicy::kBestEffort, providers, form);
    CHECK(merged.hint == no({0, 1}));
    CHECK(merged.admitted);
    CHECK_FALSE(merge(kTwo, TopologyPolicy::kRestricted, providers, form).admitted);
  }
}

TEST_CASE("topology manager: not preferred, today's takes as many nodes as the neediest wants") {
  const std::vector<NumaHints> providers{list({no({0}), no({0, 1}), no({0, 1, 2})}),
                                         list({no({0, 1}), no({0, 1, 2})})};
  CHECK(merge(kFour, TopologyPolicy::kBestEffort, providers).hint == no({0, 1}));
  CHECK(merge(kFour, TopologyPolicy::kBestEffort, providers, KubeletForm::k1_20).hint == no({0}));
}

TEST_CASE("topology manager: the closest nodes, where that is asked for") {
  const auto pairs = list({yes({0, 1}), yes({0, 2}), yes({1, 2})});
  const auto policy = TopologyPolicy::kBestEffort;
  CHECK(merge(kFour, policy, {pairs}).hint == yes({0, 1}));
  CHECK(merge(kFour, policy, {pairs}, KubeletForm::kToday, true).hint == yes({0, 2}));
  CHECK(merge(kFour, policy, {pairs}, KubeletForm::k1_20, true).hint == yes({0, 1}));
  CHECK(kFour.mean_distance(mask({0, 2})) == 11);
  CHECK(kTwo.mean_distance(mask({0, 1})) == 0);
}

TEST_CASE("topology manager: single-numa-node on a machine of one node has no nodes to name") {
  const MergedHint merged = merge({{0}, {}}, TopologyPolicy::kSingleNumaNode, {list({yes({0})})});
  CHECK(merged.admitted);
  CHECK_FALSE(merged.hint.nodes);
}

}  // namespace gedge
