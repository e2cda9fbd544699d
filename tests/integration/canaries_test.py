"""Whatever goes wrong with what says who we are, it is told without its secrets: each way of giving
one, to each command that takes it, broken in each way that somebody met. Daemons tell it on pages,
too."""
import base64
import contextlib
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
from plane import LONGEST, certificate, until  # noqa: E402

GEDGE = os.environ["GEDGE"]
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
SHORT = os.path.join(EXAMPLES, "scale", "short.yaml")
CANARY = "c4narY-th4t-n0body-m4y-see"
SHOWN = (CANARY, base64.b64encode(CANARY.encode()).decode().rstrip("=")[:-1])
# What ends by itself, and what goes on trying.
ONCE = {"plan": ["plan", "--cluster", "live", "-v", "1"],
        "verify": ["verify", "--cluster", "live", "-o", "json"],
        "hint": ["hint", "--cluster", "live"],
        "measure": ["measure", "--cluster", "live", "--from", "a"]}
DAEMONS = {"schedule": ["schedule", "--watch", "-v", "1", "--listen", "127.0.0.1:0"],
           "autoscaler": ["scale", "run", "-f", SHORT, "--prometheus", "http://127.0.0.1:1",
                          "--listen", "127.0.0.1:0"],
           "extender": ["extender", "--listen", "127.0.0.1:0"]}
PAGES = ("/metrics", "/readyz?verbose", "/livez")
checks = Checks()
need = checks.need


def told_once(command, environment):
    run = subprocess.run([GEDGE, *command], stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=LONGEST, env={**os.environ, **environment})
    need(run.returncode not in (0, 2), f"{command}: exit {run.returncode}: {run.stderr}")
    return run.stdout + run.stderr


def told_on_pages(log):
    """To whoever asks a daemon; nothing where it does not listen."""
    found = re.search(rb"event=listening address=(127\.0\.0\.1:\d+)", log)
    told = b""
    for page in PAGES if found else ():
        try:
            with urllib.request.urlopen(f"http://{found[1].decode()}{page}",
                                        timeout=LONGEST) as answer:
                told += str(answer.headers).encode() + answer.read()
        except urllib.error.HTTPError as refusal:
            told += str(refusal.headers).encode() + refusal.read()
    return told


def told_by_daemon(command, environment, folder):
    """Until it ended, or listens and has told of what failed; its pages come last."""
    path = os.path.join(folder, "told")

    def told():
        with open(path, "rb") as log:
            return log.read()

    def has_told():
        log = told()
        return process.poll() is not None or (b"event=listening" in log and b"event=failed" in log)
    with open(path, "wb") as log:
        process = subprocess.Popen([GEDGE, *command], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, env={**os.environ, **environment})
    pages = b""
    try:
        until(has_told, f"news of {command}")
        if process.poll() is None:
            pages = told_on_pages(told())
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        process.wait(LONGEST)
    return told() + pages


def check_told(way, text):
    need(len(text.strip()) > 0, f"{way}: nothing is told")
    for canary in SHOWN:
        need(canary.encode() not in text, f"{way}: {text.decode(errors='replace')}")


def kubeconfig(folder, user, cluster=None, text=None):
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if text is not None else json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
    os.chmod(path, 0o600)
    return path


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o700)
    return path


def plugin(folder, name, text):
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
                     "command": script(folder, name, text),
                     "env": [{"name": "SECRET", "value": CANARY}]}}


def put(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def credential(token):
    return json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                       "status": {"token": token}})


def users(folder):
    """Ways to say who we are, that servers refuse or that are no good."""
    code = base64.b64encode(CANARY.encode()).decode()
    pem = f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----\n"
    return {
        "a token": {"token": CANARY},
        "a token of two lines": {"token": CANARY + "\r\nX-Evil: 1"},
        "a token that is a map": {"token": {"is": CANARY}},
        "a token that is a list": {"token": [CANARY]},
        "a file with a token": {"tokenFile": put(folder, "token", CANARY + "\n")},
        "a file with a token of two lines": {
            "tokenFile": put(folder, "tokens", CANARY + "\n" + CANARY + "\n")},
        "a password": {"username": "me", "password": CANARY},
        "a password that is a list": {"username": "me", "password": [CANARY]},
        "a key that is none": {"client-certificate-data": code, "client-key-data": code},
        "a key without armour": {"client-certificate-data": CANARY, "client-key-data": CANARY},
        "a file with a key": {"client-certificate": os.path.join(folder, "server.crt"),
                              "client-key": put(folder, "key", pem)},
        "a token and a password": {"token": CANARY, "username": "me", "password": CANARY},
        "a program that tells a token": plugin(folder, "tells", f"echo '{credential(CANARY)}'\n"),
        "a program that fails": plugin(folder, "fails", f"echo '{credential(CANARY)}'\nexit 1\n"),
        "a program that babbles": plugin(folder, "babbles", f"echo 'token={CANARY} $SECRET'\n"),
        "a program that breaks off": plugin(
            folder, "breaks", f"printf '%s' '{credential(CANARY)[:-4]}'\n"),
        "a program whose token is a list": plugin(folder, "list",
                                                  f"echo '{credential([CANARY])}'\n")}


# With these a daemon listens, where the server says its version.
LISTENING = ("a token", "a file with a token", "a program that tells a token")


def check_users(folder, cluster, talking):
    for way, user in users(folder).items():
        path = kubeconfig(folder, user, cluster)
        for name, command in ONCE.items():
            check_told(f"{way}, {name}", told_once([*command, "--kubeconfig", path], {}))
        for name, command in DAEMONS.items():
            check_told(f"{way}, {name}",
                       told_by_daemon([*command, "--kubeconfig", path], {}, folder))
        path = kubeconfig(folder, user, talking)
        for name, command in DAEMONS.items():
            text = told_by_daemon([*command, "--kubeconfig", path], {}, folder)
            check_told(f"{way}, {name} that goes on", text)
            need(way not in LISTENING or b"# HELP gedge_" in text, f"{way}, {name}: no pages")


def check_servers(folder, cluster, _):
    port = cluster["server"].rsplit(":", 1)[1]
    for way, other in {
            "a password in the server's address":
                {**cluster, "server": f"https://me:{CANARY}@localhost:{port}"},
            "a password in the address of nobody":
                {**cluster, "server": f"https://me:{CANARY}@localhost:1"},
            "a password in a query": {**cluster, "server": f"https://localhost:{port}?t={CANARY}"},
            "a password for a proxy": {**cluster, "proxy-url": f"http://me:{CANARY}@127.0.0.1:1"},
            "a proxy of another kind": {**cluster, "proxy-url": f"ftp://me:{CANARY}@127.0.0.1:1"},
    }.items():
        path = kubeconfig(folder, {"token": "of-no-interest"}, other)
        for name, command in ONCE.items():
            check_told(f"{way}, {name}", told_once([*command, "--kubeconfig", path], {}))
    path = kubeconfig(folder, {"token": "of-no-interest"},
                      {**cluster, "server": "https://server.invalid"})
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        for scheme in ("http", "ftp", "socks5"):
            url = f"{scheme}://me:{CANARY}@127.0.0.1:1"
            check_told(f"{name} of {scheme}",
                       told_once([*ONCE["plan"], "--kubeconfig", path], {name: url}))


def check_texts(folder, *_):
    """A reader shows where a file is broken, but not what stands there."""
    for way, text in {
            "a quote that does not end": f'users:\n- name: u\n  user:\n    token: "{CANARY}\n',
            "an anchor that is not there": f"users:\n- name: u\n  user:\n    token: *{CANARY}\n",
            "an alias where an anchor is meant":
                f"users:\n- name: u\n  user:\n    token: &{CANARY} [*{CANARY}]\n",
            "a tag": f"users:\n- name: u\n  user:\n    password: !{CANARY} x\n",
            "a tab": f"users:\n- name: u\n  user:\n\ttoken: {CANARY}\n",
            "two tokens": f"users:\n- name: u\n  user: {{token: {CANARY}, token: {CANARY}}}\n",
            "a token as a key": f"users:\n- name: u\n  user: {{{CANARY}: x}}\n",
            "a token where a list belongs": f"users: {CANARY}\n",
            "nothing but a token": CANARY,
            "JSON that breaks off": '{"users": [{"name": "u", "user": {"token": "' + CANARY,
    }.items():
        path = kubeconfig(folder, None, text=text)
        for name, command in ONCE.items():
            check_told(f"{way}, {name}", told_once([*command, "--kubeconfig", path], {}))


def check_files(folder, _, talking):
    """Tokens for others, and what others have to show."""
    path = kubeconfig(folder, {"token": "of-no-interest"}, talking)
    tokens = {"a good one": CANARY, "short": CANARY[:5],
              "two words": f"{CANARY} {CANARY}", "bytes": CANARY + "\x01",
              "a header": CANARY + "\r\nX: 1", "non-ASCII": CANARY + "\u00e9"}
    for way, token in tokens.items():
        file = put(folder, "shown", token)
        check_told(f"{way}, agents", told_once(
            ["measure", "--agents", "https://localhost:1", "--token-file", file], {}))
        check_told(f"{way}, prometheus", told_by_daemon(
            ["scale", "run", "-f", SHORT, "--kubeconfig", path, "--listen", "127.0.0.1:0",
             "--prometheus", "https://localhost:1", "--prometheus-token", file], {}, folder))
        check_told(f"{way}, status", told_by_daemon(
            [*DAEMONS["schedule"], "--kubeconfig", path, "--token-file", file], {}, folder))
    for way, url in {"a password": f"http://me:{CANARY}@127.0.0.1:1",
                     "a query": f"http://127.0.0.1:1?token={CANARY}",
                     "no address": f"http://me:{CANARY}@[::1",
                     "another scheme": f"ftp://me:{CANARY}@127.0.0.1:1"}.items():
        check_told(f"{way}, prometheus", told_by_daemon(
            ["scale", "run", "-f", SHORT, "--kubeconfig", path, "--listen", "127.0.0.1:0",
             "--prometheus", url], {}, folder))


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificate(os.path.join(folder, "server"))
        refusal = json.dumps({"kind": "Status", "status": "Failure", "message": "Unauthorized",
                              "reason": "Unauthorized", "code": 401}).encode()

        def refuse(_, __):
            return 401, "application/json", refusal

        def talk(target, headers):
            """Says what it is, and refuses all else."""
            if target == "/version":
                return 200, "application/json", b'{"major":"1","minor":"30"}'
            if target == "/apis/autoscaling":
                return 404, "application/json", b"{}"
            return refuse(target, headers)
        servers = [Answering(reply, tls=os.path.join(folder, "server")) for reply in (refuse, talk)]
        clusters = [{"server": f"https://localhost:{server.port}",
                     "certificate-authority": os.path.join(folder, "server.crt")}
                    for server in servers]
        try:
            checks.run([check_users, check_servers, check_texts, check_files], folder, *clusters)
        finally:
            for server in servers:
                server.stop()
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
