"""N-1 to N-3: how long a command takes to begin where it is pinned, pinning one that runs, and what
a periodic task gains where nothing else runs beside it."""

import os
import shutil
import subprocess

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


def own_processes():
    """Words before a command that sees its own processes only: nobody else's are moved aside."""
    space = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for words in (space, [space[0], "--map-root-user", *space[1:]]):
        if shutil.which("unshare") and subprocess.run([*words, "true"], check=False,
                                                      capture_output=True).returncode == 0:
            return words
    raise Broken("no namespace of processes can be made here")


def jitter(suite, report):
    """A task that wakes every millisecond, beside two processes that compute without end."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Broken("one CPU: nobody can be moved aside")
    rounds, periods = (4, 1000) if suite.quick else (20, 3000)
    state = os.path.join(suite.work, "pins-alone")
    alone_here = [] if os.geteuid() == 0 else own_processes()  # only root may move others aside
    lines = lines_of([*alone_here, suite.program("bench_jitter"), "rounds", str(rounds),
                      str(periods), suite.program("gedge"), state])
    plain, alone = [], []
    for line in lines:
        words = line.split()
        plain.append(max(int(words[2]), 1))
        alone.append(max(int(words[6]), 1))
    ratio = spread(b / a for a, b in zip(plain, alone))
    report.row("N-3", "99th percentile of how late a task wakes, every 1 ms beside two busy loops, "
               "`gedge pin run --isolate` against as it is", "1/2", "1/5",
               f"{ratio.text(2)}; {spread(alone).text(0)} us against {spread(plain).text(0)} us",
               at_most(ratio.median, 1 / 2, 1 / 5))
    report.section("N-3: p50, p99 and maximum of each run", lines)
