"""`gedge scale explain`, `recommend` and `simulate`, as users run them."""

import datetime
import json
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

GEDGE = os.environ["GEDGE"]
EXAMPLES = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "examples", "scale")
WEB = os.path.join(EXAMPLES, "web.yaml")
METRICS = os.path.join(EXAMPLES, "metrics.yaml")
SPIKE = os.path.join(EXAMPLES, "spike.csv")
SPEC = os.path.join(EXAMPLES, "web-hpa.yaml")
SHORT = os.path.join(EXAMPLES, "short.yaml")
SITES = os.path.join(EXAMPLES, "sites.yaml")
RUSH = os.path.join(EXAMPLES, "rush.csv")
MADE_UP = ["--cluster", "synthetic:nodes=5,tiers=2/2/1"]


def run(*arguments, text=True):
    return subprocess.run([GEDGE, "scale", *arguments], capture_output=True, text=text,
                          timeout=120, check=False)


class Explain(unittest.TestCase):
    def explain(self, *arguments):
        done = run("explain", "web", *arguments, "-o", "json")
        return done.returncode, json.loads(done.stdout)

    def test_example(self):
        """Two pods at 97 % of their request want 4; a third that starts counts as idle."""
        done = run("explain", "web", "-f", WEB, "--metrics", METRICS)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "web: 3 -> 4")
        self.assertIn("web-c\tcpu utilization\tunready\t490m\t500m", lines)
        self.assertIn("windows\t4\tReadyForNewScale", lines)

    def test_same_bytes(self):
        first = run("explain", "web", "-f", WEB, "--metrics", METRICS)
        again = run("explain", "web", "--metrics", METRICS, "-f", WEB)
        self.assertEqual(first.stdout, again.stdout)

    def test_no_answers(self):
        """Without values, pods or workload nothing is invented."""
        code, found = self.explain("-f", WEB)
        self.assertEqual((code, found["step"], found["replicas"]), (1, "metrics-failed", 3))
        code, found = self.explain("-f", SPEC)
        self.assertEqual((code, found["step"], found["replicas"]), (1, "no-target", None))

    def test_old_samples(self):
        code, found = self.explain("-f", WEB, "--metrics", METRICS, "--max-age", "60s",
                                   "--now", "2026-11-21T10:00:00Z")
        self.assertEqual((code, found["step"]), (1, "metrics-failed"))

    def test_old_queue(self):
        """A queue that was empty yesterday, or will be, is not known: nothing goes to 0."""
        with open(WEB, encoding="utf-8") as stream:
            spec, objects = stream.read().split("---", 1)
        spec = spec.replace("  - type: Resource\n", "").replace("minReplicas: 1", "minReplicas: 0")
        spec = spec.replace("    resource: {name: cpu, target: {type: Utilization, "
                            "averageUtilization: 50}}",
                            "  - type: External\n    external: {metric: {name: queue}, "
                            "target: {type: AverageValue, averageValue: 10}}")
        with tempfile.TemporaryDirectory() as folder:
            for at, step in (("2026-11-20T09:00:00Z", "metrics-failed"),
                             ("2026-11-22T09:00:00Z", "metrics-failed"),
                             ("2026-11-21T09:00:00Z", "computed")):
                values = {"apiVersion": "external.metrics.k8s.io/v1beta1",
                          "kind": "ExternalMetricValueList", "items": [{
                              "metricName": "queue", "metricLabels": {}, "timestamp": at,
                              "value": "0"}]}
                for name, text in (("web.yaml", spec + "---" + objects),
                                   ("queue.json", json.dumps(values))):
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(text)
                _, found = self.explain("-f", os.path.join(folder, "web.yaml"), "--metrics",
                                        os.path.join(folder, "queue.json"), "--max-age", "60s",
                                        "--now", "2026-11-21T09:00:10Z")
                self.assertEqual(found["step"], step, found)

    def test_mistakes(self):
        for code, arguments, words in (
                (2, ["explain", "web"], "no autoscaler to explain"),
                (2, ["explain", "-f", WEB], "NAME"),
                (3, ["explain", "wep", "-f", WEB], "did you mean web?"),
                (3, ["explain", "frobnicate", "-f", WEB], "there is web"),
                (3, ["explain", "shop/web", "-f", WEB], "did you mean default/web?"),
                (2, ["explain", "web", "-f", WEB, "--tolerance", "nan"], "is no share"),
                (3, ["explain", "web", "-f", "missing.yaml"], "missing.yaml")):
            done = run(*arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_bad_objects(self):
        """Wrong input is an error with its place, and never a number of replicas."""
        with open(WEB, encoding="utf-8") as stream:
            good = stream.read()
        with open(METRICS, encoding="utf-8") as stream:
            metrics = stream.read()
        broken = (
            (good.replace("maxReplicas: 10", "maxReplicas: 0"), metrics),
            (good.replace("minReplicas: 1", "minReplicas: 11"), metrics),
            (good.replace("minReplicas: 1", "minReplicas: 0"), metrics),
            (good.replace("averageUtilization: 50", "averageUtilization: -50"), metrics),
            (good.replace("type: Resource", "type: Magic"), metrics),
            (good, metrics.replace("520m", "-520m")),
            (good, metrics.replace("520m", "NaN")),
            (good, metrics.replace("520m", ".nan")),
            (good, metrics.replace("window: 30s", "window: often")),
        )
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("web.yaml", "metrics.yaml")]
            for texts in broken:
                for path, text in zip(paths, texts):
                    with open(path, "w", encoding="utf-8") as stream:
                        stream.write(text)
                done = run("explain", "web", "-f", paths[0], "--metrics", paths[1])
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertRegex(done.stderr, r"\.yaml:\d+:\d+: error: ")
                self.assertEqual(done.stdout, "")

    def test_public_data(self):
        data = os.environ.get("GEDGE_DATA_DIR")
        if not data:
            self.skipTest("GEDGE_DATA_DIR is not set")
        explained = 0
        for path in public_files(data):
            for space, autoscaler in autoscalers_of(path):
                done = run("explain", f"{space}/{autoscaler}", "-f", path, "-o", "json", "-q")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertTrue(json.loads(done.stdout)["metrics"])
                explained += 1
        self.assertGreaterEqual(explained, 17)

    def test_public_data_at_work(self):
        """Two pods of each workload there use twice what they request: the formula has an answer,
        and what the object declares bounds it."""
        data = os.environ.get("GEDGE_DATA_DIR")
        if not data:
            self.skipTest("GEDGE_DATA_DIR is not set")
        steps = set()
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(public_files(data)):
                for space, name in autoscalers_of(path):
                    spec = spec_of(path, space, name)
                    busy = os.path.join(folder, f"{number}-{name}.json")
                    with open(busy, "w", encoding="utf-8") as file:
                        json.dump(busy_workload(space, spec["scaleTargetRef"]), file)
                    done = run("explain", f"{space}/{name}", "-f", alone(path, folder, name),
                               "-f", busy, "-o", "json", "-q")
                    self.assertEqual(done.returncode, 0, f"{path} {name}: {done}")
                    found = json.loads(done.stdout)
                    least, most = spec.get("minReplicas", 1), spec["maxReplicas"]
                    self.assertEqual(found["replicas"], max(least, min(4, most)), found)
                    steps.add(found["step"])
        self.assertIn("computed", steps)


def public_files(data):
    for folder, _, files in sorted(os.walk(os.path.join(data, "hpa"))):
        for name in sorted(files):
            if name.endswith((".yaml", ".json")):
                yield os.path.join(folder, name)


def objects_of(path):
    with open(path, encoding="utf-8") as stream:
        documents = [one for one in yaml.safe_load_all(stream) if one]
    for document in documents:
        for item in document.get("items", [document]):
            if item["kind"] == "HorizontalPodAutoscaler":
                yield {"apiVersion": document["apiVersion"], **item}


def name_of(item):
    return item["metadata"].get("namespace", "default"), item["metadata"]["name"]


def autoscalers_of(path):
    return [name_of(item) for item in objects_of(path)]


def spec_of(path, space, name):
    return next(item for item in objects_of(path) if name_of(item) == (space, name))["spec"]


def alone(path, folder, name):
    """The autoscalers of a file, without the workloads beside them."""
    copy = os.path.join(folder, f"only-{name}.json")
    with open(copy, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": list(objects_of(path))}, file,
                  default=str)
    return copy


def busy_workload(space, target):
    """Two pods that use twice what they request of cpu and memory, and what metrics say."""
    asked, used = {"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}
    labels, kind = {"app": target["name"]}, target["kind"]
    template = {"metadata": {"labels": labels}, "spec": {"containers": [
        {"name": "c", "image": "i", "resources": {"requests": asked}}]}}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-21T08:00:00Z"}
    items = [{"apiVersion": "apps/v1", "kind": kind,
              "metadata": {"name": target["name"], "namespace": space},
              "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
              "status": {"replicas": 2}}]
    for number in range(2):
        meta = {"name": f"{target['name']}-{number}", "namespace": space, "labels": labels}
        items.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta, **{
            "spec": template["spec"], "status": {
                "phase": "Running", "startTime": "2026-11-21T08:00:00Z", "conditions": [ready]}}})
        items.append({"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics",
                      "metadata": meta, "timestamp": "2026-11-21T09:00:00Z", "window": "30s",
                      "containers": [{"name": "c", "usage": used}]})
    return {"apiVersion": "v1", "kind": "List", "items": items}


class Recommend(unittest.TestCase):
    def test_example(self):
        done = run("recommend", "web", "-f", WEB, "--metrics", METRICS)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("by the usage of 3 pods", lines[0])
        self.assertIn("main\tcpu\t500m\tkeep\t25m\t627m\tany\t3\t-\t-", lines)

    def test_history(self):
        """A week of one sample a minute: bounds are near, and a small request is raised."""
        with tempfile.TemporaryDirectory() as folder:
            begin = datetime.datetime(2026, 11, 14)
            for day in range(7):
                items = []
                for minute in range(1_440):
                    at = begin + datetime.timedelta(days=day, minutes=minute)
                    items.append({"metadata": {"name": "web-a", "namespace": "default"},
                                  "timestamp": f"{at.isoformat()}Z", "window": "30s",
                                  "containers": [{"name": "main", "usage": {
                                      "cpu": "900m", "memory": "300Mi"}}]})
                with open(os.path.join(folder, f"{day}.json"), "w", encoding="utf-8") as file:
                    json.dump({"kind": "PodMetricsList", "items": items,
                               "apiVersion": "metrics.k8s.io/v1beta1"}, file)
            done = run("recommend", "web", "-f", WEB, "--metrics", folder, "-o", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            main = json.loads(done.stdout)["containers"][0]
            self.assertEqual((main["samples"], main["hoursKnown"]), (10_080, 167))
            cpu = main["cpu"]
            self.assertEqual((cpu["request"], cpu["advice"]), (500, "raise"))
            self.assertTrue(900 * 1.15 <= cpu["target"] <= 900 * 1.15 * 1.05, cpu)
            self.assertAlmostEqual(cpu["upper"] / cpu["target"], 8 / 7, 2)
            # The same samples without a history are a contradiction.
            explained = run("explain", "web", "-f", WEB, "--metrics", folder)
            self.assertEqual(explained.returncode, 3)
            self.assertIn("declared twice", explained.stderr)

    def test_no_answers(self):
        for code, arguments, words in (
                (1, ["web", "-f", WEB], ""),
                (2, ["web"], "no workload to look at"),
                (3, ["wep", "-f", WEB], "did you mean web?"),
                (3, ["web", "-f", WEB, "--kind", "StatefulSet"], "there is a Deployment"),
                (2, ["web", "-f", WEB, "--kind", "Pod"], "kind")):
            done = run("recommend", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)


class Simulate(unittest.TestCase):
    def play(self, *arguments):
        done = run("simulate", "--metrics", SPIKE, "--spec", SPEC, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_side_by_side(self):
        """The spike of two minutes: gs-engine is out within three minutes, in not before five."""
        found = json.loads(self.play("--profile", "hpa", "--profile", "gs-engine", "-o", "json"))
        for played in found["runs"]:
            self.assertEqual(played["mostReplicas"], 9)
            self.assertEqual(played["steps"][-1]["replicas"], 2)
            self.assertGreater(played["aboveTargetSeconds"], 0)
        steps = found["runs"][1]["steps"]
        times = {}
        for step in steps:
            times.setdefault(step["replicas"], int(step["at"][14:16]) * 60 + int(step["at"][17:19]))
        self.assertLessEqual(times[9] - 600, 180)
        back = [step for step in steps if step["replicas"] == 2 and step["at"] > "1970-01-01T00:11"]
        first = back[0]["at"]
        self.assertGreaterEqual(int(first[14:16]) * 60 + int(first[17:19]) - times[9], 300)

    def test_startup_costs(self):
        slow = json.loads(self.play("--startup", "90s", "-o", "json"))["runs"][0]
        fast = json.loads(self.play("--startup", "0", "-o", "json"))["runs"][0]
        self.assertGreater(slow["aboveTargetSeconds"], fast["aboveTargetSeconds"])

    def test_drawings(self):
        text = self.play()
        self.assertIn("SETTING\tREPLICAS\tOUT\tIN\tABOVE TARGET", text)
        self.assertRegex(text, r"(?m)^ ?9 \| +!")
        ElementTree.fromstring(self.play("-o", "svg"))
        picture = run("simulate", "--metrics", SPIKE, "--spec", SPEC, "-o", "png", text=False)
        self.assertEqual(picture.stdout[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(self.play(), text)

    def test_mistakes(self):
        for code, arguments, words in (
                (2, ["--spec", SPEC], "no load to play"),
                (2, ["--metrics", SPIKE], "no autoscaler to play"),
                (3, ["--metrics", SPEC, "--spec", SPEC], "error: "),
                (3, ["--metrics", SPIKE, "--spec", SPIKE], "error: "),
                (3, ["--metrics", SPIKE, "--spec", METRICS], "no autoscaler in"),
                (3, ["--metrics", SPIKE, "--spec", SHORT], "short.yaml:2:1: error: autoscaler"),
                (2, ["--metrics", SPIKE, "--spec", SPEC, "--profile", "magic"], "magic")):
            done = run("simulate", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)


class Run(unittest.TestCase):
    """Where no API server answers."""

    def mistake(self, spec, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config")
            with open(path, "w", encoding="utf-8") as stream:
                json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                           "clusters": [{"name": "c",
                                         "cluster": {"server": "http://127.0.0.1:1"}}],
                           "users": [{"name": "u", "user": {}}],
                           "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]},
                          stream)
            return run("run", "-f", spec, "--kubeconfig", path, "--once", *arguments)

    def test_files_first(self):
        """What is wrong in files is said, though nobody answers."""
        for spec, words in ((SPEC, "belongs into the cluster"),
                            (os.path.join(EXAMPLES, "none.yaml"), "no such file"),
                            (SHORT, "where Prometheus is"),
                            (METRICS, "no autoscaler in")):
            done = self.mistake(spec)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(words, done.stderr)

    def test_nobody_answers(self):
        done = self.mistake(SHORT, "--prometheus", "http://127.0.0.1:1")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("connection refused", done.stderr)


class Sites(unittest.TestCase):
    """More than the first site can take."""

    def play(self, *arguments, spec=SITES, load=RUSH, cluster=MADE_UP):
        done = run("simulate", "--metrics", load, "--spec", spec, "-f", SITES, *cluster,
                   *arguments, "-o", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [played["overSites"] for played in json.loads(done.stdout)["runs"]]

    def changed(self, folder, **sites):
        """The example with other sites."""
        with open(SITES, encoding="utf-8") as stream:
            spec = next(yaml.safe_load_all(stream))
        spec["spec"]["sites"].update(sites)
        number = len(os.listdir(folder))
        spec["metadata"]["name"] = f"detect-{number}"
        path = os.path.join(folder, f"{number}.json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(spec, stream)
        return path

    def test_order(self):
        """Out, up, over, and back in reverse; the cloud is beyond the budget."""
        for profile in ("hpa", "gs-engine"):
            played = self.play("--profile", profile)[0]
            words = [change["step"] for change in played["changes"]
                     if change["at"] > "1970-01-01T00:05"]
            order = [word for i, word in enumerate(words) if i == 0 or words[i - 1] != word]
            self.assertEqual(order[:3], ["out", "up", "over"], words)
            self.assertEqual(order[-3:], ["back", "down", "in"], words)
            self.assertEqual([(site["name"], site["withinBudget"]) for site in played["sites"]],
                             [("edge", True), ("near-edge", True), ("cloud", False)])
            self.assertEqual([site["mostReplicas"] for site in played["sites"]], [4, 4, 0])
            self.assertEqual({left["site"] for left in played["left"]}, {"edge"})
            self.assertGreater(played["moves"], 1)

    def test_table(self):
        done = run("simulate", "--metrics", RUSH, "--spec", SITES, "-f", SITES, *MADE_UP, "-o",
                   "wide")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SITE\tRTT\tMOST REPLICAS\tREPLICA HOURS\n", done.stdout)
        self.assertRegex(done.stdout,
                         r"(?m)^users: RTT 2ms \(p50\), 10ms \(p95\), beyond the budget 0")
        self.assertRegex(done.stdout, r"(?m)^\S+\tover\tnear-edge\t\d\t\d$")

    def test_demand(self):
        """Whoever asks from the cloud is answered there, where sites have no order."""
        with tempfile.TemporaryDirectory() as folder:
            load = os.path.join(folder, "load.csv")
            with open(load, "w", encoding="utf-8") as stream:
                for minute in range(60):
                    far = 500 if minute >= 20 else 0
                    stream.write(f"{60 * minute},{500 - far},edge\n{60 * minute},{far},cloud\n")
            even, near = self.play(  # by name
                "--cluster", "synthetic:nodes=7,tiers=2/2/3", "--spec",
                self.changed(folder, choose="spread", up=None), cluster=[], load=load,
                spec=self.changed(folder, choose="demand", up=None, returnAfterSeconds=60))
            self.assertLess(near["users"]["meanUs"], even["users"]["meanUs"] / 2)
            # Four take 125 % of 100 each; the fifth gains nothing there.
            self.assertGreaterEqual([left["site"] for left in near["left"]].count("cloud"), 4)

    def test_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            for code, spec, arguments, words in (
                    (2, SITES, [], "no nodes to place replicas on"),
                    (2, SPEC, MADE_UP, "no autoscaler has sites"),
                    (3, SITES, MADE_UP, "no pod of Deployment default/detect"),
                    (3, self.changed(folder, order=["moon"]), [*MADE_UP, "-f", SITES],
                     "site 'moon' has no node"),
                    (3, self.changed(folder, order=[]), [*MADE_UP, "-f", SITES],
                     "without an order"),
                    (3, self.changed(folder, choose="best"), [*MADE_UP, "-f", SITES],
                     "unknown choice"),
                    (3, self.changed(folder, budget="20"), [*MADE_UP, "-f", SITES],
                     "is no delay budget")):
                done = subprocess.run(
                    [GEDGE, "scale", "simulate", "--metrics", RUSH, "--spec", spec, *arguments],
                    capture_output=True, text=True, check=False, timeout=120,
                    env={**os.environ, "KUBECONFIG": os.devnull})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
