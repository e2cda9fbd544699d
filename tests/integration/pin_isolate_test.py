"""`gedge pin run --isolate` and `gedge pin apply --isolate`: others are moved off and put back.

Runs in a namespace of processes of its own: nobody else on the machine is moved.
"""

import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from own_processes import GEDGE, PinCase, WAIT, run_inside

CPUS = sorted(os.sched_getaffinity(0))
MASKS = """
import glob, os, re, sys
for pid in sys.argv[1:]:
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        print(re.search(r"Cpus_allowed_list:\\s*(\\S+)", open(path).read()).group(1), flush=True)
sys.stdin.read()
"""


def as_list(text):
    """"0-2,5" as taskset and the kernel write it."""
    cpus = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


class PinIsolateTest(PinCase):
    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU: nobody can be moved aside")
        super().setUp()

    def words(self, *command):
        return [GEDGE, "pin", "run", "--isolate", "--state-dir", self.state, "--", *command]

    def record(self):
        with open(os.path.join(self.state, "pin_record"), encoding="utf-8") as file:
            return json.load(file)

    def test_timers_of_a_run_have_no_slack(self):
        slack = "/proc/self/timerslack_ns"
        alone = subprocess.run(self.words("cat", slack), capture_output=True, text=True,
                               timeout=120, check=False)
        self.assertEqual((alone.returncode, alone.stdout), (0, "1\n"))
        beside = self.gedge("run", "--state-dir", self.state, "--", "cat", slack)
        with open(slack, encoding="ascii") as file:
            self.assertEqual(beside.stdout, file.read())

    def test_no_cpu_sleeps_during_a_run(self):
        device = "/dev/cpu_dma_latency"
        if not os.access(device, os.R_OK | os.W_OK):
            self.skipTest(f"no {device} that may be written")
        read = ("import struct, sys; print(struct.unpack('i', open(sys.argv[1], 'rb').read(4))[0])",
                device)

        def micros(*words):
            return int(subprocess.run([*words, sys.executable, "-c", *read], capture_output=True,
                                      text=True, timeout=120, check=True).stdout)
        before = micros()
        self.assertEqual(micros(*self.words()), 0)
        self.assertEqual(micros(), before)

    def test_a_run_has_its_cpu_alone_and_others_get_it_back(self):
        other = self.begin(WAIT)
        run = self.begin(self.words(sys.executable, "-c", MASKS, str(other.pid),
                                    str(os.getpid()), "self"))
        seen = [as_list(run.stdout.readline()) for _ in range(3)]
        own = seen.pop()
        self.assertEqual(len(own), 1)
        self.assertEqual(seen, [sorted(set(CPUS) - set(own))] * 2)
        self.assertEqual(list(self.record()["aside"]["isolated"].values()), [str(own[0])])
        checked = self.gedge("check", "--state-dir", self.state, "-o", "json")
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertTrue(json.loads(checked.stdout)["pins"][0]["isolated"])
        os.sched_setaffinity(other.pid, CPUS)
        checked = self.gedge("check", "--state-dir", self.state)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("strangers", checked.stdout)
        child = self.begin(WAIT)  # begun by one who was moved
        self.assertNotIn(own[0], os.sched_getaffinity(child.pid))
        run.stdin.close()
        self.assertEqual(run.wait(timeout=60), 0)
        self.assertRegex(run.stderr.read(), r"moved \d+ threads? aside")
        for pid in (0, other.pid, child.pid):
            self.assertEqual(sorted(os.sched_getaffinity(pid)), CPUS)
        self.assertNotIn("aside", self.record())

    def test_a_signal_ends_the_command_and_puts_others_back(self):
        run = self.begin(self.words(sys.executable, "-c", MASKS, "self"))
        run.stdout.readline()
        self.assertNotEqual(sorted(os.sched_getaffinity(0)), CPUS)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=60), 128 + signal.SIGTERM)
        self.assertEqual(sorted(os.sched_getaffinity(0)), CPUS)

    def test_after_a_crash_others_are_put_back_once_the_command_has_ended(self):
        for by_hand in (True, False):
            run = self.begin(self.words(sys.executable, "-c", MASKS, "self"))
            run.stdout.readline()
            command = int(next(iter(self.record()["aside"]["isolated"])).split("-")[0])
            run.kill()
            run.wait()
            self.assertEqual(self.apply("--undo").returncode, 0)
            self.assertNotEqual(sorted(os.sched_getaffinity(0)), CPUS)  # the command goes on
            self.assertEqual(self.left_behind(), [])
            os.kill(command, signal.SIGKILL)
            run.stdout.read()  # until it is gone
            self.assertEqual(self.left_behind(), [(f"process {command}", True, None)])
            if by_hand:
                back = self.apply("--undo")
            else:
                back = self.gedge("run", "--state-dir", self.state, "--", "true")
            self.assertEqual((back.returncode, back.stderr), (0, ""))
            self.assertEqual(sorted(os.sched_getaffinity(0)), CPUS)
            self.assertEqual(self.left_behind(), [])

    def test_after_a_crash_others_are_put_back_at_once_where_the_command_is_named(self):
        run = self.begin(self.words(sys.executable, "-c", MASKS, "self"))
        run.stdout.readline()
        command = next(iter(self.record()["aside"]["isolated"])).split("-")[0]
        run.kill()
        run.wait()
        own = os.sched_getaffinity(int(command))
        back = self.apply("--undo", "--pid", command)
        self.assertEqual((back.returncode, back.stderr), (0, ""))
        self.assertEqual(sorted(os.sched_getaffinity(0)), CPUS)
        self.assertEqual(os.sched_getaffinity(int(command)), own)  # it goes on where it was
        self.assertEqual(self.left_behind(), [])
        os.kill(int(command), signal.SIGKILL)

    def left_behind(self):
        """What `gedge pin check` says of it, in JSON and in words."""
        words = ["check", "--state-dir", self.state]
        done, told = self.gedge(*words, "-o", "json"), self.gedge(*words)
        left = json.loads(done.stdout)["leftBehind"]
        self.assertEqual((done.returncode, told.returncode), (1, 1) if left else (0, 0))
        fix = f"gedge pin apply --undo --state-dir {self.state}`"
        self.assertEqual(fix in told.stderr, bool(left), told.stderr)
        self.assertEqual("left behind: " in told.stdout, bool(left), told.stdout)
        return [(entry["holder"], entry["moved"], entry["nice"]) for entry in left]

    def test_apply_and_undo(self):
        target, other = self.begin(WAIT), self.begin(WAIT)
        os.sched_setaffinity(other.pid, CPUS[:1])
        done = self.apply("--isolate", "--pid", str(target.pid))
        self.assertEqual(done.returncode, 0, done.stderr)
        own = set(as_list(done.stdout))
        self.assertRegex(done.stderr, r"pinned 1 thread\nmoved \d+ threads? aside\n")
        self.assertEqual(os.sched_getaffinity(target.pid), own)
        self.assertEqual(os.sched_getaffinity(0), set(CPUS) - own)
        if CPUS[0] in own:
            self.assertEqual(os.sched_getaffinity(other.pid), set(CPUS) - own)
        child = self.begin(WAIT)
        back = self.apply("--undo", "--pid", str(target.pid))
        self.assertEqual(back.returncode, 0, back.stderr)
        for pid in (0, target.pid, child.pid):
            self.assertEqual(sorted(os.sched_getaffinity(pid)), CPUS)
        self.assertEqual(sorted(os.sched_getaffinity(other.pid)), CPUS[:1])

    def test_killed_at_any_time_nobody_loses_a_cpu(self):
        target, other = self.begin(WAIT), self.begin(WAIT)
        os.sched_setaffinity(other.pid, CPUS[1:])
        for turn in range(40):
            words = ["apply", "--state-dir", self.state, "--pid", str(target.pid)]
            words.append("--undo" if turn % 4 == 3 else "--isolate")
            gedge = self.begin([GEDGE, "pin", *words])
            for _ in range(turn % 10 * 20_000):
                pass
            gedge.kill()
            gedge.wait()
            if turn % 5 == 4:
                self.apply("--undo", "--pid", str(target.pid))
                self.assertEqual(self.apply("--undo").returncode, 0)
                for pid in (0, target.pid):
                    self.assertEqual(sorted(os.sched_getaffinity(pid)), CPUS)
                self.assertEqual(sorted(os.sched_getaffinity(other.pid)), CPUS[1:])

    def test_errors_are_clear_and_leave_nothing_behind(self):
        target = self.begin(WAIT)
        full = self.apply("--isolate", "--cpus", str(len(CPUS)), "--pid", str(target.pid))
        self.assertEqual(full.returncode, 4)
        self.assertIn("no CPU would be left for others", full.stderr)
        run = subprocess.run([GEDGE, "pin", "run", "--isolate", "--state-dir", self.state,
                              "--cpus", str(len(CPUS)), "--", "true"], capture_output=True,
                             text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 4)
        for pid in (0, target.pid):
            self.assertEqual(sorted(os.sched_getaffinity(pid)), CPUS)
        self.assertEqual(self.apply("--undo").returncode, 0)
        self.assertEqual(self.apply("--isolate").returncode, 2)

    def test_a_command_that_cannot_be_run_moves_nobody(self):
        text = os.path.join(self.folder, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no program")
        for command, code in (("no-such-command", 127), (text, 126), (self.folder, 126),
                              (os.path.join(self.folder, "none"), 127)):
            done = subprocess.run(self.words(command), capture_output=True, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(f"'{command}'", done.stderr)
            self.assertNotIn("aside", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.state, "pin_record")))

    def test_on_a_full_disk_the_fix_is_to_make_room(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        self.state = os.path.join(disk, "state")
        target = self.begin(WAIT)
        self.assertEqual(self.apply("--pid", str(target.pid)).returncode, 0)
        with open(os.path.join(disk, "full"), "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        full = self.apply("--undo", "--pid", str(target.pid))
        self.assertEqual(full.returncode, 4, full.stderr)
        self.assertIn("no space left", full.stderr)
        self.assertIn("fix: make room on that file system", full.stderr)
        self.assertNotIn("--state-dir", full.stderr)
        os.remove(os.path.join(disk, "full"))
        self.assertEqual(self.apply("--undo", "--pid", str(target.pid)).returncode, 0)
        self.assertEqual(sorted(os.sched_getaffinity(target.pid)), CPUS)

    def test_without_rights_nobody_is_moved(self):
        other = self.begin(WAIT)
        done = self.without_rights(*self.words("true"))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("no right to move process", done.stderr)
        self.assertIn("without `--isolate`", done.stderr)
        for pid in (0, other.pid):
            self.assertEqual(sorted(os.sched_getaffinity(pid)), CPUS)
        self.assertFalse(re.search("isolated", json.dumps(self.record())))


if __name__ == "__main__":
    run_inside()
