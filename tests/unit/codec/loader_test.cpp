// What belongs together, what contradicts, and that order never counts.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/objects.hpp"

namespace gedge {
namespace {

using test::Objects;
using test::pod_names;
using test::warning_codes;

TEST_CASE("loader: equal objects collapse, whatever their syntax") {
  const char* yaml = "kind: Pod\napiVersion: v1\nmetadata:\n  name: p\n  labels: {a: b}\n";
  const char* json =
      R"({"metadata": {"labels": {"a": "b"}, "name": "p"}, "apiVersion": "v1", "kind": "Pod"})";
  CHECK(pod_names(Objects().manifests(yaml).manifests(json, "p.json").facts()) == "default/p");
  CHECK(pod_names(Objects().manifests(std::string(yaml) + "---\n" + yaml).facts()) == "default/p");
}

TEST_CASE("loader: different objects of one name are refused with both places") {
  CHECK(Objects()
            .manifests("kind: Pod\nmetadata: {name: p}\n", "a.yaml")
            .manifests("kind: Service\nmetadata: {name: p}\n---\nkind: Pod\nmetadata: {name: "
                       "p}\nspec: {nodeName: n}\n",
                       "b.yaml")
            .errors() ==
        "b.yaml:5:18: 'Pod default/p' is declared twice and differently, first at 'a.yaml:1:1'\n");
  CHECK(Objects()
            .cluster("kind: Node\nmetadata: {name: n1}\n")
            .manifests("kind: Node\nmetadata: {name: n1, labels: {a: b}}\n")
            .errors() ==
        "app.yaml:2:18: 'Node n1' is declared twice and differently, first at 'cluster:1:1'\n");
  CHECK(Objects()
            .manifests("kind: Pod\nmetadata: {name: p}\n---\nkind: Pod\nmetadata: {name: p, "
                       "namespace: other}\n")
            .errors() == "");
}

TEST_CASE("loader: nodes that are no objects clash with both places and a fix") {
  Node synthetic;
  synthetic.name = "n1";
  const char* object = "kind: Node\nmetadata: {name: n1}\n";
  const auto clash = [](FactsLoader loader) {
    const LoadResult result = loader.finish();
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors[0].hint == "remove one of the two or give it another name");
    return result.errors[0].where.origin + ": " + result.errors[0].what;
  };
  FactsLoader after;
  after.add_cluster({"nodes.yaml", object});
  after.add_nodes({synthetic}, "synthetic:nodes=1");
  CHECK(clash(std::move(after)) ==
        "synthetic:nodes=1: 'Node n1' is declared twice, first at 'nodes.yaml:1:1'");
  FactsLoader before;
  before.add_nodes({synthetic}, "synthetic:nodes=1");
  before.add_cluster({"nodes.yaml", object});
  CHECK(clash(std::move(before)) ==
        "nodes.yaml: 'Node n1' is declared twice and differently, first at 'synthetic:nodes=1'");
}

TEST_CASE("loader: the namespace given for manifests does not reach the cluster") {
  LoadOptions options;
  options.namespace_name = "shop";
  const Facts facts = Objects(options)
                          .cluster("kind: Pod\nmetadata: {name: old}\nspec: {nodeName: n1}\n")
                          .manifests(
                              "kind: Pod\nmetadata: {name: new}\n---\nkind: Service\nmetadata: "
                              "{name: s}\nspec: {selector: {a: b}}\n"
                              "---\nkind: Pod\nmetadata: {name: own, namespace: mine}\n")
                          .facts();
  CHECK(pod_names(facts) == "default/old mine/own shop/new");
  CHECK(facts.spread_owners.at(0).namespace_name == "shop");
}

constexpr const char* kDump = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "n1"}},
  {"kind": "Pod", "metadata": {"name": "bound", "uid": "u1",
    "creationTimestamp": "2024-05-01T00:00:10Z"},
   "spec": {"nodeName": "n1", "priority": 9},
    "status": {"phase": "Running", "startTime": "2024-05-01T00:00:20Z"}},
  {"kind": "Pod", "metadata": {"name": "waiting"},
    "status": {"phase": "Pending", "nominatedNodeName": "n1", "conditions": [
      {"type": "Initialized", "status": "False", "message": "no"},
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "full"}]}},
  {"kind": "Pod", "metadata": {"name": "done"},
    "spec": {"nodeName": "n1"}, "status": {"phase": "Succeeded"}},
  {"kind": "Pod", "metadata": {"name": "leaving", "deletionTimestamp": "2024-05-01T00:00:10Z"},
    "spec": {"nodeName": "n1"}}]})";

TEST_CASE("loader: without manifests the pending pods of the cluster are what is planned") {
  const Facts facts = test::cluster_facts(kDump);
  CHECK(pod_names(facts) == "default/bound default/done default/leaving default/waiting");
  CHECK(facts.pods[0].bound_node == "n1");
  CHECK(facts.pods[0].uid == "u1");
  CHECK(facts.pods[0].priority == 9);
  CHECK(facts.pods[0].phase == PodPhase::kRunning);
  CHECK(facts.pods[0].started - facts.pods[0].created == 10);
  CHECK(facts.pods[1].phase == PodPhase::kSucceeded);
  CHECK(facts.pods[2].terminating);
  CHECK(facts.pods[3].bound_node.empty());
  CHECK(facts.pods[3].nominated_node == "n1");
  CHECK(facts.pods[3].told == "full");
  CHECK(facts.warnings.empty());
}

TEST_CASE("loader: with manifests they are left out, and that is said") {
  const Facts facts =
      Objects().cluster(kDump).manifests("kind: Pod\nmetadata: {name: new}\n").facts();
  CHECK(pod_names(facts) == "default/bound default/done default/leaving default/new");
  REQUIRE(facts.warnings.size() == 1);
  CHECK(facts.warnings[0].code == "PendingPodsNotPlanned");
  CHECK(facts.warnings[0].message ==
        "1 pending pod of the cluster is not planned, since manifests are given");
}

TEST_CASE(
    "loader: pods in manifests that run on a node are bound, those that only name one are not") {
  const Facts facts =
      Objects()
          .manifests(
              "kind: Pod\nmetadata: {name: a}\nspec: {nodeName: n1}\nstatus: {phase: Running}\n"
              "---\nkind: Pod\nmetadata: {name: b}\nspec: {nodeName: n1}\n"
              "---\nkind: Pod\nmetadata: {name: c}\nspec: {nodeName: n1}\nstatus: {phase: "
              "Pending}\n"
              "---\nkind: Pod\nmetadata: {name: d}\nstatus: {phase: Running}\n"
              "---\nkind: Node\nmetadata: {name: n1}\n")
          .facts();
  REQUIRE(facts.pods.size() == 4);
  CHECK(facts.pods[0].bound_node == "n1");
  CHECK(facts.spec_of(facts.pods[0]).node_name.empty());
  CHECK(facts.pods[1].bound_node.empty());
  CHECK(facts.spec_of(facts.pods[1]).node_name == "n1");
  CHECK(facts.spec_of(facts.pods[2]).node_name == "n1");
  CHECK(facts.pods[3].phase == PodPhase::kPending);
}

TEST_CASE("loader: a pod that is pending in the cluster and given again is planned") {
  const char* pod = "kind: Pod\nmetadata: {name: p}\n";
  const Facts facts = Objects().cluster(pod).manifests(pod).facts();
  CHECK(pod_names(facts) == "default/p");
  CHECK(warning_codes(facts) == "");
}

TEST_CASE("loader: workloads of the cluster are facts, not pods to place") {
  const char* cluster =
      "kind: ReplicaSet\nmetadata: {name: web-1, ownerReferences: [{kind: Deployment, name: web, "
      "controller: true}]}\n"
      "spec: {replicas: 3, selector: {matchLabels: {a: b}}}\n---\nkind: Deployment\nmetadata: "
      "{name: web}\nspec: {}\n"
      "---\nkind: Pod\nmetadata: {name: web-1-x, ownerReferences: [{kind: ReplicaSet, name: web-1, "
      "uid: u, controller: true}]}\n"
      "spec: {nodeName: n1}\n";
  const Facts facts = test::cluster_facts(cluster);
  CHECK(pod_names(facts) == "default/web-1-x");
  CHECK(facts.pods[0].workload_kind == "Deployment");
  CHECK(facts.pods[0].workload_name == "web");
  CHECK(facts.pods[0].controller.uid == "u");
  REQUIRE(facts.spread_owners.size() == 1);
  CHECK(facts.spread_owners[0].selector.matches({{"a", "b"}}));
  const Facts both =
      Objects()
          .cluster(cluster)
          .manifests("kind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {}}}\n")
          .facts();
  CHECK(pod_names(both) == "default/web-0 default/web-1-x");
  CHECK(warning_codes(both) == "AlreadyInCluster MissingNode");
}

TEST_CASE("loader: a workload is in the cluster already only where its pods are") {
  const std::string deployment =
      "kind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {}}}\n";
  const auto pod = [](const std::string& phase) {
    return "---\nkind: Pod\nmetadata: {name: web-abc-x, labels: {pod-template-hash: abc}, "
           "ownerReferences: [{kind: ReplicaSet, name: web-abc, controller: true}]}\n"
           "spec: {nodeName: n1}\nstatus: {phase: " +
           phase + "}\n---\nkind: Node\nmetadata: {name: n1}\n";
  };
  const auto codes = [&](const std::string& cluster) {
    return warning_codes(Objects().cluster(cluster).manifests(deployment).facts());
  };
  CHECK(codes(deployment) == "");
  CHECK(codes(deployment + pod("Running")) == "AlreadyInCluster");
  CHECK(codes(pod("Running")) == "AlreadyInCluster");
  CHECK(codes(deployment + pod("Succeeded")) == "");
}

TEST_CASE("loader: the Deployment of a pod is known even without its ReplicaSet") {
  const Facts facts = test::cluster_facts(
      "kind: Pod\nmetadata: {name: web-abc-x, labels: {pod-template-hash: abc}, ownerReferences: "
      "[{kind: ReplicaSet, name: web-abc, controller: true}]}\n"
      "---\nkind: Pod\nmetadata: {name: db-12, ownerReferences: [{kind: StatefulSet, name: db, "
      "controller: true}]}\n"
      "---\nkind: Pod\nmetadata: {name: bare}\n");
  REQUIRE(facts.pods.size() == 3);
  CHECK(facts.pods[0].workload_kind == "Pod");
  CHECK(facts.pods[0].workload_name == "bare");
  CHECK(facts.pods[1].ordinal == 12);
  CHECK(facts.pods[2].workload_kind == "Deployment");
  CHECK(facts.pods[2].workload_name == "web");
}

TEST_CASE("loader: contradictions become warnings") {
  const Facts facts = test::cluster_facts(
      "kind: Pod\nmetadata: {name: a}\nspec: {nodeName: gone}\n---\nkind: Pod\nmetadata: {name: "
      "b}\nspec: {nodeName: gone}\n"
      "---\nkind: Pod\nmetadata: {name: c}\nstatus: {phase: Running}\n");
  REQUIRE(facts.warnings.size() == 2);
  CHECK(facts.warnings[0].message ==
        "node gone does not exist, but 2 pods run on it, first default/a");
  CHECK(facts.warnings[0].where.line == 1);
  CHECK(facts.warnings[1].code == "RunningWithoutNode");
}

TEST_CASE("loader: pods without a name are numbered by content") {
  const std::string first = "kind: Pod\nmetadata: {generateName: job-}\nspec: {nodeName: a}\n";
  const std::string second = "kind: Pod\nmetadata: {generateName: job-}\nspec: {nodeName: b}\n";
  const std::string taken = "kind: Pod\nmetadata: {name: job-1}\n";
  const auto names = [](const std::string& text) {
    const Facts facts = test::manifest_facts(text);
    std::string out;
    for (const Pod& pod : facts.pods) out += pod.name + "=" + facts.spec_of(pod).node_name + " ";
    return out;
  };
  const std::string forth = names(first + "---\n" + second + "---\n" + taken + "---\n" + first);
  CHECK(forth == names(taken + "---\n" + first + "---\n" + first + "---\n" + second));
  CHECK(std::count(forth.begin(), forth.end(), '=') == 4);
  CHECK(forth.find("job-1= ") != std::string::npos);
}

TEST_CASE("loader: objects that carry RTTs are handed on") {
  LoadResult result =
      Objects()
          .cluster(
              "apiVersion: gedge.io/v1alpha1\nkind: NodeLatency\nmetadata: {name: edge-1}\nspec: "
              "{peers: [{to: b, p95Us: 5}]}\n"
              "---\nkind: ConfigMap\nmetadata: {name: gedge-latency, namespace: "
              "gedge-system}\ndata: {matrix.json: '{}'}\n"
              "---\nkind: ConfigMap\nmetadata: {name: gedge-latency, namespace: other}\n")
          .finish();
  REQUIRE(result.loaded);
  REQUIRE(result.loaded->latency.size() == 2);
  CHECK(result.loaded->latency[0].name == "cluster:6");
  CHECK(result.loaded->latency[1].name == "cluster:1");
  CHECK(result.loaded->latency[1].json ==
        R"({"apiVersion":"gedge.io/v1alpha1","kind":"NodeLatency",)"
        R"("metadata":{"name":"edge-1"},"spec":{"peers":[{"to":"b","p95Us":5}]}})");
  CHECK(result.loaded->facts.skipped.size() == 1);
}

TEST_CASE("loader: an item of a list that carries RTTs says what it is when it is handed on") {
  LoadResult result =
      Objects()
          .cluster(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":)"
                   R"({"name":"gedge-latency","namespace":"gedge-system"},"data":{}}]})")
          .finish();
  REQUIRE(result.loaded);
  REQUIRE(result.loaded->latency.size() == 1);
  CHECK(result.loaded->latency[0].json ==
        R"({"kind":"ConfigMap","metadata":{"name":"gedge-latency","namespace":"gedge-system"},)"
        R"("data":{}})");
}

TEST_CASE("loader: any error and nothing is loaded, and all errors are told, by file and place") {
  const LoadResult result =
      Objects()
          .manifests("kind: Pod\nmetadata: {name: A}\n---\nkind: Pod\nmetadata: {name: B}\n",
                     "z.yaml")
          .manifests("kind: Pod\nmetadata: {name: ok}\n", "y.yaml")
          .manifests("{\"kind\": ", "a.json")
          .finish();
  CHECK_FALSE(result.loaded);
  REQUIRE(result.errors.size() == 3);
  CHECK(result.errors[0].where.origin == "a.json");
  CHECK(result.errors[1].where.line == 2);
  CHECK(result.errors[2].where.line == 5);
  CHECK(result.errors[2].where.excerpt == "metadata: {name: B}");
}

TEST_CASE("loader: nodes of other formats join, and a name twice is refused") {
  FactsLoader loader;
  Node node;
  node.name = "edge-1";
  loader.add_nodes({node}, "synthetic");
  LoadResult result = loader.finish();
  REQUIRE(result.loaded);
  CHECK(result.loaded->facts.span(result.loaded->facts.nodes.at(0).place).origin == "synthetic");
  loader.add_cluster({"c", "kind: Node\nmetadata: {name: edge-1}\n", 0});
  loader.add_nodes({node}, "synthetic");
  CHECK(loader.finish().errors.size() == 1);
}

/// Everything that Facts hold except Places, as text.
std::string print(const Facts& facts) {
  std::string out;
  for (const Node& node : facts.nodes) out += node.name + ",";
  for (const Pod& pod : facts.pods) {
    out += "\n" + pod.namespace_name + "/" + pod.name + " " + std::to_string(raw(pod.spec)) + " " +
           pod.workload_kind + "/" + pod.workload_name + " " + std::to_string(pod.ordinal) + " " +
           pod.controller.name + " " + pod.bound_node + " " + std::to_string(pod.priority);
    for (const auto& [key, value] : pod_labels(pod, facts.spec_of(pod)))
      out += " " + key + "=" + value;
  }
  for (const SpreadOwner& owner : facts.spread_owners)
    out += "\n" + owner.kind + " " + owner.name + " " + to_string(owner.selector);
  for (const PersistentVolumeClaim& claim : facts.claims) out += "\n" + claim.name;
  for (const Namespace& one : facts.namespaces) out += "\n" + one.name;
  for (const SkippedObject& one : facts.skipped) out += "\n" + one.kind + "/" + one.name;
  for (const Warning& warning : facts.warnings) out += "\n" + warning.code + " " + warning.message;
  return out;
}

TEST_CASE("loader: 200 shuffles of files, documents and items give the same facts") {
  std::vector<std::string> objects;
  for (int i = 0; i < 5; ++i)
    objects.push_back("{\"kind\": \"Node\", \"metadata\": {\"name\": \"n" + std::to_string(i) +
                      "\"}}");
  for (int i = 0; i < 6; ++i)
    objects.push_back("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p" + std::to_string(i) +
                      "\"}, \"spec\": {\"priority\": " + std::to_string(i % 3) + "}}");
  for (const char* kind : {"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job"})
    objects.push_back("{\"kind\": \"" + std::string(kind) +
                      "\", \"metadata\": {\"name\": \"w\"}, \"spec\": {\"replicas\": 3, "
                      "\"template\": {\"spec\": {\"priorityClassName\": \"gone\"}}, "
                      "\"volumeClaimTemplates\": [{\"metadata\": {\"name\": \"d\"}}]}}");
  objects.push_back(R"({"kind": "Pod", "metadata": {"generateName": "g-"}})");
  objects.push_back(
      R"({"kind": "Pod", "metadata": {"generateName": "g-"}, "spec": {"nodeName": "n1"}})");
  objects.push_back(
      R"({"kind": "Pod", "metadata": {"name": "run"}, "spec": {"nodeName": "x"},
          "status": {"phase": "Running"}})");
  objects.push_back(R"({"kind": "Role", "metadata": {"name": "r"}})");
  std::mt19937 random(7);
  std::string expected;
  for (int round = 0; round < 200; ++round) {
    std::shuffle(objects.begin(), objects.end(), random);
    const std::size_t cut = random() % objects.size(),
                      second = cut + random() % (objects.size() - cut);
    std::string list = "{\"items\": [", documents, other;
    for (std::size_t i = 0; i < cut; ++i) list += (i > 0 ? "," : "") + objects[i];
    for (std::size_t i = cut; i < second; ++i) documents += "--- " + objects[i] + "\n";
    for (std::size_t i = second; i < objects.size(); ++i) other += "- " + objects[i] + "\n";
    const std::string facts = print(Objects()
                                        .manifests(list + "], \"kind\": \"List\"}", "a")
                                        .manifests(documents, "b")
                                        .manifests(other, "c")
                                        .facts());
    if (round == 0) expected = facts;
    REQUIRE(facts == expected);
  }
  CHECK(expected.find("statefulset-w-2") != std::string::npos);
}

}  // namespace
}  // namespace gedge
