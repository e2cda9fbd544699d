#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";

// Three zones with 3, 1 and 0 pods of app=web, as in V9 and V10 of the notes on Kubernetes.
SiteBuilder three_one_none() {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name, {{kZone, std::string("z-") + name}});
  for (const char* name : {"w1", "w2", "w3"}) b.pod(name, {{"app", "web"}}).on("a");
  b.pod("w4", {{"app", "web"}}).on("b");
  return b;
}

}  // namespace

TEST_CASE("spread score: 3, 1 and 0 pods give 5, 2, 0 in 1.36 and 4, 1, 0 in 1.20") {
  SiteBuilder b = three_one_none();
  b.pod("new", {{"app", "web"}}).spec.spread = {spread({{"app", "web"}}, kZone, 1, false)};
  b.pod("lax", {{"app", "web"}}).spec.spread = {spread({{"app", "web"}}, kZone, 3, false)};
  const auto site = b.build();
  const auto now = score_named("PodTopologySpread");
  CHECK(raw_scores(*now, *site, "new") == Scores{{"a", 5}, {"b", 2}, {"c", 0}});
  CHECK(raw_scores(*now, *site, "lax") == Scores{{"a", 7}, {"b", 4}, {"c", 2}});
  const auto old = score_named("PodTopologySpread", Compat::k1_20);
  CHECK(raw_scores(*old, *site, "new") == Scores{{"a", 4}, {"b", 1}, {"c", 0}});
  CHECK(raw_scores(*old, *site, "lax") == Scores{{"a", 6}, {"b", 3}, {"c", 2}});
}

TEST_CASE("spread score: the weight counts domains of feasible nodes only") {
  SiteBuilder b = three_one_none();
  b.pod("new", {{"app", "web"}}).spec.spread = {spread({{"app", "web"}}, kZone, 1, false)};
  const auto site = b.build();
  const auto policy = score_named("PodTopologySpread");
  const ClassContext context = context_of(*site, "new");
  const auto state = policy->prepare(context);
  NodeMask feasible(site->state->slots());
  feasible.set(site->node("a"));
  policy->on_feasible(state.get(), context, feasible);
  std::vector<std::int64_t> raw(site->state->slots());
  policy->score(context, state.get(), all_rows(*site), raw);
  CHECK(raw[gedge::raw(site->node("a"))] == 3);  // round(3 * ln 3)
}

TEST_CASE("spread score: a node without the key is ignored") {
  SiteBuilder b = three_one_none();
  b.node("bare");
  b.pod("new", {{"app", "web"}}).spec.spread = {spread({{"app", "web"}}, kZone, 1, false)};
  const auto site = b.build();
  CHECK(raw_scores(*score_named("PodTopologySpread"), *site, "new").at("bare") == kIgnored);
}

TEST_CASE("spread score: without constraints 1.36 skips and 1.20 gives everybody the most") {
  SiteBuilder b = three_one_none();
  b.pod("lonely");
  const auto site = b.build();
  const ClassContext context = context_of(*site, "lonely");
  const auto now = score_named("PodTopologySpread");
  CHECK(now->normalize(context, now->prepare(context).get()) == Normalize::kNone);
  const auto old = score_named("PodTopologySpread", Compat::k1_20);
  CHECK(old->normalize(context, old->prepare(context).get()) == Normalize::kSpread);
  CHECK(raw_scores(*old, *site, "lonely") == Scores{{"a", 0}, {"b", 0}, {"c", 0}});
}

TEST_CASE("spread score: system defaults follow services, and 1.20 wants both keys") {
  SiteBuilder b = three_one_none();
  b.node("bare");  // no zone
  b.facts().spread_owners = {{"Service", "default", "web", selector({{"app", "web"}})},
                             {"Service", "other", "web", selector({{"tier", "front"}})},
                             {"Service", "default", "null", {true, {}}}};
  b.pod("new", {{"app", "web"}});
  b.pod("stranger", {{"app", "mail"}});
  const auto site = b.build();
  // hostname: 4 scored nodes, ln 6; zone: 3 zones and "no zone", ln 6; maxSkew 3 and 5.
  const Scores now = raw_scores(*score_named("PodTopologySpread"), *site, "new");
  CHECK(now == Scores{{"a", 17}, {"b", 10}, {"bare", 2}, {"c", 6}});
  // 1.20: 3 nodes and 3 zones, ln 5; "bare" is ignored.
  const Scores old = raw_scores(*score_named("PodTopologySpread", Compat::k1_20), *site, "new");
  CHECK(old == Scores{{"a", 15}, {"b", 9}, {"bare", kIgnored}, {"c", 6}});
  CHECK(raw_scores(*score_named("PodTopologySpread"), *site, "stranger").at("a") == 0);
}

TEST_CASE("spread score: 1.36 asks the owning controller, 1.20 every controller that matches") {
  SiteBuilder b = three_one_none();
  b.facts().spread_owners = {{"ReplicaSet", "default", "rs", selector({{"app", "web"}})}};
  b.pod("owned", {{"app", "web"}}).pod.controller = {"ReplicaSet", "rs", "u1"};
  b.pod("alone", {{"app", "web"}});
  const auto site = b.build();
  const auto now = score_named("PodTopologySpread");
  CHECK(raw_scores(*now, *site, "owned").at("a") > raw_scores(*now, *site, "owned").at("c"));
  CHECK(raw_scores(*now, *site, "alone").at("a") == 0);
  CHECK(signature_of(*now, *site, "owned") != signature_of(*now, *site, "alone"));
  const auto old = score_named("PodTopologySpread", Compat::k1_20);
  CHECK(raw_scores(*old, *site, "alone") == raw_scores(*old, *site, "owned"));
  CHECK(raw_scores(*old, *site, "alone").at("a") > 0);
}

TEST_CASE("spread score: the list of a profile replaces the system defaults") {
  SiteBuilder b = three_one_none();
  b.facts().spread_owners = {{"Service", "default", "web", selector({{"app", "web"}})}};
  b.pod("new", {{"app", "web"}});
  const auto site = b.build();
  PolicyArgs args;
  args.list_defaulting = true;
  args.default_spread = {spread({}, kZone, 1, false)};
  const auto policy = score_named("PodTopologySpread", Compat::k1_36, args);
  CHECK(raw_scores(*policy, *site, "new") == Scores{{"a", 5}, {"b", 2}, {"c", 0}});
}

TEST_CASE("spread filter: the skew itself passes, one more does not") {
  SiteBuilder b = three_one_none();
  for (const std::int32_t skew : {1, 3, 4})
    b.pod("skew-" + std::to_string(skew), {{"app", "web"}}).spec.spread = {
        spread({{"app", "web"}}, kZone, skew)};
  b.pod("other", {{"app", "mail"}}).spec.spread = {spread({{"app", "web"}}, kZone, 3)};
  const auto site = b.build();
  const auto policy = filter_named("PodTopologySpread");
  CHECK(passing(*policy, *site, "skew-1") == "c");
  CHECK(passing(*policy, *site, "skew-3") == "b c");
  CHECK(passing(*policy, *site, "skew-4") == "a b c");
  CHECK(passing(*policy, *site, "other") == "a b c");  // it does not count itself
  const Evidence why = rejections(*policy, *site, "skew-3").at("a").at(0);
  CHECK(why.reason == Reason::kSpread);
  CHECK(why.verdict == Verdict::kUnschedulable);
  CHECK(why.measured == 4);
  CHECK(why.limit == 3);
  CHECK(why.subject == kZone);
}

TEST_CASE("spread filter: a node without the key is unresolvable") {
  SiteBuilder b = three_one_none();
  b.node("bare");
  b.pod("new").spec.spread = {spread({{"app", "web"}}, kZone, 9)};
  const auto site = b.build();
  const Evidence why = rejections(*filter_named("PodTopologySpread"), *site, "new").at("bare")[0];
  CHECK(why.reason == Reason::kSpreadLabelMissing);
  CHECK(why.verdict == Verdict::kUnresolvable);
}

TEST_CASE("spread filter: minDomains takes the least count for 0") {
  SiteBuilder b;
  for (const char* name : {"a", "b"}) b.node(name, {{kZone, name}});
  b.pod("w1", {{"app", "web"}}).on("a");
  b.pod("w2", {{"app", "web"}}).on("b");
  const auto wanting = [&](const char* name, std::optional<std::int32_t> domains) {
    TopologySpread constraint = spread({{"app", "web"}}, kZone, 1);
    constraint.min_domains = domains;
    b.pod(name, {{"app", "web"}}).spec.spread = {constraint};
  };
  wanting("any", std::nullopt);
  wanting("two", 2);
  wanting("three", 3);
  const auto site = b.build();
  const auto policy = filter_named("PodTopologySpread");
  CHECK(passing(*policy, *site, "any") == "a b");
  CHECK(passing(*policy, *site, "two") == "a b");
  CHECK(passing(*policy, *site, "three").empty());
  CHECK(passing(*filter_named("PodTopologySpread", Compat::k1_20), *site, "three") == "a b");
}

TEST_CASE("spread filter: matchLabelKeys count only pods of the same revision") {
  SiteBuilder b;
  for (const char* name : {"a", "b"}) b.node(name, {{kZone, name}});
  b.pod("old", {{"app", "web"}, {"revision", "1"}}).on("a");
  TopologySpread constraint = spread({{"app", "web"}}, kZone, 1);
  constraint.match_label_keys = {"revision", "absent"};
  b.pod("next", {{"app", "web"}, {"revision", "2"}}).spec.spread = {constraint};
  b.pod("same", {{"app", "web"}, {"revision", "1"}}).spec.spread = {constraint};
  const auto site = b.build();
  const auto policy = filter_named("PodTopologySpread");
  CHECK(passing(*policy, *site, "next") == "a b");
  CHECK(passing(*policy, *site, "same") == "b");
}

TEST_CASE("spread filter: node policies decide which domains there are") {
  SiteBuilder b;
  b.node("a", {{kZone, "a"}, {"disk", "ssd"}});
  b.node("b", {{kZone, "b"}});
  b.node("t", {{kZone, "t"}, {"disk", "ssd"}}).taints = {{"x", "", TaintEffect::kNoSchedule}};
  b.pod("w", {{"app", "web"}}).on("a");
  const auto pod = [&](const char* name, bool affinity, bool taints) {
    TopologySpread constraint = spread({{"app", "web"}}, kZone, 1);
    constraint.honor_node_affinity = affinity;
    constraint.honor_node_taints = taints;
    PodDraft& draft = b.pod(name, {{"app", "web"}});
    draft.spec.spread = {constraint};
    draft.spec.node_selector = {{"disk", "ssd"}};
  };
  pod("honor-both", true, true);
  pod("honor-affinity", true, false);
  pod("honor-none", false, false);
  const auto site = b.build();
  const auto policy = filter_named("PodTopologySpread");
  CHECK(passing(*policy, *site, "honor-both") == "a b t");    // the only domain is a, least 1
  CHECK(passing(*policy, *site, "honor-affinity") == "b t");  // a and t, least 0
  CHECK(passing(*policy, *site, "honor-none") == "b t");
}

TEST_CASE("spread filter: 1.20 counts pods of every node that names a domain") {
  SiteBuilder b;
  b.node("in", {{kZone, "z"}, {"disk", "ssd"}});
  b.node("out", {{kZone, "z"}});
  b.node("free", {{kZone, "y"}, {"disk", "ssd"}});
  b.pod("w", {{"app", "web"}}).on("out");
  PodDraft& draft = b.pod("new", {{"app", "web"}});
  draft.spec.spread = {spread({{"app", "web"}}, kZone, 1)};
  draft.spec.node_selector = {{"disk", "ssd"}};
  const auto site = b.build();
  CHECK(passing(*filter_named("PodTopologySpread"), *site, "new") == "free in out");
  CHECK(passing(*filter_named("PodTopologySpread", Compat::k1_20), *site, "new") == "free");
}

TEST_CASE("spread filter: pods on their way out and in other namespaces do not count") {
  SiteBuilder b;
  for (const char* name : {"a", "b"}) b.node(name, {{kZone, name}});
  b.pod("leaving", {{"app", "web"}}).on("a").pod.terminating = true;
  b.pod("foreign", {{"app", "web"}}).on("a").in("other");
  b.pod("new", {{"app", "web"}}).spec.spread = {spread({{"app", "web"}}, kZone, 1)};
  const auto site = b.build();
  CHECK(passing(*filter_named("PodTopologySpread"), *site, "new") == "a b");
}

TEST_CASE("spread: pods without constraints and services are one class") {
  SiteBuilder b = three_one_none();
  b.pod("x", {{"app", "x"}});
  b.pod("y", {{"app", "y"}}).spec.node_selector = {{"disk", "ssd"}};
  const auto site = b.build();
  const auto policy = filter_named("PodTopologySpread");
  CHECK(signature_of(*policy, *site, "x") == signature_of(*policy, *site, "y"));
  const auto score = score_named("PodTopologySpread");
  CHECK(signature_of(*score, *site, "x") != signature_of(*score, *site, "y"));
}
