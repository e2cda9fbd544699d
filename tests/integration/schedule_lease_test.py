"""What becomes of the lease of a `gedge schedule --watch` that hangs: it ends by itself, and the
other one goes on."""
import fcntl
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20", "--leader-elect")
PIPE = 4096  # bytes, the least that the kernel has
PODS_MADE = 256  # more than lines fit into that, and binds are sent at once
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def bound(plane):
    return sum("nodeName" in thing["spec"] for thing in plane.pods().values())


def check_hang(plane):
    """Its log is read by nobody: what writes to it waits for ever, and has the lease meanwhile."""
    plane.create("/api/v1/namespaces", {"metadata": {"name": "gedge-system"}})
    plane.create("/api/v1/nodes", node("n1", cpu="64", memory="64Gi", pods="300"))
    unread, log = os.pipe()
    fcntl.fcntl(log, fcntl.F_SETPIPE_SZ, PIPE)
    hangs = subprocess.Popen(
        [os.environ["GEDGE"], "schedule", "--watch", "--kubeconfig", plane.kubeconfig, *KUBE,
         "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=log)
    os.close(log)
    try:
        plane.create(PODS.format("default"), pod("first"))
        until(lambda: bound(plane) == 1, "the first pod")
        with Scheduler(plane, *KUBE, waits_for="event=standby") as other:
            plane.create(PODS.format("default"), *(pod(f"p{i}") for i in range(PODS_MADE)))
            until(lambda: hangs.poll() is not None, "the one that hangs to end")
            need(hangs.returncode == 4, f"exit {hangs.returncode}")
            until(lambda: bound(plane) == 1 + PODS_MADE, "all pods")
            need("event=leading" in other.log(), other.log()[-600:])
            need("event=bound" in other.log(), "the first one did it all: it did not hang")
    finally:
        hangs.kill()
        hangs.wait()
        os.close(unread)


if __name__ == "__main__":
    sys.exit(run_checks((check_hang,), failures))
