"""Row E: what evidence that nobody asks for costs, against a build that cannot record any.

The other build is made of a copy of the sources in which every policy is given a recorder that is
null by its type, so that the compiler leaves out whatever records.
"""

import os
import re
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
COPIED = ["CMakeLists.txt", "libgedge", "tests/CMakeLists.txt", "tests/cmake", "tests/bench",
          "tests/fuzz/CMakeLists.txt"]


def copy_with_null_recorder(top, folder):
    for name in COPIED:
        source, target = os.path.join(top, name), os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copytree if os.path.isdir(source) else shutil.copyfile)(source, target)
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
    folder = os.path.join(suite.work, "null-recorder")
    copy_with_null_recorder(suite.top, folder)
    # The flags of preset release, as it configured them.
    cache = {}
    with open(os.path.join(suite.top, "build/release/CMakeCache.txt"), encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition("=")
            cache[key.partition(":")[0]] = value
    flags = [f"-D{key}={cache[key]}" for key in
             ("CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE", "CMAKE_C_FLAGS",
              "CMAKE_C_FLAGS_RELEASE", "CMAKE_EXE_LINKER_FLAGS")]
    commands = [["cmake", "-G", "Ninja", "-S", folder, "-B", folder + "/build", *flags,
                 "-DGEDGE_BUILD_BENCH=ON", "-DGEDGE_BUILD_TESTS=OFF", "-DGEDGE_BUILD_CLI=OFF",
                 "-DGEDGE_BUILD_EXAMPLES=OFF", "-DGEDGE_INSTALL=OFF"],
                ["cmake", "--build", folder + "/build", "--target", "bench_decision"]]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"{' '.join(command[:2])} failed: {(done.stdout + done.stderr)[-900:]}")
    return folder + "/build/bin/bench_decision"


def least_seconds(program, workload):
    """The best of the rounds of one run: what disturbs a run only adds to it."""
    found = next(m for m in map(DECISION.match, lines_of([program, workload])) if m)
    return float(found["least"])


def recorder(suite, report):
    ours, null = suite.program("bench_decision"), build(suite)
    rounds = 9
    worst, raw = None, []
    for workload in ("O-5", "O-8b"):
        with_it, without = [], []
        for number in range(rounds):
            pair = [(ours, with_it), (null, without)]
            for program, seconds in pair if number % 2 == 0 else reversed(pair):
                seconds.append(least_seconds(program, workload))
        cost = spread(100 * (a / b - 1) for a, b in zip(with_it, without))
        raw += [f"{workload}, recorder off   " + " ".join(f"{s:.3f}" for s in with_it),
                f"{workload}, null recorder  " + " ".join(f"{s:.3f}" for s in without)]
        worst = cost if worst is None or cost.median > worst.median else worst
    report.row("E", "evidence recording switched off, against a build with the null recorder, the "
               "worse of O-5 and O-8b", "2 %", "-", f"{worst.text(1)} %",
               at_most(worst.median, 2, 2).replace("aim", "floor"))
    report.section("E: decision phase, processor seconds, runs in turn", raw)
