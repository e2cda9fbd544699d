#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "gedge/codec/fingerprint.hpp"

namespace gedge {
namespace {

NodeSelectorTerm term() {
  return {{{"k", SelectorOp::kIn, {"a", "b"}}}, {{"metadata.name", SelectorOp::kIn, {"n"}}}, false};
}

PodAffinityTerm affinity_term() {
  PodAffinityTerm affinity;
  affinity.selector.requirements = {{"k", SelectorOp::kIn, {"a", "b"}}};
  affinity.namespaces = {"x"};
  affinity.namespace_selector = LabelSelector{};
  affinity.topology_key = "zone";
  affinity.match_label_keys = {"m"};
  affinity.mismatch_label_keys = {"mm"};
  return affinity;
}

/// One of everything that a spec can hold.
PodSpec sample_spec() {
  PodSpec spec;
  spec.labels = {{"app", "web"}};
  spec.annotations = {{"a", "b"}};
  spec.containers.push_back({"c", "img", {{"cpu", 100}}, {{"cpu", 200}}, false});
  spec.init_containers.push_back({"i", "img", {}, {}, true});
  spec.pod_requests = Resources{{"cpu", 1}};
  spec.pod_limits = Resources{{"cpu", 2}};
  spec.overhead = {{"memory", 5}};
  spec.node_selector = {{"disk", "ssd"}};
  spec.has_required_node_terms = true;
  spec.required_node_terms = {term()};
  spec.preferred_node_terms = {{5, term()}};
  spec.required_affinity = spec.required_anti_affinity = {affinity_term()};
  spec.preferred_affinity = spec.preferred_anti_affinity = {{7, affinity_term()}};
  spec.tolerations = {{"k", false, "v", TaintEffect::kNoSchedule}};
  TopologySpread spread;
  spread.topology_key = "zone";
  spread.min_domains = 2;
  spread.match_label_keys = {"h"};
  spec.spread = {spread};
  spec.host_ports = {{"0.0.0.0", "TCP", 80}};
  spec.volumes = {{"v", "claim", false}};
  DelayBudget budget;
  budget.from = budget.name = "edge-1";
  budget.limit_us = 5000;
  spec.budgets = {budget};
  return spec;
}

/// One of everything.
Facts sample() {
  Facts f;
  f.files = {"", "a.yaml"};
  f.nodes.resize(2);
  Node& node = f.nodes[0];
  node.name = "n1";
  node.labels = {{"zone", "a"}};
  node.taints = {{"k", "v", TaintEffect::kNoSchedule}, {"k2", "", TaintEffect::kNoExecute}};
  node.allocatable = {{"cpu", 4000}};
  node.images = {{{"nginx:1"}, 100}};
  node.avoided = {{"ReplicaSet", "u"}};
  node.addresses = {"10.0.0.1"};
  f.nodes[1].name = "n2";
  f.specs = {sample_spec(), PodSpec{}};
  f.pods.resize(2);
  f.pods[0].name = "web-0";
  f.pods[0].extra_labels = {{"pod", "web-0"}};
  f.pods[0].controller = {"ReplicaSet", "web", "u"};
  f.pods[1].name = "web-1";
  f.pods[1].spec = SpecIndex{1};
  f.namespaces = {{"default", {{"team", "x"}}}};
  f.spread_owners = {{"Service", "default", "web", {}}};
  f.priority_classes = {{"high", 10, false, true}};
  f.storage_classes = {{"local", VolumeBinding::kImmediate, true, false, {term()}}};
  f.volumes.resize(1);
  f.volumes[0].access_modes = {"RWO"};
  f.volumes[0].node_terms = {term()};
  f.claims.resize(1);
  f.claims[0].access_modes = {"RWO"};
  f.disruption_budgets = {{"default", "pdb", {}, 1, {"web-0"}}};
  f.pod_groups = {{"default", "gang", 2}};
  return f;
}

RttMatrix matrix() {
  RttMatrix m({"a", "b", "c"});
  m.set(NameIndex{0}, NameIndex{1}, Rtt{5});
  return m;
}

TEST_CASE(
    "fingerprint: profiles look different when they decide differently, whatever their name") {
  const Profile kube = *builtin_profile("kube", Compat::k1_36);
  Profile named = kube;
  named.name = "ours";
  CHECK(fingerprint({kube}) == fingerprint({named}));
  Profile heavier = kube;
  heavier.scores.front().weight += 1;
  Profile older = kube;
  older.compat = Compat::k1_20;
  CHECK(fingerprint({kube}) != fingerprint({heavier}));
  CHECK(fingerprint({kube}) != fingerprint({older}));
  CHECK(fingerprint({kube, heavier}) != fingerprint({heavier, kube}));
}

TEST_CASE("fingerprint: the same facts in any order and from any place look the same") {
  const Facts one = sample();
  const std::string first = fingerprint(one, matrix());
  CHECK(first.size() == 7 + 32);
  CHECK(first.starts_with("xxh128:"));
  CHECK(fingerprint(one, matrix()) == first);
  Facts two = sample();
  std::reverse(two.nodes.begin(), two.nodes.end());
  std::reverse(two.pods.begin(), two.pods.end());
  two.pods[0].spec = SpecIndex{0};  // web-1
  two.pods[1].spec = SpecIndex{1};
  std::swap(two.specs[0], two.specs[1]);
  two.files = {"", "b.yaml", "c.yaml"};
  two.nodes[0].place = {2, 7, 1};
  two.pods[0].place = {1, 9, 9};
  two.specs[1].place = {1, 3, 3};
  two.specs[1].budgets[0].place = {2, 2, 2};
  two.warnings = {{"A", "b", {}}};
  two.skipped = {{"Ingress", "x"}};
  CHECK(fingerprint(two, matrix()) == first);
}

TEST_CASE("fingerprint: the published value never changes") {
  CHECK(fingerprint(Facts{}, RttMatrix{}) == "xxh128:7b86d8edc64b380a86da9cd1ba60ecd5");
  Facts plain;
  plain.specs.resize(1);
  plain.pods.resize(1);
  CHECK(fingerprint(plain, RttMatrix{}) == "xxh128:409707f3d71fff1f3381c70a4fdba7ed");
}

using Change = std::function<void(Facts&, RttMatrix&)>;
#define FACT(edit) [](Facts& f, RttMatrix&) { edit; }

const std::vector<Change> kNodeChanges{
    FACT(f.nodes[0].name = "x"),
    FACT(f.nodes[0].labels.set("zone", "b")),
    FACT(f.nodes[0].labels.set("zonea", "")),
    FACT(std::swap(f.nodes[0].taints[0], f.nodes[0].taints[1])),
    FACT(f.nodes[0].taints[0].effect = TaintEffect::kPreferNoSchedule),
    FACT(f.nodes[0].taints[0].value = "w"),
    FACT(f.nodes[0].unschedulable = true),
    FACT(f.nodes[0].ready = false),
    FACT(f.nodes[0].allocatable.set("cpu", 4001)),
    FACT(f.nodes[0].images[0] = NodeImage({"nginx:1"}, 1)),
    FACT(f.nodes[0].images[0] = NodeImage({"x"}, 100)),
    FACT(f.nodes[0].avoided[0].uid = "w"),
    FACT(f.nodes[0].avoided[0].kind = "w"),
    FACT(f.nodes[0].addresses.clear()),
    FACT(f.nodes.pop_back())};

const std::vector<Change> kSpecChanges{
    FACT(f.specs[0].labels.set("app", "x")),
    FACT(f.specs[0].annotations.set("a", "x")),
    FACT(f.specs[0].containers.edit()[0].name = "x"),
    FACT(f.specs[0].containers.edit()[0].image = "x"),
    FACT(f.specs[0].containers.edit()[0].requests.set("cpu", 1)),
    FACT(f.specs[0].containers.edit()[0].limits.set("cpu", 1)),
    FACT(f.specs[0].init_containers.edit()[0].restartable = false),
    FACT(f.specs[0].pod_requests.reset()),
    FACT(f.specs[0].pod_limits->set("cpu", 9)),
    FACT(f.specs[0].overhead.set("memory", 6)),
    FACT(f.specs[0].node_selector.set("disk", "x")),
    FACT(f.specs[0].has_required_node_terms = false),
    FACT(f.specs[0].required_node_terms.edit()[0].broken = true),
    FACT(f.specs[0].required_node_terms.edit()[0].fields[0].values[0] = "x"),
    FACT(f.specs[0].required_node_terms.edit()[0].expressions[0].op = SelectorOp::kNotIn),
    FACT(f.specs[0].preferred_node_terms.edit()[0].weight = 6),
    FACT(f.specs[0].required_affinity.edit()[0].topology_key = "x"),
    FACT(f.specs[0].required_affinity.edit()[0].namespaces.clear()),
    FACT(f.specs[0].required_affinity.edit()[0].namespace_selector.reset()),
    FACT(f.specs[0].required_affinity.edit()[0].namespace_selector->nothing = true),
    FACT(f.specs[0].required_affinity.edit()[0].match_label_keys[0] = "x"),
    FACT(f.specs[0].required_affinity.edit()[0].mismatch_label_keys[0] = "x"),
    FACT(f.specs[0].required_anti_affinity.clear()),
    FACT(f.specs[0].preferred_affinity.edit()[0].weight = 8),
    FACT(f.specs[0].preferred_anti_affinity.edit()[0].weight = 8),
    FACT(f.specs[0].tolerations.edit()[0].exists = true),
    FACT(f.specs[0].tolerations.edit()[0].effect.reset()),
    FACT(f.specs[0].tolerations.edit()[0].value = "x"),
    FACT(f.specs[0].spread.edit()[0].max_skew = 3),
    FACT(f.specs[0].spread.edit()[0].hard = false),
    FACT(f.specs[0].spread.edit()[0].min_domains.reset()),
    FACT(f.specs[0].spread.edit()[0].honor_node_affinity = false),
    FACT(f.specs[0].spread.edit()[0].honor_node_taints = true),
    FACT(f.specs[0].spread.edit()[0].match_label_keys.clear()),
    FACT(f.specs[0].spread.edit()[0].selector.nothing = true),
    FACT(f.specs[0].host_ports.edit()[0].port = 81),
    FACT(f.specs[0].host_ports.edit()[0].ip = "1.1.1.1"),
    FACT(f.specs[0].host_ports.edit()[0].protocol = "UDP"),
    FACT(f.specs[0].volumes.edit()[0].claim = "x"),
    FACT(f.specs[0].volumes.edit()[0].ephemeral = true),
    FACT(f.specs[0].volumes.edit()[0].name = "x"),
    FACT(f.specs[0].budgets[0].limit_us = 1),
    FACT(f.specs[0].budgets[0].from = "x"),
    FACT(f.specs[0].budgets[0].name = "x"),
    FACT(f.specs[0].budgets[0].kind = PeerKind::kZone),
    FACT(f.specs[0].budgets[0].nearest = true),
    FACT(f.specs[0].budgets[0].workload_kind = "x"),
    FACT(f.specs[0].budgets[0].namespace_name = "x"),
    FACT(f.specs[0].node_name = "x"),
    FACT(f.specs[0].scheduler_name = "x"),
    FACT(f.specs[0].priority_class = "x"),
    FACT(f.specs[0].runtime_class = "x"),
    FACT(f.specs[0].host_network = true),
    FACT(f.specs[0].preempts = false),
    FACT(f.specs[0].gated = true),
    FACT(f.specs[0].unread = "x"),
    FACT(f.specs[0].unread = "y"),
    FACT(f.specs[0].latency_source = "x")};

const std::vector<Change> kPodChanges{FACT(f.pods[0].namespace_name = "x"),
                                      FACT(f.pods[0].name = "x"),
                                      FACT(f.pods[0].uid = "x"),
                                      FACT(f.pods[0].spec = SpecIndex{1}),
                                      FACT(f.pods[0].extra_labels.set("pod", "x")),
                                      FACT(f.pods[0].workload_kind = "x"),
                                      FACT(f.pods[0].workload_name = "x"),
                                      FACT(f.pods[0].ordinal = 3),
                                      FACT(f.pods[0].controller.uid = "x"),
                                      FACT(f.pods[0].controller.kind = "x"),
                                      FACT(f.pods[0].controller.name = "x"),
                                      FACT(f.pods[0].bound_node = "x"),
                                      FACT(f.pods[0].nominated_node = "x"),
                                      FACT(f.pods[0].phase = PodPhase::kFailed),
                                      FACT(f.pods[0].priority = 3),
                                      FACT(f.pods[0].created = 3),
                                      FACT(f.pods[0].started = 3),
                                      FACT(f.pods[0].terminating = true),
                                      FACT(f.pods.pop_back())};

const std::vector<Change> kOtherChanges{
    FACT(f.namespaces[0].labels.set("team", "y")),
    FACT(f.namespaces[0].name = "y"),
    FACT(f.spread_owners[0].kind = "x"),
    FACT(f.spread_owners[0].name = "x"),
    FACT(f.spread_owners[0].namespace_name = "x"),
    FACT(f.spread_owners[0].selector.nothing = true),
    FACT(f.priority_classes[0].value = 11),
    FACT(f.priority_classes[0].global_default = true),
    FACT(f.priority_classes[0].preempts = false),
    FACT(f.priority_classes[0].name = "x"),
    FACT(f.storage_classes[0].binding = VolumeBinding::kWaitForFirstConsumer),
    FACT(f.storage_classes[0].provisions = false),
    FACT(f.storage_classes[0].is_default = true),
    FACT(f.storage_classes[0].allowed_topologies.clear()),
    FACT(f.storage_classes[0].name = "x"),
    FACT(f.volumes[0].name = "x"),
    FACT(f.volumes[0].labels.set("x", "y")),
    FACT(f.volumes[0].storage_class = "x"),
    FACT(f.volumes[0].capacity_bytes = 1),
    FACT(f.volumes[0].access_modes[0] = "x"),
    FACT(f.volumes[0].has_node_affinity = true),
    FACT(f.volumes[0].node_terms.clear()),
    FACT(f.volumes[0].claim_namespace = "x"),
    FACT(f.volumes[0].claim_name = "x"),
    FACT(f.volumes[0].claim_uid = "x"),
    FACT(f.volumes[0].is_block = true),
    FACT(f.volumes[0].is_offered = false),
    FACT(f.claims[0].name = "x"),
    FACT(f.claims[0].namespace_name = "x"),
    FACT(f.claims[0].storage_class = ""),
    FACT(f.claims[0].storage_class = "x"),
    FACT(f.claims[0].volume_name = "x"),
    FACT(f.claims[0].selected_node = "x"),
    FACT(f.claims[0].request_bytes = 1),
    FACT(f.claims[0].access_modes.clear()),
    FACT(f.claims[0].selector.nothing = true),
    FACT(f.claims[0].uid = "x"),
    FACT(f.claims[0].owner_uid = "x"),
    FACT(f.claims[0].is_block = true),
    FACT(f.claims[0].terminating = true),
    FACT(f.claims[0].is_half_bound = true),
    FACT(f.disruption_budgets[0].disruptions_allowed = 2),
    FACT(f.disruption_budgets[0].disrupted_pods.clear()),
    FACT(f.disruption_budgets[0].name = "x"),
    FACT(f.disruption_budgets[0].namespace_name = "x"),
    FACT(f.disruption_budgets[0].selector.nothing = true),
    FACT(f.pod_groups[0].name = "x"),
    FACT(f.pod_groups[0].namespace_name = "x"),
    FACT(f.pod_groups[0].min_member = 3)};
#undef FACT

const std::vector<Change> kMatrixChanges{
    [](Facts&, RttMatrix& m) { m.set(NameIndex{1}, NameIndex{0}, Rtt{5}); },
    [](Facts&, RttMatrix& m) { m.set(NameIndex{0}, NameIndex{1}, Rtt{6}); },
    [](Facts&, RttMatrix& m) { m.set(NameIndex{2}, NameIndex{2}, Rtt{1}); },
    [](Facts&, RttMatrix& m) { m.set(NameIndex{2}, NameIndex{1}, Rtt{0}); },
    [](Facts&, RttMatrix& m) { m.merge(RttMatrix({"d"})); }};

TEST_CASE("fingerprint: every field counts") {
  std::set<std::string> seen{fingerprint(sample(), matrix())};
  for (const auto* group :
       {&kNodeChanges, &kSpecChanges, &kPodChanges, &kOtherChanges, &kMatrixChanges})
    for (std::size_t i = 0; i < group->size(); ++i) {
      CAPTURE(i);
      Facts facts = sample();
      RttMatrix rtt = matrix();
      (*group)[i](facts, rtt);
      CHECK(seen.insert(fingerprint(facts, rtt)).second);
    }
  CHECK(seen.size() > 120);
}

}  // namespace
}  // namespace gedge
