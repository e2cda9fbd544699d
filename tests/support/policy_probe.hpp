// support/policy_probe.hpp - one policy asked about one pod of a small site, without an engine.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/policy/profile.hpp"
#include "support/site_builder.hpp"

namespace gedge::test {

using Evidences = std::map<std::string, std::vector<Evidence>>;  // by node
using Scores = std::map<std::string, std::int64_t>;              // by node

class CollectingRecorder final : public Recorder {
 public:
  explicit CollectingRecorder(const ClusterState& state) : state_(state) {}
  void reject(NodeIndex node, Evidence evidence) override {
    found[state_.node(node).name].push_back(std::move(evidence));
  }
  Evidences found;

 private:
  const ClusterState& state_;
};

inline ClassContext context_of(const Site& site, std::string_view pod) {
  return {*site.state, site.pod_facts(pod), site.state->joint_group(site.pod(pod))};
}

inline Rows all_rows(const Site& site) {
  return {0, static_cast<std::uint32_t>(site.state->slots())};
}

inline std::unique_ptr<FilterPolicy> filter_named(std::string_view name,
                                                  Compat compat = Compat::k1_36,
                                                  const PolicyArgs& args = {}) {
  auto made = make_filter(name, args, compat);
  REQUIRE_MESSAGE(made, made.error().what);
  return *std::move(made);
}

inline std::unique_ptr<ScorePolicy> score_named(std::string_view name,
                                                Compat compat = Compat::k1_36,
                                                const PolicyArgs& args = {}) {
  auto made = make_score(name, args, compat);
  REQUIRE_MESSAGE(made, made.error().what);
  return *std::move(made);
}

/// What the filter rejects and why. Checks that it rejects the same nodes when nobody listens, and
/// that each rejected node comes with evidence.
inline Evidences rejections(const FilterPolicy& policy, const Site& site, std::string_view pod) {
  const ClassContext context = context_of(site, pod);
  const std::unique_ptr<ClassState> state = policy.prepare(context);
  NodeMask told = site.state->alive(), silent = told;
  CollectingRecorder recorder(*site.state);
  policy.filter(context, state.get(), all_rows(site), told, &recorder);
  policy.filter(context, state.get(), all_rows(site), silent, nullptr);
  CHECK(told == silent);
  for (std::uint32_t slot = 0; slot < site.state->slots(); ++slot) {
    const std::string& name = site.state->node(NodeIndex{slot}).name;
    const bool alive = site.state->alive().test(NodeIndex{slot});
    CHECK((alive && !told.test(NodeIndex{slot})) == (recorder.found.count(name) == 1));
  }
  return recorder.found;
}

/// The names of the nodes that pass, in order, joined by spaces.
inline std::string passing(const FilterPolicy& policy, const Site& site, std::string_view pod) {
  const Evidences rejected = rejections(policy, site, pod);
  std::vector<std::string> names;
  site.state->alive().for_each([&](NodeIndex n) {
    const std::string& name = site.state->node(n).name;
    if (rejected.count(name) == 0) names.push_back(name);
  });
  std::sort(names.begin(), names.end());
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : " ") + name;
  return joined;
}

/// Raw scores of all live nodes, every one of them taken as feasible.
inline Scores raw_scores(const ScorePolicy& policy, const Site& site, std::string_view pod) {
  const ClassContext context = context_of(site, pod);
  const std::unique_ptr<ClassState> state = policy.prepare(context);
  policy.on_feasible(state.get(), context, site.state->alive());
  std::vector<std::int64_t> raw(site.state->slots());
  policy.score(context, state.get(), all_rows(site), raw);
  Scores by_name;
  site.state->alive().for_each(
      [&](NodeIndex n) { by_name[site.state->node(n).name] = raw[gedge::raw(n)]; });
  return by_name;
}

/// Signature of one pod under one policy; fails if it has none.
inline std::string signature_of(const Policy& policy, const Site& site, std::string_view pod) {
  Signature signature;
  REQUIRE(policy.sign(site.pod_facts(pod), signature));
  return std::string(signature.bytes());
}

}  // namespace gedge::test
