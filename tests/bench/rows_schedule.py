"""Rows L-1, L-3, L-5, L-6 and L-8: gedge schedule beside kube-scheduler 1.20.2, on one server.

Both take pods that were created before they start. A watch of the benchmark's own sees when each
pod is bound; the rate is that from the first bind to the last.
"""

import json
import os
import signal
import subprocess
import threading
import time

from harness import Broken, at_least, spread
from rows_kubernetes import Api, Plane

NODES, PODS, PAIRS = 1000, 3000, 7
PATIENCE = 300  # seconds
CAPACITY = {"cpu": "16", "memory": "64Gi", "pods": "110"}


def node(i):
    name = f"node-{i:04}"
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": CAPACITY, "capacity": CAPACITY,
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, scheduler):
    requests = {"cpu": "100m", "memory": "64Mi"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "a"}},
            "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": "example.invalid/c",
                                     "resources": {"requests": requests}}]}}


class Watch:
    """When each pod was seen with a node, from now on."""

    def __init__(self, api):
        self.moments, self.over = [], threading.Event()
        begin = json.loads(api.ask("GET", "/api/v1/pods?limit=1"))["metadata"]["resourceVersion"]
        self.api = Api(api.host, api.headers["Authorization"].split()[1])
        self.thread = threading.Thread(target=self.read, args=(begin,), daemon=True)
        self.thread.start()

    def read(self, begin):
        reply = self.api.stream(f"/api/v1/pods?watch=1&resourceVersion={begin}")
        seen = set()
        for line in reply:
            bound = json.loads(line)["object"]
            name = bound["metadata"]["name"]
            if bound.get("spec", {}).get("nodeName") and name not in seen:
                seen.add(name)
                self.moments.append(time.monotonic())
            if len(seen) == PODS:
                self.over.set()
                return


class Side:
    """One scheduler: how it is started, and what it used."""

    def __init__(self, name, start):
        self.name, self.start = name, start
        self.rates, self.seconds, self.memory, self.first = [], [], [], []

    def run(self, plane, api, number, raw):
        names = [f"{self.name}-{number}-{i:05}" for i in range(PODS)]
        api.create(pod(name, self.name) for name in names)
        watch = Watch(api)
        began = time.monotonic()
        process = self.start(plane)
        try:
            if not watch.over.wait(PATIENCE):
                raise Broken(f"{self.name} bound {len(watch.moments)} of {PODS} pods")
            with open(f"/proc/{process}/status", encoding="ascii") as file:
                peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
            with open(f"/proc/{process}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        finally:
            os.kill(process, signal.SIGTERM)
        moments = watch.moments
        self.rates.append(PODS / (moments[-1] - moments[0]))
        ticks = int(fields[11]) + int(fields[12])
        self.seconds.append(ticks / os.sysconf("SC_CLK_TCK") / PODS)
        self.memory.append(peak / 1024)
        self.first.append(moments[0] - began)
        raw.append(f"{self.name:18} {self.rates[-1]:7.0f} binds/s  first after "
                   f"{self.first[-1]:.2f} s  processor {1e6 * self.seconds[-1]:7.0f} us a pod  "
                   f"peak {peak / 1024:.0f} MiB")
        api.delete_pods()


def start_kubernetes(plane):
    plane.call("scheduler")
    with open(os.path.join(plane.dir, "scheduler.pid"), encoding="ascii") as file:
        return int(file.read())


def start_gedge(suite, events):
    def start(plane):
        return subprocess.Popen(
            [suite.program("gedge"), "schedule", "--watch", "--profile", "kube", "--compat", "1.20",
             "--events", events, "--listen", "127.0.0.1:0", "-q",
             "--kubeconfig", os.path.join(plane.dir, "kubeconfig")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).pid
    return start


def ratio(ours, theirs):
    return spread(a / b for a, b in zip(ours, theirs))


def beside_scheduler(suite, report):
    raw = []
    kubernetes = Side("default-scheduler", start_kubernetes)
    quiet = Side("gedge", start_gedge(suite, "none"))
    telling = Side("gedge", start_gedge(suite, "all"))
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(NODES))
        for number in range(PAIRS):
            order = [kubernetes, quiet, telling]
            for side in order if number % 2 == 0 else reversed(order):
                side.run(plane, api, f"{number}-{order.index(side)}", raw)
    where = f"{NODES:,} nodes, {PODS:,} pods that were there before, {PAIRS} pairs"
    for name, what, found, floor, aim in (
            ("L-1", "binds a second, without Events", ratio(quiet.rates, kubernetes.rates), 4, 6.5),
            ("L-3", "with an Event a bind", ratio(telling.rates, kubernetes.rates), 2.5, 3.2),
            ("L-5", "processor time a pod", ratio(kubernetes.seconds, telling.seconds), 25, 40),
            ("L-6", "peak memory", ratio(kubernetes.memory, telling.memory), 6, 10),
            ("L-8", "start to first bind", ratio(kubernetes.first, telling.first), 2, 2)):
        report.row(name, f"{what}, against kube-scheduler 1.20.2 (which writes Events), {where}",
                   f"{floor}x", f"{aim}x", found.text(1, "x"), at_least(found.median, floor, aim))
    report.section("L: one scheduler after the other on one server", raw)
