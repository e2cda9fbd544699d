"""`gedge schedule --watch` where somebody sets the clock: who leads goes on leading, who waits goes
on waiting, and pods are bound all the same. By libfaketime, which changes the date alone.

    schedule_clock_test.py [--jumps N] [--seed N]

sets it N times more on each side, at random from the seed."""
import argparse
import glob
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20", "--leader-elect")
LEASE = "/apis/coordination.k8s.io/v1/namespaces/gedge-system/leases/gedge-scheduler"
# Within the time for which the server's certificate is good: from an hour ago, for a year.
JUMPS = ["+3600", "-3000", "+86400", "+0"]
EARLIEST, LATEST = -3_000, 300 * 86_400  # seconds
LIBRARY = "/usr/lib/*/faketime/libfaketimeMT.so.1"
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


class Clock:
    """The date of whoever is started meanwhile."""

    def __init__(self, plane, library, name):
        self.path = plane.path(name)
        self.environment = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": self.path,
                            "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.set("+0")

    def set(self, offset):
        with open(self.path + ".new", "w") as file:
            file.write(offset + "\n")
        os.rename(self.path + ".new", self.path)

    def __enter__(self):
        os.environ.update(self.environment)

    def __exit__(self, *_):
        for name in self.environment:
            del os.environ[name]


def bind_some(plane, name):
    plane.create(PODS.format("default"), *(pod(f"{name}-{i}", cpu="10m") for i in range(5)))
    until(lambda: all(thing["spec"].get("nodeName") for thing in plane.pods().values()), name)


def check_jumps(plane):
    library = glob.glob(LIBRARY)[0]
    plane.create_space()
    plane.create("/api/v1/nodes", node("n1", cpu="64", memory="256Gi",
                                     pods=str(20 + 10 * len(JUMPS))))
    leads, waits = Clock(plane, library, "leads.time"), Clock(plane, library, "waits.time")
    with leads:
        first = Scheduler(plane, *KUBE)
    with first:
        with waits:
            second = Scheduler(plane, *KUBE, waits_for="event=standby")
        with second:
            bind_some(plane, "before")
            held = plane.get(LEASE)["spec"]
            dates = set()
            for clock in (leads, waits):
                for number, jump in enumerate(JUMPS):
                    clock.set(jump)
                    # Two renewals on: whoever would have been misled has been.
                    for _ in range(3):
                        version = plane.get(LEASE)["metadata"]["resourceVersion"]
                        until(lambda version=version: version !=
                              plane.get(LEASE)["metadata"]["resourceVersion"], "a renewal")
                        dates.add(plane.get(LEASE)["spec"]["renewTime"][:13])
                    bind_some(plane, f"{os.path.basename(clock.path)[:5]}{number}")
            now = plane.get(LEASE)["spec"]
            need((now["holderIdentity"], now["leaseTransitions"]) ==
                 (held["holderIdentity"], held["leaseTransitions"]), f"{held} {now}")
            need(len(dates) > 2, f"the date was not changed: {dates}")
            need("event=leading" not in second.log(), second.log()[-600:])
            need("event=not-bound" not in first.log(), first.log()[-600:])
    need((first.process.returncode, second.process.returncode) == (0, 0), "an end")


if __name__ == "__main__":
    if not glob.glob(LIBRARY):
        print("[skipped] there is no libfaketime")
        sys.exit(77)
    parser = argparse.ArgumentParser()
    parser.add_argument("--jumps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    JUMPS.extend(f"{dice.randint(EARLIEST, LATEST):+}" for _ in range(asked.jumps))
    sys.exit(run_checks((check_jumps,), failures))
