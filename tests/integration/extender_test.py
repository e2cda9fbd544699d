"""`gedge extender` on facts of a file: what is asked wrongly over HTTP, and what is not allowed."""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

GEDGE = os.environ["GEDGE"]
PATIENCE = 600  # seconds; a machine may be busy
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


SITE = {"kind": "List", "apiVersion": "v1", "items": [
    {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name},
     "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}}
    for name in ("n0", "n1", "n2")]}
RTT = "from,to,rtt_ms\nn0,n1,2\nn1,n0,2\nn0,n2,30\nn2,n0,30\nn1,n2,30\nn2,n1,30\n"
JSON = {"Content-Type": "application/json"}


def pod(name, **labels):
    return {"metadata": {"name": name, "namespace": "default", "uid": name, "labels": labels},
            "spec": {"containers": [{"name": "c", "resources": {}}]},
            "status": {"phase": "Pending"}}


class Extender:
    def __init__(self, folder, *flags):
        self.log_path = os.path.join(folder, "log")
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen([GEDGE, "extender", "--listen", "127.0.0.1:0", *flags],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=log)

    def __enter__(self):
        with open(self.log_path) as log:
            text = ""
            while "event=listening" not in text or not text.endswith("\n"):
                if self.process.poll() is not None:
                    raise AssertionError("it ended: " + text + log.read())
                text += log.read()
        self.port = int(text.split("address=127.0.0.1:")[1].split()[0])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        need(self.process.wait(PATIENCE) == 0, f"exit {self.process.returncode}")

    def ask(self, path, body, method="POST", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        text = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, text, JSON if headers is None else headers)
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        return reply.status, json.loads(text) if text.startswith((b"{", b"[")) else text.decode()


def check_answers(extender):
    near = pod("a", delay_n0="5")
    status, reply = extender.ask("/filter", {"Pod": near, "NodeNames": ["n2", "n1", "n0", "x"]})
    need((status, reply["NodeNames"], reply["Nodes"]) == (200, ["n1", "n0"], None), f"{reply}")
    far = "node(s) were over the delay budget from n0"
    need(reply["FailedNodes"]["n2"] == far, f"{reply}")
    need(reply["FailedAndUnresolvableNodes"] == {"n2": far} and reply["Error"] == "", f"{reply}")
    # A node that came with the call and is in no file: unmeasured is over every budget.
    more = SITE["items"] + [{"metadata": {"name": "n3"}, "status": {"capacity": {"cpu": "1"}}}]
    status, reply = extender.ask("/filter", {"Pod": near, "Nodes": {"items": more}})
    need([n["metadata"]["name"] for n in reply["Nodes"]["items"]] == ["n0", "n1"], f"{reply}")
    need(reply["Nodes"]["items"] == SITE["items"][:2], "nodes came back changed")
    need(reply["FailedNodes"]["n3"] == "node(s) had no measured RTT from n0", f"{reply}")
    status, reply = extender.ask("/prioritize", {"Pod": near, "NodeNames": ["n1", "n0"]})
    need(reply == [{"Host": "n1", "Score": 6}, {"Host": "n0", "Score": 10}], f"{reply}")
    victims = {"n0": {"Pods": [{"UID": "u"}], "NumPDBViolations": 1},
               "n2": {"Pods": [], "NumPDBViolations": 0}}
    status, reply = extender.ask("/preempt", {"Pod": near, "NodeNameToMetaVictims": victims})
    need(reply == {"NodeNameToMetaVictims": {"n0": victims["n0"]}}, f"{reply}")
    bind = {"PodName": "a", "PodNamespace": "default", "PodUID": "a", "Node": "n0"}
    need(extender.ask("/bind", bind) == (200, {"Error": "this gedge binds no pods"}), "bind")
    need(extender.ask("/readyz", "", "GET", {}) == (200, "ok\n"), "readyz")


def check_mistakes(extender):
    good = {"Pod": pod("b"), "NodeNames": ["n0"]}
    for path, body, method, headers, expected in (
            ("/filter", good, "GET", JSON, 405), ("/filter", good, "PUT", JSON, 405),
            ("/", good, "POST", JSON, 404), ("/filter/", good, "POST", JSON, 404),
            ("/filter?x=1", good, "POST", JSON, 404), ("/filter", good, "POST", {}, 415),
            ("/filter", good, "POST", {"Content-Type": "text/plain"}, 415),
            ("/filter", good, "POST", {**JSON, "Origin": "https://elsewhere.example"}, 403),
            ("/filter", good, "POST", {**JSON, "Host": "rebound.example"}, 403),
            ("/filter", "", "POST", JSON, 400), ("/filter", "{", "POST", JSON, 400),
            ("/filter", "[" * 50_000, "POST", JSON, 400),
            ("/filter", b"\xff\xfe", "POST", JSON, 400),
            ("/filter", {"Pod": 1}, "POST", JSON, 400),
            ("/bind", {"PodName": "a"}, "POST", JSON, 400),
            ("/filter", " " * 70_000, "POST", JSON, 413)):
        status, reply = extender.ask(path, body, method, headers)
        need(status == expected and reply.get("Error"), f"{method} {path}: {status} {reply}")
    status, reply = extender.ask("/filter", {"Pod": pod("b", delay_n0="soon"), "NodeNames": ["n0"]})
    need(status == 200 and "soon" in reply["Error"], f"{reply}")
    with socket.create_connection(("127.0.0.1", extender.port), PATIENCE) as line:
        line.sendall(b"POST /filter HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n"
                     b"Content-Length: 8\r\n\r\n{}")
        need(line.recv(100).startswith(b"HTTP/1.1 400"), "two lengths")
    status, reply = extender.ask("/filter", good)
    need(status == 200 and reply["NodeNames"] == ["n0"], f"after all that: {reply}")
    text = extender.ask("/metrics", "", "GET", {})[1]
    need("gedge_extender_bad_requests_total 18\n" in text, text)


def check_flags(site):
    for flags, code, words in (
            (["--listen", "0.0.0.0:0"], 2, "others could reach"),
            (["--cluster", site, "--bind"], 2, "'--bind' needs an API server"),
            (["--cluster", site, "--profile", "kube"], 3, "no policy that kube-scheduler lacks"),
            (["--max-body", "0"], 2, "is no size from 1 to 1Gi"),
            (["--cluster", site + ".none"], 3, "no such file")):
        run = subprocess.run([GEDGE, "extender", *flags], capture_output=True, text=True,
                             timeout=PATIENCE)
        need(run.returncode == code and words in run.stderr,
             f"{flags}: {run.returncode} {run.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        site, rtt = os.path.join(folder, "site.json"), os.path.join(folder, "rtt.csv")
        with open(site, "w") as file:
            json.dump(SITE, file)
        with open(rtt, "w") as file:
            file.write(RTT)
        check_flags(site)
        with Extender(folder, "--cluster", site, "--rtt", rtt, "--max-body", "64Ki") as extender:
            check_answers(extender)
            check_mistakes(extender)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
