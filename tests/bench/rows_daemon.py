"""Rows G-04 and G-09: who takes over from a scheduler that dies, and one that has nothing to do."""

import os
import signal
import time

from harness import Broken, at_most
from live_sides import PATIENCE, Watch, node, pod, start_gedge
from rows_kubernetes import Plane

NODES, TURNS, SETTLE_SECONDS = 1000, 5, 3
FEW_NODES, IDLE_SECONDS = 10, 10


def take_over(start, plane, api, how, name, leader, standby):
    """Seconds from the signal until a pod that was made right after it is bound, and the pair that
    runs then."""
    time.sleep(SETTLE_SECONDS)  # the standby has listed the cluster
    watch = Watch(api, 1)
    sent = time.monotonic()
    os.kill(leader.pid, how)
    try:
        api.create([pod(name, "gedge")])
        if not watch.over.wait(PATIENCE):
            raise Broken("nobody took over")
        leader.child.wait()
        return watch.times()[0] - sent, standby, start(plane)
    finally:
        watch.end()


def handover(suite, report):
    start, raw = start_gedge(suite, "none"), []
    found = {signal.SIGKILL: [], signal.SIGTERM: []}
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(NODES))
        pair = [start(plane)]
        try:
            time.sleep(SETTLE_SECONDS)  # the first one leads
            pair.append(start(plane))
            for turn in range(TURNS):
                for how, seconds in found.items():
                    spent, *pair = take_over(start, plane, api, how, f"g-{turn}-{how.name.lower()}",
                                             *pair)
                    seconds.append(spent)
                    raw.append(f"{how.name}  {spent:6.2f} s")
        finally:
            for process in pair:
                process.stop()
    for how, floor, aim in ((signal.SIGKILL, 23, 20), (signal.SIGTERM, 3, 1)):
        most = max(found[how])
        report.row("G-04", f"{how.name} to the scheduler that leads until the standby has bound a "
                   f"pod that was made right after it, the longest of {TURNS}, {NODES:,} nodes",
                   f"{floor} s", f"{aim} s", f"{most:.2f} s", at_most(most, floor, aim))
    report.section("G-04: turns", raw)


def resident(pid):
    """Megabytes (10^6)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024 / 1e6


def idle(suite, report):
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(FEW_NODES))
        process = start_gedge(suite, "all")(plane)
        try:
            time.sleep(IDLE_SECONDS)
            used = resident(process.pid)
        finally:
            process.stop()
    report.row("G-09", f"resident memory of a scheduler that follows {FEW_NODES} nodes and has "
               "nothing to do", "20 MB", "15 MB", f"{used:.1f} MB", at_most(used, 20, 15))
