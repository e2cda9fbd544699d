"""`gedge schedule` against a real etcd and kube-apiserver: what is bound is what `gedge plan` says
of the same facts, and what changes afterwards is followed."""
import http.client
import itertools
import json
import os
import ssl
import subprocess
import sys
import urllib.error

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from agents import certificate  # noqa: E402
from plane import PODS, Scheduler, node, pod, run_checks, shows, until  # noqa: E402
from plane_pods import (CLASSES, DEVICE, HOST, IMAGE, ZONE, bound_workloads,  # noqa: E402
                        claim_of, create_bounds, create_classes, create_priorities,
                        more_workloads, owned, workloads)

GEDGE = os.environ["GEDGE"]
KUBE = ("--profile", "kube", "--compat", "1.20")
EACH = 6  # pods of a kind
WRITTEN = ("/api/v1/nodes", "/api/v1/pods", "/api/v1/persistentvolumes", CLASSES,
           "/api/v1/persistentvolumeclaims", "/apis/storage.k8s.io/v1/storageclasses",
           "/apis/events.k8s.io/v1/events", "/apis/coordination.k8s.io/v1/leases")
EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def dump(plane):
    """The facts of a cluster, as `kubectl get ... -o json` prints them."""
    items = []
    for path, version, kind in (("/api/v1/nodes", "v1", "Node"), ("/api/v1/pods", "v1", "Pod"),
                                ("/api/v1/namespaces", "v1", "Namespace"),
                                ("/api/v1/services", "v1", "Service"),
                                ("/api/v1/persistentvolumes", "v1", "PersistentVolume"),
                                ("/api/v1/persistentvolumeclaims", "v1", "PersistentVolumeClaim")):
        for thing in plane.get(path)["items"]:
            items.append({"apiVersion": version, "kind": kind, **thing})
    path = plane.path("dump.json")
    with open(path, "w") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    return path


def planned(plane, *flags):
    """Of each pod that waits: its node and the message."""
    run = subprocess.run([GEDGE, "plan", "--cluster", dump(plane), "-o", "json", *flags],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise AssertionError(run.stderr)
    return {decision["pod"]: (decision["node"], decision["message"])
            for decision in json.loads(run.stdout)["decisions"]}


def one_pass(plane, *flags, user=None):
    return subprocess.run([GEDGE, "schedule", "--kubeconfig", plane.kubeconfig, "--as",
                           user or plane.grant(), *flags], capture_output=True, text=True)


def name_of(thing):
    return thing["metadata"]["name"]


def time_of(event):
    return event["eventTime"]


def condition(thing):
    found = [c for c in thing["status"].get("conditions", []) if c["type"] == "PodScheduled"]
    return found[0] if found else {}


def site():
    nodes = []
    for i in range(9):
        taints = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}] if i == 8 else None
        cores = "2" if i % 2 else "4"
        made = node(f"n{i}", cpu=cores, taints=taints,
                    labels={ZONE: f"z{i % 3}", "disk": "ssd" if i < 4 else "hdd", "cores": cores})
        if i in (1, 5):
            made["status"]["allocatable"][DEVICE] = "2"
        if i in (2, 5):
            made["status"]["images"] = [IMAGE]
        made["status"]["allocatable"]["ephemeral-storage"] = "4Gi"
        nodes.append(made)
    nodes[7]["spec"]["unschedulable"] = True
    return nodes


def fill(plane):
    """Pods of every kind of constraint, more than the site has room for. No place that is taken
    makes one for a pod that was tried before: in the order in which they are made, and are tried,
    those come first that others want to be with."""
    create_classes(plane)
    plane.create("/api/v1/nodes", *site())
    create_bounds(plane, EACH)
    kinds = {**workloads(), **more_workloads("n3"), **bound_workloads()}
    pods = [pod(f"{name}-{i}", cpu=f"{100 + 50 * i}m", labels={"app": name}, **said)
            for name, said in kinds.items() for i in range(EACH)]
    pods = [claim_of(thing) if thing["metadata"]["labels"]["app"] == "claimed" else thing
            for thing in pods]
    plane.create(PODS.format("default"), *sorted(pods, key=name_of))


def fill_with_budgets(plane):
    """Pods with every kind of delay budget. Returns the file with what was measured: nothing of
    n6."""
    path = plane.path("rtt.csv")
    places = {f"n{i}": i for i in range(9) if i != 6} | {"gateway": 2}
    with open(path, "w") as file:
        file.write("from,to,rtt_ms\n")
        for (a, x), (b, y) in itertools.permutations(places.items(), 2):
            file.write(f"{a},{b},{1 + 2 * abs(x - y)}\n")
    plane.create("/api/v1/nodes", *site())
    kinds = {"node": "node/n1=5ms", "zone": "zone/z1=9ms", "outside": "external/gateway=3ms",
             "peer": "pod/node-0=3ms", "set": "statefulset/cache=5ms",
             "both": "node/n0=9ms, zone/z2=9ms", "unmeasured": "node/n6=5ms"}
    pods = [pod(f"{kind}-{i}", cpu=f"{300 + 150 * i}m",
                annotations={"gedge.io/delay-budget": budget})
            for kind, budget in kinds.items() for i in range(EACH)]
    pods += [owned(pod(f"cache-{i}", annotations={"gedge.io/delay-budget": kinds["set"]}),
                   "StatefulSet", "cache") for i in range(2)]
    pods += [pod(f"label-{i}", labels={"delay_n4": "3"}) for i in range(EACH)]
    pods.append(pod("nowhere", annotations={"gedge.io/delay-budget": "node/n0=2ms"},
                    nodeSelector={"disk": "hdd"}))
    plane.create(PODS.format("default"), *sorted(pods, key=name_of))
    return path


def check_events(plane, decisions):
    """Whoever has a place was told so once; the last that was told of each of the others is what
    its condition says."""
    events, pods = plane.get(EVENTS)["items"], plane.pods()
    waiting = [name for name, (chosen, _) in decisions.items() if chosen is None]
    need(len(waiting) > 1, "the site is too large")
    bound = sorted(e["regarding"]["name"] for e in events if e["reason"] == "Scheduled")
    need(bound == sorted(decisions.keys() - set(waiting)), f"Events of {bound}")
    notes = {e["regarding"]["name"]: e["note"] for e in sorted(events, key=time_of)
             if e["reason"] == "FailedScheduling"}
    expected = {name: condition(pods[name]).get("message") for name in waiting}
    need(notes == expected, f"{notes} instead of {expected}")


def is_tried(plane):
    return all(thing["spec"].get("nodeName") or condition(thing).get("status") == "False"
               for thing in plane.pods().values())


def check_as_planned(plane, decisions, later=None):
    """Each pod is where it was planned to be, and whoever waits is told why: as it was at its turn
    or, where it may have been tried again, as it is `later`."""
    after = plane.pods()
    for name, (chosen, message) in decisions.items():
        bound = after[name]["spec"].get("nodeName")
        need(bound == chosen, f"{name}: planned on {chosen}, bound to {bound}")
        if chosen is not None or bound is not None:
            continue
        told, messages = condition(after[name]), {message}
        if later is not None:
            messages.add(later[name][1])
        need(told.get("status") == "False" and told.get("reason") == "Unschedulable", f"{told}")
        need(told.get("message") in messages, f"{name}: {told} instead of {messages}")
    check_events(plane, decisions)


def check_plan(plane):
    """Everything as planned, whoever cannot be placed told why."""
    fill(plane)
    decisions = planned(plane, *KUBE)
    plane.create(PODS.format("default"), pod("others", scheduler="somebody-else"))
    run = one_pass(plane, *KUBE)
    need(run.returncode == 1, f"some pod has no place: {run.returncode} {run.stderr[-400:]}")
    need("not-bound" not in run.stderr, run.stderr)
    need("nodeName" not in plane.pods()["others"]["spec"], "a pod of another scheduler was bound")
    check_as_planned(plane, decisions)


def check_plan_watched(plane, kubeconfig=None):
    """The same of what goes on afterwards."""
    fill(plane)
    decisions = planned(plane, *KUBE)
    with Scheduler(plane, *KUBE, kubeconfig=kubeconfig) as scheduler:
        until(lambda: is_tried(plane), "everybody to be placed or told")
        need("not-bound" not in scheduler.log(), scheduler.log())
    check_as_planned(plane, decisions, planned(plane, *KUBE))


def check_plan_by_name(plane):
    """The same of a server that has a name: those are asked through libcurl, over HTTP/1.1."""
    check_plan_watched(plane, plane.kubeconfig_by(plane.host.split(":")[1], is_named=True))


def check_plan_of_budgets(plane):
    """The same where measured latency decides."""
    flags = ("--rtt", fill_with_budgets(plane), "--profile", "edge", "--compat", "1.20")
    decisions = planned(plane, *flags)
    need(len({chosen for chosen, _ in decisions.values()}) > 4, f"{decisions}")
    run = one_pass(plane, *flags)
    need(run.returncode == 1, f"some pod has no place: {run.returncode} {run.stderr[-400:]}")
    check_as_planned(plane, decisions)


def versions(plane):
    """Of everything that a scheduler could write, or what it writes by."""
    return {thing["metadata"]["uid"]: (name_of(thing), thing["metadata"]["resourceVersion"])
            for path in WRITTEN for thing in plane.get(path)["items"]}


def create_claim(plane, name):
    """One that waits for the node of its first pod."""
    plane.create("/apis/storage.k8s.io/v1/storageclasses",
                 {"metadata": {"name": "made"}, "provisioner": "example.invalid/made",
                  "volumeBindingMode": "WaitForFirstConsumer"})
    plane.create("/api/v1/namespaces/default/persistentvolumeclaims",
                 {"metadata": {"name": name}, "spec": {
                     "accessModes": ["ReadWriteOnce"], "storageClassName": "made",
                     "resources": {"requests": {"storage": "1Gi"}}}})


def check_dry_run(plane):
    """It says what it would do: bind, also a claim, let somebody go and tell somebody why not. All
    of that stays as it is."""
    create_priorities(plane, {"low": 10, "high": 100})
    plane.create("/api/v1/nodes", node("n1"), node("n2", cpu="1", labels={"disk": "ssd"}))
    create_claim(plane, "waiting")
    on_disk = {"cpu": "900m", "nodeSelector": {"disk": "ssd"}}
    plane.create(PODS.format("default"),
                 pod("low", nodeName="n2", priorityClassName="low", **on_disk))
    plane.create(PODS.format("default"), pod("a"), pod("large", cpu="9"),
                 pod("vip", priorityClassName="high", **on_disk),
                 pod("claims", nodeSelector={HOST: "n1"}, volumes=[
                     {"name": "v", "persistentVolumeClaim": {"claimName": "waiting"}}]))
    before = versions(plane)
    run = one_pass(plane, "--dry-run", *KUBE)
    need(run.returncode == 1, f"exit {run.returncode}: {run.stderr}")
    events = [f"event={event}" for event in (
        "would-bind pod=default/a node=n1", "would-bind pod=default/claims node=n1",
        "would-evict pod=default/low for=default/vip node=n2", "unschedulable pod=default/large")]
    for event in events:
        need(event in run.stderr, f"{event}: {run.stderr}")
    with Scheduler(plane, "--dry-run", *KUBE) as scheduler:
        for event in events:
            until(lambda event=event: event in scheduler.log(), event)
    elects = one_pass(plane, "--dry-run", "--leader-elect", *KUBE)
    need(elects.returncode == 2 and "--leader-elect" in elects.stderr, f"{elects}")
    after = versions(plane)
    need(after == before, f"{sorted(set(after.items()) ^ set(before.items()))}")
    need(len(before) > 8, f"{before}")


def check_budgets(plane):
    """Measured latency decides, and binds keep to it."""
    plane.create("/api/v1/nodes", *(node(name) for name in ("edge-1", "edge-2", "cloud-1")))
    path = plane.path("rtt.csv")
    with open(path, "w") as file:
        file.write("from,to,rtt_ms\nedge-1,edge-2,3\nedge-2,edge-1,3\n"
                   "edge-1,cloud-1,30\ncloud-1,edge-1,30\nedge-2,cloud-1,30\ncloud-1,edge-2,30\n")
    budget = {"gedge.io/delay-budget": "node/edge-1=5ms"}
    plane.create(PODS.format("default"),
                 *(pod(f"b{i}", cpu="1500m", annotations=budget) for i in range(6)))
    run = one_pass(plane, "--rtt", path, "--profile", "edge")
    nodes = sorted(thing["spec"].get("nodeName", "-") for thing in plane.pods().values())
    need(nodes == ["-", "-", "edge-1", "edge-1", "edge-2", "edge-2"], f"{nodes} {run.stderr}")


def check_watch(plane):
    """Nodes that come, change and go; pods that come and go; pods made anew under their name. What
    is told of all that shows nobody the token."""
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    with Scheduler(plane, "-v", "1", *KUBE) as scheduler:
        plane.create(PODS.format("default"), pod("a", cpu="800m"))
        until(lambda: plane.pods()["a"]["spec"].get("nodeName") == "n1", "a")
        plane.create(PODS.format("default"), pod("b", cpu="800m"))
        until(lambda: condition(plane.pods()["b"]).get("status") == "False", "b to be told")
        need(condition(plane.pods()["b"])["message"] ==
             "0/1 nodes are available: 1 Insufficient cpu.", condition(plane.pods()["b"]))
        plane.delete(PODS.format("default") + "/a")
        until(lambda: plane.pods()["b"]["spec"].get("nodeName") == "n1", "b after a went")
        plane.create(PODS.format("default"), pod("c", cpu="500m", nodeSelector={"disk": "ssd"}))
        until(lambda: condition(plane.pods()["c"]).get("status") == "False", "c to be told")
        plane.create("/api/v1/nodes", node("n2"))
        plane.patch("/api/v1/nodes/n2", {"metadata": {"labels": {"disk": "ssd"}}})
        until(lambda: plane.pods()["c"]["spec"].get("nodeName") == "n2", "c after a relabel")
        plane.patch("/api/v1/nodes/n2", {"spec": {"unschedulable": True}})
        plane.create(PODS.format("default"), pod("d", cpu="500m"))
        until(lambda: condition(plane.pods()["d"]).get("status") == "False", "d to be told")
        plane.patch("/api/v1/nodes/n2", {"spec": {"unschedulable": None}})
        until(lambda: plane.pods()["d"]["spec"].get("nodeName") == "n2", "d after the cordon")
        plane.patch("/api/v1/nodes/n2", {"spec": {"taints": [
            {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}})
        plane.create(PODS.format("default"), pod("g", cpu="100m", nodeSelector={HOST: "n2"}))
        until(lambda: condition(plane.pods()["g"]).get("status") == "False", "g to be told")
        plane.patch("/api/v1/nodes/n2", {"spec": {"taints": None}})
        until(lambda: plane.pods()["g"]["spec"].get("nodeName") == "n2", "g after the taint")
        for _ in range(3):
            plane.delete(PODS.format("default") + "/d")
            plane.create(PODS.format("default"), pod("d", cpu="500m"))
            until(lambda: plane.pods()["d"]["spec"].get("nodeName") == "n2", "d made anew")
        plane.patch(PODS.format("default") + "/b/status", {"status": {"phase": "Succeeded"}})
        plane.create(PODS.format("default"),
                     pod("e", cpu="800m", nodeSelector={HOST: "n1"}))
        until(lambda: plane.pods()["e"]["spec"].get("nodeName") == "n1", "e after b ended")
        plane.delete("/api/v1/nodes/n2")
        plane.create(PODS.format("default"), pod("f", cpu="500m"))
        until(lambda: condition(plane.pods()["f"]).get("status") == "False", "f to be told")
        need(plane.get(EVENTS)["items"] and not scheduler.leaks(), f"{scheduler.leaks()}")
        flushed = scheduler.metric("gedge_flushed_pods_total")
        need(flushed == 0, f"{flushed} pods had to wait for the flush: no event woke them")
    need(scheduler.process.returncode == 0, f"exit {scheduler.process.returncode}")
    need("event=stopped" in scheduler.log(), scheduler.log()[-300:])


def check_preemption(plane):
    """Less important pods go, budgets choose whom, and the place is kept for whom it was made."""
    create_priorities(plane, {"low": 10, "middle": 50}, policy="Never")
    create_priorities(plane, {"high": 100})
    plane.create("/api/v1/nodes", node("n1", cpu="1"), node("n2", cpu="1"))
    with Scheduler(plane, *KUBE) as scheduler:
        plane.create(PODS.format("default"),
                     pod("kept", cpu="900m", labels={"app": "kept"}, priorityClassName="low"),
                     pod("spare", cpu="900m", priorityClassName="low"))
        until(lambda: all("nodeName" in p["spec"] for p in plane.pods().values()), "both")
        plane.create("/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets",
                     {"metadata": {"name": "kept"}, "spec": {
                         "minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}})
        freed = plane.pods()["spare"]["spec"]["nodeName"]
        plane.create(PODS.format("default"), pod("vip", cpu="900m", priorityClassName="high"))
        until(lambda: plane.pods()["vip"]["spec"].get("nodeName") == freed, "vip in its place")
        need("kept" in plane.pods() and "spare" not in plane.pods(), f"{list(plane.pods())}")
        plane.create(PODS.format("default"), pod("middle", cpu="900m", priorityClassName="middle"))
        until(lambda: condition(plane.pods()["middle"]).get("status") == "False", "middle waits")
        for name in ("preemptions", "preemption_victims"):
            count = scheduler.metric(f"gedge_{name}_total")
            need(count == 1, f"gedge_{name}_total {count}")
    events = plane.get(EVENTS)["items"]
    preempted = [event for event in events if event["reason"] == "Preempted"]
    need(len(preempted) == 1 and preempted[0]["regarding"]["name"] == "spare", f"{preempted}")
    need("event=evicting pod=default/spare for=default/vip" in scheduler.log(), scheduler.log())


def lease_of(plane):
    return plane.get("/apis/coordination.k8s.io/v1/namespaces/gedge-system/leases/gedge-scheduler")


def is_following(scheduler):
    try:
        return scheduler.answer("/readyz").strip() == "ok, waits for the lease"
    except urllib.error.HTTPError as reply:
        if reply.code != 503:
            raise
        return False


def check_two(plane):
    """Of two, one works; the other one takes over at once when it leaves, and works on."""
    plane.create_space()
    plane.create("/api/v1/nodes", node("n1"))
    with Scheduler(plane, "--leader-elect", *KUBE) as first:
        with Scheduler(plane, "--leader-elect", *KUBE, waits_for="event=standby") as second:
            plane.create(PODS.format("default"), pod("a"))
            until(lambda: "nodeName" in plane.pods()["a"]["spec"], "a")
            holder = lease_of(plane)["spec"]["holderIdentity"]
            need(holder != "", "nobody holds the lease")
            until(lambda: is_following(second), "the second one to follow")
            watches = second.metric("gedge_api_watches_total")
            first.stop()
            need(first.process.returncode == 0, f"exit {first.process.returncode}")
            plane.create(PODS.format("default"), pod("b"))
            until(lambda: "nodeName" in plane.pods()["b"]["spec"], "b, by the second one")
            need(second.metric("gedge_api_watches_total") == watches,
                 "it has listed again what it had heard of")
            need(lease_of(plane)["spec"]["holderIdentity"] not in ("", holder), "the same holder")
            need(lease_of(plane)["spec"]["leaseTransitions"] > 0, f"{lease_of(plane)}")
            # Somebody takes it by hand: whoever held it ends at once, and says so.
            plane.patch("/apis/coordination.k8s.io/v1/namespaces/gedge-system/leases/"
                        "gedge-scheduler", {"spec": {"holderIdentity": "somebody"}})
            until(lambda: second.process.poll() is not None, "the second one to end")
            need(second.process.returncode == 4, f"exit {second.process.returncode}")
            need("the lease was lost; it says somebody" in second.log(), second.log()[-300:])


def check_guard(plane):
    """With TLS and a token, whoever has none is told of life and readiness, and of nothing else."""
    cert, key = certificate(plane.folder.name, "web", 30)
    token = "0123456789abcdef"
    with open(plane.path("token"), "w") as file:
        file.write(token)
    need(one_pass(plane, "--watch", "--listen", "0.0.0.0:0").returncode == 2, "open to all")
    flags = ("--tls-cert", cert, "--tls-key", key, "--token-file", plane.path("token"))
    with Scheduler(plane, *flags, *KUBE) as scheduler:
        for path, header, expected in (
                ("/livez", None, 200), ("/readyz", None, 200), ("/metrics", None, 401),
                ("/metrics", "Bearer " + token + "x", 401), ("/metrics", "Bearer " + token, 200)):
            connection = http.client.HTTPSConnection(
                "127.0.0.1", scheduler.port(), context=ssl.create_default_context(cafile=cert))
            connection.request("GET", path, headers={"Authorization": header} if header else {})
            reply = connection.getresponse()
            body = reply.read()
            connection.close()
            need(reply.status == expected, f"{path} {header}: {reply.status}")
            need((b"gedge_" in body) == (expected == 200 and path == "/metrics"), f"{body[:80]}")
            need(not shows(token, body.decode()), f"{path} {header}: the token is shown")
        need(not shows(token, scheduler.log()), "the log shows the token")


def check_clients(plane):
    """Whoever shows the certificate that is known needs no token; another one opens nothing."""
    cert, key = certificate(plane.folder.name, "web", 30)
    known, others = (certificate(plane.folder.name, name, 30, subject=name)
                     for name in ("prometheus", "stranger"))
    both = plane.path("clients.pem")
    with open(both, "w") as file:
        for path, _ in (known, others):
            with open(path) as one:
                file.write(one.read())
    without = one_pass(plane, "--client-ca", both).stderr
    need("'--client-ca' needs '--tls-cert'" in without, without)
    flags = ("--tls-cert", cert, "--tls-key", key, "--client-ca", both)
    with Scheduler(plane, *flags, "--client-name", "prometheus", *KUBE) as scheduler:
        for shown, path, expected in ((known, "/metrics", 200), (others, "/metrics", 401),
                                      (None, "/metrics", 401), (None, "/livez", 200)):
            context = ssl.create_default_context(cafile=cert)
            if shown:
                context.load_cert_chain(*shown)
            connection = http.client.HTTPSConnection("127.0.0.1", scheduler.port(), context=context)
            connection.request("GET", path)
            status = connection.getresponse().status
            connection.close()
            need(status == expected, f"{path} by {shown}: {status}")


def check_unread(plane):
    """Pods of which not all can be read take their place, and wait until they can be."""
    odd = {"gedge.io/delay-budget": "soon"}
    plane.create("/api/v1/nodes", node("n1", cpu="1"))
    plane.create(PODS.format("default"),
                 pod("there", cpu="800m", annotations=odd, scheduler="other", nodeName="n1"))
    with Scheduler(plane, *KUBE) as scheduler:
        plane.create(PODS.format("default"), pod("a", cpu="800m"),
                     pod("odd", annotations=odd))
        until(lambda: condition(plane.pods()["a"]).get("status") == "False", "a to be told")
        until(lambda: condition(plane.pods()["odd"]).get("status") == "False", "odd to be told")
        need(condition(plane.pods()["odd"])["message"].startswith(
            "not all of the pod can be read: delay budget"), condition(plane.pods()["odd"]))
        plane.patch(PODS.format("default") + "/odd",
                    {"metadata": {"annotations": {"gedge.io/delay-budget": None}}})
        until(lambda: plane.pods()["odd"]["spec"].get("nodeName") == "n1", "odd once it is read")
        plane.delete(PODS.format("default") + "/there")
        until(lambda: plane.pods()["a"]["spec"].get("nodeName") == "n1", "a once there is room")
        need("not all of pod default/there can be read" in scheduler.log(), scheduler.log()[-300:])


def check_refused(plane):
    """Whoever may list nothing is told so, and does not wait for that to change."""
    run = one_pass(plane, user="nobody")
    last = run.stderr.strip().splitlines()[-1]
    need(run.returncode == 4, f"{run.returncode} {run.stderr}")
    need(last.startswith("gedge: error: cannot read /api/v1/") and "403" in last, last)


CHECKS = (check_plan, check_plan_watched, check_plan_by_name, check_plan_of_budgets, check_dry_run,
          check_budgets, check_watch, check_preemption, check_two, check_guard, check_clients,
          check_unread, check_refused)

if __name__ == "__main__":
    sys.exit(run_checks(CHECKS, failures))
