"""Watches a control plane by itself, and says what no scheduler may do."""
import collections
import http.client
import json
import ssl
import threading

FACTORS = {"m": 1, "Ki": 2**10 * 1000, "Mi": 2**20 * 1000, "Gi": 2**30 * 1000}
KEEPS_OUT = ("NoSchedule", "NoExecute")


def thousandths(amount):
    for suffix, factor in FACTORS.items():
        if amount.endswith(suffix):
            return int(amount[:-len(suffix)]) * factor
    return int(amount) * 1000


def wanted(spec):
    """What a pod takes of its node, by resource: of containers that run one after the other the
    most of one, of others the sum, and what its runtime takes."""
    def asked(container):
        return {resource: thousandths(amount) for resource, amount
                in container.get("resources", {}).get("requests", {}).items()}
    sums = collections.Counter()
    for container in spec["containers"]:
        sums.update(asked(container))
    for container in spec.get("initContainers", []):
        sums |= collections.Counter(asked(container))  # the larger one of each
    sums.update({resource: thousandths(amount)
                 for resource, amount in spec.get("overhead", {}).items()})
    return {**sums, "pods": 1000}


def is_tolerated(taint, spec):
    return any(one.get("effect") in (None, "", taint["effect"]) and
               (one.get("key") == taint["key"] or not one.get("key")) and
               (one.get("operator") == "Exists" or one.get("value", "") == taint.get("value", ""))
               for one in spec.get("tolerations", []))


class Audit:
    """Reads nodes once, and follows pods until close(): a list where the watch is lost. Its
    connections go to the server itself, whatever those of others go through. Nodes that keep pods
    out when it begins do so as long as it lasts."""

    def __init__(self, plane):
        self.plane = plane
        self.room, self.specs = {}, {}  # by node
        for node in plane.get("/api/v1/nodes")["items"]:
            name = node["metadata"]["name"]
            self.room[name] = {resource: thousandths(amount)
                               for resource, amount in node["status"]["allocatable"].items()}
            self.specs[name] = node["spec"]
        self.pods = {}     # by UID: of those that take a place
        self.places = {}   # by UID: the node that it was first seen on
        self.wrong = []
        self.binds = 0
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_over = True
        self.thread.join()

    def _run(self):
        context = ssl.create_default_context(cafile=self.plane.path("certificates/apiserver.crt"))
        headers = {"Authorization": "Bearer " + self.plane.token}
        while not self.is_over:
            connection = http.client.HTTPSConnection(self.plane.host, context=context, timeout=2)
            try:
                connection.request("GET", "/api/v1/pods", headers=headers)
                reply = connection.getresponse()
                if reply.status != 200:
                    reply.read()
                    continue
                listed = json.loads(reply.read())
                known = {pod["metadata"]["uid"] for pod in listed["items"]}
                for uid in set(self.pods) - known:
                    del self.pods[uid]
                for pod in listed["items"]:
                    self._see(pod)
                self._check()
                version = listed["metadata"]["resourceVersion"]
                connection.request("GET", f"/api/v1/pods?watch=1&resourceVersion={version}",
                                   headers=headers)
                self._follow(connection.getresponse())
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                pass  # the server is gone, or says nothing: begun anew
            finally:
                connection.close()

    def _follow(self, reply):
        while line := reply.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            if event["type"] == "DELETED":
                self.pods.pop(event["object"]["metadata"]["uid"], None)
            else:
                self._see(event["object"])
                self._check()

    def _see(self, pod):
        uid, node = pod["metadata"]["uid"], pod["spec"].get("nodeName")
        if not node or pod["status"].get("phase") in ("Succeeded", "Failed"):
            self.pods.pop(uid, None)
            return
        if self.places.setdefault(uid, node) != node:
            self.wrong.append(f"{pod['metadata']['name']} was on {self.places[uid]}, is on {node}")
        if uid not in self.pods:
            self.binds += 1
            self._see_bound(pod, self.specs.get(node, {}))
        self.pods[uid] = pod

    def _see_bound(self, pod, node):
        where = f"{pod['metadata']['name']} was bound to {pod['spec']['nodeName']}"
        if node.get("unschedulable"):
            self.wrong.append(f"{where}, which is cordoned")
        for taint in node.get("taints", []):
            if taint["effect"] in KEEPS_OUT and not is_tolerated(taint, pod["spec"]):
                self.wrong.append(f"{where}, whose taint {taint} it does not tolerate")

    def _check(self):
        used = {name: dict.fromkeys(room, 0) for name, room in self.room.items()}
        for pod in self.pods.values():
            node = used.get(pod["spec"]["nodeName"])
            if node is None:
                self.wrong.append(f"{pod['metadata']['name']} is on a node that there is not")
                continue
            for resource, amount in wanted(pod["spec"]).items():
                node[resource] = node.get(resource, 0) + amount
        for name, amounts in used.items():
            for resource, amount in amounts.items():
                most = self.room[name].get(resource, 0)
                if amount > most:
                    self.wrong.append(f"{name}: {amount} of {most} thousandths of {resource}")
