"""Two `gedge schedule` on a real control plane whose parts are killed, stopped and cut off while
pods come and go: nothing is bound twice or to a node that keeps it out, no node takes more than it
has, nobody writes without the lease, and in the end every pod that fits has its place.

    schedule_faults_test.py [--rounds N | --whole] [--seed N] [--longest-stop SECONDS] [--nodes N]

does more of it; each round is one fault, and prints what it was. Server, store and scheduler are
stopped for 5 seconds to the longest. When three pods a node have come, others go. `--whole` is a
night's work: as many faults of a kind as WHOLE says, in any order, beside 2,000 pods."""
import argparse
import functools
import glob
import os
import random
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from fault_proxy import FaultProxy  # noqa: E402
from plane import PODS, Plane, Scheduler, node, pod, shows, until  # noqa: E402
from plane_audit import Audit  # noqa: E402
from plane_writers import Writers  # noqa: E402

KUBE = ("--profile", "kube", "--compat", "1.20", "--leader-elect")
FEW_NODES, MANY_NODES = 6, 667
LEAST_STOP = 5  # seconds
LARGE_BYTES = 200_000  # of an annotation, of which an object has 256 KiB
MOST_DELAY = 0.4  # seconds, of each piece of a stream
LONGEST = 240  # seconds: a watch may be half open for 25, a lease is held for 15


class Site:
    """The plane, a proxy before it, and two schedulers that know the proxy only: one by its
    address, which is asked over HTTP/2, and one by its name, over HTTP/1.1."""

    def __init__(self, plane, proxy, dice, asked):
        self.plane, self.proxy, self.dice = plane, proxy, dice
        self.longest_stop, self.nodes = asked.longest_stop, asked.nodes
        self.made, self.here, self.started = 0, [], 0
        self.codes = []  # with which schedulers ended by themselves
        self.stood_still = []  # from when to when the server did
        self.schedulers = [self.start() for _ in range(2)]

    def start(self):
        self.started += 1
        through = self.plane.kubeconfig_by(self.proxy.port, f"scheduler-{self.started}",
                                           is_named=self.started % 2 == 0)
        return Scheduler(self.plane, *KUBE, kubeconfig=through)

    def churn(self, count, annotations=None):
        """Some pods come, and some go; a server that does not answer is asked again."""
        for _ in range(count):
            self.made += 1
            thing = pod(f"p{self.made}", cpu=f"{self.dice.randint(1, 8)}00m",
                        annotations=annotations)
            until(lambda: self.did("POST", PODS.format("default"), thing), "a pod to be made",
                  LONGEST)
            self.here.append(f"p{self.made}")
            if len(self.here) > 3 * self.nodes:
                gone = self.here.pop(self.dice.randrange(len(self.here)))
                path = PODS.format("default") + "/" + gone
                until(lambda: self.did("DELETE", path, {"gracePeriodSeconds": 0}), "one to go",
                      LONGEST)

    def did(self, method, path, body):
        try:
            status = self.plane.call(method, path, body)[0]
        except OSError:
            return False
        return status < 300 or status in (404, 409)

    # Each does a fault, lets pods come and go meanwhile, and ends it.

    def kill_scheduler(self):
        which = self.dice.randrange(2)
        self.churn(2)
        self.schedulers[which].process.kill()
        self.schedulers[which].process.wait()
        self.churn(2)
        self.schedulers[which] = self.start()

    def stop_scheduler(self):
        """Each in turn, until the other one has done all that there is to do; whoever led before
        wakes up without its lease."""
        for process in [scheduler.process for scheduler in self.schedulers]:
            process.send_signal(signal.SIGSTOP)
            self.churn(4)
            until(lambda: settled(self.plane, self), "the other one to lead", LONGEST)
            process.send_signal(signal.SIGCONT)

    def kill_server(self):
        self.churn(2)
        self.plane.restart("apiserver")
        self.churn(2)

    def kill_store(self):
        self.churn(2)
        self.plane.restart("etcd")
        self.churn(2)

    def stop(self, send):
        """`send`: a signal to what is stopped. Pods are made and go meanwhile, or as soon as it can
        go on."""
        send(signal.SIGSTOP)
        thaw = threading.Timer(self.dice.uniform(LEAST_STOP, self.longest_stop), send,
                               (signal.SIGCONT,))
        thaw.start()
        self.churn(4)
        thaw.join()

    def stop_store(self):
        self.stop(functools.partial(os.kill, self.plane.process_of("etcd")))

    def stop_server(self):
        begin = time.time()
        self.stop(functools.partial(os.kill, self.plane.process_of("apiserver")))
        self.stood_still.append((begin, time.time()))

    def pause_scheduler(self):
        """Each in turn, for a time in which it may keep its lease or not."""
        for process in [scheduler.process for scheduler in self.schedulers]:
            self.stop(process.send_signal)

    def slow(self):
        """Everything is late, what is said of the lease too."""
        self.proxy.set(delay=self.dice.uniform(0, MOST_DELAY))
        self.churn(4)
        until(lambda: settled(self.plane, self), "all places of what is slow", LONGEST)
        self.proxy.clear()

    def cut(self):
        self.churn(2)
        self.proxy.cut(reset=self.dice.random() < 0.5)
        self.churn(2)

    def half_open(self):
        self.churn(2)
        self.proxy.drop_server()
        self.churn(2)

    def freeze(self):
        """Until the one that leads has given up its lease."""
        self.proxy.set(frozen=True)
        self.churn(4)
        until(lambda: any(s.process.poll() is not None for s in self.schedulers), "an end", LONGEST)
        self.proxy.cut()  # what waits here would come late
        self.proxy.set(frozen=False)

    def forget(self):
        """The server no longer knows what happened while nothing came through."""
        self.proxy.set(frozen=True)
        self.churn(2)
        self.plane.restart("apiserver")
        self.churn(2)
        self.proxy.cut()  # what waits here would come late
        self.proxy.set(frozen=False)

    def large(self):
        """Pods of which each is nearly as large as a server takes, in pieces."""
        self.proxy.set(split=self.dice.randint(1_000, 99_999))
        self.churn(4, {"large": "x" * LARGE_BYTES})
        until(lambda: settled(self.plane, self), "all places of what is large", LONGEST)
        self.proxy.clear()

    def lose_answers(self):
        """Requests arrive, and what is said to them does not."""
        self.proxy.set(cut_after={"down": self.dice.randint(1, 4_000)})
        self.churn(4)
        self.proxy.clear()

    def tear(self):
        self.proxy.set(split=self.dice.randint(1, 9))
        self.churn(4)
        self.proxy.clear()

    def restart_ended(self):
        """A scheduler that lost its lease has ended with 4; whoever runs it starts it again."""
        for i, scheduler in enumerate(self.schedulers):
            if scheduler.process.poll() is not None:
                self.codes.append(scheduler.process.returncode)
                self.schedulers[i] = self.start()

    def leaks(self):
        """What shows the token: of those that run all that others read, of the others the log."""
        found, asked = [], 0
        for scheduler in self.schedulers:
            try:
                found += scheduler.leaks()
                asked += 1
            except OSError:  # it has just found its lease lost
                self.codes.append(scheduler.process.wait(LONGEST))
        if asked == 0:
            raise AssertionError("nobody runs whose metrics could be read")
        for path in glob.glob(self.plane.path("gedge-*.log")):
            with open(path) as log:
                found += [path] if shows(self.plane.token, log.read()) else []
        return found


FAULTS = ("kill_scheduler", "cut", "half_open", "kill_server", "lose_answers", "stop_scheduler",
          "freeze", "kill_store", "tear", "stop_store", "slow", "stop_server", "pause_scheduler",
          "forget", "large")
WHOLE = {"kill_scheduler": 300, "pause_scheduler": 50, "kill_server": 100, "stop_store": 50,
         "cut": 100, "half_open": 20, "forget": 20, "large": 20}  # pause_scheduler stops two


def closed_nodes():
    """The emptiest, and no pod may go there."""
    cordoned, tainted = node("cordoned", cpu="64"), node("tainted", cpu="64", taints=[
        {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}])
    cordoned["spec"]["unschedulable"] = True
    return cordoned, tainted


def settled(plane, site):
    """Every pod that fits anywhere has its place. Not so where the server does not say."""
    site.restart_ended()
    try:
        pods = plane.pods()
    except (OSError, AssertionError):
        return False
    used = {f"n{i}": 0 for i in range(site.nodes)}  # the audit judges who is elsewhere
    waiting = []
    for thing in pods.values():
        cpu = int(thing["spec"]["containers"][0]["resources"]["requests"]["cpu"][:-1])
        where = thing["spec"].get("nodeName")
        if where is None:
            waiting.append(cpu)
        elif where in used:
            used[where] += cpu
    return all(2000 - there < min(waiting, default=9999) for there in used.values())


def faults(asked, dice):
    if asked.whole:
        names = [name for name, times in WHOLE.items() for _ in range(times)]
        dice.shuffle(names)
        return names
    return [FAULTS[i] if i < len(FAULTS) else dice.choice(FAULTS) for i in range(asked.rounds)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=len(FAULTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest-stop", type=float, default=LEAST_STOP)
    parser.add_argument("--nodes", type=int, default=FEW_NODES)
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args()
    if asked.whole:
        asked.nodes = MANY_NODES
    dice = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder, Plane(flags=Writers(folder).flags()) as plane:
        plane.create_space()
        plane.create("/api/v1/nodes", *(node(f"n{i}", cpu="2") for i in range(asked.nodes)),
                     *closed_nodes())
        host, port = plane.host.split(":")
        audit = Audit(plane)
        with FaultProxy(host, int(port), asked.seed) as proxy:
            site = Site(plane, proxy, dice, asked)
            try:
                if asked.whole:
                    site.churn(3 * asked.nodes)
                for name in faults(asked, dice):
                    site.churn(4)
                    getattr(site, name)()
                    until(lambda: settled(plane, site), f"all places after {name}", LONGEST)
                    print(f"{name}: {audit.binds} binds so far", *site.codes, flush=True)
                audit.wrong.extend(f"the token is shown: {where}" for where in site.leaks())
            except AssertionError as late:
                audit.wrong.append(f"{late}; the ends of the logs:")
                audit.wrong.extend(s.log()[-1500:] for s in site.schedulers)
            finally:
                for scheduler in site.schedulers:
                    scheduler.stop()
        audit.close()
        binds, without_lease = Writers(folder).judge(site.stood_still)
        audit.wrong.extend(without_lease)
        if binds == 0:
            audit.wrong.append("the server tells of no binds")
    if any(code != 4 for code in site.codes):
        audit.wrong.append(f"schedulers ended with {site.codes}")
    for wrong in dict.fromkeys(audit.wrong):
        print("FAILED:", wrong)
    print(f"seed {asked.seed}: {audit.binds} binds")
    return 1 if audit.wrong or audit.binds == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
