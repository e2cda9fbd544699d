"""Rows G-06 to G-08: links of which one half is gone, a server that does not answer for long, and
pods that change all the time."""

import concurrent.futures
import contextlib
import functools
import json
import os
import signal
import statistics
import sys
import time

from harness import Broken, at_most
from live_sides import (PATIENCE, Watch, begin_gedge, kubeconfig_by, node, pod, start_gedge,
                        start_kubernetes)
from rows_daemon import resident
from rows_kubernetes import Plane
from rows_live import quantile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from fault_proxy import FaultProxy  # noqa: E402

TURNS, SETTLED_SECONDS = 3, 2
BACKLOG, CALM_TURNS, OUTAGE_NODES, OUTAGES = 2_000, 3, 100, (5, 60)  # seconds
FLOOD, BURST, SENDERS, FLOODED_NODES, APART_SECONDS = 100_000, 20_000, 8, 10, 0.5


def bind_next(api, name, scheduler="gedge"):
    """Seconds from the reply to the creation of a pod until it is seen bound."""
    watch = Watch(api, 1, name)
    try:
        api.ask("POST", "/api/v1/namespaces/default/pods", json.dumps(pod(name, scheduler)))
        made = time.monotonic()
        if not watch.over.wait(PATIENCE):
            raise Broken(f"nobody bound {name}")
        return watch.times()[0] - made
    finally:
        watch.end()


def half_open(suite, report):
    raw = []
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(FLOODED_NODES))
        host, port = api.host.split(":")
        for is_named in (False, True):
            protocol, found = "HTTP/1.1" if is_named else "HTTP/2", []
            with FaultProxy(host, int(port)) as proxy:
                path = kubeconfig_by(plane, api, proxy.port, is_named)
                process = begin_gedge(suite, "none", path)
                try:
                    for turn in range(TURNS):
                        mark = f"h-{is_named:d}-{turn}"
                        bind_next(api, mark + "-before")
                        time.sleep(SETTLED_SECONDS)
                        proxy.drop_server()
                        found.append(bind_next(api, mark))
                        raw.append(f"{protocol:8}  {found[-1]:6.2f} s")
                finally:
                    process.stop()
            most = max(found)
            report.row("G-06", f"all connections of a scheduler are half open, over {protocol}, "
                       "until a pod that was made right then is bound over new ones, the longest "
                       f"of {TURNS}", "35 s", "25 s", f"{most:.2f} s", at_most(most, 35, 25))
    report.section("G-06: connections that are half open", raw)


def bind_backlog(api, mark, let):
    """Pods that are there before `let` lets a scheduler bind them: what it returned, and when the
    first and the last one were bound."""
    watch = Watch(api, BACKLOG)
    try:
        api.create(pod(f"{mark}-{i:04}", "gedge") for i in range(BACKLOG))
        begin = let()
        if not watch.over.wait(PATIENCE):
            raise Broken(f"{len(watch.moments)} of {BACKLOG} pods were bound")
        times = watch.times()
        return begin, times[0], times[-1]
    finally:
        watch.end()


class Outage:
    """A server that does not answer, until it is let; `waited`: how long it was not asked then."""

    def __init__(self, proxy):
        self.proxy, self.begun = proxy, time.monotonic()
        self.waited = None
        proxy.set(refuse=True)
        proxy.cut()

    def end(self, seconds):
        """When it is over, that many seconds after it began."""
        time.sleep(max(0.0, self.begun + seconds - time.monotonic()))
        heard = self.proxy.count()["up"]
        self.proxy.clear()
        back = time.monotonic()
        while self.proxy.count()["up"] == heard:
            if time.monotonic() - back > PATIENCE:
                raise Broken("nobody asks a server that is there again")
            time.sleep(0.005)
        self.waited = time.monotonic() - back
        return back


def backlogs(plane, api, proxy, process):
    """Of each outage: its seconds, how long the server was not asked after it, and until the first
    pod was bound; then from the first to the last. First of those that nothing disturbs."""
    def calm():
        process.child.send_signal(signal.SIGCONT)
        return time.monotonic()
    undisturbed = []
    for turn in range(1 + CALM_TURNS):
        process.child.send_signal(signal.SIGSTOP)
        _, first, last = bind_backlog(api, f"calm-{turn}", calm)
        api.delete_pods()
        undisturbed.append(last - first)
    yield undisturbed[1:]  # a server that has just begun is slower
    for seconds in OUTAGES:
        outage = Outage(proxy)
        back, first, last = bind_backlog(api, f"o-{seconds}",
                                         functools.partial(outage.end, seconds))
        api.delete_pods()
        yield seconds, outage.waited, first - back, last - first


def outages(suite, report):
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(OUTAGE_NODES))
        host, port = api.host.split(":")
        with FaultProxy(host, int(port)) as proxy:
            path = kubeconfig_by(plane, api, proxy.port, is_named=False)
            process = begin_gedge(suite, "none", path)
            try:
                bind_next(api, "before")
                undisturbed, *turns = backlogs(plane, api, proxy, process)
            finally:
                process.child.send_signal(signal.SIGCONT)
                process.stop()
    usual = statistics.median(undisturbed)
    where = f"a server does not answer for {' and for '.join(f'{s} s' for s in OUTAGES)}"
    waited = max(waited for _, waited, _, _ in turns)
    share = max(span for _, _, _, span in turns) / usual
    report.row("G-07", f"{where}: until it is asked again when it does, the longest", "5 s", "3 s",
               f"{waited:.2f} s", at_most(waited, 5, 3))
    report.row("G-07", f"{where}: time to bind {BACKLOG:,} pods that came meanwhile, from the "
               "first to the last, as a share of what it takes otherwise, the longest", "2", "1.2",
               f"{share:.2f}", at_most(share, 2, 1.2))
    report.section("G-07: outages", [
        f"undisturbed: {BACKLOG:,} pods in " + ", ".join(f"{s:.2f} s" for s in undisturbed),
        *(f"away for {seconds} s: asked after {waited:.2f} s, first bind after {first:.2f} s, "
          f"{BACKLOG:,} pods in {span:.2f} s" for seconds, waited, first, span in turns)])


class Noise:
    """Pods that change all the time: each has a note that nobody reads, and it counts."""

    def __init__(self, api):
        self.api, self.sent = api, [0] * SENDERS
        api.create(pod(f"noisy-{who}", "gedge") for who in range(SENDERS))

    def send(self, who, most):
        path = f"/api/v1/namespaces/default/pods/noisy-{who}"
        noisy = json.loads(self.api.ask("GET", path))
        del noisy["metadata"]["resourceVersion"]
        while sum(self.sent) < most:
            self.sent[who] += 1
            noisy["metadata"]["annotations"] = {"count": str(self.sent[who])}
            self.api.ask("PUT", path, json.dumps(noisy))

    @contextlib.contextmanager
    def made(self, count):
        """So many changes are made from the beginning of the block on, and all of them when it has
        ended. Gives whether somebody is at it still."""
        most = sum(self.sent) + count
        with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
            senders = [pool.submit(self.send, who, most) for who in range(SENDERS)]
            yield lambda: not all(sender.done() for sender in senders)
            for sender in senders:
                sender.result()


@contextlib.contextmanager
def two_schedulers(suite, plane, api):
    """gedge, and a kube-scheduler that is told the same; both know the cluster."""
    with contextlib.ExitStack() as stack:
        pair = []
        for start in (start_gedge(suite, "none"), start_kubernetes):
            pair.append(start(plane))
            stack.callback(pair[-1].stop)
            stack.callback(pair[-1].child.send_signal, signal.SIGCONT)
        bind_next(api, "before")
        bind_next(api, "before-beside", "default-scheduler")
        yield pair


def flood(suite, report):
    """Pods change as fast as the server lets them, and others come meanwhile, beside a
    kube-scheduler that is told the same."""
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(FLOODED_NODES))
        noise = Noise(api)
        with two_schedulers(suite, plane, api) as (process, beside):
            used, delays = resident(process.pid), []
            most = used
            spent, spent_beside = process.seconds(), beside.seconds()
            with noise.made(FLOOD) as goes_on:
                while goes_on():
                    delays.append(bind_next(api, f"f-{len(delays)}"))
                    most = max(most, resident(process.pid))
                    time.sleep(APART_SECONDS)
            delays.pop()  # it may have come when all was over
            spent, spent_beside = process.seconds() - spent, beside.seconds() - spent_beside
            time.sleep(SETTLED_SECONDS)
            more, kept = most - used, resident(process.pid) - used
    late = quantile(delays, 0.99)
    where = f"{FLOOD:,} changes of pods, and {len(delays)} pods that come meanwhile"
    for what, value, unit, floor, aim in (
            ("processor time of a scheduler", spent, "s", 3, 1.5),
            ("the creation of a pod until it is seen bound, p99", late, "s", 2, 0.5),
            ("memory more than before, the most that was seen", more, "MB", 50, 10),
            ("memory more than before, when it is over", kept, "MB", 10, 5)):
        report.row("G-08", f"{where}: {what}", f"{floor} {unit}", f"{aim} {unit}",
                   f"{value:.2f} {unit}", at_most(value, floor, aim))
    part = spent / spent_beside
    report.row("G-08", f"{where}: processor time of a scheduler, of that of kube-scheduler 1.20.2 "
               "beside it, which binds none of them", "1.00", "0.50", f"{part:.2f}",
               at_most(part, 1, 0.5))
    report.section("G-08: a flood", [
        f"processor time: gedge {spent:.2f} s, kube-scheduler {spent_beside:.2f} s",
        f"{sum(noise.sent):,} changes; {len(delays)} pods, bound after " + ", ".join(
            f"p{100 * part:g} {quantile(delays, part):.3f} s" for part in (0.5, 0.9, 0.99, 1))])


def burst(suite, report):
    """Changes that come in one piece: who is told of them stood still while they were made, and so
    asks for watches anew. Of many more the server would no longer have all; the floor of processor
    time is a fifth of that of 100,000."""
    raw, found = [], {}
    with Plane(suite) as (plane, api):
        api.create(node(i) for i in range(FLOODED_NODES))
        noise = Noise(api)
        with two_schedulers(suite, plane, api) as pair:
            for turn in range(1 + TURNS):  # the first is not counted
                for process in pair:
                    process.child.send_signal(signal.SIGSTOP)
                with noise.made(BURST):
                    pass
                sides = list(zip(pair, ("gedge", "default-scheduler")))
                for process, who in sides[::-1] if turn % 2 else sides:
                    used, spent = resident(process.pid), process.seconds()
                    process.child.send_signal(signal.SIGCONT)
                    late = bind_next(api, f"b-{turn}-{who}", who)
                    time.sleep(SETTLED_SECONDS)
                    one = (process.seconds() - spent, late, resident(process.pid) - used)
                    if turn > 0:
                        found.setdefault(who, []).append(one)
                        raw.append(f"{who:18} processor {one[0]:5.2f} s  a pod bound after "
                                   f"{one[1]:5.2f} s  memory {one[2]:+5.1f} MB")
    ours = list(zip(*found["gedge"]))
    theirs = list(zip(*found["default-scheduler"]))
    where = f"{BURST:,} changes of pods in one piece"
    for what, value, unit, floor, aim in (
            ("processor time of a scheduler", max(ours[0]), "s", 0.6, 0.3),
            ("a pod that comes right then is seen bound after", max(ours[1]), "s", 2, 1),
            ("memory more than before, when it is over", max(ours[2]), "MB", 10, 5)):
        report.row("G-08", f"{where}, the most of {TURNS}: {what}", f"{floor} {unit}",
                   f"{aim} {unit}", f"{value:.2f} {unit}", at_most(value, floor, aim))
    part = statistics.median(ours[0]) / statistics.median(theirs[0])
    report.row("G-08", f"{where}: processor time of a scheduler, of that of kube-scheduler 1.20.2, "
               "the medians", "1.00", "0.50", f"{part:.2f}", at_most(part, 1, 0.5))
    report.section("G-08: changes in one piece", raw)
