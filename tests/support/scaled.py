"""Workloads that follow their replicas, a metrics API behind an API server, and a Prometheus: what
an autoscaler needs around it."""
import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import threading
import urllib.request

from answering import Answering
from metrics_adapter import USAGE, MetricsAdapter, time_text, usage_item
from plane import PODS, until

DEPLOYMENTS = "/apis/apps/v1/namespaces/{}/deployments"


def deployment(name, replicas=1, cpu="500m"):
    labels = {"app": name}
    container = {"name": "c", "image": "example.invalid/c",
                 "resources": {"requests": {"cpu": cpu}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [container]}}}}


class Workloads:
    """Makes and removes pods of all Deployments of a namespace, as controllers and kubelets would;
    every pod runs and is ready for long. Keeps every number of replicas that was asked for."""

    def __init__(self, plane, space):
        self.plane, self.space = plane, space
        self.asked = {}
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join()

    def run(self):
        while not self.stopping.wait(0.1):
            with contextlib.suppress(OSError, AssertionError, http.client.HTTPException):
                for one in self.plane.get(DEPLOYMENTS.format(self.space))["items"]:
                    self.follow(one)

    def follow(self, one):
        name, wanted = one["metadata"]["name"], one["spec"]["replicas"]
        history = self.asked.setdefault(name, [])
        if not history or history[-1] != wanted:
            history.append(wanted)
        pods = sorted(pod for pod in self.plane.pods(self.space) if pod.startswith(name + "-"))
        missing = sorted({f"{name}-{i}" for i in range(wanted)} - set(pods))
        for pod in missing:
            self.start(pod, one["spec"]["template"])
        for pod in set(pods) - {f"{name}-{i}" for i in range(wanted)}:
            self.plane.delete(PODS.format(self.space) + "/" + pod)
        if one.get("status", {}).get("replicas") != wanted:
            path = DEPLOYMENTS.format(self.space) + f"/{name}/status"
            self.plane.patch(path, {"status": {"replicas": wanted}})

    def start(self, name, template):
        path = PODS.format(self.space)
        self.plane.create(path, {"metadata": {"name": name, **template["metadata"]},
                                 "spec": {"terminationGracePeriodSeconds": 0,
                                          **template["spec"]}})
        old = time_text(3600)
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": old}
        self.plane.patch(f"{path}/{name}/status", {
            "status": {"phase": "Running", "startTime": old, "conditions": [ready]}})


class MetricsApi(MetricsAdapter):
    """metrics.k8s.io behind a plane that aggregates. `load`: thousandths of a core that the pods of
    an app share. `age`: of the samples, in seconds. `broken`: what is said instead."""

    def __init__(self, plane, space):
        self.space, self.load, self.age, self.broken = space, {}, 0, None
        super().__init__(plane, self.usage, (USAGE,))

    def usage(self, _):
        age = self.age  # read first: where `broken` is set before it, no load passes for a new one
        broken = self.broken
        return self.items_of_pods(age) if broken is None else broken

    def items_of_pods(self, age):
        pods = self.plane.pods(self.space)
        items = []
        for app, load in self.load.items():
            mine = [name for name, pod in pods.items() if pod["metadata"]["labels"] == {"app": app}]
            items += [usage_item(self.space, name, {"cpu": f"{load // len(mine)}m"}, age)
                      for name in mine]
        return items


class Prometheus:
    """A real one, that asks every second what `demand` is."""

    def __init__(self, folder):
        self.folder, self.demand = folder, 0
        self.target = Answering(self.reply)
        self.port, self.process = free_port(), None
        with open(os.path.join(folder, "prometheus.yml"), "w") as file:
            json.dump({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
                       "scrape_configs": [{"job_name": "app", "static_configs": [
                           {"targets": [f"127.0.0.1:{self.target.port}"]}]}]}, file)
        self.url = f"http://127.0.0.1:{self.port}"

    def reply(self, *_):
        return 200, "text/plain; version=0.0.4", f"demand {self.demand}\n".encode()

    def start(self):
        with open(os.path.join(self.folder, "prometheus.log"), "a") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.folder}/prometheus.yml",
                 f"--storage.tsdb.path={self.folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.port}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until(lambda: self.value() == self.demand, "Prometheus")

    def value(self):
        try:
            with urllib.request.urlopen(self.url + "/api/v1/query?query=demand") as reply:
                result = json.loads(reply.read())["data"]["result"]
                return int(float(result[0]["value"][1])) if result else None
        except OSError:
            return None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process:
            self.kill()
        self.target.stop()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def has_prometheus():
    return shutil.which("prometheus") is not None
