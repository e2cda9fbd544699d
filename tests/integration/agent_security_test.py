"""`gedge agent` with TLS and tokens, over loopback, with certificates made here.

Who may ask, what everybody may ask, files that change, connections that never come to a request,
and what is refused before anything listens.
"""
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile

from agents import GEDGE, Agent, certificate

OLD, NEW = "0123456789abcdef-old", "fedcba9876543210-new"
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.rename(path + ".new", path)
    return path


def certificate_texts(folder, name, days):
    """Certificate and key of 127.0.0.1, as texts."""
    texts = []
    for path in certificate(folder, "made-" + name, days, subject=name):
        with open(path, encoding="ascii") as file:
            texts.append(file.read())
    return texts


def trusting(*certificates):
    context = ssl.create_default_context()
    for text in certificates:
        context.load_verify_locations(cadata=text)
    return context


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def check_tokens(agent):
    for path in ("/check", "/metrics", "/matrix.json", "/nothing", "/livez/x"):
        for headers in ({}, bearer(NEW), bearer(""), {"Authorization": OLD}, bearer(OLD + "x"),
                        {"Authorization": "Basic " + OLD}):
            status, replied, body = agent.ask(path, headers=headers)
            need(status == 401 and replied["WWW-Authenticate"] == "Bearer",
                 f"{path} {headers}: {status} {body}")
            need(body == '{"Error":{"ErrorCode":"InvalidToken",'
                         '"Message":"a token that is known is needed"}}\n', body)
    need(agent.ask(f"/check?token={OLD}")[0] == 401, "a token of the query is none")
    need(agent.ask("/check", method="POST")[0] == 401, "methods are no business of strangers")
    need(agent.ask("/check", headers=bearer(OLD))[0] == 200, "a token that is known")
    need(agent.ask("/nothing", headers=bearer(OLD))[0] == 404, "a path that is none")
    need(agent.ask("/check", headers={**bearer(OLD), "Host": "gedge-agent.svc"})[0] == 200,
         "any Host, with a token")
    need(agent.ask("/livez")[0] == 200, "/livez is for probes without a token")
    need(agent.ask("/readyz")[0] in (200, 503), "/readyz too")
    metrics = agent.ask("/metrics", headers=bearer(OLD))[2]
    need("\ngedge_http_denied_total 32\n" in metrics, metrics)
    need("\ngedge_certificate_end_time_seconds " in metrics, metrics)


def check_plain(agent):
    with socket.create_connection((agent.host, agent.port)) as plain:
        plain.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        said = plain.makefile("rb").read()
    need(said.startswith(b"HTTP/1.1 400 ") and b"ask https://" in said, said)


def check_changes(agent, folder, second):
    write(folder, "tokens", f"{OLD}\n{NEW}\n")
    need(agent.ask("/check", headers=bearer(OLD))[0] == 200, "old and new together: old")
    need(agent.ask("/check", headers=bearer(NEW))[0] == 200, "old and new together: new")
    write(folder, "tokens", f"{NEW}\n")
    need(agent.ask("/check", headers=bearer(OLD))[0] == 401, "a token that was taken back")
    write(folder, "tokens", "short\n")
    need(agent.ask("/check", headers=bearer(NEW))[0] == 200, "a wrong file changes nothing")
    need("can be guessed" in agent.read_until("failed"), agent.lines)

    write(folder, "tls.crt", second[0])
    need(agent.ask("/livez")[0] == 200, "half a pair changes nothing")
    need("is not that of the certificate" in agent.read_until("failed"), agent.lines)
    write(folder, "tls.key", second[1])
    agent.tls = trusting(second[0])
    need(agent.ask("/livez")[0] == 200, "the second pair is there at once")
    need('subject="CN=second"' in agent.read_until("certificate"), agent.lines)


def check_flood(agent):
    """Connections that never end a handshake, and garbage; the agent answers in between."""
    before = agent.memory()
    held = []
    for i in range(1_000):
        client = socket.create_connection((agent.host, agent.port))
        try:
            client.sendall(b"\x16\x03\x01\x02\x00\x01" if i % 2 == 0 else os.urandom(64))
        except OSError:
            pass  # turned away already
        held.append(client)
        if len(held) > 300:
            held.pop(0).close()
    for client in held:
        client.close()
    agent.wait_for("/livez", lambda status, _: status == 200)
    need(agent.memory() - before < 32 << 10, f"{before} KiB became {agent.memory()} KiB")


def test_guarded(folder, peers, first, second):
    pair = [write(folder, "tls.crt", first[0]), write(folder, "tls.key", first[1])]
    tokens = write(folder, "tokens", OLD + "\n")
    agent = Agent("--peers", peers, "--node", "a", "--listen", "127.0.0.1:0", "--method", "udp",
                  "--tls-cert", pair[0], "--tls-key", pair[1], "--token-file", tokens,
                  tls=trusting(first[0]))
    try:
        agent.listen()
        need(any('event=certificate subject="CN=first"' in line for line in agent.lines),
             agent.lines)
        need("ends within a week" in agent.read_until("certificate-ends"), agent.lines)
        check_tokens(agent)
        check_plain(agent)
        check_changes(agent, folder, second)
        check_flood(agent)
    finally:
        code = agent.stop(signal.SIGTERM)
    need(code == 0, f"SIGTERM ends it with {code}: {agent.lines}")
    need(not any(token in line for line in agent.lines for token in (OLD, NEW)),
         f"a token was logged: {agent.lines}")


def test_refusals(folder, peers, first, second):
    def refused(code, words, *args):
        run = subprocess.run([GEDGE, "agent", "--peers", peers, "--method", "udp", *args],
                             stderr=subprocess.PIPE, text=True, check=False)
        need(run.returncode == code, f"{args}: {run.returncode} {run.stderr}")
        for word in words:
            need(word in run.stderr, f"{args}: no {word!r} in {run.stderr}")

    anywhere = ("--listen", "0.0.0.0:0")
    crt, key = write(folder, "a.crt", first[0]), write(folder, "a.key", first[1])
    other = write(folder, "b.key", second[1])
    tokens, tls = write(folder, "good", OLD), ("--tls-cert", crt, "--tls-key", key)
    local = ("--listen", "127.0.0.1:0")
    refused(2, ["without TLS and without a token", "--tls-cert", "--token-file", "--insecure"],
            *anywhere)
    refused(2, ["without a token", "--token-file"], *anywhere, *tls)
    refused(2, ["without TLS", "--tls-key"], *anywhere, "--token-file", tokens)
    refused(2, ["'--tls-cert' needs '--tls-key'"], *local, "--tls-cert", crt)
    refused(2, ["'--tls-key' needs '--tls-cert'"], *local, "--tls-key", key)
    refused(2, ["standard input"], *local, "--token-file", "-")
    refused(3, ["nowhere.crt", "no such file"], *local, "--tls-cert",
            os.path.join(folder, "nowhere.crt"), "--tls-key", key)
    refused(3, ["is not that of the certificate"], *local, "--tls-cert", crt, "--tls-key", other)
    refused(3, ["no certificate in the file", "PEM"], *local, "--tls-cert", key, "--tls-key", key)
    refused(3, ["no token in the file"], *local, *tls, "--token-file", write(folder, "none", "\n"))
    refused(3, ["weak:1", "can be guessed", "openssl rand"], *local, "--token-file",
            write(folder, "weak", "1234"))
    refused(3, ["nothing"], *local, "--token-file", os.path.join(folder, "nothing"))
    if os.geteuid() != 0:
        os.chmod(key, 0)
        refused(4, ["cannot open", key], *local, *tls)


def main():
    if not shutil.which("openssl"):
        print("[skipped] no openssl here to make certificates")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        peers = write(folder, "peers", "b=127.0.0.2\n")
        first = certificate_texts(folder, "first", 3)
        second = certificate_texts(folder, "second", 365)
        test_guarded(folder, peers, first, second)
        test_refusals(folder, peers, first, second)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
