"""What becomes of the lease of a `gedge schedule --watch` that hangs: it ends by itself, and the
other one goes on."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

FLAGS = ("--compat", "1.20", "--leader-elect")
PROFILE = ("apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"
           "profiles:\n- schedulerName: gedge\n")
PODS_MADE = 64
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def bound(plane):
    return sum("nodeName" in thing["spec"] for thing in plane.pods().values())


def check_hang(plane):
    """Its profile lies where a file system hangs: what reads it waits for ever, and has the lease
    meanwhile."""
    plane.create_space()
    plane.create("/api/v1/nodes", node("n1", cpu="64", memory="64Gi", pods="300"))
    profile, stuck = plane.path("profile.yaml"), plane.path("stuck")
    with open(profile, "w") as file:
        file.write(PROFILE)
    os.mkfifo(stuck)
    with Scheduler(plane, "--profile", profile, *FLAGS) as hangs:
        plane.create(PODS.format("default"), pod("first"))
        until(lambda: bound(plane) == 1, "the first pod")
        with Scheduler(plane, "--profile", "kube", *FLAGS, waits_for="event=standby") as other:
            os.replace(stuck, profile)
            hangs.process.send_signal(signal.SIGHUP)
            until(lambda: hangs.process.poll() is not None, "the one that hangs to end")
            need(hangs.process.returncode == 4, f"exit {hangs.process.returncode}")
            plane.create(PODS.format("default"), *(pod(f"p{i}") for i in range(PODS_MADE)))
            until(lambda: bound(plane) == 1 + PODS_MADE, "all pods")
            need("event=leading" in other.log(), other.log()[-600:])
            need("event=bound" in other.log(), "the first one did it all: it did not hang")


if __name__ == "__main__":
    sys.exit(run_checks((check_hang,), failures))
