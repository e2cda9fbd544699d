"""`gedge scale recommend --cluster live --apply`: on a real API server of 1.20, which cannot resize
pods where they run, through the template of a workload; and on one that is played here, which can,
through its pods."""
import contextlib
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import Checks  # noqa: E402
from json_server import JsonHandler, JsonServer  # noqa: E402
from plane import PODS, Plane, node, until  # noqa: E402
from scaled import DEPLOYMENTS, Workloads, deployment  # noqa: E402

GEDGE = os.environ["GEDGE"]
SPACE = "shop"
WEB = DEPLOYMENTS.format(SPACE) + "/web"
LIMITS = f"/api/v1/namespaces/{SPACE}/limitranges"
with open(os.path.join(os.environ["GEDGE_SOURCE_DIR"], "libgedge", "schemas",
                       "scale-recommendation.schema.json")) as schema:
    SCHEMA = jsonschema.Draft202012Validator(json.load(schema))
checks = Checks()
need = checks.need


def history(folder, hours, cpu="60m", memory="100Mi", app="web"):
    """What metrics.k8s.io said of one pod, every minute until now."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    items = []
    for minute in range(60 * hours + 1):
        at = (now - datetime.timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
        items.append({"metadata": {"name": f"{app}-old", "namespace": SPACE,
                                   "labels": {"app": app}},
                      "timestamp": at, "window": "30s",
                      "containers": [{"name": "c", "usage": {"cpu": cpu, "memory": memory}}]})
    path = os.path.join(folder, f"{app}-{hours}.json")
    with open(path, "w") as file:
        json.dump({"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1",
                   "items": items}, file)
    return path


def ask(kubeconfig, *arguments):
    run = subprocess.run([GEDGE, "scale", "recommend", f"{SPACE}/web", "--cluster", "live",
                          "--kubeconfig", kubeconfig, "-o", "json", *arguments],
                         capture_output=True, text=True)
    if not run.stdout:
        return run, None
    document = json.loads(run.stdout)
    for wrong in SCHEMA.iter_errors(document):
        need(False, f"{wrong.message} in {document}")
    return run, document["resize"]


def requests(document):
    spec = document["spec"]["template"]["spec"] if "template" in document["spec"] else \
        document["spec"]
    return spec["containers"][0]["resources"]


def check_plan(plane):
    """Without --apply, and with too little known, nothing is written."""
    before = plane.get(WEB)["metadata"]["generation"]
    run, found = ask(plane.kubeconfig, "--metrics", plane.week)
    need(run.returncode == 0 and found and found["through"] == "template", f"{run}")
    need(found and found["held"] is None and len(found["objects"]) == 1, f"{found}")
    cpu = found["objects"][0]["containers"][0]["resources"][0]
    need(cpu["requestBefore"] == 500 and 60 * 1.15 <= cpu["request"] <= 60 * 1.15 * 1.2, f"{cpu}")
    need(found["objects"][0]["result"] == "planned", f"{found}")
    run, found = ask(plane.kubeconfig, "--metrics", plane.short, "--apply")
    need(run.returncode == 1 and "too little is known of container c: 5 h" in run.stderr, f"{run}")
    run = subprocess.run([GEDGE, "scale", "recommend", "web", "-n", SPACE, "--cluster", "live",
                          "--kubeconfig", plane.kubeconfig, "--metrics", plane.short],
                         capture_output=True, text=True)
    need("held: too little is known" in run.stdout, f"{run}")
    run, _ = ask(plane.kubeconfig, "--metrics", plane.week, "--apply", "--through", "pods")
    need(run.returncode == 3 and "resizes no pods where they run" in run.stderr, f"{run}")
    run, _ = ask(plane.kubeconfig, "-f", plane.week)
    need(run.returncode == 2 and "does not go with a live cluster" in run.stderr, f"{run}")
    need(plane.get(WEB)["metadata"]["generation"] == before, "something was written")


def check_template(plane):
    """The template is changed once, within the LimitRange, and its limit with it."""
    plane.patch(WEB, {"spec": {"template": {"spec": {"containers": [
        {"name": "c", "image": "example.invalid/c",
         "resources": {"requests": {"cpu": "500m", "memory": "2Gi"},
                       "limits": {"memory": "4Gi"}}}]}}}})
    plane.create(LIMITS, {"metadata": {"name": "bounds"}, "spec": {"limits": [
        {"type": "Container", "min": {"cpu": "100m"}, "default": {"cpu": "2"},
         "max": {"cpu": "2", "memory": "4Gi"}}]}})
    run, found = ask(plane.kubeconfig, "--metrics", plane.week, "--apply")
    need(run.returncode == 0, f"{run}")
    need(found["objects"] and found["objects"][0]["result"] == "applied", f"{found}")
    now = requests(plane.get(WEB))
    need(now["requests"]["cpu"] == "100m", f"{now}")  # not below the LimitRange
    memory = int(now["requests"]["memory"]) if now["requests"]["memory"].isdigit() else None
    need(memory is None or memory >= 250 << 20, f"{now}")
    need(now["limits"]["memory"] != "4Gi" and "cpu" not in now["limits"], f"{now}")
    version = plane.get(WEB)["metadata"]["generation"]
    run, found = ask(plane.kubeconfig, "--metrics", plane.week, "--apply")
    need(run.returncode == 0 and not found["objects"], f"{run}")
    need(plane.get(WEB)["metadata"]["generation"] == version, "it was changed twice")
    plane.delete(LIMITS + "/bounds")


def check_nodes(plane):
    """Never more than the largest node has, whatever was used."""
    greedy = history(plane.folder.name, 48, cpu="40", memory="100Mi")
    run, found = ask(plane.kubeconfig, "--metrics", greedy, "--apply")
    need(run.returncode == 0 and found["objects"], f"{run}")
    largest = requests(plane.get(WEB))["requests"]["cpu"]
    need(largest in ("4", "3999m"), largest)
    plane.delete("/api/v1/nodes/n")
    run, found = ask(plane.kubeconfig, "--metrics", plane.week, "--apply")
    need(run.returncode == 1 and "no node is known" in run.stderr, f"{run}")
    need(requests(plane.get(WEB))["requests"]["cpu"] == largest, "changed without a node")
    plane.create("/api/v1/nodes", node("n"))


def check_meddler(plane):
    """Somebody else writes all the time: the change meets what is there, or it is a conflict."""
    stop = threading.Event()

    def meddle():
        turn = 0
        while not stop.is_set():
            turn += 1
            plane.patch(WEB, {"metadata": {"annotations": {"turn": str(turn)}}})

    large = requests(plane.get(WEB))["requests"]["cpu"]
    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        run, found = ask(plane.kubeconfig, "--metrics", plane.week, "--apply")
    finally:
        stop.set()
        thread.join()
    result = found["objects"][0]["result"]
    need((run.returncode, result) in ((0, "applied"), (4, "conflict")), f"{run}")
    was = requests(plane.get(WEB))["requests"]["cpu"]
    need((was != large) == (result == "applied"), f"{result}: {was}")
    run, _ = ask(plane.kubeconfig, "--metrics", plane.week, "--apply")
    need(run.returncode == 0 and requests(plane.get(WEB))["requests"]["cpu"] != large,
         f"{run}")


class Played(JsonServer):
    """An API server that resizes pods where they run, over HTTP. `refuses`: pods it says no to."""

    def __init__(self, folder):
        self.pods = {f"web-{i}": self.pod(f"web-{i}") for i in range(3)}
        self.refuses, self.conflicts, self.patches = set(), 1, []
        played = self

        class Handler(JsonHandler):
            def do_GET(self):  # noqa: N802
                self.say(*played.read(self.path.split("?")[0]))

            def do_PATCH(self):  # noqa: N802
                self.say(*played.patch(self.path.split("?")[0], json.loads(self.body()),
                                       self.headers["Content-Type"]))

        super().__init__(Handler, os.path.join(folder, "played"))
        self.start()

    @staticmethod
    def pod(name):
        return {"metadata": {"name": name, "namespace": SPACE, "uid": name + "-uid",
                             "resourceVersion": "1", "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "resources": {
                    "requests": {"cpu": "2"}, "limits": {"cpu": "4"}}}]},
                "status": {"phase": "Running"}}

    def read(self, path):
        def items(kind, *things):
            return 200, {"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
                         "items": list(things)}
        if path == "/version":
            return 200, {"major": "1", "minor": "33"}
        if path == "/api/v1":
            return 200, {"kind": "APIResourceList", "resources": [
                {"name": "pods", "verbs": ["get"]},
                {"name": "pods/resize", "verbs": ["get", "patch", "update"]}]}
        if path.endswith("/deployments"):
            return items("DeploymentList", {**deployment("web", cpu="2"), "metadata": {
                "name": "web", "namespace": SPACE, "uid": "u", "resourceVersion": "1"}})
        if path.endswith("/nodes"):
            return items("NodeList", node("n"))
        if path == PODS.format(SPACE):
            return items("PodList", *self.pods.values())
        if "metrics.k8s.io" in path:
            return 404, {"kind": "Status", "message": "no such metrics"}
        return items("LimitRangeList")

    def patch(self, path, body, kind):
        self.patches.append(path)
        name = path.split("/")[-2]
        one = self.pods[name]
        if not path.endswith("/resize") or kind != "application/strategic-merge-patch+json":
            return 415, {"kind": "Status", "message": path + " as " + kind}
        if self.conflicts:
            self.conflicts -= 1
            one["metadata"]["resourceVersion"] = "2"
        if body["metadata"] != {"uid": one["metadata"]["uid"],
                                "resourceVersion": one["metadata"]["resourceVersion"]}:
            return 409, {"kind": "Status", "message": "the object has been modified"}
        if name in self.refuses:
            return 422, {"kind": "Status", "message": "Pod QOS Class may not change"}
        for part, amounts in body["spec"]["containers"][0]["resources"].items():
            one["spec"]["containers"][0]["resources"][part].update(amounts)
        return 200, one


def check_pods(folder):
    """Pods are resized where they run, each by itself, and not a second time."""
    played = Played(folder)
    week = history(folder, 72)
    try:
        played.refuses = {"web-1"}
        run, found = ask(played.kubeconfig, "--metrics", week, "--apply")
        need(run.returncode == 5 and found["through"] == "pods", f"{run}")
        results = {one["name"]: one["result"] for one in found["objects"]}
        need(results == {"web-0": "applied", "web-1": "refused", "web-2": "applied"}, f"{results}")
        need("may not change" in found["objects"][1]["why"], f"{found}")
        resources = requests(played.pods["web-0"])
        cpu = int(resources["requests"]["cpu"][:-1])
        need(60 * 1.15 <= cpu <= 60 * 1.15 * 1.2, f"{resources}")
        need(resources["limits"]["cpu"] == f"{2 * cpu}m", f"{resources}")
        played.refuses = set()
        run, found = ask(played.kubeconfig, "--metrics", week, "--apply")
        need(run.returncode == 0 and [one["name"] for one in found["objects"]] == ["web-1"],
             f"{run}")
        before = len(played.patches)
        run, found = ask(played.kubeconfig, "--metrics", week, "--apply")
        need(run.returncode == 0 and not found["objects"], f"{run}")
        need(len(played.patches) == before, "something was written")
    finally:
        played.stop()


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks.run((check_pods,), folder)
    with Plane() as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        plane.create("/api/v1/nodes", node("n"))
        plane.create(DEPLOYMENTS.format(SPACE), deployment("web"))
        plane.week = history(plane.folder.name, 168)
        plane.short = history(plane.folder.name, 5)
        with contextlib.ExitStack() as stack:
            stack.enter_context(Workloads(plane, SPACE))
            until(lambda: "web-0" in plane.pods(SPACE), "a pod")
            checks.run((check_plan, check_template, check_nodes, check_meddler), plane)
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
