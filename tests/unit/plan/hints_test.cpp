// Labels and affinities that say what delay budgets say, checked by matching them.
#include "gedge/plan/hints.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

struct Made {
  Facts facts;
  RttMatrix rtt;
  Hints hints;
};

// a --2 ms-- b --2 ms-- c; a --5 ms-- c; d is unmeasured; "gate" is 3 ms from a, 9 ms from b.
RttMatrix matrix() {
  RttMatrix rtt({"a", "b", "c", "gate"});
  const auto both = [&](const char* x, const char* y, std::uint32_t us) {
    rtt.set(*rtt.find(x), *rtt.find(y), Rtt{us});
    rtt.set(*rtt.find(y), *rtt.find(x), Rtt{us});
  };
  both("a", "b", 2'000);
  both("b", "c", 2'000);
  both("a", "c", 5'000);
  both("gate", "a", 3'000);
  both("gate", "b", 9'000);
  return rtt;
}

Facts nodes() {
  Facts facts;
  for (const char* const name : {"a", "b", "c", "d"}) {
    Node node;
    node.name = SharedText(name);
    facts.nodes.push_back(std::move(node));
  }
  return facts;
}

PodSpec& add(Facts& facts, const std::string& kind, const std::string& name, int count,
             std::vector<DelayBudget> budgets) {
  const SpecIndex spec{static_cast<std::uint32_t>(facts.specs.size())};
  facts.specs.emplace_back();
  facts.specs.back().labels.set("app", name);
  facts.specs.back().budgets = std::move(budgets);
  for (int i = 0; i < count; ++i) {
    Pod pod;
    pod.name = SharedText(kind == "Pod" ? name : name + "-" + std::to_string(i));
    pod.workload_kind = SharedText(kind);
    pod.workload_name = SharedText(name);
    pod.ordinal = i;
    pod.spec = spec;
    facts.pods.push_back(std::move(pod));
  }
  return facts.specs.back();
}

Hints hints_of(const Facts& facts, std::vector<std::string> from = {}) {
  const RttMatrix rtt = matrix();
  auto hints = make_hints({&facts, &rtt, {}, std::move(from)});
  REQUIRE(hints);
  return *std::move(hints);
}

// What nodes bear once the hints were written.
std::map<std::string, Labels> labelled(const Facts& facts, const Hints& hints) {
  std::map<std::string, Labels> all;
  for (const Node& node : facts.nodes) all[node.name] = node.labels;
  for (const NodeHint& node : hints.nodes)
    for (const auto& [key, value] : node.labels) {
      if (value)
        all[node.node].set(key, *value);
      else
        all[node.node].erase(key);
    }
  return all;
}

// Nodes that a workload's node affinity allows then.
std::string allowed(const Facts& facts, const Hints& hints, std::size_t workload) {
  std::string out;
  for (const auto& [name, labels] : labelled(facts, hints)) {
    bool fits = false;
    for (const NodeSelectorTerm& term : hints.workloads[workload].node_terms)
      fits = fits || term.matches(labels, name);
    if (fits) out += name;
  }
  return out;
}

}  // namespace

TEST_CASE("hints: a budget towards a node allows the nodes within it, and no unmeasured one") {
  Facts facts = nodes();
  add(facts, "Deployment", "exact", 2, {budget("a", 2'000)});
  add(facts, "Deployment", "less", 1, {budget("a", 1'999)});
  add(facts, "StatefulSet", "two", 1, {budget("b", 2'000), budget("gate", 3'000)});
  const Hints hints = hints_of(facts);
  REQUIRE(hints.workloads.size() == 3);
  CHECK(hints.workloads[0].name == "exact");
  CHECK(allowed(facts, hints, 0) == "ab");
  CHECK(allowed(facts, hints, 1) == "a");
  CHECK(allowed(facts, hints, 2) == "a");  // an outside name is only a name of the matrix
  CHECK(hints.warnings.empty());
  CHECK_FALSE(labelled(facts, hints)["d"].find("rtt.gedge.io/a"));
  CHECK(*labelled(facts, hints)["c"].find("rtt.gedge.io/a") == "5000");
  CHECK_FALSE(labelled(facts, hints)["c"].find("rtt.gedge.io/gate"));
}

TEST_CASE("hints: each term of a node affinity stays, and asks for the label as well") {
  Facts facts = nodes();
  facts.nodes[2].labels.set("disk", "ssd");
  PodSpec& spec = add(facts, "Deployment", "web", 1, {budget("b", 2'000)});
  spec.has_required_node_terms = true;
  spec.required_node_terms = std::vector<NodeSelectorTerm>{node_term("disk", {"ssd"})};
  const Hints hints = hints_of(facts);
  REQUIRE(hints.workloads.size() == 1);
  REQUIRE(hints.workloads[0].node_terms.size() == 1);
  CHECK(hints.workloads[0].node_terms[0].expressions.size() == 2);
  CHECK(allowed(facts, hints, 0) == "c");
}

TEST_CASE("hints: any two nodes of a group are within the limit, and peers are kept in one") {
  Facts facts = nodes();
  add(facts, "StatefulSet", "cache", 3, {});
  add(facts, "Deployment", "api", 2, {budget("cache", 2'000)});
  const Hints hints = hints_of(facts);
  REQUIRE(hints.workloads.size() == 2);
  for (const WorkloadHint& hint : hints.workloads) {
    REQUIRE(hint.beside.size() == 1);
    CHECK(hint.beside[0].label == "within.gedge.io/2000us");
    CHECK(hint.beside[0].peers == Labels{{"app", "cache"}});
    CHECK(hint.beside[0].namespace_name == "default");
    CHECK(hint.node_terms.empty());
  }
  const RttMatrix rtt = matrix();
  auto all = labelled(facts, hints);
  std::size_t together = 0;
  for (const char* const x : {"a", "b", "c", "d"})
    for (const char* const y : {"a", "b", "c", "d"}) {
      const std::string label = "within.gedge.io/2000us";
      REQUIRE(all[x].find(label));
      if (std::string(x) >= y || *all[x].find(label) != *all[y].find(label)) continue;
      REQUIRE(rtt.find(x));
      REQUIRE(rtt.find(y));
      CHECK(rtt.between(*rtt.find(x), *rtt.find(y)).us <= 2'000);
      ++together;
    }
  CHECK(together == 1);  // a and b, or b and c
}

TEST_CASE("hints: peers are meant by labels that a change of their template leaves alone") {
  const auto peers_of = [](const DelayBudget& near, int replicas) {
    Facts facts = nodes();
    for (int i = 0; i < replicas; ++i) {
      const std::string name = "cache-" + std::to_string(i);
      add(facts, "StatefulSet", "cache", 1, {}).labels =
          Labels{{"app", "cache"},
                 {"apps.kubernetes.io/pod-index", std::to_string(i)},
                 {"controller-revision-hash", "cache-7d"},
                 {"statefulset.kubernetes.io/pod-name", name}};
      facts.pods.back().name = SharedText(name);
      facts.pods.back().ordinal = i;
    }
    add(facts, "Deployment", "api", 2, {near});
    const Hints hints = hints_of(facts);
    for (const WorkloadHint& hint : hints.workloads)
      if (hint.name == "api" && hint.beside.size() == 1) return hint.beside[0].peers;
    return Labels{};
  };
  const DelayBudget all = budget("cache", 2'000), one = budget("cache-0", 2'000, PeerKind::kPod);
  CHECK(peers_of(all, 2) == Labels{{"app", "cache"}});
  CHECK(peers_of(all, 1) == Labels{{"app", "cache"}});
  CHECK(peers_of(one, 1) == Labels{{"app", "cache"}});
  CHECK(peers_of(one, 2) == Labels{{"app", "cache"},
                                   {"apps.kubernetes.io/pod-index", "0"},
                                   {"statefulset.kubernetes.io/pod-name", "cache-0"}});
}

TEST_CASE("hints: the nearest of several peers needs no company of the others") {
  Facts facts = nodes();
  add(facts, "StatefulSet", "cache", 3, {});
  DelayBudget nearest = budget("cache", 2'000);
  nearest.nearest = true;
  add(facts, "Deployment", "api", 2, {nearest});
  const Hints hints = hints_of(facts);
  REQUIRE(hints.workloads.size() == 1);
  CHECK(hints.workloads[0].name == "api");
}

TEST_CASE("hints: what no label can say is a warning, and the workload stays as it is") {
  Facts facts = nodes();
  add(facts, "Pod", "bare", 1, {budget("a", 2'000)});
  add(facts, "Deployment", "lost", 1, {budget("atlantis", 2'000)});
  PodSpec& own = add(facts, "Deployment", "own", 1, {budget("a", 2'000)});
  own.required_affinity = std::vector<PodAffinityTerm>{pod_term({{"app", "x"}}, "zone")};
  const Hints hints = hints_of(facts);
  CHECK(hints.workloads.empty());
  CHECK(hints.nodes.empty());
  REQUIRE(hints.warnings.size() == 3);
  CHECK(hints.warnings[0].message == "Pod default/bare: its pods cannot be changed");
  CHECK(hints.warnings[1].message == "Deployment default/lost: nothing is called 'atlantis'");
  CHECK(hints.warnings[2].message ==
        "Deployment default/own: it has a pod affinity of its own, which stays as it is");
}

TEST_CASE("hints: peers are kept together only for those that can be told to be beside them") {
  Facts facts = nodes();
  add(facts, "Deployment", "server", 2, {});
  add(facts, "Job", "batch", 1, {budget("server", 2'000)});
  add(facts, "Pod", "bare", 1, {budget("server", 2'000)});
  PodSpec& own = add(facts, "Deployment", "own", 1, {budget("server", 2'000)});
  own.required_affinity = std::vector<PodAffinityTerm>{pod_term({{"app", "x"}}, "zone")};
  const Hints hints = hints_of(facts);
  CHECK(hints.workloads.empty());
  CHECK(hints.nodes.empty());
  REQUIRE(hints.warnings.size() == 3);
  CHECK(hints.warnings[0].message == "Job default/batch: its pods cannot be changed");
}

TEST_CASE("hints: peers of several workloads are all kept together, or nobody is told anything") {
  Facts facts = nodes();
  add(facts, "StatefulSet", "cache", 1, {});
  add(facts, "Deployment", "cache", 1, {});
  add(facts, "Deployment", "api", 1, {budget("cache", 2'000)});
  const Hints all = hints_of(facts);
  CHECK(all.warnings.empty());
  CHECK(all.workloads.size() == 3);
  for (const WorkloadHint& hint : all.workloads) {
    REQUIRE(hint.beside.size() == 1);
    CHECK(hint.beside[0].label == "within.gedge.io/2000us");
    CHECK(hint.beside[0].peers == Labels{{"app", "cache"}});
  }
  facts.specs[1].required_affinity = std::vector<PodAffinityTerm>{pod_term({{"app", "x"}}, "zone")};
  const Hints none = hints_of(facts);
  CHECK(none.workloads.empty());
  CHECK(none.nodes.empty());
  CHECK(none.warnings.size() == 2);
}

TEST_CASE("hints: where all is written already, nothing is to be done") {
  Facts facts = nodes();
  add(facts, "StatefulSet", "cache", 2, {});
  add(facts, "Deployment", "api", 1, {budget("cache", 2'000), budget("a", 5'000)});
  const Hints first = hints_of(facts, {"b"});
  for (Node& node : facts.nodes) node.labels = labelled(facts, first)[node.name];
  for (const WorkloadHint& hint : first.workloads)
    for (PodSpec& spec : facts.specs) {
      if (*spec.labels.find("app") != hint.name) continue;
      spec.has_required_node_terms = !hint.node_terms.empty();
      spec.required_node_terms = hint.node_terms;
      std::vector<PodAffinityTerm> terms;
      for (const WorkloadHint::Beside& beside : hint.beside) {
        terms.push_back(pod_term(beside.peers, beside.label));
        terms.back().namespaces = {beside.namespace_name};
      }
      spec.required_affinity = terms;
    }
  const Hints second = hints_of(facts, {"b"});
  CHECK(second.nodes.empty());
  CHECK(second.workloads.empty());
  CHECK(second.warnings.empty());
  // A limit that changed is not what is written.
  facts.specs[1].budgets[1].limit_us = 2'000;
  CHECK(hints_of(facts, {"b"}).workloads.size() == 1);
}

TEST_CASE("hints: nodes are labelled with times from names that are asked for, if there are any") {
  const Facts facts = nodes();
  const Hints hints = hints_of(facts, {"gate"});
  CHECK(hints.workloads.empty());
  REQUIRE(hints.nodes.size() == 2);  // the others have none, and are to have none
  CHECK(hints.nodes[0].labels.at("rtt.gedge.io/gate") == "3000");
  const RttMatrix rtt = matrix();
  const auto wrong = make_hints({&facts, &rtt, {}, {"atlantis"}});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Errc::kNotFound);
}
