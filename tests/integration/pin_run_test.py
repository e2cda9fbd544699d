"""`gedge pin run`: every thread where the plan says, nobody twice on a CPU, nothing left behind."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
CPUS = sorted(os.sched_getaffinity(0))
LOOKS = 200_000

# Threads that say where they may run, then wait until standard input ends.
THREADS = """
import os, sys, threading
go = threading.Event()
masks, lock = [], threading.Lock()
def look():
    with lock:
        masks.append((threading.get_native_id(), sorted(os.sched_getaffinity(0))))
    go.wait()
threads = [threading.Thread(target=look) for _ in range(8)]
for thread in threads: thread.start()
while len(masks) < 8: pass
print(os.getpid(), sorted(os.sched_getaffinity(0)), flush=True)
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


class PinRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.state = os.path.join(folder.name, "state")

    def words(self, *args):
        return [GEDGE, "pin", "run", "--state-dir", self.state, *args]

    def run_pinned(self, *args, **kwargs):
        return subprocess.run(self.words(*args), capture_output=True, text=True, timeout=120,
                              check=False, **kwargs)

    def begin(self, *args, script=THREADS):
        process = subprocess.Popen(self.words(*args, "--", sys.executable, "-c", script),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.clean, process)
        return process

    @staticmethod
    def clean(process):
        process.kill()  # nothing happens to one that has ended
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def entries(self):
        with open(os.path.join(self.state, "pin_state"), encoding="utf-8") as file:
            return json.load(file).get("entries", {})

    def free(self):
        """CPUs that a run would get, most of them first."""
        for count in range(len(CPUS), 0, -1):
            seen = self.run_pinned("--dry-run", "--cpus", str(count), "--", "true")
            if seen.returncode == 0:
                return as_list(seen.stdout)
        return []

    def test_every_thread_runs_where_the_plan_and_taskset_say(self):
        count = max(1, len(CPUS) - 1)
        plan = as_list(self.run_pinned("--cpus", str(count), "--dry-run", "--", "true").stdout)
        self.assertEqual(len(plan), count)
        self.assertTrue(set(plan) <= set(CPUS))
        process = self.begin("--cpus", str(count))
        pid, mask = process.stdout.readline().split(" ", 1)
        self.assertEqual(json.loads(mask), plan)
        threads = os.listdir(f"/proc/{pid}/task")
        self.assertEqual(len(threads), 9)
        for thread in threads:
            with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as status:
                allowed = re.search(r"Cpus_allowed_list:\s*(\S+)", status.read()).group(1)
            self.assertEqual(as_list(allowed), plan)
            if shutil.which("taskset"):
                said = subprocess.run(["taskset", "-pc", thread], capture_output=True, text=True,
                                      check=True).stdout
                self.assertEqual(as_list(said.rsplit(":", 1)[1]), plan)
        self.assertEqual([as_list(pod["run"]) for pod in self.entries().values()], [plan])
        self.assertEqual(next(iter(self.entries())).split("-")[0], pid)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.entries(), {})

    def test_runs_at_once_never_share_a_cpu(self):
        runs = [self.begin() for _ in CPUS]
        masks = [json.loads(run.stdout.readline().split(" ", 1)[1]) for run in runs]
        self.assertEqual(sorted(sum(masks, [])), CPUS)
        more = self.run_pinned("--", "true")
        self.assertEqual(more.returncode, 4)
        self.assertIn(f"only 0 of {len(CPUS)} CPU", more.stderr)
        for run in runs:
            run.stdin.close()
            self.assertEqual(run.wait(timeout=60), 0)
        self.assertEqual(self.entries(), {})

    def test_preferred_shares_where_it_gets_no_cpus_of_its_own(self):
        show = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
        own = self.run_pinned("--mode", "preferred", "--", *show)
        self.assertEqual((len(json.loads(own.stdout)), own.stderr), (1, ""))
        many = str(len(CPUS) + 1)
        beside = self.run_pinned("--mode", "preferred", "--cpus", many, "--", *show)
        self.assertEqual((beside.returncode, json.loads(beside.stdout)), (0, CPUS))
        self.assertIn("beside others", beside.stderr)
        quiet = self.run_pinned("--mode", "preferred", "--cpus", many, "-q", "--", *show)
        self.assertEqual(quiet.stderr, "")
        foreseen = self.run_pinned("--mode", "preferred", "--cpus", many, "--dry-run", "--", "true")
        self.assertEqual(as_list(foreseen.stdout), CPUS)
        self.assertIn("beside others", foreseen.stderr)
        self.assertEqual(self.entries(), {})

    def test_shared_cpus_are_those_that_are_named_and_nobody_holds(self):
        show = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
        all_of_them = "shared:" + ",".join(map(str, CPUS))
        last = self.run_pinned("--mode", f"shared:{CPUS[-1]}", "--", *show)
        self.assertEqual((json.loads(last.stdout), last.stderr), (CPUS[-1:], ""))
        holder = self.begin()
        held = json.loads(holder.stdout.readline().split(" ", 1)[1])
        rest = [cpu for cpu in CPUS if cpu not in held]
        if rest:
            seen = self.run_pinned("--mode", all_of_them, "--", *show)
            self.assertEqual(json.loads(seen.stdout), rest)
        self.assertEqual(len(self.entries()), 1)
        refused = self.run_pinned("--mode", f"shared:{held[0]}", "--", *show)
        self.assertEqual((refused.returncode, refused.stdout), (4, ""))
        self.assertIn("held by others", refused.stderr)
        holder.stdin.close()
        self.assertEqual(holder.wait(timeout=60), 0)

    def test_modes_that_say_nothing_or_two_things_are_refused(self):
        for args, code, word in ((("--mode", "mine"), 2, "unknown mode 'mine'"),
                                 (("--mode", "shared:"), 2, "no CPU is named"),
                                 (("--mode", "shared:x"), 2, "'x'"),
                                 (("--mode", "shared:65535"), 4, "may not be used"),
                                 (("--mode", "shared:0", "--cpus", "2"), 2, "which CPUs"),
                                 (("--mode", "shared:0", "--isolate"), 2, "nobody shares"),
                                 (("--mode", "preferred", "--isolate"), 2, "nobody shares")):
            done = self.run_pinned(*args, "--", "true")
            self.assertEqual((done.returncode, done.stdout), (code, ""), (args, done.stderr))
            self.assertIn(word, done.stderr)

    def test_many_at_once_leave_a_whole_ledger(self):
        runs = [subprocess.Popen(self.words("--", "true"), stderr=subprocess.PIPE)
                for _ in range(12)]
        codes = {(run.communicate(timeout=120), run.returncode)[1] for run in runs}
        self.assertTrue(codes <= {0, 4}, codes)
        self.assertEqual(self.entries(), {})
        self.assertEqual(self.free(), CPUS)

    def test_a_command_holds_its_cpus_when_gedge_is_killed_and_they_come_back(self):
        process = self.begin()
        pid, mask = process.stdout.readline().split(" ", 1)
        process.kill()
        process.wait(timeout=60)
        self.assertEqual(self.free(), [c for c in CPUS if c not in json.loads(mask)])
        os.kill(int(pid), signal.SIGKILL)
        for _ in range(LOOKS):  # until init, or whoever inherits it, has waited for it
            if self.free() == CPUS:
                break
        self.assertEqual(self.free(), CPUS)
        self.assertEqual(self.run_pinned("--cpus", str(len(CPUS)), "--", "true").returncode, 0)
        self.assertEqual(self.entries(), {})

    def test_signals_reach_the_command_and_its_exit_code_is_that_of_gedge(self):
        script = ("import signal, sys\n"
                  "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
                  "print('ready', flush=True)\nwhile True: signal.pause()\n")
        process = self.begin(script=script)
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 7)
        plain = self.begin(script="print('ready', flush=True)\nwhile True: pass\n")
        plain.stdout.readline()
        plain.send_signal(signal.SIGUSR1)
        self.assertEqual(plain.wait(timeout=60), 128 + signal.SIGUSR1)
        self.assertEqual(self.entries(), {})
        for code in (0, 1, 77, 255):
            done = self.run_pinned("--", "sh", "-c", f"exit {code}")
            self.assertEqual(done.returncode, code)
        killed = self.run_pinned("--", "sh", "-c", "kill -9 $$")
        self.assertEqual(killed.returncode, 128 + signal.SIGKILL)
        self.assertEqual(self.entries(), {})

    def test_the_library_for_quick_starts_changes_nothing(self):
        """The same words with it and without, and what they leave behind."""
        alone = os.path.join(self.folder, "alone")
        os.mkdir(alone)
        shutil.copy(GEDGE, os.path.join(alone, "gedge"))
        os.symlink(os.path.join(os.path.dirname(GEDGE), "gedge-command.so"),
                   os.path.join(alone, "gedge-command.so"))
        nested = [GEDGE, "pin", "run", "--state-dir", "STATE", "--", "sh", "-c", "exit 5"]
        for args in (["--", "sh", "-c", "echo out; echo err >&2; exit 3"],
                     ["--memory", "preferred", "--", "true"], ["--quiet", "--", "false"],
                     ["--policy", "prefer-align-cpus-by-uncorecache", "--", "true"],
                     ["--", "no-such-command"], ["--cpus", "9999", "--", "true"],
                     ["--near", "no-such-device", "--", "true"], ["--nonsense"], ["--help"], ["--"],
                     ["--dry-run", "--", "true"], ["--do-no-harm", "--", "true"],
                     ["--color", "always", "--cpus", "x", "--", "true"], ["--", *nested]):
            seen = []
            for program in (GEDGE, os.path.join(alone, "gedge")):
                state = os.path.join(self.folder, "state" + str(len(seen)))
                words = [state if word == "STATE" else word for word in args]
                done = subprocess.run([program, "pin", "run", "--state-dir", state, *words],
                                      capture_output=True, text=True, timeout=120, check=False)
                ledger = os.path.join(state, "pin_state")
                text = ""
                if os.path.exists(ledger):
                    with open(ledger, encoding="ascii") as file:
                        text = file.read()
                seen.append((done.returncode, done.stdout, done.stderr.replace(state, ""), text))
            self.assertEqual(seen[0], seen[1], args)

    def test_a_lock_that_nobody_gives_back_is_waited_for_once(self):
        self.assertEqual(self.run_pinned("--", "true").returncode, 0)
        with open(os.path.join(self.state, "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.run_pinned("--", "true")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr.count("waiting for"), 1, done.stderr)
        self.assertIn("for 10 s", done.stderr)
        self.assertEqual(self.entries(), {})

    def test_ctrl_c_while_the_lock_is_waited_for_ends_gedge_and_holds_nothing(self):
        self.assertEqual(self.run_pinned("--", "true").returncode, 0)
        with open(os.path.join(self.state, "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = subprocess.Popen(self.words("--", "true"), stderr=subprocess.PIPE, text=True)
            self.assertIn("waiting for", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stderr.read(), "\n")
            self.assertEqual(process.wait(timeout=60), 130)
            process.stderr.close()
        self.assertEqual(self.entries(), {})

    def test_what_a_terminal_sends_arrives_once(self):
        script = ("import signal, sys\ncount = []\n"
                  "signal.signal(signal.SIGINT, lambda *_: (count.append(1), print('got')))\n"
                  "signal.signal(signal.SIGTERM, lambda *_: sys.exit(len(count)))\n"
                  "print('ready')\nwhile True: signal.pause()\n")
        pid, terminal = pty.fork()
        if pid == 0:
            words = self.words("--", sys.executable, "-uc", script)
            os.execv(words[0], words)
        seen = b""
        for word, act in ((b"ready", lambda: os.write(terminal, b"\x03")),
                          (b"got", lambda: os.kill(pid, signal.SIGTERM))):
            while word not in seen:
                seen += os.read(terminal, 4096)
            act()
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 1)

    def test_a_command_finds_signals_as_gedge_found_them(self):
        show = "grep -E 'Sig(Blk|Ign)' /proc/self/status"
        plain = subprocess.run(["sh", "-c", show], capture_output=True, text=True, check=True)
        self.assertEqual(self.run_pinned("--", "sh", "-c", show).stdout, plain.stdout)
        ignored = subprocess.run(["sh", "-c", f"trap '' PIPE; {show}"], capture_output=True,
                                 text=True, check=True)
        self.assertNotEqual(ignored.stdout, plain.stdout)
        done = subprocess.run(["sh", "-c", "trap '' PIPE; exec \"$@\"", "sh",
                               *self.words("--", "sh", "-c", show)], capture_output=True,
                              text=True, check=False, timeout=120)
        self.assertEqual(done.stdout, ignored.stdout)

    def test_a_command_line_is_handed_on_as_it_is(self):
        args = ["-c", "a b", "--", "--help", "", "*"]
        done = self.run_pinned("--", sys.executable, "-c", "import sys, json\n"
                               "print(json.dumps(sys.argv[1:]))", *args)
        self.assertEqual(json.loads(done.stdout), args)

    def test_errors_are_clear_and_leave_nothing_behind(self):
        text = os.path.join(self.folder, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no program")
        for args, code, word in (
                (("--", "no-such-command"), 127, "cannot find command 'no-such-command'"),
                (("--", text), 126, "chmod +x"),
                (("--cpus", str(len(CPUS) + 1), "--", "true"), 4, "may be used"),
                (("--cpus", "0", "--", "true"), 2, "no number of CPUs"),
                (("true",), 2, "write `--` before the command"),
                (("sh", "-c", "true"), 2, "write `--` before the command"),
                (("--state-dir", "", "--", "true"), 2, "no directory is named"),
                (("--nice-others", "20", "--", "true"), 2, "from 1 to 19"),
                (("--nice-others", "0", "--", "true"), 2, "from 1 to 19"),
                ((), 2, "no command is given"),
                (("--policy", "restricted", "--policy", "best-effort", "--", "true"), 2, "two"),
                (("--policy", "full-pcpus-only", "--policy", "distribute-cpus-across-cores", "--",
                  "true"), 3, "can not be used together")):
            done = self.run_pinned(*args)
            self.assertEqual(done.returncode, code, (args, done.stderr))
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.entries(), {})
        self.assertEqual(sorted(os.listdir(self.state)), ["lock", "pin_state"])

    def test_a_state_directory_that_cannot_be_made_is_an_error(self):
        self.state = os.path.join(self.folder, "a", "b")
        done = self.run_pinned("--", "touch", os.path.join(self.folder, "ran"))
        self.assertEqual(done.returncode, 4)
        self.assertIn("--state-dir", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_broken_ledger_is_not_written_over(self):
        self.assertEqual(self.run_pinned("--", "true").returncode, 0)
        path = os.path.join(self.state, "pin_state")
        with open(path, "w", encoding="ascii") as file:
            file.write('{"policyName":"static","defaultCpuSet":"0","checksum":1}')
        done = self.run_pinned("--", "true")
        self.assertEqual(done.returncode, 3)
        self.assertIn("checkpoint is corrupted", done.stderr)
        with open(path, encoding="ascii") as file:
            self.assertIn('"checksum":1', file.read())

    def test_what_is_kept_of_pins_is_for_nobody_else(self):
        """Whatever the umask allows."""
        self.assertEqual(self.run_pinned("--", "true", umask=0).returncode, 0)
        self.assertEqual(stat.S_IMODE(os.stat(self.state).st_mode), 0o700)
        kept = os.listdir(self.state)
        self.assertIn("pin_state", kept)
        for name in kept:
            mode = stat.S_IMODE(os.stat(os.path.join(self.state, name)).st_mode)
            self.assertEqual(mode, 0o600, name)

    def test_a_broken_record_of_pins_is_said_and_left_as_it_is(self):
        """Whatever is asked, with the library for quick starts and without."""
        self.assertEqual(self.run_pinned("--", "true").returncode, 0)
        path = os.path.join(self.state, "pin_record")
        ran = os.path.join(self.folder, "ran")
        undo = [GEDGE, "pin", "apply", "--undo", "--state-dir", self.state]
        for text in ("{", '{"aside":', '{"pins":[],"aside":{"all":"x"}}', "nothing"):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            for words in (undo, self.words("--", "touch", ran),
                          self.words("--do-no-harm", "--", "touch", ran),
                          self.words("--isolate", "--", "touch", ran)):
                done = subprocess.run(words, capture_output=True, text=True, timeout=120,
                                      check=False)
                self.assertEqual(done.returncode, 3, (text, words, done.stderr))
                self.assertTrue(done.stderr.startswith(path + ":1:"), done.stderr)
                self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
                self.assertIn("fix: mend it; or put it away", done.stderr)
                self.assertIn(f"`mv {path} {path}.broken`", done.stderr)
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), text)
        self.assertFalse(os.path.exists(ran))

    def test_memory_comes_from_where_the_flag_says(self):
        show = "head -1 /proc/self/numa_maps | cut -d' ' -f2"
        for mode, word in (("bind", "bind"), ("preferred", "prefer"), ("interleave", "interleave")):
            done = self.run_pinned("--memory", mode, "--", "sh", "-c", show)
            if "kernel refuses the memory policy" in done.stderr or not done.stdout:
                self.assertEqual(self.entries(), {})
                self.skipTest("this kernel has no memory policies: " + done.stderr)
            self.assertTrue(done.stdout.startswith(word), done.stdout)


if __name__ == "__main__":
    unittest.main()
