#!/usr/bin/env python3
"""Many targets without a bound on the rate: two threads probe them, and no target is confused with
another, asked for too often or forgotten."""
import json
import os
import subprocess
import sys

TARGETS, COUNT = 401, 3
NODES = [f"n{i:03}=127.0.{1 + i // 200}.{1 + i % 200}" for i in range(TARGETS)]

done = subprocess.run([os.environ["GEDGE"], "measure", *NODES, "--from", "here", "-c", str(COUNT),
                       "--interval", "0", "--rate", "0", "--timeout", "60s", "-o", "json"],
                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
if "ping_group_range" in done.stderr:
    print("no ICMP socket for this user: not tested")
    sys.exit(77)
if done.returncode != 0:
    sys.exit(f"exit {done.returncode}: {done.stderr}")
pairs = json.loads(done.stdout)["pairs"]
wrong = [pair["to"] for pair in pairs if pair["samples"] != COUNT or pair["lossPpm"] != 0]
if [pair["to"] for pair in pairs] != [node.split("=")[0] for node in NODES]:
    sys.exit("some target is missing, or in another place")
if wrong:
    sys.exit(f"{len(wrong)} targets have too few or too many answers: {wrong[:5]}")
