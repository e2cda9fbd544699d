"""Row E: what evidence that nobody asks for costs, against a build that cannot record any.

The other build is made of a copy of the sources in which every policy is given a recorder that is
null by its type, so that the compiler leaves out whatever records.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess

from harness import Broken, at_most, lines_of, spread
from rows_program import DECISION

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


def build(suite):
    """bench_decision of the copy, compiled with the commands of preset release."""
    folder = os.path.join(suite.work, "null-recorder")
    copy_with_null_recorder(suite.top, folder)
    build_folder = os.path.join(suite.top, "build", "release")
    with open(os.path.join(build_folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if os.path.relpath(entry["file"], suite.top).startswith(COMPILED)]
    objects, commands = {}, []
    for entry in entries:
        if entry["file"] in objects:
            continue
        target = objects[entry["file"]] = os.path.join(folder, f"{len(objects)}.o")
        words = [word.replace(os.path.join(suite.top, ""), os.path.join(folder, ""))
                 for word in shlex.split(entry["command"])]
        words[words.index("-o") + 1] = target
        commands.append(words)

    def compile_one(words):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(compile_one, commands):
            if said:
                raise Broken(f"the build with the null recorder failed: {said[-900:]}")
    program = os.path.join(folder, "bench_decision")
    library = os.path.join(build_folder, "libgedge", "libgedge.a")
    done = subprocess.run(["c++", "-o", program, *objects.values(), library], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"the build with the null recorder does not link: {done.stderr[-900:]}")
    return program


def least_seconds(program, workload):
    """The best of the rounds of one run: what disturbs a run only adds to it."""
    found = next(m for m in map(DECISION.match, lines_of([program, workload])) if m)
    return float(found["least"])


def recorder(suite, report):
    ours, null = suite.program("bench_decision"), build(suite)
    rounds = 9
    worst, said, raw = None, "", []
    for workload in ("O-5", "O-8b"):
        with_it, without = [], []
        for number in range(rounds):
            pair = [(ours, with_it), (null, without)]
            for program, seconds in pair if number % 2 == 0 else reversed(pair):
                seconds.append(least_seconds(program, workload))
        cost = 100 * (min(with_it) / min(without) - 1)
        pairs = spread(100 * (a / b - 1) for a, b in zip(with_it, without))
        raw += [f"{workload}, recorder off   " + " ".join(f"{s:.3f}" for s in with_it),
                f"{workload}, null recorder  " + " ".join(f"{s:.3f}" for s in without)]
        said += f"{workload} {cost:.1f} % by the best of {rounds}, pairs {pairs.text(1)} %; "
        worst = cost if worst is None else max(worst, cost)
    report.row("E", "evidence recording switched off, against a build with the null recorder",
               "2 %", "-", said.rstrip("; "), at_most(worst, 2, 2).replace("aim", "floor"))
    report.section("E: decision phase, processor seconds, runs in turn", raw)
