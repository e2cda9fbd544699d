"""Row H-2: gedge scale run beside kube-controller-manager 1.20.2, by turns on one server."""

import concurrent.futures
import os
import statistics
import subprocess
import sys
import threading
import time

from harness import Broken, at_least
from live_sides import PATIENCE, Process

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from autoscaler import AUTOSCALERS, autoscaler  # noqa: E402
from kube_controller import KubeController, program_of  # noqa: E402
from metrics_adapter import USAGE, MetricsAdapter, time_text  # noqa: E402
from plane import PODS, Plane  # noqa: E402
from plane_watch import PlaneWatch  # noqa: E402
from scaled import DEPLOYMENTS, deployment  # noqa: E402

PERIOD = 50  # milliseconds from one look of an autoscaler to its next, of both sides
SPACES, OF_EACH, SHARE = 10, 100, 10  # of each, one in SHARE needs a change in a turn
OLD = 3600  # seconds: how long pods have been ready
ITEM = ('{{"metadata":{{"name":"{0}-0","namespace":"{1}"}},"timestamp":"TIME","window":"15s",'
        '"containers":[{{"name":"c","usage":{{"cpu":"{2}m"}}}}]}}')
LIST = ('{{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{{}},'
        '"items":[{}]}}')
KEPT, RAISED = 250, 500  # thousandths of a core: half of what a pod asks for, and all of it


def space_name(number):
    return f"space-{number}"


def app_name(number):
    return f"app-{number:03}"


class Site:
    """1,000 workloads of a pod each, whose autoscalers want what they have until raise() says that
    others want two."""

    def __init__(self, plane):
        self.plane = plane
        self.names = [app_name(i) for i in range(OF_EACH)]
        self.texts = {}    # what is answered, by namespace and workload; "": all of them
        self.spaces, self.apps = set(), set()  # whose metrics were asked for since look()
        self.whole_look = threading.Event()
        self.moments, self.wanted, self.done = {}, set(), threading.Event()
        self.raise_ones(set())
        self.create()
        self.adapter = MetricsAdapter(plane, self.answer, (USAGE,))
        self.watch = PlaneWatch(plane, "/apis/apps/v1/deployments", self.note)

    def create(self):
        def one(key):
            space, name = key
            self.post(DEPLOYMENTS.format(space), deployment(name))
            self.post(AUTOSCALERS.format("v2beta2", space), autoscaler(name))
            self.post(PODS.format(space), {
                "metadata": {"name": name + "-0", "labels": {"app": name}},
                "spec": deployment(name)["spec"]["template"]["spec"]})
            ready = {"type": "Ready", "status": "True", "lastTransitionTime": time_text(OLD)}
            self.plane.patch(f"{PODS.format(space)}/{name}-0/status", {
                "status": {"phase": "Running", "startTime": time_text(OLD),
                           "conditions": [ready]}})
        for number in range(SPACES):
            self.post("/api/v1/namespaces", {"metadata": {"name": space_name(number)}})
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(one, self.keys()))

    def keys(self):
        return [(space_name(i), name) for i in range(SPACES) for name in self.names]

    def post(self, path, thing):
        status, document = self.plane.call("POST", path, thing)
        if status != 201:
            raise Broken(f"POST {path}: {status} {document}")

    def raise_ones(self, wanted):
        texts = {}
        for number in range(SPACES):
            space = space_name(number)
            items = {name: ITEM.format(name, space, RAISED if (space, name) in wanted else KEPT)
                     for name in self.names}
            texts.update({(space, name): LIST.format(item) for name, item in items.items()})
            texts[space, ""] = LIST.format(",".join(items.values()))
        self.texts = texts

    def answer(self, question):
        key = question.space, question.selector.get("app", "")
        (self.apps if key[1] else self.spaces).add(key)
        if len(self.spaces) == SPACES or len(self.apps) == SPACES * OF_EACH:
            self.whole_look.set()
        return self.texts[key].replace("TIME", time_text()).encode()

    def look(self):
        """Until everything was asked for, from now on."""
        self.spaces, self.apps = set(), set()
        self.whole_look.clear()
        if not self.whole_look.wait(PATIENCE):
            raise Broken(f"the metrics of {len(self.apps)} were asked for in {PATIENCE} s")

    def note(self, one):
        key = one["metadata"]["namespace"], one["metadata"]["name"]
        if key in self.wanted and one["spec"]["replicas"] == 2 and key not in self.moments:
            self.moments[key] = time.monotonic()
            if len(self.moments) == len(self.wanted):
                self.done.set()

    def turn(self, number):
        """Seconds from the metrics that want another 100 changed until all of them were."""
        self.moments, self.done = {}, threading.Event()
        self.wanted = {key for i, key in enumerate(self.keys()) if i % SHARE == number}
        begin = time.monotonic()
        self.raise_ones(self.wanted)
        if not self.done.wait(PATIENCE):
            raise Broken(f"{len(self.moments)} of {len(self.wanted)} were changed in {PATIENCE} s")
        self.raise_ones(set())
        return max(self.moments.values()) - begin

    def close(self):
        self.watch.close()
        self.adapter.stop()


def start_gedge(suite, plane):
    child = subprocess.Popen(
        [suite.program("gedge"), "scale", "run", "--own-hpa", "--compat", "1.20", "--sync-period",
         f"{PERIOD}ms", "--listen", "127.0.0.1:0", "-q", "--kubeconfig", plane.kubeconfig],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Process(child)


def start_controller(*flags):
    def start(_, plane):
        period = f"--horizontal-pod-autoscaler-sync-period={PERIOD}ms"
        controller = KubeController(plane, "", period, *flags)
        controller.start()
        return Process(controller.process)
    return start


def measure(suite, plane, site, raw):
    """Seconds of each turn, by side."""
    turns = iter(range(SHARE))
    sides = (("gedge", start_gedge, 4),
             ("raised", start_controller("--kube-api-qps=5000", "--kube-api-burst=5000"), 3),
             ("default", start_controller(), 2))
    found = {}
    for name, start, count in sides:
        process = start(suite, plane)
        try:
            for _ in range(2):  # the first one writes every status
                site.look()
            used = process.seconds()
            found[name] = []
            for _ in range(count):
                site.look()
                found[name].append(site.turn(next(turns)))
            raw.append(f"{name:8} {'  '.join(f'{taken:6.2f} s' for taken in found[name])}  "
                       f"processor {process.seconds() - used:.2f} s, peak {process.peak():.0f} MiB")
        finally:
            process.stop()
    return found


def processor_seconds(plane, name):
    with open(f"/proc/{plane.process_of(name)}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def beside_controller(suite, report):
    raw, memory = [], "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with Plane(aggregates=True, within=memory) as plane:
        if not program_of(plane):
            raise Broken("this control plane has no kube-controller-manager")
        site = Site(plane)
        try:
            found = measure(suite, plane, site, raw)
        finally:
            site.close()
            suite.apart += sum(processor_seconds(plane, name) for name in ("etcd", "apiserver"))
    ours = statistics.median(found["gedge"])
    for side, words, floor, aim in (("raised", "5,000 requests a second allowed", 10, 20),
                                    ("default", "its own limits", 50, 100)):
        theirs = statistics.median(found[side])
        report.row("H-2", f"{SPACES * OF_EACH:,} live autoscalers that look every {PERIOD} ms, "
                   f"{SPACES * OF_EACH // SHARE} of them with a metric that changes: until the "
                   f"last scale is written, against kube-controller-manager 1.20.2 with {words}",
                   f"{floor}x", f"{aim}x",
                   f"{theirs / ours:.1f}x; {ours:.2f} s, kube-controller-manager {theirs:.1f} s",
                   at_least(theirs / ours, floor, aim))
    report.section("H-2: turns", raw)
