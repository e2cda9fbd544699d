"""NodeLatency objects: `gedge measure --publish` writes them, what reads a live cluster finds them,
and `gedge schedule --watch` follows them. A server in this process keeps them, which may lack the
kind, and refuse one of them."""
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

GEDGE = os.environ["GEDGE"]
KIND = "/apis/gedge.io/v1alpha1/nodelatencies"
LONGEST = 60  # seconds until something has happened, on the slowest machine
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


class Store:
    """The objects, and everything that has happened to them."""

    def __init__(self):
        self.changed = threading.Condition()
        self.objects, self.events, self.patches = {}, [], []
        self.has_kind, self.is_over = False, False

    def put(self, name, thing):
        with self.changed:
            kind = "MODIFIED" if name in self.objects else "ADDED"
            thing["metadata"]["resourceVersion"] = str(len(self.events) + 2)
            self.objects[name] = thing
            self.events.append(json.dumps({"type": kind, "object": thing}))
            self.changed.notify_all()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def watch(self, is_ours, seen):
        """Events behind version `seen`, as they come."""
        store = self.server.store
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            with store.changed:
                store.changed.wait_for(
                    lambda: store.is_over or (is_ours and seen <= len(store.events)))
                if store.is_over:
                    break
                lines = store.events[seen - 1:]
                seen = len(store.events) + 1
            for line in lines:
                data = (line + "\n").encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        store = self.server.store
        path, _, query = self.path.partition("?")
        is_ours = path == KIND
        if path == "/version":
            return self.reply(200, {"major": "1", "minor": "20"})
        if is_ours and not store.has_kind:
            return self.reply(404, {"message": "no such kind"})
        if "watch=1" in query:
            return self.watch(is_ours, int(re.search(r"resourceVersion=(\d+)", query)[1]))
        with store.changed:
            items = list(store.objects.values()) if is_ours else []
            if path == "/api/v1/nodes":
                items = [{"metadata": {"name": name}} for name in ("edge", "near")]
            version = len(store.events) + 1
        return self.reply(200, {"kind": "NodeLatencyList" if is_ours else
                                ("NodeList" if items else "List"),
                                "apiVersion": "gedge.io/v1alpha1" if is_ours else "v1",
                                "metadata": {"resourceVersion": str(version)}, "items": items})

    def do_PATCH(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.store.patches.append((self.path, self.headers["Content-Type"]))
        if not self.path.startswith(KIND + "/") or not self.server.store.has_kind:
            return self.reply(404, {"message": "no such kind"})
        thing = json.loads(body)
        if thing["metadata"]["name"] == "refused":
            return self.reply(422, {"message": "not this one"})
        self.server.store.put(thing["metadata"]["name"], thing)
        return self.reply(200, thing)


class Site:
    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.store = self.store = Store()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.folder = folder
        self.kubeconfig = os.path.join(folder, "config")
        with open(self.kubeconfig, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {
                           "server": f"http://127.0.0.1:{self.server.server_port}"}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c"}}]}, file)

    def close(self):
        with self.store.changed:
            self.store.is_over = True
            self.store.changed.notify_all()
        self.server.shutdown()

    def gedge(self, *arguments):
        return subprocess.run([GEDGE, *arguments, "--kubeconfig", self.kubeconfig],
                              capture_output=True, text=True)

    def publish(self, pairs):
        path = os.path.join(self.folder, "rtt.csv")
        with open(path, "w") as file:
            file.write("from,to,rtt_ms\n" + "".join(f"{a},{b},{ms}\n" for a, b, ms in pairs))
        return self.gedge("measure", "--import", "any", path, "-o", "json", "--publish")


def check_publish(site):
    """Objects are written by server-side apply, and only where they say something new."""
    pairs = [("edge", "near", 4), ("near", "edge", 5), ("edge", "cloud", 30)]
    run = site.publish(pairs)
    need(run.returncode == 4 and "fix: create the kind NodeLatency" in run.stderr, run.stderr)
    need(site.store.patches == [], "nothing is written without the kind")
    site.store.has_kind = True
    run = site.publish(pairs)
    need("2 NodeLatency objects written, 0 as before\n" in run.stderr, run.stderr)
    need(site.store.patches == [
        (f"{KIND}/{name}?fieldManager=gedge&force=true", "application/apply-patch+yaml")
        for name in ("edge", "near")], f"{site.store.patches}")
    need(site.store.objects["edge"]["spec"]["peers"] == [
        {"to": "cloud", "p95Us": 30000}, {"to": "near", "p95Us": 4000}],
        f"{site.store.objects['edge']}")
    run = site.publish(pairs)
    need("0 NodeLatency objects written, 2 as before\n" in run.stderr, run.stderr)
    run = site.publish([("edge", "near", 4.05), *pairs[1:]])
    need("0 NodeLatency objects written, 2 as before\n" in run.stderr, "noise: " + run.stderr)
    run = site.publish([("edge", "near", 6), *pairs[1:]])
    need("1 NodeLatency object written, 1 as before\n" in run.stderr, run.stderr)
    run = site.publish([("refused", "edge", 1), *pairs])
    need(run.returncode == 5 and "cannot write NodeLatency refused" in run.stderr,
         f"{run.returncode} {run.stderr}")


def check_read(site):
    """A live cluster's round-trip times are what was published."""
    run = site.gedge("matrix", "convert", "--cluster", "live", "-o", "edges")
    need(run.returncode == 0 and "\nedge,near,,4\n" in run.stdout, f"{run.stdout} {run.stderr}")


def check_watch(site):
    """What is published while it runs is known to a scheduler."""
    path = os.path.join(site.folder, "log")
    with open(path, "w") as log:
        process = subprocess.Popen(
            [GEDGE, "schedule", "--watch", "--listen", "127.0.0.1:0", "--kubeconfig",
             site.kubeconfig], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)

    def until(count, what):
        end = time.monotonic() + LONGEST
        while True:
            with open(path) as file:
                text = file.read()
            if text.count("event=measured") >= count:
                return
            if time.monotonic() > end or process.poll() is not None:
                raise AssertionError(f"waited for {what}: {text[-400:]}")
            time.sleep(0.02)

    try:
        until(1, "what is there at first")
        site.publish([("edge", "near", 9), ("near", "edge", 9), ("edge", "cloud", 30)])
        until(2, "what was published")
    finally:
        process.send_signal(signal.SIGTERM)
        need(process.wait(LONGEST) == 0, f"exit {process.returncode}")


def check_measure_watch(site):
    """Whoever measures on and on does so while the cluster takes nothing, and publishes again."""
    tables, log = (os.path.join(site.folder, name) for name in ("tables", "measure-log"))
    site.store.has_kind = False
    site.store.objects.clear()
    closed = socket.socket()  # nobody listens: refused handshakes are answers too
    closed.bind(("127.0.0.1", 0))
    with open(tables, "w") as out, open(log, "w") as err:
        process = subprocess.Popen(
            [GEDGE, "measure", "near=127.0.0.1", "--port", str(closed.getsockname()[1]), "--method",
             "tcp", "--from", "edge", "--count", "2", "--interval", "20ms", "--watch", "--publish",
             "--kubeconfig", site.kubeconfig], stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def until(path, text, count):
        end = time.monotonic() + LONGEST
        while open(path).read().count(text) < count:
            if time.monotonic() > end or process.poll() is not None:
                raise AssertionError(f"waited for {count} of {text}: {open(log).read()[-400:]}")
            time.sleep(0.02)

    try:
        until(log, "fix: create the kind NodeLatency", 2)
        until(log, "publishing again in ", 2)
        tries = open(log).read().count("fix: create the kind")
        need(open(tables).read().count("FROM") > tries, "nothing is measured meanwhile")
        need(not site.store.objects, f"{site.store.objects}")
        site.store.has_kind = True
        with site.store.changed:
            need(site.store.changed.wait_for(lambda: "edge" in site.store.objects, LONGEST),
                 "nothing was published when the cluster took it again: " + open(log).read())
        need(process.poll() is None, f"it ended: {process.returncode}")
    finally:
        closed.close()
        process.send_signal(signal.SIGINT)
        need(process.wait(LONGEST) == 130, f"exit {process.returncode}")


def main():
    with tempfile.TemporaryDirectory(prefix="gedge-latency-") as folder:
        site = Site(folder)
        for check in (check_publish, check_read, check_watch, check_measure_watch):
            try:
                check(site)
            except AssertionError as wrong:
                failures.append(f"{check.__name__}: {wrong}")
        site.close()
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
