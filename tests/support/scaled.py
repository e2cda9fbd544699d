"""Workloads that follow their replicas, a metrics API behind an API server, and a Prometheus: what
an autoscaler needs around it."""
import contextlib
import datetime
import http.server
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import urllib.request

from plane import PODS, certificate, until

DEPLOYMENTS = "/apis/apps/v1/namespaces/{}/deployments"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
GROUP = "/apis/metrics.k8s.io/v1beta1"


def time_text(ago=0):
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=ago)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


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


class Answering:
    """Answers GET on a free port, or on that of one that was there before."""

    def __init__(self, reply, port=0, tls=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802
                status, kind, body = reply(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            open_ones = set()

            def process_request(self, request, client_address):
                self.open_ones.add(request)
                super().process_request(request, client_address)

            def shutdown_request(self, request):
                self.open_ones.discard(request)
                super().shutdown_request(request)

            def handle_error(self, request, client_address):
                pass  # it went, or was cut

        self.server = Server(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls + ".crt", tls + ".key")
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        """At once, with connections that are kept."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        for one in list(self.server.open_ones):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class MetricsApi:
    """metrics.k8s.io behind a plane that aggregates. `load`: thousandths of a core that the pods of
    an app share. `age`: of the samples, in seconds."""

    def __init__(self, plane, space):
        self.plane, self.space = plane, space
        self.load, self.age, self.broken = {}, 0, None
        certificate(plane.path("metrics"))
        self.server = Answering(self.reply, tls=plane.path("metrics"))
        self.port = self.server.port
        plane.create("/api/v1/namespaces/kube-system/services", {
            "metadata": {"name": "metrics"},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        plane.create(SERVICES, {
            "metadata": {"name": "v1beta1.metrics.k8s.io"},
            "spec": {"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100,
                     "versionPriority": 100, "insecureSkipTLSVerify": True,
                     "service": {"namespace": "kube-system", "name": "metrics",
                                 "port": self.port}}})
        until(lambda: plane.call("GET", GROUP + f"/namespaces/{space}/pods")[0] == 200,
              "metrics.k8s.io")

    def stop(self):
        if self.server:
            self.server.stop()
        self.server = None

    def start(self):
        self.server = Answering(self.reply, self.port, self.plane.path("metrics"))

    def reply(self, path):
        if path.split("?")[0] == GROUP:
            pods = {"name": "pods", "kind": "PodMetrics", "namespaced": True,
                    "singularName": "", "verbs": ["get", "list"]}
            answer = {"kind": "APIResourceList", "apiVersion": "v1",
                      "groupVersion": "metrics.k8s.io/v1beta1", "resources": [pods]}
        elif self.broken is not None:
            return 200, "application/json", self.broken
        else:
            answer = {"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1",
                      "metadata": {}, "items": self.items()}
        return 200, "application/json", json.dumps(answer).encode()

    def items(self):
        pods = self.plane.pods(self.space)
        items = []
        for app, load in self.load.items():
            mine = [name for name, pod in pods.items() if pod["metadata"]["labels"] == {"app": app}]
            for name in mine:
                items.append({"metadata": {"name": name, "namespace": self.space},
                              "timestamp": time_text(self.age), "window": "15s",
                              "containers": [{"name": "c",
                                              "usage": {"cpu": f"{load // len(mine)}m"}}]})
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

    def reply(self, _):
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
