"""`gedge schedule --watch` while somebody edits its profile."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": "KubeSchedulerConfiguration"}
DISK = [{"name": "NodeAffinity", "args": {"addedAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}}}}]
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def write(path, profile):
    """At once, as a mounted ConfigMap changes."""
    with open(path + ".new", "w") as file:
        file.write(profile if isinstance(profile, str) else
                   json.dumps({**HEAD, "profiles": [{"schedulerName": "gedge", **profile}]}))
    os.replace(path + ".new", path)


def metrics(scheduler):
    return dict(line.rsplit(" ", 1) for line in scheduler.metrics().splitlines()
                if line.startswith("gedge_profile"))


def node_of(plane, name):
    return plane.pods()[name]["spec"].get("nodeName")


def check_reload(plane):
    """What is right decides from then on, what is wrong never does."""
    plane.create("/api/v1/nodes", node("n1"), node("n2", labels={"disk": "tape"}))
    path = plane.path("profile.yaml")
    write(path, {"pluginConfig": DISK})
    with Scheduler(plane, "--profile", path, "--compat", "1.20") as scheduler:
        plane.create(PODS.format("default"), pod("a"))
        until(lambda: "event=unschedulable pod=default/a" in scheduler.log(), "a to wait")
        first = metrics(scheduler)

        def profiles(event):
            return scheduler.log().count(f"event={event} ")
        # Nobody asks: it is seen to have changed.
        write(path, "kind: KubeSchedulerConfiguration\napiVersion: "
              "kubescheduler.config.k8s.io/v1beta1\nprofiles:\n- schedulerName: gedge\n"
              "  plugins: {filter: {enabled: [{name: NodeAfinity}]}}\n")
        until(lambda: profiles("profile-refused") == 1, "a wrong profile to be refused")
        need("did you mean NodeAffinity?" in scheduler.log() and f"at={path}:5:" in scheduler.log(),
             scheduler.log()[-600:])
        write(path, {"schedulerName": "other"})
        scheduler.process.send_signal(signal.SIGHUP)
        until(lambda: profiles("profile-refused") == 2, "another schedulerName to be refused")
        os.remove(path)
        scheduler.process.send_signal(signal.SIGHUP)
        until(lambda: profiles("profile-refused") == 3, "a profile that is gone")
        need(node_of(plane, "a") is None, "a profile that is wrong was used")
        now = metrics(scheduler)
        info = [key for key in first if key.startswith("gedge_profile_info")]
        need(len(info) == 1 and info[0] in now, f"{first} {now}")
        need(now['gedge_profile_reads_total{result="refused"}'] == "3", f"{now}")
        # Who asks need not wait.
        write(path, {})
        scheduler.process.send_signal(signal.SIGHUP)
        until(lambda: node_of(plane, "a"), "a, by the profile that is right")
        now = metrics(scheduler)
        need(info[0] not in now, f"{now}")
        need(now['gedge_profile_reads_total{result="used"}'] == "1", f"{now}")
        write(path, {"pluginConfig": DISK})
        until(lambda: info[0] in metrics(scheduler), "the first one again")
        plane.create(PODS.format("default"), pod("b"))
        until(lambda: "event=unschedulable pod=default/b" in scheduler.log(), "b to wait")
        need(node_of(plane, "a"), "a pod that has a place keeps it")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


if __name__ == "__main__":
    sys.exit(run_checks((check_reload,), failures))
