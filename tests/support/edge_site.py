"""A site in three zones with round-trip times, for tests that judge places by themselves."""
import math

from plane import node

ZONE = "topology.kubernetes.io/zone"
NODES = 60


class Site:
    """Nodes on a plane, three zones of them, and a gateway that is no node."""

    def __init__(self, dice):
        self.names = [f"n{i:02}" for i in range(NODES)]
        self.zone = {name: f"z{i % 3}" for i, name in enumerate(self.names)}
        places = {name: (dice.uniform(0, 12) + 15 * (i % 3), dice.uniform(0, 12))
                  for i, name in enumerate(self.names)}
        places["gateway"] = (6, 6)
        self.us = {}
        for a, (ax, ay) in places.items():
            for b, (bx, by) in places.items():
                self.us[a, b] = 0 if a == b else 1 + round(1000 * math.hypot(ax - bx, ay - by))

    def write(self, path):
        with open(path, "w") as file:
            file.write("from,to,rtt_ms\n")
            for (a, b), us in self.us.items():
                if a != b:
                    file.write(f"{a},{b},{us / 1000:.3f}\n")

    def nodes(self):
        return [node(name, cpu="64", memory="256Gi", pods="500", labels={ZONE: self.zone[name]})
                for name in self.names]
