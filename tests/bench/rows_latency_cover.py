"""Rows C-1 to C-4: clusters of latency matrices, beside cover_baseline.py's networkx."""

import json
import os

import numpy

from harness import Broken, at_least, at_most, lines_of, slope, spread

DELAY_US = 10_000


def baseline(suite, *words):
    script = os.path.join(suite.top, "tests", "bench", "cover_baseline.py")
    return json.loads(lines_of([suite.python, script, *map(str, words)])[0])


def ours(suite, *words):
    """Lines of bench_cover by their first two words, and as they are."""
    lines = lines_of([suite.program("bench_cover"), *map(str, words)])
    return {tuple(line.split()[:2]): line.split() for line in lines}, lines


def times(lines, what):
    """Of the line that has the rounds of `what`."""
    words = next(line.split() for line in lines
                 if line.split()[0] == what and line.split()[1][0].isdigit())
    return [float(word) for word in words[1:]]


def matrix_file(suite, nodes, *form):
    path = os.path.join(suite.work, f"latency-{nodes}{''.join(form)}.u32")
    lines_of([suite.program("bench_cover"), "write", str(nodes), path, *form])
    return path


def check_cliques(matrix, clusters):
    """Once more, by numpy: every node in one cluster, no pair over the delay."""
    cells = numpy.fromfile(matrix, dtype="<u4")
    nodes = int(len(cells) ** 0.5)
    cells = cells.reshape(nodes, nodes)
    seen = []
    with open(clusters, encoding="utf-8") as file:
        for line in file:
            members = [int(word) for word in line.split()]
            seen += members
            if cells[numpy.ix_(members, members)].max() > DELAY_US:
                raise Broken(f"a cluster of {clusters} is no clique")
    if sorted(seen) != list(range(nodes)):
        raise Broken(f"{clusters} has not every node once")


def one_delay(suite, report):
    """C-1: the matrix in memory on both sides, from there to clusters; processor seconds."""
    raw = []
    for nodes in (1_000, 2_000):
        matrix = matrix_file(suite, nodes)
        paths = [os.path.join(suite.work, name) for name in ("their-clusters", "our-clusters")]
        theirs, mine, index = [], [], []
        for _ in range(1 if suite.quick else 3):
            python = baseline(suite, matrix, nodes, DELAY_US, 2, paths[0])
            found, lines = ours(suite, "cover", matrix, nodes, DELAY_US, paths[1])
            theirs.append(min(one["all"] for one in python["seconds"]))
            mine.append(spread(times(lines, "cover")).median)
            index.append(spread(times(lines, "index")).median)
            raw += [f"{nodes} nodes, networkx: {json.dumps(python)}",
                    *(f"{nodes} nodes, {line}" for line in lines)]
        for path in paths:
            check_cliques(matrix, path)
        count = int(found["cover", "clusters"][2])
        layer = int(found["index", "clusters"][2])
        near, kept = (int(found["cover", "clusters"][i]) for i in (4, 6))
        kept_by_index = int(found["index", "clusters"][6])
        ratio = spread(a / b for a, b in zip(theirs, mine))
        of_index = spread(a / b for a, b in zip(theirs, index))
        share = count / python["clusters"]
        verdict = at_least(ratio.median, 200, 500) if share <= 1.02 else "MISSED: more clusters"
        report.row("C-1", f"clusters within 10 ms, {nodes:,} nodes, {python['edges']:,} pairs "
                   "within it; against networkx, its cliques and the largest first; every cluster "
                   "checked twice", "200x", "500x",
                   f"{ratio.text(0)}x ({spread(theirs).median:.3f} s and "
                   f"{1000 * spread(mine).median:.3f} ms); {count} clusters, {python['clusters']} "
                   f"there, {share:.2f} of them (1.02 allowed), no cover has fewer than "
                   f"{found['cover', 'needs-at-least'][2]}", verdict)
        report.row("C-1", f"the same, the published clustering as an index, {nodes:,} nodes", "-",
                   "-", f"{of_index.text(0)}x; {layer} clusters; of the exact radius it loses "
                   f"{100 * (1 - kept_by_index / near):.0f} %, fewer clusters lose "
                   f"{100 * (1 - kept / near):.0f} %", "for information")
    report.section("C-1: processor seconds, all rounds", raw)


def all_layers(suite, report):
    """C-2: delays at which being near is an equivalence, found by both sides."""
    raw = []
    for nodes in (200,) if suite.quick else (200, 1_000):
        matrix = matrix_file(suite, nodes, "nested")
        paths = [os.path.join(suite.work, name) for name in ("their-layers", "our-layers")]
        python = baseline(suite, matrix, nodes, "--layers", paths[0])
        lines = ours(suite, "layers", matrix, nodes, paths[1])[1]
        theirs, mine = lines_of(["cat", paths[0]]), lines_of(["cat", paths[1]])
        if theirs != mine:
            raise Broken("the layers of both sides differ")
        seconds = spread(times(lines, "layers")).median
        ratio = python["seconds"] / seconds
        report.row("C-2", f"all layers of {nodes:,} nodes in groups of groups, "
                   f"{python['delays']} delays in whole ms; same layers", "300x", "1,000x",
                   f"{ratio:,.0f}x, {python['seconds']:.1f} s and {1000 * seconds:.2f} ms; "
                   f"{len(mine)} layers", at_least(ratio, 300, 1000))
        raw += [f"{nodes} nodes, networkx: {json.dumps(python)}",
                *(f"{nodes} nodes, {line}" for line in lines)]
    report.section("C-2: processor seconds", raw)


def growth(suite, report):
    """C-3 and C-4: nodes as dense in a large plane as in a small one."""
    sizes, best, raw = [500, 1_000, 2_000, 5_000, 10_000], [], []
    for nodes in sizes:
        found, lines = ours(suite, "size", nodes, DELAY_US)
        best.append(spread(times(lines, "cover")).median)
        raw += [f"{nodes} nodes, {line}" for line in lines]
    beyond = float(found["cover", "beyond-mib"][2])
    count = found["cover", "clusters"][2]
    is_large = beyond > 100 and "MISSED: memory" or beyond > 40 and "floor met"
    report.row("C-3", f"clusters of {sizes[-1]:,} nodes from the matrix; memory beyond it",
               "1 s; 100 MiB", "0.4 s; 40 MiB", f"{best[-1]:.3f} s of processor; {beyond:.1f} MiB; "
               f"{count} clusters", is_large or at_most(best[-1], 1, 0.4))
    rise, error = slope(sizes, best)
    report.row("C-4", f"growth of the same with nodes: {sizes[0]:,} to {sizes[-1]:,}", "2.1", "2.0",
               f"slope {rise:.3f}, standard error {error:.3f}", at_most(rise, 2.1, 2.0))
    report.section("C-3, C-4: processor seconds, all rounds", raw)


def clusters(suite, report):
    one_delay(suite, report)
    all_layers(suite, report)
    growth(suite, report)
