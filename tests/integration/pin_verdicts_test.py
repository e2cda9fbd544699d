"""`gedge pin compare` is right: of a job that pinning helps, and of one that it harms.

What is right is found out without gedge: both jobs (tests/support/jobs) are timed with a mask that
this script sets, on one CPU and on all, before and after. With `--runs 100` (`ctest -L long`) at
least 95 verdicts of 100 are to be right, and the times of every pair are printed. Without it, as
part of the suite, no verdict may be the opposite of right, however busy the machine is.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

GEDGE = os.environ["GEDGE"]
JOB = os.path.join(os.environ["GEDGE_BUILD_DIR"], "bin", "test_threads")
CPUS = sorted(os.sched_getaffinity(0))
SKIP = 77
PAIRS = 11  # by which the truth is found; fewer for the suite
FEW = 5
CLEAR = 0.8  # a ratio of medians below this, or above its inverse, is the truth
SHARE = 0.95
OPPOSITE = {"helps": "harms", "harms": "helps"}
JOBS = {"helps": "together", "harms": "apart"}


def milliseconds(job, cpus):
    begin = time.monotonic()
    subprocess.run([JOB, job], check=True, timeout=600,
                   preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    return 1000 * (time.monotonic() - begin)


def truth(job, pairs=PAIRS):
    """What a mask alone does to it: "helps", "harms", or nothing that is clear."""
    times = [(milliseconds(job, CPUS), milliseconds(job, CPUS[:1])) for _ in range(pairs)]
    plain, pinned = (statistics.median(side) for side in zip(*times))
    ratio = pinned / plain
    print(f"truth: {job}: {plain:.1f} ms on all CPUs, {pinned:.1f} ms on one, ratio {ratio:.2f}; "
          f"load {os.getloadavg()[0]:.1f}", flush=True)
    return "helps" if ratio < CLEAR else "harms" if ratio > 1 / CLEAR else None


def verdict(job, state, number):
    done = subprocess.run([GEDGE, "pin", "compare", "--state-dir", state, "-o", "json", "--", JOB,
                           job], capture_output=True, text=True, timeout=3600, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"gedge ended with {done.returncode}: {done.stderr}")
    document = json.loads(done.stdout)
    ratio = document["ratio"]
    times = " ".join(f"{pair['plainUs'] / 1000:.1f}/{pair['pinnedUs'] / 1000:.1f}"
                     for pair in document["pairs"])
    print(f"{job} {number}: {document['verdict']}, ratio {ratio['estimate']:.2f} "
          f"({ratio['low']:.2f} to {ratio['high']:.2f}); plain/pinned ms: {times}", flush=True)
    return document["verdict"]


def wrong(right, runs, asked):
    """What is wrong with the verdicts about the job of which `right` is the truth."""
    with tempfile.TemporaryDirectory() as state:
        verdicts = [verdict(JOBS[right], state, number) for number in range(1, runs + 1)]
    count = verdicts.count(right)
    print(f"{JOBS[right]}: {count} of {runs} verdicts are right, "
          f"{verdicts.count(OPPOSITE[right])} the opposite", flush=True)
    if asked and count < SHARE * runs:
        return [f"{right}: {count} of {runs} verdicts are right"]
    if not asked and OPPOSITE[right] in verdicts:
        return [f"{right}: a verdict is the opposite"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int)
    asked = parser.parse_args().runs
    if len(CPUS) < 2:
        print("[skipped] one CPU: pinned and plain are the same")
        return SKIP
    found = []
    for right, job in JOBS.items():
        if truth(job, PAIRS if asked else FEW) != right:
            print(f"[skipped] on this machine, as busy as it is, it is not true that pinning "
                  f"{right} {job}")
            return SKIP
        found += wrong(right, asked or 1, asked)
        if asked and truth(job) != right:
            print(f"[skipped] while it was looked at, it ceased to be true that pinning {right} "
                  f"{job}")
            return SKIP
    for failure in found:
        print("FAILED:", failure)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
