"""What becomes of a lease whose holder hangs: that one ends by itself, and the other one goes on.
And of one that a third party takes: that is said."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Daemon, Scheduler, node, pod, run_checks, until  # noqa: E402

FLAGS = ("--compat", "1.20", "--leader-elect")
PROFILE = ("apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"
           "profiles:\n- schedulerName: gedge\n")
PODS_MADE = 64
LEASES = "/apis/coordination.k8s.io/v1/namespaces/gedge-system/leases/"
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


def take_lease(plane, path, holder):
    """As whoever may write it, and waits for nobody."""
    while True:
        lease = plane.get(path)
        lease["spec"]["holderIdentity"] = holder
        status, answer = plane.call("PUT", path, lease)
        if status == 200:
            return
        need(status == 409, f"{status} {answer}")


def check_taken(plane):
    """Of both that work by a Lease: the one that led ends, the other one says what it saw."""
    plane.create_space()
    server = ("--kubeconfig", plane.kubeconfig, "--leader-elect")
    for name, command in (("gedge-scheduler", ("schedule", "--watch", "--compat", "1.20")),
                          ("gedge-autoscaler", ("scale", "run", "--own-hpa"))):
        path = LEASES + name
        with Daemon(plane, *command, *server, waits_for="event=leading") as leads:
            with Daemon(plane, *command, *server, waits_for="event=standby") as waits:
                for _ in range(3):  # so often has it been looked at by then, for once at least
                    version = plane.get(path)["metadata"]["resourceVersion"]
                    until(lambda path=path, version=version: version !=
                          plane.get(path)["metadata"]["resourceVersion"], "a renewal")
                need(waits.metric("gedge_lease_seizures_total") == 0, f"{name}: nobody took it")
                holder = plane.get(path)["spec"]["holderIdentity"]
                take_lease(plane, path, "evil")
                until(lambda waits=waits: "event=lease-taken by=evil" in waits.log(), "the line")
                until(lambda leads=leads: leads.process.poll() is not None, "the robbed to end")
                need(leads.process.returncode == 4, f"{name}: exit {leads.process.returncode}")
                need("event=lease-taken by=evil" in leads.log(), leads.log()[-600:])
                need("the lease was lost; it says evil" in leads.log(), leads.log()[-300:])
                need(waits.metric("gedge_lease_seizures_total") == 1, f"{name}: one took it")
                until(lambda name=name, holder=holder: told_of(plane, name, holder), "the Event")


def told_of(plane, name, holder):
    """By the one and the other."""
    events = plane.get("/apis/events.k8s.io/v1/namespaces/gedge-system/events")["items"]
    note = f"Taken from {holder} before its time was over; held now by evil"
    return len([event for event in events if event["regarding"]["name"] == name and
                (event["reason"], event["note"]) == ("LeaseTaken", note)]) == 2


if __name__ == "__main__":
    sys.exit(run_checks((check_hang, check_taken), failures))
