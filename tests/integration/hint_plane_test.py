"""`gedge hint --write` on a real API server: a stock kube-scheduler that knows nothing of latency
puts pods of the patched templates within their budgets, judged by the places and the matrix."""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from edge_site import Site  # noqa: E402
from plane import PODS, KubeScheduler, Plane, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
APPS = "/apis/apps/v1/namespaces/default/"
REPLICAS = 10
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def workload(kind, name, note="", replicas=REPLICAS):
    container = {"name": "c", "image": "example.invalid/c",
                 "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}}
    meta = {"labels": {"app": name}}
    if note:
        meta["annotations"] = {"gedge.io/delay-budget": note}
    more = {"serviceName": name} if kind == "StatefulSet" else {}
    return {"apiVersion": "apps/v1", "kind": kind,
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, **more,
                     "template": {"metadata": meta, "spec": {"containers": [container]}}}}


def application(site, dice):
    """Objects, and by workload its budgets as (what, name, limit)."""
    objects, budgets = [workload("StatefulSet", "cache", replicas=5)], {}
    for i in range(12):
        near, limit = dice.choice(site.names), 1000 * dice.randrange(1, 9)
        budgets[f"near-{i}"] = [("node", near, limit)]
    budgets["zone"] = [("zone", "z1", 25_000)]
    budgets["gate"] = [("external", "gateway", 12_000), ("node", site.names[0], 15_000)]
    budgets["client"] = [("statefulset", "cache", 6_000)]
    for name, wishes in budgets.items():
        note = ", ".join(f"{what}/{of}={limit}us" for what, of, limit in wishes)
        objects.append(workload("Deployment", name, note))
    return objects, budgets


def path_of(thing):
    return APPS + thing["kind"].lower() + "s"


def hint(plane, *flags, cluster=None):
    run = subprocess.run([GEDGE, "hint", "--cluster", cluster or plane.path("nodes.json"), "-f",
                          plane.path("app.json"), "--rtt", plane.path("rtt.csv"), *flags],
                         capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def save(plane, name, items):
    with open(plane.path(name), "w") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)


def fetch(plane, objects):
    """What the cluster says now, as `kubectl get -o json` would."""
    nodes = plane.get("/api/v1/nodes")["items"]
    save(plane, "nodes.json", [{"apiVersion": "v1", "kind": "Node", **n} for n in nodes])
    found = [{**plane.get(path_of(o) + "/" + o["metadata"]["name"]), "apiVersion": "apps/v1",
              "kind": o["kind"]} for o in objects]
    save(plane, "app.json", found)
    return found


def pods_of(found):
    """As a controller would make them."""
    for thing in found:
        for i in range(thing["spec"]["replicas"]):
            template = json.loads(json.dumps(thing["spec"]["template"]))
            template["metadata"]["name"] = f"{thing['metadata']['name']}-{i}"
            template["spec"]["terminationGracePeriodSeconds"] = 0
            yield {"apiVersion": "v1", "kind": "Pod", **template}


def two_contexts(plane):
    """A kubeconfig whose current context leads nowhere."""
    with open(plane.kubeconfig) as file:
        text = file.read()
    with open(plane.path("two"), "w") as file:
        file.write(text.replace("current-context: plane", "current-context: away").replace(
            "clusters:", "clusters:\n- {name: nowhere, cluster: {server: 'https://127.0.0.1:1'}}"
        ).replace("contexts: [", "contexts: [{name: away, context: {cluster: nowhere}}, "))
    return plane.path("two")


def broken(site, budgets, placed):
    found = []
    for name, wishes in budgets.items():
        for i in range(REPLICAS):
            here = placed[f"{name}-{i}"]
            for what, of, limit in wishes:
                peers = [of]
                if what == "zone":
                    peers = [n for n in site.names if site.zone[n] == of]
                if what == "statefulset":
                    peers = [placed[f"{of}-{j}"] for j in range(5)]
                if any(site.us[here, peer] > limit for peer in peers):
                    found.append((name, what, of, limit, here))
    return found


def waiting(plane):
    """Of pods without a node: what they are told."""
    return {name: thing["status"].get("conditions")
            for name, thing in plane.pods().items() if "nodeName" not in thing["spec"]}


def places_all(plane):
    """Whether a kube-scheduler finds a node for everybody."""
    with KubeScheduler(plane):
        try:
            until(lambda: not waiting(plane), "pods", 400)
        except AssertionError:
            print(f"kube-scheduler left {len(waiting(plane))} pods; what it says last:")
            with open(plane.path("scheduler.log")) as log:
                print(log.read()[-1500:])
            return False
    return True


def check(plane):
    site = Site(random.Random(1))
    site.write(plane.path("rtt.csv"))
    plane.create("/api/v1/nodes", *site.nodes())
    objects, budgets = application(site, random.Random(5))
    for thing in objects:
        plane.create(path_of(thing), thing)
    before = fetch(plane, objects)
    code, said, errors = hint(plane, "-o", "json")
    need(code == 0 and json.loads(said)["kind"] == "Hints", errors)
    need(len(json.loads(said)["workloads"]) == len(objects), f"{errors}")
    need(fetch(plane, objects) == before, "something was written without --write")

    elsewhere = two_contexts(plane)
    live = hint(plane, "-o", "json", "--kubeconfig", elsewhere, cluster="live:plane")
    need(live[:2] == (code, said), f"of the cluster itself: {live}")
    code, said, errors = hint(plane, "--write", "--kubeconfig", elsewhere, cluster="live:plane")
    need(code == 0 and said.count("labelled node ") == len(site.names), f"{code} {errors}")
    need(said.count("patched ") == len(objects), said[-500:])
    found = fetch(plane, objects)
    code, said, errors = hint(plane, "--write", "--kubeconfig", plane.kubeconfig)
    need(code == 0 and said == "", f"the second time: {code} {said[:300]} {errors}")

    plane.create(PODS.format("default"), *pods_of(found))
    need(places_all(plane), f"no place: {list(waiting(plane).items())[:5]}")
    placed = {name: thing["spec"].get("nodeName") for name, thing in plane.pods().items()}
    if None in placed.values():
        return
    wrong = broken(site, budgets, placed)
    need(not wrong, f"{len(wrong)} budgets broken, such as {wrong[:3]}")
    print(f"{len(placed)} pods: {len(wrong)} budgets broken")
    # Who may not, is told.
    save(plane, "app.json", [workload("Deployment", "near-0", f"node/{site.names[1]}=1ms")])
    code, said, errors = hint(plane, "--write", "--kubeconfig", plane.kubeconfig, "--as", "nobody")
    need(code == 4 and "forbidden" in errors and not said, f"{code} {said} {errors[-300:]}")


def main():
    with Plane() as plane:
        try:
            check(plane)
        except AssertionError as wrong:
            failures.append(str(wrong))
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
