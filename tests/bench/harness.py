"""Whole processes measured from outside, statistics, and the report that the rows go into."""

import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Run:
    """One finished process; rss is its peak in MiB, but never below that of this program."""
    wall: float
    user: float
    system: float
    rss: float
    status: int

    @property
    def cpu(self):
        return self.user + self.system


def run(command, out="/dev/null", good=(0,)):
    """Runs a command to its end. Ends the suite where its exit status is none of `good`."""
    with open(out, "wb") as sink:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink,
                                 stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in good:
        raise Broken(f"{' '.join(command)} exited with {child.returncode}: "
                     f"{said.decode(errors='replace')[-600:]}")
    return Run(wall, used.ru_utime, used.ru_stime, used.ru_maxrss / 1024, child.returncode)


def lines_of(command, good=(0,)):
    """What a command prints on standard output, as lines."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode not in good:
        raise Broken(f"{' '.join(command)} exited with {done.returncode}: {done.stderr[-600:]}")
    return done.stdout.splitlines()


# Starts what its words say, and prints its peak in KiB.
STARTER = """import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(used.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_of(command):
    """Peak memory of a process in MiB. The kernel counts what a process was before it became the
    command, so that small peaks would be those of this program: a smaller one starts it."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{' '.join(command)} exited with {done.returncode}: {done.stderr[-600:]}")
    return int(done.stderr.split()[-1]) / 1024


class Broken(Exception):
    """A row that could not be measured: it is reported as void, with this text."""


def repeat(command, rounds, out="/dev/null", good=(0,)):
    """One run that is not counted, then `rounds` that are."""
    run(command, out, good)
    return [run(command, out, good) for _ in range(rounds)]


def in_turn(first, second, rounds, good=(0,)):
    """Two commands in turn, A B B A ..., after a run of each that is not counted."""
    run(first, good=good)
    run(second, good=good)
    a, b = [], []
    for number in range(rounds):
        pair = [(first, a), (second, b)]
        for command, runs in pair if number % 2 == 0 else reversed(pair):
            runs.append(run(command, good=good))
    return a, b


@dataclass
class Spread:
    """Median, least and most."""
    median: float
    least: float
    most: float

    def text(self, digits=3, unit=""):
        unit = unit and " " + unit
        return (f"{self.median:.{digits}f}{unit} ({self.least:.{digits}f} to "
                f"{self.most:.{digits}f})")


def spread(values):
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values))


def slope(sizes, times):
    """Least squares of log(times) over log(sizes): the slope and its standard error."""
    from math import log, sqrt
    x, y = [log(v) for v in sizes], [log(v) for v in times]
    n, mean_x, mean_y = len(x), statistics.fmean(x), statistics.fmean(y)
    square = sum((v - mean_x) ** 2 for v in x)
    rise = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / square
    rest = sum((b - mean_y - rise * (a - mean_x)) ** 2 for a, b in zip(x, y))
    return rise, sqrt(rest / max(1, n - 2) / square)


def at_most(value, floor, aim):
    return "aim met" if value <= aim else "floor met" if value <= floor else "MISSED"


def at_least(value, floor, aim):
    return "aim met" if value >= aim else "floor met" if value >= floor else "MISSED"


def processor_ticks():
    """Ticks of all processors since boot: busy (without steal), and stolen by other guests."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4] - ticks[7], ticks[7]


def own_seconds():
    """Processor seconds of this program and of what it ran to the end."""
    return sum(os.times()[:4])


class Pace:
    """How fast the machine is: loops that never change, as a share of the fastest so far.

    What shares a core or a cache with it from outside slows it down, and is counted nowhere."""

    def __init__(self, program):
        self.program, self.best = program, {}

    def now(self):
        """The share of its best that the slowest of the loops reaches."""
        shares = []
        for line in lines_of([self.program]):
            name, value, _ = line.split()
            self.best[name] = min(float(value), self.best.get(name, float(value)))
            if name != "far":  # memory is too far for others to leave it alone
                shares.append(self.best[name] / float(value))
        return min(shares)


class Load:
    """What others used of the machine while a row was measured, and how fast it was."""

    def __init__(self, pace):
        self.pace, self.before = pace, pace.now()
        self.start = time.perf_counter()
        self.busy, self.stolen = processor_ticks()
        self.own = own_seconds()
        self.average = os.getloadavg()[0]

    def stop(self, apart):
        """`apart`: processor seconds of what the row ran that was not its child."""
        hertz, wall = os.sysconf("SC_CLK_TCK"), time.perf_counter() - self.start
        busy, stolen = processor_ticks()
        own = own_seconds() - self.own + apart
        share = 100 / wall / os.cpu_count()
        self.foreign = max(0.0, (busy - self.busy) / hertz - own) * share
        lost = (stolen - self.stolen) / hertz * share
        after = self.pace.now()
        self.slowest = min(self.before, after)
        return (f"took {wall:.0f} s; load average before {self.average:.1f}, used by other "
                f"processes {self.foreign:.0f} %, stolen {lost:.1f} %; fixed loops ran at "
                f"{100 * self.before:.0f} % of their best before, {100 * after:.0f} % after")


@dataclass
class Row:
    """One line of the table: what was measured, against what, and the verdict in words."""
    id: str
    what: str
    floor: str
    aim: str
    measured: str
    verdict: str


@dataclass
class Report:
    rows: list = field(default_factory=list)
    sections: list = field(default_factory=list)  # (title, lines)

    def row(self, *words):
        self.rows.append(Row(*words))
        print("  ".join(words), flush=True)

    def doubt(self, first, why):
        """Adds to the verdicts from row number `first` on."""
        for row in self.rows[first:]:
            row.verdict += f" ({why})"

    def section(self, title, lines):
        self.sections.append((title, list(lines)))
        print("\n".join([f"-- {title}", *lines]), flush=True)

    def text(self, head):
        out = list(head)
        out += ["", "| row | what | floor | aim | measured | verdict |"]
        out += ["|---|---|---|---|---|---|"]
        out += [f"| {r.id} | {r.what} | {r.floor} | {r.aim} | {r.measured} | {r.verdict} |"
                for r in self.rows]
        out += ["", "## Raw figures"]
        for title, lines in self.sections:
            out += ["", f"### {title}", "", "```", *[line.rstrip() for line in lines], "```"]
        return "\n".join(out) + "\n"


def first_line(command):
    try:
        return lines_of(command)[0]
    except (Broken, OSError, IndexError):
        return "none"


def processor_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def versions(packages):
    """NAME VERSION of the installed Debian packages among these."""
    found = []
    for name in packages:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name],
                              capture_output=True, text=True, check=False).stdout.split()
        if done[:1] == ["installed"]:
            found.append(f"{name} {done[1]}")
    return found
