"""What `gedge manifests --unit` prints allows its command the system calls that it makes: each runs
with these alone, beside a real API server."""
import os
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import LONGEST, PODS, SKIP, SUPPORT, Daemon, node, pod, run_checks, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
PYTHON = "/usr/bin/python3"  # for which Debian has seccomp
AUTOSCALER = """
apiVersion: gedge.io/v1alpha1
kind: Autoscaler
metadata: {name: web}
spec:
  target: {kind: Deployment, name: web}
  max: 3
  metrics:
  - {resource: cpu, utilization: 60}
"""
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def confined(plane, mode):
    """The arguments of its unit, with files of this plane; from now on $GEDGE runs as that unit
    lets it."""
    unit = plane.path(mode + ".service")
    with open(unit, "w") as file:
        subprocess.run([GEDGE, "manifests", "--mode", mode, "--unit"], stdout=file, check=True)
    with open(unit) as file:
        command = next(line for line in file if line.startswith("ExecStart="))
    wrapper = plane.path(mode)
    with open(wrapper, "w") as file:
        file.write(f"#!/bin/sh\nexec {PYTHON} {SUPPORT}/confined.py {unit} {GEDGE} \"$@\"\n")
    os.chmod(wrapper, stat.S_IRWXU)
    os.environ["GEDGE"] = wrapper
    files = {"${CREDENTIALS_DIRECTORY}/kubeconfig": plane.kubeconfig,
             "/etc/gedge/peers": plane.path("peers"),
             "/etc/gedge/autoscalers": plane.path("autoscalers")}
    return [files.get(word, word) for word in command.split()[1:]]


def runs(plane, mode, event, works=lambda daemon: True):
    with Daemon(plane, *confined(plane, mode), waits_for=event) as daemon:
        until(lambda: works(daemon) or daemon.process.poll() is not None, mode + " to work")
        need(daemon.process.poll() is None, f"{mode}: {daemon.process.poll()} {daemon.log()}")
    need(daemon.process.returncode == 0, f"{mode}: {daemon.process.returncode} {daemon.log()}")


def check_scheduler(plane):
    plane.create_space()
    plane.create("/api/v1/nodes", node("n1"))
    plane.create(PODS.format("default"), pod("a"))
    runs(plane, "scheduler", "event=leading",
         lambda daemon: "nodeName" in plane.pods()["a"]["spec"])


def check_extender(plane):
    runs(plane, "extender", "event=synced", lambda daemon: daemon.answer("/readyz") == "ok\n")


def check_autoscaler(plane):
    plane.create_space()
    os.mkdir(plane.path("autoscalers"))
    with open(plane.path("autoscalers/web.yaml"), "w") as file:
        file.write(AUTOSCALER)
    runs(plane, "autoscaler", "event=synced")


def check_prober(plane):
    with open(plane.path("peers"), "w") as file:
        file.write("other=127.0.0.1\n")
    runs(plane, "prober", "event=listening", lambda daemon: "event=silent" in daemon.log())


def check_filter(plane):
    """A call that a unit does not allow ends it: the checks above can fail."""
    confined(plane, "prober")
    with open(plane.path("prober.service"), "a") as file:
        file.write("SystemCallFilter=~socket\n")
    run = subprocess.run([os.environ["GEDGE"], "agent", "--peers", plane.path("peers")],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=LONGEST)
    need(run.returncode in (-31, 159), f"{run.returncode} {run.stderr}")


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import seccomp"], capture_output=True).returncode != 0:
        print("[skipped] no seccomp for", PYTHON)
        sys.exit(SKIP)
    sys.exit(run_checks((check_scheduler, check_extender, check_autoscaler, check_prober,
                         check_filter), failures))
