// V7, V8 and V12 are vectors of the specification.
#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Ten nodes n0 to n9, of which the first `having` have the images.
std::unique_ptr<Site> site_with_images(int having, const std::vector<NodeImage>& images,
                                       const std::vector<std::string>& wanted) {
  SiteBuilder b;
  for (int i = 0; i < 10; ++i) {
    Node& node = b.node("n" + std::to_string(i));
    if (i < having) node.images = images;
  }
  PodSpec& spec = b.pod("new").spec;
  spec.containers.clear();
  for (const std::string& image : wanted) spec.containers.push_back({"c", image, {}, {}, false});
  return b.build();
}

std::int64_t locality(const Site& site, Compat compat = Compat::k1_36) {
  return raw_scores(*score_named("ImageLocality", compat), site, "new").at("n0");
}

}  // namespace

TEST_CASE("V7 - image locality scales size with the share of nodes") {
  CHECK(locality(*site_with_images(5, {{{"a:1"}, 300 * kMiB}}, {"a:1"})) == 12);
  CHECK(locality(*site_with_images(1, {{{"a:1"}, 300 * kMiB}}, {"a:1"})) == 0);
  CHECK(locality(*site_with_images(10, {{{"a:1"}, 1'200 * kMiB}}, {"a:1"})) == 100);
}

TEST_CASE("V8 - two containers share the span of two") {
  const std::vector<NodeImage> images{{{"a:1"}, 500 * kMiB}, {{"b:1"}, 500 * kMiB}};
  CHECK(locality(*site_with_images(10, images, {"a:1", "b:1"})) == 49);
}

TEST_CASE("an image without a tag means latest, a port is no tag") {
  const std::vector<NodeImage> images{{{"h:5000/a:latest"}, 1'200 * kMiB}};
  CHECK(locality(*site_with_images(10, images, {"h:5000/a"})) == 100);
  CHECK(locality(*site_with_images(10, images, {"h:5000/a:1"})) == 0);
}

TEST_CASE("init containers count under 1.36 only") {
  SiteBuilder b;
  b.node("n0").images = {{{"a:1"}, 1'200 * kMiB}};
  PodSpec& spec = b.pod("new").spec;
  spec.containers = {{"main", "b:1", {}, {}, false}};
  spec.init_containers = {{"init", "a:1", {}, {}, false}};
  const auto site = b.build();
  CHECK(locality(*site, Compat::k1_20) == 0);
  CHECK(locality(*site, Compat::k1_36) == 59);  // (1200 - 23) / (2000 - 23)
}

TEST_CASE("image sizes at the end of the range do not overflow") {
  const std::vector<NodeImage> images{{{"a:1"}, std::numeric_limits<std::int64_t>::max()}};
  CHECK(locality(*site_with_images(10, images, {"a:1", "a:1"})) == 100);
}

TEST_CASE("V12 - untolerated soft taints are counted, fewer is better") {
  SiteBuilder b;
  const auto soft = [](const char* key) { return Taint{key, "", TaintEffect::kPreferNoSchedule}; };
  b.node("none").taints = {{"hard", "", TaintEffect::kNoSchedule}};
  b.node("one").taints = {soft("a"), soft("tolerated")};
  b.node("three").taints = {soft("a"), soft("b"), soft("c")};
  b.pod("new").spec.tolerations = {{"tolerated", true, "", TaintEffect::kPreferNoSchedule},
                                   {"a", true, "", TaintEffect::kNoSchedule}};
  const auto site = b.build();
  const auto policy = score_named("TaintToleration");
  CHECK(raw_scores(*policy, *site, "new") == Scores{{"none", 0}, {"one", 1}, {"three", 3}});
  CHECK(policy->normalize(context_of(*site, "new"), nullptr) == Normalize::kMaxReverse);
}

TEST_CASE("preferred node terms add their weights, those of the profile too") {
  SiteBuilder b;
  b.node("a", {{"zone", "z1"}, {"disk", "ssd"}});
  b.node("b", {{"zone", "z1"}});
  b.node("c");
  PodSpec& spec = b.pod("new").spec;
  spec.preferred_node_terms = {
      {7, node_term("zone", {"z1"})}, {5, node_term("disk", {"ssd"})}, {90, {}}};
  const auto site = b.build();
  CHECK(raw_scores(*score_named("NodeAffinity"), *site, "new") ==
        Scores{{"a", 12}, {"b", 7}, {"c", 0}});
  PolicyArgs args;
  args.added_preferred_terms = {{3, node_term("zone", {"z1"})}};
  CHECK(raw_scores(*score_named("NodeAffinity", Compat::k1_36, args), *site, "new") ==
        Scores{{"a", 15}, {"b", 10}, {"c", 0}});
}

TEST_CASE("nodes may prefer to avoid a controller's pods") {
  SiteBuilder b;
  b.node("a").avoided = {{"ReplicaSet", "u1"}};
  b.node("b").avoided = {{"ReplicationController", "u1"}, {"StatefulSet", "u1"}};
  b.pod("mine").pod.controller = {"ReplicaSet", "web", "u1"};
  b.pod("other").pod.controller = {"ReplicaSet", "web", "u2"};
  b.pod("stateful").pod.controller = {"StatefulSet", "web", "u1"};
  b.pod("bare");
  const auto site = b.build();
  const auto policy = score_named("NodePreferAvoidPods", Compat::k1_20);
  CHECK(raw_scores(*policy, *site, "mine") == Scores{{"a", 0}, {"b", 100}});
  CHECK(raw_scores(*policy, *site, "other") == Scores{{"a", 100}, {"b", 100}});
  CHECK(raw_scores(*policy, *site, "stateful") == Scores{{"a", 100}, {"b", 100}});
  CHECK(raw_scores(*policy, *site, "bare") == Scores{{"a", 100}, {"b", 100}});
  CHECK(signature_of(*policy, *site, "stateful") == signature_of(*policy, *site, "bare"));
  CHECK(signature_of(*policy, *site, "mine") != signature_of(*policy, *site, "other"));
}

TEST_CASE("GMostRequestedPriority gives GS-Scheduler's sample") {
  SiteBuilder b;
  // 0.2083 % of the cores, 0.0259 % of the memory, one free GPU: 399.7657.
  b.node("gpu").allocatable = {{"cpu", 48'000}, {"memory", 270'000 * kMiB}, {"nvidia.com/gpu", 2}};
  b.node("plain").allocatable = {{"cpu", 1'000}, {"memory", 1'000}};
  b.node("over").allocatable = {{"cpu", 1'000}, {"memory", 0}};
  b.pod("old")
      .on("gpu")
      .request("cpu", 100)
      .request("memory", 70 * kMiB)
      .request("nvidia.com/gpu", 1);
  b.pod("x").on("plain").request("cpu", 500).request("memory", 250);
  b.pod("y").on("over").request("cpu", 2'000);
  b.pod("new").request("nvidia.com/gpu", 1);
  b.pod("without").request("cpu", 1);
  const auto site = b.build();
  const auto policy = score_named("GMostRequestedPriority");
  CHECK(raw_scores(*policy, *site, "new") ==
        Scores{{"gpu", 3'997'657}, {"over", 0}, {"plain", 1'250'000}});
  CHECK(raw_scores(*policy, *site, "without") ==
        Scores{{"gpu", 1'997'657}, {"over", 0}, {"plain", 1'250'000}});
  CHECK(policy->normalize(context_of(*site, "new"), nullptr) == Normalize::kNone);
  CHECK(signature_of(*policy, *site, "new") != signature_of(*policy, *site, "without"));
}

TEST_CASE("MostFreeMemory counts bytes and stops at nothing free") {
  SiteBuilder b;
  b.node("a").allocatable.set("memory", 1'000);
  b.node("b").allocatable.set("memory", 1'000);
  b.node("c").allocatable.set("memory", std::numeric_limits<std::int64_t>::max());
  b.pod("x").on("a").request("memory", 400);
  b.pod("y").on("b").request("memory", 1'001);
  b.pod("new");
  const auto site = b.build();
  CHECK(raw_scores(*score_named("MostFreeMemory"), *site, "new") ==
        Scores{{"a", 600}, {"b", 0}, {"c", std::int64_t{1} << 53}});
}

TEST_CASE("GLowLatencyPriority prefers the source, then the nearest") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.node("far");
  b.node("unmeasured");
  b.rtt("a", "b", 1'800).rtt("a", "far", 1'800'000).rtt("b", "far", 7);
  b.pod("named").spec.latency_source = "a";
  PodSpec& both = b.pod("both").spec;
  both.latency_source = "b";
  both.budgets = {budget("a", 5)};
  b.pod("budget").spec.budgets = {budget("a", 5), budget("b", 5)};
  b.pod("unknown").spec.latency_source = "nowhere";
  b.pod("plain");
  const auto site = b.build();
  const auto policy = score_named("GLowLatencyPriority");
  const std::int64_t last = 1'000'000 - std::int64_t{kUnmeasured.us};
  CHECK(raw_scores(*policy, *site, "named") ==
        Scores{{"a", 1'000'000}, {"b", 998'200}, {"far", -800'000}, {"unmeasured", last}});
  CHECK(raw_scores(*policy, *site, "both") ==
        Scores{{"a", 998'200}, {"b", 1'000'000}, {"far", 999'993}, {"unmeasured", last}});
  CHECK(raw_scores(*policy, *site, "budget") == raw_scores(*policy, *site, "named"));
  CHECK(raw_scores(*policy, *site, "unknown") ==
        Scores{{"a", last}, {"b", last}, {"far", last}, {"unmeasured", last}});
  CHECK(raw_scores(*policy, *site, "plain") ==
        Scores{{"a", 0}, {"b", 0}, {"far", 0}, {"unmeasured", 0}});
  CHECK(signature_of(*policy, *site, "named") != signature_of(*policy, *site, "both"));
}

TEST_CASE("GLowLatencyPriority follows the peer of the first budget") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.rtt("a", "b", 1'000);
  b.pods("db", 1);
  b.pod("new").spec.budgets = {budget("db-0", 5'000)};
  const auto site = b.build();
  const auto policy = score_named("GLowLatencyPriority");
  const ClassContext context = context_of(*site, "new");
  const auto state = policy->prepare(context);
  std::vector<std::int64_t> raw(2);
  policy->score(context, state.get(), all_rows(*site), raw);
  CHECK(raw[0] == raw[1]);
  Touched touched;
  site->state->bind(site->pod("db-0"), site->node("b"));
  policy->on_pod(*state, context, site->pod("db-0"), site->node("b"), 1, touched);
  CHECK(touched.all);
  policy->score(context, state.get(), all_rows(*site), raw);
  CHECK(raw == std::vector<std::int64_t>{999'000, 1'000'000});
}
