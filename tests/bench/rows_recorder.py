"""Row E: what evidence that nobody asks for costs, against a build that cannot record any.

The other build is made of a copy of the sources in which every policy is given a recorder that is
null by its type, so that the compiler leaves out whatever records.

What is estimated is the ratio of the processor seconds of one plan. A machine has fast and slow
moments that last longer than a plan, and every process has its memory at other addresses: so both
builds plan in turn, A B B A, a plan at a time, and are started anew several times. The median of
the ratios of all such turns is the estimate. The same estimate for the build with a recorder and
the same objects in another order, which is 0 but for noise, says what the first one is worth.
"""

import concurrent.futures
import contextlib
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess

from harness import Broken, at_most, spread

STARTS, TURNS = 9, 6  # of the programs; A B B A of each start
MOST_NOISE = 1.0      # percent between two programs of the same objects; the floor is 2

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
    """bench_decision of the copy, compiled with the commands of preset release, and the objects
    of that preset linked in the same way."""
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
    return (link(os.path.join(folder, "null"), objects.values(), library),
            link(os.path.join(folder, "same"), originals, library))


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
    for _ in range(STARTS):
        with contextlib.ExitStack() as stack:
            planners = [stack.enter_context(Planner(program, workload)) for program in programs]
            for _ in range(TURNS):
                forth = [planner.seconds() for planner in planners]
                back = [planner.seconds() for planner in reversed(planners)]
                rounds.append([a + b for a, b in zip(forth, reversed(back))])
    return rounds


def percent(ratios):
    """Median of the ratios of turns and their quartiles, in percent beyond 1."""
    low, middle, high = (100 * (q - 1) for q in statistics.quantiles(ratios, n=4))
    return middle, f"{middle:.1f} % (quartiles {low:.1f} to {high:.1f} %)"


def recorder(suite, report):
    null, same = build(suite)
    costs, noises, said, raw = [], [], [], []
    for workload in ("O-5", "O-8b"):
        rounds = turns([same, null, suite.program("bench_decision")], workload)
        cost, cost_text = percent([a / b for a, b, _ in rounds])
        noise, noise_text = percent([a / c for a, _, c in rounds])
        costs.append(cost)
        noises.append(abs(noise))
        said.append(f"{workload} {cost_text}; the same objects in another order {noise_text}")
        for name, column in zip(("recorder off", "null recorder", "another order"), zip(*rounds)):
            raw.append(f"{workload}, {name:13s}  median {spread(column).median / 2:.4f}  "
                       + " ".join(f"{s:.3f}" for s in column))
    verdict = at_most(max(costs), 2, 2).replace("aim", "floor")
    if max(noises) > MOST_NOISE:
        verdict = "VOID: the same objects in another order differ by more than 1 %"
    report.row("E", "evidence recording switched off, against a build with the null recorder: "
               "processor seconds of a plan, median of the ratios of "
               f"{len(rounds)} turns A B B A, programs started anew every {TURNS}",
               "2 %", "-", "; ".join(said), verdict)
    report.section("E: decision phase, processor seconds of two plans, turn by turn", raw)
