"""Rows O-1 and O-2: kubernetes-edge-scheduler's simulation, as edge_baseline.py has it."""

import json
import os

from harness import Broken, at_least, in_turn, lines_of, spread
from rows_process import figures, generate

# The published program reaches 4,500 pods/s on the machine that the goals were set on; one that is
# much slower would flatter gedge.
LEAST_RATE = 4000


def baseline(suite, directory, placements, *flags):
    return [suite.python, os.path.join(suite.top, "tests", "bench", "edge_baseline.py"), directory,
            placements, *flags]


def placements_of(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.split() for line in file)


def decisions(suite, report):
    """O-1: seconds of deciding, each inside its own process."""
    directory = generate(suite, "edge", "edge")
    paths = {name: os.path.join(suite.work, name) for name in ("python", "tuned", "gedge")}
    rounds = 3 if suite.quick else 5
    python, tuned, ours, plans, raw = [], [], [], [], []
    for _ in range(rounds):
        one = json.loads(lines_of(baseline(suite, directory, paths["python"], "--c-loader"))[0])
        python.append(one["deciding"]["cpu"])
        one = json.loads(lines_of(baseline(suite, directory, paths["tuned"], "--c-loader",
                                           "--tuned"))[0])
        tuned.append(one["deciding"]["cpu"])
        lines = lines_of([suite.program("bench_edge"), directory, paths["gedge"]])
        if not any("verified" in line for line in lines):
            raise Broken("a placement of gedge breaks a rule")
        seconds = {kind: spread(float(line.split()[-1]) for line in lines if line.startswith(kind))
                   for kind in ("choosing", "deciding")}
        ours.append(seconds["choosing"].median)
        plans.append(seconds["deciding"].median)
        raw += lines
    pods = one["pods"]
    places = [placements_of(path) for path in paths.values()]
    if places[0] != places[1] or places[0] != places[2]:
        raise Broken("the placements of both sides differ")
    rate = spread(pods / seconds for seconds in python)
    ratio = spread(a / b for a, b in zip(python, ours))
    beside = spread(a / b for a, b in zip(tuned, ours))
    whole_plan = spread(a / b for a, b in zip(python, plans))
    verdict = at_least(ratio.median, 200, 500) if rate.median >= LEAST_RATE else "VOID: too slow"
    report.row("O-1", f"edge-scheduler, {one['nodes']:,} nodes, {pods:,} pods, decision phase: "
               "every pod gets its node, objects there and columns here made before; against the "
               "simulation of kubernetes-edge-scheduler in Python; same placements",
               "200x", "500x", f"{ratio.text(1)}x; gedge {pods / spread(ours).median:,.0f}/s, "
               f"Python {rate.median:,.0f}/s (4,000 needed); {beside.text(1)}x against a tuned "
               f"Python of {pods / spread(tuned).median:,.0f}/s; a plan as a whole, columns, queue "
               f"and reports included, {whole_plan.text(1)}x", verdict)
    report.section("O-1: processor seconds of deciding", [
        "Python         " + " ".join(f"{s:.4f}" for s in python),
        "Python, tuned  " + " ".join(f"{s:.4f}" for s in tuned),
        "gedge, median of 25 in one process     " + " ".join(f"{s:.5f}" for s in ours),
        "the same, plans as a whole             " + " ".join(f"{s:.5f}" for s in plans)])
    report.section("O-1: what bench_edge printed", raw)


def same_placements(ours, path):
    """Whether the plan that a command prints places what the file says, pods by their names."""
    plan = json.loads("\n".join(lines_of(ours)))
    return placements_of(path) == {
        decision["pod"].rpartition("-")[0]: decision["node"] or "-"
        for decision in plan["decisions"]}


def whole(suite, report):
    """O-2: whole processes, the same files; PyYAML's own loader as published, and its C loader."""
    directory = generate(suite, "edge", "edge")
    at = os.path.join
    ours = [suite.program("gedge"), "plan", "--profile", "edge-scheduler", "-o", "json", "-q",
            "--cluster", at(directory, "nodes.json"), "--rtt", at(directory, "matrix.txt"),
            "--rtt-names", at(directory, "metadata.json"), "-f", at(directory, "pods.yaml")]
    theirs = baseline(suite, directory, at(suite.work, "python"))
    rounds = 1 if suite.quick else 3
    gedge, python = in_turn(ours, theirs, rounds)
    quick, loader = in_turn(ours, [*theirs, "--c-loader"], rounds)
    one = json.loads(lines_of([*theirs, "--c-loader"])[0])
    if not same_placements(ours, theirs[-1]):
        raise Broken("the placements of both sides differ")
    rate = one["pods"] / one["deciding"]["cpu"]
    ratio = spread(b.wall / a.wall for a, b in zip(gedge, python))
    beside = spread(b.wall / a.wall for a, b in zip(quick, loader))
    report.row("O-2", "the same, whole processes: text matrix, JSON nodes, YAML pods", "80x",
               "200x", f"{ratio.text(1)}x wall; same placements; {beside.text(1)}x where Python "
               f"reads YAML through libyaml; it decides {rate:,.0f}/s (4,000 needed)",
               at_least(ratio.median, 80, 200) if rate >= LEAST_RATE else "VOID: too slow")
    report.section("O-2: gedge plan", figures(gedge + quick)[3])
    report.section("O-2: Python", figures(python)[3])
    report.section("O-2: Python, with the C loader of PyYAML", figures(loader)[3])
