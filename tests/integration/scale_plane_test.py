"""`gedge scale run` and `gedge scale explain --cluster live` on a real API server: replicas follow
a load; without the source, Prometheus, the API server or the leader nothing is scaled down, and all
goes on by itself."""
import contextlib
import http.client
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from autoscaler import AUTOSCALERS, Autoscaler, autoscaler  # noqa: E402
from checks import Checks  # noqa: E402
from plane import Plane, until  # noqa: E402
from scaled import (DEPLOYMENTS, MetricsApi, Prometheus, Workloads, deployment,  # noqa: E402
                    has_prometheus)

GEDGE = os.environ["GEDGE"]
SPACE = "shop"
HPAS = AUTOSCALERS.format("v2beta2", SPACE)
EVENTS = f"/apis/events.k8s.io/v1/namespaces/{SPACE}/events"
checks = Checks()
need = checks.need


def replicas(plane, name="web"):
    return plane.get(DEPLOYMENTS.format(SPACE) + "/" + name)["spec"]["replicas"]


def runs(plane, name):
    """Replicas that are there; written after their pods."""
    return plane.get(DEPLOYMENTS.format(SPACE) + "/" + name).get("status", {}).get("replicas", 0)


def begin(plane, name, load):
    plane.metrics.load[name] = load
    plane.create(DEPLOYMENTS.format(SPACE), deployment(name))


def explain(plane, name, *flags):
    run = subprocess.run([GEDGE, "scale", "explain", f"{SPACE}/{name}", "--cluster", "live",
                          "--kubeconfig", plane.kubeconfig, "-o", "json", *flags],
                         capture_output=True, text=True)
    return run, json.loads(run.stdout) if run.stdout else None


def check_explain(plane):
    """One look at the server, its metrics and nothing written."""
    begin(plane, "seen", 900)
    plane.create(HPAS, autoscaler("seen"))
    until(lambda: runs(plane, "seen") == 1, "a pod")
    run, found = explain(plane, "seen")
    need(run.returncode == 0 and found, f"{run}")
    need(found and (found["currentReplicas"], found["proposedReplicas"]) == (1, 4), f"{found}")
    need(found and found["metrics"][0]["answer"]["utilizationPercent"] == 180, f"{found}")
    need(replicas(plane, "seen") == 1, "explain has scaled")
    run, _ = explain(plane, "sen")
    need(run.returncode == 3 and "did you mean seen?" in run.stderr, f"{run}")
    run = subprocess.run([GEDGE, "scale", "run", "--own-hpa", "--once", "--dry-run",
                          "--kubeconfig", plane.kubeconfig], capture_output=True, text=True)
    need("event=would-rescale autoscaler=shop/seen" in run.stderr, run.stderr)
    need(replicas(plane, "seen") == 1, "a dry run has scaled")
    need("status" not in plane.get(HPAS + "/seen") or
         not plane.get(HPAS + "/seen")["status"].get("conditions"), "a dry run wrote a status")
    plane.delete(HPAS + "/seen")


def check_follow(plane):
    """Up and down with the load; status and Events as a controller writes them."""
    begin(plane, "web", 1500)
    plane.create(HPAS, autoscaler("web"))
    with Autoscaler(plane, "--own-hpa") as gedge:
        until(lambda: replicas(plane) == 6, "six replicas")  # 1500 of 500, at 50 %
        status = lambda: plane.get(HPAS + "/web")["status"]  # noqa: E731
        until(lambda: status().get("desiredReplicas") == 6, "the status")
        until(lambda: any(c["reason"] == "ValidMetricFound" for c in status()["conditions"]),
              "conditions")
        need(status().get("lastScaleTime"), f"{status()}")
        until(lambda: any(e["reason"] == "SuccessfulRescale" and
                          e["regarding"]["name"] == "web" for e in plane.get(EVENTS)["items"]),
              "an Event")
        plane.metrics.load["web"] = 300
        until(lambda: replicas(plane) == 2, "two replicas")
        plane.metrics.load["web"] = 100_000
        until(lambda: replicas(plane) == 8, "as many as may be")
        until(lambda: plane.workloads.asked["web"][-1] == 8, "eight pods")
        need(max(plane.workloads.asked["web"]) == 8, f"{plane.workloads.asked}")
    need(gedge.process.returncode == 0, f"exit {gedge.process.returncode}: {gedge.log()[-600:]}")


def check_source(plane):
    """The metrics API goes; what it says is old, or no amount."""
    plane.metrics.load["web"] = 1500
    with Autoscaler(plane, "--own-hpa") as gedge:
        until(lambda: replicas(plane) == 6, "six replicas")

        def holds(what):
            until(lambda: gedge.metric("gedge_frozen_autoscalers") == 1, what)
            gedge.look(8)
            need(replicas(plane) == 6, f"{what}: {replicas(plane)} replicas")

        plane.metrics.stop()
        plane.metrics.load["web"] = 300
        holds("no source")
        need("event=frozen autoscaler=shop/web" in gedge.log(), gedge.log()[-600:])
        plane.metrics.age = 60
        plane.metrics.start()
        holds("old samples")
        plane.metrics.age = -60
        holds("samples of a time to come")
        for bad in (b"<html>", b'{"kind":"PodMetricsList","items":[]}',
                    json.dumps({"kind": "PodMetricsList", "items": [
                        {"metadata": {"name": "web-0", "namespace": SPACE},
                         "containers": [{"name": "c", "usage": {"cpu": "-5"}}]}]}).encode()):
            plane.metrics.broken = bad
            plane.metrics.age = 0
            holds(repr(bad[:20]))
        plane.metrics.broken = None
        until(lambda: replicas(plane) == 2, "two replicas, after all")
        until(lambda: "event=thawed autoscaler=shop/web" in gedge.log(), "it to be told")


def answers(plane):
    try:
        return plane.call("GET", "/readyz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def check_server_and_leader(plane):
    """Two of them: the API server goes, then the one that leads."""
    plane.metrics.load["web"] = 1500
    plane.create("/api/v1/namespaces", {"metadata": {"name": "gedge-system"}})
    flags = ("--own-hpa", "--leader-elect")
    asked = plane.workloads.asked["web"]
    with contextlib.ExitStack() as stack:
        both = [stack.enter_context(Autoscaler(plane, *flags)),
                stack.enter_context(Autoscaler(plane, *flags, waits_for="event=standby"))]
        until(lambda: asked[-1] == 6, "six replicas")
        until(lambda: runs(plane, "web") == 6, "their pods, which are measured")
        before = len(asked)
        plane.restart("apiserver")
        until(lambda: answers(plane), "the API server", 120)
        plane.metrics.load["web"] = 700
        until(lambda: asked[-1] == 3, "three replicas", 120)
        need(min(asked[before - 1:]) == 3, f"{asked[before - 1:]}")
        # One that could not renew its lease in time has ended.
        until(lambda: any(one.leads() for one in both), "a leader")
        alive = [one for one in both if one.process.poll() is None]
        if len(alive) == 1:
            alive.append(stack.enter_context(
                Autoscaler(plane, *flags, waits_for="event=standby")))
        leader, other = sorted(alive, key=lambda one: not one.leads())
        until(lambda: runs(plane, "web") == 3, "three pods")
        before = len(asked)
        leader.process.kill()
        leader.process.wait()
        plane.metrics.load["web"] = 1500
        until(lambda: asked[-1] == 6, "the other one to go on", 120)
        need(other.leads(), other.log()[-600:])
        need(min(asked[before - 1:]) == 3, f"{asked[before - 1:]}")


def check_others(plane):
    """Somebody else scales by an object that is ours."""
    with Autoscaler(plane, "--own-hpa") as gedge:
        gedge.look(2)
        plane.patch(HPAS + "/web/status", {"status": {"lastScaleTime": "2030-01-01T00:00:00Z"}})
        until(lambda: gedge.process.poll() is not None, "it to stop")
        need(gedge.process.returncode == 4, f"exit {gedge.process.returncode}")
        need("somebody else scales" in gedge.log(), gedge.log()[-600:])


def check_prometheus(plane):
    """A query of a real Prometheus, which is killed and comes back."""
    if not has_prometheus():
        need(os.environ.get("CI") != "true", "prometheus is not installed")
        print("[left out] prometheus is not installed")
        return
    prometheus = Prometheus(plane.folder.name)
    prometheus.demand = 450
    prometheus.start()
    spec = plane.path("short.yaml")
    with open(spec, "w") as file:
        json.dump({"apiVersion": "gedge.io/v1alpha1", "kind": "Autoscaler",
                   "metadata": {"name": "queue", "namespace": SPACE},
                   "spec": {"target": {"kind": "Deployment", "name": "queue"}, "min": 1, "max": 9,
                            "metrics": [{"query": "sum(demand)", "average": 100}],
                            "behavior": {
                                "scaleUp": {"policies": [{"type": "Percent", "value": 900,
                                                          "periodSeconds": 1}]},
                                "scaleDown": {"stabilizationWindowSeconds": 4}}}}, file)
    plane.create(DEPLOYMENTS.format(SPACE), deployment("queue"))
    try:
        # Looks are far apart: what happens soon happens because the query said so.
        with Autoscaler(plane, "-f", spec, "--prometheus", prometheus.url,
                        pace=("--sync-period", "20s")) as gedge:
            until(lambda: replicas(plane, "queue") == 5, "five replicas")
            prometheus.demand = 800
            until(lambda: replicas(plane, "queue") == 8, "eight replicas")
            need(gedge.metric("gedge_scale_reactions_total") > 0, "nobody reacted")
            until(lambda: runs(plane, "queue") == 8, "eight that run")
            run, found = explain(plane, "queue", "-f", spec, "--prometheus", prometheus.url)
            need(found and found["currentReplicas"] == 8, f"{run}")
            prometheus.demand = 100
            prometheus.kill()
            until(lambda: gedge.metric("gedge_frozen_autoscalers") == 1, "it to be seen")
            gedge.look(1)
            need(replicas(plane, "queue") == 8, "it was scaled down in the dark")
            prometheus.start()
            until(lambda: replicas(plane, "queue") == 1, "one replica, after all", 120)
            need(set(plane.workloads.asked["queue"]) <= {1, 5, 8},
                 f"{plane.workloads.asked['queue']}")
    finally:
        prometheus.stop()


def main():
    with Plane(aggregates=True) as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        plane.metrics = MetricsApi(plane, SPACE)
        try:
            with Workloads(plane, SPACE) as plane.workloads:
                checks.run((check_explain, check_follow, check_source, check_server_and_leader,
                            check_others, check_prometheus), plane)
        finally:
            plane.metrics.stop()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
