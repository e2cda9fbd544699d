// Workloads become the pods that controllers and admission would make.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "support/objects.hpp"

namespace gedge {
namespace {

using test::manifest_facts;
using test::pod_names;
using test::warning_codes;

std::string workload(const std::string& kind, const std::string& name, const std::string& spec,
                     const std::string& pod = "{containers: [{name: a}]}") {
  return "---\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec:\n  " + spec +
         "\n  template: {metadata: {labels: {app: " + name + "}}, spec: " + pod + "}\n";
}

TEST_CASE("workloads: a Deployment makes replicas that share one spec") {
  const Facts facts = manifest_facts(workload("Deployment", "web", "replicas: 3"));
  CHECK(pod_names(facts) == "default/web-0 default/web-1 default/web-2");
  CHECK(facts.specs.size() == 1);
  const Pod& pod = facts.pods[2];
  CHECK(pod.workload_kind == "Deployment");
  CHECK(pod.workload_name == "web");
  CHECK(pod.ordinal == 2);
  CHECK(pod.controller.kind == "ReplicaSet");
  const std::string* hash = facts.specs[0].labels.find("pod-template-hash");
  REQUIRE(hash != nullptr);
  CHECK(pod.controller.name == "web-" + *hash);
  REQUIRE(facts.spread_owners.size() == 1);
  CHECK(facts.spread_owners[0].kind == "ReplicaSet");
  CHECK(facts.spread_owners[0].selector.matches(facts.specs[0].labels));
  CHECK_FALSE(facts.spread_owners[0].selector.matches({{"app", "web"}}));
  CHECK(pod.phase == PodPhase::kPending);
  CHECK(pod.bound_node.empty());
}

TEST_CASE("workloads: the template hash follows the template") {
  const auto hash = [](const std::string& pod) {
    return *manifest_facts(workload("Deployment", "web", "replicas: 1", pod))
                .specs[0]
                .labels.find("pod-template-hash");
  };
  CHECK(hash("{containers: [{name: a}]}") == hash("{containers: [{name: a}]}"));
  CHECK(hash("{containers: [{name: a}]}") != hash("{containers: [{name: b}]}"));
  CHECK(hash("{}").size() == 10);
}

TEST_CASE("workloads: numbers of pods") {
  struct Case {
    const char* kind;
    const char* spec;
    std::size_t pods;
  };
  const Case cases[] = {
      {"Deployment", "paused: false", 1},
      {"Deployment", "replicas: 0", 0},
      {"Deployment", "replicas: null", 1},
      {"ReplicaSet", "replicas: 2", 2},
      {"ReplicationController", "replicas: 2", 2},
      {"StatefulSet", "replicas: 4", 4},
      {"Job", "backoffLimit: 4", 1},
      {"Job", "parallelism: 5", 5},
      {"Job", "{parallelism: 5, completions: 3,", 3},
      {"Job", "completions: 3", 1},
      {"Job", "parallelism: 0", 0},
      {"Job", "suspend: true", 0},
  };
  for (const Case& c : cases) {
    const std::string spec = c.spec;
    std::string text = workload(c.kind, "w", spec);
    if (spec[0] == '{')
      text = "kind: Job\nmetadata: {name: w}\nspec: " + spec +
             " template: {spec: {containers: []}}}\n";
    CHECK_MESSAGE(manifest_facts(text).pods.size() == c.pods, c.kind << " " << c.spec);
  }
}

TEST_CASE("workloads: a StatefulSet gives each replica labels, claims and a name of its own") {
  const Facts facts = manifest_facts(R"(
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec:
  replicas: 2
  ordinals: {start: 5}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: a}], volumes: [{name: data, emptyDir: {}},
      {name: data, persistentVolumeClaim: {claimName: old}}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
kind: PersistentVolumeClaim
metadata: {name: data-db-6, namespace: prod}
spec: {volumeName: pv-6}
)");
  CHECK(pod_names(facts) == "prod/db-5 prod/db-6");
  CHECK(facts.specs.size() == 2);
  CHECK(*facts.pods[0].extra_labels.find("statefulset.kubernetes.io/pod-name") == "db-5");
  CHECK(*facts.pods[0].extra_labels.find("apps.kubernetes.io/pod-index") == "5");
  const PodSpec& spec = facts.spec_of(facts.pods[1]);
  CHECK(spec.volumes == std::vector<PodVolume>{{"data", "data-db-6", false}});
  REQUIRE(facts.claims.size() == 2);
  CHECK(facts.claims[0].name == "data-db-5");
  CHECK(facts.claims[0].storage_class == "fast");
  CHECK(facts.claims[0].request_bytes == 1 << 30);
  CHECK(facts.claims[1].volume_name == "pv-6");  // the one that exists
  CHECK(facts.spread_owners.at(0).kind == "StatefulSet");
}

TEST_CASE("workloads: 1.20 knows fewer labels") {
  const auto labels = [](Compat compat) {
    LoadOptions options;
    options.compat = compat;
    const Facts facts =
        test::Objects(options).manifests(workload("StatefulSet", "db", "replicas: 1")).facts();
    return facts.pods.at(0).extra_labels.size() + 100 * facts.namespaces.at(0).labels.size();
  };
  CHECK(labels(Compat::k1_20) == 1);
  CHECK(labels(Compat::k1_36) == 102);
}

TEST_CASE("workloads: a CronJob makes one Job") {
  const auto text = [](const std::string& suspend) {
    return "kind: CronJob\nmetadata: {name: c}\nspec: {suspend: " + suspend +
           ", jobTemplate: {spec: {parallelism: 2, template: {spec: {containers: [{name: "
           "a}]}}}}}\n";
  };
  const Facts facts = manifest_facts(text("false"));
  CHECK(pod_names(facts) == "default/c-0 default/c-1");
  CHECK(facts.pods[0].workload_kind == "CronJob");
  CHECK(facts.pods[0].controller.kind == "Job");
  CHECK(manifest_facts(text("true")).pods.empty());
}

constexpr const char* kNodes = R"(
---
kind: List
items:
- {kind: Node, metadata: {name: b, labels: {disk: ssd}}}
- {kind: Node, metadata: {name: a, labels: {disk: ssd}},
   spec: {taints: [{key: k, effect: NoSchedule}]}}
- {kind: Node, metadata: {name: c, labels: {disk: hdd}}}
- {kind: Node, metadata: {name: d, labels: {disk: ssd}},
   spec: {unschedulable: true, taints: [
   {key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}}
- {kind: Node, metadata: {name: e, labels: {disk: ssd}},
   spec: {taints: [{key: soft, effect: PreferNoSchedule}]}}
)";

TEST_CASE("workloads: a DaemonSet makes a pod for each node that would run it") {
  const Facts facts = manifest_facts(
      workload("DaemonSet", "log", "updateStrategy: {}", "{nodeSelector: {disk: ssd}}") + kNodes);
  CHECK(pod_names(facts) == "default/log-b default/log-d default/log-e");
  CHECK(facts.specs.size() == 3);
  const PodSpec& spec = facts.spec_of(facts.pods[1]);
  REQUIRE(spec.required_node_terms.size() == 1);
  CHECK(spec.required_node_terms[0].matches({}, "d"));
  CHECK_FALSE(spec.required_node_terms[0].matches({}, "b"));
  CHECK(spec.tolerations.size() == 6);
  const Facts tolerant = manifest_facts(
      workload("DaemonSet", "log", "updateStrategy: {}",
               "{hostNetwork: true, tolerations: [{operator: Exists}], affinity: {nodeAffinity: "
               "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
               "[{matchExpressions: "
               "[{key: disk, operator: NotIn, values: [hdd]}]}]}}}}") +
      kNodes);
  CHECK(pod_names(tolerant) == "default/log-a default/log-b default/log-d default/log-e");
  CHECK(tolerant.specs[0].tolerations.size() == 8);
}

TEST_CASE("workloads: two kinds of one name, the later kind in the alphabet gives way") {
  const Facts facts = manifest_facts(
      workload("StatefulSet", "web", "replicas: 3") + workload("Deployment", "web", "replicas: 2") +
      workload("Job", "web-0", "parallelism: 1") + "---\nkind: Pod\nmetadata: {name: web-1}\n");
  CHECK(pod_names(facts) ==
        "default/web-0 default/web-1 default/statefulset-web-0 default/statefulset-web-1 "
        "default/statefulset-web-2 default/web-0-0 default/pod-web-1");
  // The controllers' own names stay in labels.
  CHECK(*facts.pods[2].extra_labels.find("statefulset.kubernetes.io/pod-name") == "web-0");
  const Facts apart =
      manifest_facts(workload("StatefulSet", "web", "replicas: 1") +
                     "---\nkind: Deployment\nmetadata: {name: web, namespace: other}\n"
                     "spec: {template: {spec: {}}}\n");
  CHECK(pod_names(apart) == "default/web-0 other/web-0");
}

TEST_CASE("workloads: names that exist in the cluster are not given again") {
  const std::string running =
      "kind: Pod\nmetadata: {name: db-0, ownerReferences: [{kind: StatefulSet, name: db, "
      "controller: true}]}\n"
      "spec: {nodeName: n1}\nstatus: {phase: Running}\n---\nkind: Node\nmetadata: {name: n1}\n";
  const Facts facts = test::Objects()
                          .cluster(running)
                          .manifests(workload("StatefulSet", "db", "replicas: 2"))
                          .facts();
  CHECK(pod_names(facts) == "default/db-0 default/db-1");
  CHECK(facts.pods[0].bound_node == "n1");
  CHECK(warning_codes(facts) == "AlreadyPlaced");
  const Facts other = test::Objects()
                          .cluster(running)
                          .manifests(workload("Deployment", "db", "replicas: 1"))
                          .facts();
  CHECK(pod_names(other) == "default/deployment-db-0 default/db-0");
}

TEST_CASE("workloads: a pod of the manifests belongs to its controller") {
  const auto pod = [](const std::string& name, const std::string& owners) {
    return "---\nkind: Pod\nmetadata: {" + name + owners + "}\n";
  };
  const std::string owned =
      ", ownerReferences: [{kind: StatefulSet, name: db, uid: u, controller: true}]";
  const Facts facts = manifest_facts(pod("name: db-7", owned) + pod("name: bare", "") +
                                     pod("generateName: db-", owned) + pod("generateName: g-", ""));
  REQUIRE(pod_names(facts) == "default/bare default/db-0 default/db-7 default/g-0");
  const auto workload_of = [&](std::size_t i) {
    return facts.pods[i].workload_kind + "/" + facts.pods[i].workload_name + "/" +
           std::to_string(facts.pods[i].ordinal);
  };
  CHECK(workload_of(0) == "Pod/bare/0");
  CHECK(workload_of(1) == "StatefulSet/db/0");
  CHECK(workload_of(2) == "StatefulSet/db/7");
  CHECK(workload_of(3) == "Pod/g-0/0");
}

TEST_CASE("workloads: what another declared workload makes is not made twice") {
  const Facts facts =
      manifest_facts(workload("Deployment", "web", "replicas: 1") +
                     "---\nkind: ReplicaSet\nmetadata: {name: web-abc, ownerReferences: [{kind: "
                     "Deployment, name: web, controller: true}]}\n"
                     "spec: {replicas: 1, template: {spec: {}}}\n");
  CHECK(pod_names(facts) == "default/web-0");
}

TEST_CASE("workloads: ephemeral volumes get claims of their own") {
  const Facts facts =
      manifest_facts(workload("Deployment", "web", "replicas: 2",
                              "{volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: "
                              "{resources: {requests: {storage: 5}}}}}}]}"));
  REQUIRE(facts.claims.size() == 2);
  CHECK(facts.claims[1].name == "web-1-scratch");
  CHECK(facts.claims[1].request_bytes == 5);
  CHECK(facts.spec_of(facts.pods[1]).volumes.at(0).claim == "web-1-scratch");
}

TEST_CASE("workloads: more than two million pods are refused with the place") {
  CHECK(test::manifest_errors(workload("Deployment", "web", "replicas: 2147483647")) ==
        "app.yaml:2:1: Deployment default/web brings the pods to more than 2000000\n");
}

/// What is wrong with a workload whose pods keep some hundred bytes each, and share 4 KiB, where
/// specs may have 64 KiB.
std::string heavy(const std::string& kind, const std::string& spec, const std::string& volumes,
                  int nodes) {
  LoadOptions options;
  options.max_spec_bytes = 64 << 10;
  const std::string pod =
      "{nodeSelector: {a: b}, containers: [{name: a, image: " + std::string(4096, 'x') + "}]" +
      volumes + "}";
  test::Objects objects(options);
  for (int i = 0; i < nodes; ++i)
    objects.cluster("kind: Node\nmetadata: {name: n" + std::to_string(i) + ", labels: {a: b}}\n");
  return objects.manifests(workload(kind, "w", spec, pod)).errors();
}

TEST_CASE("workloads: specs that pods do not share may not fill the memory") {
  const std::string ephemeral =
      ", volumes: [{name: s, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: "
      "{storage: 5}}}}}}]";
  const auto error = [](const std::string& kind) {
    return "app.yaml:2:1: " + kind +
           " default/w brings the specs that pods do not share to more than 64Ki\n";
  };
  const std::string claims = "volumeClaimTemplates: [{metadata: {name: d}}]\n  replicas: ";
  CHECK(heavy("StatefulSet", claims + "50", "", 0) == "");
  CHECK(heavy("StatefulSet", claims + "2000000", "", 0) == error("StatefulSet"));
  CHECK(heavy("Deployment", "replicas: 50", ephemeral, 0) == "");
  CHECK(heavy("Deployment", "replicas: 500", ephemeral, 0) == error("Deployment"));
  CHECK(heavy("DaemonSet", "paused: false", "", 50) == "");
  CHECK(heavy("DaemonSet", "paused: false", "", 500) == error("DaemonSet"));
  CHECK(heavy("Deployment", "replicas: 5000", "", 0) == "");  // one spec for all
}

TEST_CASE("workloads: pods that alias one spec with volumes of their own are bounded too") {
  LoadOptions options;
  options.max_spec_bytes = 64 << 10;
  const auto errors = [&](int pods) {
    std::string text = "kind: List\nitems:\n";
    for (int i = 0; i < pods; ++i)
      text += "- kind: Pod\n  metadata: {name: p" + std::to_string(i) + "}\n  spec: " +
              (i > 0 ? "*s"
                     : "&s {containers: [{name: a, image: " + std::string(4096, 'x') +
                           "}], volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]}") +
              "\n";
    return test::Objects(options).manifests(text).errors();
  };
  CHECK(errors(50) == "");
  const std::string refused = errors(500);
  CHECK(refused.ends_with(" brings the specs that pods do not share to more than 64Ki\n"));
  CHECK(refused.find('\n') == refused.size() - 1);
}

TEST_CASE("workloads: a selector that misses its own template is said") {
  CHECK(warning_codes(manifest_facts(workload(
            "Deployment", "web", "selector: {matchLabels: {app: other}}"))) == "SelectorMismatch");
  CHECK(warning_codes(manifest_facts(
            workload("Deployment", "web", "selector: {matchLabels: {app: web}}"))) == "");
}

TEST_CASE("admission: default tolerations unless the pod says itself how long it stays") {
  const auto tolerations = [](const std::string& own) {
    const Facts facts =
        manifest_facts("kind: Pod\nmetadata: {name: p}\nspec: {tolerations: [" + own + "]}\n");
    return facts.specs.at(0).tolerations.size();
  };
  CHECK(tolerations("") == 2);
  CHECK(tolerations("{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, "
                    "tolerationSeconds: 5}") == 2);
  CHECK(tolerations("{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoSchedule}") ==
        3);
  CHECK(tolerations("{operator: Exists, effect: NoExecute}") == 1);
  const Facts facts = manifest_facts("kind: Pod\nmetadata: {name: p}\n");
  CHECK(facts.specs.at(0).tolerations ==
        std::vector<Toleration>{
            {"node.kubernetes.io/not-ready", true, "", TaintEffect::kNoExecute},
            {"node.kubernetes.io/unreachable", true, "", TaintEffect::kNoExecute}});
}

TEST_CASE("admission: priority classes") {
  const std::string classes =
      "---\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\npreemptionPolicy: Never\n"
      "---\nkind: PriorityClass\nmetadata: {name: usual}\nvalue: 7\nglobalDefault: true\n";
  const auto priority = [&](const std::string& spec, const std::string& more) {
    const Facts facts =
        manifest_facts("kind: Pod\nmetadata: {name: p}\nspec: {" + spec + "}\n" + more);
    return std::to_string(facts.pods.at(0).priority) +
           (facts.specs.at(0).preempts ? " preempts " : " waits ") + warning_codes(facts);
  };
  CHECK(priority("", "") == "0 preempts ");
  CHECK(priority("", classes) == "7 preempts ");
  CHECK(priority("priorityClassName: high", classes) == "1000 waits ");
  CHECK(priority("priorityClassName: high, preemptionPolicy: PreemptLowerPriority", classes) ==
        "1000 preempts ");
  CHECK(priority("priorityClassName: system-node-critical", "") == "2000001000 preempts ");
  CHECK(priority("priorityClassName: system-cluster-critical", "") == "2000000000 preempts ");
  CHECK(priority("priorityClassName: none-such", classes) == "0 preempts MissingPriorityClass");
  CHECK(priority("priority: 5", "") == "5 preempts ");
  CHECK(priority("priority: 5, priorityClassName: high", classes) == "1000 waits PriorityIgnored");
  const std::string second =
      "---\nkind: PriorityClass\nmetadata: {name: also}\nvalue: 3\nglobalDefault: true\n";
  CHECK(priority("", classes + second) == "3 preempts SeveralDefaultPriorityClasses");
}

TEST_CASE(
    "admission: LimitRange defaults reach planned containers only where amounts are missing") {
  const std::string range = R"(
---
kind: LimitRange
metadata: {name: r}
spec:
  limits:
  - type: Container
    default: {memory: 512Mi}
    defaultRequest: {cpu: 100m}
    max: {cpu: 2}
    min: {memory: 1Mi, ephemeral-storage: 5}
  - type: Pod
    max: {cpu: 8}
)";
  const std::string pod =
      "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a}, {name: b, resources: "
      "{requests: {cpu: 1}, limits: {memory: 1Gi}}}]}\n";
  const Facts facts = manifest_facts(pod + range);
  const PodSpec& spec = facts.specs.at(0);
  CHECK(spec.containers[0].requests ==
        Resources{{"cpu", 100}, {"memory", 512 << 20}, {"ephemeral-storage", 5}});
  CHECK(spec.containers[0].limits == Resources{{"cpu", 2000}, {"memory", 512 << 20}});
  CHECK(spec.containers[1].requests ==
        Resources{{"cpu", 1000}, {"memory", 1 << 30}, {"ephemeral-storage", 5}});
  const Facts known = test::cluster_facts(pod + range);
  CHECK(known.specs.at(0).containers[0].requests.empty());
  CHECK(known.specs.at(0).tolerations.empty());
}

// Workloads that are written alike share their containers until admission changes some.
TEST_CASE("admission: a LimitRange leaves alike workloads of other namespaces alone") {
  std::string text =
      "kind: LimitRange\nmetadata: {name: r, namespace: small}\nspec:\n"
      "  limits:\n  - type: Container\n    defaultRequest: {cpu: 100m}\n";
  for (int i = 0; i < 40; ++i)
    text += "---\nkind: Deployment\nmetadata:\n  name: w-" + std::to_string(i) +
            "\n  namespace: " + (i % 2 == 0 ? "small" : "other") +
            "\nspec:\n  template:\n    metadata:\n      labels:\n        app: w-" +
            std::to_string(i) + "\n    spec:\n      containers:\n      - name: main\n";
  const Facts facts = manifest_facts(text);
  REQUIRE(facts.pods.size() == 40);
  for (const Pod& pod : facts.pods) {
    CAPTURE(pod.name);
    const Resources& requests = facts.spec_of(pod).containers.at(0).requests;
    CHECK(requests == (pod.namespace_name == "small" ? Resources{{"cpu", 100}} : Resources{}));
  }
}

TEST_CASE("admission: a RuntimeClass adds overhead, node selector and tolerations") {
  const std::string kata = R"(
---
kind: RuntimeClass
metadata: {name: kata}
overhead: {podFixed: {cpu: 250m, memory: 120Mi}}
scheduling: {nodeSelector: {kata: "yes"}, tolerations: [{key: kata, operator: Exists}]}
)";
  const Facts facts =
      manifest_facts("kind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: kata}\n" + kata);
  CHECK(facts.specs.at(0).overhead == Resources{{"cpu", 250}, {"memory", 120 << 20}});
  CHECK(facts.specs.at(0).node_selector == Labels{{"kata", "yes"}});
  CHECK(facts.specs.at(0).tolerations.at(0).key == "kata");
  CHECK(warning_codes(
            manifest_facts("kind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: gone}\n")) ==
        "MissingRuntimeClass");
}

}  // namespace
}  // namespace gedge
