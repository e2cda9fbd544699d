"""`gedge schedule --watch` while somebody edits its profile, and with policies of a module."""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402
from plane_pods import create_priorities  # noqa: E402

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


def check_who_goes(plane):
    """Whether anybody goes for others, and what budgets keep, is the profile's to say."""
    create_priorities(plane, {"high": 100})
    plane.create("/api/v1/nodes", node("n1", cpu="1"), node("n2", cpu="1"))
    path = plane.path("profile.yaml")

    def use(scheduler, profile, used):
        write(path, profile)
        scheduler.process.send_signal(signal.SIGHUP)
        until(lambda: metrics(scheduler)['gedge_profile_reads_total{result="used"}'] == str(used),
              f"{profile} to be used")

    write(path, {"plugins": {"postFilter": {"disabled": [{"name": "*"}]}}})
    with Scheduler(plane, "--profile", path, "--compat", "1.20") as scheduler:
        plane.create(PODS.format("default"), pod("kept", cpu="900m", labels={"app": "kept"}),
                     pod("spare", cpu="900m"))
        until(lambda: node_of(plane, "kept") and node_of(plane, "spare"), "both")
        plane.create("/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets",
                     {"metadata": {"name": "kept"}, "spec": {
                         "minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}})
        plane.create(PODS.format("default"), pod("vip", cpu="900m", priorityClassName="high"))
        until(lambda: "event=unschedulable pod=default/vip" in scheduler.log(), "vip to wait")
        need("event=evicting" not in scheduler.log(), "somebody went although nobody is to go")
        use(scheduler, {"disruptionBudgets": "keep"}, 1)
        until(lambda: node_of(plane, "vip"), "vip in the place of the one that nobody keeps")
        need(sorted(plane.pods()) == ["kept", "vip"], f"{list(plane.pods())}")
        plane.create(PODS.format("default"), pod("next", cpu="900m", priorityClassName="high"))
        until(lambda: "event=unschedulable pod=default/next" in scheduler.log(), "next to wait")
        need("pod=default/kept for=" not in scheduler.log(), "a pod went that a budget is to keep")
        use(scheduler, {}, 2)
        until(lambda: node_of(plane, "next"), "next, now that budgets are only preferred")
        need(sorted(plane.pods()) == ["next", "vip"], f"{list(plane.pods())}")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


def check_plugin(plane):
    """A policy of a module finds the annotations that it reads."""
    module = os.path.join(os.environ["GEDGE_BUILD_DIR"], "lib/gedge/plugins/zone-allowed.so")
    zones = {f"n{i}": f"z{i}" for i in (1, 2, 3)}
    plane.create("/api/v1/nodes", *(node(name, labels={"topology.kubernetes.io/zone": zone})
                                    for name, zone in zones.items()))
    with Scheduler(plane, "--plugin", module) as scheduler:
        plane.create(PODS.format("default"), *(
            pod(f"in-{name}", annotations={"gedge.io/allowed-zones": zone})
            for name, zone in zones.items()), pod("out", annotations={
                "gedge.io/allowed-zones": "z4"}))
        for name in zones:
            until(lambda name=name: node_of(plane, f"in-{name}"), f"in-{name}")
            need(node_of(plane, f"in-{name}") == name, f"{node_of(plane, f'in-{name}')}, {name}")
        until(lambda: "event=unschedulable pod=default/out" in scheduler.log(), "out to wait")
        need("in a zone that the pod does not allow" in scheduler.log(), scheduler.log()[-300:])
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


if __name__ == "__main__":
    sys.exit(run_checks((check_reload, check_who_goes, check_plugin), failures))
