"""`gedge scale run` where replicas at home are resized where they run: on a real API server with a
real kube-scheduler, behind one that resizes pods as those of 1.33 do."""
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from autoscaler import Autoscaler  # noqa: E402
from checks import Checks  # noqa: E402
from plane import PODS, until  # noqa: E402
from resizing_api import ResizingApi  # noqa: E402
from scale_sites_test import SPACE, Sites, placed, playing, requests_of, spec_of  # noqa: E402
from scaled import DEPLOYMENTS  # noqa: E402

UP = {"resource": "cpu", "step": "150m", "most": "900m"}
HASH = "5b8"
checks = Checks()
need = checks.need


class Kept(Sites):
    """Pods stay as large as somebody makes them. Of one that is being resized nothing is known."""

    def __init__(self, plane, space):
        super().__init__(plane, space)
        self.lock = threading.Lock()

    @staticmethod
    def is_old(found, template):
        return False

    def follow(self, one):
        with self.lock:
            super().follow(one)


def application(name, zone):
    """As a Deployment of which a ReplicaSet makes the pods: they say so."""
    made = placed(name, zone)
    template = made["spec"]["template"]
    template["metadata"]["labels"] = {"app": name, "pod-template-hash": HASH}
    template["metadata"]["ownerReferences"] = [{
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{name}-{HASH}", "uid": name,
        "controller": True}]
    template["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "600m"},
                                                      "limits": {"cpu": "1"}}
    return made


class Home:
    """An application of which home has room for one pod on each of its nodes, but a larger one."""

    def __init__(self, scene, api):
        self.scene, self.api = scene, api
        document = spec_of(workloads={"cloud": "big-cloud"}, up=UP)
        document["spec"]["target"]["name"] = "big"
        document["spec"]["metrics"] = [{"external": "requests", "average": "100"}]
        self.flags = ("-f", scene.write("in-place.json", document), *scene.flags[2:])

    def asks(self, replicas):
        self.scene.asked = {"edge": int(100 * replicas)}

    def pods(self):
        return [one for one in self.api.pods(SPACE).values()
                if one["metadata"]["labels"]["app"] == "big" and
                one["status"]["phase"] == "Running"]

    def now(self):
        """What each pod at home requests, and how many there are in the cloud."""
        far = self.api.get(DEPLOYMENTS.format(SPACE) + "/big-cloud")["spec"]["replicas"]
        return sorted(requests_of(one)["requests"]["cpu"] for one in self.pods()), far

    def comes_to(self, sizes, far):
        until(lambda: self.now() == (sizes, far), f"{self.now()} to be {(sizes, far)}")


def check_up_and_down(home):
    """Out, up, over, and back in reverse; the workload itself stays as it was declared."""
    home.asks(3)
    with Autoscaler(home.api, *home.flags) as gedge:
        home.comes_to(["900m", "900m"], 0)
        need({requests_of(one)["limits"]["cpu"] for one in home.pods()} == {"1500m"},
             f"limits do not follow: {home.pods()}")
        home.asks(5)
        home.comes_to(["900m", "900m"], 2)
        gone = home.pods()[0]["metadata"]["name"]
        home.api.delete(PODS.format(SPACE) + "/" + gone)
        until(lambda: len([name for name, _ in home.api.resized]) >= 3, "one that came to grow")
        home.comes_to(["900m", "900m"], 2)
        home.asks(0.9)
        home.comes_to(["600m"], 0)
        log = gedge.log()
    need({requests_of(one)["limits"]["cpu"] for one in home.pods()} == {"1"}, f"{home.pods()}")
    need("event=resized autoscaler=shop/web pod=big-" in log, log[-900:])
    big = home.api.get(DEPLOYMENTS.format(SPACE) + "/big")
    need(requests_of(big["spec"]["template"])["requests"] == {"cpu": "600m"}, f"{big}")
    need("gedge.io/grown" not in big["metadata"].get("annotations", {}), f"{big}")


def check_refused(home):
    """Half of them are larger, and the server refuses the others: each counts as it is."""
    home.asks(2)
    with Autoscaler(home.api, *home.flags) as gedge:
        home.comes_to(["600m", "600m"], 0)
        home.api.refuses = {max(one["metadata"]["name"] for one in home.pods())}
        home.asks(3)
        home.comes_to(["600m", "900m"], 1)
        gedge.look(4)
        need(home.now() == (["600m", "900m"], 1), f"{home.now()}")
        log = gedge.log()
    need(log.count("event=keeps-size") == 1 and "may not change" in log, log[-900:])
    home.api.refuses = set()


def main():
    with playing(application("big", "edge"), application("big-cloud", "cloud")) as scene, \
            Kept(scene.plane, SPACE) as kept, \
            ResizingApi(scene.plane, kept.lock, kept.run_pod) as api:
        checks.run((check_up_and_down, check_refused), Home(scene, api))
    return checks.report()


if __name__ == "__main__":
    sys.exit(main())
