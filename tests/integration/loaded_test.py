"""Which libraries a command loads: each one costs start-up time, so most are opened when needed."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

from agents import GEDGE, Agent, closed_port

APP = ("kind: Pod\napiVersion: v1\nmetadata: {name: web}\n"
       "spec: {containers: [{name: c, image: i}]}\n")
MATRIX = "from,to,rtt_ms\na,b,1.5\nb,a,2\n"


def mapped(process):
    """Names of the shared objects of a process that runs."""
    with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
        return {os.path.basename(line.split()[-1]).split(".so")[0]
                for line in maps if ".so" in line}


def loaded(*args):
    """Names of the shared objects that a run of gedge maps: "libpng16"."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([GEDGE, *args], capture_output=True, timeout=60, check=False,
                             env={**os.environ, "LD_DEBUG": "files",
                                  "LD_DEBUG_OUTPUT": os.path.join(folder, "log")})
        assert run.returncode in (0, 1, 4), run.stderr.decode()
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

    def test_libhwloc_is_loaded_by_what_looks_at_a_machine_only(self):
        names = loaded("pin", "show", "--machine", "synthetic:pack:2 core:2 pu:1")
        self.assertIn("libhwloc", names)
        self.assertFalse(names & {"libssl", "libcrypto", "libcurl", "gedge-daemon"})
        self.assertNotIn("libhwloc", loaded("matrix", "show", self.path))
        self.assertNotIn("libhwloc", loaded("pin", "run", "--state-dir", self.folder.name,
                                            "--dry-run", "--", "true"))

    def test_a_command_is_pinned_without_the_library_of_cpp(self):
        run = ["pin", "run", "--state-dir", os.path.join(self.folder.name, "state")]
        names = loaded(*run, "--", "true")
        self.assertIn("gedge-quick", names)
        self.assertFalse(names & {"gedge-command", "libstdc++", "libsimdjson", "libyaml-0"})
        for odd in (["--dry-run", "--", "true"], ["--do-no-harm", "--", "true"]):
            self.assertIn("gedge-command", loaded(*run, *odd))
        self.assertNotIn("gedge-quick", loaded("pin", "show", "--machine", "synthetic:pu:2"))

    def test_neither_tls_nor_http_is_loaded_by_what_needs_none(self):
        app = os.path.join(self.folder.name, "app.yaml")
        with open(app, "w", encoding="utf-8") as stream:
            stream.write(APP)
        for args in (["--help"], ["plan", "--cluster", "synthetic:nodes=3", "-f", app],
                     ["matrix", "check", self.path], ["measure", "127.0.0.1", "-c", "1"],
                     ["measure", "127.0.0.1", "-c", "1", "--method", "tcp", "--port", "1"]):
            names = loaded(*args)
            self.assertIn("gedge-command", names)
            self.assertFalse(names & {"libssl", "libcrypto", "libcurl", "gedge-daemon"}, args)

    def test_an_agent_that_runs_loads_its_server_and_tls(self):
        holder, port = closed_port()
        agent = Agent("--peers", "dns:localhost", "--listen", "127.0.0.1:0", "--method", "tcp",
                      "--port", str(port))
        with holder:
            try:
                agent.listen()
                self.assertLessEqual({"gedge-daemon", "libssl"}, mapped(agent.process.pid))
            finally:
                self.assertEqual(agent.stop(signal.SIGTERM), 0)


if __name__ == "__main__":
    unittest.main()
