"""Real applications on real and synthetic sites: how many pods are placed, and that the plan holds.

Needs GEDGE_DATA_DIR. Every plan is checked by `gedge verify`, which shares nothing with the planner.
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
REGIONS = ["asia-east1", "asia-east2", "asia-northeast1", "europe-north1", "europe-west1", "us-west1"]


def three_tiers(labels):
    """Six nodes of three tiers; `labels` gives each its further labels."""
    items = []
    for i, tier in enumerate(["edge", "edge", "edge", "near-edge", "near-edge", "cloud"]):
        name = f"{tier}-{i}"
        items.append({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, "gedge.io/tier": tier, "beta.kubernetes.io/os": "linux",
                "kubernetes.io/os": "linux", **labels(i)}},
            "status": {"allocatable": {"cpu": "4" if tier == "edge" else "16", "memory": "16Gi", "pods": "110"}},
        })
    return {"apiVersion": "v1", "kind": "List", "items": items}


def frontend_near(limit):
    """The storefront with a delay budget, as a what-one-would-write manifest beside the application."""
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "edge-cache"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "edge-cache"}},
                     "template": {"metadata": {"labels": {"app": "edge-cache"}, "annotations": {
                         "gedge.io/delay-budget": limit}},
                         "spec": {"containers": [{"name": "c", "image": "cache", "resources": {
                             "requests": {"cpu": "200m", "memory": "128Mi"}}}]}}}}


def gedge(*arguments):
    return subprocess.run([GEDGE, *arguments], capture_output=True, text=True, timeout=120)


def plan(name, site, app, folder):
    out = os.path.join(folder, "plan.json")
    run = gedge("plan", "-o", "json", "--out", out, *site, *app)
    assert run.returncode in (0, 1), f"{name}: exit {run.returncode}\n{run.stderr}"
    with open(out, encoding="utf-8") as file:
        answer = json.load(file)
    check = gedge("verify", out, *site, *app)
    assert check.returncode == 0, f"{name}: verify says {check.returncode}\n{check.stdout}{check.stderr}"
    return answer


def write(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


# Pods placed, of how many. popeye's and k9s's nodes are those of their own test dumps; honeycomb's are all tainted.
EXPECTED = json.loads("""@EXPECTED@""")


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        gcp = write(folder, "gcp.json", three_tiers(lambda i: {"topology.kubernetes.io/region": REGIONS[i]}))
        plain = write(folder, "plain.json", three_tiers(lambda i: {}))
        near = write(folder, "near.json", frontend_near("asia-east1=40ms"))
        seattle = write(folder, "seattle.json", frontend_near("node/edge-1=60ms"))
        sites = {
            "k9s": ["--cluster", DATA + "/cluster-dumps/k9s/no.json"],
            "popeye": ["--cluster", DATA + "/cluster-dumps/popeye/core/node/1.yaml"],
            "honeycomb": ["--cluster", DATA + "/cluster-dumps/honeycomb"],
            "three-tiers": ["--cluster", plain],
            "gcp": ["--cluster", gcp, "--rtt", DATA + "/rtt/gcp-20-regions-2020",
                    "--rtt-by", "topology.kubernetes.io/region", "-f", near],
            "seattle": ["--cluster", "synthetic:nodes=99,tiers=60/30/9", "--rtt",
                        DATA + "/rtt/seattle-99-nodes/SeattleData_1", "--rtt-unit", "s", "-f", seattle],
        }
        counted = {}
        for site, site_flags in sites.items():
            for app, app_flags in APPS.items():
                name = f"{site}/{app}"
                answer = plan(name, site_flags, app_flags, folder)
                summary = answer["summary"]
                counted[name] = [summary["placed"], summary["pods"]]
                if site == "honeycomb":
                    for decision in answer["decisions"]:
                        named = "untolerated taint" in decision["message"] or decision["rejectedBy"].get("TaintToleration")
                        if not named:
                            failures.append(f"{name}: {decision['pod']}: the taint is not named: {decision}")
                if site in ("gcp", "seattle"):
                    cached = [d for d in answer["decisions"] if d["pod"].startswith("edge-cache")]
                    if not all(d["node"] and d["budgets"][0]["slackUs"] >= 0 for d in cached) or len(cached) != 2:
                        failures.append(f"{name}: the cache is not within its budget: {cached}")
        for name, count in counted.items():
            if EXPECTED.get(name) != count:
                failures.append(f"{name}: placed {count[0]} of {count[1]}, expected {EXPECTED.get(name)}")
        print(json.dumps(counted))
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
