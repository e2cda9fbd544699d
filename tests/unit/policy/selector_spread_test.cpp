#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// Raw scores normalised over all nodes, as the engine does it.
Scores normalized(const Site& site, std::string_view pod) {
  const auto policy = score_named("SelectorSpread", Compat::k1_20);
  const ClassContext context = context_of(site, pod);
  const auto state = policy->prepare(context);
  std::vector<std::int64_t> scores(site.state->slots());
  policy->score(context, state.get(), all_rows(site), scores);
  if (policy->normalize(context, state.get()) == Normalize::kOwn)
    policy->normalize_rows(context, state.get(), site.state->alive(), scores);
  Scores by_name;
  site.state->alive().for_each(
      [&](NodeIndex n) { by_name[site.state->node(n).name] = scores[raw(n)]; });
  return by_name;
}

void add_web(SiteBuilder& b, std::size_t count, const char* node) {
  for (std::size_t i = 0; i < count; ++i)
    b.pod("w-" + std::string(node) + std::to_string(i), {{"app", "web"}}).on(node);
}

}  // namespace

TEST_CASE("selector spread: fewer pods of the same service score higher") {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  add_web(b, 3, "a");
  add_web(b, 1, "b");
  b.pod("leaving", {{"app", "web"}}).on("c").pod.terminating = true;
  b.pod("foreign", {{"app", "web"}}).on("c").in("other");
  b.facts().spread_owners = {{"Service", "default", "web", selector({{"app", "web"}})}};
  b.pod("new", {{"app", "web"}});
  b.pod("stranger");
  const auto site = b.build();
  const auto policy = score_named("SelectorSpread", Compat::k1_20);
  CHECK(raw_scores(*policy, *site, "new") == Scores{{"a", 3}, {"b", 1}, {"c", 0}});
  CHECK(normalized(*site, "new") == Scores{{"a", 0}, {"b", 66}, {"c", 100}});
  CHECK(normalized(*site, "stranger") == Scores{{"a", 100}, {"b", 100}, {"c", 100}});
}

TEST_CASE("selector spread: zones weigh two thirds") {
  SiteBuilder b;
  b.node("a1", {{"topology.kubernetes.io/zone", "a"}});
  b.node("a2", {{"topology.kubernetes.io/zone", "a"}});
  b.node("b1", {{"failure-domain.beta.kubernetes.io/zone", "b"}});
  b.node("none");
  add_web(b, 2, "a1");
  add_web(b, 1, "b1");
  b.facts().spread_owners = {{"ReplicaSet", "default", "rs", selector({{"app", "web"}})}};
  b.pod("new", {{"app", "web"}});
  const auto site = b.build();
  // a1: 0 and zone 0; a2: 100 / 3 and zone 0; b1: 50 / 3 + 2 / 3 * 50; no zone: 100 alone.
  CHECK(normalized(*site, "new") == Scores{{"a1", 0}, {"a2", 33}, {"b1", 50}, {"none", 100}});
}

TEST_CASE("selector spread: constraints of the pod itself switch it off") {
  SiteBuilder b;
  b.node("a");
  add_web(b, 2, "a");
  b.facts().spread_owners = {{"Service", "default", "web", selector({{"app", "web"}})}};
  b.pod("own", {{"app", "web"}}).spec.spread = {spread({}, "rack", 1, false)};
  const auto site = b.build();
  CHECK(normalized(*site, "own") == Scores{{"a", 0}});
}
