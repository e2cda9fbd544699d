"""Real applications on real and synthetic sites: how many pods are placed; each plan holds.

Needs GEDGE_DATA_DIR. `gedge verify`, which shares nothing with the planner, checks every plan.
"""
import json
import os
import subprocess
import sys
import tempfile

GEDGE = os.environ["GEDGE"]
DATA = os.environ.get("GEDGE_DATA_DIR")
if not DATA:
    print("[skipped] GEDGE_DATA_DIR is not set")
    sys.exit(77)

APPS = {
    "boutique": ["-f", DATA + "/k8s-apps/online-boutique/kubernetes-manifests.yaml"],
    "hotel": ["-R", "-f", DATA + "/k8s-apps/hotel-reservation"],
    "sock-shop": ["-f", DATA + "/k8s-apps/sock-shop/complete-demo.yaml"],
}
REGIONS = ["asia-east1", "asia-east2", "asia-northeast1", "europe-north1", "europe-west1",
           "us-west1"]

# Pods placed, and pods. The nodes of popeye are small; all nodes of honeycomb are tainted.
EXPECTED = {
    "boutique on k9s": (12, 12), "hotel on k9s": (19, 19), "sock-shop on k9s": (14, 14),
    "boutique on popeye": (12, 12), "hotel on popeye": (19, 19), "sock-shop on popeye": (6, 14),
    "boutique on honeycomb": (0, 12), "hotel on honeycomb": (0, 19),
    "sock-shop on honeycomb": (0, 14),
    "boutique on three tiers": (12, 12), "hotel on three tiers": (19, 19),
    "sock-shop on three tiers": (14, 14),
    "boutique on GCP regions": (14, 14), "hotel on GCP regions": (21, 21),
    "sock-shop on GCP regions": (16, 16),
    "boutique on Seattle": (14, 14), "hotel on Seattle": (21, 21), "sock-shop on Seattle": (16, 16),
}


def node(index, tier):
    name = f"{tier}-{index}"
    labels = {"kubernetes.io/hostname": name, "gedge.io/tier": tier,
              "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux",
              "topology.kubernetes.io/region": REGIONS[index]}
    allocatable = {"cpu": "4" if tier == "edge" else "16", "memory": "16Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": allocatable}}


def three_tiers():
    tiers = ["edge", "edge", "edge", "near-edge", "near-edge", "cloud"]
    items = [node(index, tier) for index, tier in enumerate(tiers)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def edge_cache(budget):
    """A Deployment with a delay budget, beside the application."""
    requests = {"cpu": "200m", "memory": "128Mi"}
    template = {
        "metadata": {"labels": {"app": "edge-cache"},
                     "annotations": {"gedge.io/delay-budget": budget}},
        "spec": {"containers": [{"name": "c", "image": "cache",
                                 "resources": {"requests": requests}}]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "edge-cache"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "edge-cache"}},
                     "template": template}}


def gedge(*arguments):
    return subprocess.run([GEDGE, *arguments], capture_output=True, text=True, check=False)


def plan(name, site, app, folder):
    out = os.path.join(folder, "plan.json")
    run = gedge("plan", "-o", "json", "--out", out, *site, *app)
    assert run.returncode in (0, 1), f"{name}: exit {run.returncode}\n{run.stderr}"
    check = gedge("verify", out, *site, *app)
    assert check.returncode == 0, f"{name}: verify: {check.stdout}{check.stderr}"
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def write(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def sites(folder):
    tiers = write(folder, "tiers.json", three_tiers())
    near_region = write(folder, "near-region.json", edge_cache("asia-east1=40ms"))
    near_node = write(folder, "near-node.json", edge_cache("node/edge-1=60ms"))
    return {
        "k9s": ["--cluster", DATA + "/cluster-dumps/k9s/no.json"],
        "popeye": ["--cluster", DATA + "/cluster-dumps/popeye/core/node/1.yaml"],
        "honeycomb": ["--cluster", DATA + "/cluster-dumps/honeycomb"],
        "three tiers": ["--cluster", tiers],
        "GCP regions": ["--cluster", tiers, "--rtt", DATA + "/rtt/gcp-20-regions-2020",
                        "--rtt-by", "topology.kubernetes.io/region", "-f", near_region],
        "Seattle": ["--cluster", "synthetic:nodes=99,tiers=60/30/9", "--rtt",
                    DATA + "/rtt/seattle-99-nodes/SeattleData_1", "--rtt-unit", "s",
                    "-f", near_node],
    }


def names_taint(decision):
    return "had untolerated taint" in decision["message"]


def is_within_budget(decision):
    return decision["node"] is not None and decision["budgets"][0]["slackUs"] >= 0


def check_decisions(site, decisions):
    if site == "honeycomb":
        return [f"no taint named: {d}" for d in decisions if not names_taint(d)]
    cached = [d for d in decisions if d["pod"].startswith("edge-cache")]
    expected = 2 if site in ("GCP regions", "Seattle") else 0
    failures = [f"over its budget: {d}" for d in cached if not is_within_budget(d)]
    return failures + ([] if len(cached) == expected else [f"{len(cached)} caches"])


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for site, site_flags in sites(folder).items():
            for app, app_flags in APPS.items():
                name = f"{app} on {site}"
                answer = plan(name, site_flags, app_flags, folder)
                counts = (answer["summary"]["placed"], answer["summary"]["pods"])
                print(f"{name}: {counts[0]} of {counts[1]} pods placed, the plan holds")
                if counts != EXPECTED.get(name):
                    failures.append(f"{name}: expected {EXPECTED.get(name)}")
                failures += [f"{name}: {text}"
                             for text in check_decisions(site, answer["decisions"])]
    for failure in failures:
        print("failed:", failure)
    sys.exit(1 if failures else 0)


main()
