"""Ten agents in ten network namespaces: a partition, a crash in the middle of it, and both undone.

What the agents reply is collected from inside; pairs that nobody can measure must be unknown there,
all others known, and no agent is told anything when the network comes back. The namespaces are made
here, hang on bridges of a namespace that is made here too, and go with this process. Nothing
sleeps: each state is waited for by collecting again, a bounded number of times.
"""
import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from agents import Agent, certificate

NODES = [f"n{i}" for i in range(10)]
NEAR, FAR = NODES[:5], NODES[5:]
ADDRESS = {node: f"10.78.0.{10 + i}" for i, node in enumerate(NODES)}
CRASHES = "n3"
PORT, TOKEN = 8787, "0123456789abcdef-of-this-test"
PATIENCE = 3  # seconds until an agent that does not reply is unreachable, for this look
MOST_LOOKS = 1_000
INSIDE = "GEDGE_TEST_INSIDE"


def skip(why):
    print(f"[skipped] {why}")
    sys.exit(77)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


def enter():
    """Becomes this script in namespaces of its own, where names of others do not matter."""
    for program in ("unshare", "nsenter", "ip", "openssl"):
        if not shutil.which(program):
            skip(f"no {program} here")
    ways = [["unshare", "--net", "--mount"], ["unshare", "--map-root-user", "--net", "--mount"]]
    for way in ways:
        if subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0:
            os.environ[INSIDE] = "1"
            os.execvp(way[0], [*way, sys.executable, "-B", *sys.argv])
    skip("no right to make network namespaces")


def make_network():
    """A bridge for each side; all nodes hang on the first one."""
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    for bridge in ("near", "far"):
        run("ip", "link", "add", bridge, "type", "bridge", "forward_delay", "0")
        run("ip", "link", "set", bridge, "up")
    for node in NODES:
        run("ip", "netns", "add", node)
        run("ip", "link", "add", f"to-{node}", "type", "veth", "peer", "name", "e0", "netns", node)
        run("ip", "link", "set", f"to-{node}", "master", "near", "up")
        run("ip", "-n", node, "address", "add", f"{ADDRESS[node]}/24", "dev", "e0")
        for device in ("lo", "e0"):
            run("ip", "-n", node, "link", "set", device, "up")


def connect(nodes, bridge):
    for node in nodes:
        run("ip", "link", "set", f"to-{node}", "master", bridge)


def within(node):
    return ["nsenter", f"--net=/run/netns/{node}"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


class Mesh:
    def __init__(self, folder):
        self.folder = folder
        self.peers = write(folder, "peers", "".join(f"{n}={a}\n" for n, a in ADDRESS.items()))
        self.token = write(folder, "token", TOKEN + "\n")
        self.pair = certificate(folder, "tls",
                                of=",".join(f"IP:{address}" for address in ADDRESS.values()))
        self.agents = {}

    def start(self, node):
        self.agents[node] = Agent(
            "--peers", self.peers, "--node", node, "--listen", f"{ADDRESS[node]}:{PORT}",
            "--method", "udp", "--period", "200ms", "--count", "2", "--timeout", "400ms",
            "--max-age", "4s", "--bandwidth", "0", "--tls-cert", self.pair[0], "--tls-key",
            self.pair[1], "--token-file", self.token, host=ADDRESS[node], prefix=within(node))
        self.agents[node].listen()

    def crash(self, node):
        agent = self.agents.pop(node)
        agent.process.kill()
        agent.process.communicate()

    def collect(self, node):
        """What all agents say to somebody on `node`: their rows, None where they say nothing."""
        done = subprocess.run([*within(node), sys.executable, "-B", __file__, "--collect",
                               self.pair[0]], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def wait_for(self, node, reachable, known):
        """Until exactly these agents reply, and exactly these pairs are known to them."""
        for _ in range(MOST_LOOKS):
            rows = self.collect(node)
            replied = {name for name, row in rows.items() if row is not None}
            found = {(name, to) for name in replied for to in rows[name]}
            if replied == set(reachable) and found == known:
                return rows
        raise AssertionError(f"from {node}: never {sorted(known)}; at last {rows}")

    def stop(self):
        for agent in self.agents.values():
            agent.process.send_signal(signal.SIGTERM)
        return {node: (agent.process.communicate()[1], agent.process.returncode)
                for node, agent in self.agents.items()}


def ask(node, trust):
    """The row of one agent: p50 of what it knows, in microseconds; None where it does not reply."""
    connection = http.client.HTTPSConnection(ADDRESS[node], PORT, timeout=PATIENCE, context=trust)
    try:
        connection.request("GET", "/matrix.json", headers={"Authorization": f"Bearer {TOKEN}"})
        reply = connection.getresponse()
        matrix = json.loads(reply.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    assert reply.status == 200 and all(pair["from"] == node for pair in matrix["pairs"]), matrix
    return {pair["to"]: pair["p50Us"] for pair in matrix["pairs"] if pair["p50Us"] is not None}


def collect(certificate):
    trust = ssl.create_default_context(cafile=certificate)
    with ThreadPoolExecutor(len(NODES)) as pool:
        rows = dict(zip(NODES, pool.map(lambda node: ask(node, trust), NODES)))
    print(json.dumps(rows))


def pairs(*sides):
    return {(a, b) for side in sides for a in side for b in side if a != b}


def test(mesh):
    for node in NODES:
        mesh.start(node)
    rows = mesh.wait_for("n0", NODES, pairs(NODES))
    assert all(us > 0 for row in rows.values() for us in row.values()), f"0 is no time: {rows}"

    connect(FAR, "far")
    mesh.wait_for("n0", NEAR, pairs(NEAR))
    mesh.wait_for("n9", FAR, pairs(FAR))

    mesh.crash(CRASHES)
    near_left, left = ([n for n in side if n != CRASHES] for side in (NEAR, NODES))
    mesh.wait_for("n0", near_left, pairs(near_left))

    connect(FAR, "near")
    mesh.wait_for("n9", left, pairs(left))

    mesh.start(CRASHES)
    mesh.wait_for("n0", NODES, pairs(NODES))


def main():
    if sys.argv[1:2] == ["--collect"]:
        return collect(sys.argv[2])
    if INSIDE not in os.environ:
        enter()
    try:
        make_network()
    except OSError as error:
        skip(f"no network can be made here: {error}")
    with tempfile.TemporaryDirectory() as folder:
        mesh = Mesh(folder)
        try:
            test(mesh)
        finally:
            ended = mesh.stop()
    for node, (log, status) in ended.items():
        assert status == 0, f"{node} ended with {status}: {log}"
    log = ended["n0"][0]
    for event in ("silent to=n7", "answers to=n7", "silent to=n3", "answers to=n3"):
        assert f" event={event} " in log, f"n0 did not say {event}: {log}"


main()
