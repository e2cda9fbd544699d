"""What a `gedge schedule --watch` on a real control plane does not see as it happens: a pod that is
made anew under its name while a bind is on its way."""
import contextlib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from fault_proxy import FaultProxy  # noqa: E402
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402
from plane_audit import Audit  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20")
HERE = PODS.format("default")
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


@contextlib.contextmanager
def behind_proxy(plane):
    """A proxy, and a scheduler that knows no other way to the server; whatever it did is judged in
    the end."""
    host, port = plane.host.split(":")
    audit = Audit(plane)
    try:
        with FaultProxy(host, int(port)) as proxy:
            with Scheduler(plane, *KUBE, kubeconfig=plane.kubeconfig_by(proxy.port)) as scheduler:
                try:
                    yield proxy, scheduler
                finally:
                    proxy.clear()
    finally:
        audit.close()
    failures.extend(dict.fromkeys(audit.wrong))
    need(audit.binds > 1, f"the audit has seen {audit.binds} binds")


def node_of(plane, name):
    return plane.get(HERE + "/" + name)["spec"].get("nodeName")


def check_made_anew(plane):
    """The bind of a pod that went meets the next one of its name, whose place it is from then on:
    nobody else gets it meanwhile."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    with behind_proxy(plane) as (proxy, scheduler):
        proxy.set(held="up")
        first = plane.create(HERE, pod("again", cpu="800m"))[0]
        until(lambda: scheduler.metric('gedge_pending_pods{queue="binding"}') == 1, "a bind")
        need(scheduler.metric("gedge_replaced_pods_total") == 0, "nothing was replaced yet")
        plane.delete(HERE + "/again")
        plane.create(HERE, pod("again", cpu="700m"))
        until(lambda: scheduler.metric("gedge_replaced_pods_total") == 1, "the next one")
        plane.create(HERE, pod("other", cpu="800m"))
        until(lambda: "event=unschedulable pod=default/other" in scheduler.log(), "other to wait")
        need(node_of(plane, "again") is None, "what is held has arrived")
        proxy.set(held="")
        until(lambda: node_of(plane, "again") == "n1", "its place")
        need(plane.get(HERE + "/again")["metadata"]["uid"] != first["metadata"]["uid"], "the same")
        need(node_of(plane, "other") is None, "other has a place where there is none")
        plane.delete(HERE + "/again")
        until(lambda: node_of(plane, "other") == "n1", "other, when there is room")
        need(scheduler.metric("gedge_replaced_pods_total") == 1, "only one was replaced")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


if __name__ == "__main__":
    sys.exit(run_checks((check_made_anew,), failures))
