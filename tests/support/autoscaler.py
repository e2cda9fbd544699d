"""`gedge scale run` beside a plane, and the objects that it scales by."""
from plane import Daemon, until

AUTOSCALERS = "/apis/autoscaling/{}/namespaces/{}/horizontalpodautoscalers"
FAST = ("--sync-period", "1s", "--downscale-stabilization", "4s", "--max-age", "10s")


def autoscaler(name, *metrics, most=8):
    """A HorizontalPodAutoscaler of the Deployment of that name; by half of its cpu."""
    cpu = {"type": "Resource", "resource": {
        "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
    return {"metadata": {"name": name},
            "spec": {"minReplicas": 1, "maxReplicas": most,
                     "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment",
                                        "name": name},
                     "metrics": list(metrics) or [cpu]}}


class Autoscaler(Daemon):
    def __init__(self, plane, *flags, pace=FAST, waits_for="event=synced"):
        super().__init__(plane, "scale", "run", "--kubeconfig", plane.kubeconfig, *pace, *flags,
                         waits_for=waits_for)

    def leads(self):
        log = self.log()
        return self.process.poll() is None and \
            log.rfind("event=leading") > log.rfind("event=standby")

    def look(self, times=6):
        """Waits for so many looks from now on."""
        before = self.metric("gedge_scale_looks_total")
        until(lambda: self.metric("gedge_scale_looks_total") >= before + times, "looks")
