"""Rows whose figures the bench programs print themselves."""

import re
import statistics

from harness import Broken, at_least, lines_of

# name, nodes, pods, placed, median (least to most), decisions a second: bench_decision.
DECISION = re.compile(r"^(?P<name>\S.*?)\s{2,}(?P<nodes>\d+) nodes\s+(?P<pods>\d+) pods\s+"
                      r"(?P<placed>\d+) placed\s+(?P<seconds>[\d.]+) s \((?P<least>[\d.]+) to "
                      r"(?P<most>[\d.]+)\)\s+(?P<rate>\d+) /s(?P<rest>.*)$")

# Floors and aims in decisions a second, by the beginning of the name and the nodes it holds for.
RATES = [("O-8b ", 10_000, 30_000), ("O-8 ", 100_000, 150_000),
         ("O-8a 100 services, grouped", 500_000, 1_000_000),
         ("O-8a 100 services, interleaved", 100_000, 300_000),
         ("O-8a 1000 services", 50_000, 150_000)]


PASSES = 3  # over what bench_decision measures


def decision_rows(report, passes):
    """One row a workload: the median over the passes of each one's median, and the whole range."""
    missing = [wanted[0] for wanted in RATES
               if not any(found["name"].startswith(wanted[0]) for found in passes[0])]
    if missing:
        raise Broken(f"nothing was printed for {', '.join(missing)}")
    for same in zip(*passes, strict=True):
        seconds = statistics.median(float(found["seconds"]) for found in same)
        least = min(float(found["least"]) for found in same)
        most = max(float(found["most"]) for found in same)
        first = same[0]
        rate = int(first["pods"]) / seconds
        wanted = next((w for w in RATES if first["name"].startswith(w[0])), None)
        verdict = "for information"
        if any("BREAKS" in found["rest"] for found in same):
            verdict = "VOID: breaks a rule"
        elif wanted:
            verdict = at_least(rate, *wanted[1:])
        name, _, rest = first["name"].partition(" ")
        report.row(name, f"{rest}: {int(first['nodes']):,} nodes, {int(first['pods']):,} pods",
                   f"{wanted[1]:,}/s" if wanted else "-", f"{wanted[2]:,}/s" if wanted else "-",
                   f"{rate:,.0f}/s; {seconds:.3f} s ({least:.3f} to {most:.3f})", verdict)


def decisions(suite, report):
    """O-5 decision phase, O-8, O-8a, O-8b: processor seconds from facts to plan.

    Several passes over all of them: the machine has slow moments, and one may last for a pass."""
    size = [] if suite.quick else ["large"]
    lines, passes = [], []
    for _ in range(2 if suite.quick else PASSES):
        said = []
        for text in ("O-5", "O-8b", "O-8 ", "O-8a"):
            said += lines_of([suite.program("bench_decision"), *size, text])
        passes.append([found for line in said if (found := DECISION.match(line))])
        lines += said
    decision_rows(report, passes)
    report.section(f"bench_decision {' '.join(size)}", lines)


def of_program(name):
    """Rows that a program words itself: lines `ROW|what|floor|aim|measured|verdict`, and others."""
    def rows(suite, report):
        size = ["quick"] if suite.quick else []
        lines = lines_of([suite.program(name), *size])
        for line in lines:
            if line.startswith("ROW|"):
                report.row(*line[4:].split("|"))
        if not any(line.startswith("ROW|") for line in lines):
            raise Broken(f"{name} printed no row")
        report.section(" ".join([name, *size]), [l for l in lines if not l.startswith("ROW|")])
    return rows


def start(suite, report):
    """How long the command takes beside a program that does nothing."""
    lines = lines_of([suite.program("bench_command")])
    ratio = float(next(line for line in lines if "--version" in line).split()[-1])
    report.row("start", "gedge --version against an empty program", "-", "-", f"{ratio:.2f}x",
               "for information")
    report.section("bench_command", lines)


# Floors and aims of ratios that bench_reading prints, by the beginning of its headings.
READING = [("P-1 PodList as served, pods of 10", (15, 30)), ("P-1 PodList as served, every", None),
           ("P-1 minimal pods", (6, 12)), ("O-6 parse only", (5, 10)), ("P-6", (5, 10))]


def reading(suite, report):
    """P-1, P-6 and the reading of O-6: bytes to facts beside other parsers of the same bytes."""
    lines = lines_of([suite.program("bench_reading"), *(["quick"] if suite.quick else [])])
    heading = other = ""
    for line in lines:
        words = line.split()
        if not line.startswith(" "):
            heading = line
        elif words[0] == "ratio":
            goals = next(w[1] for w in READING if heading.startswith(w[0]))
            name, _, rest = heading.partition(" ")
            floor, aim = (f"{goal}x" for goal in goals) if goals else ("-", "-")
            report.row(name, f"{rest}; to facts, against {other}", floor, aim,
                       f"{words[1]}x {' '.join(words[2:])}",
                       at_least(float(words[1]), *goals) if goals else "for information")
        else:
            other = words[0]
    report.section("bench_reading", lines)


# kind, microseconds, range, share of the full plan, what moved: bench_what_if.
EDIT = re.compile(r"^(?P<kind>\S.*?)\s{2,}(?P<us>[\d.]+) us \((?P<range>[\d. to]+)\)\s+"
                  r"1/(?P<share>\d+)\s+(?P<rest>.*)$")


def what_if(suite, report):
    """O-10: edits in a session that has planned, against the decision phase of the full plan."""
    lines = lines_of([suite.program("bench_what_if")])
    if not any(EDIT.match(line) for line in lines):
        raise Broken("bench_what_if printed no edit")
    workload = ""
    for line in lines:
        if "full plan, " in line:
            workload = f"{line.split()[0]}, {line.rsplit('full plan, ', 1)[1]}"
        found = EDIT.match(line)
        if not found:
            continue
        verdict = at_least(int(found["share"]), 100, 1_000)
        if not workload.endswith(" 50000 pods"):
            verdict = f"for information ({verdict}); the goal is for 50,000 pods of few templates"
        if "BREAKS" in found["rest"]:
            verdict = "VOID: breaks a rule"
        report.row("O-10", f"one what-if edit after loading, against the full plan ({workload}): "
                   f"{found['kind']}", "1/100", "1/1,000",
                   f"1/{found['share']}; {found['us']} us ({found['range']}); {found['rest']}",
                   verdict)
    report.section("bench_what_if", lines)
