"""What a `gedge schedule --watch` on a real control plane does not see as it happens: a pod that is
made anew under its name while a bind is on its way, what was said while the server could not be
heard and has forgotten since, and a store that is put back to what it was before."""
import contextlib
import http.client
import json
import os
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from fault_proxy import FaultProxy  # noqa: E402
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402
from plane_audit import Audit  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20")
HERE = PODS.format("default")
LISTED = ("nodes", "replicationcontrollers", "replicasets", "statefulsets")  # by nobody else
FAR = 500  # versions; of which a server makes some by itself
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


@contextlib.contextmanager
def behind_proxy(plane):
    """A proxy, and a scheduler that knows no other way to the server."""
    host, port = plane.host.split(":")
    with FaultProxy(host, int(port)) as proxy:
        with Scheduler(plane, *KUBE, kubeconfig=plane.kubeconfig_by(proxy.port)) as scheduler:
            try:
                yield proxy, scheduler
            except AssertionError as late:
                raise AssertionError(f"{late}; the end of the log: {scheduler.log()[-1500:]}")
            finally:
                proxy.clear()
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


@contextlib.contextmanager
def judged(plane):
    """The same beside one node; whatever was done is judged in the end."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    audit = Audit(plane)
    try:
        with behind_proxy(plane) as (proxy, scheduler):
            yield proxy, scheduler
    finally:
        audit.close()
    failures.extend(dict.fromkeys(audit.wrong))
    need(audit.binds > 1, f"the audit has seen {audit.binds} binds")


def node_of(plane, name):
    return plane.get(HERE + "/" + name)["spec"].get("nodeName")


def hold_bind(plane, proxy, scheduler):
    """Of a pod `again`, which takes nearly all of the one node: it is sent, and does not arrive.
    Returns the UID of the pod. (What is bound before shows that the scheduler is told of pods.)"""
    plane.create(HERE, pod("before", cpu="100m"))
    until(lambda: node_of(plane, "before") == "n1", "a pod before")
    proxy.set(held="up")
    made = plane.create(HERE, pod("again", cpu="800m"))[0]
    until(lambda: scheduler.metric('gedge_pending_pods{queue="binding"}') == 1, "a bind")
    return made["metadata"]["uid"]


def check_bound_anew(plane, proxy, uid):
    """The bind arrives: the pod that has the name now gets its place, by that bind or the next. The
    other one fits when that pod goes, and not before."""
    need(node_of(plane, "again") is None, "what is held has arrived")
    proxy.set(held="")
    until(lambda: node_of(plane, "again") == "n1", "its place")
    need(plane.get(HERE + "/again")["metadata"]["uid"] != uid, "the same pod")
    need(node_of(plane, "other") is None, "other has a place where there is none")
    plane.delete(HERE + "/again")
    until(lambda: node_of(plane, "other") == "n1", "other, when there is room")


def check_made_anew(plane):
    """The bind of a pod that went meets the next one of its name, whose place it is from then on:
    nobody else gets it meanwhile."""
    with judged(plane) as (proxy, scheduler):
        uid = hold_bind(plane, proxy, scheduler)
        plane.delete(HERE + "/again")
        plane.create(HERE, pod("again", cpu="700m"))
        until(lambda: scheduler.metric('gedge_pending_pods{queue="unclear"}') == 1, "the next one")
        replaced = scheduler.metric("gedge_replaced_pods_total")
        need(replaced == 1, f"{replaced} pods were made anew, and not one")
        plane.create(HERE, pod("other", cpu="800m"))
        until(lambda: "event=unschedulable pod=default/other" in scheduler.log(), "other to wait")
        check_bound_anew(plane, proxy, uid)


def attempts(scheduler):
    return sum(scheduler.metric(f'gedge_schedule_attempts_total{{result="{result}"}}')
               for result in ("placed", "unschedulable"))


def check_kept(plane):
    """The place of one that went is kept as long as its bind is on its way, also before the next
    one of its name comes."""
    with judged(plane) as (proxy, scheduler):
        uid = hold_bind(plane, proxy, scheduler)
        before = attempts(scheduler)
        plane.delete(HERE + "/again")
        plane.create(HERE, pod("other", cpu="800m"))
        until(lambda: attempts(scheduler) > before, "other to be tried")
        plane.create(HERE, pod("again", cpu="700m"))
        until(lambda: scheduler.metric('gedge_pending_pods{queue="unclear"}') == 1, "the next one")
        check_bound_anew(plane, proxy, uid)


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


def lists_of(plane, resource):
    """How many of all of them the server has answered since it began."""
    text = plane.call("GET", "/metrics")[1]["message"]
    return sum(int(line.split()[-1]) for line in text.splitlines()
               if line.startswith("apiserver_request_total{") and 'verb="LIST"' in line and
               f'resource="{resource}"' in line and 'scope="cluster"' in line)


def check_forgotten(plane):
    """One pod goes, and one comes: nothing will ever be said of that, so everything is listed."""
    with judged(plane) as (proxy, scheduler):
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
        before = {resource: lists_of(plane, resource) for resource in LISTED}
        proxy.set(frozen=False)
        until(lambda: node_of(plane, "news") == "n1", "what came meanwhile")
        until(lambda: all(lists_of(plane, resource) > count for resource, count in before.items()),
              "lists of what there is")
        more = scheduler.metric("gedge_api_lists_total") - lists
        need(more >= len(LISTED), f"{more} lists")
        need(scheduler.metric('gedge_known_objects{kind="pod"}') == 1, "it knows one that went")


def save_store(plane):
    """As a machine that is copied while it runs."""
    store = plane.process_of("etcd")
    os.kill(store, signal.SIGSTOP)
    shutil.copytree(plane.path("etcd"), plane.path("saved"))
    os.kill(store, signal.SIGCONT)


def is_over(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def put_back_store(plane):
    store = plane.process_of("etcd")
    os.kill(store, signal.SIGKILL)
    until(lambda: is_over(store), "the store to be killed")
    shutil.rmtree(plane.path("etcd"))
    os.rename(plane.path("saved"), plane.path("etcd"))
    plane.restart("etcd")
    plane.restart("apiserver")
    until(lambda: is_ready(plane), "the server")


def version_of(plane):
    return int(plane.get("/api/v1/nodes?limit=1")["metadata"]["resourceVersion"])


def check_put_back(plane):
    """Watches would be silent until the store has come to where it was: who was bound since has no
    place any more, and who comes is seen."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    with behind_proxy(plane) as (proxy, scheduler):
        plane.create(HERE, pod("kept", cpu="100m"))
        until(lambda: node_of(plane, "kept") == "n1", "a pod before")
        save_store(plane)
        plane.create(HERE, pod("ghost", cpu="800m"))
        until(lambda: node_of(plane, "ghost") == "n1", "one that is lost")
        for i in range(FAR):
            plane.patch("/api/v1/namespaces/default", {"metadata": {"annotations": {"i": str(i)}}})
        heard = version_of(plane)
        lists = scheduler.metric("gedge_api_lists_total")
        proxy.set(frozen=True)
        put_back_store(plane)
        proxy.set(frozen=False)
        plane.create(HERE, pod("hand", cpu="500m", nodeName="n1"), pod("news", cpu="400m"))
        until(lambda: node_of(plane, "news") == "n1", "the place of one that is no more")
        plane.create(HERE, pod("more", cpu="300m"))
        until(lambda: "event=unschedulable pod=default/more" in scheduler.log(), "more to wait")
        need(node_of(plane, "more") is None, "the node has too much")
        more = scheduler.metric("gedge_api_lists_total") - lists
        need(more >= len(LISTED), f"{more} lists")
        need(scheduler.metric('gedge_known_objects{kind="pod"}') == 4, "it knows one that is lost")
        need(version_of(plane) < heard, "the store is where it was: watches would have told it all")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")


if __name__ == "__main__":
    sys.exit(run_checks((check_made_anew, check_kept, check_forgotten, check_put_back), failures))
