"""Row O-4: the processor time of kube-scheduler 1.20.2 for each pod, on the same nodes and pods."""

import concurrent.futures
import http.client
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time

from harness import Broken, at_least, lines_of, spread
from rows_process import generate

NODES, PODS = 5000, 5000
PATIENCE = 400  # seconds


class Api:
    """Keep-alive connections to one API server, one a thread."""

    def __init__(self, server, token):
        self.host = server.removeprefix("https://")
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.local = threading.local()

    def ask(self, method, path, body=None):
        if not hasattr(self.local, "connection"):
            # The server made its certificate itself, a moment ago, on this machine.
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self.local.connection = http.client.HTTPSConnection(self.host, context=context)
        self.local.connection.request(method, path, body, self.headers)
        reply = self.local.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise Broken(f"{method} {path}: {reply.status} {text[:300].decode(errors='replace')}")
        return text

    def create(self, objects):
        def one(item):
            where = "nodes" if item["kind"] == "Node" else "namespaces/default/pods"
            self.ask("POST", f"/api/v1/{where}", json.dumps(item))
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(one, objects))

    def stream(self, path):
        """The lines of a watch, as they come."""
        self.ask("GET", "/version")
        self.local.connection.request("GET", path, None, self.headers)
        return self.local.connection.getresponse()

    def delete_pods(self):
        """All of them, each by itself: a server may not be through with a collection in time."""
        path, at_once = "/api/v1/namespaces/default/pods", json.dumps({"gracePeriodSeconds": 0})
        names = [item["metadata"]["name"] for item in json.loads(self.ask("GET", path))["items"]]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda name: self.ask("DELETE", f"{path}/{name}", at_once), names))

    def pending(self):
        text = self.ask("GET", "/api/v1/pods?fieldSelector=spec.nodeName=&resourceVersion=0")
        return len(json.loads(text)["items"])


class Plane:
    """A control plane that stops with the block it was made for."""

    def __init__(self, suite):
        self.suite = suite
        self.script = os.path.join(suite.top, "tests", "support", "control_plane.sh")
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(dir=memory)
        self.dir = self.folder.name

    def call(self, what):
        done = subprocess.run([self.script, what, self.dir], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"control_plane.sh {what}: {done.stderr[-800:]}")
        return done.stdout

    def __enter__(self):
        try:
            self.call("start")
        except Broken:
            self.__exit__()
            raise
        with open(os.path.join(self.dir, "env"), encoding="ascii") as file:
            words = dict(line.strip().split("=", 1) for line in file)
        return self, Api(words["server"], words["token"])

    def __exit__(self, *_):
        for name in ("etcd", "apiserver", "scheduler"):
            try:
                self.suite.apart += self.processor_seconds(name)
            except OSError:
                pass  # it was never started, or is gone
        self.call("stop")
        self.folder.cleanup()

    def processor_seconds(self, name):
        with open(os.path.join(self.dir, name + ".pid"), encoding="ascii") as file:
            pid = int(file.read())
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def schedule(plane, api, raw):
    """Processor seconds a pod once binding goes on, and with the start of the program."""
    plane.call("scheduler")
    start, first = time.monotonic(), None
    while True:
        bound, used = PODS - api.pending(), plane.processor_seconds("scheduler")
        raw.append(f"{time.monotonic() - start:6.1f} s  bound {bound:5}  processor {used:7.2f} s  "
                   f"apiserver {plane.processor_seconds('apiserver'):7.2f} s")
        if first is None and bound >= PODS // 20:
            first = (bound, used)
        if bound == PODS:
            break
        if time.monotonic() - start > PATIENCE:
            raise Broken(f"kube-scheduler bound {bound} of {PODS} pods in {PATIENCE} s")
        time.sleep(1)
    if first is None or first[0] == bound:
        raise Broken("kube-scheduler was done before it could be watched")
    return (used - first[1]) / (bound - first[0]), used / bound


def decisions(suite, path, pods):
    """What bench_plan prints, and its processor seconds a decision."""
    lines = lines_of([suite.program("bench_plan"), path, "1.20"])
    if not any("verified" in line for line in lines):
        raise Broken("a placement of gedge breaks a rule")
    return lines, spread(float(line.split()[1]) / pods for line in lines
                         if line.startswith("deciding"))


def against_scheduler(suite, report):
    path = generate(suite, "objects", "o4.json", nodes=NODES, pods=PODS, templates=10)
    with open(path, encoding="utf-8") as file:
        objects = json.load(file)["items"]
    raw = []
    with Plane(suite) as (plane, api):
        began = time.monotonic()
        api.create(objects)
        raw.append(f"created {NODES} nodes and {PODS} pods in {time.monotonic() - began:.1f} s")
        per_pod, with_start = schedule(plane, api, raw)
    lines, ours = decisions(suite, path, PODS)
    many, steady = decisions(suite, generate(suite, "objects", "o5-minimal.json"), 50_000)
    ratio = with_start / ours.median
    what = (f"processor time a decision, kube 1.20, {NODES:,} nodes, {PODS:,} pods of 10 "
            "templates, state of the cluster included, against kube-scheduler 1.20.2's for each "
            "pod, its start included (and its I/O, which cannot be told apart; it stops at 500 "
            "feasible nodes, gedge looks at all)")
    report.row("O-4", what, "1/600", "1/1,500",
               f"1/{ratio:,.0f}; kube-scheduler {1e3 * with_start:.2f} ms, gedge "
               f"{1e6 * ours.median:.2f} us ({1e6 * ours.least:.2f} to {1e6 * ours.most:.2f}); "
               f"1/{per_pod / steady.median:,.0f} where starts weigh little: {1e3 * per_pod:.2f} "
               f"ms once it binds, {1e6 * steady.median:.2f} us with 50,000 pods",
               at_least(ratio, 600, 1500))
    report.section("O-4: kube-scheduler, qps and burst 5,000, etcd in memory", raw)
    report.section("O-4: bench_plan", lines)
    report.section("O-4: bench_plan, 50,000 pods", many)
