"""`gedge schedule --watch` while pods come and go: each is bound, no node takes more than it has,
and memory stays flat.

    schedule_churn_test.py [--hour]

goes on for an hour."""
import argparse
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402
from plane_audit import Audit  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20")
NODES, BATCH, MOST_HERE = 20, 10, 150
STEPS = 80  # of the short one
HOUR = 3600  # seconds
# Bytes, from the second quarter of the time to the last one. In a short one the room is filled that
# is kept for 1,024 pods.
MOST_MORE, MOST_MORE_IN_HOUR = 1 << 20, 512 << 10
EVERY_LARGE, EVERY_RENEWED = 8, 5  # steps
failures = []
asked = argparse.Namespace(hour=False)


def need(fact, what):
    if not fact:
        failures.append(what)


class Churn:
    def __init__(self, plane, scheduler, audit):
        self.plane, self.scheduler, self.audit = plane, scheduler, audit
        self.dice = random.Random(1)
        self.made, self.here, self.held = 0, [], []

    def step(self):
        """A batch comes, and is bound; as many go. Now and then one comes back under its name at
        once, and one is too large for every node until it goes."""
        number = len(self.held)
        news = [pod(f"p{self.made + i}", cpu=f"{self.dice.randint(1, 4)}00m")
                for i in range(BATCH)]
        self.made += BATCH
        if self.here and number % EVERY_RENEWED == 0:
            self.plane.delete(self.path(self.here[0]))
            news.append(pod(self.here.pop(0), cpu="100m"))
        self.here += [thing["metadata"]["name"] for thing in news]
        if number % EVERY_LARGE == 0:
            self.plane.create(PODS.format("default"), pod("large", cpu="64"))
        self.plane.create(PODS.format("default"), *news)
        if number % EVERY_LARGE == 0:
            until(self.is_large_told, "why the large one waits")
            self.plane.delete(self.path("large"))
        while len(self.here) > MOST_HERE:
            self.plane.delete(self.path(self.here.pop(self.dice.randrange(len(self.here)))))
        until(lambda: len(self.audit.pods) == len(self.here), "the audit to see all of them bound")
        self.held.append(self.memory())

    def path(self, name):
        return PODS.format("default") + "/" + name

    def is_large_told(self):
        conditions = self.plane.get(self.path("large"))["status"].get("conditions", [])
        return any(c["reason"] == "Unschedulable" for c in conditions)

    def memory(self):
        with open(f"/proc/{self.scheduler.process.pid}/status") as file:
            return next(int(row.split()[1]) << 10 for row in file if row.startswith("VmRSS"))

    def growth(self):
        quarter = len(self.held) // 4
        second, last = self.held[quarter:2 * quarter], self.held[-quarter:]
        return statistics.median(last) - statistics.median(second)


def check_churn(plane):
    plane.create("/api/v1/nodes", *(node(f"n{i}") for i in range(NODES)))
    audit = Audit(plane)
    try:
        with Scheduler(plane, *KUBE) as scheduler:
            churn = Churn(plane, scheduler, audit)
            end = time.monotonic() + HOUR
            while time.monotonic() < end if asked.hour else len(churn.held) < STEPS:
                churn.step()
            print(f"{churn.made} pods: {churn.held[-1] >> 10} KiB, "
                  f"{int(churn.growth()) >> 10} KiB more than in the second quarter", flush=True)
            need(churn.growth() < (MOST_MORE_IN_HOUR if asked.hour else MOST_MORE),
                 f"memory grows: {[held >> 10 for held in churn.held[::len(churn.held) // 16]]}")
    finally:
        audit.close()
    failures.extend(audit.wrong[:5])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hour", action="store_true")
    parser.parse_args(namespace=asked)
    return run_checks((check_churn,), failures)


if __name__ == "__main__":
    sys.exit(main())
