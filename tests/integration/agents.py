"""`gedge agent` as a process of a test: started, read, asked, stopped. Nothing sleeps."""
import http.client
import os
import socket
import subprocess

GEDGE = os.environ["GEDGE"]
MOST_LOOKS = 100_000  # seconds of asking; an answer comes in the first few


def closed_port():
    """A port that refuses; held bound, so that nobody else listens there."""
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    return holder, holder.getsockname()[1]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def certificate(folder, name, days=30, of="IP:127.0.0.1", subject="test"):
    """Paths of a certificate that signs itself, and of its key."""
    paths = [os.path.join(folder, f"{name}.{end}") for end in ("crt", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj",
                    f"/CN={subject}", "-addext", f"subjectAltName={of}", "-out", paths[0],
                    "-keyout", paths[1]], check=True, capture_output=True)
    return paths


class Agent:
    """`tls`: an ssl.SSLContext to ask with, None for plain HTTP. `prefix`: what it runs under."""

    def __init__(self, *args, host="127.0.0.1", tls=None, prefix=()):
        self.process = subprocess.Popen([*prefix, GEDGE, "agent", *args], stderr=subprocess.PIPE,
                                        text=True)
        self.host, self.tls, self.lines = host, tls, []
        self.port = self.url = None  # of listen()

    def read_until(self, event):
        for line in self.process.stderr:
            self.lines.append(line)
            if f" event={event}" in line:
                return line
        raise AssertionError(f"no event={event} in {self.lines}")

    def listen(self):
        words = dict(pair.split("=", 1) for pair in self.read_until("listening").split()
                     if "=" in pair)
        self.port = int(words["address"].rsplit(":", 1)[1])
        self.url = f"{'https' if self.tls else 'http'}://{words['address']}"

    def connect(self):
        if self.tls is None:
            return http.client.HTTPConnection(self.host, self.port)
        return http.client.HTTPSConnection(self.host, self.port, context=self.tls)

    def ask(self, path, method="GET", headers=None):
        """Status, headers and body; status 0 where the connection was refused or cut."""
        connection = self.connect()
        try:
            connection.request(method, path, headers=headers or {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()
        except (http.client.HTTPException, OSError) as error:
            return 0, {}, f"turned away: {error}"
        finally:
            connection.close()

    def wait_for(self, path, accepts, headers=None):
        """Asks until accepts(status, body); the body."""
        for _ in range(MOST_LOOKS):
            status, _, body = self.ask(path, headers=headers)
            if accepts(status, body):
                return body
        raise AssertionError(f"{path} never said what was wanted: {status} {body}")

    def memory(self):
        """Resident KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def stop(self, number):
        self.process.send_signal(number)
        self.lines += self.process.stderr.readlines()
        return self.process.wait()
