"""Row E: what evidence that nobody asks for costs, against a build that cannot record any.

The other build is made of a copy of the sources in which every policy is given a recorder that is
null by its type, so that the compiler leaves out whatever records.

What is estimated is the ratio of the processor seconds of one plan. A machine has fast and slow
moments that last longer than a plan: so both builds plan in turn, A B B A, a plan at a time. Where
the linker puts a function changes the time of a plan by some percent: so both are linked in many
orders of their objects, each order with processes of its own, and the median over the orders of
the median ratio of one is the estimate. 18 or more of 24 such ratios lie on one side of the median
of all orders in 2 of 100 cases: the seventh and the eighteenth enclose it.
"""

import concurrent.futures
import contextlib
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess

from harness import Broken

ORDERS, LOW, HIGH = 24, 6, 17  # of the objects; places of the interval's ends among their ratios
TURNS = 6                      # A B B A of each order
LIMIT = 2.0                    # percent

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


class Planner:
    """A bench_decision that plans whenever it is told to."""

    def __init__(self, program, workload):
        self.child = subprocess.Popen([program, "in-turn", workload], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        if self.child.stdout.readline() != "verified\n":
            raise Broken("a plan breaks a rule")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.communicate()

    def seconds(self):
        """Of one plan; another one before it finds the caches as they were left by others."""
        for _ in range(2):
            self.child.stdin.write("\n")
            self.child.stdin.flush()
            said = self.child.stdout.readline()
            if not said:
                raise Broken("bench_decision ended early")
        return float(said)


def turns(programs, workload):
    """Seconds of two plans of each program, [turn][program]: in order, then backwards."""
    rounds = []
    with contextlib.ExitStack() as stack:
        planners = [stack.enter_context(Planner(program, workload)) for program in programs]
        for _ in range(TURNS):
            forth = [planner.seconds() for planner in planners]
            back = [planner.seconds() for planner in reversed(planners)]
            rounds.append([a + b for a, b in zip(forth, reversed(back))])
    return rounds


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
            rounds = turns(programs, workload)
            costs.append(100 * (statistics.median(a / b for a, b in rounds) - 1))
            for name, column in zip(("recorder off", "null recorder"), zip(*rounds)):
                raw.append(f"{workload}, order {order + 1:2}, {name:13s}  "
                           + " ".join(f"{s:.3f}" for s in column))
        costs.sort()
        intervals.append((costs[LOW], costs[HIGH]))
        said.append(f"{workload} {statistics.median(costs):.1f} % ({costs[LOW]:.1f} to "
                    f"{costs[HIGH]:.1f} %; all {costs[0]:.1f} to {costs[-1]:.1f} %)")
    report.row("E", "evidence recording switched off, against a build with the null recorder: "
               f"processor seconds of a plan, median over {ORDERS} orders of the objects when "
               f"linked (98 % interval), each the median of {TURNS} turns A B B A",
               "2 %", "-", "; ".join(said), verdict_on(intervals))
    report.section("E: decision phase, processor seconds of two plans, turn by turn", raw)
