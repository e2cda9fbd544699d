"""`gedge agent` over loopback: it measures, serves every path, keeps to its peers, and stops.

TCP handshakes with a port that refuses them count as answers, so no right is needed. Nothing
sleeps: each loop asks the agent again, a bounded number of times.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

import agents
from agents import GEDGE, closed_port, write

failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


class Agent(agents.Agent):
    def get(self, path, method="GET", headers=None):
        status, _, body = self.ask(path, method, headers)
        return status, body

    def rights(self):
        return set().union(*(rights_of(f"/proc/{self.process.pid}/task/{thread}")
                             for thread in os.listdir(f"/proc/{self.process.pid}/task")))


def rights_of(process):
    """What it may do beyond others, as bits of capabilities."""
    with open(os.path.join(process, "status")) as status:
        return {int(line.split()[1], 16) for line in status
                if line.startswith(("CapPrm:", "CapEff:", "CapInh:"))}


def check_paths(agent):
    status, body = agent.get("/monitoring/near-nodes/latency?pingSize=8&pingCount=2")
    result = json.loads(body)["result"]
    need(status == 200 and [node["node_name"] for node in result] in (["b", "c"], ["c", "b"]), body)
    need(all(node["latency"] > 0 for node in result), f"nothing takes no time: {body}")
    status, body = agent.get("/monitoring/node/b/latency")
    need(status == 200 and json.loads(body)["result"] > 0, body)
    status, body = agent.get("/monitoring/clusters/hub/latency?pingSize=8&pingCount=2")
    need(status == 200 and json.loads(body)["result"] > 0, body)
    status, body = agent.get("/monitoring/near-clusters/latency")
    need([c["cluster_name"] for c in json.loads(body)["result"]] == ["hub"], body)
    status, body = agent.get("/monitoring/node/127.0.0.9/latency")
    need(status == 404 and "ResourceNotFoundException" in body, body)
    need(agent.get("/monitoring/near-nodes/latency")[0] == 400, "parameters are required")
    need(agent.get("/check", method="POST")[0] == 405, "POST is refused")
    need(agent.get("/check", headers={"Host": "evil.example"})[0] == 403, "a strange Host")
    need(agent.get("/check", headers={"Origin": "https://evil.example"})[0] == 403, "an Origin")
    need(agent.get("/nothing")[0] == 404, "a path that is none")
    matrix = json.loads(agent.get("/matrix.json")[1])
    need(matrix["kind"] == "LatencyMatrix" and matrix["nodes"] == ["a", "b", "c"], matrix)
    need([pair["lossPpm"] for pair in matrix["pairs"]] == [0, 0], matrix)
    check = json.loads(agent.get("/check_all")[1])
    need(check["OK"] and list(check["responses"]) == ["a"], check)
    metrics = agent.get("/metrics")[1]
    need('gedge_loss_ratio{to="b",kind="node"} 0.000000' in metrics, metrics)
    need(agent.get("/livez") == (200, "ok\n"), "it is alive")


def check_robust(agent):
    """Garbage, floods and slow clients, and the agent answers in between; memory is bounded."""
    before = agent.memory()
    held = []
    for i in range(2_000):
        client = socket.create_connection(("127.0.0.1", agent.port))
        try:
            client.sendall(b"GET /check HT" if i % 4 == 0 else os.urandom(64) + b"\r\n\r\n")
        except OSError:
            pass  # turned away already
        held.append(client)
        if len(held) > 300:
            held.pop(0).close()
    for client in held:
        client.close()
    agent.wait_for("/livez", lambda status, _: status == 200)
    need(agent.memory() - before < 32 << 10, f"{before} KiB became {agent.memory()} KiB")


def test_serves(folder, port):
    peers = write(folder, "peers", "a\nb=127.0.0.2\nc=127.0.0.3  # near\n")
    clusters = write(folder, "clusters", "hub=127.0.0.4\n")
    agent = Agent("--peers", peers, "--clusters", clusters, "--node", "a", "--listen",
                  "127.0.0.1:0", "--method", "tcp", "--port", str(port), "--period", "50ms",
                  "--timeout", "20s", "--max-age", "3600s")
    try:
        agent.listen()
        agent.wait_for("/readyz", lambda status, _: status == 200)
        check_paths(agent)
        check_robust(agent)
        need(agent.rights() == {0}, f"handshakes need no right: {agent.rights()}")
    finally:
        code = agent.stop(signal.SIGTERM)
    need(code == 0, f"SIGTERM ends it with {code}: {agent.lines}")
    need(any(" event=stopped rounds=" in line for line in agent.lines), agent.lines)


def test_rights(folder):
    """With every right of a superuser, an agent keeps what it takes to open a raw socket again."""
    raw = 1 << 13  # CAP_NET_RAW
    if not any(rights & raw for rights in rights_of("/proc/self")):
        return
    agent = Agent("--peers", write(folder, "peers", "b=127.0.0.2\n"), "--listen", "127.0.0.1:0")
    try:
        agent.listen()
        agent.wait_for("/readyz", lambda status, _: status == 200)
        need(agent.rights() == {0, raw}, f"rights of the agent: {agent.rights()}")
    finally:
        agent.stop(signal.SIGTERM)


def test_silent_peer(folder):
    """Who answers stays known, however much longer than the period a silent peer is waited for."""
    answers = Agent("--peers", write(folder, "itself", "b\n"), "--node", "b", "--listen",
                    "127.0.0.2:0", "--method", "tcp", host="127.0.0.2")
    answers.listen()
    port = int(answers.lines[-1].split(" udp=127.0.0.2:")[1].split()[0])
    peers = write(folder, "peers", "alive=127.0.0.2\ndead=127.0.0.3\n")
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.3", port))
        agent = Agent("--peers", peers, "--node", "a", "--listen", "127.0.0.1:0", "--method", "udp",
                      "--port", str(port), "--period", "150ms")

        def third_round(_, metrics):
            status, body = agent.get("/monitoring/node/alive/latency")
            need(status == 200, f"it is known no more: {body}")
            return int(metrics.split("\ngedge_rounds_total ")[1].split()[0]) >= 3

        try:
            agent.listen()
            agent.wait_for("/monitoring/node/alive/latency", lambda status, _: status == 200)
            agent.wait_for("/metrics", third_round)
        finally:
            agent.stop(signal.SIGTERM)
            answers.stop(signal.SIGTERM)
    need(not any(" event=silent to=alive" in line for line in agent.lines), agent.lines)
    need(any(" event=silent to=dead" in line for line in agent.lines), agent.lines)


def test_interrupt(folder, port):
    agent = Agent("--peers", write(folder, "peers", "b=127.0.0.2\n"), "--listen", "127.0.0.1:0",
                  "--method", "tcp", "--port", str(port))
    agent.listen()
    need(agent.stop(signal.SIGINT) == 130, f"SIGINT: {agent.lines}")


def test_names(port):
    agent = Agent("--peers", "dns:localhost", "--listen", "127.0.0.1:0", "--method", "tcp",
                  "--port", str(port), "--period", "50ms", "--timeout", "20s", "--node", "a")
    try:
        agent.listen()
        agent.wait_for("/monitoring/node/127.0.0.1/latency", lambda status, _: status == 200)
    finally:
        need(agent.stop(signal.SIGTERM) == 0, f"stopped: {agent.lines}")
    nobody = Agent("--peers", "dns:nobody.invalid", "--listen", "127.0.0.1:0", "--method", "tcp")
    try:
        nobody.listen()
        need(nobody.get("/readyz") == (200, "ok\nno peers are known\n"), "the first of its kind")
        need(any(" event=failed " in line for line in nobody.lines), nobody.lines)
    finally:
        need(nobody.stop(signal.SIGTERM) == 0, f"stopped: {nobody.lines}")


def refused(code, words, *args):
    run = subprocess.run([GEDGE, "agent", *args], stderr=subprocess.PIPE, text=True)
    need(run.returncode == code, f"{args}: {run.returncode} {run.stderr}")
    for word in words:
        need(word in run.stderr, f"{args}: no {word!r} in {run.stderr}")


def test_refusals(folder):
    peers = write(folder, "peers", "b=127.0.0.2\n")
    broken = write(folder, "broken", "b=127.0.0.2\nb=127.0.0.3\n")
    refused(2, ["--peers"])
    refused(2, ["standard input"], "--peers", "-")
    refused(2, ["--port"], "--peers", peers, "--port", "1")
    refused(2, ["0.0.0.0:8787", "--insecure"], "--peers", peers, "--listen", "0.0.0.0:8787")
    refused(2, ["--insecure"], "--peers", peers, "--listen", "[::]:8787")
    refused(3, ["nowhere"], "--peers", os.path.join(folder, "nowhere"))
    refused(3, ["broken:2"], "--peers", broken, "--method", "tcp")
    refused(2, ["no address"], "--peers", peers, "--listen", "8787")
    refused(2, ["'me' is no address"], "--peers", peers, "--address", "me")
    refused(2, ["--max-age", "--timeout"], "--peers", peers, "--max-age", "500ms")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        refused(4, ["cannot listen"], "--peers", peers, "--listen", address, "--method", "tcp")


def main():
    holder, port = closed_port()
    with tempfile.TemporaryDirectory() as folder, holder:
        test_serves(folder, port)
        test_rights(folder)
        test_silent_peer(folder)
        test_interrupt(folder, port)
        test_names(port)
        test_refusals(folder)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
