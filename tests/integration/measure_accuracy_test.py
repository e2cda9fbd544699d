#!/usr/bin/env python3
"""What `gedge measure` says against what the network really did to each packet.

The network is a relay between two namespaces (tests/support/relay); it stamps every packet that it
delays, loses, doubles or lets be overtaken, and those stamps are the truth. A packet is stamped by
the kernel before the relay has it and after the relay let it go, so on any machine, however busy,
no round-trip time may be less than the relay's. How little more it is depends on who else runs:
rows R-4 and R-5 of tests/bench measure that.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

GEDGE = os.environ["GEDGE"]
RELAY = Path(os.environ["GEDGE_BUILD_DIR"], "bin", "test_relay")
COUNT, INTERVAL, TIMEOUT_US = 100, "12ms", 1_000_000
MOST_OFF_US = 100_000  # A busy machine stays far below; a wrong unit or a foreign answer does not.
# Round trips of 0.2, 1, 5, 20 and 50 ms; one with unequal halves; one that loses every 50th probe,
# doubles 3 % each way and lets 3 % be overtaken.
PATHS = {"p11": "11:100:100", "p12": "12:500:500", "p13": "13:2500:2500", "p14": "14:10000:10000",
         "p15": "15:25000:25000", "p16": "16:3000:17000", "p17": "17:2500:2500:0:30000:30000:50"}
DROPPED = {"p17": COUNT // 50}  # of the others none
failures = []


def need(holds, what):
    if not holds:
        failures.append(what)


def relayed(log, *command, options=()):
    """Runs gedge behind the relay; its answer and what the relay wrote down."""
    paths = [word for path in PATHS.values() for word in ("--path", path)]
    done = subprocess.run([RELAY, "--seed", "4", "--log", log, *options, *paths, "--", GEDGE,
                           "measure", *command], capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stdout.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {done.stderr}")
    with open(log, encoding="ascii") as lines:
        return done.stdout, list(csv.reader(lines))


def truths(rows):
    """Round-trip times of every path, in the order of its probes; None where none came in time."""
    asked, answered = defaultdict(dict), defaultdict(dict)
    for path, direction, ident, sequence, came, left in rows:
        echo = (ident, sequence)
        if direction == "there":
            asked[path].setdefault(echo, int(came))
        elif left != "-":
            first = answered[path].get(echo)
            answered[path][echo] = int(left) if first is None else min(first, int(left))
    took = {}
    for path, probes in asked.items():
        times = [answered[path].get(echo, 10**12) - came for echo, came in probes.items()]
        took[path] = [time if time <= TIMEOUT_US else None for time in times]
    return took


def rank(times, percent):
    times = sorted(times)
    return times[(len(times) * percent + 99) // 100 - 1]


def check_pair(name, pair, times, label):
    known = [time for time in times if time is not None]
    need(len(times) == COUNT, f"{label} {name}: {len(times)} probes came to the relay")
    need(pair["samples"] == len(known), f"{label} {name}: {pair['samples']} samples, "
                                        f"the relay let {len(known)} through")
    lost = -(-(len(times) - len(known)) * 1_000_000 // len(times))
    need(pair["lossPpm"] == lost, f"{label} {name}: loss {pair['lossPpm']}, the relay: {lost}")
    need(pair["method"] == "icmp", f"{label} {name}: stamps of the kernel are missing")
    for key, percent in ("p50Us", 50), ("p95Us", 95), ("p99Us", 99), ("maxUs", 100):
        truth, said = rank(known, percent), pair[key]
        print(f"{label} {name}: {key} {said}, truth {truth}, {said - truth} us more")
        # Two clocks, one of which may be steered: a thousandth and the last microsecond.
        need(truth - truth * 0.001 - 1 <= said <= truth + MOST_OFF_US,
             f"{label} {name}: {key} is {said}, the relay took {truth}")


def check(folder, label, address, options=()):
    nodes = [f"{name}={address(spec.split(':')[0])}" for name, spec in PATHS.items()]
    text, rows = relayed(folder + "/" + label, *nodes, "--from", "here", "-c", str(COUNT),
                         "--interval", INTERVAL, "-o", "json", options=options)
    pairs = {pair["to"]: pair for pair in json.loads(text)["pairs"]}
    need(all(pair["from"] == "here" for pair in pairs.values()), f"{label}: a direction is lost")
    took = truths(rows)
    for name, spec in PATHS.items():
        number = spec.split(":")[0]
        check_pair(name, pairs[name], took[number], label)
        dropped = sum(row[0] == number and row[5] == "-" for row in rows)
        need(dropped == DROPPED.get(name, 0), f"{label} {name}: the relay dropped {dropped}")


with tempfile.TemporaryDirectory() as temporary:
    check(temporary, "IPv4", lambda number: f"10.77.1.{number}")
    check(temporary, "IPv6", lambda number: f"fd77::1:{int(number):x}")
    # Where ordinary users may ping, the datagram socket is used, which raw ones are not.
    check(temporary, "IPv4, datagram socket", lambda number: f"10.77.1.{number}",
          options=["--ping-range"])
for failure in failures:
    print(failure)
sys.exit(bool(failures))
