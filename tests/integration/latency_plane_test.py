"""NodeLatency objects on a real kube-apiserver: it takes the definition that is shipped, and by its
schema refuses what is none; `gedge measure --publish` writes them, and a scheduler that runs
decides by them, and by what is published later."""
import os
import subprocess
import sys

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
DEFINITION = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "libgedge/manifests/nodelatencies.yaml")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KIND = "/apis/gedge.io/v1alpha1/nodelatencies"
SITES = ("edge", "near", "far")
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def gedge(plane, *arguments):
    return subprocess.run([GEDGE, *arguments, "--kubeconfig", plane.kubeconfig],
                          capture_output=True, text=True)


def publish(plane, **milliseconds):
    """`edge_near`: of that pair, in both directions."""
    path = plane.path("rtt.csv")
    with open(path, "w") as file:
        file.write("from,to,rtt_ms\n")
        for pair, ms in milliseconds.items():
            one, other = pair.split("_")
            file.write(f"{one},{other},{ms}\n{other},{one},{ms}\n")
    return gedge(plane, "measure", "--import", "any", path, "-o", "json", "--publish").stderr


def check_refused(plane):
    """What the server refuses, and says why."""
    for peers in ([{"p95Us": 5}], [{"to": "", "p95Us": 5}], [{"to": "a", "p95Us": -1}],
                  [{"to": "a", "p95Us": "5ms"}], [{"to": "a", "lossPpm": 1_000_001}],
                  [{"to": "a" * 254}], [{"to": "a", "measuredAt": "yesterday"}], {"to": "a"}):
        status, said = plane.call("POST", KIND, {
            "apiVersion": "gedge.io/v1alpha1", "kind": "NodeLatency", "metadata": {"name": "odd"},
            "spec": {"peers": peers}})
        need(status == 422, f"{peers}: {status} {said}")
    need(plane.get(KIND)["items"] == [], "nothing was written")


def check_decides(plane):
    """Within 5 ms of `far` nobody is, until that is published."""
    plane.create("/api/v1/nodes", *(node(name) for name in SITES))
    said = publish(plane, edge_near=4, edge_far=30, near_far=20)
    need("3 NodeLatency objects written, 0 as before\n" in said, said)
    peers = plane.get(f"{KIND}/edge")["spec"]["peers"]
    need(peers == [{"to": "far", "p95Us": 30000}, {"to": "near", "p95Us": 4000}], f"{peers}")
    said = publish(plane, edge_near=4, edge_far=30, near_far=20)
    need("0 NodeLatency objects written, 3 as before\n" in said, said)
    run = gedge(plane, "matrix", "convert", "--cluster", "live", "-o", "edges")
    need("\nnear,far,,20\n" in run.stdout, f"{run.stdout} {run.stderr}")
    elsewhere = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["edge", "far"]}]}]}}}}
    with Scheduler(plane, "--profile", "edge") as scheduler:
        plane.create(PODS.format("default"),
                     pod("to-edge", annotations={"gedge.io/delay-budget": "node/edge=5ms"},
                         **elsewhere),
                     pod("to-far", annotations={"gedge.io/delay-budget": "node/far=5ms"},
                         **elsewhere))
        until(lambda: plane.pods()["to-edge"]["spec"].get("nodeName") == "near", "the one")
        until(lambda: "conditions" in plane.pods()["to-far"]["status"], "the other to be told")
        need("nodeName" not in plane.pods()["to-far"]["spec"], "it is farther than it may be")
        said = publish(plane, edge_near=4, edge_far=30, near_far=3)
        need("2 NodeLatency objects written, 1 as before\n" in said, said)
        until(lambda: plane.pods()["to-far"]["spec"].get("nodeName") == "near", "what is near now")
    need("event=failed" not in scheduler.log(), scheduler.log()[-600:])


def check_defined(plane):
    with open(DEFINITION) as file:
        plane.create(DEFINITIONS, yaml.safe_load(file))
    until(lambda: plane.call("GET", KIND)[0] == 200, "the server to know the kind")
    kind = plane.get(f"{DEFINITIONS}/nodelatencies.gedge.io")
    states = {one["type"]: one["status"] for one in kind["status"]["conditions"]}
    need(states.get("Established") == "True", f"{states}")
    need(states.get("NonStructuralSchema", "False") == "False", f"{states}")


if __name__ == "__main__":
    sys.exit(run_checks((check_defined, check_refused, check_decides), failures))
