"""What a `gedge schedule --watch` on a real control plane does not see as it happens: a pod that is
made anew under its name while a bind is on its way, and what was said while the server could not be
heard and has forgotten since."""
import contextlib
import http.client
import json
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


def is_ready(plane):
    try:
        return plane.call("GET", "/readyz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def is_forgotten(plane, version):
    """No watch can begin there: 410, as a status or as the first thing that it says."""
    try:
        status, told = plane.call(
            "GET", f"/api/v1/pods?watch=1&timeoutSeconds=1&resourceVersion={version}")
    except json.JSONDecodeError:
        return False  # it tells of much
    return status == 410 or (told.get("type") == "ERROR" and told["object"]["code"] == 410)


def check_forgotten(plane):
    """One pod goes, and one comes: nothing will ever be said of that, so everything is listed."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    with behind_proxy(plane) as (proxy, scheduler):
        plane.create(HERE, pod("gone", cpu="800m"))
        until(lambda: node_of(plane, "gone") == "n1", "a pod that will go")
        proxy.set(frozen=True)
        version = plane.get(HERE)["metadata"]["resourceVersion"]
        lists = scheduler.metric("gedge_api_lists_total")
        plane.delete(HERE + "/gone")
        plane.create(HERE, pod("news", cpu="800m"))
        plane.restart("apiserver")
        until(lambda: is_ready(plane), "the server")
        need(is_forgotten(plane, version), "the server still knows what it said before")
        need(scheduler.metric("gedge_api_lists_total") == lists, "it is not frozen")
        proxy.set(frozen=False)
        until(lambda: node_of(plane, "news") == "n1", "what came meanwhile")
        need(scheduler.metric("gedge_api_lists_total") > lists, "nothing was listed")
        need(scheduler.metric('gedge_known_objects{kind="pod"}') == 1, "it knows one that went")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


if __name__ == "__main__":
    sys.exit(run_checks((check_made_anew, check_forgotten), failures))
