#!/usr/bin/env python3
"""`gedge measure` of an ordinary user: what it may, what it may not, and what it says then.

The relay (tests/support/relay) makes the network, so that nobody else's settings count.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

GEDGE = os.environ["GEDGE"]
RELAY = Path(os.environ["GEDGE_BUILD_DIR"], "bin", "test_relay")
NOBODY = 65534
# Changes to nobody, who has no capability, and becomes the command.
DROP = ("import os, sys; os.setgroups([]); os.setgid({0}); os.setuid({0}); "
        "os.execvp(sys.argv[1], sys.argv[1:])").format(NOBODY)
failures = []


def skip(why):
    print(f"[skipped] {why}")
    sys.exit(77)


def nobody(*command, options=()):
    paths = ["--path", "11:1000:1500", "--path", "12:0:0:1000000:0:0"]
    return subprocess.run([RELAY, *options, *paths, "--", sys.executable, "-c", DROP, *command],
                          capture_output=True, text=True, cwd="/")


def need(holds, what, done):
    if not holds:
        failures.append(f"{what}\n  exit {done.returncode}\n  {done.stdout}\n  {done.stderr}")


def pair_of(done):
    return json.loads(done.stdout)["pairs"][0]


ready = nobody(GEDGE, "--version")
if ready.returncode == 77:
    skip(ready.stdout.strip())
if ready.returncode != 0:
    skip("no user nobody here who may run the command")

measure = [GEDGE, "measure", "far=10.77.1.11", "-c", "3", "--interval", "5ms",
           "--timeout", "60s", "-o", "json"]

done = nobody(*measure)
need(done.returncode == 4, "ICMP without the right to is refused by the world", done)
need(not done.stdout, "no answer without a measurement", done)
for word in ("no permission", "net.ipv4.ping_group_range", "--method tcp"):
    need(word in done.stderr, f"the error says {word}", done)

done = nobody(*measure, options=["--ping-range"])
need(done.returncode == 0 and pair_of(done)["samples"] == 3, "the range of groups is enough", done)
need(pair_of(done)["method"] == "icmp", "stamps need no right", done)
need(pair_of(done)["minUs"] >= 2_500, "nothing is faster than the network", done)

done = nobody(*measure, "--method", "tcp", "--port", "9")
need(done.returncode == 0 and pair_of(done)["samples"] == 3, "refused handshakes are answers", done)
need(pair_of(done)["method"] == "tcp-userland", "refusals are not stamped", done)
need(pair_of(done)["minUs"] >= 2_500, "nothing is faster than the network", done)

silent = [GEDGE, "measure", "far=10.77.1.12", "-c", "2", "--interval", "5ms", "--timeout", "50ms",
          "-o", "json"]
for method in ("tcp", "udp", "icmp"):
    done = nobody(*silent, "--method", method, options=["--ping-range"])
    need(done.returncode == 1, f"{method}: silence is no answer", done)
    need(pair_of(done)["lossPpm"] == 1_000_000, f"{method}: everything is lost", done)
    need(pair_of(done)["p50Us"] is None and pair_of(done)["samples"] == 0,
         f"{method}: what was not measured is not zero", done)

done = nobody(GEDGE, "measure", "away=192.0.2.1", "-c", "2", "--interval", "5ms", "-o", "json",
              options=["--ping-range"])
need(done.returncode == 1 and pair_of(done)["p50Us"] is None, "no route, no time", done)
need("away never answered: it cannot be reached" in done.stderr, "it says why", done)

for failure in failures:
    print(failure)
sys.exit(bool(failures))
