"""What a real kube-apiserver says of nodes and pods in protobuf is read as what it says in JSON:
whatever is read is the same, and nothing is left out but what gedge reads nowhere."""
import http.client
import json
import os
import ssl
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import plane_pods  # noqa: E402
from plane import PODS, Plane, node, pod  # noqa: E402

TOOL = os.path.join(os.environ["GEDGE_BUILD_DIR"], "bin", "test_protobuf")
PROTOBUF = "application/vnd.kubernetes.protobuf"

# What the server says in JSON and gedge reads nowhere: of whom, and what.
UNREAD = {
    "metadata": {"remainingItemCount", "managedFields", "selfLink", "generation", "finalizers",
                 "deletionGracePeriodSeconds"},
    "ownerReferences": {"apiVersion", "blockOwnerDeletion"},
    "spec": {"podCIDR", "podCIDRs", "providerID", "restartPolicy", "dnsPolicy", "securityContext",
             "terminationGracePeriodSeconds", "enableServiceLinks"},
    "taints": {"timeAdded"},
    "conditions": {"lastHeartbeatTime", "lastTransitionTime", "lastProbeTime"},
    "containers": {"terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy"},
    "initContainers": {"terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy"},
    "volumes": {"emptyDir", "hostPath"},
    "tolerations": {"tolerationSeconds"},
    "status": {"daemonEndpoints", "nodeInfo", "qosClass"},
}

# What must have been read of some object, for the comparison to say anything of it.
READ = """
metadata.name metadata.generateName metadata.namespace metadata.uid metadata.resourceVersion
metadata.creationTimestamp metadata.deletionTimestamp metadata.labels metadata.annotations
ownerReferences.kind ownerReferences.name ownerReferences.uid ownerReferences.controller
spec.unschedulable taints.key taints.value taints.effect status.capacity status.allocatable
conditions.type conditions.status conditions.reason conditions.message addresses.type
addresses.address images.names images.sizeBytes volumes.name persistentVolumeClaim.claimName
containers.name containers.image ports.hostPort ports.containerPort ports.protocol ports.hostIP
env.name env.value resources.limits resources.requests initContainers.name spec.nodeSelector
spec.nodeName spec.hostNetwork spec.schedulerName spec.priorityClassName spec.priority
spec.preemptionPolicy spec.runtimeClassName spec.overhead tolerations.key tolerations.operator
tolerations.value tolerations.effect topologySpreadConstraints.maxSkew
topologySpreadConstraints.topologyKey topologySpreadConstraints.whenUnsatisfiable
labelSelector.matchLabels matchExpressions.key matchExpressions.operator matchExpressions.values
matchFields.key preferredDuringSchedulingIgnoredDuringExecution.weight podAffinityTerm.topologyKey
requiredDuringSchedulingIgnoredDuringExecution.namespaces status.phase status.startTime
status.nominatedNodeName
""".split()

TEXT = 'a "quoted" \\ text,\n\tin lines: \u00e4\u2713\U0001f600'
LABELS = {"app": "web", "empty": "", "a.b/c-d_e": "X.y"}


def ask(plane, path):
    """Of a list in protobuf, the bytes."""
    context = ssl.create_default_context(cafile=plane.path("certificates/apiserver.crt"))
    connection = http.client.HTTPSConnection(plane.host, context=context)
    connection.request("GET", path, None, {"Authorization": "Bearer " + plane.token,
                                           "Accept": PROTOBUF})
    reply = connection.getresponse()
    body = reply.read()
    assert reply.getheader("Content-Type") == PROTOBUF, reply.getheader("Content-Type")
    return body


def read(body, kind):
    return subprocess.run([TOOL, kind], input=body, capture_output=True, check=False)


def nodes():
    busy = node("n-busy", labels={"disk": "ssd", **LABELS}, taints=[
        {"key": "dedicated", "value": "db", "effect": "NoSchedule"},
        {"key": "gone", "effect": "NoExecute", "timeAdded": "2024-05-01T12:00:00Z"}])
    busy["metadata"]["annotations"] = {"gedge.io/text": TEXT, "none": ""}
    busy["spec"].update(unschedulable=True, podCIDR="10.1.0.0/24", providerID="x://1")
    busy["status"]["images"] = [plane_pods.IMAGE, {"names": ["a", "b"], "sizeBytes": 1 << 40}]
    busy["status"]["addresses"] = [{"type": "InternalIP", "address": "10.0.0.1"},
                                   {"type": "Hostname", "address": "n-busy"}]
    busy["status"]["conditions"].append({"type": "DiskPressure", "status": "Unknown",
                                         "reason": "Why", "message": TEXT})
    busy["status"]["allocatable"] = {"cpu": "3500m", "memory": "7Gi", "pods": "110",
                                     "example.com/device": "2", "ephemeral-storage": "1e9"}
    bare = node("n-bare")
    bare["status"] = {}
    return [busy, bare, node("n-plain")]


def rich_pods():
    """With every field that gedge reads and a server of 1.20 knows."""
    every = pod("every", labels=LABELS, annotations={
        "gedge.io/delay-budget": "n-plain=5ms", "text": TEXT, "none": ""},
        nodeSelector={"disk": "ssd"}, hostNetwork=True, priorityClassName="below",
        tolerations=[{"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"},
                     {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 7}],
        container={"env": [{"name": "gschConfig", "value": '{"a":1}'}, {"name": "empty"}],
                   "ports": [{"containerPort": 80, "hostPort": 80, "protocol": "UDP",
                              "hostIP": "127.0.0.1"}],
                   "resources": {"requests": {"cpu": "1.5", "memory": "64Mi"},
                                 "limits": {"cpu": "2", "memory": "1Gi"}}},
        initContainers=[{"name": "i", "image": "example.invalid/i"}],
        volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "claim"}},
                 {"name": "rest", "emptyDir": {}}, {"name": "host", "hostPath": {"path": "/"}}],
        topologySpreadConstraints=[
            {"maxSkew": 3, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"},
            {"maxSkew": 1, "topologyKey": "host", "whenUnsatisfiable": "DoNotSchedule",
             "labelSelector": {"matchExpressions": [
                 {"key": "app", "operator": "In", "values": ["web", "db"]},
                 {"key": "app", "operator": "Exists"}]}}],
        affinity={
            "nodeAffinity": {plane_pods.REQUIRED: {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["2"]}],
                 "matchFields": [{"key": "metadata.name", "operator": "NotIn",
                                  "values": ["n-bare"]}]}]},
                plane_pods.PREFERRED: [plane_pods.wish(["hdd"], 30)]},
            "podAffinity": {plane_pods.REQUIRED: [
                {**plane_pods.term("web"), "namespaces": ["default", "kube-system"]}]},
            "podAntiAffinity": {plane_pods.PREFERRED: [
                {"weight": 7, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {}}}]}})
    every["metadata"]["generateName"] = "every-"
    leaving = pod("leaving", nodeName="n-plain", terminationGracePeriodSeconds=3600)
    return [plane_pods.owned(every, "ReplicaSet", "rs"), leaving, pod("plain")]


def fill(plane):
    plane.create("/api/v1/nodes", *nodes())
    plane_pods.create_priorities(plane, {"below": -7})
    plane_pods.create_classes(plane)
    path = PODS.format("default")
    plane.create(path, *rich_pods())
    kinds = {**plane_pods.workloads(), **plane_pods.more_workloads("n-plain")}
    plane.create(path, *(pod(f"k-{name}", labels={"app": name}, **json.loads(json.dumps(spec)))
                         for name, spec in kinds.items()))
    plane.call("DELETE", path + "/leaving")
    plane.call("PATCH", path + "/plain/status", {"status": {
        "nominatedNodeName": "n-plain", "startTime": "2024-05-01T12:00:00Z",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                        "message": TEXT}]}}, "application/strategic-merge-patch+json")


def paths(value, parent=""):
    """Of whom, and what: of all that is there."""
    if isinstance(value, list):
        return set().union(*(paths(item, parent) for item in value))
    if not isinstance(value, dict):
        return set()
    below = set().union(*(paths(item, key) for key, item in value.items()))
    return below | {f"{parent}.{key}" for key in value}


def differences(ours, theirs, path=()):
    """Where what was read is not what the server says, and what was not read."""
    where, parent = ".".join(path) or "the list", path[-1] if path else ""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = []
        for key, value in ours.items():
            if key in theirs:
                found += differences(value, theirs[key], path + (key,))
            elif value not in (0, False):  # JSON leaves out what is nothing
                found.append(f"{where}: {key} is {value!r}, and nowhere in JSON")
        for key in theirs.keys() - ours.keys() - UNREAD.get(parent, set()):
            if theirs[key] is not None:
                found.append(f"{where}: {key} is not read: {theirs[key]!r}")
        return found
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [text for a, b in zip(ours, theirs) for text in differences(a, b, path)]
    return [] if ours == theirs else [f"{where}: {ours!r} instead of {theirs!r}"]


def check_lists(plane):
    found, seen = [], set()
    for path in ("/api/v1/nodes", "/api/v1/pods", "/api/v1/pods?limit=3",
                 "/api/v1/pods?fieldSelector=spec.nodeName=nowhere"):
        run = read(ask(plane, path), "NodeList" if "nodes" in path else "PodList")
        if run.returncode != 0:
            found.append(f"{path}: {run.stderr.decode()}")
            continue
        ours, theirs = json.loads(run.stdout), plane.get(path)
        if "limit" in path:
            assert ours["metadata"].pop("continue") and theirs["metadata"].pop("continue")
        found += differences(ours, theirs)
        seen |= paths(ours)
    return found + [f"no object has {path}" for path in READ if path not in seen]


def check_refusals(plane):
    """A Status is read; of another kind, or cut off anywhere, nothing is."""
    found = []
    run = read(ask(plane, "/api/v1/nodes?resourceVersion=nonsense&limit=1"), "NodeList")
    if "nonsense" not in json.loads(run.stdout or "{}").get("message", ""):
        found.append(f"a refusal: {run}")
    whole = ask(plane, "/api/v1/nodes")
    end = len(whole) - 4  # two fields that say nothing
    cut = [read(whole[:size], "NodeList") for size in range(0, end, max(1, end // 50))]
    found += [f"cut off, it is read: {run.stdout[:80]}" for run in cut if run.returncode != 1]
    for kind, path in (("NodeList", "/api/v1/namespaces"), ("PodList", "/api/v1/nodes")):
        other = read(ask(plane, path), kind)
        if other.returncode != 1 or b"another kind" not in other.stderr:
            found.append(f"another kind: {other}")
    return found


def main():
    with Plane() as plane:
        fill(plane)
        found = check_lists(plane) + check_refusals(plane)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
