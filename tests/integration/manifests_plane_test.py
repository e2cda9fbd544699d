"""The rights that `gedge manifests` prints, on a real API server that checks them: enough to do the
work, and not one verb more."""
import concurrent.futures
import http.client
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import LONGEST, PODS, Daemon, Plane, Scheduler, node, pod, until  # noqa: E402
from scaled import deployment  # noqa: E402

GEDGE = os.environ["GEDGE"]
SPACE = "gedge-system"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
CORE, APPS = "/api/v1/namespaces", "/apis/apps/v1/namespaces"
PATHS = {"Namespace": CORE, "ServiceAccount": CORE + "/{}/serviceaccounts",
         "ConfigMap": CORE + "/{}/configmaps", "Service": CORE + "/{}/services",
         "Role": RBAC + "/namespaces/{}/roles", "RoleBinding": RBAC + "/namespaces/{}/rolebindings",
         "ClusterRole": RBAC + "/clusterroles", "ClusterRoleBinding": RBAC + "/clusterrolebindings",
         "FlowSchema": "/apis/flowcontrol.apiserver.k8s.io/v1beta1/flowschemas",
         "Deployment": APPS + "/{}/deployments", "DaemonSet": APPS + "/{}/daemonsets"}
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def manifests(*flags):
    run = subprocess.run([GEDGE, "manifests", "-o", "json", *flags], capture_output=True, text=True,
                         check=True)
    return json.loads(run.stdout)["items"]


def apply(plane, things):
    """What is there already stays as it is. What the server does not know it would drop."""
    for thing in things:
        path = PATHS[thing["kind"]].format(thing["metadata"].get("namespace"))
        status, answer = plane.call("POST", path, thing)
        if status == 409:
            continue
        need(status == 201, f"{thing['kind']}: {status} {answer}")
        need(is_within(thing, answer), f"{thing['kind']}: the server dropped a part: {answer}")


def is_within(small, large):
    if isinstance(small, dict):
        return isinstance(large, dict) and all(
            is_within(value, large.get(key)) for key, value in small.items() if value != "")
    if isinstance(small, list):
        return isinstance(large, list) and len(small) == len(large) and all(
            is_within(a, b) for a, b in zip(small, large))
    return small == large


def account(name):
    return f"system:serviceaccount:{SPACE}:gedge-{name}"


READ = {("", r) for r in ("nodes", "pods", "namespaces", "services", "replicationcontrollers",
                          "persistentvolumes", "persistentvolumeclaims")} | {
    ("apps", "replicasets"), ("apps", "statefulsets"), ("policy", "poddisruptionbudgets"),
    ("storage.k8s.io", "storageclasses"), ("scheduling.x-k8s.io", "podgroups"),
    ("gedge.io", "nodelatencies")}
LISTED = {("", "limitranges"), ("batch", "jobs"), ("scheduling.k8s.io", "priorityclasses"),
          ("node.k8s.io", "runtimeclasses")}
OTHERS = {("", r) for r in ("secrets", "configmaps", "pods/exec", "pods/binding", "pods/status",
                            "pods/eviction", "pods/log", "nodes/status", "nodes/proxy", "events",
                            "serviceaccounts", "serviceaccounts/token", "bindings")} | {
    ("apps", "deployments"), ("apps", "daemonsets"), ("events.k8s.io", "events"),
    ("coordination.k8s.io", "leases"), ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "rolebindings"), ("apiextensions.k8s.io",
                                                    "customresourcedefinitions"),
    ("apps", "deployments/scale"), ("apps", "statefulsets/scale"), ("apps", "replicasets/scale"),
    ("", "replicationcontrollers/scale"), ("autoscaling", "horizontalpodautoscalers"),
    ("autoscaling", "horizontalpodautoscalers/status"), ("metrics.k8s.io", "pods"),
    ("custom.metrics.k8s.io", "pods/rate"), ("external.metrics.k8s.io", "queue")}
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
         "impersonate", "bind", "escalate")
LEASE = {(SPACE, "coordination.k8s.io", "leases", "gedge-scheduler", verb)
         for verb in ("get", "update", "create")} | {
    (SPACE, "coordination.k8s.io", "leases", "other", "create")}


def allowed(name, *more):
    """(namespace, group, resource, name, verb) of all that an account may do, as it is meant."""
    verbs = {"scheduler": ("list", "watch"), "extender": ("list", "watch"), "reader": ("list",),
             "hint": ("list",)}
    kinds = READ | LISTED if name in ("reader", "hint") else READ
    rights = {(space, group, resource, which, verb) for group, resource in kinds
              for verb in verbs.get(name, ()) for space in ("default", SPACE)
              for which in ("gedge-scheduler", "other")}
    for group, resource, verb in more:
        rights |= {(space, group, resource, which, verb) for space in ("default", SPACE)
                   for which in ("gedge-scheduler", "other")}
    if name == "autoscaler":
        rights |= {(SPACE, "coordination.k8s.io", "leases", which, "create")
                   for which in ("gedge-scheduler", "other")}
    return rights | (LEASE if name == "scheduler" else set())


def check_rights(plane, name, *more):
    user, wanted = account(name), allowed(name, *more)
    asked = [(space, group, resource, which, verb) for group, resource in READ | LISTED | OTHERS
             for verb in VERBS for space in ("default", SPACE)
             for which in ("gedge-scheduler", "other")]

    def ask(one):
        space, group, resource, which, verb = one
        kind, _, part = resource.partition("/")
        spec = {"user": user, "groups": ["system:serviceaccounts", "system:authenticated"],
                "resourceAttributes": {"namespace": space, "group": group, "resource": kind,
                                       "subresource": part, "name": which, "verb": verb}}
        _, answer = plane.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                               {"spec": spec})
        return one, answer["status"]["allowed"]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        may = {one for one, is_allowed in pool.map(ask, asked) if is_allowed}
    need(may == wanted, f"{name}: may too much {sorted(may - wanted)[:5]}, "
         f"too little {sorted(wanted - may)[:5]}")
    need(len(asked) > 1000, f"only {len(asked)} questions")


def check_scheduler(plane):
    """With its role alone it holds the lease, binds, and says why it does not."""
    apply(plane, manifests("--mode", "scheduler"))
    check_rights(plane, "scheduler", ("", "pods", "get"), ("", "pods/binding", "create"),
                 ("", "pods/status", "patch"), ("events.k8s.io", "events", "create"),
                 ("events.k8s.io", "events", "patch"))
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    plane.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                 {"metadata": {"name": "high"}, "value": 100})
    plane.create(PODS.format("default"), pod("a", cpu="800m"), pod("large", cpu="8"))
    with Scheduler(plane, "--leader-elect", "--as", account("scheduler")) as gedge:
        until(lambda: "nodeName" in plane.pods()["a"]["spec"], "a")
        until(lambda: plane.pods()["large"]["status"].get("conditions"), "large to be told")
        events = "/apis/events.k8s.io/v1/namespaces/default/events"
        until(lambda: len(plane.get(events)["items"]) >= 2, "events")
        need("forbidden" not in gedge.log(), gedge.log())
        # Without the right to delete pods, nobody goes for another, and that is said.
        plane.create(PODS.format("default"), pod("vip", cpu="800m", priorityClassName="high"))
        until(lambda: "cannot evict default/a" in gedge.log(), "the eviction to be refused")
        need("a" in plane.pods(), "a pod went without a right")
        apply(plane, manifests("--mode", "preemption"))
        until(lambda: plane.pods()["vip"]["spec"].get("nodeName") == "n1", "vip in its place",
              2 * LONGEST)  # it asks again after a minute
    need(gedge.process.returncode == 0, f"exit {gedge.process.returncode}")
    apply(plane, manifests("--mode", "volumes"))
    check_rights(plane, "scheduler", ("", "pods", "get"), ("", "pods/binding", "create"),
                 ("", "pods/status", "patch"), ("events.k8s.io", "events", "create"),
                 ("events.k8s.io", "events", "patch"), ("", "pods", "delete"),
                 ("", "persistentvolumes", "patch"), ("", "persistentvolumeclaims", "patch"))
    check_repair(plane)


def check_repair(plane):
    """The right to evict comes with its own mode alone."""
    plane.create("/api/v1/nodes", node("n2", cpu="1"))
    path = plane.path("repair.json")
    with open(path, "w") as file:
        json.dump({"apiVersion": "kubescheduler.config.k8s.io/v1", "profiles": [
            {"schedulerName": "gedge", "overcommit": "evict"}],
                   "kind": "KubeSchedulerConfiguration"}, file)
    plane.create(PODS.format("default"), pod("b", cpu="800m"))
    with Scheduler(plane, "--profile", path, "--as", account("scheduler")) as gedge:
        until(lambda: plane.pods()["b"]["spec"].get("nodeName") == "n2", "b")
        plane.create(PODS.format("default"), pod("x", cpu="800m", scheduler="other"))
        plane.call("POST", PODS.format("default") + "/x/binding",
                   {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "x"},
                    "target": {"kind": "Node", "name": "n2"}})
        until(lambda: "cannot evict default/b" in gedge.log(), "the eviction to be refused")
        need("b" in plane.pods(), "a pod was evicted without a right")
        apply(plane, manifests("--mode", "repair"))
        until(lambda: "b" not in plane.pods(), "b to go")


def check_flow(plane):
    """A server that is busy serves its requests by levels that others cannot fill."""
    apply(plane, manifests("--mode", "scheduler", "--flow-schema", "v1beta1"))
    levels = "/apis/flowcontrol.apiserver.k8s.io/v1beta1/prioritylevelconfigurations/"
    for path, level in (("/api/v1/nodes", "workload-high"), ("/version", "workload-high"),
                        ("/apis/coordination.k8s.io/v1/namespaces/" + SPACE + "/leases/x",
                         "leader-election")):
        wanted = plane.get(levels + level)["metadata"]["uid"]

        def used():
            plane.local.connection.request(
                "GET", path, headers={"Authorization": "Bearer " + plane.token,
                                      "Impersonate-User": account("scheduler")})
            reply = plane.local.connection.getresponse()
            reply.read()
            return reply.headers["X-Kubernetes-PF-PriorityLevel-UID"]
        until(lambda: used() == wanted, f"{path} to be of level {level}")


def check_extender(plane):
    apply(plane, manifests("--mode", "extender"))
    check_rights(plane, "extender")
    with Daemon(plane, "extender", "--kubeconfig", plane.kubeconfig, "--as",
                account("extender")) as gedge:
        need("forbidden" not in gedge.log(), gedge.log())
    for thing in manifests("--mode", "extender", "--bind", "--rights-only"):
        if thing["kind"] == "ClusterRole":
            plane.patch(PATHS["ClusterRole"] + "/" + thing["metadata"]["name"],
                        {"rules": thing["rules"]})
    check_rights(plane, "extender", ("", "pods", "get"), ("", "pods/binding", "create"))
    made, = plane.create(PODS.format("default"), pod("by-hand", cpu="1m"))
    with Daemon(plane, "extender", "--bind", "--kubeconfig", plane.kubeconfig, "--as",
                account("extender")) as gedge:
        body = {"PodName": "by-hand", "PodNamespace": "default", "Node": "n1",
                "PodUID": made["metadata"]["uid"]}
        for _ in range(2):  # the second time it is there already
            connection = http.client.HTTPConnection("127.0.0.1", gedge.port(), timeout=60)
            connection.request("POST", "/bind", json.dumps(body),
                               {"Content-Type": "application/json"})
            reply = json.loads(connection.getresponse().read())
            connection.close()
            need(reply == {"Error": ""}, f"{reply}")
        need(plane.pods()["by-hand"]["spec"].get("nodeName") == "n1", "it was not bound")


def check_reader(plane):
    apply(plane, manifests("--mode", "reader"))
    check_rights(plane, "reader")


def check_hint(plane):
    apply(plane, manifests("--mode", "hint"))
    patched = ("deployments", "statefulsets", "daemonsets", "replicasets")
    check_rights(plane, "hint", ("", "nodes", "patch"), *(("apps", r, "patch") for r in patched))
    with open(plane.path("site.json"), "w") as file:
        json.dump({"items": [node("n1"), {**node("gone"), "metadata": {"name": "gone"}}],
                   "kind": "List", "apiVersion": "v1"}, file)
    run = subprocess.run(
        [GEDGE, "hint", "--cluster", plane.path("site.json"), "--from", "n1", "--write",
         "--kubeconfig", plane.kubeconfig, "--as", account("hint")], capture_output=True, text=True)
    need((run.returncode, run.stdout) == (0, "labelled node n1\n"), f"{run}")


def check_publish(plane):
    apply(plane, manifests("--mode", "publish"))
    check_rights(plane, "publish", ("", "nodes", "list"),
                 *(("gedge.io", "nodelatencies", verb) for verb in ("list", "create", "patch")))


def check_prober(plane):
    apply(plane, manifests("--mode", "prober"))
    check_rights(plane, "prober")


def check_autoscaler(plane):
    """With its role alone it holds the lease, scales, and says so."""
    apply(plane, manifests("--mode", "autoscaler", "--own-hpa"))
    kinds = ("deployments", "statefulsets", "replicasets")
    rights = [("", "pods", "list"), ("", "pods", "watch"), ("metrics.k8s.io", "pods", "list"),
              ("autoscaling", "horizontalpodautoscalers", "list"),
              ("autoscaling", "horizontalpodautoscalers", "watch"),
              ("autoscaling", "horizontalpodautoscalers/status", "patch"),
              ("events.k8s.io", "events", "create"), ("events.k8s.io", "events", "patch"),
              *(("apps", kind + "/scale", verb) for kind in kinds for verb in ("get", "update")),
              *(("apps", kind, "list") for kind in kinds), ("", "replicationcontrollers", "list"),
              *(("", "replicationcontrollers/scale", verb) for verb in ("get", "update"))]
    check_rights(plane, "autoscaler", *rights)
    plane.create("/apis/apps/v1/namespaces/default/deployments", deployment("web", 3))
    hpas = "/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers"
    plane.create(hpas, {"metadata": {"name": "web"}, "spec": {
        "maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment",
                                             "name": "web"}}})
    with Daemon(plane, "scale", "run", "--own-hpa", "--leader-elect", "--kubeconfig",
                plane.kubeconfig, "--as", account("autoscaler")) as gedge:
        until(lambda: "event=rescaled autoscaler=default/web" in gedge.log(), "two replicas")
        until(lambda: plane.get(hpas + "/web")["status"].get("conditions"), "a status")
        events = "/apis/events.k8s.io/v1/namespaces/default/events"
        until(lambda: any(event["reason"] == "SuccessfulRescale"
                          for event in plane.get(events)["items"]), "an Event")
        need("forbidden" not in gedge.log(), gedge.log())
    need(gedge.process.returncode == 0, f"exit {gedge.process.returncode}")
    apply(plane, manifests("--mode", "custom-metrics"))
    check_rights(plane, "autoscaler", *rights, ("custom.metrics.k8s.io", "pods/rate", "get"),
                 ("external.metrics.k8s.io", "queue", "list"))
    check_sites(plane)


def check_sites(plane):
    """With the roles of an autoscaler with sites alone it finds out what fits where."""
    apply(plane, manifests("--mode", "autoscaler") + manifests("--mode", "sites"))
    plane.create("/apis/apps/v1/namespaces/default/deployments", deployment("far", 0))
    plane.delete("/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers/web")
    with open(plane.path("far.json"), "w") as file:
        json.dump({"apiVersion": "gedge.io/v1alpha1", "kind": "Autoscaler",
                   "metadata": {"name": "web"},
                   "spec": {"target": {"kind": "Deployment", "name": "web"}, "max": 1,
                            "metrics": [{"resource": "cpu", "utilization": 50}],
                            "sites": {"order": ["home", "far"], "workloads": {"far": "far"}}}},
                  file)
    done = subprocess.run([GEDGE, "scale", "run", "-f", plane.path("far.json"), "--once",
                           "--kubeconfig", plane.kubeconfig, "--as", account("autoscaler")],
                          capture_output=True, text=True)
    need("event=rescaled autoscaler=default/web" in done.stderr, f"{done}")
    need("forbidden" not in done.stderr, f"{done}")
    # To change a template is a right of its own.
    may = [("apps", "deployments", "patch"), ("apps", "statefulsets", "patch"),
           ("", "pods/resize", "patch")]
    never = [("apps", "deployments", "update"), ("apps", "replicasets", "patch"),
             ("", "pods", "create")]
    need(not any(is_allowed(plane, "autoscaler", *one) for one in may + never), "too much")
    apply(plane, manifests("--mode", "growth"))
    until(lambda: all(is_allowed(plane, "autoscaler", *one) for one in may), "these rights")
    need(not any(is_allowed(plane, "autoscaler", *one) for one in never), "too much")


def is_allowed(plane, name, group, resource, verb):
    _, answer = plane.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        "spec": {"user": account(name), "groups": ["system:authenticated"],
                 "resourceAttributes": {"namespace": "default", "group": group, "verb": verb,
                                        "resource": resource.partition("/")[0],
                                        "subresource": resource.partition("/")[2]}}})
    return answer["status"]["allowed"]


def main():
    with Plane() as plane:
        for check in (check_scheduler, check_flow, check_autoscaler, check_extender, check_reader,
                      check_hint, check_publish, check_prober):
            before = len(failures)
            try:
                check(plane)
            except (AssertionError, subprocess.CalledProcessError) as wrong:
                failures.append(f"{check.__name__}: {wrong}")
            print(f"{check.__name__}: {'ok' if len(failures) == before else 'wrong'}", flush=True)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
