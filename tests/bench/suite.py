"""Runs the rows of the benchmark and writes the report. tests/bench/run.sh calls it.

usage: suite.py TOP WORK REPORT [--quick] [--alone|--live] [ROW]...

TOP is the source tree with build/release, WORK a folder for inputs, REPORT the file to write. ROWs
are names of the list below: only these are run. --live runs what needs an API server all the time,
--alone the other rows.
"""

import os
import sys
import time

import harness
import rows_daemon
import rows_edge
import rows_faults
import rows_growth
import rows_kubernetes
import rows_latency_cover
import rows_live
import rows_measure
import rows_pin
import rows_process
import rows_program
import rows_recorder
import rows_scale
import rows_schedule

ROWS = [
    ("start", rows_program.start, True),
    ("pin", rows_pin.start, True),
    ("repin", rows_pin.repin, True),
    ("jitter", rows_pin.jitter, True),
    ("kernels", rows_growth.kernels, True),
    ("reading", rows_program.reading, True),
    ("plan", rows_process.whole_plan, True),
    ("yaml", rows_process.whole_yaml, True),
    ("decisions", rows_program.decisions, True),
    ("largest", rows_program.of_program("bench_largest"), False),
    ("edge", rows_edge.decisions, True),
    ("edge-whole", rows_edge.whole, True),
    ("what-if", rows_program.what_if, True),
    ("mixed", rows_program.of_program("bench_mixed"), True),
    ("claims", rows_program.of_program("bench_claims"), True),
    ("claims-live", rows_program.of_program("bench_live_claims"), True),
    ("complete", rows_program.of_program("bench_complete"), True),
    ("growth", rows_growth.time, True),
    ("state", rows_program.of_program("bench_memory"), True),
    ("cached", rows_program.of_program("bench_cached"), True),
    ("memory", rows_growth.memory, True),
    ("recorder", rows_recorder.recorder, False),
    ("explain", rows_process.explain, True),
    ("scale", rows_program.of_program("bench_scale"), True),
    ("scale-sites", rows_program.of_program("bench_scale_sites"), True),
    ("clusters", rows_latency_cover.clusters, True),
    ("measure", rows_measure.measure, True),
    ("kubernetes", rows_kubernetes.against_scheduler, False),
    ("schedule", rows_schedule.beside_scheduler, False),
    ("schedule-ceiling", rows_schedule.of_ceiling, False),
    ("schedule-size", rows_schedule.of_sizes, False),
    ("schedule-start", rows_schedule.from_start, False),
    ("schedule-stream", rows_live.one_by_one, False),
    ("schedule-gone", rows_live.server_gone, False),
    ("schedule-handover", rows_daemon.handover, False),
    ("schedule-idle", rows_daemon.idle, False),
    ("schedule-crowd", rows_daemon.crowd, False),
    ("schedule-placed", rows_daemon.beside_placed, False),
    ("schedule-peak", rows_daemon.peak, False),
    ("schedule-half-open", rows_faults.half_open, False),
    ("schedule-outage", rows_faults.outages, False),
    ("schedule-burst", rows_faults.burst, False),
    ("schedule-flood", rows_faults.flood, False),
    ("scale-live", rows_scale.beside_controller, False),
]  # name, function, whether --quick has it

LIVE = {"schedule", "schedule-ceiling", "schedule-size", "schedule-start", "schedule-stream",
        "schedule-gone", "schedule-handover", "schedule-idle", "schedule-crowd", "schedule-placed",
        "schedule-peak", "schedule-half-open", "schedule-outage", "schedule-burst",
        "schedule-flood", "scale-live"}

MOST_FOREIGN = 10  # percent: beyond, a verdict says so
LEAST_PACE = 0.85  # of the fastest in this run so far: below, a verdict says so

PACKAGES = ["g++-12", "libsimdjson-dev", "libyaml-dev", "libyaml-cpp-dev", "nlohmann-json3-dev",
            "libbenchmark-dev", "fping", "iputils-ping", "python3", "python3-networkx",
            "python3-numpy", "python3-yaml", "etcd-server"]


class Suite:
    def __init__(self, top, work, quick):
        self.top, self.work, self.quick = top, work, quick
        self.python = sys.executable
        self.apart = 0.0  # processor seconds of what a row ran that was not its child

    def program(self, name):
        return os.path.join(self.top, "build", "release", "bin", name)


def is_wanted(name, is_quick, words, only):
    """Whether a row is run: by its name, or as one of a whole run or of a part of it."""
    if only:
        return name in only
    part = "--alone" if name not in LIVE else "--live"
    parts = {"--alone", "--live"}.intersection(words) or {part}
    return part in parts and (is_quick or "--quick" not in words)


def head(suite, words, start, stolen):
    seconds = time.time() - start
    commit = harness.first_line(["git", "-C", suite.top, "log", "-1", "--format=%h %s"])
    share = (harness.processor_ticks()[1] - stolen) / os.sysconf("SC_CLK_TCK") / seconds
    return [
        "# Figures of the last run",
        "",
        f"Written by `{' '.join(['tests/bench/run.sh', *words])}`, which makes every line of it "
        "anew; nothing here is written by hand.",
        "",
        f"- Machine: {os.cpu_count()} processors, {harness.processor_name()}, "
        f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB; "
        f"Linux {os.uname().release}; "
        + harness.first_line(["sh", "-c", ". /etc/os-release && echo $PRETTY_NAME"]),
        f"- Compiler: {harness.first_line(['c++', '--version'])}, preset release (-O2)",
        f"- Packages: {', '.join(harness.versions(PACKAGES))}",
        f"- Source: {commit}",
        f"- Load average at the end {os.getloadavg()[0]:.1f}; "
        f"stolen {100 * share / os.cpu_count():.2f} % of the machine; took {seconds:.0f} s",
        "- Seeds are fixed: every run plans the same nodes and pods. Figures are medians, with "
        "(least to most); ratios are those of pairs that ran in turn. M compares the smaller of "
        "two peaks.",
        "- Where it says processor, user and system time count, because others may use the same "
        "cores; where it says wall, that is what a clock on the wall saw.",
    ]


def main():
    top, work, path, *words = sys.argv[1:]
    only = [word for word in words if not word.startswith("--")]
    suite = Suite(top, work, "--quick" in words)
    unknown = set(only) - {row[0] for row in ROWS}
    if unknown:
        sys.exit(f"no row {', '.join(sorted(unknown))}; rows are {', '.join(r[0] for r in ROWS)}")
    pace = harness.Pace(suite.program("bench_speed"))
    report, start, stolen = harness.Report(), time.time(), harness.processor_ticks()[1]
    for name, rows, is_quick in ROWS:
        if not is_wanted(name, is_quick, words, only):
            continue
        load, first, suite.apart = harness.Load(pace), len(report.rows), 0.0
        try:
            rows(suite, report)
        except Exception as broken:  # the other rows are worth their time whatever this one says
            report.row(name, "could not be measured", "-", "-",
                       f"{type(broken).__name__}: {broken}", "VOID")
        report.section(f"{name}: the machine meanwhile", [load.stop(suite.apart)])
        if load.foreign > MOST_FOREIGN:
            report.doubt(first, f"others used {load.foreign:.0f} % of the machine")
        if load.slowest < LEAST_PACE:
            report.doubt(first, f"fixed loops ran at {100 * load.slowest:.0f} % of their best")
    with open(path, "w", encoding="utf-8") as file:
        # Where the tree lies is nobody's business.
        text = report.text(head(suite, words, start, stolen))
        file.write(text.replace(os.path.join(top, ""), ""))
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
