"""What run.py makes of tests that fail, pass and do not end."""
import collections
import os
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402
from mutation import Mutation  # noqa: E402

SLEEPS = "import time; time.sleep(600)"
# It ends, and leaves another one that holds what both write to.
LEAVES = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{SLEEPS}'])"


class RunTest(unittest.TestCase):
    def setUp(self):
        self.does = {}  # by the program that is run: exit code, None where it does not end
        self.tally = collections.defaultdict(collections.Counter)
        patch = mock.patch.object(run, "run", self.answer)
        patch.start()
        self.addCleanup(patch.stop)

    def answer(self, command, _folder, _longest=0):
        if command[0] == "ninja":
            return self.does.get(command[1], 0), "built"
        return self.does.get(command[0], 0), "a line\nERROR: why\n"

    def judge(self, *by):
        return run.judge(Mutation("bug", (), "file", "find", "put", by), self.tally)

    def test_the_first_that_fails_has_caught_it(self):
        self.does = {"bin/unit_plan": 1, "bin/unit_io": 1}
        self.assertEqual(self.judge("control", "plan", "io"), ("plan", "ERROR: why"))
        self.assertEqual(self.tally, {"control": {"missed": 1}, "plan": {"caught": 1}})

    def test_one_that_is_killed_by_a_signal_has_caught_it(self):
        self.does = {"bin/unit_plan": -11}
        self.assertEqual(self.judge("plan")[0], "plan")

    def test_one_that_does_not_end_has_caught_nothing(self):
        self.does = {"bin/unit_plan": None}
        self.assertEqual(self.judge("plan", "io")[0], run.HANGS)
        self.assertEqual(self.tally, {"plan": {"hangs": 1}, "io": {"missed": 1}})
        self.does["bin/unit_io"] = 1
        self.assertEqual(self.judge("plan", "io")[0], "io")

    def test_one_that_nobody_sees_is_not_caught(self):
        self.assertEqual(self.judge("plan", "io")[0], run.MISSED)

    def test_one_that_cannot_be_built_is_not_caught(self):
        for code in (1, None):
            self.does = {"unit_plan": code}
            self.assertEqual(self.judge("plan")[0], run.UNBUILT)
        self.assertEqual(self.tally, {})

    def test_who_fails_or_does_not_end_without_a_bug_is_named(self):
        self.assertEqual(run.unfit_catcher({"io", "plan"}), "")
        for program, code in (("bin/unit_plan", 1), ("bin/unit_plan", None), ("unit_plan", 1)):
            self.does = {program: code}
            self.assertIn("plan, without any bug", run.unfit_catcher({"io", "plan"}))


class ProcessTest(unittest.TestCase):
    def run_python(self, text, longest):
        return run.run([sys.executable, "-c", text], os.getcwd(), longest)

    def test_what_ends_says_how(self):
        text = "import sys; print('said'); sys.exit(3)"
        self.assertEqual(self.run_python(text, 60), (3, "said\n"))

    def test_what_does_not_end_is_ended_with_all_that_it_started(self):
        for text in (SLEEPS, LEAVES):
            self.assertEqual(self.run_python(text, 1), (None, "no end within 1 s"))


if __name__ == "__main__":
    unittest.main()
