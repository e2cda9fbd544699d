"""`gedge schedule --watch` while a node says something a hundred thousand times, and with pods of
which each is large: what is of use is done, and memory stays bounded.

    schedule_flood_test.py [--events N] [--large N]

sends N events of one node, and makes twice N pods that are large; what they cost is printed."""
import argparse
import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20")
MOST_IDLE = 15_000_000  # bytes, with two nodes and nothing to do; 20 with all that the start used
MOST_MORE = 50 << 20  # bytes, during a flood
SHADOW = 1 << 40  # bytes; only sanitizers reserve as much, and need more of what there is
SENDERS = 8
LARGE_BYTES = 200_000  # of an annotation, of which an object has 256 KiB
PAGE = 500  # objects of a list that come at once
LONGEST = 3600  # seconds
failures = []
asked = argparse.Namespace(events=3_000, large=60)


def need(fact, what):
    if not fact:
        failures.append(what)


def memory(scheduler, line="VmRSS"):
    with open(f"/proc/{scheduler.process.pid}/status") as file:
        return next(int(row.split()[1]) << 10 for row in file if row.startswith(line))


def cpu_seconds(scheduler):
    with open(f"/proc/{scheduler.process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_bound(plane, name):
    return bool(plane.get(PODS.format("default") + "/" + name)["spec"].get("nodeName"))


def check_flood(plane):
    """A pod that comes in the middle is bound while it goes on."""
    plane.create("/api/v1/nodes", node("n1"), node("n2", cpu="1m"))
    with Scheduler(plane, *KUBE) as scheduler:
        idle = memory(scheduler)
        need(idle <= MOST_IDLE or memory(scheduler, "VmSize") > SHADOW, f"idle: {idle} bytes")
        plane.create(PODS.format("default"), pod("before"))
        until(lambda: is_bound(plane, "before"), "the first pod")
        before, spent = memory(scheduler), cpu_seconds(scheduler)
        print(f"idle: {idle >> 10} KiB; after a bind: {before >> 10} KiB", flush=True)
        sent = [0] * SENDERS

        def send(who):
            while sum(sent) < asked.events:
                sent[who] += 1
                plane.patch("/api/v1/nodes/n2/status", {"status": {"conditions": [
                    {"type": "Ready", "status": "True", "reason": f"r{who}-{sent[who]}"}]}})

        with concurrent.futures.ThreadPoolExecutor(SENDERS) as pool:
            senders = [pool.submit(send, who) for who in range(SENDERS)]

            def is_half_sent():
                for sender in senders:
                    if sender.done():
                        sender.result()  # raises what it failed with
                return sum(sent) > asked.events / 2

            until(is_half_sent, "half of the flood", LONGEST)
            at = sum(sent)
            plane.create(PODS.format("default"), pod("middle"))
            until(lambda: is_bound(plane, "middle"), "a pod in the flood")
            events = sum(sent) - at
            for sender in senders:
                sender.result()
        plane.create(PODS.format("default"), pod("after"))
        until(lambda: is_bound(plane, "after"), "the last pod")
        more, spent = memory(scheduler, "VmHWM") - before, cpu_seconds(scheduler) - spent
        print(f"{sum(sent)} events: {spent:.2f} s of CPU, {more >> 10} KiB more at most; bound "
              f"after {events} events", flush=True)
        need(more < MOST_MORE, f"{more} bytes more")


def check_large(plane):
    """Lists of many megabytes, and events of a fifth of one each: read as they come, not kept."""
    nodes = -(-2 * asked.large // 100)
    plane.create("/api/v1/nodes", *(node(f"n{i}", cpu="64", pods="110") for i in range(nodes)))
    text = {"large": "x" * LARGE_BYTES}
    plane.create(PODS.format("default"),
                 *(pod(f"listed-{i}", cpu="1m", annotations=text) for i in range(asked.large)))
    with Scheduler(plane, *KUBE) as scheduler:
        plane.create(PODS.format("default"), *(pod(f"told-{i}", cpu="1m", annotations=text)
                                               for i in range(asked.large)))
        until(lambda: scheduler.process.poll() is not None or scheduler.metric(
            'gedge_binds_total{result="bound"}') == 2 * asked.large, "all of them", LONGEST)
        if scheduler.process.poll() is not None:
            return need(False, f"it ended: {scheduler.log()[-600:]}")
        kept, most = memory(scheduler), memory(scheduler, "VmHWM")
        print(f"{2 * asked.large} pods of {LARGE_BYTES} bytes: {kept >> 10} KiB, {most >> 10} KiB "
              "at most", flush=True)
        if memory(scheduler, "VmSize") <= SHADOW:
            need(kept < MOST_IDLE + asked.large * LARGE_BYTES / 2, f"it keeps {kept} bytes")
            page = min(asked.large, PAGE) * LARGE_BYTES
            need(most < MOST_IDLE + 4 * page, f"{most} bytes for pages of {page}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=asked.events)
    parser.add_argument("--large", type=int, default=asked.large)
    parser.parse_args(namespace=asked)
    return run_checks((check_flood, check_large), failures)


if __name__ == "__main__":
    sys.exit(main())
