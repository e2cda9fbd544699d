"""Rows G-04, G-06, G-09 and L-6: who takes over from a scheduler that dies, one that has nothing to
do, and one that comes to a crowd."""

import json
import os
import signal
import time

from harness import Broken, at_least, at_most
from live_sides import (PATIENCE, PODS_A_NODE, Side, Watch, begin_gedge, kubeconfig_by, node,
                        node_name, pod, start_gedge, start_kubernetes)
from rows_kubernetes import Plane
from rows_schedule import ratio

NODES, PODS, TURNS, LEAD_SECONDS, FOLLOW_SECONDS = 5000, 50_000, 5, 3, 15
FEW_NODES, MANY_NODES, IDLE_SECONDS = 10, 5000, 10
CROWD, CROWD_NODES = 50_000, 500
PEAK_NODES, PEAK_PODS, PEAK_TURNS, PLACED_TURNS = 5000, 10_000, 3, 5


def take_over(start, plane, api, how, name, leader, standby):
    """Seconds from the signal until a pod that was made right after it is bound, and the pair that
    runs then."""
    time.sleep(FOLLOW_SECONDS)  # the standby has listed everything
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
    start, raw = start_gedge(suite, "none", "--leader-elect"), []
    found = {signal.SIGKILL: [], signal.SIGTERM: []}
    with Plane(suite) as (plane, api):
        api.ask("POST", "/api/v1/namespaces", json.dumps({"metadata": {"name": "gedge-system"}}))
        fill(api, NODES, PODS)
        pair = [start(plane)]
        try:
            time.sleep(LEAD_SECONDS)
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
                   f"pod that was made right after it, {FOLLOW_SECONDS} s after its own start, the "
                   f"longest of {TURNS}, {NODES:,} nodes and {PODS:,} pods that have one",
                   f"{floor} s", f"{aim} s", f"{most:.2f} s", at_most(most, floor, aim))
    report.section("G-04: turns", raw)


def resident(pid):
    """Megabytes (10^6)."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024 / 1e6


def idle(suite, report):
    for nodes, is_named in ((FEW_NODES, False), (MANY_NODES, False), (FEW_NODES, True)):
        with Plane(suite) as (plane, api):
            api.create(node(i) for i in range(nodes))
            path = kubeconfig_by(plane, api, api.host.split(":")[1], is_named)
            process = begin_gedge(suite, "all", path)
            try:
                time.sleep(IDLE_SECONDS)
                used = resident(process.pid)
            finally:
                process.stop()
        floor, aim = ((alone + 1500 * (nodes - FEW_NODES)) / 1e6 for alone in (20e6, 15e6))
        of_what = " of a server that has a name, over HTTP/1.1," if is_named else ""
        report.row("G-09", f"resident memory of a scheduler that follows {nodes:,} nodes{of_what} "
                   "and has nothing to do",
                   f"{floor:.1f} MB", f"{aim:.1f} MB", f"{used:.1f} MB",
                   at_most(used, floor, aim))


def fill(api, nodes, pods):
    """With pods that have a node."""
    def there(i):
        made = pod(f"c-{i:05}", "other")
        made["spec"]["nodeName"] = node_name(i % nodes)
        return made
    if pods > nodes * PODS_A_NODE:
        raise Broken("more pods than there is room for")
    api.create(node(i) for i in range(nodes))
    api.create(there(i) for i in range(pods))


def bind_one(start, plane, api, name, scheduler):
    """The scheduler, once it has bound a pod that was there before it."""
    api.create([pod(name, scheduler)])
    watch = Watch(api, 1)
    process = start(plane)
    try:
        if not watch.over.wait(PATIENCE):
            process.stop()
            raise Broken("nobody bound the pod")
    finally:
        watch.end()
    return process


def crowd(suite, report):
    """The same lists as after a 410."""
    with Plane(suite) as (plane, api):
        fill(api, CROWD_NODES, CROWD)
        process = bind_one(start_gedge(suite, "none"), plane, api, "waits", "gedge")
        try:
            seconds = process.seconds()
            time.sleep(IDLE_SECONDS)
            used = resident(process.pid)
        finally:
            process.stop()
    where = f"{CROWD:,} pods on {CROWD_NODES:,} nodes"
    report.row("G-06", f"processor time of a scheduler from its start until it has listed {where} "
               "and bound one more", "5 s", "2.5 s", f"{seconds:.2f} s", at_most(seconds, 5, 2.5))
    floor, aim = (20e6 + each * CROWD + 1500 * CROWD_NODES for each in (600, 400))
    report.row("G-09", f"resident memory of a scheduler that follows {where} and has nothing to do",
               f"{floor / 1e6:.0f} MB", f"{aim / 1e6:.0f} MB", f"{used:.1f} MB",
               at_most(used, floor / 1e6, aim / 1e6))


def beside_placed(suite, report):
    sides = {"default-scheduler": start_kubernetes, "gedge": start_gedge(suite, "all")}
    found, raw = {name: [] for name in sides}, []
    with Plane(suite) as (plane, api):
        fill(api, PEAK_NODES, PEAK_PODS)
        for turn in range(PLACED_TURNS):
            for name in sides if turn % 2 == 0 else reversed(sides):
                process = bind_one(sides[name], plane, api, f"w-{turn}-{name}", name)
                found[name].append(process.peak())
                process.stop()
                raw.append(f"{name:18} peak {found[name][-1]:.1f} MiB")
    share = ratio(found["default-scheduler"], found["gedge"])
    report.row("L-6", f"peak memory, against kube-scheduler 1.20.2, {PEAK_NODES:,} nodes and "
               f"{PEAK_PODS:,} pods that have one, until one more is bound, {PLACED_TURNS} pairs",
               "6x", "10x", share.text(1, "x"), at_least(share.median, 6, 10))
    report.section("L-6: beside pods that have a node", raw)


def peak(suite, report):
    theirs = Side("default-scheduler", start_kubernetes, tells=True)
    ours, raw = Side("gedge", start_gedge(suite, "all"), tells=True), []
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(PEAK_NODES))
        for turn in range(PEAK_TURNS):
            for side in (theirs, ours) if turn % 2 == 0 else (ours, theirs):
                side.run(plane, api, f"{turn}-{side.name}", PEAK_PODS, raw)
    share = ratio(theirs.memory, ours.memory)
    report.row("L-6", f"peak memory, against kube-scheduler 1.20.2, {PEAK_NODES:,} nodes, "
               f"{PEAK_PODS:,} pods that were there before, {PEAK_TURNS} pairs, every binding "
               "verified", "6x", "10x", share.text(1, "x"), at_least(share.median, 6, 10))
    report.section("L-6: with all of their pods to be bound", raw)
