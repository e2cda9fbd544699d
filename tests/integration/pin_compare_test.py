"""`gedge pin compare`: runs in turn, a verdict, and what is remembered of it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
CPUS = sorted(os.sched_getaffinity(0))

# Takes long where it may use as many CPUs as the argument says, and no time elsewhere.
SLOW_ON = '[ "$(nproc)" != "$0" ] || exec sleep 0.4'


def heed_ctrl_c():
    """As a terminal's foreground does, also where this test runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class PinCompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.state = os.path.join(folder.name, "state")

    def gedge(self, verb, *args):
        return subprocess.run([GEDGE, "pin", verb, "--state-dir", self.state, *args],
                              capture_output=True, text=True, timeout=600, check=False)

    def slow_on(self, count):
        return ["sh", "-c", SLOW_ON, str(count)]

    def need_two_cpus(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU: pinned and plain are the same")

    def test_a_job_that_pinning_helps(self):
        self.need_two_cpus()
        done = self.gedge("compare", "--pairs", "6", "-o", "json", "--", *self.slow_on(len(CPUS)))
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["verdict"], "helps")
        self.assertLess(document["ratio"]["high"], 1)
        self.assertIn("pinning helps", done.stderr)

    def test_a_job_that_pinning_harms_is_left_alone_from_then_on(self):
        self.need_two_cpus()
        job = self.slow_on(1)
        done = self.gedge("compare", "--pairs", "6", "--do-no-harm", "--", *job)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("pinning harms", done.stderr)
        rows = [line.split("\t")[0] for line in done.stdout.splitlines()]
        self.assertEqual(rows, ["PAIR", *map(str, range(1, 7)), "median", "at least", "at most"])
        run = self.gedge("run", "--do-no-harm", "--", *job)
        self.assertEqual(run.returncode, 0)
        self.assertIn("not pinned", run.stderr)
        show = [sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"]
        self.assertEqual(self.gedge("run", "--do-no-harm", "--", *show).stdout, "1\n")
        self.assertNotIn("not pinned", self.gedge("run", "--", *job).stderr)

    def test_what_the_command_reads_and_prints_is_nobody_s(self):
        script = os.path.join(self.folder, "count")
        done = self.gedge("compare", "--pairs", "6", "--", "sh", "-c",
                          f'cat; echo noise; echo x >> {script}')
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertNotIn("noise", done.stdout)
        with open(script, encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 13)

    def test_what_a_terminal_sends_ends_it_with_130_and_nothing_is_held(self):
        for first in ("plain", "pinned"):
            state = os.path.join(self.folder, first)
            begun = os.path.join(self.folder, first + ".begun")
            os.mkfifo(begun)
            # The first run is a plain one, and so is the second; the third is pinned.
            script = f'echo x >> {state}.runs; [ $(wc -l < {state}.runs) -lt $0 ] || ' \
                     f'{{ echo x > {begun}; exec sleep 60; }}'
            words = [GEDGE, "pin", "compare", "--state-dir", state, "--", "sh", "-c", script,
                     "1" if first == "plain" else "3"]
            compare = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, start_new_session=True, preexec_fn=heed_ctrl_c)
            with open(begun, encoding="ascii") as file:
                file.read()
            os.killpg(compare.pid, signal.SIGINT)
            out, err = compare.communicate(timeout=60)
            self.assertEqual((compare.returncode, out, err), (130, "", "\n"))
            if first == "pinned":
                with open(os.path.join(state, "pin_state"), encoding="utf-8") as file:
                    self.assertEqual(json.load(file).get("entries", {}), {})

    def test_errors_are_clear(self):
        for args, code, word in ((("--", "false"), 4, "ended with 1"),
                                 (("--", "no-such-command"), 3, "cannot find command"),
                                 (("--pairs", "5", "--", "true"), 2, "fix: give 6 to "),
                                 (("--cpus", str(len(CPUS) + 1), "--", "true"), 4, "may be used"),
                                 ((), 2, "no command is given")):
            done = self.gedge("compare", *args)
            self.assertEqual(done.returncode, code, (args, done.stderr))
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
