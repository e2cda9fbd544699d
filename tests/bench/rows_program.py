"""Rows whose figures the bench programs print themselves."""

import os
import re

from harness import at_least, at_most, lines_of, run

# name, nodes, pods, placed, median (least to most), decisions a second: bench_decision.
DECISION = re.compile(r"^(?P<name>\S.*?)\s{2,}(?P<nodes>\d+) nodes\s+(?P<pods>\d+) pods\s+"
                      r"(?P<placed>\d+) placed\s+(?P<seconds>[\d.]+) s \((?P<least>[\d.]+) to "
                      r"(?P<most>[\d.]+)\)\s+(?P<rate>\d+) /s(?P<rest>.*)$")

# Floors and aims in decisions a second, by the beginning of the name and the nodes it holds for.
RATES = [("O-8b ", 10_000, 30_000), ("O-8 ", 100_000, 150_000),
         ("O-8a 100 services, grouped", 500_000, 1_000_000),
         ("O-8a 100 services, interleaved", 100_000, 300_000),
         ("O-8a 1000 services", 50_000, 150_000)]


def decision_rows(report, lines):
    for line in lines:
        found = DECISION.match(line)
        if not found or found["name"].startswith("O-7"):
            continue
        rate = int(found["rate"])
        wanted = next((w for w in RATES if found["name"].startswith(w[0])), None)
        verdict = "for information"
        if "BREAKS" in found["rest"]:
            verdict = "VOID: breaks a rule"
        elif wanted:
            verdict = at_least(rate, *wanted[1:])
        name, _, rest = found["name"].partition(" ")
        report.row(name, f"{rest}: {int(found['nodes']):,} nodes, {int(found['pods']):,} pods",
                   f"{wanted[1]:,}/s" if wanted else "-", f"{wanted[2]:,}/s" if wanted else "-",
                   f"{rate:,}/s; {found['seconds']} s ({found['least']} to {found['most']})",
                   verdict)


def decisions(suite, report):
    """O-5 decision phase, O-8, O-8a, O-8b: processor seconds from facts to plan."""
    size = [] if suite.quick else ["large"]
    lines = []
    for text in ("O-5", "O-8b", "O-8 ", "O-8a"):
        lines += lines_of([suite.program("bench_decision"), *size, text])
    decision_rows(report, lines)
    report.section(f"bench_decision {' '.join(size)}", lines)


def largest(suite, report):
    """O-7: 100,000 nodes, 1,000,000 pods; the peak is that of the process."""
    out = os.path.join(suite.work, "o7.txt")
    used = run([suite.program("bench_decision"), "large", "O-7"], out=out)
    with open(out, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = next(m for m in map(DECISION.match, lines) if m)
    printed = re.search(r"peak (\d+) MiB", found["rest"])
    peak = float(printed[1]) if printed else used.rss
    whose = "of planning" if printed else "of the process, verifier included"
    seconds = float(found["seconds"])
    verdict = at_most(seconds, 4, 2)
    if peak > 1024:
        verdict += ", memory MISSED" if verdict != "MISSED" else ""
    if "BREAKS" in found["rest"]:
        verdict = "VOID: breaks a rule"
    report.row("O-7", "kube, 100,000 nodes, 1,000,000 pods, 8 templates, decision phase",
               "4 s; 1 GiB", "2 s; 512 MiB", f"{seconds:.2f} s; peak {peak:,.0f} MiB {whose}",
               verdict)
    report.section("bench_decision large O-7", [*lines, f"peak of the process {used.rss:.0f} MiB"])


def of_program(name):
    """Rows that a program words itself: lines `ROW|what|floor|aim|measured|verdict`, and others."""
    def rows(suite, report):
        program = suite.program(name)
        if not os.path.exists(program):
            report.section(f"{name}: not built", [])
            return
        size = ["quick"] if suite.quick else []
        lines = lines_of([program, *size])
        for line in lines:
            if line.startswith("ROW|"):
                report.row(*line[4:].split("|"))
        report.section(" ".join([name, *size]), [l for l in lines if not l.startswith("ROW|")])
    return rows


def start(suite, report):
    """How long the command takes beside a program that does nothing."""
    lines = lines_of([suite.program("bench_command")])
    ratio = float(next(line for line in lines if "--version" in line).split()[-1])
    report.row("start", "gedge --version against an empty program", "-", "-", f"{ratio:.2f}x",
               "for information")
    report.section("bench_command", lines)


def reading(suite, report):
    """P-1, P-6, O-6 parse: bench_reading has its own words."""
    program = suite.program("bench_reading")
    if os.path.exists(program):
        report.section("bench_reading", lines_of([program]))
