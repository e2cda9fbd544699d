// What the readers of single objects take from them, and what they refuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/objects.hpp"

namespace gedge {
namespace {

using test::cluster_facts;
using test::manifest_errors;
using test::manifest_facts;

TEST_CASE("objects: labels and amounts in disorder are sorted, however many") {
  constexpr int kMany = 200'000;  // one after the other into a sorted list: minutes
  std::string labels, amounts;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(1'000'000 + i * 7'919 % kMany);
    labels += (i == 0 ? "\"k" : ",\"k") + number + "\":\"v" + number + "\"";
    amounts += (i == 0 ? "\"e.x/r" : ",\"e.x/r") + number + "\":\"" + number + "\"";
  }
  const Facts facts = cluster_facts(R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Node",)"
                                    R"("metadata":{"name":"a","labels":{)" +
                                    labels + R"(}},"status":{"allocatable":{)" + amounts + "}}}]}");
  REQUIRE(facts.nodes.size() == 1);
  const Node& node = facts.nodes[0];
  CHECK(node.labels.size() == kMany);
  CHECK(std::is_sorted(node.labels.begin(), node.labels.end()));
  REQUIRE(node.labels.find("k1000042") != nullptr);
  CHECK(*node.labels.find("k1000042") == "v1000042");
  CHECK(node.allocatable.size() == kMany);
  CHECK(node.allocatable.amount("e.x/r1000042") == 1'000'042);
}

TEST_CASE("objects: a node") {
  const Facts facts = cluster_facts(R"(
kind: Node
apiVersion: v1
metadata:
  name: edge-1
  labels: {topology.kubernetes.io/zone: z1, empty: }
  annotations:
    scheduler.alpha.kubernetes.io/preferAvoidPods: |
      {"preferAvoidPods": [{"podSignature": {"podController":
      {"kind": "ReplicaSet", "uid": "u1"}}}]}
spec:
  unschedulable: true
  taints:
  - {key: b, value: x, effect: NoExecute}
  - {key: a, effect: PreferNoSchedule}
status:
  capacity: {cpu: 9, memory: 9Gi}
  allocatable: {cpu: 1500m, memory: 1.5Gi, pods: "110", nvidia.com/gpu: 2}
  conditions:
  - {type: MemoryPressure, status: "True"}
  - {type: Ready, status: Unknown}
  addresses:
  - {type: InternalIP, address: 10.0.0.1}
  - {type: ExternalIP, address: 1.1.1.1}
  - {type: Hostname, address: edge-1.site}
  images:
  - names: [a:1, "a@sha256:00"]
    sizeBytes: 123
)");
  REQUIRE(facts.nodes.size() == 1);
  const Node& node = facts.nodes[0];
  CHECK(node.name == "edge-1");
  CHECK(*node.labels.find("topology.kubernetes.io/zone") == "z1");
  CHECK(node.labels.find("empty")->empty());
  CHECK(node.unschedulable);
  CHECK_FALSE(node.ready);
  CHECK(node.taints == std::vector<Taint>{{"b", "x", TaintEffect::kNoExecute},
                                          {"a", "", TaintEffect::kPreferNoSchedule}});
  CHECK(node.allocatable ==
        Resources{{"cpu", 1500}, {"memory", 1610612736}, {"pods", 110}, {"nvidia.com/gpu", 2}});
  CHECK(node.addresses == std::vector<std::string>{"10.0.0.1", "edge-1.site"});
  REQUIRE(node.images.size() == 1);
  CHECK(node.images[0].names().size() == 2);
  CHECK(node.images[0].size_bytes() == 123);
  REQUIRE(node.avoided.size() == 1);
  CHECK(node.avoided[0].kind == "ReplicaSet");
  CHECK(node.avoided[0].uid == "u1");
  CHECK(node.place.line == 2);
}

TEST_CASE("objects: images that several nodes report are read once") {
  const Facts facts = cluster_facts(R"(
kind: List
apiVersion: v1
items:
- {kind: Node, apiVersion: v1, metadata: {name: a}, status: {images: [
    {names: [w:1, v:1], sizeBytes: 5}]}}
- {kind: Node, apiVersion: v1, metadata: {name: b}, status: {images: [
    {names: [w:1]}, {names: [w:1, v:1], sizeBytes: 5}, {sizeBytes: 7}]}}
)");
  REQUIRE(facts.nodes.size() == 2);
  const auto &a = facts.nodes[0].images, &b = facts.nodes[1].images;
  REQUIRE(a.size() == 1);
  REQUIRE(b.size() == 3);
  CHECK(&a[0].names() == &b[1].names());
  CHECK(a[0].names() == std::vector<std::string>{"w:1", "v:1"});
  CHECK(b[0] == NodeImage({"w:1"}, 0));
  CHECK(b[2] == NodeImage({}, 7));
}

TEST_CASE("objects: a node without allocatable has its capacity, without conditions it is ready") {
  const Facts facts = cluster_facts(
      R"({"kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}}})");
  CHECK(facts.nodes.at(0).allocatable.amount("cpu") == 4000);
  CHECK(facts.nodes.at(0).ready);
}

TEST_CASE(
    "objects: an annotation that cannot be read is ignored as kube-scheduler does, and said") {
  const Facts facts = cluster_facts(R"(
kind: Node
metadata: {name: edge-1, annotations: {scheduler.alpha.kubernetes.io/preferAvoidPods: "{oops"}}
)");
  CHECK(facts.nodes.at(0).avoided.empty());
  CHECK(test::warning_codes(facts) == "AvoidPodsUnreadable");
}

TEST_CASE("objects: requests come from limits where they are missing") {
  const Facts facts = manifest_facts(R"(
kind: Pod
apiVersion: v1
metadata: {name: p}
spec:
  containers:
  - name: a
    image: img
    resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 250m}}
  - name: b
  initContainers:
  - name: i
    resources: {limits: {cpu: 2}}
  - name: s
    restartPolicy: Always
    resources: {requests: {memory: 64Mi}}
  overhead: {cpu: 10m}
  resources: {limits: {cpu: 3}}
)");
  const PodSpec& spec = facts.spec_of(facts.pods.at(0));
  REQUIRE(spec.containers.size() == 2);
  CHECK(spec.containers[0].requests == Resources{{"cpu", 250}, {"memory", 1 << 30}});
  CHECK(spec.containers[0].image == "img");
  CHECK(spec.containers[1].requests.empty());
  REQUIRE(spec.init_containers.size() == 2);
  CHECK(spec.init_containers[0].requests == Resources{{"cpu", 2000}});
  CHECK_FALSE(spec.init_containers[0].restartable);
  CHECK(spec.init_containers[1].restartable);
  CHECK(spec.overhead == Resources{{"cpu", 10}});
  CHECK_FALSE(spec.pod_requests);  // what the containers sum to
  CHECK(spec.pod_limits == Resources{{"cpu", 3000}});
}

TEST_CASE("objects: a pod asks for its limits of what no container asks for") {
  const auto requests = [](const std::string& of_pod, const std::string& of_container) {
    const Facts facts =
        manifest_facts("kind: Pod\nmetadata: {name: p}\nspec:\n  resources: " + of_pod +
                       "\n  containers:\n  - name: a\n    resources: " + of_container + "\n");
    return facts.spec_of(facts.pods.at(0)).pod_requests.value_or(Resources());
  };
  CHECK(requests("{limits: {cpu: 4, memory: 1Ki}}", "{requests: {cpu: 500m}}") ==
        Resources{{"memory", 1024}});
  CHECK(requests("{limits: {cpu: 4}}", "{limits: {cpu: 0}}").empty());
  CHECK(requests("{limits: {cpu: 4}, requests: {cpu: 1}}", "{}") == Resources{{"cpu", 1000}});
  CHECK(requests("{limits: {hugepages-2Mi: 4Mi}}", "{limits: {hugepages-2Mi: 2Mi}}") ==
        Resources{{"hugepages-2Mi", 4 << 20}});
}

TEST_CASE("objects: containers of a pod share their names, also those that run before others") {
  const std::string pod = "kind: Pod\nmetadata: {name: p}\nspec:\n";
  const std::string twice = "two containers are called 'c'";
  for (const char* lists :
       {"  containers: [{name: c}, {name: d}, {name: c}]\n",
        "  containers: [{name: c}]\n  initContainers: [{name: d}, {name: c}]\n",
        "  initContainers: [{name: c}]\n  containers: [{name: d}, {name: c}]\n"}) {
    CAPTURE(lists);
    CHECK(manifest_errors(pod + lists).find(twice) != std::string::npos);
  }
  CHECK(manifest_errors(pod + "  containers: [{name: c}, {name: d}, {}, {}]\n").empty());
}

TEST_CASE("objects: host ports, also of sidecars, and container ports on the network of the host") {
  const auto ports = [](const std::string& network, Compat compat = Compat::k1_36) {
    LoadOptions options;
    options.compat = compat;
    const Facts facts =
        test::Objects(options)
            .manifests("kind: Pod\nmetadata: {name: p}\nspec:\n  hostNetwork: " + network + R"(
  containers:
  - name: a
    ports:
    - {containerPort: 80}
    - {containerPort: 81, hostPort: 8081, protocol: UDP, hostIP: 10.0.0.1}
  initContainers:
  - name: i
    ports: [{containerPort: 9, hostPort: 9}]
  - name: s
    restartPolicy: Always
    ports: [{containerPort: 7, hostPort: 7}, {containerPort: 8}]
)")
            .facts();
    return facts.spec_of(facts.pods.at(0)).host_ports;
  };
  const HostPort declared{"10.0.0.1", "UDP", 8081};
  const HostPort own{"0.0.0.0", "TCP", 80}, sidecar{"0.0.0.0", "TCP", 7},
      own_of_sidecar{"0.0.0.0", "TCP", 8};
  CHECK(ports("false") == std::vector<HostPort>{declared, sidecar});
  CHECK(ports("true") == std::vector<HostPort>{own, declared, sidecar, own_of_sidecar});
  CHECK(ports("true", Compat::k1_20) == std::vector<HostPort>{own, declared});
}

TEST_CASE("objects: affinity, spread and tolerations") {
  const Facts facts = manifest_facts(R"(
kind: Pod
metadata: {name: p, labels: {app: web}}
spec:
  nodeSelector: {disk: ssd}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: zone, operator: In, values: [b, a, b]}
          - {key: gpu, operator: Exists}
        - matchFields: [{key: metadata.name, operator: NotIn, values: [n1]}]
        - matchExpressions: [{key: cores, operator: Gt, values: ["-1"]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 7, preference: {matchExpressions: [{key: x, operator: DoesNotExist}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: db}}, namespaces: [ns2, ns1]}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 3, podAffinityTerm: {topologyKey: host, namespaceSelector: {}}}
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 3,
     labelSelector: {}, nodeTaintsPolicy: Honor, nodeAffinityPolicy: Ignore, matchLabelKeys: [v]}
  tolerations:
  - {operator: Exists}
  - {key: a, value: b, effect: NoExecute, tolerationSeconds: 5}
)");
  const PodSpec& spec = facts.spec_of(facts.pods.at(0));
  CHECK(spec.node_selector == Labels{{"disk", "ssd"}});
  CHECK(spec.has_required_node_terms);
  REQUIRE(spec.required_node_terms.size() == 3);
  const NodeSelectorTerm& first = spec.required_node_terms[0];
  CHECK(first.matches({{"zone", "a"}, {"gpu", ""}}, "n9"));
  CHECK_FALSE(first.matches({{"zone", "c"}, {"gpu", ""}}, "n9"));
  CHECK(spec.required_node_terms[1].matches({}, "n2"));
  CHECK_FALSE(spec.required_node_terms[1].matches({}, "n1"));
  CHECK(spec.required_node_terms[2].broken);
  REQUIRE(spec.preferred_node_terms.size() == 1);
  CHECK(spec.preferred_node_terms[0].weight == 7);
  REQUIRE(spec.required_affinity.size() == 1);
  CHECK(spec.required_affinity[0].selector.matches({{"app", "db"}}));
  CHECK(spec.required_affinity[0].namespaces == std::vector<std::string>{"ns1", "ns2"});
  REQUIRE(spec.preferred_anti_affinity.size() == 1);
  CHECK(spec.preferred_anti_affinity[0].term.selector.nothing);
  CHECK(spec.preferred_anti_affinity[0].term.namespace_selector->matches({}));
  REQUIRE(spec.spread.size() == 1);
  CHECK(spec.spread[0].max_skew == 2);
  CHECK_FALSE(spec.spread[0].hard);
  CHECK(spec.spread[0].selector.matches({{"any", "thing"}}));
  CHECK(spec.spread[0].min_domains == 3);
  CHECK(spec.spread[0].honor_node_taints);
  CHECK_FALSE(spec.spread[0].honor_node_affinity);
  REQUIRE(spec.tolerations.size() == 2);  // the first one makes the default ones needless
  CHECK(spec.tolerations[0] == Toleration{"", true, "", std::nullopt});
  CHECK(spec.tolerations[1] == Toleration{"a", false, "b", TaintEffect::kNoExecute});
}

TEST_CASE("objects: volumes, classes and budgets of disruption") {
  const Facts facts = cluster_facts(R"(
kind: PersistentVolume
metadata: {name: pv, labels: {topology.kubernetes.io/zone: z}}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  claimRef: {namespace: a, name: c}
  nodeAffinity: {required: {nodeSelectorTerms: [
    {matchExpressions: [{key: h, operator: In, values: [n1]}]}]}}
---
kind: PersistentVolumeClaim
metadata: {name: c, namespace: a, annotations: {volume.kubernetes.io/selected-node: n1}}
spec: {storageClassName: "", volumeName: pv, resources: {requests: {storage: 1Gi}}}
---
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [b, a]}]}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb, namespace: a}
spec: {selector: {}, minAvailable: 50%}
status: {disruptionsAllowed: 2, disruptedPods: {p2: "2020-01-01T00:00:00Z", p1: null}}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: pdb-old, namespace: a}
spec: {selector: {}}
)");
  REQUIRE(facts.volumes.size() == 1);
  CHECK(facts.volumes[0].capacity_bytes == 2147483648);
  CHECK(facts.volumes[0].has_node_affinity);
  CHECK(facts.volumes[0].node_terms.at(0).matches({{"h", "n1"}}, "x"));
  CHECK(facts.volumes[0].claim_name == "c");
  REQUIRE(facts.claims.size() == 1);
  CHECK(facts.claims[0].storage_class == "");
  CHECK(facts.claims[0].selected_node == "n1");
  CHECK(facts.claims[0].request_bytes == 1073741824);
  REQUIRE(facts.storage_classes.size() == 1);
  CHECK(facts.storage_classes[0].is_default);
  CHECK_FALSE(facts.storage_classes[0].provisions);
  CHECK(facts.storage_classes[0].binding == VolumeBinding::kWaitForFirstConsumer);
  CHECK(facts.storage_classes[0].allowed_topologies.at(0).matches({{"zone", "a"}}, ""));
  REQUIRE(facts.disruption_budgets.size() == 2);
  CHECK(facts.disruption_budgets[0].selector.matches({}));
  CHECK(facts.disruption_budgets[0].disruptions_allowed == 2);
  CHECK(facts.disruption_budgets[0].disrupted_pods == std::vector<std::string>{"p1", "p2"});
  CHECK_FALSE(facts.disruption_budgets[1].selector.matches({}));
}

TEST_CASE("objects: groups of pods, and pods with gates") {
  const Facts facts = cluster_facts(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: all, namespace: a}
spec: {minMember: 3, scheduleTimeoutSeconds: 90}
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: any, namespace: a}
---
kind: Pod
apiVersion: v1
metadata: {name: gated, uid: g}
spec: {schedulingGates: [{name: example.com/paid}], containers: [{name: c}]}
---
kind: Pod
apiVersion: v1
metadata: {name: open, uid: o}
spec: {schedulingGates: [], containers: [{name: c, image: other}]}
)");
  REQUIRE(facts.pod_groups.size() == 2);
  CHECK(facts.pod_groups[0].min_member == 3);
  CHECK(facts.pod_groups[0].timeout_seconds == 90);
  CHECK(facts.pod_groups[1].min_member == 1);
  CHECK(facts.pod_groups[1].timeout_seconds == 0);
  REQUIRE(facts.pods.size() == 2);
  for (const Pod& pod : facts.pods) CHECK(facts.spec_of(pod).gated == (pod.name == "gated"));
}

TEST_CASE("objects: what the API server refuses is refused with its place") {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"kind: Pod\nmetadata: {name: Web}\n", "app.yaml:2:18: 'Web' is no name of an object"},
      {"kind: Pod\nmetadata: {name: \"a\\nb\"}\n",
       "app.yaml:2:18: 'a\\x0ab' is no name of an object"},
      {"kind: Pod\nmetadata: {name: ../etc}\n", "app.yaml:2:18: '../etc' is no name of an object"},
      {"kind: Pod\nmetadata: {name: a, namespace: A.b}\n",
       "app.yaml:2:32: 'A.b' is no name of a namespace"},
      {"kind: Pod\nmetadata: {labels: {a: b}}\n", "app.yaml:1:1: Pod without a name"},
      {"kind: Pod\nmetadata: {name: a, labels: {x: \"a b\"}}\n",
       "app.yaml:2:33: 'a b' is no label value"},
      {"kind: Pod\nmetadata: {name: a, labels: {\"x y\": b}}\n",
       "app.yaml:2:30: 'x y' is no label key"},
      {"kind: Pod\nmetadata: {name: a, labels: {x: 5}}\n",
       "app.yaml:2:33: 'x' must be text, not a number ('5')"},
      {"kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: -1}}\n",
       "app.yaml:3:29: 'cpu' is negative: '-1'"},
      {"kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 1 Gi}}\n",
       "app.yaml:3:29: 'cpu' is no quantity: '1 Gi'"},
      {"kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {memory: .nan}}\n",
       "app.yaml:3:32: 'memory' must be text or a number, not an infinity or NaN ('.nan')"},
      {"kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {memory: 99E}}\n",
       "app.yaml:3:32: 'memory' does not fit 64 bits: '99E'"},
      {"kind: Node\nmetadata: {name: a}\nspec: {taints: [{key: a, effect: NoSchedul}]}\n",
       "app.yaml:3:34: 'effect' cannot be 'NoSchedul'"},
      {"kind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: \"true\"}\n",
       "app.yaml:3:21: 'hostNetwork' must be true or false, not text ('true')"},
      {"kind: Pod\nmetadata: {name: a}\nspec: {containers: {}}\n",
       "app.yaml:3:20: 'containers' must be a list, not a map"},
      {"kind: Pod\nmetadata: {name: a}\nspec: {tolerations: [{key: \"\"}]}\n",
       "app.yaml:3:22: a toleration without key needs operator Exists"},
      {"kind: Pod\nmetadata: {name: a}\nspec: {topologySpreadConstraints: [{topologyKey: z}]}\n",
       "app.yaml:3:36: a topology spread constraint without whenUnsatisfiable"},
      {"kind: Pod\nmetadata: {name: a}\nspec: {affinity: {podAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: [{}]}}}\n",
       "app.yaml:3:82: a pod affinity term without topologyKey"},
      {"kind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n",
       "app.yaml:3:7: Deployment without a pod template"},
      {"kind: Deployment\nmetadata: {name: a}\nspec: {replicas: -1, template: {}}\n",
       "app.yaml:3:18: 'replicas' must be between 0 and 2147483647, not '-1'"},
      {"kind: Pod\nmetadata: {name: no}\n",
       "app.yaml:2:18: 'name' must be text, not a boolean ('no')"},
      {"kind: 5\n", "app.yaml:1:7: 'kind' must be text, not a number ('5')"},
      {"a: 1\n", "app.yaml:1:1: this document has no kind"},
      {"just text\n", "app.yaml:1:1: no Kubernetes object"},
      {"kind: List\nitems: [5]\n", "app.yaml:2:9: must be an object, not a number ('5')"},
      {"kind: List\nitems: [{a: 1}]\n", "app.yaml:2:9: this item has no kind"},
      {"items: [{kind: Pod, metadata: {name: p}}]\nkind: Menu\n",
       "app.yaml:2:7: kind 'Menu' has items but is no List"},
      {"kind: PodList\nitems: {}\n", "app.yaml:2:8: 'items' must be a list, not a map"},
  };
  for (const Case& c : cases)
    CHECK_MESSAGE(manifest_errors(c.text) == std::string(c.error) + "\n", c.text);
}

TEST_CASE("objects: selectors and their operators") {
  const auto errors = [](const std::string& expression) {
    return manifest_errors(
        "kind: Pod\nmetadata: {name: a}\nspec:\n affinity:\n  nodeAffinity:\n"
        "   requiredDuringSchedulingIgnoredDuringExecution:\n    nodeSelectorTerms:\n"
        "    - matchExpressions:\n      - " +
        expression + "\n");
  };
  CHECK(errors("{key: a, operator: In, values: []}") ==
        "app.yaml:9:9: operator In or NotIn without values\n");
  CHECK(errors("{key: a, operator: Exists, values: [x]}") ==
        "app.yaml:9:9: operator Exists or DoesNotExist with values\n");
  CHECK(errors("{key: a, operator: Gt, values: [\"1\", \"2\"]}") ==
        "app.yaml:9:9: operator Gt or Lt needs exactly one value\n");
  CHECK(errors("{key: a, operator: Inn, values: [x]}") ==
        "app.yaml:9:28: 'operator' cannot be 'Inn'\n");
  CHECK(errors("{key: \"a b\", operator: Exists}") == "app.yaml:9:9: 'a b' is no label key\n");
  CHECK(errors("{key: a}") == "app.yaml:9:9: this expression has no operator\n");
  CHECK(errors("{key: a, operator: Lt, values: [\"x\"]}") == "");  // matches no node, upstream too
}

TEST_CASE("objects: a hundred thousand values cost linear time") {
  std::string text =
      "kind: Pod\nmetadata: {name: a}\nspec: {affinity: {nodeAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: "
      "[{key: zone, operator: In, values: [";
  for (int i = 0; i < 100'000; ++i) text += "v" + std::to_string(i) + ",";
  const Facts facts = manifest_facts(text + "]}]}]}}}}\n");
  CHECK(facts.spec_of(facts.pods.at(0)).required_node_terms.at(0).expressions.at(0).values.size() ==
        100'000);
}

TEST_CASE("objects: names of 253 bytes pass, of 254 not") {
  const std::string longest(253, 'a');
  CHECK(manifest_errors("kind: Pod\nmetadata: {name: " + longest + "}\n") == "");
  CHECK(manifest_errors("kind: Pod\nmetadata: {name: " + longest + "a}\n").find("is no name") !=
        std::string::npos);
}

TEST_CASE("objects: a kind of another group, and kinds that do not matter, are listed") {
  const Facts facts = manifest_facts(R"(
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: fn}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "system:a"}
---
kind: ConfigMap
metadata: {name: settings}
)");
  std::string skipped;
  for (const SkippedObject& one : facts.skipped) skipped += one.kind + "/" + one.name + " ";
  CHECK(skipped == "ClusterRole/system:a ConfigMap/settings Service/fn ");
  CHECK(facts.spread_owners.empty());
  CHECK(manifest_errors("kind: Role\nmetadata: {name: \"a/b\"}\n") ==
        "app.yaml:2:18: 'a/b' is no name of an object\n");
  CHECK(manifest_errors("kind: Role\nmetadata: {name: \"a\\e[2J\"}\n") ==
        "app.yaml:2:18: 'a\\x1b[2J' is no name of an object\n");
}

}  // namespace
}  // namespace gedge
