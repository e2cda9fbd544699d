"""`gedge pin apply`: processes and control groups of this machine, pinned and put back."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
CPUS = sorted(os.sched_getaffinity(0))

# Threads that wait until standard input ends; some start others all the time.
THREADS = """
import sys, threading
go = threading.Event()
def wait():
    go.wait()
def beget():
    while not go.is_set():
        child = threading.Thread(target=lambda: None)
        child.start()
        child.join()
threads = [threading.Thread(target=wait) for _ in range(int(sys.argv[1]))]
threads += [threading.Thread(target=beget) for _ in range(int(sys.argv[2]))]
for thread in threads: thread.start()
print("ready", flush=True)
sys.stdin.read()
go.set()
"""


def as_list(text):
    """"0-2,5" as taskset and the kernel write it."""
    cpus = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def masks_of(pid):
    masks = []
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        try:
            with open(path, encoding="utf-8", errors="replace") as status:
                masks.append(as_list(re.search(r"Cpus_allowed_list:\s*(\S+)",
                                               status.read()).group(1)))
        except (FileNotFoundError, ProcessLookupError):
            pass  # a thread has ended
    return masks


def cpuset_directory():
    """A cpuset group of this process, where one may be made."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            before, _, behind = line.partition(" - ")
            if behind.startswith("cgroup ") and "cpuset" in behind.split()[2].split(","):
                return before.split()[4]
    return None


class Desk(unittest.TestCase):
    """A state directory, and processes with threads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = os.path.join(folder.name, "state")

    def gedge(self, *args):
        return subprocess.run([GEDGE, "pin", "apply", "--state-dir", self.state, *args],
                              capture_output=True, text=True, timeout=120, check=False)

    def begin(self, waiting=7, begetting=0):
        process = subprocess.Popen([sys.executable, "-c", THREADS, str(waiting), str(begetting)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def clean():
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()
        self.addCleanup(clean)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    @staticmethod
    def thread_of(process):
        """One that is not the first."""
        return next(name for name in os.listdir(f"/proc/{process.pid}/task")
                    if name != str(process.pid))

    def entries(self):
        with open(os.path.join(self.state, "pin_state"), encoding="utf-8") as file:
            return json.load(file).get("entries", {})


class PinApplyTest(Desk):
    def test_every_thread_is_pinned_and_put_back(self):
        process = self.begin()
        pid = str(process.pid)
        seen = self.gedge("--pid", pid, "--dry-run")
        self.assertEqual(seen.returncode, 0, seen.stderr)
        done = self.gedge("--pid", pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, seen.stdout)
        self.assertEqual(done.stderr, "pinned 8 threads\n")
        plan = as_list(done.stdout)
        self.assertEqual(masks_of(pid), [plan] * 8)
        self.assertEqual([as_list(c) for pod in self.entries().values() for c in pod.values()],
                         [plan])
        again = self.gedge("--pid", pid)
        self.assertEqual(again.returncode, 3)
        self.assertIn(f"--undo --pid {pid}", again.stderr)
        tried = self.gedge("--undo", "--pid", pid, "--dry-run")
        self.assertEqual((tried.returncode, masks_of(pid)), (2, [plan] * 8), tried.stderr)
        back = self.gedge("--undo", "--pid", pid)
        self.assertEqual((back.returncode, back.stdout), (0, ""), back.stderr)
        self.assertEqual(masks_of(pid), [CPUS] * 8)
        self.assertEqual(self.entries(), {})
        self.assertEqual(self.gedge("--undo", "--pid", pid).returncode, 3)

    def test_cpus_that_are_shared_are_held_by_nobody_and_put_back(self):
        one, two = self.begin(), self.begin()
        for process in (one, two):
            done = self.gedge("--mode", f"shared:{CPUS[-1]}", "--pid", str(process.pid))
            self.assertEqual((done.returncode, done.stdout), (0, f"{CPUS[-1]}\n"), done.stderr)
            self.assertEqual(masks_of(process.pid), [CPUS[-1:]] * 8)
        self.assertEqual(self.entries(), {})
        again = self.gedge("--pid", str(one.pid))
        self.assertEqual(again.returncode, 3)
        self.assertIn("shares CPUs", again.stderr)
        for process in (one, two):
            back = self.gedge("--undo", "--pid", str(process.pid))
            self.assertEqual(back.returncode, 0, back.stderr)
            self.assertEqual(masks_of(process.pid), [CPUS] * 8)

    def test_cpus_of_its_own_are_preferred(self):
        one, two = str(self.begin().pid), str(self.begin().pid)
        own = self.gedge("--mode", "preferred", "--cpus", str(len(CPUS)), "--pid", one)
        self.assertEqual((own.returncode, as_list(own.stdout)), (0, CPUS), own.stderr)
        none = self.gedge("--mode", "preferred", "--pid", two)
        self.assertEqual(none.returncode, 4, none.stderr)  # nor any to share
        self.assertEqual(self.gedge("--undo", "--pid", one).returncode, 0)
        many = self.gedge("--mode", "preferred", "--cpus", str(len(CPUS) + 1), "--pid", two)
        self.assertEqual((many.returncode, as_list(many.stdout)), (0, CPUS), many.stderr)
        self.assertIn("it runs beside others", many.stderr)
        self.assertEqual(self.gedge("--undo", "--pid", two).returncode, 0)
        for odd in (["--mode", "shared:0", "--cpus", "2"], ["--mode", "shared:0", "--isolate"],
                    ["--mode", "preferred", "--nice-others", "5"], ["--mode", "mine"]):
            self.assertEqual(self.gedge("--pid", two, *odd).returncode, 2, odd)

    def test_threads_that_start_meanwhile_are_pinned_too(self):
        process = self.begin(2, 2)
        for _ in range(5):
            done = self.gedge("--pid", str(process.pid))
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = as_list(done.stdout)
            for mask in masks_of(process.pid):
                self.assertEqual(mask, plan)
            self.assertEqual(self.gedge("--undo", "--pid", str(process.pid)).returncode, 0)

    def test_a_run_and_a_pinned_process_have_different_cpus_and_the_dead_hold_none(self):
        process = self.begin(0)
        taken = as_list(self.gedge("--pid", str(process.pid)).stdout)
        run = subprocess.run([GEDGE, "pin", "run", "--state-dir", self.state, "--dry-run",
                              "--cpus", str(len(CPUS)), "--", "true"],
                             capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 4, run.stdout)
        process.send_signal(signal.SIGKILL)
        process.wait()
        run = subprocess.run([GEDGE, "pin", "run", "--state-dir", self.state, "--dry-run",
                              "--cpus", str(len(CPUS)), "--", "true"],
                             capture_output=True, text=True, timeout=120, check=False)
        self.assertTrue(set(taken) <= set(as_list(run.stdout)), run.stderr)

    def check(self):
        done = subprocess.run([GEDGE, "pin", "check", "-o", "json", "--state-dir", self.state],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["allTrue"], done.returncode == 0)
        return [[fault["fault"] for fault in pin["faults"]] for pin in document["pins"]]

    def test_check_tells_what_is_not_true_any_more(self):
        for words in (["check"], ["show"], ["defrag"]):
            done = subprocess.run([GEDGE, "pin", *words, "--state-dir", self.state],
                                  capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertIn(f"there is no directory {self.state}\n", done.stderr)
        self.assertFalse(os.path.exists(self.state))
        os.mkdir(self.state)
        self.assertEqual(self.check(), [])
        process = self.begin(1)
        plan = as_list(self.gedge("--pid", str(process.pid)).stdout)
        if len(CPUS) < 2:
            self.skipTest("one CPU: nobody can be elsewhere")
        self.assertEqual(self.check(), [[]])
        others = [cpu for cpu in CPUS if cpu not in plan]
        os.sched_setaffinity(process.pid, others)
        self.assertEqual(self.check(), [["moved"]])
        os.sched_setaffinity(process.pid, plan)
        stranger = self.begin(0)
        os.sched_setaffinity(stranger.pid, plan)
        self.assertEqual(self.check(), [["strangers"]])
        os.sched_setaffinity(stranger.pid, CPUS)
        self.assertEqual(self.check(), [[]])
        shown = subprocess.run([GEDGE, "pin", "show", "--state-dir", self.state],
                               capture_output=True, text=True, timeout=120, check=True).stdout
        self.assertRegex(shown, rf"process {process.pid}\s+{plan[0]}\s+-?\s+held \(python")

    def test_errors_are_clear_and_leave_nothing_behind(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        process = self.begin(1)
        before = masks_of(process.pid)
        pid = str(process.pid)
        for args, code, word in (
                (("--pid", str(gone.pid)), 3, "there is no process"),
                (("--pid", "0"), 2, "'0' is no process"),
                (("--pid", "-1"), 2, ""),
                (("--pid", "1"), 3, "process 1 begins all others"),
                (("--pid", self.thread_of(process)), 3, f"is a thread of process {pid}"),
                (("--container", "../../../etc"), 3, "12 to 64 hexadecimal digits"),
                (("--container", "a" * 64), (3, 4), "--cgroup"),
                (("--cgroup", "/../../etc"), 3, "without `..`"),
                (("--cgroup", "/"), 3, "the root"),
                (("--cgroup", "/no/such/group"), (3, 4), "control group"),
                (("--pid", pid, "--cpus", str(len(CPUS) + 1)), 4, "may be used"),
                (("--pid", pid, "--memory", "bind"), 3, "preferred"),
                (("--pid", pid, "--cgroup", "/a"), 2, "give one of"),
                (("--pid", pid, "--pid", pid), 2, "flag '--pid' is given twice"),
                (("--cgroup", "/a", "--cgroup", "/b"), 2, "flag '--cgroup' is given twice"),
                ((), 2, "nothing to pin"),
                (("--undo", "--pid", pid), 3, "is not pinned")):
            done = self.gedge(*args)
            codes = code if isinstance(code, tuple) else (code,)
            self.assertIn(done.returncode, codes, (args, done.stderr))
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(masks_of(process.pid), before)
        self.assertFalse(os.path.exists(os.path.join(self.state, "pin_state")))

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody without rights")
    def test_without_rights_nothing_is_half_done(self):
        process = self.begin(3)
        theirs = tempfile.mkdtemp()
        self.addCleanup(os.system, f"rm -rf {theirs}")
        os.chmod(theirs, 0o777)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
             GEDGE, "pin", "apply", "--state-dir", os.path.join(theirs, "s"), "--pid",
             str(process.pid)], capture_output=True, text=True, timeout=120, check=False)
        if "setpriv" in done.stderr or "Permission denied" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("no right to pin", done.stderr)
        self.assertIn("as root", done.stderr)
        self.assertEqual(masks_of(process.pid), [CPUS] * 4)
        with open(os.path.join(theirs, "s", "pin_state"), encoding="utf-8") as file:
            self.assertNotIn("entries", json.load(file))


class ControlGroupTest(Desk):
    """The same machine's control groups, of version 1."""

    def setUp(self):
        super().setUp()
        top = cpuset_directory()
        if top is None:
            self.skipTest("no cpuset controller of version 1 is mounted")
        self.group = os.path.join(top, f"gedge_test_{os.getpid()}")
        self.inner = os.path.join(self.group, "4f5a6c0b1d2e" + "0" * 52)
        for path in (self.group, self.inner):
            try:
                os.mkdir(path)
            except OSError as error:
                self.skipTest(f"no control group can be made: {error}")
            self.addCleanup(os.rmdir, path)
            for name in ("cpuset.cpus", "cpuset.mems"):
                with open(os.path.join(os.path.dirname(path), name), encoding="ascii") as file:
                    self.write(path, name, file.read())

    @staticmethod
    def write(path, name, text):
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write(text)

    @staticmethod
    def read(path, name="cpuset.cpus"):
        with open(os.path.join(path, name), encoding="ascii") as file:
            return as_list(file.read())

    def test_a_group_and_a_container_are_pinned_and_put_back(self):
        process = self.begin(2)
        self.write(self.inner, "cgroup.procs", str(process.pid))
        before = self.read(self.group)
        done = self.gedge("--cgroup", self.group, "--memory", "bind")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "pinned 2 control groups\n")
        plan = as_list(done.stdout)
        self.assertEqual((self.read(self.group), self.read(self.inner)), (plan, plan))
        self.assertEqual(masks_of(process.pid), [plan] * 3)
        back = self.gedge("--undo", "--cgroup", "/" + os.path.basename(self.group))
        self.assertEqual(back.returncode, 0, back.stderr)
        self.assertEqual((self.read(self.group), self.read(self.inner)), (before, before))
        one = self.gedge("--container", "containerd://4f5a6c0b1d2e")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual((self.read(self.group), self.read(self.inner)),
                         (before, as_list(one.stdout)))
        self.assertEqual(self.gedge("--undo", "--container", "4f5a6c0b1d2e").returncode, 0)
        self.assertEqual(self.read(self.inner), before)
        process.kill()
        process.wait()

    def within(self, group, verb, *words):
        """gedge in a container with a namespace of control groups, whose root is `group`."""
        top = os.path.dirname(self.group)
        script = 'echo 0 > "$1/cgroup.procs" && shift && exec unshare -C -m sh -c "$@"'
        inner = 'top=$1; shift; umount "$top" && mount -t cgroup -o cpuset none "$top" && exec "$@"'
        return subprocess.run(["sh", "-c", script, "sh", group, inner, "sh", top, GEDGE, "pin",
                               verb, "--state-dir", self.state, *words],
                              capture_output=True, text=True, timeout=120, check=False)

    def test_a_group_of_another_namespace_holds_its_cpus(self):
        if self.within(self.group, "run", "--", "true").returncode != 0:
            self.skipTest("no namespace of control groups can be made")
        done = self.gedge("--cgroup", self.inner)
        self.assertEqual(done.returncode, 0, done.stderr)
        check = self.within(self.group, "check", "-o", "json")
        self.assertEqual(check.returncode, 1, check.stderr)
        faults = json.loads(check.stdout)["pins"][0]["faults"]
        self.assertEqual([fault["fault"] for fault in faults], ["unseen"])
        all_of_them = ("--dry-run", "--cpus", str(len(CPUS)))
        more = self.within(self.group, "run", *all_of_them, "--", "true")
        self.assertEqual(more.returncode, 4, more.stdout)
        self.assertEqual(self.gedge("--undo", "--cgroup", self.inner).returncode, 0)

        done = self.within(self.group, "apply", "--cgroup", "/" + os.path.basename(self.inner))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(list(self.entries())[0], "^group-[0-9]+-[0-9]+$")
        more = self.gedge("--pid", str(os.getpid()), *all_of_them)
        self.assertEqual(more.returncode, 4, more.stdout)
        os.rmdir(self.inner)
        self.addCleanup(os.mkdir, self.inner)
        more = self.gedge("--pid", str(os.getpid()), *all_of_them)
        self.assertEqual(more.returncode, 0, more.stderr)

    def test_a_process_gets_only_what_its_group_leaves(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        self.write(self.inner, "cpuset.cpus", str(CPUS[-1]))
        process = self.begin(1)
        self.write(self.inner, "cgroup.procs", str(process.pid))
        done = self.gedge("--pid", str(process.pid))
        self.assertEqual(as_list(done.stdout), [CPUS[-1]], done.stderr)
        more = self.gedge("--undo", "--pid", str(process.pid))
        self.assertEqual(more.returncode, 0, more.stderr)
        more = self.gedge("--pid", str(process.pid), "--cpus", "2")
        self.assertEqual(more.returncode, 4)
        self.assertIn("only 1 CPU may be used", more.stderr)
        process.kill()
        process.wait()


if __name__ == "__main__":
    unittest.main()
