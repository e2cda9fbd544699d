"""The log of a `gedge schedule --watch` that nobody reads, or whose reader has gone: it goes on,
and says afterwards how many lines are missing."""
import fcntl
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

GEDGE = os.environ["GEDGE"]
SITE = "synthetic:nodes=30,tiers=10/10/10"
LONGEST = 60  # seconds until something has happened, on the slowest machine
PIPE = 8192  # bytes, about the least that the kernel has
MORE = 30  # binds: with what happens besides, more lines than fit into that
APP = """apiVersion: apps/v1
kind: Deployment
metadata: {name: decode}
spec:
  replicas: 20
  selector: {matchLabels: {app: decode}}
  template:
    metadata: {labels: {app: decode}}
    spec:
      containers:
      - {name: main, image: "decode:1", resources: {requests: {cpu: 10m, memory: 1Mi}}}
"""
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def until(is_so, what):
    end = time.monotonic() + LONGEST
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.01)


class Log:
    """The reading end of a FIFO."""

    def __init__(self, path):
        self.end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.text = ""

    def read(self):
        try:
            self.text += os.read(self.end, 1 << 16).decode()
        except BlockingIOError:
            pass
        return self.text

    def close(self):
        os.close(self.end)


def bound(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=LONGEST) as answer:
        metrics = answer.read().decode()
    return int(re.search(r"^gedge_binds_total\{[^}]*bound[^}]*\} (\d+)", metrics, re.M).group(1))


def run(folder):
    app, fifo = os.path.join(folder, "app.yaml"), os.path.join(folder, "log")
    with open(app, "w") as file:
        file.write(APP)
    os.mkfifo(fifo)
    log = Log(fifo)
    writer = os.open(fifo, os.O_WRONLY)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE)
    daemon = subprocess.Popen(
        [GEDGE, "schedule", "--watch", "--listen", "127.0.0.1:0", "--cluster", SITE, "-f", app,
         "--churn", "50ms"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    try:
        until(lambda: "event=listening" in log.read(), "the daemon to listen")
        port = int(log.text.split("event=listening address=127.0.0.1:")[1].split()[0])

        begin = bound(port)
        until(lambda: bound(port) >= begin + MORE, "binds while nobody reads the log")
        until(lambda: "event=lost lines=" in log.read(), "what was lost while nobody read")
        until(lambda: "event=bound" in log.read().rsplit("event=lost", 1)[1], "lines after those")

        log.close()
        begin = bound(port)
        until(lambda: bound(port) >= begin + MORE, "binds when the reader has gone")
        log = Log(fifo)
        until(lambda: "event=lost lines=" in log.read(), "what was lost without a reader")
        for line in log.text.split("\n")[:-1]:
            need(not line or line.startswith("at="), f"a torn line: {line}")
        daemon.terminate()
        need(daemon.wait(LONGEST) == 0, f"exit {daemon.returncode}")
    finally:
        daemon.kill()
        daemon.wait()
        log.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
