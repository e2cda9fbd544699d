"""`gedge pin run` beside taskset and numactl: the same CPUs and memory, of every thread."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
CPUS = sorted(os.sched_getaffinity(0))
SKIP = 77

# The mask of each thread, as the kernel has it.
MASKS = """
import glob, json, re, threading
go, here = threading.Event(), threading.Barrier(9)
def wait():
    here.wait()
    go.wait()
threads = [threading.Thread(target=wait) for _ in range(8)]
for thread in threads: thread.start()
here.wait()
print(json.dumps(sorted(re.search(r"Cpus_allowed_list:\\s*(\\S+)", open(path).read()).group(1)
                        for path in glob.glob("/proc/self/task/*/status"))))
go.set()
"""


def numa_node_of(cpu):
    """Of the machine; nothing where it has no NUMA nodes."""
    try:
        return next(int(name[4:]) for name in os.listdir(f"/sys/devices/system/cpu/cpu{cpu}")
                    if name.startswith("node") and name[4:].isdigit())
    except (FileNotFoundError, StopIteration):
        return None


class PinToolsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pin = [GEDGE, "pin", "run", "--state-dir", os.path.join(folder.name, "state")]

    def say(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def plan(self, count):
        return self.say(*self.pin, "--cpus", str(count), "--dry-run", "--", "true").strip()

    def test_every_thread_has_the_mask_that_both_give(self):
        masks = [sys.executable, "-c", MASKS]
        for count in range(1, len(CPUS) + 1):
            plan = self.plan(count)
            ours = json.loads(self.say(*self.pin, "--cpus", str(count), "--", *masks))
            self.assertEqual(ours, [plan] * 9)
            self.assertEqual(json.loads(self.say("taskset", "-c", plan, *masks)), ours)
            self.assertEqual(json.loads(self.say("numactl", "-C", plan, *masks)), ours)

    def test_both_see_what_was_given(self):
        for count in range(1, len(CPUS) + 1):
            plan, pinned = self.plan(count), [*self.pin, "--cpus", str(count), "--"]
            show = "sh", "-c", "exec taskset -pc $$"  # the number of the process, then the list
            ours, theirs = (self.say(*words, *show).rsplit(":", 1)[1]
                            for words in (pinned, ["taskset", "-c", plan]))
            self.assertEqual(ours, theirs)
            seen = self.say(*pinned, "numactl", "--show")
            self.assertEqual(seen, self.say("numactl", "-C", plan, "numactl", "--show"))
            self.assertIn("\nphyscpubind: ", seen)

    def test_memory_comes_from_where_numactl_would_take_it(self):
        node = numa_node_of(self.plan(1))
        if node is None or not self.has_memory_policies():
            self.skipTest("no NUMA nodes, or a kernel without memory policies")
        for mode, flag in (("bind", "--membind"), ("preferred", "--preferred"),
                           ("interleave", "--interleave")):
            plan = self.plan(1)
            ours = self.say(*self.pin, "--memory", mode, "--", "numactl", "--show")
            theirs = self.say("numactl", "-C", plan, f"{flag}={node}", "numactl", "--show")
            self.assertEqual(ours, theirs)
            self.assertNotIn("policy: default", ours)

    @staticmethod
    def has_memory_policies():
        return subprocess.run(["numactl", "--membind=0", "true"], capture_output=True,
                              check=False).returncode == 0


if __name__ == "__main__":
    for program in ("taskset", "numactl"):
        if not shutil.which(program):
            print(f"[skipped] {program} is not installed")
            sys.exit(SKIP)
    unittest.main()
