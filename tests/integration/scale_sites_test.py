"""`gedge scale run` with replicas on two sites, each with a Deployment of its own, on a real API
server with a real kube-scheduler: first out at home while the planner finds room, then over to the
other site; back from there first; nothing moves where a metric is not known. By demand, they move
to where those are who ask. With `up`, those at home are larger before any is elsewhere."""
import contextlib
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from autoscaler import Autoscaler  # noqa: E402
from checks import Checks  # noqa: E402
from metrics_adapter import (EXTERNAL, USAGE, MetricsAdapter, external_item,  # noqa: E402
                             time_text, usage_item)
from plane import PODS, KubeScheduler, Plane, node, pod, until  # noqa: E402
from plane_watch import PlaneWatch  # noqa: E402
from scaled import DEPLOYMENTS, Workloads, deployment  # noqa: E402

GEDGE = os.environ["GEDGE"]
SPACE = "shop"
ZONE = "topology.kubernetes.io/zone"
COST = "controller.kubernetes.io/pod-deletion-cost"
ROOM_AT_HOME = 4  # replicas: two nodes, each with a core
RTT = {"cloud-1": 20_000, "cloud-2": 30_000}  # microseconds from home
UP = {"resource": "cpu", "step": "150m", "most": "900m", "through": "template"}
checks = Checks()
need = checks.need


class Sites(Workloads):
    """Pods run when the scheduler has bound them; whose deletion costs least, leaves first. Those
    of another template go one after the other, before the one in their place comes."""

    def follow(self, one):
        name, wanted = one["metadata"]["name"], one["spec"]["replicas"]
        pods = [found for key, found in self.plane.pods(self.space).items()
                if key.rsplit("-", 1)[0] == name]
        pods.sort(key=lambda found: (
            -int(found["metadata"].get("annotations", {}).get(COST, 0)),
            "nodeName" not in found["spec"], found["metadata"]["creationTimestamp"]))
        numbers = {int(found["metadata"]["name"].rsplit("-", 1)[1]) for found in pods}
        free = (number for number in range(10_000) if number not in numbers)
        template = one["spec"]["template"]
        for _ in range(wanted - len(pods)):
            self.plane.create(PODS.format(self.space), {
                "metadata": {"name": f"{name}-{next(free)}", **template["metadata"]},
                "spec": {"terminationGracePeriodSeconds": 0, **template["spec"]}})
        old = [found for found in pods[:wanted] if self.is_old(found, template)]
        if len(pods) == wanted and all("nodeName" in found["spec"] for found in pods):
            pods = [found for found in pods if found not in old[:1]]
            for gone in old[:1]:
                self.plane.delete(PODS.format(self.space) + "/" + gone["metadata"]["name"])
        for gone in pods[wanted:]:
            self.plane.delete(PODS.format(self.space) + "/" + gone["metadata"]["name"])
        for here in pods[:wanted]:
            if "nodeName" in here["spec"] and here["status"]["phase"] == "Pending":
                self.run_pod(here["metadata"]["name"])
        status = {"replicas": wanted, "updatedReplicas": wanted - len(old),
                  "observedGeneration": one["metadata"]["generation"]}
        if any(one.get("status", {}).get(key, 0) != value for key, value in status.items()):
            path = DEPLOYMENTS.format(self.space) + f"/{name}/status"
            self.plane.patch(path, {"status": status})

    @staticmethod
    def is_old(found, template):
        return requests_of(found) != requests_of(template)

    def run_pod(self, name):
        old = time_text(3600)
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": old}
        self.plane.patch(PODS.format(self.space) + f"/{name}/status", {
            "status": {"phase": "Running", "startTime": old, "conditions": [ready]}})


def requests_of(made):
    return made["spec"]["containers"][0]["resources"]


def placed(name, zone):
    made = deployment(name, replicas=0 if zone == "cloud" else 1)
    made["spec"]["template"]["spec"]["nodeSelector"] = {ZONE: zone}
    return made


def spec_of(**sites):
    return {"apiVersion": "gedge.io/v1alpha1", "kind": "Autoscaler",
            "metadata": {"name": "web", "namespace": SPACE},
            "spec": {"target": {"kind": "Deployment", "name": "web"}, "min": 1, "max": 7,
                     "metrics": [{"resource": "cpu", "average": "100m"}],
                     "behavior": {
                         "scaleUp": {"policies": [
                             {"type": "Percent", "value": 900, "periodSeconds": 1}]},
                         "scaleDown": {"stabilizationWindowSeconds": 2, "policies": [
                             {"type": "Percent", "value": 100, "periodSeconds": 1}]}},
                     "sites": {"order": ["edge", "cloud"], "workloads": {"cloud": "web-cloud"},
                               "overAfterSeconds": 1, "returnAfterSeconds": 2, **sites}}}


class Scene:
    def __init__(self, plane):
        self.plane, self.load, self.replicas, self.series = plane, 70, {}, []
        self.asked = {}  # requests by the zone from where they come
        self.spec = self.write("sites.json", spec_of())
        self.watch = PlaneWatch(plane, DEPLOYMENTS.format(SPACE), self.note)
        with open(plane.path("rtt.csv"), "w") as file:
            file.write("from,to,rtt_us\nedge-1,edge-2,400\ncloud-1,cloud-2,500\n")
            for far, rtt in RTT.items():
                file.writelines(f"edge-{i},{far},{rtt}\n" for i in (1, 2))
        self.flags = ("-f", self.spec, "--rtt", plane.path("rtt.csv"))

    def write(self, name, document):
        with open(self.plane.path(name), "w") as file:
            json.dump(document, file)
        return self.plane.path(name)

    def note(self, one):
        self.replicas[one["metadata"]["name"]] = one["spec"]["replicas"]
        self.series.append(self.now())

    def now(self):
        return self.replicas.get("web", 0), self.replicas.get("web-cloud", 0)

    def items(self, question):
        """All pods of the application that run share the load."""
        if question and question.group == EXTERNAL:
            return [external_item(question.metric, {"from": zone}, str(count))
                    for zone, count in self.asked.items()]
        mine = [name for name, one in self.plane.pods(SPACE).items()
                if name.startswith("web-") and one["status"]["phase"] == "Running"]
        share = math.ceil(1e6 * self.load / max(len(mine), 1))
        return [usage_item(SPACE, name, {"cpu": f"{share}n"}) for name in mine]

    def want(self, replicas):
        """Of 100m each; the amounts are rounded up on their way."""
        self.load = 100 * replicas - 30

    def comes_to(self, home, cloud, what):
        until(lambda: self.now() == (home, cloud), f"{what}: {self.now()} is not {(home, cloud)}")


def once(plane, *flags):
    return subprocess.run([GEDGE, "scale", "run", "--once", "--dry-run", "--kubeconfig",
                           plane.kubeconfig, *flags], capture_output=True, text=True)


def check_declared(scene):
    """What a live cluster cannot do is said."""
    for sites, words in (({"workloads": None}, "site 'cloud' has no workload"),
                         ({"up": UP}, "metrics of all of them together"),
                         ({"up": {**UP, "resource": "pods", "step": "1", "most": "6"}},
                          "do not grow by pods"),
                         ({"choose": "demand"}, "from where a live cluster is asked"),
                         ({"workloads": {"clod": "x"}}, "did you mean cloud?"),
                         ({"workloads": {"edge": "x"}}, "is home"),
                         ({"workloads": {"cloud": "web"}}, "another autoscaler scales")):
        run = once(scene.plane, "-f", scene.write("bad.json", spec_of(**sites)))
        need(run.returncode == 3 and words in run.stderr, f"{sites}: {run}")
    missing = scene.write("missing.json", spec_of(workloads={"cloud": "web-clod"}))
    run = once(scene.plane, "-f", missing)
    need(run.returncode == 1 and "event=no-target autoscaler=shop/web" in run.stderr, f"{run}")
    run = once(scene.plane, *scene.flags, "--as", "nobody")
    rights = "`gedge manifests --rights-only --mode autoscaler --mode sites`"
    need(run.returncode == 4 and f"\n  fix: grant what {rights} prints\n" in run.stderr, f"{run}")


def check_dry_run(scene):
    """Out as far as there is room, the rest over; and nothing is written."""
    scene.want(6)
    until(lambda: scene.items(None), "a pod that runs")
    run = once(scene.plane, *scene.flags)
    need("workload=Deployment/web from=1 to=4" in run.stderr, run.stderr)
    need("workload=Deployment/web-cloud from=0 to=2" in run.stderr, run.stderr)
    need(scene.now() == (1, 0), f"{scene.now()}")
    near = once(scene.plane, "-f", scene.write("near.json", spec_of(budget="10ms")), "--rtt",
                scene.plane.path("rtt.csv"))
    need("web-cloud" not in near.stderr and "event=no-place" in near.stderr, near.stderr)


def check_over_and_back(scene):
    """Home first, then the cloud; from there they leave first."""
    scene.want(2)
    with Autoscaler(scene.plane, *scene.flags, "--leader-elect") as gedge:
        scene.comes_to(2, 0, "all at home")
        scene.want(6)
        scene.comes_to(ROOM_AT_HOME, 2, "the rest in the cloud")
        need(max(home for home, _ in scene.series) <= ROOM_AT_HOME, f"{scene.series}")
        run = subprocess.run([GEDGE, "scale", "explain", f"{SPACE}/web", "--cluster", "live",
                              "--kubeconfig", scene.plane.kubeconfig, "-f", scene.spec, "-o",
                              "json"], capture_output=True, text=True)
        need(run.returncode == 0 and json.loads(run.stdout)["currentReplicas"] == 6, f"{run}")
        scene.series.clear()
        scene.want(3)
        scene.comes_to(3, 0, "back")
        for home, cloud in scene.series:
            need(cloud == 0 or home == ROOM_AT_HOME, f"home went first: {scene.series}")
    need(gedge.process.returncode == 0, gedge.log()[-900:])
    need("workload=Deployment/web-cloud" in gedge.log(), gedge.log()[-900:])


def check_costs(scene):
    """Before some leave a site, its pods say how far they are; the farthest one leaves."""
    scene.want(7)
    with Autoscaler(scene.plane, *scene.flags):
        scene.comes_to(ROOM_AT_HOME, 3, "three in the cloud")
        until(lambda: len(nodes_of(scene)) == 3, "pods on both nodes of the cloud")
        need(set(nodes_of(scene)) == set(RTT), f"{nodes_of(scene)}")
        scene.want(6)
        scene.comes_to(ROOM_AT_HOME, 2, "two in the cloud")
        until(lambda: len(nodes_of(scene)) == 2, "one of them to leave")
        for one in in_cloud(scene):
            notes = one["metadata"].get("annotations", {})
            need(notes.get(COST) == str(-RTT[one["spec"]["nodeName"]]), f"{notes}")
        need(nodes_of(scene).count("cloud-2") <= 1, f"a nearer one left: {nodes_of(scene)}")


def in_cloud(scene):
    return [one for name, one in scene.plane.pods(SPACE).items()
            if name.startswith("web-cloud-") and "nodeName" in one["spec"]]


def nodes_of(scene):
    return [one["spec"]["nodeName"] for one in in_cloud(scene)]


def check_frozen(scene):
    """Without the metrics nothing moves, not even what could come back."""
    scene.want(6)
    with Autoscaler(scene.plane, *scene.flags) as gedge:
        scene.comes_to(ROOM_AT_HOME, 2, "two in the cloud")
        gedge.look(3)
        scene.adapter.stop()
        scene.want(1)
        until(lambda: gedge.metric("gedge_frozen_autoscalers") == 1, "it to be seen")
        gedge.look(6)
        need(scene.now() == (ROOM_AT_HOME, 2), f"{scene.now()}")
        scene.adapter.start()
        scene.comes_to(1, 0, "all of them back")


def check_full_home(scene):
    """Somebody else takes the room at home: what waits there goes over."""
    path = PODS.format(SPACE)
    until(lambda: len(scene.items(None)) == 1, "one that runs")
    used = [one["spec"]["nodeName"] for one in scene.plane.pods(SPACE).values()]
    scene.plane.create(path, pod("other-0", cpu="900m", scheduler="default-scheduler",
                                 nodeSelector={"kubernetes.io/hostname":
                                               "edge-1" if "edge-2" in used else "edge-2"}))
    until(lambda: "nodeName" in scene.plane.pods(SPACE)["other-0"]["spec"], "the other one")
    scene.want(4)
    with Autoscaler(scene.plane, *scene.flags) as gedge:
        scene.comes_to(2, 2, "two in the cloud")
        # And when they leave, there is room again.
        scene.plane.delete(path + "/other-0")
        scene.comes_to(4, 0, "all at home")
    need("event=no-place" not in gedge.log(), gedge.log()[-900:])


def check_demand(scene):
    """Replicas follow those who ask to their site, and who moves is there before it leaves."""
    document = spec_of(choose="demand", demandLabel="from")
    document["spec"]["metrics"] = [{"external": "requests", "average": "100"}]
    flags = ("-f", scene.write("demand.json", document), *scene.flags[2:])
    scene.asked = {"edge": 400}
    with Autoscaler(scene.plane, *flags) as gedge:
        scene.comes_to(4, 0, "all at home")
        scene.series.clear()
        for at_home, far in ((1, 3), (3, 1)):
            scene.asked = {"edge": 100 * at_home, "cloud": 100 * far}
            scene.comes_to(at_home, far, f"{scene.asked}")
        need(min(map(sum, scene.series)) >= 4, f"some left first: {scene.series}")
        scene.asked = {"moon": 600}
        until(lambda: "no value says by its label 'from'" in gedge.log(), "it to be told")
        need(scene.now() == (3, 1), f"{scene.now()}")


RBAC = "/apis/rbac.authorization.k8s.io/v1"
PATHS = {"ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
         "Role": RBAC + "/namespaces/{}/roles", "RoleBinding": RBAC + "/namespaces/{}/rolebindings",
         "ClusterRole": RBAC + "/clusterroles", "ClusterRoleBinding": RBAC + "/clusterrolebindings"}
ACCOUNT = "system:serviceaccount:gedge-system:gedge-autoscaler"


def grant(plane):
    """The rights that `gedge manifests` prints for that, and no others."""
    modes = ("autoscaler", "custom-metrics", "sites", "growth")
    run = subprocess.run([GEDGE, "manifests", "-o", "json", "--rights-only",
                          *(word for mode in modes for word in ("--mode", mode))],
                         capture_output=True, text=True, check=True)
    for thing in json.loads(run.stdout)["items"]:
        if thing["kind"] in PATHS:
            plane.create(PATHS[thing["kind"]].format(thing["metadata"].get("namespace")), thing)

    def is_known():
        _, answer = plane.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
            "spec": {"user": ACCOUNT, "groups": ["system:authenticated"], "resourceAttributes": {
                "namespace": SPACE, "group": "apps", "resource": "deployments",
                "verb": "patch"}}})
        return answer["status"]["allowed"]
    until(is_known, "the rights")


class Growth:
    """An application of which home has room for one pod on each of its nodes, but a larger one."""

    def __init__(self, scene):
        self.plane, self.state, self.series = scene.plane, {"big": None, "big-cloud": None}, []
        path = DEPLOYMENTS.format(SPACE)
        for name in ("web", "web-cloud"):
            self.plane.delete(f"{path}/{name}")
        for name in self.plane.pods(SPACE):
            self.plane.delete(PODS.format(SPACE) + "/" + name)
        for name, zone in (("big", "edge"), ("big-cloud", "cloud")):
            made = placed(name, zone)
            made["spec"]["template"]["spec"]["containers"][0]["resources"] = {
                "requests": {"cpu": "600m"}, "limits": {"cpu": "1"}}
            made["spec"]["strategy"] = self.strategy(1)
            self.plane.create(path, made)
        document = spec_of(workloads={"cloud": "big-cloud"}, up=UP)
        document["spec"]["target"]["name"] = "big"
        document["spec"]["metrics"] = [{"external": "requests", "average": "100"}]
        self.flags = ("-f", scene.write("growth.json", document), *scene.flags[2:])
        self.rights = ("--as", ACCOUNT)
        grant(self.plane)
        self.watch = PlaneWatch(self.plane, path, self.note)

    @staticmethod
    def strategy(unavailable):
        return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": unavailable,
                                                           "maxSurge": 1 - unavailable}}

    def note(self, one):
        name = one["metadata"]["name"]
        if name not in self.state:
            return
        made = requests_of(one["spec"]["template"])
        self.state[name] = (one["spec"]["replicas"], made["requests"]["cpu"])
        self.notes = one["metadata"].get("annotations", {}) if name == "big" else self.notes
        if self.last != self.now():
            self.last = self.now()
            self.series.append(self.last)

    notes, last = {}, None

    def now(self):
        """Replicas at home, what each requests, replicas in the cloud."""
        home, far = self.state["big"] or (None, None), self.state["big-cloud"] or (None, None)
        return (*home, far[0])

    def comes_to(self, *state):
        until(lambda: self.now() == state, f"{self.now()} to be {state}: {self.series}")


def check_growth(scene):
    """Out, up, over, and back in reverse; what a process knows of it is in the cluster."""
    growth = Growth(scene)
    scene.asked = {"edge": 300}
    try:
        until(lambda: len(in_zone(scene, "big")) == 1, "a pod at home")
        run = once(scene.plane, *growth.flags)
        need("event=would-resize autoscaler=shop/web workload=Deployment/big resource=cpu "
             "from=600m to=900m" in run.stderr, run.stderr)
        need(growth.now() == (1, "600m", 0), f"{growth.now()}")
        with Autoscaler(scene.plane, *growth.flags, *growth.rights) as gedge:
            growth.comes_to(2, "900m", 0)
            need(growth.notes.get("gedge.io/grown") ==
                 "container=c resource=cpu base=600m limit=1 now=900m now-limit=1500m",
                 f"{growth.notes}")
            until(lambda: [requests_of(one)["requests"]["cpu"]
                           for one in in_zone(scene, "big")] == ["900m"] * 2, "larger pods")
            scene.asked = {"edge": 500}
            growth.comes_to(2, "900m", 2)
            need(not any(far for home, cpu, far in growth.series if cpu == "600m"),
                 f"over before up: {growth.series}")
        need("event=resized autoscaler=shop/web" in gedge.log(), gedge.log()[-900:])
        need("forbidden" not in gedge.log(), gedge.log()[-900:])
        growth.series.clear()
        with Autoscaler(scene.plane, *growth.flags, *growth.rights) as gedge:
            gedge.look(4)
            need(not growth.series, f"another process changes it: {growth.series}")
            scene.asked = {"edge": 90}
            growth.comes_to(1, "600m", 0)
            need(growth.series == [(2, "900m", 0), (2, "600m", 0), (1, "600m", 0)],
                 f"{growth.series}")
            need("gedge.io/grown" not in growth.notes, f"{growth.notes}")
        made = scene.plane.get(DEPLOYMENTS.format(SPACE) + "/big")["spec"]["template"]
        need(requests_of(made) == {"requests": {"cpu": "600m"}, "limits": {"cpu": "1"}}, f"{made}")
        check_no_growth(scene, growth)
    finally:
        growth.watch.close()


def check_no_growth(scene, growth):
    """Where a pod would come before one leaves, there is no room for it: the rest goes over."""
    path = DEPLOYMENTS.format(SPACE) + "/big"
    scene.plane.patch(path, {"spec": {"strategy": growth.strategy(0)}})

    def is_seen():
        one = scene.plane.get(path)
        return one["status"]["observedGeneration"] == one["metadata"]["generation"]
    until(is_seen, "its controller to see that")
    scene.asked = {"edge": 300}
    with Autoscaler(scene.plane, *growth.flags, *growth.rights) as gedge:
        growth.comes_to(2, "600m", 1)
        gedge.look(4)
        need(gedge.log().count("event=keeps-size") == 1 and "maxUnavailable is 0" in gedge.log(),
             gedge.log()[-900:])


def in_zone(scene, app):
    return [one for one in scene.plane.pods(SPACE).values()
            if one["metadata"]["labels"] == {"app": app} and one["status"]["phase"] == "Running"]


@contextlib.contextmanager
def playing(*applications):
    """The scene of a plane with two sites of two nodes each, on which these are."""
    zones = {"edge-1": "edge", "edge-2": "edge", "cloud-1": "cloud", "cloud-2": "cloud"}
    with Plane(aggregates=True) as plane:
        plane.create("/api/v1/namespaces", {"metadata": {"name": SPACE}},
                     {"metadata": {"name": "gedge-system"}})
        plane.create("/api/v1/nodes", *(node(name, cpu="1", labels={ZONE: zone})
                                        for name, zone in zones.items()))
        plane.create(DEPLOYMENTS.format(SPACE), *applications)
        scene = Scene(plane)
        scene.adapter = MetricsAdapter(plane, scene.items, (USAGE, EXTERNAL))
        try:
            with KubeScheduler(plane):
                yield scene
        finally:
            scene.adapter.stop()
            scene.watch.close()


def main():
    with playing(placed("web", "edge"), placed("web-cloud", "cloud")) as scene, \
            Sites(scene.plane, SPACE):
        checks.run((check_declared, check_dry_run, check_over_and_back, check_costs,
                    check_frozen, check_full_home, check_demand, check_growth), scene)
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
