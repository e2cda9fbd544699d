"""`gedge scale run --own-hpa --compat 1.20` beside kube-controller-manager 1.20.2, on one server:
equal HorizontalPodAutoscalers with equal metrics in a namespace each, turn by turn. Every turn both
choose the same replicas, and write the same status.

    scale_differential_test.py [--turns N] [--seed N] [--hour]

plays more turns, or others. With --hour a turn takes 19 seconds, so that windows of minutes begin
and end well between two of them, and metrics follow a recorded load of GEDGE_DATA_DIR, if it is
set."""
import argparse
import collections
import concurrent.futures
import csv
import math
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import Checks  # noqa: E402
from kube_controller import KubeController, program_of  # noqa: E402
from metrics_adapter import (CUSTOM, EXTERNAL, USAGE, MetricsAdapter, custom_item,  # noqa: E402
                             external_item, time_text, usage_item)
from plane import PODS, SKIP, Daemon, Plane, until  # noqa: E402
from plane_watch import PlaneWatch  # noqa: E402
from scaled import DEPLOYMENTS, deployment  # noqa: E402
from turns import Turns  # noqa: E402

THEIRS, OURS = "kube", "edge"
HPAS = "/apis/autoscaling/{}/namespaces/{}/horizontalpodautoscalers"
FACTORS = (0.04, 0.3, 0.5, 0.88, 0.9, 0.92, 1, 1.08, 1.1, 1.12, 1.4, 2, 3.6, 9)  # of a target
TURN = 19  # seconds, with --hour
SERIES = "load-series/nab/elb_request_count_8c0756.csv"
OLD = 20 * 3600  # seconds
FLAGS = ("sync-period", "1s"), ("cpu-initialization-period", "3600s")

Metric = collections.namedtuple("Metric", "kind name target amount")  # amount: what target says


def utilization(percent):
    return Metric("usage", "cpu", {"type": "Utilization", "averageUtilization": percent},
                  5 * percent)  # thousandths: every container asks for 500m


def average_memory(mebibytes):
    return Metric("usage", "memory", {"type": "AverageValue", "averageValue": f"{mebibytes}Mi"},
                  mebibytes << 20)


def counted(kind, name, how, amount):
    """`amount`: in thousandths."""
    field = "value" if how == "Value" else "averageValue"
    return Metric(kind, name, {"type": how, field: f"{amount}m"}, amount)


class App:
    """A workload, its autoscaler on each side, and what its metrics say."""

    def __init__(self, name, *metrics, least=1, most=20, begin=3, up=None, down=None, old=False):
        self.name, self.metrics, self.begin = name, metrics, begin
        self.least, self.most, self.is_v1 = least, most, old
        self.behavior = {key: rules for key, rules in (("scaleUp", up), ("scaleDown", down))
                         if rules}

    def keys(self):
        return [(one.kind, one.name) for one in self.metrics if one.name != "nobodys"]

    def spec(self):
        spec = {"minReplicas": self.least, "maxReplicas": self.most,
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment",
                                   "name": self.name}}
        if self.is_v1:
            [metric] = self.metrics
            return {**spec, "targetCPUUtilizationPercentage":
                    metric.target["averageUtilization"]}
        spec["metrics"] = [self.of_spec(one) for one in self.metrics]
        return {**spec, "behavior": self.behavior} if self.behavior else spec

    def of_spec(self, one):
        if one.kind == "usage":
            return {"type": "Resource", "resource": {"name": one.name, "target": one.target}}
        metric = {"name": one.name}
        if one.kind == "external":
            metric["selector"] = {"matchLabels": {"app": self.name}}
            return {"type": "External", "external": {"metric": metric, "target": one.target}}
        if one.kind == "pods":
            return {"type": "Pods", "pods": {"metric": metric, "target": one.target}}
        return {"type": "Object", "object": {
            "metric": metric, "target": one.target,
            "describedObject": {"apiVersion": "v1", "kind": "Service", "name": self.name}}}


def rules(window, *policies, select="Max"):
    return {"stabilizationWindowSeconds": window, "selectPolicy": select,
            "policies": [{"type": kind, "value": value, "periodSeconds": period}
                         for kind, value, period in policies]}


def apps(is_hour):
    """Windows and periods are longer than a turn, or the test: no look is near their end."""
    window, period = (300, 120) if is_hour else (3600, 1800)
    at_once = rules(0, ("Percent", 100, period))
    made = [
        App("percent", utilization(50)),
        App("old-api", utilization(80), old=True),
        App("policies", utilization(50), most=40,
            up=rules(0, ("Pods", 3, period), ("Percent", 50, period)),
            down=rules(0, ("Percent", 20, period), ("Pods", 2, period), select="Min")),
        App("slowly-down", utilization(60), down=rules(window, ("Percent", 100, period))),
        App("slowly-up", utilization(50), up=rules(window, ("Pods", 9, period)), down=at_once),
        App("memory", average_memory(200), down=at_once),
        App("never-down", counted("pods", "calls", "AverageValue", 100_000),
            down=rules(0, ("Pods", 1, period), select="Disabled")),
        App("calls", counted("pods", "calls", "AverageValue", 7_500), least=2, down=at_once),
        App("front", counted("object", "requests", "Value", 2_000_000), down=at_once),
        App("front-average", counted("object", "requests", "AverageValue", 250), down=at_once),
        App("queue", counted("external", "length", "Value", 30_000), down=at_once),
        App("queue-average", counted("external", "length", "AverageValue", 12_500)),
        App("several", counted("pods", "calls", "AverageValue", 50_000),
            counted("external", "length", "AverageValue", 40_000), utilization(70), down=at_once),
        App("partial", counted("external", "nobodys", "AverageValue", 1_000), utilization(50),
            down=at_once),
        App("limits", utilization(50), least=3, most=5, begin=1),
        App("too-many", utilization(50), most=4, begin=9),
        App("defaults", utilization(50), down={"policies": [
            {"type": "Pods", "value": 3, "periodSeconds": period}]}),
        App("resting", utilization(50), begin=0),
        App("no-request", utilization(50)),
    ]
    if not is_hour:
        made.append(App("states", utilization(50), most=30, begin=11, down=at_once))
        for app in made:  # the periods of the default are as short as a turn
            if app.behavior:
                app.behavior.setdefault("scaleUp", rules(0, ("Pods", 100, period)))
    return {app.name: app for app in made}


def state_of(app, number):
    """What a pod is: how long ago it was started, and became ready or not; its phase; whether it
    has samples, and whether it is deleted."""
    usual = {"phase": "Running", "started": OLD, "ready": "True", "changed": OLD, "is_known": True,
             "is_deleted": False}
    if app != "states":
        return {**usual, "is_known": app != "calls" or number % 4 != 3}
    odd = ({}, {}, {"phase": "Pending", "started": None}, {"started": 600, "ready": "False"},
           {"is_known": False}, {"phase": "Failed"}, {"ready": "False"}, {"is_deleted": True},
           {"ready": "False", "changed": OLD - 3600}, {"started": None},
           {"started": 600, "changed": 300})
    return {**usual, **odd[number % len(odd)]}


class Site:
    """Equal workloads in both namespaces, whose pods follow their replicas when told to."""

    def __init__(self, plane, own, seed, demand):
        self.plane, self.apps, self.seed, self.demand = plane, own, seed, demand
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.pods = {(space, name): 0 for space in (THEIRS, OURS) for name in own}
        self.series = {key: [] for key in self.pods}
        for space in (THEIRS, OURS):
            plane.create(DEPLOYMENTS.format(space), *(
                deployment(name, app.begin) for name, app in own.items()))
        self.turns = Turns((THEIRS, OURS), {
            name: app.keys() for name, app in own.items() if app.begin > 0})

    def make_autoscalers(self):
        for space in (THEIRS, OURS):
            for name, app in self.apps.items():
                path = HPAS.format("v1" if app.is_v1 else "v2beta2", space)
                self.make(path, {"metadata": {"name": name}, "spec": app.spec()})
            lost = App("lost", utilization(50))
            self.make(HPAS.format("v2beta2", space),
                      {"metadata": {"name": "lost"}, "spec": lost.spec()})

    def follow(self):
        """Notes the replicas of both sides, and makes pods of them."""
        jobs = []
        for space in (THEIRS, OURS):
            for one in self.plane.get(DEPLOYMENTS.format(space))["items"]:
                name, wanted = one["metadata"]["name"], one["spec"]["replicas"]
                self.series[space, name].append(wanted)
                here, self.pods[space, name] = self.pods[space, name], wanted
                jobs += [(self.start, space, name, i) for i in range(here, wanted)]
                jobs += [(self.end, space, name, i) for i in range(wanted, here)]
                if here != wanted:
                    jobs.append((self.note, space, name, wanted))
        for done in [self.pool.submit(*job) for job in jobs]:
            done.result()

    def make(self, path, thing):
        """On a connection that is there already."""
        status, document = self.plane.call("POST", path, thing)
        if status != 201:
            raise AssertionError(f"POST {path}: {status} {document}")

    def note(self, space, name, replicas):
        self.plane.patch(DEPLOYMENTS.format(space) + f"/{name}/status",
                         {"status": {"replicas": replicas}})

    def start(self, space, name, number):
        path, state = PODS.format(space), state_of(name, number)
        pod = f"{name}-{number}"
        requests = {} if name == "no-request" else {"cpu": "500m"}
        metadata = {"name": pod, "labels": {"app": name}}
        if state["is_deleted"]:
            metadata["finalizers"] = ["example.com/held"]
        self.make(path, {"metadata": metadata, "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "example.invalid/c",
                            "resources": {"requests": requests}}]}})
        status = {"phase": state["phase"], "conditions": [
            {"type": "Ready", "status": state["ready"],
             "lastTransitionTime": time_text(state["changed"])}]}
        if state["started"] is not None:
            status["startTime"] = time_text(state["started"])
        self.plane.patch(f"{path}/{pod}/status", {"status": status})
        if state["is_deleted"]:
            self.plane.delete(f"{path}/{pod}")

    def end(self, space, name, number):
        path = PODS.format(space) + f"/{name}-{number}"
        if state_of(name, number)["is_deleted"]:
            self.plane.patch(path, {"metadata": {"finalizers": None}})
        self.plane.delete(path)

    def level(self, space, name, metric, turn):
        """What the metric is, as a share of its target; a whole one by itself as many times."""
        is_whole = metric.kind in ("object", "external") and metric.target["type"] != "Value"
        pods = max(self.pods[space, name], 1)
        if self.demand:
            share = self.demand[turn % len(self.demand)]
            return share if is_whole else share / pods
        dice = random.Random(f"{self.seed} {name} {metric.name} {turn}")
        return dice.choice(FACTORS) * (dice.randint(1, 9) if is_whole else 1)

    def amount(self, space, name, metric, turn, number=0):
        """Of a pod, or of all; differs from pod to pod every other turn."""
        dice = random.Random(f"{self.seed} {name} {metric.name} {turn} {number}")
        uneven = 1 if turn % 2 else dice.choice((0.7, 1, 1, 1.3))
        return math.floor(self.level(space, name, metric, turn) * metric.amount * uneven)

    def items(self, question):
        """What the metrics APIs say to this question."""
        space, asked = question.space, question.selector.get("app")
        if space not in (THEIRS, OURS):
            return []
        kind = {USAGE: "usage", EXTERNAL: "external"}.get(question.group) or (
            "pods" if question.kind == "pods" else "object")
        names = [asked or question.name] if asked or kind == "object" else list(self.apps)
        items, is_known = [], False
        for name in names:
            for metric in self.apps[name].metrics if name in self.apps else ():
                is_it = metric.kind == kind and question.metric in ("", metric.name)
                if not is_it or metric.name == "nobodys" or self.apps[name].begin == 0:
                    continue
                turn = self.turns.ask(space, name, (kind, metric.name))
                is_known = is_known or turn > 0
                items += self.values(space, name, metric, turn) if turn else []
        return items if is_known or kind == "usage" else None

    def values(self, space, name, metric, turn):
        if metric.kind == "external":
            labels = {"app": name}
            return [external_item(metric.name, labels,
                                  f"{self.amount(space, name, metric, turn)}m")]
        if metric.kind == "object":
            return [custom_item(space, "Service", name, metric.name,
                                f"{self.amount(space, name, metric, turn)}m")]
        items = []
        for number in range(self.pods[space, name]):
            if not state_of(name, number)["is_known"]:
                continue
            pod, value = f"{name}-{number}", self.amount(space, name, metric, turn, number)
            if metric.kind == "pods":
                items.append(custom_item(space, "Pod", pod, metric.name, f"{value}m"))
            else:
                usage = f"{value}m" if metric.name == "cpu" else str(value)
                items.append(usage_item(space, pod, {metric.name: usage}))
        return items


def recorded():
    """How many replicas the recorded load is worth, turn by turn."""
    folder = os.environ.get("GEDGE_DATA_DIR")
    if not folder:
        print("[left out] GEDGE_DATA_DIR is not set: a load of our own")
        return [6 + 5 * math.sin(i / 9) + 3 * math.sin(i / 2.3) for i in range(200)]
    with open(os.path.join(folder, SERIES), encoding="ascii") as file:
        values = [float(row["value"]) for row in csv.DictReader(file)][:200]
    return [6 * value * len(values) / sum(values) for value in values]


def play(site, count, is_hour):
    turns, late, begin = site.turns, 0, time.monotonic()
    turns.finish()  # what is out of bounds needs no metric
    site.follow()
    for turn in range(1, count + 1):
        turns.rest()
        if is_hour:
            time.sleep(max(0.0, begin + TURN * turn - time.monotonic()))
        opened = time.monotonic()
        turns.open(turn)
        turns.finish()
        late += time.monotonic() - opened > TURN / 4
        site.follow()
        if turn % 20 == 0:
            print(f"turn {turn} of {count}", flush=True)
    return late


def said(status):
    """A status as both have to write it: without times and words."""
    return {"current": status.get("currentReplicas"), "desired": status.get("desiredReplicas"),
            "conditions": sorted((one["type"], one["status"], one["reason"])
                                 for one in status.get("conditions") or ()),
            "metrics": status.get("currentMetrics") or []}


def saw_metrics(status):
    return any(kind == "ScalingActive" and is_so == "True"
               for kind, is_so, _ in status["conditions"])


def without_untyped(status):
    return {**status, "metrics": [one for one in status["metrics"] if one["type"]]}


def without_described(status):
    def strip(metric):
        source = metric.get("object", {})
        if "averageValue" not in source.get("current", {}):
            return metric
        return {**metric, "object": {**source, "describedObject": None}}
    return {**status, "metrics": [strip(one) for one in status["metrics"]]}


def without_what_was(status):
    return status if saw_metrics(status) else {**status, "metrics": [], "desired": None}


# What differs in a status and is meant to, and what takes it out of both sides.
EXPLAINED = (
    ("kube-controller-manager has an empty entry for a metric that it could not read; gedge has "
     "none", without_untyped),
    ("kube-controller-manager forgets of which object an average is; gedge says it",
     without_described),
    ("without any metric, kube-controller-manager leaves metrics and desired replicas in the "
     "status as they were, be it 0; gedge shows no old metrics, and the replicas that it keeps",
     without_what_was))


def compare_status(one, other, explained):
    """True: they are equal, or differ as is explained; each kind of that is counted."""
    for words, strip in EXPLAINED:
        if one == other:
            return True
        before, one, other = (one, other), strip(one), strip(other)
        explained[words] += before != (one, other)
    return one == other


class Statuses:
    """All that were written, of looks that saw metrics; and the last one."""

    def __init__(self, plane):
        self.seen, self.last = collections.defaultdict(list), {}
        self.watch = PlaneWatch(plane, "/apis/autoscaling/v2beta2/horizontalpodautoscalers",
                                self.note)

    def note(self, hpa):
        key = hpa["metadata"]["namespace"], hpa["metadata"]["name"]
        status = self.last[key] = said(hpa.get("status", {}))
        if saw_metrics(status) and self.seen[key][-1:] != [status]:
            self.seen[key].append(status)


def differences(site, statuses):
    found, explained = [], collections.Counter()
    for name in site.apps:
        theirs, ours = site.series[THEIRS, name], site.series[OURS, name]
        print(f"{name:14} {' '.join(map(str, theirs))}")
        if theirs != ours:
            turn = next(i for i, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1])
            found.append(f"{name}: in turn {turn} kube-controller-manager has {theirs[turn]} "
                         f"replicas, gedge {ours[turn]}: {ours}")
        theirs, ours = statuses.seen[THEIRS, name], statuses.seen[OURS, name]
        for turn, (one, other) in enumerate(zip(theirs, ours)):
            if not compare_status(one, other, explained):
                found.append(f"{name}: status {turn}:\n  {one}\n  {other}")
                break
        if len(theirs) != len(ours):
            found.append(f"{name}: {len(theirs)} statuses, and {len(ours)} of gedge")
    for name in [*site.apps, "lost"]:
        theirs, ours = (statuses.last.get((space, name)) for space in (THEIRS, OURS))
        if not theirs or not ours or not compare_status(theirs, ours, explained):
            found.append(f"{name}: the last status:\n  {theirs}\n  {ours}")
    for words, count in explained.items():
        print(f"explained, {count} statuses: {words}")
    return found


def compare(plane, arguments):
    own = apps(arguments.hour)
    for space in (THEIRS, OURS):
        plane.create("/api/v1/namespaces", {"metadata": {"name": space}})
    site = Site(plane, own, arguments.seed, recorded() if arguments.hour else None)
    site.follow()
    for series in site.series.values():
        series.clear()
    statuses = Statuses(plane)
    adapter = MetricsAdapter(plane, site.items)
    flags = FLAGS if arguments.hour else (*FLAGS, ("downscale-stabilization", "0s"))
    theirs = [f"--horizontal-pod-autoscaler-{name}={value}" for name, value in flags]
    ours = [word for name, value in flags for word in (f"--{name}", value)]
    try:
        site.make_autoscalers()
        with KubeController(plane, THEIRS, "--kube-api-qps=1000", "--kube-api-burst=1000",
                            *theirs) as controller, \
                Daemon(plane, "scale", "run", "--own-hpa", "--compat", "1.20", "-n", OURS,
                       "--kubeconfig", plane.kubeconfig, *ours) as gedge:
            try:
                late = play(site, arguments.turns, arguments.hour)
            except AssertionError:
                print(controller.log()[-2000:], gedge.log()[-6000:], sep="\n")
                raise
            until(lambda: all((space, "lost") in statuses.last for space in (THEIRS, OURS)),
                  "a status without a workload")
        found = differences(site, statuses)
        if gedge.process.returncode != 0:
            found.append(f"gedge ended with {gedge.process.returncode}: {gedge.log()[-600:]}")
        if found:
            print(controller.log()[-2000:])
    finally:
        adapter.stop()
        statuses.watch.close()
        site.pool.shutdown()
    changes = sum(one != other for series in site.series.values()
                  for one, other in zip(series, series[1:]))
    print(f"{arguments.turns} turns, {len(own)} autoscalers a side, {changes} changes of replicas, "
          f"{late} turns that took long, {len(found)} differences")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--hour", action="store_true")
    arguments = parser.parse_args()
    arguments.turns = arguments.turns or (3600 // TURN if arguments.hour else 12)
    with Plane(aggregates=True) as plane:
        if not program_of(plane):
            print("[skipped] this control plane has no kube-controller-manager")
            return SKIP
        checks = Checks()
        checks.failures += compare(plane, arguments)
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
