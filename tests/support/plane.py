"""A real control plane for tests: etcd and kube-apiserver on loopback, and a client for them."""
import base64
import concurrent.futures
import http.client
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from checks import Checks

SUPPORT = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(SUPPORT, "control_plane.sh")
SKIP = 77  # of ctest
PODS = "/api/v1/namespaces/{}/pods"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SPACE = "gedge-system"
ACCOUNT = f"system:serviceaccount:{SPACE}:gedge-scheduler"
LONGEST = 60  # seconds until something has happened, on the slowest machine


class Plane:
    """Started by `with`, and stopped whatever happens. `aggregates`: other API servers may be put
    behind it, and are asked with the certificate DIR/proxy.crt. `flags`: more of kube-apiserver.
    `within`: where DIR is made."""

    def __init__(self, aggregates=False, flags=(), within=None):
        self.aggregates, self.flags, self.within = aggregates, list(flags), within

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gedge-plane-", dir=self.within)
        path = self.folder.name
        if self.aggregates:
            self.prepare_aggregation()
        with open(self.path("apiserver-more"), "w") as file:
            file.write("".join(flag + "\n" for flag in self.flags))
        started = subprocess.run(["bash", SCRIPT, "start", path], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL)
        if started.returncode == 3 and os.environ.get("CI") != "true":
            print("[skipped] no control plane can be had; set KUBEBUILDER_ASSETS")
            sys.exit(SKIP)
        if started.returncode != 0:
            sys.exit(f"the control plane did not start: {started.returncode}")
        with open(os.path.join(path, "env")) as file:
            env = dict(line.strip().split("=", 1) for line in file)
        self.binaries = subprocess.run(["bash", SCRIPT, "binaries"], stdin=subprocess.DEVNULL,
                                       capture_output=True, text=True, check=True).stdout.strip()
        self.host = env["server"].split("//")[1]
        self.token = env["token"]
        self.kubeconfig = os.path.join(path, "kubeconfig")
        self.local = threading.local()
        return self

    def prepare_aggregation(self):
        certificate(self.path("proxy"))
        self.flags += [f"--requestheader-client-ca-file={self.path('proxy.crt')}",
                       "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                       "--requestheader-group-headers=X-Remote-Group",
                       "--requestheader-username-headers=X-Remote-User",
                       f"--proxy-client-cert-file={self.path('proxy.crt')}",
                       f"--proxy-client-key-file={self.path('proxy.key')}"]

    def __exit__(self, *_):
        subprocess.run(["bash", SCRIPT, "stop", self.folder.name], check=True)
        self.folder.cleanup()

    def restart(self, name):
        """Killed at once, and started as before; whoever needs it waits for it."""
        subprocess.run(["bash", SCRIPT, "restart", self.folder.name, name], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def kubeconfig_by(self, port, user=None, is_named=False):
        """Of the same server, behind what listens on that port of loopback; of an administrator
        who acts as that user. Named: what listens there is asked over HTTP/1.1."""
        path = self.path(f"by-{port}{user or ''}.kubeconfig")
        with open(self.kubeconfig) as file:
            text = file.read()
        if is_named:
            text = text.replace(f"https://{self.host}\"", f"https://localhost:{port}\", "
                                "tls-server-name: kubernetes")
        text = text.replace(self.host, f"127.0.0.1:{port}")
        if user:
            text = text.replace("user: {token:",
                                f"user: {{as: {user}, as-groups: [\"system:masters\"], token:")
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def process_of(self, name):
        with open(self.path(name + ".pid")) as file:
            return int(file.read())

    def call(self, method, path, body=None, content_type="application/json"):
        """Status and document. A connection that was closed meanwhile is opened again, once."""
        sent = json.dumps(body) if body is not None else None
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": content_type}
        for is_last in (False, True):
            try:
                if not hasattr(self.local, "connection"):
                    trusted = self.path("certificates/apiserver.crt")
                    context = ssl.create_default_context(cafile=trusted)
                    self.local.connection = http.client.HTTPSConnection(self.host, context=context)
                self.local.connection.request(method, path, sent, headers)
                reply = self.local.connection.getresponse()
                text = reply.read().decode()
                return reply.status, json.loads(text) if text[:1] == "{" else {"message": text}
            except (OSError, http.client.HTTPException):
                del self.local.connection
                if is_last:
                    raise

    def get(self, path):
        status, document = self.call("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {document}")
        return document

    def create(self, path, *objects):
        def one(thing):
            status, document = self.call("POST", path, thing)
            if status != 201:
                raise AssertionError(f"POST {path}: {status} {document}")
            return document
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return list(pool.map(one, objects))

    def patch(self, path, body):
        status, document = self.call("PATCH", path, body, "application/merge-patch+json")
        if status != 200:
            raise AssertionError(f"PATCH {path}: {status} {document}")
        return document

    def delete(self, path):
        """One, or all of a collection."""
        self.call("DELETE", path, {"gracePeriodSeconds": 0})

    def grant(self):
        """The rights that `gedge manifests` prints for a scheduler, and the namespace of its lease.
        Returns the name of an account that has those and no others."""
        modes = ("scheduler", "preemption", "volumes", "repair")
        printed = subprocess.run(
            [os.environ["GEDGE"], "manifests", "--rights-only", "-o", "json",
             *(word for mode in modes for word in ("--mode", mode))],
            capture_output=True, text=True, check=True).stdout
        self.create_space()
        for thing in json.loads(printed)["items"]:
            if thing["apiVersion"].startswith("rbac."):
                space = thing["metadata"].get("namespace")
                path = f"{RBAC}/namespaces/{space}" if space else RBAC
                status, answer = self.call("POST", f"{path}/{thing['kind'].lower()}s", thing)
                if status not in (201, 409):
                    raise AssertionError(f"{thing['kind']}: {status} {answer}")
        rights = (("", "pods", "eviction", "create", ""),
                  ("coordination.k8s.io", "leases", "", "create", ""),
                  ("", "configmaps", "", "list", "gedge-latency"))
        until(lambda: all(self.may(ACCOUNT, *right) for right in rights), "rights to be known")
        return ACCOUNT

    def may(self, user, group, resource, part, verb, name):
        about = {"group": group, "resource": resource, "subresource": part, "verb": verb,
                 "name": name, "namespace": SPACE}
        _, answer = self.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                              {"spec": {"user": user, "resourceAttributes": about}})
        return answer["status"]["allowed"]

    def create_space(self):
        """The namespace of leases and of latencies, if it is not there."""
        status, answer = self.call("POST", "/api/v1/namespaces", {"metadata": {"name": SPACE}})
        if status not in (201, 409):
            raise AssertionError(f"namespace {SPACE}: {status} {answer}")

    def pods(self, namespace="default"):
        """By name."""
        return {pod["metadata"]["name"]: pod for pod in self.get(PODS.format(namespace))["items"]}

    def clear(self):
        """No pods, nodes, budgets, classes and events any more."""
        spaces = {pod["metadata"]["namespace"] for pod in self.get("/api/v1/pods")["items"]}
        for path in (*map(PODS.format, spaces), "/api/v1/nodes",
                     "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets",
                     "/apis/node.k8s.io/v1/runtimeclasses",
                     "/apis/events.k8s.io/v1/namespaces/default/events"):
            self.delete(path)
        classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
        for thing in self.get(classes)["items"]:
            if not thing["metadata"]["name"].startswith("system-"):
                self.delete(classes + "/" + thing["metadata"]["name"])
        until(lambda: not self.get("/api/v1/pods")["items"], "pods to go")


def certificate(path, name="localhost"):
    """PATH.crt, signed by itself, and PATH.key."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                    "-keyout", path + ".key", "-out", path + ".crt"], check=True,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_checks(checks, failures):
    """Each on the same plane, cleared in between; what is wrong is added to `failures`. Returns the
    exit status."""
    all_of_them = Checks()
    all_of_them.failures = failures
    with Plane() as plane:
        all_of_them.run(checks, plane, between=plane.clear)
    return all_of_them.report()


def until(is_so, what, longest=LONGEST):
    """Asks again and again; nothing depends on how long it takes."""
    end = time.monotonic() + longest
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError("waited too long for " + what)
        time.sleep(0.02)


def node(name, cpu="4", memory="8Gi", pods="20", labels=None, taints=None):
    amounts = {"cpu": cpu, "memory": memory, "pods": pods}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name,
                         "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": {"taints": taints or []},
            "status": {"allocatable": amounts, "capacity": amounts,
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, cpu="100m", memory="64Mi", labels=None, annotations=None, scheduler="gedge",
        **spec):
    container = {"name": "c", "image": "example.invalid/c",
                 "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    container.update(spec.pop("container", {}))
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
            "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0,
                     "containers": [container], **spec}}


def shows(secret, text):
    """Whether it can be read there, as it is or in base64."""
    coded = base64.b64encode(secret.encode()).decode().rstrip("=")
    return secret in text or coded[:-1] in text


class Daemon:
    """A command of gedge beside a plane, until the end of the block; it listens on a free port."""

    def __init__(self, plane, *arguments, waits_for="event=synced"):
        self.plane, self.waits_for = plane, waits_for
        self.log_path = plane.path(f"gedge-{len(os.listdir(plane.folder.name))}.log")
        self.log_file = open(self.log_path, "w")
        self.process = subprocess.Popen(
            [os.environ["GEDGE"], *arguments, "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log_file)

    def __enter__(self):
        until(lambda: self.waits_for in self.log() or self.process.poll() is not None,
              self.waits_for)
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.log_file.close()

    def log(self):
        with open(self.log_path) as file:
            return file.read()

    def port(self):
        return int(self.log().split("event=listening address=127.0.0.1:")[1].split()[0])

    def leaks(self):
        """What others read and the token of the plane can be read in."""
        events = json.dumps(self.plane.get("/apis/events.k8s.io/v1/events"))
        read = {"log": self.log(), "metrics": self.metrics(), "Events": events}
        return [where for where, text in read.items() if shows(self.plane.token, text)]

    def metrics(self):
        return self.answer("/metrics")

    def answer(self, path):
        url = f"http://127.0.0.1:{self.port()}{path}"
        with urllib.request.urlopen(url, timeout=LONGEST) as reply:
            return reply.read().decode()

    def metric(self, name):
        """A count or gauge; `name` has its labels, if it has any."""
        found = [line for line in self.metrics().splitlines() if line.startswith(name + " ")]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} lines of /metrics begin with {name}")
        return int(found[0].split()[-1])


class Scheduler(Daemon):
    """`gedge schedule --watch`: with the rights that are meant for it, where nothing else says who
    it is."""

    def __init__(self, plane, *flags, waits_for="event=synced", kubeconfig=None):
        if kubeconfig is None and "--as" not in flags:
            flags += ("--as", plane.grant())
        super().__init__(plane, "schedule", "--watch", "--kubeconfig",
                         kubeconfig or plane.kubeconfig, *flags, waits_for=waits_for)


class KubeScheduler:
    """A real kube-scheduler beside a plane, with these extenders, until the end of the block."""

    def __init__(self, plane, *extenders):
        self.plane = plane
        with open(plane.path("scheduler-more.yaml"), "w") as file:
            json.dump({"percentageOfNodesToScore": 100, "extenders": list(extenders)}, file)
        subprocess.run(["bash", SCRIPT, "scheduler", plane.folder.name], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["bash", SCRIPT, "stop-scheduler", self.plane.folder.name], check=True)
