"""`gedge agent --method http` and `https` over loopback: peers are asked for a page.

A peer that answers, one where nobody listens, and one whose certificate is of another name.
"""
import http.server
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading

from agents import GEDGE, Agent, certificate, write

failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


class Page(http.server.BaseHTTPRequestHandler):
    asked = []  # (path, Host) of each request

    def do_GET(self):
        Page.asked.append((self.path, self.headers["Host"]))
        self.send_response(404)  # whatever is said is an answer
        self.end_headers()

    def log_message(self, *_):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # whoever measures hangs up on the first line of the answer


def serve(context=None):
    """A server on 127.0.0.1, which answers on 127.0.0.2 too, and its port."""
    server = Quiet(("", 0), Page)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_address[1]


def pairs_of(agent):
    """{to: pair} as soon as every peer was asked."""
    agent.wait_for("/metrics", lambda _, body: rounds_of(body) >= 2)
    matrix = json.loads(agent.ask("/matrix.json")[2])
    return {pair["to"]: pair for pair in matrix["pairs"]}, matrix


def rounds_of(metrics):
    for line in metrics.splitlines():
        if line.startswith("gedge_rounds_total "):
            return int(line.split()[1])
    return 0


def run(method, peers, port, *args):
    agent = Agent("--peers", peers, "--node", "a", "--listen", "127.0.0.1:0", "--method", method,
                  "--port", str(port), "--period", "50ms", "--timeout", "20s", "--max-age",
                  "3600s", "--bandwidth", "0", *args)
    try:
        agent.listen()
        return pairs_of(agent)
    finally:
        need(agent.stop(signal.SIGTERM) == 0, f"stopped: {agent.lines}")


def check_answered(pair, method):
    need(pair["method"] == method, pair)
    need(pair["lossPpm"] == 0 and pair["p50Us"] > 0 and pair["samples"] >= 3, pair)


def test_http(folder):
    server, port = serve()
    with server:
        # ::1 refuses: the server listens on IPv4 alone.
        pairs, matrix = run("http", write(folder, "peers", "b=127.0.0.2\nlocal=::1\n"), port)
        check_answered(pairs["b"], "http")
        need(pairs["local"]["lossPpm"] == 1_000_000, matrix)
        need(pairs["local"].get("p50Us") is None, matrix)
        need(set(Page.asked) == {("/", f"127.0.0.2:{port}")}, Page.asked)
        Page.asked.clear()
        pairs, _ = run("http", "dns:localhost", port)
        check_answered(pairs["127.0.0.1"], "http")
        need(set(Page.asked) == {("/", f"localhost:{port}")}, Page.asked)
        server.shutdown()


def test_https(folder):
    paths = certificate(folder, "server", of="IP:127.0.0.1,DNS:localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*paths)
    server, port = serve(context)
    with server:
        peers = write(folder, "peers", "b=127.0.0.1\nother=127.0.0.2\n")
        pairs, matrix = run("https", peers, port, "--ca-file", paths[0])
        check_answered(pairs["b"], "https")
        need(pairs["other"]["lossPpm"] == 1_000_000, f"a certificate of another place: {matrix}")
        pairs, matrix = run("https", peers, port)
        need(pairs["b"]["lossPpm"] == 1_000_000, f"a certificate that nobody trusts: {matrix}")
        pairs, _ = run("https", peers, port, "--insecure-skip-tls-verify")
        check_answered(pairs["other"], "https")
        pairs, _ = run("https", "dns:localhost", port, "--ca-file", paths[0])
        check_answered(pairs["127.0.0.1"], "https")
        server.shutdown()


def refused(code, words, *args):
    asked = subprocess.run([GEDGE, "agent", *args], stderr=subprocess.PIPE, text=True,
                           check=False, timeout=120)
    need(asked.returncode == code, f"{args}: {asked.returncode} {asked.stderr}")
    for word in words:
        need(word in asked.stderr, f"{args}: no {word!r} in {asked.stderr}")


def test_refusals(folder):
    peers = write(folder, "peers", "b=127.0.0.2\n")
    nowhere = os.path.join(folder, "nowhere")
    https = ["--peers", "dns:localhost", "--method", "https", "--listen", "127.0.0.1:0"]
    refused(2, ["--method https"], "--peers", peers, "--method", "http", "--ca-file", peers)
    refused(2, ["--method https"], "--peers", peers, "--insecure-skip-tls-verify")
    refused(2, ["standard input"], *https, "--ca-file", "-")
    refused(3, ["nowhere"], *https, "--ca-file", nowhere)
    refused(3, ["no certificate"], *https, "--ca-file", write(folder, "empty", ""))


def main():
    if not shutil.which("openssl"):
        print("[skipped] no openssl here to make certificates")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        test_http(folder)
        test_https(folder)
        test_refusals(folder)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
