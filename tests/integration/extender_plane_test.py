"""A stock kube-scheduler with `gedge extender`: a thousand pods with delay budgets in each mode of
its node cache, judged here from what the API server says of them and the matrix alone."""
import json
import os
import random
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from edge_site import Site  # noqa: E402
from plane import PODS, Daemon, KubeScheduler, Plane, pod, until  # noqa: E402
from plane_pods import owned  # noqa: E402

COUNT, CACHES, REPLICAS = 1000, 12, 4
CLOSE = 9_000  # microseconds between replicas of a cache: whoever is near one reaches all of them
PATIENCE = 600  # seconds; a thousand pods on a busy machine
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def workload(site, dice):
    """Pods in any order, and the budgets of each as (what, name, limit)."""
    pods, budgets = [], {}

    def add(name, wishes, owner=None, labels=None):
        words = [f"{what}/{of}={limit}us" for what, of, limit in wishes if what != "label"]
        notes = {"gedge.io/delay-budget": ", ".join(words)} if words else {}
        made = pod(name, cpu="10m", memory="8Mi", labels=labels, annotations=notes,
                   scheduler="default-scheduler")
        pods.append(owned(made, "StatefulSet", owner) if owner else made)
        budgets[name] = wishes

    for i in range(CACHES):
        for j in range(REPLICAS):
            add(f"cache-{i}-{j}", [("statefulset", f"cache-{i}", CLOSE)], f"cache-{i}")
    for i in range(COUNT - CACHES * REPLICAS):
        kind, limit = i % 8, dice.randrange(CLOSE, 3 * CLOSE)
        cache, name = dice.randrange(CACHES), f"p-{i}"
        if kind == 0:
            add(name, [("statefulset", f"cache-{cache}", limit)])
        elif kind == 1:
            add(name, [("pod", f"cache-{cache}-{dice.randrange(REPLICAS)}", limit // 4)])
        elif kind == 2:
            zone = f"z{dice.randrange(3)}"
            add(name, [("zone", zone, 18_000 + limit)])
        elif kind == 3:
            add(name, [("external", "gateway", limit)])
        else:
            near = dice.choice(site.names)
            add(name, [("label", near, 1000 * dice.randrange(1, 9))], labels={})
            pods[-1]["metadata"]["labels"][f"delay_{near}"] = str(budgets[name][0][2] // 1000)
    dice.shuffle(pods)
    return pods, budgets


def broken(site, budgets, placed):
    """(pod, budget) of each that does not hold, by the places alone."""
    found = []
    for name, wishes in budgets.items():
        here = placed.get(name)
        for what, of, limit in wishes:
            if what in ("label", "external"):
                peers = [of]
            elif what == "zone":
                peers = [n for n in site.names if site.zone[n] == of]
            elif what == "pod":
                peers = [placed.get(of)]
            else:
                peers = [placed.get(f"{of}-{j}") for j in range(REPLICAS)]
            if here is None or any(p is None or site.us[here, p] > limit for p in peers):
                found.append((name, what, of, limit, here))
    return found


def extender_config(port, by_name, **more):
    return {"urlPrefix": f"http://127.0.0.1:{port}", "filterVerb": "filter",
            "prioritizeVerb": "prioritize", "preemptVerb": "preempt", "weight": 1,
            "nodeCacheCapable": by_name, "httpTimeout": "60s", **more}


def place_all(plane, space, pods):
    """Creates them and waits. kube-scheduler tries a pod that it refused again when a node changes;
    else it may take a minute and a half."""
    plane.create("/api/v1/namespaces", {"metadata": {"name": space}})
    plane.create(PODS.format(space), *pods)
    turn = [0]

    def are_placed():
        turn[0] += 1
        plane.patch("/api/v1/nodes/n00", {"metadata": {"labels": {"turn": str(turn[0])}}})
        return all("nodeName" in thing["spec"] for thing in plane.pods(space).values())
    try:
        until(are_placed, f"pods of {space}", PATIENCE)
    except AssertionError as late:
        waiting = [(name, thing["status"].get("conditions")) for name, thing
                   in plane.pods(space).items() if "nodeName" not in thing["spec"]]
        raise AssertionError(f"{late}: {len(waiting)} wait, such as {waiting[:2]}")
    return {name: thing["spec"]["nodeName"] for name, thing in plane.pods(space).items()}


def ask_who_may_go(gedge, pods, by_name):
    """As a kube-scheduler that could make room for `vip` by one of the others; what is left of that
    when gedge has answered: UIDs by node. (That of 1.20 asks nobody: kubernetes#102971.)"""
    victims = {thing["spec"]["nodeName"]: thing for name, thing in pods.items() if name != "vip"}
    call = {"Pod": pods["vip"]}
    if by_name:
        call["NodeNameToMetaVictims"] = {
            node: {"Pods": [{"UID": one["metadata"]["uid"]}]} for node, one in victims.items()}
    else:
        call["NodeNameToVictims"] = {node: {"Pods": [one]} for node, one in victims.items()}
    asked = urllib.request.Request(
        f"http://127.0.0.1:{gedge.port()}/preempt", json.dumps(call).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as reply:
        nodes = json.loads(reply.read())["NodeNameToMetaVictims"]
    return {node: [one["UID"] for one in there["Pods"]] for node, there in nodes.items()}


def check_preempt(plane, site, gedge, by_name):
    """Of two nodes the one next to the first keeps the budget, the farthest does not: who is there
    would go in vain."""
    first, *others = sorted(site.names, key=lambda name: site.us[site.names[0], name])
    limit = site.us[first, others[-1]] - 1
    path = PODS.format("default")
    plane.create(path, pod("near", nodeName=others[0]), pod("far", nodeName=others[-1]),
                 pod("vip", annotations={"gedge.io/delay-budget": f"node/{first}={limit}us"}))
    pods = plane.pods()
    until(lambda: gedge.metric('gedge_known_objects{kind="pod"}') ==
          len(plane.get("/api/v1/pods")["items"]), "gedge to know them")
    named = ask_who_may_go(gedge, pods, by_name)
    need(named == {others[0]: [pods["near"]["metadata"]["uid"]]}, f"{named}")
    need(gedge.metric('gedge_extender_calls_total{verb="preempt"}') == 1, "it was not counted")
    for name in pods:
        plane.delete(path + "/" + name)


def check_mode(plane, site, rtt, by_name):
    pods, budgets = workload(site, random.Random(by_name))
    need(len(pods) == COUNT and all(budgets.values()), f"{len(pods)} pods")
    flags = ["--bind"] if by_name else []
    verbs = {"bindVerb": "bind"} if by_name else {}
    with Daemon(plane, "extender", "--kubeconfig", plane.kubeconfig, "--rtt", rtt, *flags) as gedge:
        with KubeScheduler(plane, extender_config(gedge.port(), by_name, **verbs)):
            placed = place_all(plane, f"by-name-{by_name}".lower(), pods)
            wrong = broken(site, budgets, placed)
            need(not wrong, f"by name {by_name}: {len(wrong)} budgets broken, such as {wrong[:3]}")
            need(gedge.metric("gedge_extender_narrowed_pods_total") >= CACHES * REPLICAS,
                 "no pod was held to one node")
            need(gedge.metric('gedge_extender_calls_total{verb="prioritize"}') > 0,
                 "kube-scheduler asked for no scores")
            bound = gedge.metric('gedge_binds_total{result="bound"}')
            need(bound == (COUNT if by_name else 0), f"{bound} binds")
        check_preempt(plane, site, gedge, by_name)
        gedge.stop()
        need(gedge.process.returncode == 0, f"exit {gedge.process.returncode}: {gedge.log()}")
        need("event=failed" not in gedge.log(), gedge.log()[-500:])
    print(f"{COUNT} pods by name {by_name}: {len(wrong)} budgets broken")


def check_names(plane, site, rtt):
    check_mode(plane, site, rtt, True)


def check_nodes(plane, site, rtt):
    check_mode(plane, site, rtt, False)


def check_without(plane, site, rtt):
    """What the others show would not be so by chance: kube-scheduler alone breaks budgets."""
    pods, budgets = workload(site, random.Random(3))
    some = pods[:200]
    names = {thing["metadata"]["name"] for thing in some}
    with KubeScheduler(plane):
        placed = place_all(plane, "without", some)
    alone = {name: wishes for name, wishes in budgets.items()
             if name in names and wishes[0][0] in ("label", "external", "zone")}
    wrong = broken(site, alone, placed)
    need(len(wrong) > len(alone) // 4, f"{len(wrong)} of {len(alone)} budgets are broken")


def main():
    with Plane() as plane:
        site, rtt = Site(random.Random(1)), plane.path("rtt.csv")
        site.write(rtt)
        plane.create("/api/v1/nodes", *site.nodes())
        for check in (check_names, check_nodes, check_without):
            before = len(failures)
            try:
                check(plane, site, rtt)
            except AssertionError as wrong:
                failures.append(f"{check.__name__}: {wrong}")
            print(f"{check.__name__}: {'ok' if len(failures) == before else 'wrong'}", flush=True)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
