"""`gedge pin run --nice-others` and `gedge pin apply --nice-others`: others come second, and are
put back.

Runs in a namespace of processes of its own: nobody else on the machine is raised.
"""

import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from own_processes import GEDGE, PinCase, WAIT, run_inside

CPUS = sorted(os.sched_getaffinity(0))
THREADS = """
import os, threading
def run(nice):
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
    ready.wait()
    end.wait()
ready, end = threading.Barrier(3), threading.Event()
for nice in (3, 15):
    threading.Thread(target=run, args=(nice,), daemon=True).start()
ready.wait()
print("ready", flush=True)
input()
"""


def nice_of(pid):
    return os.getpriority(os.PRIO_PROCESS, pid)


def nices(pid):
    """Of all threads, sorted."""
    return sorted(nice_of(int(thread)) for thread in os.listdir(f"/proc/{pid}/task"))


def may_lower():
    child = subprocess.run([sys.executable, "-c", "import os; os.nice(1); "
                            "os.setpriority(os.PRIO_PROCESS, 0, 0)"], capture_output=True,
                           check=False)
    return child.returncode == 0


class PinNiceTest(PinCase):
    def setUp(self):
        if not may_lower():
            self.skipTest("nice values cannot be lowered here")
        super().setUp()
        self.assertEqual(nice_of(0), 0)

    def words(self, *command):
        return [GEDGE, "pin", "run", "--nice-others", "7", "--state-dir", self.state, "--",
                *command]

    def record(self):
        with open(os.path.join(self.state, "pin_record"), encoding="utf-8") as file:
            return json.load(file)

    def threads(self):
        process = self.begin([sys.executable, "-c", THREADS])
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(nices(process.pid), [0, 3, 15])
        return process

    def test_others_come_second_while_a_run_lasts(self):
        other = self.threads()
        run = self.begin(self.words(*WAIT))
        run.stdin.write("begun\n")
        run.stdin.flush()
        self.assertEqual(run.stdout.readline(), "begun\n")
        self.assertEqual(nices(other.pid), [7, 7, 15])
        self.assertEqual(nice_of(0), 7)
        self.assertEqual(nice_of(run.pid), 0)  # gedge itself
        holder, level = next(iter(self.record()["niced"]["levels"].items()))
        self.assertEqual(nice_of(int(holder.split("-")[0])), 0)
        self.assertEqual(level["nice"], 7)
        child = self.begin(WAIT)  # begun by one who was raised
        self.assertEqual(nice_of(child.pid), 7)
        run.stdin.close()
        self.assertEqual(run.wait(timeout=60), 0)
        self.assertRegex(run.stderr.read(), r"raised \d+ threads? to nice value 7\n")
        self.assertEqual(nices(other.pid), [0, 3, 15])
        for pid in (0, child.pid):
            self.assertEqual(nice_of(pid), 0)
        self.assertNotIn("niced", self.record())

    def test_only_those_who_may_run_there(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU: everybody may run there")
        other = self.begin(WAIT)
        target = self.begin(WAIT)
        os.sched_setaffinity(target.pid, CPUS[:1])
        os.sched_setaffinity(other.pid, CPUS[1:])
        done = self.apply("--nice-others", "7", "--pid", str(target.pid))
        self.assertEqual(done.returncode, 0, done.stderr)
        own = int(done.stdout)
        self.assertEqual(nice_of(other.pid), 7 if own in CPUS[1:] else 0)
        self.assertEqual(nice_of(target.pid), 0)
        self.assertEqual(nice_of(0), 7)
        back = self.apply("--undo", "--pid", str(target.pid))
        self.assertEqual(back.returncode, 0, back.stderr)
        for pid in (0, other.pid, target.pid):
            self.assertEqual(nice_of(pid), 0)

    def test_a_signal_ends_the_command_and_puts_others_back(self):
        run = self.begin(self.words(sys.executable, "-c", "print(1, flush=True); input()"))
        run.stdout.readline()
        self.assertEqual(nice_of(0), 7)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=60), 128 + signal.SIGTERM)
        self.assertEqual(nice_of(0), 0)

    def test_after_a_crash_others_are_put_back_once_the_command_has_ended(self):
        for by_hand in (True, False):
            run = self.begin(self.words(sys.executable, "-c", "print(1, flush=True); input()"))
            run.stdout.readline()
            command = int(next(iter(self.record()["niced"]["levels"])).split("-")[0])
            run.kill()
            run.wait()
            self.assertEqual(self.apply("--undo").returncode, 0)
            self.assertEqual(nice_of(0), 7)  # the command goes on
            os.kill(command, signal.SIGKILL)
            run.stdout.read()  # until it is gone
            left = self.gedge("check", "--state-dir", self.state)
            self.assertEqual(left.returncode, 1)
            self.assertRegex(left.stdout, rf"process {command}\t-\t\d+\t-\tleft behind: others are "
                             "still at nice value 7 or more\n")
            if by_hand:
                back = self.apply("--undo")
            else:
                back = self.gedge("run", "--state-dir", self.state, "--", "true")
            self.assertEqual((back.returncode, back.stderr), (0, ""))
            self.assertEqual(nice_of(0), 0)

    def test_killed_at_any_time_everybody_gets_his_value_back(self):
        target, other = self.begin(WAIT), self.threads()
        for turn in range(40):
            words = ["apply", "--state-dir", self.state, "--pid", str(target.pid)]
            words += ["--undo"] if turn % 4 == 3 else ["--nice-others", "7"]
            gedge = self.begin([GEDGE, "pin", *words])
            for _ in range(turn % 10 * 20_000):
                pass
            gedge.kill()
            gedge.wait()
            if turn % 5 == 4:
                self.apply("--undo", "--pid", str(target.pid))
                self.assertEqual(self.apply("--undo").returncode, 0)
                self.assertEqual([nice_of(0), nice_of(target.pid)], [0, 0])
                self.assertEqual(nices(other.pid), [0, 3, 15])

    def test_without_rights_nobody_is_raised(self):
        done = self.without_rights(*self.words("echo", "begun"))
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("no right to lower nice values again", done.stderr)
        self.assertIn("without `--nice-others`", done.stderr)
        self.assertEqual(nice_of(0), 0)
        self.assertNotIn("niced", self.record())
        self.assertEqual(self.apply("--undo").returncode, 0)

    def test_rights_within_a_namespace_of_users_do_not_count(self):
        inside = ["unshare", "--map-root-user"]
        if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespace of users can be made here")
        done = subprocess.run([*inside, *self.words("echo", "begun")], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertEqual(nice_of(0), 0)

    def test_what_is_asked_for_wrongly(self):
        for value in ("0", "20", "-5", "x"):
            done = self.gedge("run", f"--nice-others={value}", "--", "true")
            self.assertEqual(done.returncode, 2, value)
        for mode in ("preferred", "shared:0"):
            done = self.gedge("run", "--nice-others", "5", "--mode", mode, "--", "true")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--nice-others", done.stderr)


if __name__ == "__main__":
    run_inside()
