"""Rows O-9 and M: how time and memory grow with the input."""

import os
import statistics

from harness import Broken, at_most, lines_of, peak_of, slope
from rows_process import generate, plan_command

# Ladder of bench_growth: what grows, floor, aim.
LADDERS = {
    "pods": ("pods, 10 templates on 20,000 nodes", 1.05, 1.02),
    "own": ("pods, each with a label of its own, 10 templates on 5,000 nodes", 1.05, 1.02),
    "nodes": ("nodes, 50,000 pods of 8 templates", 0.35, 0.2),
    "different": ("nodes, 2,000 pods that all differ", 0.7, 0.5),
}


def time(suite, report):
    """O-9: processor seconds from facts to plan, the state of the cluster included."""
    lines = lines_of([suite.program("bench_growth"), *(["quick"] if suite.quick else [])])
    for ladder, (what, floor, aim) in LADDERS.items():
        points = [line.split() for line in lines if line.split()[0] == ladder]
        # Below, a plan is little more than the state of the nodes, which flatters the slope.
        points = points[-6:] if ladder in ("pods", "own") else points
        sizes = [int(words[1]) for words in points]
        best = [statistics.median(float(word) for word in words[2:]) for words in points]
        rise, error = slope(sizes, best)
        report.row("O-9", f"growth of decision time with {what}: {sizes[0]:,} to {sizes[-1]:,}",
                   f"{floor}", f"{aim}", f"slope {rise:.3f}, standard error {error:.3f}",
                   at_most(rise, floor, aim))
    report.section("bench_growth: size and processor seconds", lines)


def memory(suite, report):
    """M: peak memory of gedge plan beyond the bytes of its input, over a ladder of sizes."""
    sizes = [500, 1_000, 2_000, 5_000, 10_000] + ([] if suite.quick else [20_000])
    least = peak_of([suite.program("bench_empty")])
    peaks, raw = [], [f"an empty program, measured in the same way  {least:.1f} MiB"]
    for nodes in sizes:
        path = generate(suite, "objects", f"memory-{nodes}.json", nodes=nodes, pods=10 * nodes,
                        form="served")
        facts = ["--cluster", path]
        peak = min(peak_of(plan_command(suite, facts)) for _ in range(2))
        if peak < 1.5 * least:
            raise Broken(f"{peak:.1f} MiB are hardly more than an empty program's")
        size = os.path.getsize(path) / 2**20
        peaks.append(peak - size)
        raw.append(f"{nodes:6} nodes {10 * nodes:7} pods  input {size:7.1f} MiB  peak {peak:7.1f} "
                   f"MiB  beyond {peak - size:7.1f} MiB")
        os.remove(path)
    rise, error = slope(sizes, peaks)
    report.row("M", "growth of peak memory beyond the input with the cluster, whole process, "
               f"{sizes[0]:,} to {sizes[-1]:,} nodes and ten times as many pods", "1.05", "-",
               f"slope {rise:.3f}, standard error {error:.3f}", at_most(rise, 1.05, 1.05)
               .replace("aim", "floor"))
    report.section("M: peak memory of gedge plan", raw)


def kernels(suite, report):
    """P-5 and the kernels, by Google Benchmark."""
    lines = []
    for name in ("bench_kernels", "bench_winner_tree"):
        if not os.path.exists(suite.program(name)):
            raise Broken(f"{name} is not built: Google Benchmark is missing")
        lines += lines_of([suite.program(name)])
    rates = {}
    for line in lines:
        if "items_per_second=" in line:
            number = line.rsplit("items_per_second=", 1)[1].removesuffix("/s")
            scale = {"k": 1e3, "M": 1e6, "G": 1e9}.get(number[-1], 1)
            rates[line[:30].split("  ")[0].strip()] = float(number.rstrip("kMG")) * scale
    slowest = max(1e9 / rates[name] for name in ("parse_units", "parse_milli"))
    rare = 1e9 / rates["parse_milli rare forms"]
    report.row("P-5", "an amount such as 250m or 128Mi", "15 ns", "6 ns",
               f"{slowest:.1f} ns; {rare:.1f} ns for rare forms", at_most(slowest, 15, 6))
    for name in ("join_slack", "least_allocated", "balanced"):
        report.row("kernel", f"{name} a row, as vectors and for the least processor; same answers",
                   "-", "-", f"{1e9 / rates[name]:.2f} ns, {1e9 / rates[name + ' plain']:.2f} ns",
                   "for information")
    for rows in (5_000, 100_000):
        report.row("kernel", f"winner tree of {rows:,} rows: a placement, best and second best",
                   "-", "-", f"{1e9 / rates[f'winner_tree/{rows}']:.0f} ns", "for information")
    report.section("bench_kernels, bench_winner_tree", lines)
