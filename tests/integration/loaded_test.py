"""Which libraries a command loads: each one costs start-up time, so most are opened when needed."""

import os
import re
import subprocess
import tempfile
import unittest

GEDGE = os.environ["GEDGE"]
MATRIX = "from,to,rtt_ms\na,b,1.5\nb,a,2\n"


def loaded(*args):
    """Names of the shared objects that a run of gedge maps: "libpng16"."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([GEDGE, *args], capture_output=True, timeout=60, check=False,
                             env={**os.environ, "LD_DEBUG": "files",
                                  "LD_DEBUG_OUTPUT": os.path.join(folder, "log")})
        assert run.returncode in (0, 1), run.stderr.decode()
        text = ""
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
                text += stream.read()
    names = re.findall(r"file=([^ ]+) \[\d+\];  generating link map", text)
    return {os.path.basename(name).split(".so")[0] for name in names}


class LoadedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "rtt.csv")
        with open(cls.path, "w", encoding="utf-8") as stream:
            stream.write(MATRIX)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_libpng_is_loaded_for_a_picture_only(self):
        self.assertIn("libpng16", loaded("matrix", "show", self.path, "-o", "png"))
        self.assertNotIn("libpng16", loaded("matrix", "show", self.path, "-o", "svg"))
        self.assertIn("gedge-command", loaded("matrix", "show", self.path))


if __name__ == "__main__":
    unittest.main()
