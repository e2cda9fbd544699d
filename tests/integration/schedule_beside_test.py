"""`gedge schedule --watch` beside another scheduler of the same cluster."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, KubeScheduler, Scheduler, node, pod, run_checks, until  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20")
EVENTS = "/apis/events.k8s.io/v1/events"  # those of nodes lie in kube-system
BUDGETS = "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets"
PODS_EACH = 24
OWNED = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration",
         "profiles": [{"schedulerName": "gedge", "pluginConfig": [
             {"name": "NodeAffinity", "args": {"addedAffinity": {
                 "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                     {"matchExpressions": [
                         {"key": "pool", "operator": "In", "values": ["edge"]}]}]}}}}]}]}
REPAIRS = {"profiles": [{"schedulerName": "gedge", "overcommit": "evict"}]}
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def nodes_of(plane, begin):
    return {thing["spec"].get("nodeName") for name, thing in plane.pods().items()
            if name.startswith(begin)}


def check_owned(plane):
    """Nodes outside the selector are not used, and whoever asks is told why."""
    plane.create("/api/v1/nodes", *(node(f"edge-{i}", labels={"pool": "edge"}) for i in (1, 2)),
                 node("rest-1", cpu="64", pods="99"), node("rest-2", cpu="64", pods="99"))
    path = plane.path("owned.json")
    with open(path, "w") as file:
        json.dump(OWNED, file)
    with KubeScheduler(plane):
        with Scheduler(plane, "--profile", path, "--compat", "1.20") as scheduler:
            for i in range(PODS_EACH):
                plane.create(PODS.format("default"), pod(f"ours-{i}"),
                             pod(f"theirs-{i}", scheduler="default-scheduler",
                                 nodeSelector={"kubernetes.io/hostname": f"rest-{i % 2 + 1}"}))
            until(lambda: None not in nodes_of(plane, ""), "all pods to have places")
            need(nodes_of(plane, "ours") == {"edge-1", "edge-2"}, f"{nodes_of(plane, 'ours')}")
            need("event=overcommitted" not in scheduler.log(), scheduler.log()[-400:])
            plane.create(PODS.format("default"), pod("large", cpu="9"))
            until(lambda: "event=unschedulable pod=default/large" in scheduler.log(), "the reason")
    asked = subprocess.run(
        [os.environ["GEDGE"], "why-not", "large", "rest-1", "--cluster", "live", "--kubeconfig",
         plane.kubeconfig, "--profile", path, "--compat", "1.20"], capture_output=True, text=True)
    need("scheduler-enforced node affinity" in asked.stdout, asked.stdout + asked.stderr)


def bind(plane, name, to):
    """As any scheduler does; the server looks at no node."""
    status, document = plane.call(
        "POST", PODS.format("default") + f"/{name}/binding",
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
         "target": {"kind": "Node", "name": to}})
    need(status == 201, f"{document}")


def check_overcommit(plane):
    """Somebody fills a node that is full: it is told in the log, in the metrics and by an Event."""
    plane.create("/api/v1/nodes", node("n1", cpu="1", pods="3"), node("n2", cpu="1"))
    with Scheduler(plane, *KUBE) as scheduler:
        plane.create(PODS.format("default"), pod("a", cpu="800m",
                                                 nodeSelector={"kubernetes.io/hostname": "n1"}))
        until(lambda: nodes_of(plane, "a") == {"n1"}, "a")
        plane.create(PODS.format("default"),
                     *(pod(f"x{i}", cpu="300m", scheduler="other") for i in range(4)))
        bind(plane, "x0", "n1")
        until(lambda: 'event=overcommitted node=n1 what="1100m of 1 cpu"' in scheduler.log(),
              "the log to tell")
        bind(plane, "x1", "n1")
        bind(plane, "x2", "n2")
        until(lambda: scheduler.metric("gedge_known_objects{kind=\"pod\"}") == 5, "all pods")
        need(scheduler.metric("gedge_overcommitted_nodes") == 1, scheduler.log()[-400:])

        def told():
            return [e for e in plane.get(EVENTS)["items"] if e["reason"] == "Overcommitted"]
        until(told, "an Event")
        event = told()[0]
        need(event["regarding"]["kind"] == "Node" and event["regarding"]["name"] == "n1" and
             event["note"] == "Pods ask for 1100m of 1 cpu" and event["type"] == "Warning",
             f"{event}")
        for name in ("x0", "x1"):
            plane.delete(PODS.format("default") + "/" + name)
        until(lambda: scheduler.metric("gedge_overcommitted_nodes") == 0, "the end of it")
        need(len(told()) == 1 and scheduler.metric("gedge_overcommits_total") == 1, f"{told()}")
        need(nodes_of(plane, "a") == {"n1"}, "nobody was sent away")
        # The same again is counted in the Event that there is.
        bind(plane, "x3", "n1")
        until(lambda: told()[0].get("series"), "the Event to count")
        need(len(told()) == 1 and told()[0]["series"]["count"] == 2, f"{told()}")


def check_repair(plane):
    """Where the profile says so, the least important of our own pods is evicted, unless its
    disruption budget keeps it: then the next one is."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    path = plane.path("repair.json")
    with open(path, "w") as file:
        json.dump({**REPAIRS, "apiVersion": OWNED["apiVersion"], "kind": OWNED["kind"]}, file)
    plane.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                 {"metadata": {"name": "high"}, "value": 100})
    # Nobody has said yet how many may go: so none may.
    plane.create(BUDGETS, {"metadata": {"name": "kept"}, "spec": {
        "maxUnavailable": 0, "selector": {"matchLabels": {"app": "kept"}}}})
    with Scheduler(plane, "--profile", path, "--compat", "1.20") as scheduler:
        for name, more in (("low", {}), ("kept", {"labels": {"app": "kept"}}),
                           ("high", {"priorityClassName": "high"})):
            plane.create(PODS.format("default"), pod(name, cpu="300m", **more))
            until(lambda name=name: nodes_of(plane, name) == {"n1"}, name)
            # Budgets do not keep pods that have not begun.
            plane.patch(PODS.format("default") + f"/{name}/status",
                        {"status": {"phase": "Running", "startTime": "2026-11-22T01:00:00Z"}})
        plane.create(PODS.format("default"), pod("theirs", cpu="300m", scheduler="other"))
        bind(plane, "theirs", "n1")
        until(lambda: "low" not in plane.pods(), "low to go")
        need(set(plane.pods()) == {"kept", "high", "theirs"}, f"{set(plane.pods())}")
        until(lambda: scheduler.metric("gedge_overcommitted_nodes") == 0, "the end of it")
        said = scheduler.log()
        for name in ("kept", "low"):
            need(f'event=repairing node=n1 what="1200m of 1 cpu" pod=default/{name}' in said,
                 said[-600:])
        need(scheduler.metric('gedge_repairs_total{result="refused"}') == 1, said[-600:])
        need(scheduler.metric('gedge_repairs_total{result="asked"}') == 1, said[-600:])
        until(lambda: any(e["reason"] == "Evicted" and e["regarding"]["name"] == "low" and
                          e["note"] == "Evicted from node n1, whose pods ask for 1200m of 1 cpu"
                          for e in plane.get(EVENTS)["items"]), "an Event")


if __name__ == "__main__":
    sys.exit(run_checks((check_owned, check_overcommit, check_repair), failures))
