"""For tests that change what others run on: a namespace of processes of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
INSIDE = "GEDGE_TEST_IS_INSIDE"
WAIT = ["cat"]  # until standard input ends


def run_inside():
    """Runs the tests of this file where only their own processes are to be seen."""
    if INSIDE in os.environ:
        unittest.main()
    inside = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    for way in (inside, [inside[0], "--map-root-user", *inside[1:]]):
        if shutil.which("unshare") and subprocess.run([*way, "true"], capture_output=True,
                                                      check=False).returncode == 0:
            sys.exit(subprocess.run([*way, sys.executable, "-B", *sys.argv], check=False,
                                    env={**os.environ, INSIDE: "1"}).returncode)
    print("skipped: no namespace of processes can be made here")
    sys.exit(77)


class PinCase(unittest.TestCase):
    """`gedge pin` with a state directory of its own, and processes that end with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.state = os.path.join(folder.name, "state")

    def begin(self, words, **more):
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **more)

        def clean():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                stream.close()
        self.addCleanup(clean)
        return process

    def gedge(self, *args):
        return subprocess.run([GEDGE, "pin", *args], capture_output=True, text=True, timeout=120,
                              check=False)

    def apply(self, *args):
        return self.gedge("apply", "--state-dir", self.state, *args)

    def without_rights(self, *words):
        """As nobody; skips where that cannot be."""
        os.chmod(self.folder, 0o777)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
             *words], capture_output=True, text=True, timeout=120, check=False)
        if "setpriv" in done.stderr or "Permission denied" in done.stderr:
            self.skipTest(done.stderr)
        return done
