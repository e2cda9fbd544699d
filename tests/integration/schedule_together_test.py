"""`gedge schedule --watch` against a real etcd, kube-apiserver and volume controller: pods of a
group are bound together or not at all, and pods with claims together with their volumes."""
import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from plane import PODS, Scheduler, node, pod, run_checks, until  # noqa: E402
from plane_pods import CLAIMS, VOLUMES, claim, disk  # noqa: E402

GROUP = "scheduling.x-k8s.io"
GROUPS = f"/apis/{GROUP}/v1alpha1/namespaces/default/podgroups"
CLASSES, WAITS = "/apis/storage.k8s.io/v1/storageclasses", "WaitForFirstConsumer"
CHOSEN = "volume.kubernetes.io/selected-node"
GEDGE = os.environ["GEDGE"]
KUBE = ("--profile", "kube", "--compat", "1.20")
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def node_of(plane, name):
    return plane.pods()[name]["spec"].get("nodeName")


def told(plane, name):
    for condition in plane.pods()[name]["status"].get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return condition["message"]
    return ""


def definition(plane):
    """The part of PodGroup's definition that servers need."""
    plane.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        "metadata": {"name": f"podgroups.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced",
                 "names": {"kind": "PodGroup", "plural": "podgroups"},
                 "versions": [{"name": "v1alpha1", "served": True, "storage": True,
                               "schema": {"openAPIV3Schema": {
                                   "type": "object",
                                   "x-kubernetes-preserve-unknown-fields": True}}}]}})
    until(lambda: plane.call("GET", GROUPS)[0] == 200, "the server to know pod groups")


def check_groups(plane):
    """Two groups of three on four places, and then on six."""
    definition(plane)
    plane.create("/api/v1/nodes", node("n1", cpu="2"), node("n2", cpu="2"))
    for group in ("a", "b"):
        plane.create(GROUPS, {"apiVersion": f"{GROUP}/v1alpha1", "kind": "PodGroup",
                              "metadata": {"name": group}, "spec": {"minMember": 3}})
    names = [f"{group}-{i}" for i in range(3) for group in ("a", "b")]
    with Scheduler(plane, *KUBE) as scheduler:
        plane.create(PODS.format("default"), *(
            pod(name, cpu="900m", labels={f"{GROUP}/pod-group": name[0]}) for name in names))

        def placed():
            return sorted(name[0] for name in names if node_of(plane, name))
        until(lambda: len(placed()) == 3, "three pods")
        need(len(set(placed())) == 1, f"of one group: {placed()}")
        late = "b" if placed()[0] == "a" else "a"
        until(lambda: all(told(plane, f"{late}-{i}") for i in range(3)), "the others to be told")
        message = f"pod group default/{late} is placed when 3 of its pods fit together; now 1 does"
        need(message in {told(plane, f"{late}-{i}") for i in range(3)}, told(plane, f"{late}-0"))
        plane.create("/api/v1/nodes", node("n3", cpu="2"))
        until(lambda: len(placed()) == 6, "six pods")
    need("event=failed" not in scheduler.log(), scheduler.log()[-600:])


def check_apply(plane):
    """A plan that could place a group only in part leaves it alone."""
    plane.create("/api/v1/nodes", node("n1"), node("n2"))
    plane.create(CLASSES, {"metadata": {"name": "late"}, "volumeBindingMode": WAITS,
                        "provisioner": "kubernetes.io/no-provisioner"})
    plane.create(VOLUMES, disk("late-1", "n1", "1Gi", "late"))
    plane.patch(VOLUMES + "/late-1/status", {"status": {"phase": "Available"}})
    plane.create(CLAIMS, claim("c", "500Mi", "late"))
    for group, least in (("c", 3), ("d", 2)):
        plane.create(GROUPS, {"apiVersion": f"{GROUP}/v1alpha1", "kind": "PodGroup",
                              "metadata": {"name": group}, "spec": {"minMember": least}})
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]
        plane.create(PODS.format("default"), *(
            pod(f"{group}-{i}", labels={f"{GROUP}/pod-group": group},
                **({"volumes": volumes} if i == 0 and group == "c" else {})) for i in range(3)))
    live = ("--cluster", "live", "--kubeconfig", plane.kubeconfig)
    plan = plane.path("plan.json")
    run = subprocess.run([GEDGE, "plan", *live, *KUBE[2:], "--out", plan], capture_output=True,
                         text=True)
    need(run.returncode == 0, f"{run}")
    run = subprocess.run([GEDGE, "apply", plan, *live], capture_output=True, text=True)
    need(run.returncode == 1, f"{run}")
    need([bool(node_of(plane, f"{group}-{i}")) for group in "cd" for i in range(3)] ==
         3 * [False] + 3 * [True], f"{run.stdout}")
    need(run.stderr.count("its group c would lack 1 pod\n") == 2, run.stderr)


# Nobody reserved them by hand.
BY_US = {"pv.kubernetes.io/bound-by-controller": "yes"}


def annotated(volume):
    return {**volume, "metadata": {**volume["metadata"], "annotations": {"rack": "3"}}}


@contextlib.contextmanager
def binder(plane):
    """The controller of Kubernetes that binds claims and volumes."""
    controller = subprocess.Popen(
        [os.path.join(plane.binaries, "kube-controller-manager"), "--kubeconfig", plane.kubeconfig,
         "--controllers=persistentvolume-binder", "--leader-elect=false", "--port=0",
         "--secure-port=0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        controller.kill()
        controller.wait()


def lacks_binder(plane):
    if os.path.exists(os.path.join(plane.binaries, "kube-controller-manager")):
        return False
    need(os.environ.get("CI") != "true", "there is no kube-controller-manager")
    print("[skipped] claims: there is no kube-controller-manager")
    return True


def check_volumes(plane):
    """Local disks: each pod on the node of its own, and the controller agrees."""
    if lacks_binder(plane):
        return
    plane.create(CLASSES, {"metadata": {"name": "local"}, "volumeBindingMode": WAITS,
                           "provisioner": "kubernetes.io/no-provisioner"})
    plane.create("/api/v1/nodes", *(node(f"n{i}") for i in range(1, 5)))
    plane.create(VOLUMES, disk("small-1", "n1", "1Gi"), disk("large-2", "n2", "5Gi"),
                 annotated(disk("large-3", "n3", "5Gi")))
    with binder(plane):
        with Scheduler(plane, *KUBE) as scheduler:
            plane.create(CLAIMS, claim("c1", "3Gi"), claim("c2", "3Gi"), claim("c3", "500Mi"),
                         claim("c4", "500Mi"))
            plane.create(PODS.format("default"), *(pod(f"p{i}", volumes=[
                {"name": "data", "persistentVolumeClaim": {"claimName": f"c{i}"}}])
                for i in (1, 2)))
            until(lambda: node_of(plane, "p1") and node_of(plane, "p2"), "the large ones")
            need({node_of(plane, "p1"), node_of(plane, "p2")} == {"n2", "n3"},
                 f"{node_of(plane, 'p1')} {node_of(plane, 'p2')}")
            for i in (1, 2):
                bound = plane.get(f"{CLAIMS}/c{i}")
                need(bound["status"].get("phase") == "Bound", f"{bound['status']}")
                need(bound["spec"]["volumeName"][-1] == node_of(plane, f"p{i}")[-1], f"{bound}")
            notes = {name: plane.get(f"{VOLUMES}/{name}")["metadata"].get("annotations")
                     for name in ("large-2", "large-3")}
            need(notes == {"large-2": BY_US, "large-3": {"rack": "3"} | BY_US}, f"{notes}")
            plane.create(PODS.format("default"), *(pod(f"p{i}", volumes=[
                {"name": "data", "persistentVolumeClaim": {"claimName": f"c{i}"}}])
                for i in (3, 4)))
            until(lambda: node_of(plane, "p3") or node_of(plane, "p4"), "the small one")
            waits = "p4" if node_of(plane, "p3") else "p3"
            until(lambda: "didn't find available persistent volumes" in told(plane, waits),
                  "one to wait for a disk")
            plane.create(VOLUMES, disk("small-4", "n4", "1Gi"))
            until(lambda: node_of(plane, waits) == "n4", "the disk that came")
        need("event=failed" not in scheduler.log(), scheduler.log()[-600:])


def chosen_for(plane, name):
    return plane.get(f"{CLAIMS}/{name}")["metadata"].get("annotations", {}).get(CHOSEN)


def provide(plane, name):
    """As a provisioner does where a claim says that it shall: a volume there, for nobody else."""
    wanted = plane.get(f"{CLAIMS}/{name}")
    volume = disk(f"made-{name}", wanted["metadata"]["annotations"][CHOSEN], "1Gi", "made",
                  claimRef={"kind": "PersistentVolumeClaim", "apiVersion": "v1", "name": name,
                            "namespace": "default", "uid": wanted["metadata"]["uid"]})
    plane.create(VOLUMES, volume)


def check_provided(plane):
    """Volumes that somebody makes where a claim says: the pod waits for them, on a node that is
    chosen anew where the provisioner could not use it."""
    if lacks_binder(plane):
        return
    plane.create(CLASSES, {"metadata": {"name": "made"}, "volumeBindingMode": WAITS,
                           "provisioner": "example.invalid/made"})
    plane.create("/api/v1/nodes", node("n1"), node("n2"))
    with binder(plane), Scheduler(plane, *KUBE) as scheduler:
        for name in ("at-once", "elsewhere"):
            plane.create(CLAIMS, claim(name, "1Gi", "made"))
            plane.create(PODS.format("default"), pod(name, volumes=[
                {"name": "data", "persistentVolumeClaim": {"claimName": name}}]))
            until(lambda name=name: chosen_for(plane, name), "a node to be chosen")
        until(lambda: scheduler.metric('gedge_pending_pods{queue="volumes"}') == 2, "both to wait")
        need(not node_of(plane, "at-once"), "a pod was bound before its claim")
        provide(plane, "at-once")
        until(lambda: node_of(plane, "at-once"), "the pod of the volume that was made")
        need(node_of(plane, "at-once") == chosen_for(plane, "at-once"), "it is elsewhere")
        first = chosen_for(plane, "elsewhere")
        other = "n2" if first == "n1" else "n1"
        plane.patch(f"/api/v1/nodes/{first}", {"spec": {"unschedulable": True}})
        plane.patch(f"{CLAIMS}/elsewhere", {"metadata": {"annotations": {CHOSEN: None}}})
        until(lambda: chosen_for(plane, "elsewhere") == other, "another node")
        need(not node_of(plane, "elsewhere"), "a pod was bound before its claim")
        provide(plane, "elsewhere")
        until(lambda: node_of(plane, "elsewhere") == other, "the pod of the other volume")


if __name__ == "__main__":
    sys.exit(run_checks((check_groups, check_volumes, check_provided, check_apply), failures))
