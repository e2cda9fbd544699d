"""`gedge measure` over HTTP on loopback: agents that answer, some that do anything else, probes.

Real agents listen on ports that the kernel chose. Beside them stand servers that answer garbage,
that never answer, that break off, and that never end. Nothing sleeps; the one short timeout is of
the request that nobody answers.
"""
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

import jsonschema

from agents import GEDGE, Agent, certificate, closed_port, write

MOST_LOOKS = 10_000
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def start_agent(folder, name, port):
    """`gedge agent` that measures by handshakes with a port that refuses them."""
    agent = Agent("--peers", os.path.join(folder, "targets"), "--node", name, "--listen",
                  "127.0.0.1:0", "--method", "tcp", "--port", str(port), "--period", "50ms",
                  "--timeout", "20s", "--max-age", "3600s")
    agent.listen()
    return agent


class Odd:
    """Answers every connection in one odd way."""

    def __init__(self, answer, then="close", context=None):
        self.answer, self.then, self.context = answer, then, context
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = "%s://127.0.0.1:%d" % ("https" if context else "http",
                                          self.listener.getsockname()[1])
        self.asked, self.held = [], []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            try:
                self.talk(client)
            except OSError:
                pass  # it has heard enough

    def talk(self, client):
        if self.context:
            client = self.context.wrap_socket(client, server_side=True)
        request = b""
        while b"\r\n\r\n" not in request:
            more = client.recv(4096)
            if not more:
                return
            request += more
        self.asked.append(request.decode())
        client.sendall(self.answer)
        while self.then == "more":
            client.sendall(b"x" * 65536)
        if self.then == "hang":
            self.held.append(client)
        else:
            client.close()


def measure(*args):
    run = subprocess.run([GEDGE, "measure", *args], capture_output=True, text=True, timeout=300)
    return run.returncode, run.stdout, run.stderr


def reply(body):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    return head + body


def row(name, peers):
    return json.dumps({"kind": "LatencyMatrix", "nodes": [name, *peers], "pairs": [
        {"from": name, "to": peer, "p95Us": us} for peer, us in peers.items()]}).encode()


def check_document(matrix, text):
    """It keeps to its schema, and what reads matrices reads it."""
    schemas = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "libgedge", "schemas")
    with open(os.path.join(schemas, "latency-matrix.schema.json"), encoding="utf-8") as stream:
        jsonschema.Draft202012Validator(json.load(stream)).validate(matrix)
    run = subprocess.run([GEDGE, "matrix", "convert", "-", "-o", "csv"], input=text,
                         capture_output=True, text=True, timeout=60)
    need(run.returncode == 0 and run.stdout.startswith(",a,b,c\na,0,"), f"{run}")


def test_real_agents(folder, port):
    names = ["a", "b", "c"]
    write(folder, "targets", "a=127.0.0.1\nb=127.0.0.2\nc=127.0.0.3\n")
    agents = [start_agent(folder, name, port) for name in names]
    try:
        urls = ",".join(agent.url for agent in agents)
        for _ in range(MOST_LOOKS):
            code, out, err = measure("--agents", urls, "-o", "json", "-q")
            matrix = json.loads(out) if out else {"pairs": []}
            if len(matrix["pairs"]) == 6:
                break
        need(matrix["nodes"] == names, f"{matrix} {err}")
        need({agent["name"] for agent in matrix["agents"]} == set(names), matrix["agents"])
        pairs = {(pair["from"], pair["to"]): pair for pair in matrix["pairs"]}
        need(len(pairs) == 6 and all(pair["p95Us"] > 0 for pair in pairs.values()), pairs)
        need(all(pair["lossPpm"] == 0 for pair in pairs.values()), pairs)
        check_document(matrix, out)
        agents[1].process.kill()
        agents[1].process.wait()
        listed = write(folder, "listed", "".join(f"{name}={agent.url}\n"
                                                 for name, agent in zip(names, agents)))
        code, out, err = measure("--agents", listed)
        need(code == 1, f"one agent is gone: {code} {out} {err}")
        need(f"b ({agents[1].url}/matrix.json) is silent: connection refused" in err, err)
        need("2 of 3 agents can be believed" in err, err)
        need("\nb\ta\t-\t-\t" in out and "\na\tb\t-\t" not in out, out)
    finally:
        for agent in agents:
            agent.stop(signal.SIGTERM)


def test_odd_ones(folder):
    good = Odd(reply(row("good", {"garbage": 700})))
    odd = {
        "garbage": Odd(reply(b"\x1b[31mnothing of use\n")),
        "none": Odd(b"220 not HTTP\r\n"),
        "broken": Odd(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"kind\":"),
        "endless": Odd(b"HTTP/1.1 200 OK\r\n\r\n{\"kind\":\"", "more"),
        "moved": Odd(b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n"
                     % good.url.encode()),
        "liar": Odd(reply(row("good", {"garbage": 1}))),
    }
    reasons = {
        "garbage": "is silent: the reply is no JSON, it begins with '\\x1b[31mnothing of use",
        "none": "is silent: what answers does not speak HTTP",
        "broken": "is silent: the connection broke off",
        "endless": "is silent: the answer has more than 8388608 bytes",
        "moved": "is silent: it sends those who ask elsewhere (status 302)",
        "liar": "is refused: it calls itself 'good', which is another agent's name",
    }
    lines = "".join(f"{name}={server.url}\n" for name, server in odd.items())
    code, out, err = measure("--agents", write(folder, "odd", f"good={good.url}\n" + lines), "-v",
                             "1", "--request-timeout", "120s")
    need(code == 1, f"{code} {err}")
    for name, reason in reasons.items():
        need(f"  {name} ({odd[name].url}/matrix.json) {reason}" in err, f"{name}: {err}")
    need("good\tgarbage\t-\t-\t700 us\t" in out, out)
    need(len(good.asked) == 1, f"a redirect was followed: {good.asked}")

    hangs = Odd(b"", "hang")
    code, out, err = measure("--agents", hangs.url, "--request-timeout", "300ms")
    need(code == 4 and out == "" and " within 300ms" in err, f"{code} {out} {err}")


def test_tls(folder):
    own, key = certificate(folder, "own")
    foreign, _ = certificate(folder, "foreign")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    server = Odd(reply(row("a", {"b": 700})), context=context)
    token = write(folder, "token", "a-token-of-its-own\n")
    code, out, err = measure("--agents", server.url, "--ca-file", own, "--token-file",
                             token)
    need(code == 0 and "a\tb\t" in out, f"{code} {out} {err}")
    need("authorization: bearer a-token-of-its-own\r\n" in server.asked[-1].lower(), server.asked)
    count = len(server.asked)
    for trusted in ([], ["--ca-file", foreign]):
        code, out, err = measure("--agents", server.url, "--token-file", token, *trusted)
        need(code == 4 and "certificate is not trusted" in err, f"{trusted}: {code} {err}")
        need("a-token" not in err, err)
    need(len(server.asked) == count, "nothing is said to whom nobody trusts")
    code, out, err = measure("--agents", server.url, "--insecure-skip-tls-verify")
    need(code == 0 and "certificates were not checked" in err, f"{code} {err}")
    named = server.url.replace("127.0.0.1", "localhost")
    code, out, err = measure("--agents", named, "--ca-file", own)
    need(code == 4 and "certificate is not trusted" in err, f"another name: {code} {err}")
    garbage = write(folder, "garbage", "no certificate\n")
    code, out, err = measure("--agents", server.url, "--ca-file", garbage)
    need(code != 0 and "cannot be read" in err, f"{code} {err}")
    plain = Odd(reply(row("a", {"b": 700})))
    away = "http://192.0.2.1:1"
    code, out, err = measure("--agents", f"{plain.url},{away}", "--token-file", token)
    need("readable on its way" in err, err)


def test_probes(folder):
    """`--method http` and `https`: any answer is one, and an untrusted certificate is none."""
    own, key = certificate(folder, "probed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    busy = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
    servers = {"http": Odd(busy), "https": Odd(busy, context=context)}
    for method, server in servers.items():
        probe = ["a=127.0.0.1", "--method", method, "--port", server.url.rsplit(":", 1)[1],
                 "--timeout", "60s", "--interval", "1ms", "-c", "5", "-o", "json"]
        trust = ["--ca-file", own] if method == "https" else []
        code, out, err = measure(*probe, *trust)
        pair = json.loads(out)["pairs"][0]
        need(code == 0 and pair["samples"] == 5 and pair["minUs"] > 0, f"{code} {out} {err}")
        need(pair["method"] == method + "-userland", pair)
        need(len(server.asked) == 5 and server.asked[0].startswith("GET / HTTP/1.1"), server.asked)
        if method == "https":
            code, out, err = measure(*probe)
            need(code == 1 and "its certificate is not trusted" in err, f"{code} {out} {err}")
            need(measure(*probe, "--insecure-skip-tls-verify")[0] == 0, "asked to believe anybody")


def main():
    holder, port = closed_port()
    with tempfile.TemporaryDirectory() as folder, holder:
        test_real_agents(folder, port)
        test_odd_ones(folder)
        test_tls(folder)
        test_probes(folder)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
