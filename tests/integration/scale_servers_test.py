"""`gedge scale run` with servers that are not the usual ones: an API server that has autoscaling/v1
alone, and a Prometheus behind TLS that wants a token."""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from answering import Answering  # noqa: E402
from autoscaler import AUTOSCALERS, Autoscaler  # noqa: E402
from metrics_adapter import EXTERNAL, USAGE, MetricsAdapter, external_item, usage_item  # noqa: E402
from checks import Checks  # noqa: E402
from plane import Plane, certificate, until  # noqa: E402
from scaled import DEPLOYMENTS, Prometheus, Workloads, deployment, has_prometheus  # noqa: E402

GEDGE = os.environ["GEDGE"]
SPACE = "shop"
HPAS = AUTOSCALERS.format("v1", SPACE)
NOTE = "autoscaling.alpha.kubernetes.io/"
checks = Checks()
need = checks.need


def replicas(plane, name):
    return plane.get(DEPLOYMENTS.format(SPACE) + "/" + name)["spec"]["replicas"]


def old_autoscaler(name, percent=None, notes=None):
    spec = {"minReplicas": 1, "maxReplicas": 8, "scaleTargetRef": {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": name}}
    if percent:
        spec["targetCPUUtilizationPercentage"] = percent
    return {"metadata": {"name": name, "annotations": {
        NOTE + key: json.dumps(value) for key, value in (notes or {}).items()}}, "spec": spec}


class Values:
    """Of metrics.k8s.io and external.metrics.k8s.io: what the pods of `web` use together, and how
    long the queue is."""

    def __init__(self, plane):
        self.plane, self.cpu, self.length = plane, 1500, 300

    def items(self, question):
        if question.group == EXTERNAL:
            return [external_item(question.metric, question.selector, str(self.length))]
        pods = [name for name in self.plane.pods(SPACE) if name.startswith("web-")]
        return [usage_item(SPACE, name, {"cpu": f"{self.cpu // len(pods)}m"}) for name in pods]


def check_old_server(plane):
    """Metrics and behavior in annotations; so are conditions, as other versions show them."""
    status, _ = plane.call("GET", "/apis/autoscaling/v2beta2")
    need(status == 404, f"this server has v2beta2: {status}")
    plane.create(DEPLOYMENTS.format(SPACE), deployment("web"), deployment("queue"))
    external = {"type": "External", "external": {
        "metricName": "length", "metricSelector": {"matchLabels": {"of": "orders"}},
        "targetAverageValue": "100"}}
    slow = {"scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [
        {"type": "Pods", "value": 1, "periodSeconds": 1800}]}}
    plane.create(HPAS, old_autoscaler("web", 50),
                 old_autoscaler("queue", None, {"metrics": [external], "behavior": slow}))
    with Autoscaler(plane, "--own-hpa") as gedge:
        until(lambda: replicas(plane, "web") == 6, "six replicas")
        until(lambda: replicas(plane, "queue") == 2, "one more, as its behavior says")
        until(lambda: conditions(plane, "web").get("ScalingActive") == "ValidMetricFound",
              "conditions")
        until(lambda: conditions(plane, "queue").get("ScalingLimited") == "ScaleUpLimit",
              "the limit to be told")
        status = plane.get(HPAS + "/web")["status"]
        until(lambda: plane.get(HPAS + "/web")["status"]["currentReplicas"] == 6, "the status")
        need(status.get("lastScaleTime") and status["desiredReplicas"] == 6, f"{status}")
        need(status.get("currentCPUUtilizationPercentage"), f"{status}")
        notes = plane.get(HPAS + "/queue")["metadata"]["annotations"]
        [seen] = json.loads(notes[NOTE + "current-metrics"])
        need(seen["external"]["metricName"] == "length", f"{seen}")
        need(json.loads(notes[NOTE + "metrics"]) and json.loads(notes[NOTE + "behavior"]),
             f"what was declared is gone: {notes}")
        gedge.look(6)
        need(replicas(plane, "queue") == 2, "more than its behavior allows")
    need(gedge.process.returncode == 0, f"exit {gedge.process.returncode}: {gedge.log()[-600:]}")
    run = subprocess.run([GEDGE, "scale", "explain", f"{SPACE}/web", "--cluster", "live", "-o",
                          "json", "--kubeconfig", plane.kubeconfig], capture_output=True, text=True)
    need(run.returncode == 0 and json.loads(run.stdout)["currentReplicas"] == 6, f"{run}")


def conditions(plane, name):
    notes = plane.get(f"{HPAS}/{name}")["metadata"].get("annotations", {})
    return {one["type"]: one["reason"] for one in json.loads(notes.get(NOTE + "conditions", "[]"))}


class Guarded:
    """Before a Prometheus: TLS, and a token that may change."""

    def __init__(self, plane, prometheus):
        self.prometheus, self.token, self.refused = prometheus, "first", 0
        certificate(plane.path("prometheus"))
        self.server = Answering(self.reply, tls=plane.path("prometheus"))
        self.url = f"https://localhost:{self.server.port}"

    def reply(self, target, headers):
        if headers.get("Authorization") != "Bearer " + self.token:
            self.refused += 1
            return 401, "text/plain", b"who are you?"
        try:
            with urllib.request.urlopen(self.prometheus.url + target) as reply:
                return reply.status, reply.headers["Content-Type"], reply.read()
        except urllib.error.HTTPError as error:
            return error.code, "text/plain", error.read()


def check_guarded_prometheus(plane):
    """The token is read again when it is refused; other certificates are not trusted."""
    if not has_prometheus():
        need(os.environ.get("CI") != "true", "prometheus is not installed")
        print("[left out] prometheus is not installed")
        return
    spec, token = plane.path("short.yaml"), plane.path("token")
    with open(spec, "w") as file:
        json.dump({"apiVersion": "gedge.io/v1alpha1", "kind": "Autoscaler",
                   "metadata": {"name": "asks", "namespace": SPACE},
                   "spec": {"target": {"kind": "Deployment", "name": "asks"}, "min": 1, "max": 9,
                            "metrics": [{"query": "sum(demand)", "average": 100}]}}, file)
    plane.create(DEPLOYMENTS.format(SPACE), deployment("asks"))
    prometheus = Prometheus(plane.folder.name)
    prometheus.demand = 300
    prometheus.start()
    guarded = Guarded(plane, prometheus)
    with open(token, "w") as file:
        file.write("first\n")
    flags = ["-f", spec, "--prometheus", guarded.url, "--prometheus-token", token]
    try:
        with Autoscaler(plane, *flags, "--prometheus-ca", plane.path("prometheus.crt")) as gedge:
            until(lambda: replicas(plane, "asks") == 3, "three replicas")
            need(guarded.refused == 0, f"{guarded.refused} requests were refused")
            guarded.token = "second"
            until(lambda: gedge.metric("gedge_frozen_autoscalers") == 1, "the old token to fail")
            with open(token, "w") as file:
                file.write("second\n")
            until(lambda: gedge.metric("gedge_frozen_autoscalers") == 0, "the new token")
            prometheus.demand = 600
            until(lambda: replicas(plane, "asks") == 6, "six replicas")
            need("second" not in gedge.log() and "first" not in gedge.log(), "it tells a token")
        run = once(plane, *flags)
        need(run.returncode == 1 and "certificate" in run.stderr, f"{run}")
        run = once(plane, "-f", spec, "--prometheus", prometheus.url, "--prometheus-token", token)
        need(run.returncode == 2 and "need TLS" in run.stderr, f"{run}")
        run = once(plane, *flags[:-1], plane.path("nowhere"))
        need(run.returncode == 3 and "nowhere" in run.stderr, f"{run}")
    finally:
        guarded.server.stop()
        prometheus.stop()


def once(plane, *flags):
    return subprocess.run([GEDGE, "scale", "run", "--once", "--dry-run", "--kubeconfig",
                           plane.kubeconfig, *flags], capture_output=True, text=True)


def main():
    old = "--runtime-config=autoscaling/v2beta1=false,autoscaling/v2beta2=false"
    with Plane(aggregates=True, flags=[old]) as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        adapter = MetricsAdapter(plane, Values(plane).items, (USAGE, EXTERNAL))
        try:
            with Workloads(plane, SPACE):
                checks.run((check_old_server, check_guarded_prometheus), plane)
        finally:
            adapter.stop()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
