"""Rows L-7 and L-10: pods that come one by one, and an API server that is gone for a while."""

import json
import os
import signal
import subprocess
import threading
import time

from harness import Broken, at_least, at_most, spread
from live_sides import (PATIENCE, Process, Watch, node, node_name, pod, start_gedge,
                        start_kubernetes, verify, version_of)
from rows_kubernetes import Api, Plane

NODES, RATES, TURNS = 1000, (20, 100), 5
PODS_A_TURN = {20: 500, 100: 1000}  # 25 of the slowest hundredth at 20 a second, over all turns
FLOOD, GONE_SECONDS, GONE_TURNS = 12_000, 5, 3


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def stream(suite, api, rate, pods, *node_of_all):
    """Seconds from the reply to the creation of each pod until it is seen with a node."""
    lines = [api.headers["Authorization"].split()[1], *map(json.dumps, pods)]
    done = subprocess.run(
        [suite.program("bench_stream"), "https://" + api.host, str(rate),
         version_of(api, "/api/v1/pods"), *node_of_all],
        input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(done.stderr)
    return [float(line) / 1e6 for line in done.stdout.split()]


def delays(suite, plane, api, start, scheduler, rate, mark):
    process = start(plane)
    try:
        stream(suite, api, 1, [pod(f"{mark}-warm", scheduler)])
        return stream(suite, api, rate,
                      [pod(f"{mark}-{i:05}", scheduler) for i in range(PODS_A_TURN[rate])])
    finally:
        process.stop()
        api.delete_pods()


def bare_delays(suite, _, api, __, scheduler, rate, mark):
    """Of who creates them binding them too, without a decision."""
    try:
        return stream(suite, api, rate, [pod(f"{mark}-{i:05}", scheduler)
                                         for i in range(PODS_A_TURN[rate])], node_name(0))
    finally:
        api.delete_pods()


def one_by_one(suite, report):
    sides = {"default-scheduler": start_kubernetes, "gedge": start_gedge(suite, "all"),
             "nobody": None}
    found, raw = {(name, rate): [] for name in sides for rate in RATES}, []
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(NODES))
        for turn in range(TURNS):
            for rate in RATES:
                for name in sides if turn % 2 == 0 else reversed(sides):
                    mark = f"s-{turn}-{rate}-{name}"
                    ask = delays if sides[name] else bare_delays
                    seen = ask(suite, plane, api, sides[name], name, rate, mark)
                    found[name, rate] += seen
                    raw.append(f"{name:18} {rate:4} pods/s  " + "  ".join(
                        f"p{100 * part:g} {1e3 * quantile(seen, part):.2f} ms"
                        for part in (0.5, 0.9, 0.99)))
    for rate in RATES:
        for part, floor, aim in ((0.5, 1 / 2, 1 / 3), (0.99, 1 / 3, 1 / 5)):
            ours, theirs = (quantile(found[name, rate], part) for name in ("gedge",
                                                                          "default-scheduler"))
            report.row("L-7", f"reply to the creation of a pod until it is seen bound, "
                       f"p{100 * part:g} of {len(found['gedge', rate]):,} pods at {rate} a second, "
                       f"against kube-scheduler 1.20.2, both writing Events, {NODES:,} nodes",
                       f"1/{1 / floor:.0f}", f"1/{1 / aim:.0f}",
                       f"{ours / theirs:.2f}; {1e3 * ours:.2f} ms, kube-scheduler "
                       f"{1e3 * theirs:.2f} ms", at_most(ours / theirs, floor, aim))
            least = quantile(found["nobody", rate], part)
            report.row("L-7", "the same of who creates the pods, binding each as soon as its watch "
                       "tells of it, with no scheduler and no Events: what this server takes", "-",
                       "-", f"{least / theirs:.2f}; {1e3 * least:.2f} ms", "for information")
    report.section("L-7: turns", raw)


def command_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().decode().rstrip("\0").split("\0")


def break_server(plane):
    """Kills the API server, and starts it again as it was. When it answered again."""
    path = os.path.join(plane.dir, "apiserver.pid")
    with open(path, encoding="ascii") as file:
        pid = int(file.read())
    command = command_of(pid)
    os.kill(pid, signal.SIGKILL)
    time.sleep(GONE_SECONDS)
    with open(os.path.join(plane.dir, "apiserver.log"), "ab") as log:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
    threading.Thread(target=child.wait, daemon=True).start()  # whoever stops it waits for its end
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{child.pid}\n")


def wait_until_it_answers(api):
    """Earlier than it calls itself ready."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            Api(api.host, api.headers["Authorization"].split()[1]).ask(
                "GET", "/api/v1/pods?limit=1")
            return time.monotonic()
        except (OSError, Broken):
            time.sleep(0.02)
    raise Broken("the API server did not come back")


def bound_within(times, begin, end):
    return sum(begin <= moment < end for moment in times)


def gone_once(suite):
    """Binds a second before and after, seconds until the first bind, and binds of each second."""
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(NODES))
        api.create(pod(f"f-{i:05}", "gedge") for i in range(FLOOD))
        watch = Watch(api, FLOOD)
        process: Process = start_gedge(suite, "none")(plane)
        try:
            while len(watch.moments) < FLOOD // 4:
                time.sleep(0.01)
            killed = time.monotonic()
            break_server(plane)
            back = wait_until_it_answers(api)
            if not watch.over.wait(PATIENCE):
                raise Broken(f"{len(watch.moments)} of {FLOOD} pods were bound")
        finally:
            process.stop()
            watch.end()
        api = Api("https://" + api.host, api.headers["Authorization"].split()[1])
        verify(api, watch)
        times = watch.times()
    warm = times[FLOOD // 8]  # a server that has just begun is slower
    before = bound_within(times, warm, killed) / (killed - warm)
    first = next((moment - back for moment in times if moment > back), float("inf"))
    span = min(2.0, times[-1] - back - 2)
    if span < 0.2:
        raise Broken("all pods were bound too soon after the server was back")
    after = bound_within(times, back + 2, back + 2 + span) / span
    seconds = range(int(times[-1] - killed) + 1)
    return before, after, first, [bound_within(times, killed + i, killed + i + 1) for i in seconds]


def server_gone(suite, report):
    turns = [gone_once(suite) for _ in range(GONE_TURNS)]
    kept = spread(after / before for before, after, _, _ in turns)
    report.row("L-10", f"the API server is killed and gone for {GONE_SECONDS} s while {FLOOD:,} "
               "pods are bound; the rate from 2 s after it answers again, as a share of that "
               f"before, but for the first eighth, {GONE_TURNS} turns (every binding verified: "
               "none double, none lost)",
               "0.80", "0.90", f"{kept.text(2)}; first bind "
               f"{max(first for _, _, first, _ in turns):.2f} s after it answered, at most",
               at_least(kept.median, 0.8, 0.9))
    report.section("L-10: turns, and pods bound by the second since the server was killed", [
        f"{before:5.0f}/s, then {after:5.0f}/s, first after {first:.2f} s:  "
        + " ".join(map(str, by_second)) for before, after, first, by_second in turns])
