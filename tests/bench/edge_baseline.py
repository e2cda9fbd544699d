"""What kubernetes-edge-scheduler's simulation does, as a measure: rows O-1 and O-2.

Written from the description of the published program, whose data structures it keeps: a node and a
pod are objects, the delay matrix is numpy's and is asked cell by cell, and one loop over all nodes
finds the radius of a pod. Memory is the only resource; the node with most free memory wins, ties by
name. No clustering, no placeholders, and the pods in the order of the file.

usage: edge_baseline.py DIRECTORY PLACEMENTS [--c-loader] [--tuned]

DIRECTORY has nodes.json, matrix.txt, metadata.json and pods.yaml. PLACEMENTS gets a line `POD NODE`
for each pod (`-`: none). Prints the seconds of each phase as one JSON object, wall and processor.
"""

import json
import os
import sys
import time

import numpy
import yaml

UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def bytes_of(text):
    return int(text[:-2]) * UNITS[text[-2:]]


class Node:
    def __init__(self, name, memory, is_cloud):
        self.name = name
        self.memory = memory
        self.free = memory
        self.pods = []
        self.placeholder = None
        self.is_cloud = is_cloud
        self.is_alive = True


class Pod:
    def __init__(self, name, memory, peer, limit_ms):
        self.name = name
        self.memory = memory
        self.constraint = {peer: limit_ms}
        self.node = None


class Topology:
    """Delays between nodes in whole milliseconds; `rows` says which row a name has."""

    def __init__(self, matrix, rows):
        self.matrix = matrix
        self.rows = rows


class Scheduler:
    def __init__(self, nodes, topology):
        self.nodes = nodes
        self.topology = topology

    def nodes_in_radius(self, origin, limit_ms):
        matrix, rows = self.topology.matrix, self.topology.rows
        row = rows[origin]
        return [node for node in self.nodes
                if node.is_alive and matrix[row, rows[node.name]] <= limit_ms]

    def place(self, pod):
        (origin, limit_ms), = pod.constraint.items()
        fitting = [node for node in self.nodes_in_radius(origin, limit_ms)
                   if node.free >= pod.memory]
        if not fitting:
            return None
        best = min(fitting, key=lambda node: (-node.free, node.name))
        best.free -= pod.memory
        best.pods.append(pod.name)
        pod.node = best.name
        return best


class TunedScheduler(Scheduler):
    """The same, with the faster way to ask numpy for one cell: shown beside, not counted."""

    def nodes_in_radius(self, origin, limit_ms):
        delay, rows = self.topology.matrix.item, self.topology.rows
        row = rows[origin]
        return [node for node in self.nodes
                if node.is_alive and delay(row, rows[node.name]) <= limit_ms]


def read_nodes(path):
    with open(path, encoding="utf-8") as file:
        return [Node(one["name"], bytes_of(one["allocatable_memory"]), one["cloud"])
                for one in json.load(file)]


def read_pods(path, loader):
    pods = []
    with open(path, encoding="utf-8") as file:
        for document in yaml.load_all(file, Loader=loader):
            template = document["spec"]["template"]
            metadata = template["metadata"]
            memory = sum(bytes_of(one["resources"]["requests"]["memory"])
                         for one in template["spec"]["containers"])
            label = next(key for key in metadata["labels"] if "delay_" in key)
            pods.append(Pod(metadata["name"], memory, label.split("_")[1],
                            int(metadata["labels"][label])))
    return pods


class Stopwatch:
    def __init__(self):
        self.last = self.now()

    @staticmethod
    def now():
        return time.perf_counter(), time.process_time()

    def lap(self):
        before, self.last = self.last, self.now()
        return {"wall": self.last[0] - before[0], "cpu": self.last[1] - before[1]}


def main():
    directory, placements = sys.argv[1:3]
    loader = yaml.CSafeLoader if "--c-loader" in sys.argv else yaml.SafeLoader
    watch = Stopwatch()
    matrix = numpy.loadtxt(os.path.join(directory, "matrix.txt"), dtype=int)
    with open(os.path.join(directory, "metadata.json"), encoding="utf-8") as file:
        rows = json.load(file)
    nodes = read_nodes(os.path.join(directory, "nodes.json"))
    pods = read_pods(os.path.join(directory, "pods.yaml"), loader)
    reading = watch.lap()
    kind = TunedScheduler if "--tuned" in sys.argv else Scheduler
    scheduler = kind(nodes, Topology(matrix, rows))
    for pod in pods:
        scheduler.place(pod)
    deciding = watch.lap()
    with open(placements, "w", encoding="utf-8") as file:
        file.writelines(f"{pod.name} {pod.node or '-'}\n" for pod in pods)
    print(json.dumps({"pods": len(pods), "nodes": len(nodes), "reading": reading,
                      "deciding": deciding}))


if __name__ == "__main__":
    main()
