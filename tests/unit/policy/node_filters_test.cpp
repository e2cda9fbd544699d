#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

TEST_CASE("a cordoned node is refused unless its taint is tolerated") {
  SiteBuilder b;
  b.node("a");
  b.node("b").unschedulable = true;
  b.pod("plain");
  b.pod("any").spec.tolerations = {{"", true, "", std::nullopt}};
  b.pod("exact").spec.tolerations = {
      {"node.kubernetes.io/unschedulable", false, "", TaintEffect::kNoSchedule}};
  b.pod("wrong-effect").spec.tolerations = {
      {"node.kubernetes.io/unschedulable", true, "", TaintEffect::kNoExecute}};
  const auto site = b.build();
  const auto policy = filter_named("NodeUnschedulable");
  CHECK(passing(*policy, *site, "plain") == "a");
  CHECK(passing(*policy, *site, "any") == "a b");
  CHECK(passing(*policy, *site, "exact") == "a b");
  CHECK(passing(*policy, *site, "wrong-effect") == "a");
  const Evidence why = rejections(*policy, *site, "plain").at("b").at(0);
  CHECK(why.reason == Reason::kNodeUnschedulable);
  CHECK(why.verdict == Verdict::kUnresolvable);
  CHECK(signature_of(*policy, *site, "plain") != signature_of(*policy, *site, "any"));
}

TEST_CASE("spec.nodeName leaves one node") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pod("free");
  b.pod("bound").spec.node_name = "b";
  b.pod("lost").spec.node_name = "c";
  const auto site = b.build();
  const auto policy = filter_named("NodeName");
  CHECK(passing(*policy, *site, "free") == "a b");
  CHECK(passing(*policy, *site, "bound") == "b");
  CHECK(passing(*policy, *site, "lost").empty());
  CHECK(rejections(*policy, *site, "bound").at("a").at(0).verdict == Verdict::kUnresolvable);
}

TEST_CASE("the first hard taint that is not tolerated is named") {
  SiteBuilder b;
  b.node("a").taints = {{"soft", "", TaintEffect::kPreferNoSchedule},
                        {"one", "x", TaintEffect::kNoSchedule},
                        {"two", "", TaintEffect::kNoExecute}};
  b.node("b").taints = {{"soft", "", TaintEffect::kPreferNoSchedule}};
  b.pod("plain");
  b.pod("one").spec.tolerations = {{"one", false, "x", std::nullopt}};
  b.pod("other-value").spec.tolerations = {{"one", false, "y", std::nullopt}};
  b.pod("both").spec.tolerations = {{"one", true, "", TaintEffect::kNoSchedule},
                                    {"two", false, "", TaintEffect::kNoExecute}};
  const auto site = b.build();
  const auto policy = filter_named("TaintToleration");
  CHECK(rejections(*policy, *site, "plain").at("a").at(0).subject == "one: x");
  CHECK(rejections(*policy, *site, "one").at("a").at(0).subject == "two: ");
  CHECK(rejections(*policy, *site, "other-value").at("a").at(0).subject == "one: x");
  CHECK(passing(*policy, *site, "plain") == "b");
  CHECK(passing(*policy, *site, "both") == "a b");
}

TEST_CASE("nodeSelector, required terms and the terms of the profile all have to match") {
  SiteBuilder b;
  b.node("a", {{"disk", "ssd"}, {"zone", "z1"}});
  b.node("b", {{"disk", "ssd"}, {"zone", "z2"}});
  b.node("c", {{"zone", "z1"}});
  b.pod("selected").spec.node_selector = {{"disk", "ssd"}};
  PodSpec& terms = b.pod("terms").spec;
  terms.has_required_node_terms = true;
  terms.required_node_terms = {node_term("zone", {"z2"}), node_term("zone", {"z3"})};
  b.pod("no-terms").spec.has_required_node_terms = true;
  PodSpec& field = b.pod("field").spec;
  field.has_required_node_terms = true;
  field.required_node_terms.edit().emplace_back().fields = {
      {"metadata.name", SelectorOp::kIn, {"c"}}};
  b.pod("plain");
  const auto site = b.build();
  const auto policy = filter_named("NodeAffinity");
  CHECK(passing(*policy, *site, "plain") == "a b c");
  CHECK(passing(*policy, *site, "selected") == "a b");
  CHECK(passing(*policy, *site, "terms") == "b");
  CHECK(passing(*policy, *site, "no-terms").empty());
  CHECK(passing(*policy, *site, "field") == "c");
  CHECK(signature_of(*policy, *site, "plain") != signature_of(*policy, *site, "no-terms"));

  PolicyArgs args;
  args.added_required_terms = {node_term("zone", {"z1"})};
  const auto added = filter_named("NodeAffinity", Compat::k1_36, args);
  CHECK(passing(*added, *site, "plain") == "a c");
  CHECK(passing(*added, *site, "selected") == "a");
  CHECK(rejections(*added, *site, "selected").at("b").at(0).subject == kAddedAffinity);
  CHECK(rejections(*added, *site, "selected").at("c").at(0).subject.empty());
}

TEST_CASE("host ports conflict by protocol, port and address") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.node("c");
  b.pod("web").on("a").spec.host_ports = {{"0.0.0.0", "TCP", 80}};
  b.pod("dns").on("b").spec.host_ports = {{"10.0.0.1", "UDP", 53}};
  b.pod("http").spec.host_ports = {{"10.0.0.1", "TCP", 80}};
  b.pod("udp-80").spec.host_ports = {{"0.0.0.0", "UDP", 80}};
  b.pod("dns-elsewhere").spec.host_ports = {{"10.0.0.2", "UDP", 53}};
  b.pod("dns-everywhere").spec.host_ports = {{"0.0.0.0", "UDP", 53}};
  b.pod("plain");
  const auto site = b.build();
  const auto policy = filter_named("NodePorts");
  CHECK(passing(*policy, *site, "http") == "b c");
  CHECK(passing(*policy, *site, "udp-80") == "a b c");
  CHECK(passing(*policy, *site, "dns-elsewhere") == "a b c");
  CHECK(passing(*policy, *site, "dns-everywhere") == "a c");
  CHECK(passing(*policy, *site, "plain") == "a b c");
  const Evidence why = rejections(*policy, *site, "http").at("a").at(0);
  CHECK(why.verdict == Verdict::kUnschedulable);
  CHECK(why.subject == "80/TCP");
}

TEST_CASE("a prepared class learns of ports that are taken and given back") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pods("web", 3).spec.host_ports = {{"0.0.0.0", "TCP", 80}};
  const auto site = b.build();
  const auto policy = filter_named("NodePorts");
  const ClassContext context = context_of(*site, "web-0");
  const auto state = policy->prepare(context);
  Touched touched;
  const auto left = [&] {
    NodeMask mask = site->state->alive();
    policy->filter(context, state.get(), all_rows(*site), mask, nullptr);
    return mask.count();
  };
  CHECK(left() == 2);
  site->state->bind(site->pod("web-1"), site->node("a"));
  policy->on_pod(*state, context, site->pod("web-1"), site->node("a"), 1, touched);
  CHECK(left() == 1);
  site->state->unbind(site->pod("web-1"));
  policy->on_pod(*state, context, site->pod("web-1"), site->node("a"), -1, touched);
  CHECK(left() == 2);
}

TEST_CASE("without a delay budget a pod goes to the cloud") {
  SiteBuilder b;
  b.node("edge", {{"gedge.io/tier", "edge"}});
  b.node("tier", {{"gedge.io/tier", "cloud"}});
  b.node("role", {{"kubernetes.io/role", "cloud"}});
  b.pod("free");
  b.pod("bound").spec.budgets = {budget("edge", 5'000)};
  const auto site = b.build();
  const auto policy = filter_named("CloudForUnconstrained");
  CHECK(passing(*policy, *site, "free") == "role tier");
  CHECK(passing(*policy, *site, "bound") == "edge role tier");
  CHECK(rejections(*policy, *site, "free").at("edge").at(0).reason == Reason::kNotCloud);
}

TEST_CASE("filters look at set bits of the given rows only") {
  SiteBuilder b;
  for (int i = 0; i < 130; ++i) b.node("n" + std::to_string(1000 + i)).unschedulable = true;
  b.pod("plain");
  const auto site = b.build();
  const auto policy = filter_named("NodeUnschedulable");
  const ClassContext context = context_of(*site, "plain");
  const auto state = policy->prepare(context);
  NodeMask mask(130, true);
  mask.clear(NodeIndex{70});
  CollectingRecorder recorder(*site->state);
  policy->filter(context, state.get(), {64, 128}, mask, &recorder);
  CHECK(mask.count() == 66);
  CHECK(recorder.found.size() == 63);
  policy->filter(context, state.get(), {128, 130}, mask, &recorder);
  CHECK(mask.count() == 64);
  CHECK(mask.test(NodeIndex{63}));
}
