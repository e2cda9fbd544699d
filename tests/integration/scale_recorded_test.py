"""Replicas follow a recorded load of GEDGE_DATA_DIR by four kinds of metric: metrics.k8s.io,
custom.metrics.k8s.io and external.metrics.k8s.io of an adapter, and queries of a real Prometheus.
The adapter, Prometheus, the API server and the leader go in turn, while the load falls: nothing is
scaled below what the load wants, and all goes on without help."""
import contextlib
import csv
import http.client
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from autoscaler import AUTOSCALERS, Autoscaler, autoscaler  # noqa: E402
from checks import Checks  # noqa: E402
from metrics_adapter import (CUSTOM, USAGE, MetricsAdapter, custom_item,  # noqa: E402
                             external_item, usage_item)
from plane import SKIP, Plane, until  # noqa: E402
from plane_watch import PlaneWatch  # noqa: E402
from scaled import DEPLOYMENTS, Prometheus, Workloads, deployment, has_prometheus  # noqa: E402

SPACE = "shop"
SERIES = "load-series/nab/elb_request_count_8c0756.csv"
MOST = 9
ASKED_BY_HPA = ("web", "calls", "queue")  # cpu, custom and external metrics
ASKED_BY_QUERY = "asks"
LONG = 120  # seconds: a watch that is cut, a lease that is held
checks = Checks()
need = checks.need


def turning_points(count):
    """Of the recorded load, highs and lows by turns, each so far from the one before that replicas
    must change; in replicas."""
    folder = os.environ["GEDGE_DATA_DIR"]
    with open(os.path.join(folder, SERIES), encoding="ascii") as file:
        values = [float(row["value"]) for row in csv.DictReader(file)]
    top = sorted(values)[len(values) * 95 // 100]
    loads = [1 + (MOST - 2) * min(value, top) / top for value in values]
    points = [1.0]
    for load in loads:
        wants_high = len(points) % 2 == 1
        is_far = load > 2 * points[-1] if wants_high else load < points[-1] / 2
        if is_far:
            points.append(load)
    return points[1:count + 1]


class Load:
    """What all workloads have to do, in replicas of each; the metrics say it."""

    def __init__(self, plane, prometheus):
        self.plane, self.prometheus = plane, prometheus
        self.now = self.before = 1.0
        self.set(1.0)

    def set(self, load):
        self.before, self.now = self.now, load
        if self.prometheus:
            self.prometheus.demand = round(100 * load)

    def least(self):
        """Fewer replicas were wrong: neither this load nor the one before wants so few."""
        return math.ceil(min(self.now, self.before) / 1.11)

    def is_met_by(self, replicas):
        return replicas == min(math.ceil(self.now), MOST) or abs(self.now / replicas - 1) <= 0.1

    def items(self, question):
        app = question.selector.get("app")
        if question.group not in (USAGE, CUSTOM):
            return [external_item(question.metric, {}, str(round(100 * self.now)))]
        pods = self.plane.pods(SPACE)
        mine = [name for name, pod in pods.items()
                if app in (None, pod["metadata"]["labels"]["app"])]
        share = {name: self.now / sum(name.startswith(other.rsplit("-", 1)[0] + "-")
                                      for other in mine) for name in mine}
        if question.group == USAGE:
            return [usage_item(SPACE, name, {"cpu": f"{round(250 * share[name])}m"})
                    for name in mine]
        return [custom_item(SPACE, "Pod", name, question.metric, f"{round(100_000 * share[name])}m")
                for name in mine]


class Scene:
    """The plane, and what lives on it."""

    def __init__(self, plane, adapter, prometheus, load):
        self.plane, self.adapter, self.prometheus, self.load = plane, adapter, prometheus, load
        self.names = [*ASKED_BY_HPA, *([ASKED_BY_QUERY] if prometheus else [])]
        self.replicas = {}
        self.watch = PlaneWatch(plane, DEPLOYMENTS.format(SPACE), self.note)

    def note(self, one):
        name, now = one["metadata"]["name"], one["spec"]["replicas"]
        before = self.replicas.get(name, now)
        self.replicas[name] = now
        if now < before:
            need(now >= min(self.load.least(), MOST),
                 f"{name} was scaled from {before} to {now} at a load of {self.load.now}, "
                 f"{self.load.before} before")

    def follow(self, load, what, names=None):
        self.load.set(load)
        until(lambda: all(self.load.is_met_by(self.replicas.get(name, 0))
                          for name in names or self.names),
              f"replicas for {load:.2f}, {what}: {self.replicas}", LONG)

    def stands_still(self, gedge, names, load, what):
        """The load falls where nobody can see it."""
        before = {name: self.replicas[name] for name in names}
        self.load.set(load)
        until(lambda: gedge.metric("gedge_frozen_autoscalers") == len(names), what)
        gedge.look(4 * len(self.names))
        need({name: self.replicas[name] for name in names} == before,
             f"{what}: {before} became {self.replicas}")


def answers(plane):
    try:
        return plane.call("GET", "/readyz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def create(plane):
    names = (*ASKED_BY_HPA, ASKED_BY_QUERY)
    plane.create(DEPLOYMENTS.format(SPACE), *(deployment(name) for name in names))
    average = {"type": "AverageValue", "averageValue": "100"}
    plane.create(AUTOSCALERS.format("v2beta2", SPACE), autoscaler("web", most=MOST), autoscaler(
        "calls", {"type": "Pods", "pods": {"metric": {"name": "calls"}, "target": average}},
        most=MOST), autoscaler(
        "queue", {"type": "External", "external": {"metric": {"name": "length"},
                                                   "target": average}}, most=MOST))
    with open(plane.path("short.yaml"), "w") as file:
        json.dump({"apiVersion": "gedge.io/v1alpha1", "kind": "Autoscaler",
                   "metadata": {"name": "asks", "namespace": SPACE},
                   "spec": {"target": {"kind": "Deployment", "name": "asks"}, "min": 1,
                            "max": MOST, "metrics": [{"query": "sum(demand)", "average": 100}]}},
                  file)
    plane.create("/api/v1/namespaces", {"metadata": {"name": "gedge-system"}})


def play(scene, flags, points):
    """Highs and lows by turns: what goes, goes before a low."""
    with contextlib.ExitStack() as stack:
        gedge = stack.enter_context(Autoscaler(scene.plane, *flags))
        for load in points[:4]:
            scene.follow(load, "by itself")
        scene.follow(points[4], "before the adapter goes")
        scene.adapter.stop()
        scene.stands_still(gedge, ASKED_BY_HPA, points[5], "without the adapter")
        scene.adapter.start()
        scene.follow(points[5], "with the adapter again")
        if scene.prometheus:
            scene.follow(points[6], "before Prometheus goes")
            scene.prometheus.kill()
            scene.stands_still(gedge, [ASKED_BY_QUERY], points[7], "without Prometheus")
            scene.prometheus.start()
            scene.follow(points[7], "with Prometheus again")
        both = [gedge, stack.enter_context(
            Autoscaler(scene.plane, *flags, waits_for="event=standby"))]
        scene.follow(points[8], "before the API server goes")
        scene.plane.restart("apiserver")
        scene.load.set(points[9])
        until(lambda: answers(scene.plane), "the API server", LONG)
        scene.follow(points[9], "with the API server again")
        # One that could not renew its lease in time has ended.
        until(lambda: any(one.leads() for one in both), "a leader", LONG)
        alive = [one for one in both if one.process.poll() is None]
        need(all("the lease was lost" in one.log() for one in both if one not in alive),
             both[0].log()[-600:])
        if len(alive) == 1:
            alive.append(stack.enter_context(
                Autoscaler(scene.plane, *flags, waits_for="event=standby")))
        leader, other = sorted(alive, key=lambda one: not one.leads())
        scene.follow(points[10], "before the leader goes")
        leader.process.kill()
        leader.process.wait()
        scene.follow(points[11], "with another leader")
        need(other.leads(), other.log()[-600:])


def main():
    if "GEDGE_DATA_DIR" not in os.environ:
        print("[skipped] GEDGE_DATA_DIR is not set")
        return SKIP
    points = turning_points(12)
    print("loads:", " ".join(f"{load:.2f}" for load in points))
    with Plane(aggregates=True) as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        prometheus = Prometheus(plane.folder.name) if has_prometheus() else None
        if not prometheus:
            need(os.environ.get("CI") != "true", "prometheus is not installed")
            print("[left out] prometheus is not installed")
        load = Load(plane, prometheus)
        flags = ["--own-hpa", "--leader-elect"]
        create(plane)
        adapter = MetricsAdapter(plane, load.items)
        scene = None
        try:
            if prometheus:
                prometheus.start()
                flags += ["-f", plane.path("short.yaml"), "--prometheus", prometheus.url]
            with Workloads(plane, SPACE):
                scene = Scene(plane, adapter, prometheus, load)
                play(scene, flags, points)
        finally:
            adapter.stop()
            if prometheus:
                prometheus.stop()
            if scene:
                scene.watch.close()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
