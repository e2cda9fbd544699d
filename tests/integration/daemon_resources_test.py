"""What thousands of connections, good and bad, leave of a daemon: no descriptors, no threads, no
processes and no files. And of commands: files that nobody may read whom the umask shuts out."""
import contextlib
import json
import os
import re
import socket
import stat
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import Checks  # noqa: E402
from plane import LONGEST, SKIP, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
SITE = "synthetic:nodes=3,tiers=1/1/1"
APP = """apiVersion: v1
kind: Pod
metadata: {name: decode}
spec:
  containers:
  - {name: main, image: "decode:1", resources: {requests: {cpu: 100m}}}
"""
RTT = ",a,b\na,0,1\nb,2,0\n"
POD = json.dumps({"Pod": {"metadata": {"name": "p", "namespace": "default", "uid": "u"},
                          "spec": {"containers": [{"name": "c", "resources": {}}]}},
                  "NodeNames": ["edge-1", "cloud-1", "x"]}).encode()
METRICS, READY, LIVE = (
    b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % page
    for page in (b"/metrics", b"/readyz", b"/livez"))
OK = b"HTTP/1.1 200 "
CALL = (b"POST /filter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(POD)) + POD
DAEMONS = {"schedule": (["schedule", "--watch", "--cluster", SITE], [METRICS, READY, LIVE]),
           "extender": (["extender", "--cluster", SITE, "--profile", "edge"],
                        [METRICS, READY, LIVE, CALL])}
BAD = (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
       b"POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
       b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\x16\x03\x01\x00\x05")
ROUNDS = 600  # with five connections each
checks = Checks()
need = checks.need


class Daemon:
    """One that is ready, in a folder of its own, until the end of the block."""

    def __init__(self, folder, command):
        self.port = None
        self.log, self.home = os.path.join(folder, "log"), os.path.join(folder, "home")
        os.makedirs(self.home, exist_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [GEDGE, *command, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, cwd=self.home,
                env={**os.environ, "TMPDIR": self.home})

    def __enter__(self):
        try:
            until(lambda: self.is_ready() or self.process.poll() is not None, "a daemon")
            if self.process.poll() is not None:
                raise AssertionError(f"it ended: {self.process.returncode}")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(LONGEST)

    def is_ready(self):
        with open(self.log, encoding="utf-8") as log:
            found = re.search(r"event=listening address=127\.0\.0\.1:(\d+)\n", log.read())
        self.port = int(found[1]) if found else None
        return self.port is not None and self.exchange(READY).startswith(OK)

    def count(self, what):
        """Of its descriptors (fd) or threads (task)."""
        return len(os.listdir(f"/proc/{self.process.pid}/{what}"))

    def children(self):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):  # it has ended
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as about:
                    parent = about.read().rpartition(")")[2].split()[1]
                if int(parent) == self.process.pid:
                    found.append(name)
        return found

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), LONGEST)

    def exchange(self, sent):
        """All that comes back; whoever is refused may be cut off."""
        answer = b""
        with contextlib.suppress(ConnectionError), self.connect() as line:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65_536):
                answer += more
        return answer

    def break_off(self, sent, is_reset):
        """Says that much, and goes."""
        with contextlib.suppress(ConnectionError), self.connect() as line:
            if is_reset:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.sendall(sent)

    def bother(self, rounds, good):
        """Connections of all kinds; how many of the good ones had no good answer."""
        wrong = 0
        for number in range(rounds):
            asked = good[number % len(good)]
            self.exchange(BAD[number % len(BAD)])
            self.break_off(asked[:number % len(asked)], is_reset=False)
            self.break_off(asked, is_reset=True)
            self.break_off(b"", is_reset=number % 2 == 0)
            wrong += not self.exchange(asked).startswith(OK)
        return wrong


def check_daemons(folder):
    for name, (command, good) in DAEMONS.items():
        with Daemon(folder, command) as daemon:
            wrong = daemon.bother(len(BAD), good)
            before = {what: daemon.count(what) for what in ("fd", "task")}
            wrong += daemon.bother(ROUNDS, good)
            need(wrong == 0, f"{name}: {wrong} good requests without a good answer")
            for what, count in before.items():
                until(lambda: daemon.count(what) <= count, f"{name}: /proc/PID/{what} to be as few "
                      f"as before, {count}")
            need(daemon.children() == [], f"{name}: processes {daemon.children()}")
            need(daemon.process.poll() is None, f"{name}: it ended")
        need(os.listdir(daemon.home) == [], f"{name}: it left {os.listdir(daemon.home)}")


def sees_daemons(folder):
    """They show what they have open to root alone."""
    with Daemon(folder, DAEMONS["extender"][0]) as daemon:
        try:
            return daemon.count("fd") > 0
        except PermissionError:
            return False


def check_files(folder):
    """What somebody asked for has the rights that the umask leaves, and nothing lies beside it."""
    for name, text in (("app.yaml", APP), ("rtt.csv", RTT)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for umask, mode in ((0o077, 0o600), (0o022, 0o644)):
        out = os.path.join(folder, f"out-{mode:o}")
        for path in (out, out + "-temporary"):
            os.mkdir(path, 0o700)
        for command in (["plan", "--cluster", SITE, "-f", "../app.yaml", "--out", "plan.json"],
                        ["matrix", "convert", "../rtt.csv", "-o", "plain", "--names-out",
                         "names.json"]):
            run = subprocess.run([GEDGE, *command], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, cwd=out, umask=umask, timeout=LONGEST,
                                 env={**os.environ, "TMPDIR": out + "-temporary"})
            need(run.returncode == 0, f"{command}: {run.returncode} {run.stderr}")
        need(sorted(os.listdir(out)) == ["names.json", "plan.json"], f"{os.listdir(out)}")
        need(os.listdir(out + "-temporary") == [], "files are left in the temporary folder")
        for name in os.listdir(out):
            found = stat.S_IMODE(os.stat(os.path.join(out, name)).st_mode)
            need(found == mode, f"{name}: mode {found:o}, umask {umask:o}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks.run([check_files], folder)
        is_shown = sees_daemons(folder)
        if is_shown:
            checks.run([check_daemons], folder)
    if not is_shown and not checks.failures:
        print("[skipped] only root sees what a daemon has open")
        return SKIP
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
