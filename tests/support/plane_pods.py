"""What is said of pods of every kind of constraint, for tests on a control plane."""
from plane import PODS, pod, until

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
IMAGE = {"names": ["example.invalid/large:1"], "sizeBytes": 700_000_000}  # as nodes have it
DEVICE = "example.com/device"
FIRST, SECOND = "first", "second"  # PriorityClasses; nobody goes for their pods, nor for others
HEAVY = "heavy"  # a RuntimeClass that takes something by itself
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses"
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
GUESTS = "guests"  # a namespace


def term(app, key=HOST):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def spread(app, key, how, skew=1):
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": how,
            "labelSelector": {"matchLabels": {"app": app}}}


def wish(values, weight):
    return {"weight": weight, "preference": {"matchExpressions": [
        {"key": "disk", "operator": "In", "values": values}]}}


def demand(*terms):
    """Node affinity: all of one of these, each (key, operator, values)."""
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": key, "operator": operator, "values": values}
                              for key, operator, values in one]} for one in terms]}}}}


def container(requests, **more):
    return {"container": {"resources": {"requests": {"cpu": "50m", "memory": "64Mi", **requests},
                                        **more}}}


def workloads():
    """By name, which is the label `app` of its pods: ten kinds."""
    return {
        "plain": {},
        "selected": {"nodeSelector": {"disk": "ssd"}},
        "wishing": {"affinity": {"nodeAffinity": {PREFERRED: [wish(["hdd"], 30),
                                                              wish(["nvme", "hdd"], 7)]}}},
        "tolerant": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]},
        "apart": {"affinity": {"podAntiAffinity": {REQUIRED: [term("apart")]}}},
        "rather-apart": {"affinity": {"podAntiAffinity": {PREFERRED: [
            {"weight": 40, "podAffinityTerm": term("rather-apart", ZONE)}]}}},
        "near": {"affinity": {"podAffinity": {PREFERRED: [
            {"weight": 60, "podAffinityTerm": term("apart", ZONE)}]}}},
        "spread": {"topologySpreadConstraints": [spread("spread", ZONE, "DoNotSchedule"),
                                                 spread("spread", HOST, "ScheduleAnyway")]},
        "ports": {"container": {"ports": [{"containerPort": 80, "hostPort": 8080}]}},
        "imaged": {"container": {"image": IMAGE["names"][0]}},
    }


def more_workloads(node_name):
    """Further ones; the pods `named` may go to that node alone."""
    fields = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node_name]}]}
    return {
        "in": demand([("disk", "In", ["hdd", "nvme"])]),
        "not-in": demand([(ZONE, "NotIn", ["z0"]), ("disk", "NotIn", ["nvme"])]),
        "greater": demand([("cores", "Gt", ["2"])], [("disk", "In", ["ssd"])]),
        "named": {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [fields]}}}},
        "with": {"affinity": {"podAffinity": {REQUIRED: [term("spread", ZONE)]}}},
        "anyhow": {"topologySpreadConstraints": [spread("anyhow", ZONE, "ScheduleAnyway")]},
        "device": container({DEVICE: "1"}, limits={DEVICE: "1"}),
        "heavy": {"runtimeClassName": HEAVY},
        "init": {"initContainers": [{"name": "i", "image": "example.invalid/i",
                                     "resources": {"requests": {"cpu": "700m",
                                                                "memory": "1Gi"}}}]},
        "large": container({"cpu": "3700m"}),
        "first": {"priorityClassName": FIRST},
        "second": {"priorityClassName": SECOND},
        "nowhere": {"nodeSelector": {"disk": "tape"}},
    }


def bound_workloads():
    """Further ones, on what create_bounds() makes; the pods `claimed` have a claim each."""
    guests = {**term("guest"), "namespaces": [GUESTS]}
    return {
        "addressed": {"container": {"ports": [{"containerPort": 80, "hostPort": 8080,
                                               "hostIP": "10.9.8.7"}]}},
        "claimed": container({}),
        "ephemeral": container({"ephemeral-storage": "3Gi"}),
        "foreign": {"affinity": {"podAntiAffinity": {REQUIRED: [guests]}}, **container({})},
        "mighty": container({"memory": "5Gi"}),
        "served": container({}),
    }


def claim_of(thing):
    """A pod, with the claim of its name."""
    thing["spec"]["volumes"] = [
        {"name": "data", "persistentVolumeClaim": {"claimName": thing["metadata"]["name"]}}]
    return thing


def disk(name, host, size, kind="local", **spec):
    """A volume on one node."""
    where = {"matchExpressions": [{"key": HOST, "operator": "In", "values": [host]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
        "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": kind,
        "local": {"path": "/nowhere"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [where]}}, **spec}}


def claim(name, size, kind="local", **spec):
    return {"metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": kind,
        "resources": {"requests": {"storage": size}}, **spec}}


def zoned(volume, zone):
    """One that every node of a zone can use."""
    del volume["spec"]["local"], volume["spec"]["nodeAffinity"]
    volume["spec"]["hostPath"] = {"path": "/nowhere"}
    volume["metadata"]["labels"] = {ZONE: zone}
    return volume


def create_bounds(plane, count):
    """Bound claims `claimed-0` and so on, by turns on a node and in a zone, a Service and a pod of
    another namespace. What is protected while it is in use stays from one check to the next."""
    if plane.call("GET", f"{CLAIMS}/claimed-0")[0] == 404:
        plane.create("/api/v1/namespaces", {"metadata": {"name": GUESTS}})
        plane.create("/api/v1/namespaces/default/services", {
            "metadata": {"name": "served"},
            "spec": {"selector": {"app": "served"}, "ports": [{"port": 80}]}})
        for i in range(count):
            name = f"claimed-{i}"
            made = plane.create(CLAIMS, {**claim(name, "1Gi", volumeName=name)})[0]
            plane.patch(f"{CLAIMS}/{name}", {"metadata": {"annotations": {
                "pv.kubernetes.io/bind-completed": "yes"}}})
            reference = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "name": name,
                         "namespace": "default", "uid": made["metadata"]["uid"]}
            volume = disk(name, f"n{i}", "1Gi", claimRef=reference)
            plane.create(VOLUMES, zoned(volume, f"z{i % 3}") if i % 2 else volume)
    plane.create(PODS.format(GUESTS), pod("guest", scheduler="somebody-else", nodeName="n0",
                                          labels={"app": "guest"}))


def create_priorities(plane, values, policy="PreemptLowerPriority"):
    """PriorityClasses by name; pods may be of them at once: what admits pods is told of them a
    moment after they were made."""
    plane.create(CLASSES, *({"metadata": {"name": name}, "value": value, "preemptionPolicy": policy}
                            for name, value in values.items()))
    for name in values:
        asked = pod("asked", priorityClassName=name)
        path = PODS.format("default") + "?dryRun=All"
        until(lambda asked=asked: plane.call("POST", path, asked)[0] == 201, f"class {name}")


def create_classes(plane):
    """The PriorityClasses and the RuntimeClass of those pods."""
    create_priorities(plane, {FIRST: 1000, SECOND: 500}, policy="Never")
    plane.create(RUNTIMES, {"metadata": {"name": HEAVY}, "handler": HEAVY,
                            "overhead": {"podFixed": {"cpu": "250m", "memory": "64Mi"}}})


def owned(thing, kind, name):
    """A pod of a workload."""
    thing["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}]
    return thing
