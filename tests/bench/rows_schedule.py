"""Rows L-1 to L-6 and L-8 to L-9: gedge schedule beside kube-scheduler 1.20.2, on one server.

All take pods that were created before they start. A watch of the benchmark's own sees when each
pod is bound; the rate is that from the first bind to the last. Processor time counts until every
Event of a bind is there, for who writes them. Every binding is verified. The server's garbage is
collected before each turn, as that takes a turn of a second or falls between two.
"""

from harness import at_least, spread
from live_sides import Side, node, start_ceiling, start_gedge, start_kubernetes
from rows_kubernetes import Plane

PAIRS = 7
# With so many pods a server collects its garbage in each turn, which takes it about a second: with
# fewer, that is the luck of the turn.
LONG_TURN, LONG_PAIRS, FEW_NODES = 5000, 11, 1000


def ratio(ours, theirs):
    return spread(a / b for a, b in zip(ours, theirs))


class Sides:
    """Those that take turns, on a server of their own."""

    def __init__(self, suite, nodes, pods):
        self.suite, self.nodes, self.pods, self.raw = suite, nodes, pods, []
        self.kubernetes = Side("default-scheduler", start_kubernetes, tells=True)
        self.quiet = Side("gedge", start_gedge(suite, "none"))
        self.telling = Side("gedge", start_gedge(suite, "all"), tells=True)

    def run(self):
        order = [self.kubernetes, self.quiet, self.telling]
        with Plane(self.suite) as (plane, api):
            api.create(node(i) for i in range(self.nodes))
            warm = Side("nobody", start_ceiling(self.suite, self.nodes))
            warm.run(plane, api, "warm", self.pods, [])  # not counted
            for number in range(PAIRS):
                for side in order if number % 2 == 0 else reversed(order):
                    side.run(plane, api, f"{number}-{order.index(side)}", self.pods, self.raw)
        return self

    def where(self):
        return (f"{self.nodes:,} nodes, {self.pods:,} pods that were there before, {PAIRS} pairs, "
                "every binding verified")


def beside_scheduler(suite, report):
    small = Sides(suite, FEW_NODES, 3000).run()
    kubernetes, quiet, telling = small.kubernetes, small.quiet, small.telling
    for name, what, found, floor, aim in (
            ("L-1", "binds a second, without Events", ratio(quiet.rates, kubernetes.rates), 4, 6.5),
            ("L-3", "with an Event a bind", ratio(telling.rates, kubernetes.rates), 2.5, 3.2),
            ("L-5", "processor time a pod, without Events",
             ratio(kubernetes.seconds, quiet.seconds), 25, 40),
            ("L-5", "processor time a pod, with an Event a bind",
             ratio(kubernetes.seconds, telling.seconds), 25, 40),
            ("L-6", "peak memory", ratio(kubernetes.memory, telling.memory), 6, 10)):
        report.row(name, f"{what}, against kube-scheduler 1.20.2 (which writes Events), "
                   + small.where(), f"{floor}x", f"{aim}x", found.text(1, "x"),
                   at_least(found.median, floor, aim))
    report.section("L: one after the other on one server, 1,000 nodes", small.raw)
    large = Sides(suite, 5000, 3000).run()
    faster = ratio(large.quiet.rates, large.kubernetes.rates)
    report.row("L-2", "binds a second, without Events, against kube-scheduler 1.20.2 (which writes "
               "Events), " + large.where(), "5x", "6.5x", faster.text(1, "x"),
               at_least(faster.median, 5, 6.5))
    memory = ratio(large.kubernetes.memory, large.telling.memory)
    report.row("L-6", "peak memory, against kube-scheduler 1.20.2, " + large.where(), "6x", "10x",
               memory.text(1, "x"), at_least(memory.median, 6, 10))
    report.section("L: one after the other on one server, 5,000 nodes", large.raw)


def of_ceiling(suite, report):
    """L-4."""
    raw = []
    ours = Side("gedge", start_gedge(suite, "none"))
    ceiling = Side("nobody", start_ceiling(suite, FEW_NODES))
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(FEW_NODES))
        for number in range(-1, LONG_PAIRS):  # the first of each is not counted
            for side in (ours, ceiling) if number % 2 == 0 else (ceiling, ours):
                side.run(plane, api, f"{number + 1}-{side.name}", LONG_TURN, raw)
    share = ratio(ours.rates[1:], ceiling.rates[1:])
    report.row("L-4", "binds a second, without Events, as a share of what raw connections reach "
               f"that decide nothing (64, open before, the same watches), {FEW_NODES:,} nodes, "
               f"{LONG_TURN:,} pods that were there before, {LONG_PAIRS} pairs, every binding "
               "verified", "0.75", "0.90", share.text(2), at_least(share.median, 0.75, 0.9))
    report.section("L-4: one after the other on one server", raw)


def of_sizes(suite, report):
    """L-9: in turn on two servers, as a machine that has become slower is no matter of nodes."""
    sizes, pods, pairs, raw = (FEW_NODES, 5000), LONG_TURN, LONG_PAIRS, []
    with Plane(suite) as few, Plane(suite) as many:
        sides = []
        for (plane, api), nodes in zip((few, many), sizes):
            api.create(node(i) for i in range(nodes))
            sides.append((Side("gedge", start_gedge(suite, "none")), plane, api))
        for number in range(-1, pairs):  # the first of each is not counted
            for side, plane, api in sides if number % 2 == 0 else reversed(sides):
                side.run(plane, api, f"size-{number + 1}", pods, raw)
        small, large = (side.rates[1:] for side, _, _ in sides)
    kept = ratio(large, small)
    report.row("L-9", f"binds a second at 5,000 nodes, as a share of those at 1,000, {pods:,} pods "
               f"that were there before, {pairs} pairs, without Events, every binding verified",
               "0.90", "0.95", kept.text(2), at_least(kept.median, 0.9, 0.95))
    report.section("L-9: one after the other, on two servers", raw)


def from_start(suite, report):
    """L-8, from when the process of each was made."""
    nodes, pods, pairs, raw = 1000, 1000, 21, []
    theirs = Side("default-scheduler", start_kubernetes, tells=True)
    ours = Side("gedge", start_gedge(suite, "all"), tells=True)
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(nodes))
        ours.run(plane, api, "warm", pods, [])
        ours.first.clear()
        for number in range(pairs):
            for side in (theirs, ours) if number % 2 == 0 else (ours, theirs):
                side.run(plane, api, f"{number}-{side.name}", pods, raw)
    sooner = ratio(theirs.first, ours.first)
    report.row("L-8", "start of the process to the first bind that is seen, against kube-scheduler "
               f"1.20.2, {nodes:,} nodes, {pods:,} pods that were there before, {pairs} pairs, "
               "every binding verified", "2x", "4x", sooner.text(1, "x"),
               at_least(sooner.median, 2, 4))
    report.section("L-8: one after the other on one server", raw)
