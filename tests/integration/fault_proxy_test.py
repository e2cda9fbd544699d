#!/usr/bin/env python3
"""The proxy that breaks connections breaks them as it says: each fault, seen from both ends."""
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["GEDGE_SOURCE_DIR"]) / "tests/support"))
from fault_proxy import FaultProxy  # noqa: E402
from plane import until  # noqa: E402

PATIENCE = 60  # seconds; far beyond what loopback takes


class Echo:
    """Says what it hears; `ended` holds how each connection ended."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ended, self.changed = [], threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        how = "end"
        try:
            while data := client.recv(65_536):
                client.sendall(data)
        except OSError as error:
            how = type(error).__name__
        client.close()
        with self.changed:
            self.ended.append(how)
            self.changed.notify_all()

    def wait_for_end(self):
        with self.changed:
            assert self.changed.wait_for(lambda: self.ended, PATIENCE)
            return self.ended.pop()


def connect(proxy):
    client = socket.create_connection(("127.0.0.1", proxy.port), PATIENCE)
    client.settimeout(PATIENCE)
    return client


def receive(client, count):
    data = b""
    while len(data) < count and (more := client.recv(count - len(data))):
        data += more
    return data


def is_silent(client):
    client.settimeout(0.05)
    try:
        client.recv(1)
        return False
    except TimeoutError:
        return True
    finally:
        client.settimeout(PATIENCE)


def is_reset(client):
    try:
        return client.recv(1) is None
    except ConnectionResetError:
        return True


def test_passes_all(echo):
    text = os.urandom(300_000)
    with FaultProxy("127.0.0.1", echo.port) as proxy, connect(proxy) as client:
        threading.Thread(target=client.sendall, args=(text,), daemon=True).start()
        assert receive(client, len(text)) == text
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
        assert proxy.count() == {"connections": 1, "up": len(text), "down": len(text)}
    assert echo.wait_for_end() == "end"


def test_cuts_at_the_byte(echo):
    for most in (0, 1, 7):
        with FaultProxy("127.0.0.1", echo.port) as proxy:
            proxy.set(cut_after={"down": most})
            with connect(proxy) as client:
                client.sendall(b"0123456789")
                assert receive(client, 100) == b"0123456789"[:most]
            proxy.clear()
            with connect(proxy) as client:
                client.sendall(b"0123456789")
                assert receive(client, 10) == b"0123456789"
            echo.wait_for_end()


def test_ends_all(echo):
    with FaultProxy("127.0.0.1", echo.port) as proxy:
        with connect(proxy) as client:
            client.sendall(b"a")
            assert receive(client, 1) == b"a"
            proxy.cut()
            assert client.recv(1) == b""
        with connect(proxy) as client:
            client.sendall(b"a")
            assert receive(client, 1) == b"a"
            proxy.cut(reset=True)
            assert is_reset(client)


def test_freezes_and_goes_on(echo):
    with FaultProxy("127.0.0.1", echo.port) as proxy, connect(proxy) as client:
        proxy.set(frozen=True)
        client.sendall(b"held")
        assert is_silent(client)
        proxy.set(frozen=False)
        assert receive(client, 4) == b"held"


def test_holds_one_way(echo):
    with FaultProxy("127.0.0.1", echo.port) as proxy, connect(proxy) as client:
        proxy.set(held="up")
        client.sendall(b"held")
        assert is_silent(client)
        assert proxy.count()["up"] == 0
        proxy.set(held="down")
        until(lambda: proxy.count()["up"] == 4, "what was held to arrive")
        assert is_silent(client)
        proxy.set(held="")
        assert receive(client, 4) == b"held"


def test_hides_a_server_that_is_gone(echo):
    with FaultProxy("127.0.0.1", echo.port) as proxy, connect(proxy) as client:
        client.sendall(b"a")
        assert receive(client, 1) == b"a"
        proxy.drop_server()
        echo.wait_for_end()
        client.sendall(b"into nothing")
        assert is_silent(client)
        with connect(proxy) as other:
            other.sendall(b"b")
            assert receive(other, 1) == b"b"


def test_refuses(echo):
    with FaultProxy("127.0.0.1", echo.port) as proxy:
        proxy.set(refuse=True)
        try:
            with connect(proxy) as client:
                assert is_reset(client)
        except ConnectionResetError:
            pass  # so soon
        assert proxy.count()["connections"] == 1
        proxy.set(refuse=False)
        with connect(proxy) as client:
            client.sendall(b"a")
            assert receive(client, 1) == b"a"


def test_splits_alike_for_a_seed(echo):
    def sizes(seed):
        with FaultProxy("127.0.0.1", echo.port, seed) as proxy, connect(proxy) as client:
            proxy.set(split=3)
            client.sendall(b"x" * 1_000)
            assert receive(client, 1_000) == b"x" * 1_000
            return [size for way, size in proxy.pieces if way == "up"]

    first = sizes(1)
    assert set(first) == {1, 2, 3} and sum(first) == 1_000
    assert sizes(1)[:300] == first[:300] != sizes(2)[:300]


def test_obeys_as_a_program(echo):
    program = Path(os.environ["GEDGE_SOURCE_DIR"]) / "tests/support/fault_proxy.py"
    process = subprocess.Popen([sys.executable, program, f"127.0.0.1:{echo.port}"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(process.stdout.readline())
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(b"a")
        assert receive(client, 1) == b"a"
        process.stdin.write("hold down\ncut-after down 1\nsplit 2\ncount\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"connections": 1, "up": 1, "down": 1}
    process.stdin.close()
    assert process.wait(PATIENCE) == 0


def main():
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test(Echo())
        print("ok", test.__name__)
    return 0 if len(tests) >= 9 else 1


if __name__ == "__main__":
    sys.exit(main())
