"""Rows measured on whole processes: O-5, O-6, explain, and the start of the command."""

import json
import os
import re

from harness import Broken, at_least, at_most, in_turn, lines_of, peak_of, repeat, run, spread

MIB = 1 << 20


def generate(suite, kind, name, **words):
    """An input of bench_generate, made once a run of the suite."""
    path = os.path.join(suite.work, name)
    if not os.path.exists(path):
        if kind == "edge":
            os.mkdir(path)
        run([suite.program("bench_generate"), kind, path,
             *(f"{key}={value}" for key, value in words.items())])
    return path


def figures(runs):
    """Raw lines of one command's runs, and their spreads."""
    wall, cpu, rss = (spread(getattr(r, key) for r in runs) for key in ("wall", "cpu", "rss"))
    user, system = spread(r.user for r in runs), spread(r.system for r in runs)
    lines = ["wall s    " + " ".join(f"{r.wall:.3f}" for r in runs),
             "user s    " + " ".join(f"{r.user:.3f}" for r in runs),
             "system s  " + " ".join(f"{r.system:.3f}" for r in runs),
             "peak MiB  " + " ".join(f"{r.rss:.0f}" for r in runs),
             f"median (least to most): wall {wall.text()}, user {user.text()}, "
             f"system {system.text()}, peak {rss.text(0)}"]
    return wall, cpu, rss, lines


def verify_plan(suite, plan_command, plan, facts):
    """Writes the plan to a file and has the independent verifier look at it."""
    run(plan_command, out=plan, good=(0, 1))
    verdict = lines_of([suite.program("gedge"), "verify", plan, *facts, "-o", "json"])
    summary = json.loads("\n".join(verdict))["summary"]
    if summary["violations"] != 0:
        raise Broken(f"{plan} breaks {summary['violations']} rules")
    return summary["placements"]


def plan_command(suite, facts):
    return [suite.program("gedge"), "plan", "--profile", "kube", "-o", "json", "-q", *facts]


def whole_plan(suite, report):
    """O-5: 5,000 nodes, 50,000 pods, 10 templates, JSON to JSON."""
    rounds = 3 if suite.quick else 7
    for form, floor, aim in (("minimal", 0.35, 0.15), ("served", 0.35, 0.15)):
        facts = ["--cluster", generate(suite, "objects", f"o5-{form}.json", form=form)]
        command = plan_command(suite, facts)
        plan = os.path.join(suite.work, "o5-plan.json")
        placed = verify_plan(suite, command, plan, facts)
        wall, cpu, _, lines = figures(repeat(command, rounds))
        size = os.path.getsize(facts[1]) / MIB
        what = (f"kube, 5,000 nodes, 50,000 pods, 10 templates, {form} objects "
                f"({size:.0f} MiB of JSON in, {os.path.getsize(plan) / MIB:.0f} MiB out), "
                "whole process")
        report.row("O-5", what, f"{floor} s", f"{aim} s",
                   f"wall {wall.text()} s; processor {cpu.median:.3f} s; "
                   f"{peak_of(command):.0f} MiB; "
                   f"{placed} placed, verified", at_most(wall.median, floor, aim))
        report.section(f"O-5, {form} objects: {' '.join(command[1:])}", lines)


def whole_yaml(suite, report):
    """O-6: the same from YAML, against yaml-cpp that merely parses these bytes."""
    rounds = 2 if suite.quick else 5
    path = generate(suite, "objects", "o6.yaml")
    facts = ["--cluster", path]
    command = plan_command(suite, facts)
    placed = verify_plan(suite, command, os.path.join(suite.work, "o6-plan.json"), facts)
    ours, theirs = in_turn(command, [suite.program("bench_parse_yaml_cpp"), path], rounds)
    wall = spread(b.wall / a.wall for a, b in zip(ours, theirs))
    cpu = spread(b.cpu / a.cpu for a, b in zip(ours, theirs))
    report.row("O-6", "the same from multi-document YAML "
               f"({os.path.getsize(path) / MIB:.0f} MiB), against yaml-cpp merely parsing it",
               "5x", "10x", f"{wall.text(1)}x wall, {cpu.text(1)}x processor; {placed} placed, "
               "verified", at_least(wall.median, 5, 10))
    report.section("O-6: gedge plan", figures(ours)[3])
    report.section("O-6: yaml-cpp, YAML::LoadAll", figures(theirs)[3])
    report.section("O-6: ratios of pairs, wall and processor", [
        " ".join(f"{b.wall / a.wall:.2f}" for a, b in zip(ours, theirs)),
        " ".join(f"{b.cpu / a.cpu:.2f}" for a, b in zip(ours, theirs))])


# Fits nowhere, so that what would change this is looked for far and wide.
LARGE_POD = """apiVersion: v1
kind: Pod
metadata: {name: large}
spec:
  containers:
  - {name: main, image: "app:1", resources: {requests: {cpu: 47500m, memory: 1Gi}}}
"""


# A line of bench_explain.
ASKED = re.compile(r"^asked processor (?P<processor>[\d.]+) wall (?P<wall>[\d.]+) ms, "
                   r"(?P<changes>\d+) changes")


def explain(suite, report):
    """E: what gedge explain does beyond reading, by both clocks of a program that reads and then
    asks as it does; and beside it gedge explain against gedge validate, which only reads: a small
    difference of two large times."""
    asks, pairs = (5, 5) if suite.quick else (15, 25)
    path = generate(suite, "objects", "bound.json", bound=1, form="served")
    facts = ["--profile", "kube", "-o", "json", "-q", "--cluster", path]
    large = os.path.join(suite.work, "large.yaml")
    with open(large, "w", encoding="utf-8") as file:
        file.write(LARGE_POD)
    gedge = suite.program("gedge")
    for what, pod, files in (("a bound pod", "pod-0012345", []),
                             ("a pod that fits nowhere", "large", [large])):
        lines = [lines_of([suite.program("bench_explain"), path, pod, *files])
                 for _ in range(asks)]
        asked = [next(filter(None, map(ASKED.match, said))) for said in lines]
        inside, wall = (spread(float(found[clock]) for found in asked)
                        for clock in ("processor", "wall"))
        named = [word for file in files for word in ("-f", file)]
        explained, only_read = in_turn([gedge, "explain", pod, *facts, *named],
                                       [gedge, "validate", *facts, *named], pairs, good=(0, 1))
        beyond = spread(1e3 * (a.cpu - b.cpu) for a, b in zip(explained, only_read))
        report.row("E", f"explain of {what}, 5,000 nodes, 50,000 bound pods, from the facts to the "
                   f"last byte of JSON, memory given back, {asked[0]['changes']} changes shown: "
                   "the first and only question of a process that has just read",
                   "50 ms", "20 ms", f"processor {inside.text(1)} ms, wall {wall.text(1)} ms; "
                   "whole processes: gedge explain takes "
                   f"{beyond.text(1)} ms of processor more than gedge validate in {pairs} pairs",
                   at_most(max(inside.median, beyond.median), 50, 20))
        report.section(f"E: bench_explain, {what}", [line for said in lines for line in said])
        report.section(f"E: gedge explain of {what}", figures(explained)[3])
        report.section("E: gedge validate", figures(only_read)[3])
        report.section("E: differences of pairs, processor ms", [
            " ".join(f"{1e3 * (a.cpu - b.cpu):.1f}" for a, b in zip(explained, only_read))])
