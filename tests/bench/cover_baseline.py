"""What kubernetes-edge-scheduler's clustering does, as a measure: rows C-1 and C-2.

Written from the description of the published program: networkx makes a graph of the pairs within
the delay, enumerates its maximal cliques, and the largest is taken until no node is left. Where the
description leaves a choice, the faster one is taken: what a clique loses is subtracted only when it
comes to the top.

usage: cover_baseline.py MATRIX NODES DELAY_US ROUNDS CLUSTERS     one delay
       cover_baseline.py MATRIX NODES --layers LAYERS              all delays

MATRIX is the file that bench_cover wrote: little-endian 32-bit microseconds, row after row.
CLUSTERS gets a line of row numbers for each cluster, LAYERS a line `DELAY CLUSTERS` for each layer,
the largest delay first. Prints processor seconds as JSON.
"""

import heapq
import json
import sys
import time

import networkx
import numpy


def graph_within(matrix, delay):
    """Zero means no edge to networkx; nobody is 0 us away from another in these matrices."""
    return networkx.from_numpy_array(numpy.where(matrix <= delay, matrix, 0))


def cover(cliques):
    """Takes the largest clique that is left, until none is. A heap, sizes corrected at the top."""
    heap = [(-len(clique), number) for number, clique in enumerate(cliques)]
    heapq.heapify(heap)
    left = [set(clique) for clique in cliques]
    taken, clusters = set(), []
    while heap:
        size, number = heapq.heappop(heap)
        clique = left[number]
        clique -= taken
        if not clique:
            continue
        if len(clique) < -size:
            heapq.heappush(heap, (-len(clique), number))
            continue
        clusters.append(sorted(clique))
        taken |= clique
    return clusters


def at_one_delay(matrix, delay, rounds, path):
    phases = []
    for _ in range(rounds):
        start = time.process_time()
        graph = graph_within(matrix, delay)
        made = time.process_time()
        cliques = list(networkx.find_cliques(graph))
        found = time.process_time()
        clusters = cover(cliques)
        end = time.process_time()
        phases.append({"graph": made - start, "cliques": found - made, "cover": end - found,
                       "all": end - start})
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(" ".join(map(str, cluster)) + "\n" for cluster in clusters)
    print(json.dumps({"edges": graph.number_of_edges(), "cliques": len(cliques),
                      "clusters": len(clusters), "seconds": phases}))


def layers(matrix, path):
    """Delays at which every connected component is complete."""
    delays = numpy.unique(matrix)[::-1]
    delays = delays[delays > 0]
    found = []
    start = time.process_time()
    for delay in delays:
        graph = graph_within(matrix, delay)
        components = list(networkx.connected_components(graph))
        edges = sum(len(part) * (len(part) - 1) // 2 for part in components)
        if edges == graph.number_of_edges():
            found.append((delay, len(components)))
    seconds = time.process_time() - start
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{delay} {clusters}\n" for delay, clusters in found)
    print(json.dumps({"delays": len(delays), "seconds": seconds}))


def main():
    path, nodes = sys.argv[1], int(sys.argv[2])
    matrix = numpy.fromfile(path, dtype="<u4").reshape(nodes, nodes).astype(numpy.int64)
    if sys.argv[3] == "--layers":
        layers(matrix, sys.argv[4])
    else:
        at_one_delay(matrix, int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])


if __name__ == "__main__":
    main()
