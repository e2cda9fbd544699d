"""`gedge plan --machines`: the kubelets of the nodes are asked before a pod is placed."""

import json
import os
import subprocess
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]

POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  containers:
  - name: c
    image: i
    resources: {limits: {cpu: "%d", memory: 1Gi}}
---
"""
KUBELET = """
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
reservedSystemCPUs: 0-1
topologyManagerPolicy: single-numa-node
"""
MEMORY = """
memoryManagerPolicy: Static
kubeReserved: {memory: 1000Mi}
reservedMemory:
- numaNode: 0
  limits: {memory: 1100Mi}
"""
STATE = '{"policyName":"static","defaultCpuSet":"0-5","entries":{"u":{"c":"6-15"}},"checksum":0}'


def memory_state(holder):
    """Of a kubelet as MEMORY says: 2900 MiB of the NUMA node `holder` are held, of 4096."""
    def node(number):
        held, reserved = 2900 if number == holder else 0, 0 if number else 1100
        return {"numberOfAssignments": int(held > 0), "cells": [number], "memoryMap": {"memory": {
            "total": 4096 << 20, "systemReserved": reserved << 20,
            "allocatable": 4096 - reserved << 20, "reserved": held << 20,
            "free": 4096 - reserved - held << 20}}}
    return json.dumps({
        "policyName": "Static", "machineState": {"0": node(0), "1": node(1)}, "checksum": 0,
        "entries": {"u": {"c": [{"numaAffinity": [holder], "type": "memory",
                                 "size": 2900 << 20}]}}})


class PlanMachinesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.put("app.yaml", POD % ("a", 6) + POD % ("b", 6) + POD % ("c", 6))
        os.mkdir(os.path.join(self.folder, "m"))

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def gedge(self, verb, *args):
        return subprocess.run(
            [GEDGE, verb, "--cluster", "synthetic:nodes=2,tiers=0/0/2,cpu=64,memory=64Gi",
             "-f", os.path.join(self.folder, "app.yaml"), *args],
            capture_output=True, text=True, timeout=120, check=False)

    def plan(self, *args):
        done = self.gedge("plan", "-o", "json", *args)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        decisions = json.loads(done.stdout)["decisions"]
        return {d["pod"]: (d.get("node"), json.dumps(d)) for d in decisions}

    def machines(self):
        return "--machines", os.path.join(self.folder, "m")

    def test_what_a_kubelet_would_refuse_goes_elsewhere_or_nowhere(self):
        free = self.plan()
        nodes = sorted({node for node, _ in free.values()})
        self.assertNotIn(None, nodes)
        for node in ("cloud-1", "cloud-2"):
            self.put(f"m/{node}.synthetic", "pack:2 numa:1 core:4 pu:2\n")
        self.put("m/kubelet.yaml", KUBELET)
        asked = self.plan(*self.machines())
        self.assertNotIn(None, [node for node, _ in asked.values()])
        self.put("m/cloud-1.state", STATE)
        self.put("m/cloud-2.kubelet.yaml", KUBELET.replace("0-1", "0-3"))
        held = self.plan(*self.machines())
        self.assertEqual([node for node, _ in held.values()].count("cloud-2"), 1)
        self.assertEqual([node for node, _ in held.values()].count(None), 2)
        refused = next(text for node, text in held.values() if node is None)
        self.assertIn("TopologyAffinityError", refused)
        why = self.gedge("explain", "c", *self.machines())
        self.assertIn("MachineFit", why.stdout)

    def test_memory_of_numa_nodes_decides_too_where_a_kubelet_manages_it(self):
        machine = "pack:2 [numa(memory=4294967296)] core:4 pu:2"
        self.put("app.yaml", (POD % ("a", 2) + POD % ("b", 2) + POD % ("c", 2)).replace(
            "1Gi", "3Gi"))
        self.put("m/cloud-1.synthetic", machine)
        self.put("m/cloud-2.synthetic", machine)
        self.put("m/kubelet.yaml", KUBELET)
        self.assertNotIn(None, [node for node, _ in self.plan(*self.machines()).values()])
        self.put("m/kubelet.yaml", KUBELET + MEMORY)  # of each machine one node has 3 GiB to give
        crowded = self.plan(*self.machines())
        self.assertEqual([node for node, _ in crowded.values()].count(None), 1, crowded)
        refused = next(text for node, text in crowded.values() if node is None)
        self.assertIn("[memorymanager] failed to find NUMA nodes", refused)
        self.put("m/cloud-1.memory-state", memory_state(1))
        held = self.plan(*self.machines())
        self.assertEqual([node for node, _ in held.values()].count(None), 2, held)
        self.assertNotIn("cloud-1", [node for node, _ in held.values()])
        self.put("m/cloud-1.memory-state", memory_state(1).replace("Static", "None"))
        wrong = self.gedge("plan", *self.machines())
        self.assertEqual(wrong.returncode, 3, wrong.stderr)
        self.assertIn("cloud-1.memory-state", wrong.stderr)

    def test_pin_plan_says_where_memory_comes_from(self):
        self.put("kubelet.yaml", KUBELET + MEMORY)
        self.put("app.yaml", POD % ("a", 2) + (POD % ("b", 2)).replace("1Gi", "3500Mi"))
        args = [GEDGE, "pin", "plan", "-f", os.path.join(self.folder, "app.yaml"), "--machine",
                "synthetic:pack:2 [numa(memory=4294967296)] core:4 pu:2", "--kubelet-config",
                os.path.join(self.folder, "kubelet.yaml")]
        done = subprocess.run([*args, "-o", "json"], capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual((done.returncode, done.stderr.count("warning")), (0, 0), done.stderr)
        given = [decision["containers"][0] for decision in json.loads(done.stdout)["decisions"]]
        self.assertEqual([each["memoryNodes"] for each in given], [[0], [1]])
        self.assertEqual([each["numaNodes"] for each in given], [[0], [1]])
        table = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
        self.assertIn("exclusive, memory of NUMA node 1", table.stdout)
        self.put("memory_manager_state", memory_state(0))
        held = subprocess.run([*args, "-o", "json", "--memory-state",
                               os.path.join(self.folder, "memory_manager_state")],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(held.returncode, 1, held.stderr)
        first, second = json.loads(held.stdout)["decisions"]
        self.assertEqual(first["containers"][0]["memoryNodes"], [1])
        self.assertIn("[memorymanager]", json.dumps(second))
        self.put("memory_manager_state", memory_state(0).replace("Static", "None"))
        other = subprocess.run([*args, "--memory-state",
                                os.path.join(self.folder, "memory_manager_state")],
                               capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((other.returncode, other.stdout), (3, ""))
        self.assertIn('configured policy "Static" differs', other.stderr)
        self.put("kubelet.yaml", KUBELET + MEMORY.replace("1100Mi", "1000Mi"))
        wrong = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (3, ""))
        self.assertIn("Node Allocatable", wrong.stderr)

    def test_a_folder_of_other_nodes_machines_changes_nothing(self):
        before = self.plan()
        self.put("m/elsewhere.synthetic", "pack:1 core:2 pu:1")
        self.assertEqual({pod: node for pod, (node, _) in self.plan(*self.machines()).items()},
                         {pod: node for pod, (node, _) in before.items()})

    def test_what_is_wrong_with_a_file_is_said_with_its_name(self):
        for name, text, word in (
                ("", "", "no machine in"),
                ("cloud-1.xml", "<topology", "cloud-1.xml"),
                ("kubelet.yaml", "kind: Pod\n", "kubelet.yaml"),
                ("cloud-1.state", "{", "cloud-1.state"),
                ("cloud-1.state", STATE.replace("0-5", "0-4"), "cloud-1.state")):
            if name:
                self.put(f"m/{name}", text)
            if not name.endswith(".xml") and name:
                self.put("m/cloud-1.synthetic", "pack:2 numa:1 core:4 pu:2")
            done = self.gedge("plan", *self.machines())
            self.assertEqual(done.returncode, 3, (name, done.stderr))
            self.assertIn(word, done.stderr)
            if name:
                os.remove(os.path.join(self.folder, "m", name))
        self.assertNotEqual(self.gedge("plan", "--machines", "/no/such/folder").returncode, 0)


if __name__ == "__main__":
    unittest.main()
