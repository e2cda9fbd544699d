"""`gedge schedule --cluster FILE|synthetic:...`: the scheduler's loop in a cluster in memory."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

GEDGE = os.environ["GEDGE"]
SITE = "synthetic:nodes=6,tiers=2/2/2"
LONGEST = 60  # seconds until something has happened, on the slowest machine
APP = """apiVersion: apps/v1
kind: Deployment
metadata: {name: decode}
spec:
  replicas: 3
  selector: {matchLabels: {app: decode}}
  template:
    metadata: {labels: {app: decode, delay_edge-1: "5"}}
    spec:
      schedulerName: theirs
      containers:
      - {name: main, image: "decode:1", resources: {requests: {cpu: 1500m, memory: 1Gi}}}
"""
# Its one node is too far away.
FAR = """
---
apiVersion: v1
kind: Pod
metadata: {name: far, labels: {delay_edge-1: "5"}}
spec:
  nodeSelector: {kubernetes.io/hostname: cloud-1}
  containers:
  - {name: main, image: "far:1"}
"""
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def gedge(*arguments):
    return subprocess.run([GEDGE, *arguments], capture_output=True, text=True)


class Watching:
    """`gedge schedule --watch`; its log is read while it runs."""

    def __init__(self, folder, *flags):
        self.path = os.path.join(folder, "log")
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                [GEDGE, "schedule", "--watch", "--listen", "127.0.0.1:0", *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def log(self):
        with open(self.path) as file:
            return file.read()

    def until(self, pattern, what):
        end = time.monotonic() + LONGEST
        while not re.search(pattern, self.log()):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"waited for {what}: {self.log()[-600:]}")
            time.sleep(0.02)

    def stop(self, by):
        self.process.send_signal(by)
        return self.process.wait(LONGEST)


def placed(log, event):
    return dict(re.findall(rf"event={event} pod=default/(\S+) node=(\S+)", log))


def check_pass(app):
    """One pass binds what a plan of the same facts says."""
    flags = ("--cluster", SITE, "-f", app)
    plan = json.loads(gedge("plan", *flags, "-o", "json").stdout)
    expected = {one["pod"]: one["node"] for one in plan["decisions"]}
    run = gedge("schedule", *flags)
    need(run.returncode == 0 and placed(run.stderr, "bound") == expected, run.stderr)
    run = gedge("schedule", "--dry-run", *flags)
    need(placed(run.stderr, "would-bind") == expected, f"dry run: {run.stderr}")
    need("event=bound" in run.stderr or "event=running" not in run.stderr, "a dry run starts none")
    run = gedge("schedule", *flags, "--scheduler-name", "mine")
    need(run.returncode == 0 and "event=bound" not in run.stderr, "pods of another scheduler")


def check_without_place(folder):
    """Also where binds of others woke a pod that fits nowhere, some pod has no place."""
    path = os.path.join(folder, "far.yaml")
    with open(path, "w") as file:
        file.write(APP + FAR)
    for flags in ((), ("--dry-run",)):
        run = gedge("schedule", "--cluster", SITE, "-f", path, *flags)
        need(run.returncode == 1, f"{flags} {run.returncode}: {run.stderr}")
        need("event=unschedulable pod=default/far" in run.stderr, run.stderr)


def check_watch(folder, app):
    """It runs until it is told to stop, and answers probes meanwhile."""
    with Watching(folder, "--cluster", SITE, "-f", app) as scheduler:
        scheduler.until("event=measured names=6", "round-trip times")
        scheduler.until(r"(?s)event=bound.*event=bound.*event=bound", "three binds")
        scheduler.until("event=running", "a kubelet")
        port = re.search(r"event=listening address=127.0.0.1:(\d+)", scheduler.log())[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as reply:
            need(reply.status == 200, f"readyz: {reply.status}")
        need(scheduler.stop(signal.SIGTERM) == 0, "SIGTERM ends it well")
    with Watching(folder, "--cluster", SITE, "-f", app) as scheduler:
        scheduler.until("event=bound", "a bind")
        need(scheduler.stop(signal.SIGINT) == 130, "Ctrl-C is an interruption")


def check_manager(folder, app):
    """systemd is told when it is ready, that it goes on, and when it stops."""
    path = os.path.join(folder, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(LONGEST)
        os.environ["NOTIFY_SOCKET"] = path
        try:
            scheduler = Watching(folder, "--cluster", SITE, "-f", app)
        finally:
            del os.environ["NOTIFY_SOCKET"]
        with scheduler:
            told = manager.recv(1024).decode()
            need(told.startswith("READY=1\nWATCHDOG=1\nSTATUS="), told)
            while "STATUS=schedules" not in told:
                told = manager.recv(1024).decode()
            scheduler.process.send_signal(signal.SIGTERM)
            while told != "STOPPING=1":
                told = manager.recv(1024).decode()
            need(scheduler.process.wait(LONGEST) == 0, "SIGTERM ends it well")


def check_churn(folder, app):
    """What is deleted is made anew, and bound again."""
    with Watching(folder, "--cluster", SITE, "-f", app, "--churn", "10ms") as scheduler:
        scheduler.until("event=(deleted|finished|gone)", "somebody who meddles")
        scheduler.until(r"(?s)(event=bound.*){5}", "more binds than there were pods")
        need(scheduler.stop(signal.SIGTERM) == 0, "SIGTERM ends it well")


def check_usage(app):
    """What contradicts itself is wrong usage."""
    for flags in (("-f", app), ("--churn", "1s"), ("--cluster", SITE, "--leader-elect"),
                  ("--cluster", SITE, "--churn", "1s"),
                  ("--cluster", SITE, "--cluster", "live")):
        need(gedge("schedule", *flags).returncode == 2, f"{flags}")
    need(gedge("schedule", "--cluster", "/nonexistent").returncode == 3, "a file that is missing")


def main():
    with tempfile.TemporaryDirectory(prefix="gedge-memory-") as folder:
        app = os.path.join(folder, "app.yaml")
        with open(app, "w") as file:
            file.write(APP)
        for check, arguments in ((check_pass, (app,)), (check_without_place, (folder,)),
                                 (check_watch, (folder, app)), (check_manager, (folder, app)),
                                 (check_churn, (folder, app)), (check_usage, (app,))):
            try:
                check(*arguments)
            except AssertionError as wrong:
                failures.append(f"{check.__name__}: {wrong}")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
