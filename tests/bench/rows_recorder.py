"""Row E: what evidence that nobody asks for costs, against a build that cannot record any.

The other build is made of a copy of the sources in which every policy is given a recorder that is
null by its type, so that the compiler leaves out whatever records.

What is estimated is the ratio of the processor seconds of one plan. Where the linker puts a
function and which pages a process is given change the time of a plan by some percent: so both
builds are linked in many orders of their objects, and run in several processes of each, in turn,
A B B A. Whatever else the machine does only adds time: the least time counts, of the plans of a
process and of the processes of a build. The median over the orders of the ratio of one is the
estimate: the 37th and the 60th of 96 such ratios enclose it in more than 98 of 100 cases (the
binomial law of the number that lie on one side).
"""

import concurrent.futures
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess

from harness import Broken

ORDERS, LOW, HIGH = 96, 36, 59  # of the objects; places of the interval's ends among their ratios
PROCESSES = 4                   # of each build in each order
PLANS = 3                       # of each process
LIMIT = 2.0                     # percent

NULL_RECORDER = """
/// Records nothing, and the compiler knows it.
struct NullRecorder {
  NullRecorder(std::nullptr_t) {}
  NullRecorder(Recorder*) {}
  constexpr bool operator==(std::nullptr_t) const { return true; }
  Recorder* operator->() const { return nullptr; }
  Recorder& operator*() const { return *static_cast<Recorder*>(nullptr); }
};
"""
# What takes or gives a recorder, and the program that is run; the rest of the library is the same.
COMPILED = ("libgedge/src/policy/", "libgedge/src/plan/", "tests/bench/decision_bench.cpp",
            "tests/bench/workloads.cpp")


def copy_with_null_recorder(top, folder):
    """Copies sources; every policy takes a NullRecorder there."""
    for name in ("libgedge", "tests/bench"):
        shutil.copytree(os.path.join(top, name), os.path.join(folder, name))
    changed = 0
    for where, _, names in os.walk(os.path.join(folder, "libgedge")):
        for name in names:
            path = os.path.join(where, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            new = re.sub(r"\bRecorder\* recorder\b", "NullRecorder recorder", text)
            if path.endswith("gedge/effect/reason.hpp"):
                end = "\n}  // namespace gedge"
                new = new.replace(end, NULL_RECORDER + end)
            if new != text:
                changed += 1
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)
    if changed < 10:
        raise Broken("policies do not take a `Recorder* recorder` any more")


def link(program, objects, library):
    done = subprocess.run(["c++", "-o", program, *objects, library], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{program} does not link: {done.stderr[-900:]}")
    return program


def build(suite):
    """Pairs of bench_decision, one for each order of the objects: of those of preset release, and
    of the copy, compiled with the commands of that preset."""
    folder = os.path.join(suite.work, "null-recorder")
    copy_with_null_recorder(suite.top, folder)
    build_folder = os.path.join(suite.top, "build", "release")
    with open(os.path.join(build_folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if os.path.relpath(entry["file"], suite.top).startswith(COMPILED)]
    objects, originals, commands = {}, [], []
    for entry in entries:
        if entry["file"] in objects:
            continue
        target = objects[entry["file"]] = os.path.join(folder, f"{len(objects)}.o")
        words = shlex.split(entry["command"])
        at = words.index("-o") + 1
        originals.append(os.path.join(entry["directory"], words[at]))
        words = [word.replace(os.path.join(suite.top, ""), os.path.join(folder, ""))
                 for word in words]
        words[at] = target
        commands.append(words)

    def compile_one(words):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(compile_one, commands):
            if said:
                raise Broken(f"the build with the null recorder failed: {said[-900:]}")
    library = os.path.join(build_folder, "libgedge", "libgedge.a")
    pairs = []
    for order in range(ORDERS):
        both = list(zip(originals, objects.values()))
        random.Random(order).shuffle(both)
        pairs.append([link(os.path.join(folder, f"{name}-{order}"), files, library)
                      for name, files in zip(("off", "null"), zip(*both))])
    return pairs


def seconds(program, workload):
    """The least of some plans of one process, after one that is verified."""
    done = subprocess.run([program, "in-turn", workload], input="\n" * PLANS, capture_output=True,
                          text=True, check=True)
    verified, *plans = done.stdout.splitlines()
    if verified != "verified":
        raise Broken("a plan breaks a rule")
    return min(map(float, plans))


def in_turn(programs, workload):
    """Seconds of a plan of each process of two programs: A B B A."""
    columns = [], []
    for turn in range(PROCESSES):
        for side in ((0, 1), (1, 0))[turn % 2]:
            columns[side].append(seconds(programs[side], workload))
    return columns


def verdict_on(intervals):
    """Of the ends of intervals, in percent."""
    if all(high < LIMIT for _, high in intervals):
        return "floor met"
    if any(low >= LIMIT for low, _ in intervals):
        return "MISSED"
    return f"VOID: {LIMIT:.0f} % lies within an interval"


def recorder(suite, report):
    pairs = build(suite)
    intervals, said, raw = [], [], []
    for workload in ("O-5", "O-8b"):
        costs = []
        for order, programs in enumerate(pairs):
            columns = in_turn(programs, workload)
            costs.append(100 * (min(columns[0]) / min(columns[1]) - 1))
            for name, column in zip(("recorder off", "null recorder"), columns):
                raw.append(f"{workload}, order {order + 1:2}, {name:13s}  "
                           + " ".join(f"{s:.4f}" for s in column))
        costs.sort()
        intervals.append((costs[LOW], costs[HIGH]))
        said.append(f"{workload} {statistics.median(costs):.1f} % ({costs[LOW]:.1f} to "
                    f"{costs[HIGH]:.1f} %; all {costs[0]:.1f} to {costs[-1]:.1f} %)")
    report.row("E", "evidence recording switched off, against a build with the null recorder: "
               f"processor seconds of a plan, median over {ORDERS} orders of the objects when "
               f"linked (98 % interval), each the least of {PROCESSES} processes in turn A B B A",
               "2 %", "-", "; ".join(said), verdict_on(intervals))
    report.section("E: decision phase, processor seconds of a plan, process by process", raw)
