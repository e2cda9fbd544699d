"""Schedulers that take turns on one API server: how each is started, what it bound, and what it
used."""

import collections
import http.client
import json
import os
import socket
import subprocess
import threading
import time

from harness import Broken
from rows_kubernetes import Api

PATIENCE = 300  # seconds
CAPACITY = {"cpu": "16", "memory": "64Gi", "pods": "110"}
PODS_A_NODE = 110  # 16 cpu would hold 160 of the pods below
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
WATCHED = ("/api/v1/nodes", "/api/v1/pods", "/api/v1/namespaces", "/api/v1/services",
           "/api/v1/replicationcontrollers", "/apis/apps/v1/replicasets",
           "/apis/apps/v1/statefulsets", "/apis/storage.k8s.io/v1/storageclasses",
           "/api/v1/persistentvolumes", "/api/v1/persistentvolumeclaims",
           "/apis/policy/v1beta1/poddisruptionbudgets")


def node_name(i):
    return f"node-{i:04}"


def node(i):
    name = node_name(i)
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


def version_of(api, path):
    return json.loads(api.ask("GET", path + "?limit=1"))["metadata"]["resourceVersion"]


class Watch:
    """When each of `count` pods was seen with a node, from now on, or the one that is named. A
    watch that breaks is begun again from a list."""

    def __init__(self, api, count, name=None):
        self.moments, self.nodes, self.over = {}, {}, threading.Event()
        self.count, self.wrong, self.has_ended, self.socket = count, [], False, None
        self.api = Api(api.host, api.headers["Authorization"].split()[1])
        self.which = f"fieldSelector=metadata.name={name}" if name else ""
        begin = version_of(api, "/api/v1/pods")
        self.thread = threading.Thread(target=self.follow, args=(begin,), daemon=True)
        self.thread.start()

    def note(self, seen):
        name, where = seen["metadata"]["name"], seen.get("spec", {}).get("nodeName")
        if not where:
            return
        if self.nodes.setdefault(name, where) != where:
            self.wrong.append(f"{name} was bound to {self.nodes[name]} and to {where}")
        self.moments.setdefault(name, time.monotonic())
        if len(self.moments) == self.count:
            self.over.set()

    def follow(self, begin):
        while not self.has_ended:
            try:
                if begin is None:
                    listed = json.loads(self.api.ask("GET", f"/api/v1/pods?{self.which}"))
                    begin = listed["metadata"]["resourceVersion"]
                    for item in listed["items"]:
                        self.note(item)
                lines = self.api.stream(
                    f"/api/v1/pods?watch=1&resourceVersion={begin}&{self.which}")
                self.socket = self.api.local.connection.sock
                for line in lines:
                    if self.has_ended:
                        return
                    event = json.loads(line)
                    if event["type"] in ("ADDED", "MODIFIED"):
                        self.note(event["object"])
            except (OSError, http.client.HTTPException, Broken, ValueError):
                time.sleep(0.02)
            self.api.local = threading.local()
            begin = None

    def end(self):
        """Nothing more is asked for: what is left open costs the server."""
        self.has_ended = True
        try:
            if self.socket is not None:
                self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended
        self.thread.join()

    def times(self):
        return sorted(self.moments.values())


def verify(api, watch):
    """Every pod has the one node that the watch saw, that node exists, and none has too many."""
    if watch.wrong:
        raise Broken(watch.wrong[0])
    pods = json.loads(api.ask("GET", "/api/v1/pods"))["items"]
    nodes = json.loads(api.ask("GET", "/api/v1/nodes"))["items"]
    known = {item["metadata"]["name"] for item in nodes}
    load = collections.Counter(item["spec"].get("nodeName") for item in pods)
    if set(load) - known:
        raise Broken(f"a pod is bound to {sorted(map(str, set(load) - known))[0]}, no node")
    if max(load.values()) > PODS_A_NODE:
        raise Broken("a node has more pods than it may")
    for item in pods:
        if watch.nodes.get(item["metadata"]["name"]) != item["spec"]["nodeName"]:
            raise Broken(f"{item['metadata']['name']} is elsewhere than the watch said")
    return len(pods)


class Process:
    """A scheduler that runs; `began`: a moment before it did."""

    def __init__(self, child, began=None):
        self.child, self.pid, self.began = child, child.pid, began

    def seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """MiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def stop(self):
        self.child.terminate()
        self.child.wait()


def begin(command, **streams):
    began = time.monotonic()
    return Process(subprocess.Popen(command, **streams), began)


def start_kubernetes(plane, *_):
    command = plane.call("scheduler-command").splitlines()
    with open(os.path.join(plane.dir, "scheduler.log"), "ab") as log:
        return begin(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def begin_gedge(suite, events, kubeconfig, *flags):
    return begin(
        [suite.program("gedge"), "schedule", "--watch", "--profile", "kube", "--compat", "1.20",
         "--events", events, "--listen", "127.0.0.1:0", "-q", *flags, "--kubeconfig", kubeconfig],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kubeconfig_by(plane, api, port, is_named):
    """Of what listens on that port of loopback: by its address, to ask it over HTTP/2, or by its
    name, over HTTP/1.1."""
    path = os.path.join(plane.dir, f"by-{port}.kubeconfig")
    with open(os.path.join(plane.dir, "kubeconfig"), encoding="ascii") as file:
        text = file.read()
    host = f"localhost:{port}\", tls-server-name: \"kubernetes" if is_named else f"127.0.0.1:{port}"
    with open(path, "w", encoding="ascii") as file:
        file.write(text.replace(api.host, host))
    os.chmod(path, 0o600)
    return path


def start_gedge(suite, events, *flags):
    return lambda plane, *_: begin_gedge(suite, events, os.path.join(plane.dir, "kubeconfig"),
                                         *flags)


def start_ceiling(suite, nodes, connections=64):
    """Binds that nobody decides about, on connections that are open before."""
    def start(plane, api, names):
        host, port = api.host.split(":")
        watches = [f"{path}?watch=1&resourceVersion={version_of(api, path)}" for path in WATCHED]
        process = begin([suite.program("bench_bind"), host, port, str(connections), *watches],
                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        lines = [api.headers["Authorization"].split()[1]]
        lines += [f"default/{name} {node_name(i % nodes)}" for i, name in enumerate(names)]
        process.child.stdin.write(("\n".join(lines) + "\n").encode())
        process.child.stdin.close()
        return process
    return start


def collect_garbage(api):
    """Of the server: what pods that come and go between turns leave behind is nobody's turn."""
    api.ask("GET", "/debug/pprof/heap?gc=1")


class Side:
    """One scheduler, and what was found in each of its turns."""

    def __init__(self, name, start, tells=False):
        self.name, self.start, self.tells = name, start, tells
        self.rates, self.seconds, self.memory, self.first = [], [], [], []

    def run(self, plane, api, number, count, raw):
        """Binds `count` pods that are there before it starts."""
        names = [f"p-{number}-{i:05}" for i in range(count)]
        api.create(pod(name, self.name) for name in names)
        watch = Watch(api, count)
        collect_garbage(api)
        process = self.start(plane, api, names)
        try:
            if not watch.over.wait(PATIENCE):
                raise Broken(f"{self.name} bound {len(watch.moments)} of {count} pods")
            if self.tells:
                wait_for_events(api, count)
            self.note(process, watch, count, raw)
        finally:
            process.stop()
            watch.end()
        verify(api, watch)
        api.delete_pods()
        api.ask("DELETE", EVENTS)

    def note(self, process, watch, count, raw):
        moments = watch.times()
        self.rates.append((count - 1) / (moments[-1] - moments[0]))
        self.first.append(moments[0] - process.began)
        line = (f"{self.name:18} {'with Events' if self.tells else '':11} {self.rates[-1]:7.0f} "
                f"binds/s  first after {self.first[-1]:.2f} s")
        if self.name != "nobody":
            self.seconds.append(process.seconds() / count)
            self.memory.append(process.peak())
            line += (f"  processor {1e6 * self.seconds[-1]:7.0f} us a pod  "
                     f"peak {self.memory[-1]:.0f} MiB")
        raw.append(line)


def wait_for_events(api, count):
    """What is told of binds may come later than they do: its work counts, too."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        listed = json.loads(api.ask("GET", EVENTS + "?limit=1"))
        told = len(listed["items"]) + listed["metadata"].get("remainingItemCount", 0)
        if told >= count:
            return
        time.sleep(0.1)
    raise Broken(f"there are {told} Events of {count} binds")
