"""N-1, N-2: how long a command takes to begin where it is pinned, and pinning one that runs."""

import os
import shutil

from harness import Broken, at_most, in_turn, lines_of, spread


def start(suite, report):
    """`gedge pin run` beside taskset, each with a program that does nothing."""
    taskset = shutil.which("taskset")
    if taskset is None:
        raise Broken("taskset is not installed")
    empty, rounds = suite.program("bench_empty"), 50 if suite.quick else 300
    state = os.path.join(suite.work, "pins")
    first = str(min(os.sched_getaffinity(0)))
    ours, theirs = in_turn([suite.program("gedge"), "pin", "run", "--state-dir", state, "--",
                            empty], [taskset, "-c", first, empty], rounds)
    a, b = (spread(1e3 * r.wall for r in runs) for runs in (ours, theirs))
    ratio = a.median / b.median
    report.row("N-1", "`gedge pin run` against taskset, both with a program that does nothing",
               "2x", "1.3x", f"{ratio:.2f}x; {a.text()} ms against {b.text()} ms",
               at_most(ratio, 2, 1.3))


def repin(suite, report):
    """2,000 sleeping threads pinned as `gedge pin apply` does, beside the system calls it takes."""
    rounds = 5 if suite.quick else 30
    bare, applied = [], []
    for line in lines_of([suite.program("bench_repin"), "2000", str(rounds)]):
        words = line.split()
        bare.append(int(words[1]) / 1e3)
        applied.append(int(words[3]) / 1e3)
    beyond = spread(b - a for a, b in zip(bare, applied))
    report.row("N-2", "2,000 threads pinned by `gedge pin apply`, beyond a list and a call each",
               "5 ms", "2 ms", f"{beyond.text()} ms beyond {spread(bare).text()} ms",
               at_most(beyond.median, 5, 2))
