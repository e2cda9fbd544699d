"""Rows R-1 to R-6: probes a second, processor time a probe, and accuracy, beside fping and ping,
and a mesh in one process.

Packets go to loopback and to namespaces of the relay's own (tests/support/relay), nowhere else.
"""

import csv
import json
import os
import re
import shutil
import subprocess

from harness import Broken, at_least, at_most, in_turn, lines_of, run, spread

TARGETS, COUNT = 1_000, 50
ADDRESSES = [f"127.0.{1 + i // 250}.{1 + i % 250}" for i in range(TARGETS)]


def needs(program):
    if not shutil.which(program):
        raise Broken(f"no {program}; on Debian: apt-get install {program.replace('/', ' ')}")


def target_file(suite):
    path = os.path.join(suite.work, "targets")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(ADDRESSES) + "\n")
    return path


def fping(path, count, period_ms):
    """As fast as it goes: no wait between packets, and the least period that it takes. Without -t
    it would wait for answers no longer than a period."""
    return ["fping", "-q", "-i", "0", "-p", str(period_ms), "-t", "1000", "-c", str(count), "-f",
            path]


def gedge(suite, path, count):
    return [suite.program("gedge"), "measure", "-q", "--targets", path, "-c", str(count),
            "--interval", "0", "--rate", "0", "-o", "json"]


def check_fping(command):
    """No answer is missing, by its own summary; returns how many there were."""
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    got = [int(words[1]) for words in re.findall(r"= (\d+)/(\d+)/", said)]
    if len(got) != TARGETS or sum(got) != TARGETS * int(command[command.index("-c") + 1]):
        raise Broken(f"fping lost probes: {sum(got)} answers")
    return sum(got)


def check_gedge(command):
    pairs = json.loads("\n".join(lines_of(command)))["pairs"]
    got = sum(pair["samples"] for pair in pairs)
    if len(pairs) != TARGETS or got != TARGETS * int(command[command.index("-c") + 1]):
        raise Broken(f"gedge lost probes: {got} answers")
    return got


def raw(runs, probes):
    return ["wall s       " + " ".join(f"{r.wall:.3f}" for r in runs),
            "processor s  " + " ".join(f"{r.cpu:.3f}" for r in runs),
            "us a probe   " + " ".join(f"{1e6 * r.cpu / probes:.2f}" for r in runs)]


def burst(suite, path, report):
    """R-1 and R-3: 1,000 targets, 50 rounds."""
    mine, theirs = gedge(suite, path, COUNT), fping(path, COUNT, 1)
    probes = check_gedge(mine)
    check_fping(theirs)
    ours, other = in_turn(mine, theirs, 3 if suite.quick else 9)
    rate = spread(b.wall / a.wall for a, b in zip(ours, other))
    cpu = spread(a.cpu / b.cpu for a, b in zip(ours, other))
    speed = spread(probes / r.wall for r in ours)
    what = f"{TARGETS:,} loopback targets, {COUNT} rounds, none lost, whole process, fping -i 0"
    report.row("R-1", f"probes a second: {what}", "1.8x", "3x",
               f"{rate.text(2, 'x')}; {speed.median:,.0f} a second",
               at_least(rate.median, 1.8, 3))
    report.row("R-3", "the same, processor time a probe", "1/2", "1/3", cpu.text(3),
               at_most(cpu.median, 1 / 2, 1 / 3))
    bare = spread(float(lines_of([suite.program("bench_bare_echo"), str(COUNT)])[0].split()[-1])
                  for _ in range(3 if suite.quick else 9))
    least = bare.median * probes / (1e6 * spread(b.cpu for b in other).median)
    report.row("R-3", "the same of a bare loop of sendmmsg and recvmmsg that measures nothing: "
               "what this kernel takes", "-", "-", f"{least:.3f}; {bare.text(2)} us a probe",
               "for information")
    report.section("R-1, R-3: gedge", raw(ours, probes))
    report.section("R-1, R-3: fping", raw(other, probes))


def sustained(suite, path, report):
    """R-2: ten seconds. fping refuses more than 65,535 probes within the 10 s that it waits for
    answers; a period of 160 ms is the least that keeps it below."""
    rounds = 200 if suite.quick else 1_500
    mine = gedge(suite, path, rounds)
    probes = check_gedge(mine)
    ours = run(mine)
    count, period = 63, 160
    theirs = fping(path, count, period)
    check_fping(theirs)
    other = run(theirs)
    ratio = (probes / ours.wall) / (TARGETS * count / other.wall)
    report.row("R-2", f"probes a second, sustained: {probes:,} probes, fping at its most", "20x",
               "40x", f"{ratio:.1f}x; {probes / ours.wall:,.0f} a second for {ours.wall:.1f} s; "
               f"fping {TARGETS * count / other.wall:,.0f}", at_least(ratio, 20, 40))


def relayed(suite, log, paths, command):
    words = [word for path in paths for word in ("--path", path)]
    done = subprocess.run([suite.program("test_relay"), "--log", log, *words, "--", *command],
                          capture_output=True, text=True, check=False)
    if done.returncode == 77:
        raise Broken(done.stdout.strip())
    if done.returncode not in (0, 1):
        raise Broken(f"relay: {done.stderr[-600:]}")
    return done.stdout


def truths(log):
    """By far end and sequence number: microseconds of the first answer."""
    came, took = {}, {}
    with open(log, encoding="ascii") as lines:
        for path, direction, _, sequence, start, left in csv.reader(lines):
            if direction == "there":
                came[path, sequence] = int(start)
            elif left != "-":
                took.setdefault(path, []).append(int(left) - came[path, sequence])
    return took


def rank(times, percent):
    return sorted(times)[(len(times) * percent + 99) // 100 - 1]


# Two busy loops, then each program in turn to a far end of its own, 5 ms away.
HOGS = """
for hog in 1 2; do while :; do :; done & done
"$1" measure -q gedge=10.77.1.11 -c 300 --interval 10ms -o json
echo ====
ping -U -i 0.01 -c 300 10.77.1.12
kill $(jobs -p)
"""


def under_load(suite, report):
    """R-5: the error of the 99th percentile while two busy loops run."""
    needs("ping")
    log = os.path.join(suite.work, "relay.log")
    ours, theirs, lines = [], [], []
    for _ in range(1 if suite.quick else 5):
        said = relayed(suite, log, ["11:2500:2500", "12:2500:2500"],
                       ["bash", "-c", HOGS, "hogs", suite.program("gedge")])
        mine, other = said.split("====")
        took = truths(log)
        pair = json.loads(mine)["pairs"][0]
        times = [float(ms) * 1_000 for ms in re.findall(r"time=([\d.]+) ms", other)]
        if pair["samples"] != len(took["11"]) or len(times) != len(took["12"]):
            raise Broken("answers are missing")
        ours.append(abs(pair["p99Us"] - rank(took["11"], 99)))
        theirs.append(abs(rank(times, 99) - rank(took["12"], 99)))
        lines.append(f"gedge p99 {pair['p99Us']} us, truth {rank(took['11'], 99)} us; ping -U p99 "
                     f"{rank(times, 99):.0f} us, truth {rank(took['12'], 99)} us; medians off by "
                     f"{pair['p50Us'] - rank(took['11'], 50)} us and "
                     f"{rank(times, 50) - rank(took['12'], 50):.0f} us")
    ratio = spread(a / max(b, 1) for a, b in zip(ours, theirs))
    report.row("R-5", "error of the 99th percentile of 300 probes over 5 ms, two busy loops "
               "running, beside ping -U", "1/3", "1/10",
               f"{ratio.text(3)}; {spread(ours).median:.0f} us against "
               f"{spread(theirs).median:.0f} us", at_most(ratio.median, 1 / 3, 1 / 10))
    report.section("R-5: each run", lines)


def accuracy(suite, report):
    """R-4: medians against the relay's stamps."""
    log = os.path.join(suite.work, "relay.log")
    halves = [100, 500, 2_500, 10_000, 25_000]
    paths = [f"{11 + i}:{half}:{half}" for i, half in enumerate(halves)] + ["16:3000:17000"]
    nodes = [f"{11 + i}=10.77.1.{11 + i}" for i in range(len(paths))]
    said = relayed(suite, log, paths, [suite.program("gedge"), "measure", "-q", *nodes, "-c",
                                       "100" if suite.quick else "300", "--interval", "12ms", "-o",
                                       "json"])
    took, lines, floor, aim = truths(log), [], 0.0, 0.0
    for pair in json.loads(said)["pairs"]:
        truth = rank(took[pair["to"]], 50)
        off = abs(pair["p50Us"] - truth)
        floor, aim = max(floor, off / (30 + 0.002 * truth)), max(aim, off / (10 + 0.001 * truth))
        lines.append(f"median {pair['p50Us']} us, truth {truth} us, off by {off} us")
    verdict = "aim met" if aim <= 1 else "floor met" if floor <= 1 else "MISSED"
    report.row("R-4", "medians over 0.2 to 50 ms and over unequal halves, against the stamps of "
               "the relay", "30 us + 0.2 %", "10 us + 0.1 %",
               f"{100 * floor:.0f} % of the floor, {100 * aim:.0f} % of the aim, at worst", verdict)
    report.section("R-4: each path", lines)


def mesh(suite, report):
    """R-6: all pairs of 1,000 loopback agents, shared by as many threads as there are processors.
    Each run is a process of its own, which knows how much memory it had at most."""
    runs = []
    for _ in range(3 if suite.quick else 9):
        words = lines_of([suite.program("bench_mesh")])[0].split()
        runs.append(dict(zip(words[::2], map(float, words[1::2]))))
        if runs[-1]["pairs"] != 499_500 or runs[-1]["lost"] or runs[-1]["unmeasured"]:
            raise Broken(f"the mesh has gaps: {runs[-1]}")
    wall, cpu = (spread(run[key] for run in runs) for key in ("seconds", "processor"))
    peak = spread(run["peakKiB"] / 1024 for run in runs)
    verdicts = {at_most(wall.median, 6, 3), at_most(peak.most, 64, 32)}
    report.row("R-6", "the 499,500 pairs of 1,000 loopback agents in one process, by UDP, none "
               "lost: seconds, and peak memory", "6 s; 64 MiB", "3 s; 32 MiB",
               f"{wall.text(2, 's')}; {peak.most:.0f} MiB", next(
                   word for word in ("MISSED", "floor met", "aim met") if word in verdicts))
    report.section("R-6: each run", [
        "wall s       " + " ".join(f"{run['seconds']:.3f}" for run in runs),
        "processor s  " + " ".join(f"{run['processor']:.3f}" for run in runs),
        "peak KiB     " + " ".join(f"{run['peakKiB']:.0f}" for run in runs),
        f"{1e6 * cpu.median / 499_500:.2f} us of processor time a pair: a probe and its answer"])


def measure(suite, report):
    needs("fping")
    path = target_file(suite)
    burst(suite, path, report)
    sustained(suite, path, report)
    accuracy(suite, report)
    under_load(suite, report)
    mesh(suite, report)
