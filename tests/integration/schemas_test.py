"""Every document of -o json and -o yaml keeps to the schema of its kind; the schemas are strict.

The schemas are read from the source tree; tests/consumer checks that they are installed.
"""

import json
import os
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

GEDGE = os.environ["GEDGE"]
SCHEMAS = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "libgedge", "schemas")

APP = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, delay_edge-1: "5"}}
    spec:
      containers: [{name: c, image: nginx, resources: {requests: {cpu: "3", memory: 1Gi}}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front}
---
apiVersion: v1
kind: Pod
metadata: {name: nowhere, labels: {delay_atlantis: "5"}}
spec:
  containers: [{name: c, image: nginx, resources: {requests: {cpu: "900", memory: 900Gi}}}]
"""
MATRIX = "from,to,rtt_ms\nedge-1,edge-2,1.5\nedge-1,atlantic,80\n"


def schema(kind):
    """The schema of a kind: LatencyMatrix is in latency-matrix.schema.json."""
    name = "".join("-" + c.lower() if c.isupper() else c for c in kind).lstrip("-")
    with open(os.path.join(SCHEMAS, name + ".schema.json"), encoding="utf-8") as stream:
        return json.load(stream)


class SchemasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.app = os.path.join(cls.folder.name, "app.yaml")
        cls.rtt = os.path.join(cls.folder.name, "rtt.csv")
        for path, text in ((cls.app, APP), (cls.rtt, MATRIX)):
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_gedge(self, *arguments):
        done = subprocess.run([GEDGE, *arguments], capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout

    def site(self):
        return ["--cluster", "synthetic:nodes=6,cpu=4", "-f", self.app, "--rtt", self.rtt]

    def check(self, kind, *arguments):
        """Runs a command in both formats; both say the same, validly. Returns the document."""
        document = json.loads(self.run_gedge(*arguments, "-o", "json"))
        self.assertEqual(document["kind"], kind)
        self.assertEqual(yaml.safe_load(self.run_gedge(*arguments, "-o", "yaml")), document)
        jsonschema.Draft202012Validator(schema(kind)).validate(document)
        return document

    def test_schemas_are_valid_schemas(self):
        names = sorted(os.listdir(SCHEMAS))
        self.assertGreaterEqual(len(names), 6)
        for name in names:
            with open(os.path.join(SCHEMAS, name), encoding="utf-8") as stream:
                jsonschema.Draft202012Validator.check_schema(json.load(stream))

    def test_plan(self):
        plan = self.check("Plan", "plan", *self.site())
        self.assertEqual(plan["summary"]["pods"], 5)
        self.assertGreater(plan["summary"]["placed"], 0)
        self.assertGreater(plan["summary"]["unschedulable"], 0)
        self.assertTrue(plan["snapshot"].startswith("xxh128:"))
        self.assertEqual(plan["skipped"], [{"kind": "Ingress", "name": "front"}])
        self.assertIn("UnknownLatencyName", [w["code"] for w in plan["warnings"]])

    def test_scale(self):
        folder = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "examples", "scale")
        site = ["-f", os.path.join(folder, "web.yaml")]
        metrics = ["--metrics", os.path.join(folder, "metrics.yaml")]
        found = self.check("ScaleExplanation", "scale", "explain", "web", *site, *metrics)
        self.assertEqual((found["currentReplicas"], found["replicas"]), (3, 4))
        self.assertEqual([pod["group"] for pod in found["metrics"][0]["pods"]],
                         ["ready", "ready", "unready"])
        self.assertIsNone(self.check("ScaleExplanation", "scale", "explain", "web", *site)
                          ["proposedReplicas"])
        wanted = self.check("ScaleRecommendation", "scale", "recommend", "web", *site, *metrics)
        self.assertEqual([main["name"] for main in wanted["containers"]], ["main"])
        self.check("ScaleRecommendation", "scale", "recommend", "web", *site)
        played = self.check("ScaleSimulation", "scale", "simulate",
                            "--metrics", os.path.join(folder, "spike.csv"),
                            "--spec", os.path.join(folder, "web-hpa.yaml"),
                            "--profile", "hpa", "--profile", "gs-engine")
        self.assertEqual([run["setting"] for run in played["runs"]], ["web hpa", "web gs-engine"])
        sites = os.path.join(folder, "sites.yaml")
        played = self.check("ScaleSimulation", "scale", "simulate",
                            "--metrics", os.path.join(folder, "rush.csv"), "--spec", sites,
                            "-f", sites, "--cluster", "synthetic:nodes=5,tiers=2/2/1")
        self.assertGreater(len(played["runs"][0]["overSites"]["changes"]), 5)

    def test_a_short_autoscaler(self):
        """What is read keeps to the schema, and what does not is not read."""
        path = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "examples", "scale", "short.yaml")
        with open(path, encoding="utf-8") as stream:
            good = yaml.safe_load(stream)
        judge = jsonschema.Draft202012Validator(schema("Autoscaler"))
        judge.validate(good)
        for name in ("sites.yaml", "live-sites.yaml", "live-demand.yaml", "live-growth.yaml"):
            with open(os.path.join(os.path.dirname(path), name), encoding="utf-8") as stream:
                judge.validate(next(yaml.safe_load_all(stream)))

        def changed(**fields):
            return {**good, "spec": {**good["spec"], **fields}}
        cpu = {"resource": "cpu", "utilization": 60}
        for spec, is_good in (
                (changed(metrics=[cpu]), True),
                (changed(metrics=[{"external": "queue", "value": "5k"}], min=0), True),
                (changed(metrics=[{"object": {"kind": "Service", "name": "a"}, "metric": "rate",
                                   "average": 5}]), True),
                (changed(metrics=[]), False), (changed(max=0), False), (changed(min=-1), False),
                (changed(maxi=3), False), (changed(metrics=[{**cpu, "average": 1}]), False),
                (changed(metrics=[{"resource": "cpu", "value": 1}]), False),
                (changed(metrics=[{"query": "up", "utilization": 1}]), False),
                (changed(metrics=[{**cpu, "utilization": 0}]), False),
                (changed(sites={"order": ["a", "b"], "budget": "5ms", "choose": "demand"}), True),
                (changed(sites={"order": ["a"], "up": {"resource": "cpu", "step": "250m",
                                                       "most": 2}}), True),
                (changed(sites={"order": []}), False), (changed(sites={}), False),
                (changed(sites={"order": ["a", "a"]}), False),
                (changed(sites={"order": ["a"], "choose": "best"}), False),
                (changed(sites={"order": ["a"], "overAfterSeconds": -1}), False),
                (changed(sites={"order": ["a"], "up": {"resource": "cpu"}}), False),
                (changed(target={"kind": "Deployment"}), False)):
            self.assertEqual(judge.is_valid(spec), is_good, spec)
            file = os.path.join(self.folder.name, "short.json")
            with open(file, "w", encoding="utf-8") as stream:
                json.dump(spec, stream)
            done = subprocess.run([GEDGE, "scale", "explain", "web", "-f", file],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1 if is_good else 3, done.stderr)

    def test_plan_of_nothing(self):
        self.check("Plan", "plan", "--cluster", "synthetic:nodes=1")

    def test_explanations(self):
        placed = self.check("Explanation", "explain", "web-0", *self.site())
        self.assertIsNotNone(placed["node"])
        lost = self.check("Explanation", "explain", "nowhere", *self.site())
        self.assertIsNone(lost["node"])
        self.assertEqual(len(lost["nodes"]), 6)
        self.check("Explanation", "why-not", "web-0", "cloud-1", *self.site())

    def test_what_if(self):
        document = self.check("WhatIf", "plan", *self.site(), "--what-if", "node/edge-1:drain")
        self.assertEqual(document["edits"], ["node/edge-1:drain"])
        self.assertTrue(document["differences"])
        self.assertTrue(document["plan"]["snapshot"].startswith("xxh128:"))

    def test_verification(self):
        plan = os.path.join(self.folder.name, "plan.json")
        self.run_gedge("plan", *self.site(), "--out", plan)
        self.assertTrue(self.check("Verification", "verify", plan, *self.site())["holds"])
        with open(plan, encoding="utf-8") as stream:
            moved = json.load(stream)
        next(d for d in moved["decisions"] if d["pod"] == "web-0")["node"] = "cloud-1"
        with open(plan, "w", encoding="utf-8") as stream:
            json.dump(moved, stream)
        self.assertTrue(self.check("Verification", "verify", plan, *self.site())["violations"])

    def test_validation_and_version(self):
        document = self.check("Validation", "validate", *self.site())
        self.assertEqual(document["summary"]["pods"], 5)
        self.assertEqual(document["summary"]["warnings"], len(document["warnings"]))
        self.assertIn("1.36", self.check("Version", "version")["compat"])

    def test_hints(self):
        hints = self.check("Hints", "hint", *self.site(), "--from", "cloud-1")
        labels = {key for node in hints["nodes"] for key in node["labels"]}
        self.assertEqual(labels, {"rtt.gedge.io/edge-1", "rtt.gedge.io/cloud-1"})
        self.assertEqual([(w["kind"], w["name"]) for w in hints["workloads"]],
                         [("Deployment", "web")])
        self.assertEqual([w["code"] for w in hints["warnings"]], ["HintImpossible"])

    def test_machine_and_pin_plan(self):
        source = "synthetic:pack:2 numa:2 l3:1 core:4 pu:2"
        machine = self.check("Machine", "pin", "show", "--machine", source)
        self.assertEqual(len(machine["cpus"]), 32)
        self.assertEqual([n["cpus"] for n in machine["numaNodes"]],
                         ["0-7", "8-15", "16-23", "24-31"])
        self.assertEqual(machine["pins"], [])
        state = os.path.join(self.folder.name, "pins")
        inside = subprocess.run(
            [GEDGE, "pin", "run", "--state-dir", state, "--", "sh", "-c",
             'for v in "show" "check"; do "$0" pin $v -q -o json --state-dir "$1"; done', GEDGE,
             state], capture_output=True, text=True, check=True)
        shown, end = json.JSONDecoder().raw_decode(inside.stdout)
        for kind, document in (("Machine", shown),
                               ("PinCheck", json.loads(inside.stdout[end:]))):
            jsonschema.validate(document, schema(kind))
            self.assertEqual([pin["program"] for pin in document["pins"]], ["sh"])
        self.check("PinCheck", "pin", "check", "--state-dir", state)
        for form, read in (("json", json.loads), ("yaml", yaml.safe_load)):
            compared = read(self.run_gedge("pin", "compare", "--pairs", "6", "--state-dir", state,
                                           "-o", form, "--", "true"))
            jsonschema.validate(compared, schema("PinComparison"))
            self.assertEqual(len(compared["pairs"]), 6)
        plan = self.check("PinPlan", "pin", "plan", "-f", self.app, "--machine", source)
        self.assertEqual(plan["summary"], {"pods": 5, "admitted": 5, "rejected": 0})
        held = os.path.join(self.folder.name, "cpu_manager_state")
        with open(held, "w", encoding="utf-8") as stream:
            json.dump({"policyName": "static", "defaultCpuSet": "0-1,3,5-31",
                       "entries": {"a": {"c": "2"}, "b": {"c": "4"}}}, stream)
        found = self.check("PinDefrag", "pin", "defrag", "--machine", source, "--state", held)
        self.assertEqual([restart["pod"] for restart in found["restarts"]], ["a"])
        self.assertTrue(found["proven"])

    def test_policies(self):
        document = self.check("PolicyList", "policies")
        self.assertIn("DelayBudget", [policy["name"] for policy in document["policies"]])
        self.assertIn("MachineFit", [policy["name"] for policy in document["policies"]])

    def test_latency_matrix(self):
        full = os.path.join(self.folder.name, "full.csv")
        rows = ["from,to,p95_us,mdev_us,loss_ppm,samples,measured_at,upper_us,suspicious",
                "a,b,5,1,0,9,2026-01-02T03:04:05Z,,true", "b,a,,,1000000,0,,,", "a,c,,,,,,7,"]
        with open(full, "w", encoding="utf-8") as stream:
            stream.write("\n".join(rows))
        pairs = self.check("LatencyMatrix", "matrix", "convert", full)["pairs"]
        self.assertEqual([pair["p95Us"] for pair in pairs], [5, None, None])
        self.assertEqual([pair.get("upperUs") for pair in pairs], [None, 7, None])
        self.check("LatencyMatrix", "matrix", "convert", self.rtt)

    def test_clusters_layers_and_centers(self):
        site = ["--cluster", "synthetic:nodes=12"]
        clusters = self.check("LatencyClusters", "matrix", "cluster", "--within", "5ms", *site)
        members = [name for cluster in clusters["clusters"] for name in cluster["nodes"]]
        self.assertEqual(len(set(members)), len(members))
        layer = self.check("LatencyClusters", "matrix", "cluster", "--within", "5ms", "--layers",
                           *site)
        self.assertIsNotNone(layer["layerUs"])
        layers = self.check("LatencyLayers", "matrix", "cluster", "--layers", *site)["layers"]
        self.assertEqual(len(layers[0]["clusters"]), len(members))
        self.assertEqual(len(layers[-1]["clusters"]), 1)
        centers = self.check("LatencyCenters", "matrix", "centers", "-k", "3", *site)
        self.assertEqual(len(centers["centers"]), 3)
        apart = self.check("LatencyCenters", "matrix", "centers", "-k", "1", self.rtt)
        self.assertEqual(apart["unreached"], [])

    def test_what_is_said_of_matrices(self):
        before, after = (os.path.join(self.folder.name, name) for name in ("1.csv", "2.csv"))
        head = "from,to,mean_ms,mdev_ms,samples,measured_at,suspicious\n"
        with open(before, "w", encoding="utf-8") as stream:
            stream.write(head + "a,b,5,1,9,2026-01-02T03:04:05Z,true\nb,a,1,1,9,,\na,c,1,1,9,,\n")
        with open(after, "w", encoding="utf-8") as stream:
            stream.write(head + "a,b,5.1,1,9,,\nb,a,9,1,9,,\nd,a,1,,,,\n")
        check = self.check("MatrixCheck", "matrix", "check", before, "--max-age", "1s", "--now",
                           "2026-01-02T03:04:07Z")
        oddities = [finding["oddity"] for finding in check["findings"]]
        self.assertEqual(oddities, ["gap", "one-way", "asymmetric", "stale", "suspicious"])
        summary = check["summary"]
        self.assertEqual((summary.pop("names"), summary.pop("detoursVia")), (3, 3))
        self.assertEqual(sum(summary.values()), len(oddities))
        diff = self.check("MatrixDifference", "matrix", "diff", before, after)
        self.assertEqual([pair["significance"] for pair in diff["pairs"]], ["noise", "real"])
        self.assertEqual((diff["added"], diff["removed"]), (["d"], ["c"]))
        self.check("LatencyMatrix", "matrix", "show", before)

    def test_the_plan_inside_a_what_if_is_a_plan(self):
        plan = {k: v for k, v in schema("Plan").items() if not k.startswith("$")}
        self.assertEqual(schema("WhatIf")["$defs"]["Plan"], plan)

    def test_simulation(self):
        path = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "examples", "failover.yaml")
        with open(path, encoding="utf-8") as stream:
            scenario = yaml.safe_load(stream)
        validator = jsonschema.Draft202012Validator(schema("Scenario"))
        validator.validate(scenario)
        for change in (
            lambda s: s.pop("cluster") and s.pop("manifests"),
            lambda s: s.update(duration="15"),
            lambda s: s.update(faults={"lostBinds": 5}),
            lambda s: s["events"][0].pop("at"),
            lambda s: s["events"][0].update(recover="edge-1"),
            lambda s: s["events"][2].pop("replicas"),
        ):
            broken = json.loads(json.dumps(scenario))
            change(broken)
            self.assertFalse(validator.is_valid(broken))
        document = self.check("Simulation", "simulate", path)
        self.assertEqual(document["summary"]["unschedulable"], 0)
        several = self.check("Simulation", "simulate", path, "--runs", "2")
        self.assertEqual((several["runs"], several["events"]), (2, []))

    def test_what_breaks_a_schema(self):
        plan = json.loads(self.run_gedge("plan", *self.site(), "-o", "json"))
        plan["decisions"] = [d for d in plan["decisions"] if d["node"]]
        validator = jsonschema.Draft202012Validator(schema("Plan"))
        self.assertTrue(validator.is_valid(plan))
        for change in (
            lambda p: p.update(now="2026"),
            lambda p: p.pop("snapshot"),
            lambda p: p.update(snapshot=""),
            lambda p: p["decisions"][0].update(node=None),
            lambda p: p["decisions"][0].update(score=1.5),
            lambda p: p["decisions"][0].update(rtt=3),
            lambda p: p["decisions"][0]["budgets"][0].update(limitUs="5ms"),
            lambda p: p.update(apiVersion="gedge.io/v1"),
            lambda p: p.update(compat=1.36),
        ):
            broken = json.loads(json.dumps(plan))
            change(broken)
            self.assertFalse(validator.is_valid(broken))

    def test_a_latency_matrix(self):
        pair = {"from": "a", "to": "b", "p95Us": 3, "lossPpm": 0, "samples": 9, "method": "icmp"}
        head = {"apiVersion": "gedge.io/v1alpha1", "kind": "LatencyMatrix", "nodes": ["a", "b"]}
        validator = jsonschema.Draft202012Validator(schema("LatencyMatrix"))
        self.assertTrue(validator.is_valid({**head, "pairs": [{**pair, "later": 1}]}))
        for wrong in ({"p95Us": -1}, {"p95Us": 1.5}, {"lossPpm": 1000001}, {"from": ""}):
            self.assertFalse(validator.is_valid({**head, "pairs": [{**pair, **wrong}]}))


if __name__ == "__main__":
    unittest.main()
