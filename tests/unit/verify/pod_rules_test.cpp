#include <string>

#include "unit/verify/site.hpp"

using namespace gedge;
using test::selecting;
using test::Site;

namespace {

constexpr const char* kZone = "zone";
constexpr const char* kHost = "kubernetes.io/hostname";

PodAffinityTerm term(const std::string& app, const std::string& key) {
  PodAffinityTerm out;
  out.selector = selecting("app", app);
  out.topology_key = key;
  return out;
}

PodSpec app(const std::string& name) {
  PodSpec spec;
  spec.labels = {{"app", name}};
  return spec;
}

/// Two nodes in zone a, one in zone b, one without a zone.
Site zones() {
  Site site;
  site.node("a-1", {{kZone, "a"}});
  site.node("a-2", {{kZone, "a"}});
  site.node("b-1", {{kZone, "b"}});
  site.node("lost", {});
  return site;
}

Site with_web(const PodSpec& spec, const std::string& node) {
  Site site = zones();
  site.pod("web-0", spec);
  site.place("web-0", node);
  return site;
}

}  // namespace

TEST_CASE("affinity wants a matching pod in the same domain") {
  PodSpec spec = app("web");
  spec.required_affinity = {term("db", kZone)};
  const auto verdict_on = [&](const std::string& node) {
    Site site = with_web(spec, node);
    site.pod("db-0", app("db"), "a-1");
    return site.broken();
  };
  CHECK(verdict_on("a-2").empty());
  CHECK(verdict_on("b-1") == "web-0: InterPodAffinity");
  CHECK(verdict_on("lost") == "web-0: InterPodAffinity");
}

TEST_CASE("one pod must match all affinity terms to count for any") {
  PodSpec spec = app("web");
  spec.required_affinity = {term("db", kZone), term("db", kHost)};
  Site site = with_web(spec, "a-2");
  site.pod("db-0", app("db"), "a-1");
  CHECK(
      site.text() ==
      "no pod that the pod affinity asks for (app in (db)) is in the same kubernetes.io/hostname");
  site.facts.specs[0].required_affinity.edit()[1].selector = selecting("tier", "x");
  site.pod("other-0", {}, "a-2");
  site.facts.specs.back().labels = {{"tier", "x"}};
  CHECK(site.broken() == "web-0: InterPodAffinity");  // two pods, each matching one term
  site.facts.specs.back().labels = {{"tier", "x"}, {"app", "db"}};
  CHECK(site.broken().empty());
}

TEST_CASE("the first pod of a group may start anywhere that has the key") {
  PodSpec spec = app("web");
  spec.required_affinity = {term("web", kZone)};
  CHECK(with_web(spec, "b-1").broken().empty());
  CHECK(with_web(spec, "lost").text() == "the node lacks label zone of the pod affinity");
  Site site = with_web(spec, "b-1");
  site.pod("web-1", app("web"), "a-1");
  CHECK(site.broken() == "web-0: InterPodAffinity");
  spec.labels = {{"app", "other"}};
  CHECK(with_web(spec, "b-1").broken() == "web-0: InterPodAffinity");  // does not match itself
}

TEST_CASE("anti-affinity holds in both directions") {
  PodSpec spec = app("web");
  spec.required_anti_affinity = {term("db", kZone)};
  Site own = with_web(spec, "a-2");
  own.pod("db-0", app("db"), "a-1");
  CHECK(own.text() == "the pod's anti-affinity excludes default/db-0, which is in the same zone");

  PodSpec shy = app("db");
  shy.required_anti_affinity = {term("web", kZone)};
  Site theirs = with_web(app("web"), "a-2");
  theirs.pod("db-0", shy, "a-1");
  CHECK(theirs.text() ==
        "the anti-affinity of default/db-0, which is in the same zone, excludes the pod");
  theirs.facts.pods[1].bound_node = "b-1";
  CHECK(theirs.broken().empty());
  theirs.facts.pods[1].bound_node = "a-1";
  theirs.facts.pods[1].phase = PodPhase::kSucceeded;
  CHECK(theirs.broken().empty());
}

TEST_CASE("two placed pods that exclude each other are not both in order") {
  PodSpec spec = app("web");
  spec.required_anti_affinity = {term("web", kHost)};
  Site site = with_web(spec, "a-1");
  site.pod("web-1", spec);
  site.place("web-1", "a-1");
  CHECK(site.broken() == "web-1: InterPodAffinity");
}

TEST_CASE("affinity terms mean their own namespace unless they say more") {
  PodSpec spec = app("web");
  spec.required_anti_affinity = {term("db", kZone)};
  Site site = with_web(spec, "a-2");
  site.pod("db-0", app("db"), "a-1").namespace_name = "data";
  PodAffinityTerm& anti = site.facts.specs[0].required_anti_affinity.edit()[0];
  CHECK(site.broken().empty());
  anti.namespaces = {"data"};
  CHECK(site.broken() == "web-0: InterPodAffinity");
  anti.namespaces = {"other"};
  CHECK(site.broken().empty());
  anti.namespaces.clear();
  anti.namespace_selector = LabelSelector{};
  CHECK(site.broken() == "web-0: InterPodAffinity");  // every namespace
  anti.namespace_selector = selecting("kubernetes.io/metadata.name", "data");
  CHECK(site.broken() == "web-0: InterPodAffinity");  // a label that the API server sets
  anti.namespace_selector = selecting("team", "blue");
  CHECK(site.broken().empty());
  site.facts.namespaces = {{"data", {{"team", "blue"}}}};
  CHECK(site.broken() == "web-0: InterPodAffinity");
  site.compat = Compat::k1_20;  // knows no namespaceSelector
  CHECK(site.broken().empty());
}

TEST_CASE("label keys of the owner narrow an affinity term") {
  PodSpec spec = app("web");
  spec.labels.set("version", "2");
  spec.required_anti_affinity = {term("web", kZone)};
  spec.required_anti_affinity.edit()[0].match_label_keys = {"version"};
  Site site = with_web(spec, "a-2");
  PodSpec old = app("web");
  old.labels.set("version", "1");
  site.pod("web-9", old, "a-1");
  CHECK(site.broken().empty());
  site.facts.specs[1].labels.set("version", "2");
  CHECK(site.broken() == "web-0: InterPodAffinity");
  site.facts.specs[0].required_anti_affinity.edit()[0].match_label_keys.clear();
  site.facts.specs[0].required_anti_affinity.edit()[0].mismatch_label_keys = {"version"};
  CHECK(site.broken().empty());
}

namespace {

PodSpec spread_over(const std::string& key, std::int32_t max_skew) {
  PodSpec spec = app("web");
  TopologySpread constraint;
  constraint.max_skew = max_skew;
  constraint.topology_key = key;
  constraint.selector = selecting("app", "web");
  spec.spread = {constraint};
  return spec;
}

}  // namespace

TEST_CASE("spread allows maxSkew more than the emptiest domain") {
  Site site = with_web(spread_over(kZone, 1), "a-1");
  CHECK(site.broken().empty());
  site.pod("web-1", app("web"), "a-2");
  CHECK(site.broken() == "web-0: PodTopologySpread");
  CHECK(site.text() == "zone=a would have a skew of 2, maxSkew is 1");
  site.pod("web-2", app("web"), "b-1");
  CHECK(site.broken().empty());
}

TEST_CASE("spread ignores soft constraints and refuses nodes without the key") {
  Site site = with_web(spread_over(kZone, 1), "lost");
  CHECK(site.text() == "the node lacks label zone");
  site.facts.specs[0].spread.edit()[0].hard = false;
  CHECK(site.broken().empty());
}

TEST_CASE("spread counts pods of the namespace that match and stay") {
  Site site = with_web(spread_over(kZone, 1), "a-1");
  Pod& other = site.pod("web-1", app("web"), "a-2");
  other.terminating = true;
  CHECK(site.broken().empty());
  site.facts.pods[1].terminating = false;
  site.facts.pods[1].namespace_name = "other";
  CHECK(site.broken().empty());
  site.facts.pods[1].namespace_name = "default";
  site.facts.specs[1].labels = {{"app", "db"}};
  CHECK(site.broken().empty());
  site.facts.specs[1].labels = {{"app", "web"}};
  CHECK(site.broken() == "web-0: PodTopologySpread");
}

TEST_CASE("a pod that its own selector does not mean adds nothing to the skew") {
  Site site = with_web(spread_over(kZone, 1), "a-1");
  site.pod("web-1", app("web"), "a-2");
  site.facts.specs[0].labels = {{"app", "guest"}};
  CHECK(site.broken().empty());
}

TEST_CASE("domains outside of the pod's node affinity do not lower the minimum") {
  PodSpec spec = spread_over(kZone, 1);
  spec.node_selector = {{kZone, "a"}};
  Site site = with_web(spec, "a-1");
  site.pod("web-1", app("web"), "a-2");
  CHECK(site.broken().empty());
  site.facts.specs[0].spread.edit()[0].honor_node_affinity = false;
  CHECK(site.broken() == "web-0: PodTopologySpread");
  site.compat = Compat::k1_20;  // knows no such policy
  CHECK(site.broken().empty());
}

TEST_CASE("domains with taints lower the minimum unless the constraint honours taints") {
  Site site = with_web(spread_over(kZone, 1), "a-1");
  site.pod("web-1", app("web"), "a-2");
  site.facts.nodes[2].taints = {{"gone", "", TaintEffect::kNoSchedule}};
  CHECK(site.broken() == "web-0: PodTopologySpread");
  site.facts.specs[0].spread.edit()[0].honor_node_taints = true;
  CHECK(site.broken().empty());
}

TEST_CASE("fewer domains than minDomains count as an empty one") {
  Site site = with_web(spread_over(kZone, 1), "a-1");
  site.pod("web-1", app("web"), "a-2");
  site.pod("web-2", app("web"), "b-1");
  site.facts.specs[0].spread.edit()[0].min_domains = 2;
  CHECK(site.broken().empty());
  site.facts.specs[0].spread.edit()[0].min_domains = 3;
  CHECK(site.broken() == "web-0: PodTopologySpread");
  site.compat = Compat::k1_20;
  CHECK(site.broken().empty());
}

TEST_CASE("label keys of the pod narrow what spread counts") {
  PodSpec spec = spread_over(kZone, 1);
  spec.labels.set("version", "2");
  spec.spread.edit()[0].match_label_keys = {"version"};
  Site site = with_web(spec, "a-1");
  PodSpec old = app("web");
  old.labels.set("version", "1");
  site.pod("web-1", old, "a-2");
  CHECK(site.broken().empty());
  site.facts.specs[1].labels.set("version", "2");
  CHECK(site.broken() == "web-0: PodTopologySpread");
}
