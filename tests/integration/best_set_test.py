"""A real kube-scheduler places ten kinds of workloads; each node that it chose is among the best
that `gedge explain --profile kube --compat 1.20` finds in the state before, and where it found
none, gedge finds none either.

    best_set_test.py [--count N] [--seed N]

places N pods of each kind, `--count 1000` ten thousand in all. A pod is made when the one
before has its place, so that the state before each choice is known."""
import argparse
import copy
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, KubeScheduler, Plane, node, pod, until  # noqa: E402
from plane_pods import IMAGE, ZONE, workloads  # noqa: E402

LEAST_NODES = 40
DISKS = ("ssd", "hdd", "nvme")


def site(count, dice):
    nodes = []
    for i in range(max(LEAST_NODES, count // 8)):
        taints = []
        if i % 10 == 0:
            taints = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
        if i % 10 == 1:
            taints = [{"key": "busy", "value": "", "effect": "PreferNoSchedule"}]
        made = node(f"n{i:02}", cpu=str(dice.choice((16, 24, 32))), pods="110",
                    memory=f"{dice.choice((32, 48, 64))}Gi", taints=taints,
                    labels={ZONE: f"z{i % 4}", "disk": DISKS[i % 3]})
        if i % 4 == 0:
            made["status"]["images"] = [IMAGE]
        nodes.append(made)
    return nodes


def pods_of(name, spec, count, dice):
    for i in range(count):
        yield pod(f"{name}-{i}", cpu=f"{dice.randint(1, 12)}0m", memory=f"{dice.randint(1, 200)}Mi",
                  labels={"app": name}, scheduler="default-scheduler", **copy.deepcopy(spec))


def is_tried(thing):
    refused = any(c["type"] == "PodScheduled" and c["status"] == "False"
                  for c in thing["status"].get("conditions", []))
    return bool(thing["spec"].get("nodeName")) or refused


def text_of(kind, thing):
    """What decides of an object, as JSON: it is written once for each of thousands of states."""
    thing = {"apiVersion": "v1", "kind": kind, **thing}
    thing["metadata"] = {key: value for key, value in thing["metadata"].items()
                         if key != "managedFields"}
    return json.dumps(thing)


def best(plane, state, waiting):
    """The nodes that gedge would choose from."""
    path = plane.path("state.json")
    with open(path, "w") as file:
        file.write('{"apiVersion":"v1","kind":"List","items":[')
        file.write(",".join((*state, text_of("Pod", waiting))))
        file.write("]}")
    run = subprocess.run(
        [os.environ["GEDGE"], "explain", waiting["metadata"]["name"], "--cluster", path, "-o",
         "json", "-q", "--profile", "kube", "--compat", "1.20"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise AssertionError(run.stderr)
    fit = {n["node"]: n["total"] for n in json.loads(run.stdout)["nodes"] if n["feasible"]}
    most = max(fit.values(), default=None)
    return {name for name, total in fit.items() if total == most}


def nudge(plane, round_name):
    """Tells kube-scheduler of every node again. Of an image, it remembers with each node how many
    nodes had it when it last heard of that node, and while nodes come, those are too few."""
    def one(thing):
        return plane.patch("/api/v1/nodes/" + thing["metadata"]["name"],
                           {"metadata": {"labels": {"round": round_name}}})
    return [text_of("Node", one(thing)) for thing in plane.get("/api/v1/nodes")["items"]]


def replay(plane, pods, nodes, bound):
    """Lets kube-scheduler place them one by one; returns what was wrong, and what it chose."""
    wrong, chosen = [], 0
    for thing in pods:
        name = thing["metadata"]["name"]
        path = PODS.format("default") + "/" + name
        made = plane.create(PODS.format("default"), thing)[0]
        until(lambda: is_tried(plane.get(path)), name)
        there = plane.get(path)
        choices = best(plane, nodes + bound, made)
        where = there["spec"].get("nodeName")
        if where is None:
            plane.delete(path)
            if choices:
                wrong.append(f"{name}: kube-scheduler found no node, gedge {sorted(choices)}")
            continue
        chosen += 1
        bound.append(text_of("Pod", there))
        if where not in choices:
            wrong.append(f"{name}: kube-scheduler chose {where}, gedge one of {sorted(choices)}")
    return wrong, chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=45)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    failures, chosen, tried = [], 0, 0
    with Plane() as plane:
        if not os.path.exists(os.path.join(plane.binaries, "kube-scheduler")):
            print("[skipped] there is no kube-scheduler")
            return 77
        plane.create("/api/v1/nodes", *site(asked.count, dice))
        bound = []
        with KubeScheduler(plane):
            for name, spec in workloads().items():
                pods = list(pods_of(name, spec, asked.count, dice))
                wrong, placed = replay(plane, pods, nudge(plane, name), bound)
                print(f"{name}: {placed} of {len(pods)} placed, {len(wrong)} differ", flush=True)
                failures += wrong
                chosen, tried = chosen + placed, tried + len(pods)
    for failure in failures[:20]:
        print("FAILED:", failure)
    print(f"{chosen} of {tried} pods have a node, seed {asked.seed}")
    return 1 if failures or chosen == tried or chosen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
