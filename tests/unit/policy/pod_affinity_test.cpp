#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kHost = "kubernetes.io/hostname";

SiteBuilder two_zones() {
  SiteBuilder b;
  b.node("a1", {{"zone", "a"}});
  b.node("a2", {{"zone", "a"}});
  b.node("b1", {{"zone", "b"}});
  b.node("none");
  return b;
}

}  // namespace

TEST_CASE("pod affinity: a domain with a pod that matches all terms") {
  SiteBuilder b = two_zones();
  b.pod("db", {{"app", "db"}}).on("a1");
  b.pod("cache", {{"app", "cache"}}).on("b1");
  b.pod("both", {{"app", "db"}, {"role", "main"}}).on("b1");
  b.pod("near-db").spec.required_affinity = {pod_term({{"app", "db"}}, "zone")};
  b.pod("near-cache").spec.required_affinity = {pod_term({{"app", "cache"}}, "zone")};
  // Two terms: one pod must match both, not one pod each.
  b.pod("near-main").spec.required_affinity = {pod_term({{"app", "db"}}, "zone"),
                                               pod_term({{"role", "main"}}, "zone")};
  b.pod("nowhere").spec.required_affinity = {pod_term({{"app", "mail"}}, "zone")};
  const auto site = b.build();
  const auto policy = filter_named("InterPodAffinity");
  CHECK(passing(*policy, *site, "near-db") == "a1 a2 b1");
  CHECK(passing(*policy, *site, "near-cache") == "b1");
  CHECK(passing(*policy, *site, "near-main") == "b1");
  CHECK(passing(*policy, *site, "nowhere").empty());
  const Evidence why = rejections(*policy, *site, "near-cache").at("a1").at(0);
  CHECK(why.reason == Reason::kPodAffinity);
  CHECK(why.verdict == Verdict::kUnresolvable);
  CHECK(why.subject == "zone");
}

TEST_CASE("pod affinity: the first pod of a group that wants itself is let in") {
  SiteBuilder b = two_zones();
  b.pod("first", {{"app", "ring"}}).spec.required_affinity = {pod_term({{"app", "ring"}}, "zone")};
  const auto site = b.build();
  const auto policy = filter_named("InterPodAffinity");
  CHECK(passing(*policy, *site, "first") == "a1 a2 b1");  // not where the key is missing
  SiteBuilder later = two_zones();
  later.pod("there", {{"app", "ring"}}).on("b1");
  later.pod("second", {{"app", "ring"}}).spec.required_affinity = {
      pod_term({{"app", "ring"}}, "zone")};
  CHECK(passing(*policy, *later.build(), "second") == "b1");
  SiteBuilder hidden = two_zones();  // a match on a node without the key counts as none
  hidden.pod("there", {{"app", "ring"}}).on("none");
  hidden.pod("second", {{"app", "ring"}}).spec.required_affinity = {
      pod_term({{"app", "ring"}}, "zone")};
  CHECK(passing(*policy, *hidden.build(), "second") == "a1 a2 b1");
}

TEST_CASE("pod anti-affinity: own terms, and those of placed pods, in their order") {
  SiteBuilder b = two_zones();
  b.pod("web", {{"app", "web"}}).on("a1");
  PodDraft& shy = b.pod("shy", {{"app", "shy"}}).on("b1");
  shy.spec.required_anti_affinity = {pod_term({{"app", "new"}}, "zone")};
  b.pod("alone", {{"app", "new"}}).spec.required_anti_affinity = {
      pod_term({{"app", "web"}}, kHost)};
  const auto site = b.build();
  const auto policy = filter_named("InterPodAffinity");
  CHECK(passing(*policy, *site, "alone") == "a2 none");
  const Evidences why = rejections(*policy, *site, "alone");
  CHECK(why.at("a1").at(0).reason == Reason::kPodAntiAffinity);
  CHECK(why.at("a1").at(0).verdict == Verdict::kUnschedulable);
  CHECK(why.at("a1").at(0).subject == kHost);
  CHECK(why.at("b1").at(0).reason == Reason::kExistingAntiAffinity);
  CHECK(why.at("b1").at(0).subject == "default/shy");
}

TEST_CASE("pod affinity: terms look into their own namespace unless they name others") {
  SiteBuilder b = two_zones();
  b.facts().namespaces = {{"team", {{"trust", "high"}}}};
  b.pod("db", {{"app", "db"}}).on("a1").in("team");
  PodAffinityTerm named = pod_term({{"app", "db"}}, "zone");
  named.namespaces = {"team"};
  PodAffinityTerm every = pod_term({{"app", "db"}}, "zone");
  every.namespace_selector = LabelSelector{};
  PodAffinityTerm trusted = pod_term({{"app", "db"}}, "zone");
  trusted.namespace_selector = selector({{"trust", "high"}});
  PodAffinityTerm by_name = pod_term({{"app", "db"}}, "zone");
  by_name.namespace_selector = selector({{"kubernetes.io/metadata.name", "team"}});
  PodAffinityTerm other = pod_term({{"app", "db"}}, "zone");
  other.namespace_selector = selector({{"kubernetes.io/metadata.name", "default"}});
  b.pod("plain").spec.required_affinity = {pod_term({{"app", "db"}}, "zone")};
  b.pod("named").spec.required_affinity = {named};
  b.pod("every").spec.required_affinity = {every};
  b.pod("trusted").spec.required_affinity = {trusted};
  b.pod("by-name").spec.required_affinity = {by_name};
  b.pod("other").spec.required_affinity = {other};
  const auto site = b.build();
  const auto policy = filter_named("InterPodAffinity");
  CHECK(passing(*policy, *site, "plain").empty());
  for (const char* pod : {"named", "every", "trusted", "by-name"}) {
    INFO(pod);
    CHECK(passing(*policy, *site, pod) == "a1 a2");
  }
  CHECK(passing(*policy, *site, "other").empty());
  // 1.20 does not know namespaceSelector: the term falls back to the pod's own namespace.
  CHECK(passing(*filter_named("InterPodAffinity", Compat::k1_20), *site, "every").empty());
}

TEST_CASE("pod affinity: matchLabelKeys and mismatchLabelKeys take the owner's values") {
  SiteBuilder b = two_zones();
  b.pod("v1", {{"app", "db"}, {"rev", "1"}}).on("a1");
  b.pod("v2", {{"app", "db"}, {"rev", "2"}}).on("b1");
  PodAffinityTerm same = pod_term({{"app", "db"}}, "zone");
  same.match_label_keys = {"rev", "absent"};
  PodAffinityTerm differ = pod_term({{"app", "db"}}, "zone");
  differ.mismatch_label_keys = {"rev"};
  b.pod("with-own", {{"rev", "2"}}).spec.required_affinity = {same};
  b.pod("with-others", {{"rev", "2"}}).spec.required_affinity = {differ};
  const auto site = b.build();
  const auto policy = filter_named("InterPodAffinity");
  CHECK(passing(*policy, *site, "with-own") == "b1");
  CHECK(passing(*policy, *site, "with-others") == "a1 a2");
}

TEST_CASE("pod affinity: pods on their way out count") {
  SiteBuilder b = two_zones();
  b.pod("db", {{"app", "db"}}).on("a1").pod.terminating = true;
  b.pod("new").spec.required_anti_affinity = {pod_term({{"app", "db"}}, "zone")};
  const auto site = b.build();
  CHECK(passing(*filter_named("InterPodAffinity"), *site, "new") == "b1 none");
}

TEST_CASE("pod affinity score: sums of weights over domains, from both sides") {
  SiteBuilder b = two_zones();
  b.pod("db", {{"app", "db"}}).on("a1");
  b.pod("noisy", {{"app", "noisy"}}).on("b1");
  PodDraft& fan = b.pod("fan", {{"app", "fan"}}).on("b1");
  fan.spec.required_affinity = {pod_term({{"app", "new"}}, "zone")};
  fan.spec.preferred_affinity = {{20, pod_term({{"app", "new"}}, kHost)}};
  PodDraft& foe = b.pod("foe", {{"app", "foe"}}).on("a2");
  foe.spec.preferred_anti_affinity = {{7, pod_term({{"app", "new"}}, kHost)}};
  PodDraft& draft = b.pod("new", {{"app", "new"}});
  draft.spec.preferred_affinity = {{40, pod_term({{"app", "db"}}, "zone")}};
  draft.spec.preferred_anti_affinity = {{10, pod_term({{"app", "noisy"}}, "zone")}};
  const auto site = b.build();
  const auto policy = score_named("InterPodAffinity");
  // b1: -10 (noisy) + 1 (fan requires) + 20 (fan prefers); a2: 40 - 7.
  CHECK(raw_scores(*policy, *site, "new") ==
        Scores{{"a1", 40}, {"a2", 33}, {"b1", 11}, {"none", 0}});
  PolicyArgs args;
  args.hard_pod_affinity_weight = 5;
  CHECK(raw_scores(*score_named("InterPodAffinity", Compat::k1_36, args), *site, "new").at("b1") ==
        15);
  args.hard_pod_affinity_weight = 0;
  CHECK(raw_scores(*score_named("InterPodAffinity", Compat::k1_36, args), *site, "new").at("b1") ==
        10);
  const ClassContext context = context_of(*site, "new");
  CHECK(policy->normalize(context, nullptr) == Normalize::kMinMax);
  CHECK(score_named("InterPodAffinity", Compat::k1_20)->normalize(context, nullptr) ==
        Normalize::kMinMaxZero);
}

TEST_CASE("pod affinity score: preferences of placed pods can be ignored") {
  SiteBuilder b = two_zones();
  PodDraft& fan = b.pod("fan").on("b1");
  fan.spec.preferred_affinity = {{20, pod_term({{"app", "new"}}, "zone")}};
  b.pod("new", {{"app", "new"}});
  PodDraft& choosy = b.pod("choosy", {{"app", "new"}});
  choosy.spec.preferred_affinity = {{3, pod_term({{"app", "none"}}, "zone")}};
  const auto site = b.build();
  PolicyArgs args;
  args.ignore_preferred_terms_of_existing_pods = true;
  const auto policy = score_named("InterPodAffinity", Compat::k1_36, args);
  CHECK(raw_scores(*policy, *site, "new").at("b1") == 0);
  CHECK(raw_scores(*policy, *site, "choosy").at("b1") == 20);
  CHECK(raw_scores(*score_named("InterPodAffinity"), *site, "new").at("b1") == 20);
}
