"""What daemons show an API server, what they say where nobody can tell any more who they are, which
programs they run to know it, and whom they answer themselves."""
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from answering import Answering  # noqa: E402
from checks import Checks  # noqa: E402
from plane import certificate, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
SHORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "scale",
                     "short.yaml")
DAEMONS = {"schedule": ["schedule", "--watch"],
           "autoscaler": ["scale", "run", "-f", SHORT, "--prometheus", "http://127.0.0.1:1"],
           "extender": ["extender"]}
FIRST = "the-first-token-of-all"
VAIN = 6  # answers that refuse who asks: by then the token was read more than once
EXEC = "client.authentication.k8s.io/v1"
checks = Checks()
need = checks.need


class ApiServer:
    """Knows its version and a token, and nothing else."""

    def __init__(self, path):
        self.token, self.refused, self.agents = FIRST, 0, set()
        self.server = Answering(self.reply, tls=path)

    def reply(self, target, headers):
        self.agents.add(headers["User-Agent"])
        if headers["Authorization"] != "Bearer " + self.token:
            self.refused += 1
            return 401, "application/json", b"{}"
        if target == "/version":
            return 200, "application/json", b'{"major":"1","minor":"30"}'
        return 404, "application/json", b"{}"


class Daemon:
    """One that listens on loopback, and is stopped at the end. `inherits`: descriptors that it
    finds open."""

    def __init__(self, folder, component, *flags, inherits=()):
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [GEDGE, *DAEMONS[component], "--kubeconfig", os.path.join(folder, "kubeconfig"),
                 "--listen", "127.0.0.1:0", *flags], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=log, pass_fds=inherits)

    def lines(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read().splitlines()

    def port(self):
        found = []

        def listens():
            found.extend(re.findall(r"event=listening address=127.0.0.1:(\d+)",
                                    "\n".join(self.lines())))
            return found or self.process.poll() is not None

        until(listens, "a daemon that listens")
        if not found:
            raise AssertionError(f"it ended: {self.lines()}")
        return found[0]

    def ask(self, path, headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port()}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def status(self, **headers):
        return self.ask("/metrics", headers)[0]

    def is_marked(self):
        return "insecure: " in self.ask("/readyz", {})[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def write_kubeconfig(folder, server, user, mode=0o600):
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                   "clusters": [{"name": "c", "cluster": {
                       "server": f"https://localhost:{server.server.port}",
                       "certificate-authority": os.path.join(folder, "server.crt")}}],
                   "users": [{"name": "u", "user": user}],
                   "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}, file)
    os.chmod(path, mode)
    return path


def write_access(folder, server):
    token = os.path.join(folder, "token")
    with open(token, "w", encoding="utf-8") as file:
        file.write(FIRST + "\n")
    write_kubeconfig(folder, server, {"tokenFile": token})
    return token


class Helper:
    """A program that says who we are, named by a kubeconfig of such a mode."""

    def __init__(self, folder, server, mode=0o600):
        self.path = os.path.join(folder, "helper")
        self.marks = os.path.join(folder, "marks")
        says = json.dumps({"apiVersion": EXEC, "kind": "ExecCredential",
                           "status": {"token": FIRST}})
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho $(ls /proc/self/fd) >> '{self.marks}'\necho '{says}'\n")
        os.chmod(self.path, 0o700)
        with open(self.marks, "w", encoding="utf-8"):
            pass
        self.kubeconfig = write_kubeconfig(folder, server, {
            "exec": {"apiVersion": EXEC, "interactiveMode": "Never", "command": self.path}}, mode)

    def runs(self):
        """What each of them had open: descriptors of `ls`."""
        with open(self.marks, encoding="utf-8") as marks:
            return marks.read().splitlines()


def check_lost_token(folder, server):
    """In the form of all other lines, and not again before there is other news."""
    for component in DAEMONS:
        server.token, server.refused = FIRST, 0
        token = write_access(folder, server)
        with Daemon(folder, component) as daemon:
            daemon.port()
            server.token = "second"
            with open(token, "w", encoding="utf-8"):
                pass
            until(lambda: server.refused >= VAIN, "answers that refuse")
            until(lambda: any(token in line for line in daemon.lines()), "the token to be missed")
            lines = daemon.lines()
            told = [line.split(" ", 2)[2] for line in lines]
            wanted = f'event=failed what="{token}: the file of the token is empty" fix=""'
            need(all(line == wanted for line in told if token in line), f"{component}: {told}")
            need(all(one != other for one, other in zip(told, told[1:])), f"{component}: {told}")
            need(all(line.startswith("at=") for line in lines), f"{component}: {lines}")


def check_strange_helper(folder, server):
    """What others could have chosen, or the user does without, is not run."""
    server.token = FIRST
    for component in DAEMONS:
        for mode, flags, code in ((0o620, (), 4), (0o602, (), 4),
                                  (0o600, ("--no-exec-credentials",), 3)):
            way = f"{component}, mode {mode:o}, {flags}"
            helper = Helper(folder, server, mode)
            with Daemon(folder, component, *flags) as daemon:
                until(lambda: helper.runs() or daemon.process.poll() is not None, "a refusal")
                lines = daemon.lines()
                need(daemon.process.poll() == code, f"{way}: exit {daemon.process.poll()}: {lines}")
                need(any(helper.kubeconfig in line for line in lines), f"{way}: {lines}")
            need(helper.runs() == [], f"{way}: the program was run")


def check_own_helper(folder, server):
    """It is run anew once its token is refused, and gets nothing that the daemon has open: neither
    the port that it listens on, nor what the daemon found open itself."""
    for component in DAEMONS:
        server.token = FIRST
        helper = Helper(folder, server)
        with open(os.devnull, "rb") as lent:
            with Daemon(folder, component, inherits=(lent.fileno(),)) as daemon:
                daemon.port()
                before = len(helper.runs())
                need(before > 0, f"{component}: it was not run")
                server.token = "second"
                until(lambda: len(helper.runs()) > before, "the program to be run anew")
        need(set(helper.runs()) == {"0 1 2 3"}, f"{component}: it has open {helper.runs()}")


def check_names(folder, server):
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine)
    need(len(server.agents) == len(DAEMONS), f"{server.agents}")
    for agent in server.agents:
        found = re.fullmatch(r"gedge/[0-9.]+ \(linux/([a-z0-9]+)\) ([a-z]+)", agent)
        need(found and found[2] in DAEMONS, agent)
        need(not architecture or (found and found[1] == architecture), agent)


def check_strangers(folder, server):
    server.token = FIRST
    write_access(folder, server)
    for component in DAEMONS:
        with Daemon(folder, component) as daemon:
            need(daemon.status() == 200, f"{component}: by address")
            need(not daemon.is_marked(), f"{component}: /readyz says that all may ask")
            need(daemon.status(Host="rebound.example") == 403, f"{component}: by a name")
            need(daemon.status(Origin="https://evil.example") == 403, f"{component}: from a page")
    for component in ("schedule", "autoscaler"):
        with Daemon(folder, component, "--insecure") as daemon:
            need(daemon.status(Host="gedge.svc") == 200, f"{component}: by a name that is allowed")
            need(daemon.is_marked(), f"{component}: /readyz does not say that all may ask")
        with Daemon(folder, component, "--token-file", os.path.join(folder, "token")) as daemon:
            need(daemon.status(Host="gedge.svc", Authorization="Bearer " + FIRST) == 200,
                 f"{component}: by a name, with a token")
            need(daemon.status(Host="gedge.svc") == 401, f"{component}: without a token")


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificate(os.path.join(folder, "server"))
        server = ApiServer(os.path.join(folder, "server"))
        try:
            checks.run([check_lost_token, check_names, check_strange_helper, check_own_helper,
                        check_strangers], folder, server)
        finally:
            server.server.stop()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
