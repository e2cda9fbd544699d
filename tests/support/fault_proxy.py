#!/usr/bin/env python3
"""A TCP proxy on loopback that breaks what goes through it, when it is told to.

As a module: FaultProxy. As a program:

    fault_proxy.py HOST:PORT [SEED]

prints the port that it listens on, and then does what it reads, a line each:

    cut | reset              end all connections: in order, or by resetting them
    cut-after WAY BYTES      end a connection once so many bytes went `up` (to the server) or `down`
    drop-server              end the server's side alone: the client's stays open, and silent
    freeze | thaw            forward nothing, close nothing | go on
    hold WAY                 the same of one way, until thaw
    refuse | accept          reset new connections at once | serve them
    split BYTES              send pieces of one to BYTES bytes, at random from the seed
    delay SECONDS            hold each piece back for so long
    clear                    no fault more, for those that are there and those that come
    count                    print connections and bytes as JSON
"""
import dataclasses
import json
import random
import socket
import struct
import sys
import threading

WAYS = ("up", "down")


@dataclasses.dataclass
class Faults:
    """What happens to every connection, until it is changed."""
    cut_after: dict = dataclasses.field(default_factory=dict)  # by way, in bytes
    frozen: bool = False
    held: str = ""  # a way that forwards nothing
    refuse: bool = False
    split: int = 0
    delay: float = 0


class Link:
    """A connection of a client, and its twin to the server."""

    def __init__(self, client, server, seed):
        self.client, self.server = client, server
        self.dice = {way: random.Random(f"{seed} {way}") for way in WAYS}
        self.sent = dict.fromkeys(WAYS, 0)
        self.is_orphan = False  # the server's side is gone, and nobody says so
        self.is_closed = False

    def close(self, reset=False):
        self.is_closed = True
        for side in (self.client, self.server):
            if reset:
                end(side, socket.SHUT_RD)  # wakes who reads; the other end is not told
                reset_by_closing(side)
            else:
                end(side, socket.SHUT_RDWR)


def reset_by_closing(side):
    try:
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass  # it is closed already
    side.close()


def end(side, how):
    try:
        side.shutdown(how)
    except OSError:
        pass  # it has ended already


class FaultProxy:
    """Serves from the start to close(); told what to do from any thread."""

    def __init__(self, host, port, seed=0):
        self.to, self.seed = (host, port), seed
        self.faults = Faults()
        self.links, self.connections = [], 0
        self.sent = dict.fromkeys(WAYS, 0)
        self.pieces = []  # of all connections, in the order in which they were sent
        self.changed = threading.Condition()
        self.is_over = False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.threads = []
        self._start(self._accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with self.changed:
            self.is_over = True
            self.changed.notify_all()
        end(self.listener, socket.SHUT_RDWR)
        self.cut()
        for thread in self.threads:
            thread.join()
        self.listener.close()
        for link in self.links:
            link.client.close()
            link.server.close()

    def set(self, **faults):
        with self.changed:
            self.faults = dataclasses.replace(self.faults, **faults)
            self.changed.notify_all()

    def clear(self):
        with self.changed:
            self.faults = Faults()
            self.changed.notify_all()

    def cut(self, reset=False):
        with self.changed:
            links = list(self.links)
        for link in links:
            link.close(reset)

    def drop_server(self):
        with self.changed:
            for link in self.links:
                link.is_orphan = True
                end(link.server, socket.SHUT_RDWR)

    def count(self):
        with self.changed:
            return {"connections": self.connections, **self.sent}

    def _start(self, run, *args):
        thread = threading.Thread(target=run, args=args, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                self.connections += 1
                number, refuse = self.connections, self.faults.refuse
            try:
                server = None if refuse else socket.create_connection(self.to)
            except OSError:
                server = None
            if server is None:
                reset_by_closing(client)
                continue
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link(client, server, f"{self.seed} {number}")
            with self.changed:
                self.links.append(link)
            self._start(self._pump, link, client, server, "up")
            self._start(self._pump, link, server, client, "down")

    def _pump(self, link, source, target, way):
        try:
            while data := source.recv(65_536):
                for piece in self._pieces(link, data, way):
                    if not self._pass(link, target, way, piece):
                        return
            if self._wait(way) and not link.is_orphan and not link.is_closed:
                end(target, socket.SHUT_WR)
        except OSError:
            if not link.is_orphan and not link.is_closed:
                link.close()

    def _pieces(self, link, data, way):
        while data:
            most = self.faults.split
            size = link.dice[way].randint(1, most) if most else len(data)
            yield data[:size]
            data = data[size:]

    def _may_go_on(self, way):
        return self.is_over or not (self.faults.frozen or self.faults.held == way)

    def _wait(self, way):
        """Until bytes may go on. False: never."""
        with self.changed:
            self.changed.wait_for(lambda: self._may_go_on(way))
            if self.faults.delay:
                self.changed.wait_for(lambda: self.is_over, self.faults.delay)
            return not self.is_over

    def _pass(self, link, target, way, piece):
        if not self._wait(way):
            return False
        if link.is_orphan:
            return True  # into nothing
        most = self.faults.cut_after.get(way)
        if most is not None:
            piece = piece[:max(0, most - link.sent[way])]
        with self.changed:
            link.sent[way] += len(piece)
            self.sent[way] += len(piece)
            self.pieces.append((way, len(piece)))
        if piece:
            target.sendall(piece)
        if most is None or link.sent[way] < most:
            return True
        link.close()
        return False


def obey(proxy, words):
    verb, *rest = words
    simple = {"cut": proxy.cut, "reset": lambda: proxy.cut(reset=True), "clear": proxy.clear,
              "drop-server": proxy.drop_server,
              "freeze": lambda: proxy.set(frozen=True),
              "thaw": lambda: proxy.set(frozen=False, held=""),
              "refuse": lambda: proxy.set(refuse=True), "accept": lambda: proxy.set(refuse=False),
              "count": lambda: print(json.dumps(proxy.count()), flush=True)}
    if verb in simple and not rest:
        simple[verb]()
    elif verb == "hold" and len(rest) == 1 and rest[0] in WAYS:
        proxy.set(held=rest[0])
    elif verb == "cut-after" and len(rest) == 2 and rest[0] in WAYS:
        proxy.set(cut_after={rest[0]: int(rest[1])})
    elif verb == "split" and len(rest) == 1:
        proxy.set(split=int(rest[0]))
    elif verb == "delay" and len(rest) == 1:
        proxy.set(delay=float(rest[0]))
    else:
        raise ValueError(f"no such fault: {' '.join(words)}")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    host, port = sys.argv[1].rsplit(":", 1)
    with FaultProxy(host, int(port), *map(int, sys.argv[2:])) as proxy:
        print(proxy.port, flush=True)
        for line in sys.stdin:
            if words := line.split():
                obey(proxy, words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
