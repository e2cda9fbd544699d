"""`--cluster live` against a real kube-apiserver: what is read is what a dump of the same facts
says, and measured latency that the cluster carries is followed."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Plane, Scheduler, node, pod, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
MAPS = "/api/v1/namespaces/gedge-system/configmaps"
failures = []

# What `kubectl get` prints of everything that a plan reads: path, apiVersion, kind.
KINDS = (("/api/v1/nodes", "v1", "Node"), ("/api/v1/pods", "v1", "Pod"),
         ("/api/v1/namespaces", "v1", "Namespace"), ("/api/v1/services", "v1", "Service"),
         ("/api/v1/limitranges", "v1", "LimitRange"),
         ("/api/v1/persistentvolumes", "v1", "PersistentVolume"),
         ("/api/v1/persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
         ("/apis/apps/v1/replicasets", "apps/v1", "ReplicaSet"),
         ("/apis/apps/v1/statefulsets", "apps/v1", "StatefulSet"),
         ("/apis/batch/v1/jobs", "batch/v1", "Job"),
         ("/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass"),
         ("/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass"),
         ("/apis/policy/v1beta1/poddisruptionbudgets", "policy/v1beta1", "PodDisruptionBudget"),
         (MAPS, "v1", "ConfigMap"))


def need(fact, what):
    if not fact:
        failures.append(what)


def gedge(*arguments, home=None):
    environment = {**os.environ, "HOME": home or "/nonexistent"}
    environment.pop("KUBECONFIG", None)
    return subprocess.run([GEDGE, *arguments], capture_output=True, text=True, env=environment)


def dump(plane):
    items = []
    for path, version, kind in KINDS:
        for thing in plane.get(path)["items"]:
            items.append({"apiVersion": version, "kind": kind, **thing})
    path = plane.path("dump.json")
    with open(path, "w") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    return path


def matrix(rtts):
    names = sorted({name for pair in rtts for name in pair})
    return {"apiVersion": "gedge.io/v1alpha1", "kind": "LatencyMatrix", "nodes": names,
            "pairs": [{"from": a, "to": b, "p95Us": us} for (a, b), us in rtts.items()]}


def fill(plane):
    """Nodes of two zones, pods of every kind of owner, a budget, a volume, and latency."""
    plane.create_space()
    plane.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
    zone = "topology.kubernetes.io/zone"
    plane.create("/api/v1/nodes", *(node(f"n{i}", labels={zone: f"z{i % 2}"}) for i in range(6)))
    plane.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                 {"metadata": {"name": "high"}, "value": 100})
    plane.create("/apis/storage.k8s.io/v1/storageclasses",
                 {"metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner",
                  "volumeBindingMode": "WaitForFirstConsumer"})
    plane.create("/api/v1/namespaces/shop/limitranges",
                 {"metadata": {"name": "limits"}, "spec": {"limits": [
                     {"type": "Container", "defaultRequest": {"cpu": "300m"}}]}})
    plane.create("/api/v1/namespaces/shop/services",
                 {"metadata": {"name": "web"},
                  "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
    plane.create("/apis/policy/v1beta1/namespaces/shop/poddisruptionbudgets",
                 {"metadata": {"name": "web"},
                  "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}})
    plane.create(PODS.format("shop"), *(pod(f"web-{i}", labels={"app": "web"}) for i in range(3)),
                 *(pod(f"vip-{i}", cpu="1500m", priorityClassName="high") for i in range(4)))
    budget = {"gedge.io/delay-budget": "node/n0=5ms"}
    plane.create(PODS.format("default"),
                 *(pod(f"near-{i}", cpu="1200m", annotations=budget) for i in range(5)),
                 pod("far", nodeSelector={"disk": "tape"}))
    plane.create(MAPS, {"metadata": {"name": "gedge-latency"}, "data": {"matrix.json": json.dumps(
        matrix({("n0", f"n{i}"): 1000 * i for i in range(1, 6)}))}})


def check_reads(plane):
    """Plans, explanations and verdicts of a live cluster are those of its dump."""
    fill(plane)
    live = ("--cluster", "live", "--kubeconfig", plane.kubeconfig)
    saved = ("--cluster", dump(plane), "--compat", "1.20")
    manifest = plane.path("app.yaml")
    with open(manifest, "w") as file:
        file.write("{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, namespace: shop},"
                   " spec: {replicas: 3, selector: {matchLabels: {app: app}}, template: {metadata:"
                   " {labels: {app: app}}, spec: {containers: [{name: c, image: i}]}}}}")
    plan = plane.path("plan.json")
    questions = (("plan", "-o", "json"), ("plan", "-o", "wide"),
                 ("plan", "-o", "json", "-f", manifest),
                 ("plan", "-f", manifest, "--what-if", "node/n1:drain", "-o", "json"),
                 ("explain", "default/near-0", "-o", "json"), ("why-not", "near-0", "n5"),
                 ("verify", plan, "-o", "json"), ("validate", "-o", "json"))
    need(gedge("plan", *live, "--out", plan).returncode == 1, "a plan is written")
    for question in questions:
        told, known = gedge(*question, *live), gedge(*question, *saved)
        here, there = told.stdout, known.stdout
        if question[0] == "validate":  # sources are counted: one file, or a page a kind
            here, there = json.loads(here), json.loads(there)
            here["summary"]["sources"] = there["summary"]["sources"]
        need(here == there, f"{question}:\n{here}\ninstead of\n{there}\n{known.stderr}")
        need(told.returncode == known.returncode, f"{question}: exit {told.returncode}")
        need("Kubernetes 1.20; formulas of 1.20\n" in told.stderr, f"{question}: {told.stderr}")
    need(gedge("verify", plan, *saved).stderr.find("OtherFacts") < 0, "one digest of the facts")
    shown = gedge("matrix", "show", *live)
    need(shown.returncode == 0 and "n5" in shown.stdout, f"matrix show: {shown.stderr}")


def check_defaults(plane):
    """Found as kubectl finds it: at home, with the namespace of its context."""
    home = plane.path("home")
    os.makedirs(home + "/.kube")
    with open(plane.kubeconfig) as file:
        text = file.read().replace("certificates/", plane.path("certificates") + "/")
    with open(home + "/.kube/config", "w") as file:
        file.write(text)
    run = gedge("plan", "-o", "name", home=home)
    need(run.returncode in (0, 1) and "https://" in run.stderr, f"at home: {run.stderr}")
    run = gedge("plan", "-o", "name", "--cluster", "synthetic:nodes=6", home=home)
    need(run.stdout == "" and "https://" not in run.stderr, "a cluster that is named is not live")
    run = gedge("plan", "-q", "--compat", "1.36", home=home)
    need("https://" not in run.stderr, "quiet is quiet")
    run = gedge("plan", "--compat", "1.36", home=home)
    need("formulas of 1.36, not verified for this server" in run.stderr, run.stderr)


def check_rights(plane):
    """Whoever may not list pods learns that the server said so."""
    run = gedge("plan", "--cluster", "live", "--kubeconfig", plane.kubeconfig, "--as", "nobody")
    need(run.returncode == 4, f"exit {run.returncode}")
    need("cannot read /api/v1/" in run.stderr and "403" in run.stderr, run.stderr)


def check_watch(plane):
    """A pod waits until what is measured lets it in."""
    plane.create("/api/v1/nodes", node("edge", cpu="1"), node("near"))
    budget = {"gedge.io/delay-budget": "node/edge=5ms"}
    with Scheduler(plane) as scheduler:
        plane.create(PODS.format("default"), pod("a", cpu="900m", annotations=budget))
        until(lambda: plane.pods()["a"]["spec"].get("nodeName") == "edge", "a beside it")
        plane.create(PODS.format("default"), pod("b", cpu="900m", annotations=budget))
        until(lambda: "event=unschedulable pod=default/b" in scheduler.log(), "b to wait")
        plane.create(MAPS, {"metadata": {"name": "gedge-latency"}, "data": {
            "matrix.json": json.dumps(matrix({("edge", "near"): 4000}))}})
        until(lambda: plane.pods()["b"]["spec"].get("nodeName") == "near", "b, by the ConfigMap")
        plane.patch(MAPS + "/gedge-latency", {"data": {
            "matrix.json": json.dumps(matrix({("edge", "near"): 9000}))}})
        until(lambda: "event=measured" in scheduler.log().split("pod=default/b node=near")[1],
              "the other matrix")
        plane.create(PODS.format("default"), pod("c", cpu="900m", annotations=budget))
        until(lambda: "event=unschedulable pod=default/c" in scheduler.log(), "c to wait")
        plane.patch(MAPS + "/gedge-latency", {"data": {
            "matrix.json": json.dumps(matrix({("edge", "near"): 5000}))}})
        until(lambda: plane.pods()["c"]["spec"].get("nodeName") == "near", "c, at the limit")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")
    run = gedge("plan", "--cluster", "live", "--kubeconfig", plane.kubeconfig)
    need(run.returncode == 0, f"nothing waits: {run.stderr}")


def check_insecure(plane):
    """Whoever believes anybody is told so, once a start."""
    path = plane.path("careless.json")
    with open(path, "w") as file:
        json.dump({"clusters": [{"name": "c", "cluster": {
            "server": "https://" + plane.host, "insecure-skip-tls-verify": True}}],
                   "users": [{"name": "u", "user": {"token": plane.token}}],
                   "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                   "current-context": "x"}, file)
    warning = "whoever answers is taken for the API server: "
    for flags, asked in ((("--kubeconfig", path), "insecure-skip-tls-verify is set"),
                         (("--kubeconfig", plane.kubeconfig, "--insecure-skip-tls-verify"),
                          "--insecure-skip-tls-verify is set")):
        for command in (("schedule",), ("scale", "run", "--own-hpa", "--once")):
            said = gedge(*command, "--dry-run", *flags).stderr
            need(said.count(warning + asked) == 1, f"{command} {flags}: {said}")
    said = gedge("plan", "--cluster", "live", "--kubeconfig", path).stderr
    need(said.count(warning) == 1, f"plan: {said}")
    with Scheduler(plane, kubeconfig=path) as scheduler:
        need(scheduler.log().count(warning) == 1, scheduler.log())


def nodes_of(plane):
    return {name: thing["spec"].get("nodeName") for name, thing in plane.pods().items()}


def create_claims(plane):
    """A claim that waits for its first pod, and one that has its volume."""
    plane.create("/apis/storage.k8s.io/v1/storageclasses",
                 {"metadata": {"name": "made"}, "provisioner": "example.invalid/made",
                  "volumeBindingMode": "WaitForFirstConsumer"})
    asked = {"accessModes": ["ReadWriteOnce"], "storageClassName": "made"}
    plane.create("/api/v1/persistentvolumes", {"metadata": {"name": "volume"}, "spec": {
        **asked, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/nonexistent"},
        "claimRef": {"namespace": "default", "name": "bound"}}})
    asked["resources"] = {"requests": {"storage": "1Gi"}}
    plane.create(CLAIMS, {"metadata": {"name": "waiting"}, "spec": asked},
                 {"metadata": {"name": "bound"}, "spec": {**asked, "volumeName": "volume"}})
    plane.patch(CLAIMS + "/bound/status", {"status": {"phase": "Bound"}})


def pod_of_claim(name, claim):
    return pod(name, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": claim}}])


def refuse_altered(plane, plan, live):
    """Somebody has written in a plan what cannot be meant: nothing of it is carried out."""
    with open(plan) as file:
        good = json.load(file)
    placed = next(i for i, one in enumerate(good["decisions"]) if one["node"])
    name = "default/" + good["decisions"][placed]["pod"]
    altered = plane.path("altered.json")
    for change, why in (
            (lambda all: all[placed].update(pod="nope"), "pod default/nope, which does not exist"),
            (lambda all: all[placed].update(node="n9"), f"{name} on node n9, which does not exist"),
            (lambda all: all.append(all[placed]), f"pod {name} twice")):
        bad = json.loads(json.dumps(good))
        change(bad["decisions"])
        with open(altered, "w") as file:
            json.dump(bad, file)
        run = gedge("apply", altered, *live)
        need(run.returncode == 3 and why in run.stderr, f"{why}: {run.returncode} {run.stderr}")
        need(set(nodes_of(plane).values()) == {None}, f"nothing is bound: {why}")


def check_apply(plane):
    """A plan is carried out whole, or refused when it does not hold any more."""
    live = ("--cluster", "live", "--kubeconfig", plane.kubeconfig)
    plan = plane.path("apply.json")
    plane.create("/api/v1/nodes", *(node(f"n{i}", cpu="1") for i in range(3)))
    create_claims(plane)
    plane.create(PODS.format("default"), *(pod(f"a{i}", cpu="600m") for i in range(3)),
                 pod("big", cpu="5"), pod("theirs", cpu="100m", scheduler="default-scheduler"),
                 pod_of_claim("first", "waiting"), pod_of_claim("next", "bound"))
    need(gedge("plan", *live, "--out", plan).returncode == 1, "big has no place")
    with open(plan) as file:
        planned = {one["pod"]: one["node"] for one in json.load(file)["decisions"]}
    run = gedge("apply", plan, *live, "--dry-run")
    need(run.returncode == 1 and "default/a0\t" + planned["a0"] + "\twould-bind\n" in run.stdout,
         f"dry run: {run.returncode} {run.stdout} {run.stderr}")
    need(planned["first"] and f"default/first\t{planned['first']}\tleft-alone\n" in run.stdout,
         f"a claim that waits: {run.stdout}")
    asked = gedge("apply", plan, *live, "--server-dry-run")
    need((asked.returncode, asked.stdout) == (run.returncode, run.stdout), f"{asked}")
    need(set(nodes_of(plane).values()) == {None}, "a dry run binds nothing")

    plane.patch("/api/v1/nodes/n0", {"metadata": {"labels": {"disk": "ssd"}}})
    run = gedge("apply", plan, *live)
    need(run.returncode == 6 and "made from other facts" in run.stderr, f"stale: {run.stderr}")
    need(set(nodes_of(plane).values()) == {None}, "a plan that is stale binds nothing")
    plane.patch("/api/v1/nodes/n0", {"metadata": {"labels": {"disk": None}}})

    run = gedge("apply", plan, *live, "--within", "1us")
    need(run.returncode == 6 and "default/a0\t" + planned["a0"] + "\ttoo-late\n" in run.stdout,
         f"too late: {run.returncode} {run.stdout} {run.stderr}")
    need("default/a0: the cluster was read too long ago to bind it\n" in run.stderr, run.stderr)
    need(set(nodes_of(plane).values()) == {None}, "facts that are too old bind nothing")
    need(gedge("apply", plan, *live, "--within", "61s").returncode == 2, "older than a minute")
    refuse_altered(plane, plan, live)

    run = gedge("apply", plan, *live)
    need(run.returncode == 1, f"exit {run.returncode}: {run.stderr}")
    bound = {**planned, "theirs": None, "first": None}
    need(planned["next"], "a claim that has its volume keeps nobody from a node")
    need(nodes_of(plane) == bound, f"{nodes_of(plane)} instead of {bound}")
    need("default/theirs: it is a pod of default-scheduler\n" in run.stderr, run.stderr)
    need("default/big: 0/3 nodes are available: 3 Insufficient cpu.\n" in run.stderr, run.stderr)
    need("default/first: its claim waiting is not bound yet, and no plan binds claims: `gedge "
         "schedule --watch` does\n" in run.stderr, run.stderr)
    need(run.stderr.endswith("4 of 7 pods bound\n"), run.stderr)
    run = gedge("apply", plan, *live)
    need(run.returncode == 6 and f"pod default/a0 is on node {planned['a0']}\n" in run.stderr,
         f"twice: {run.returncode} {run.stderr}")
    need(gedge("plan", *live, "--out", plan).returncode == 1, "planned anew")
    run = gedge("apply", plan, *live, "--scheduler-name", "default-scheduler")
    need(run.returncode == 1 and nodes_of(plane)["theirs"] is not None, run.stderr)
    need(gedge("apply", plan, "--cluster", "synthetic:nodes=3").returncode == 2, "no such bind")


def main():
    with Plane() as plane:
        for check in (check_reads, check_defaults, check_rights, check_watch, check_apply,
                      check_insecure):
            before = len(failures)
            try:
                check(plane)
            except (AssertionError, OSError) as wrong:
                failures.append(f"{check.__name__}: {wrong}")
            print(f"{check.__name__}: {'ok' if len(failures) == before else 'wrong'}")
            if check in (check_rights, check_watch):
                plane.clear()
                plane.delete(MAPS + "/gedge-latency")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
