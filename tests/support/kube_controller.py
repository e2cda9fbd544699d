"""The controller of HorizontalPodAutoscalers of a real kube-controller-manager beside a plane."""
import os
import subprocess

from metrics_adapter import CUSTOM, EXTERNAL, USAGE
from plane import LONGEST

RIGHTS = "/apis/rbac.authorization.k8s.io/v1"
AUTOSCALERS = "horizontalpodautoscalers"
EVERYWHERE = [{"apiGroups": ["", "autoscaling"], "resources": ["pods", AUTOSCALERS],
               "verbs": ["get", "list", "watch"]}]
IN_ITS_NAMESPACE = [
    {"apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["get", "update"]},
    {"apiGroups": ["autoscaling"], "resources": [AUTOSCALERS + "/status"], "verbs": ["update"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch", "update"]},
    {"apiGroups": [USAGE, CUSTOM, EXTERNAL], "resources": ["*"], "verbs": ["get", "list"]}]
A_DAY = 86_400  # seconds


def program_of(plane):
    """Empty: that control plane has none."""
    path = os.path.join(plane.binaries, "kube-controller-manager")
    return path if os.access(path, os.X_OK) else ""


class KubeController:
    """It looks at every HorizontalPodAutoscaler of its server, and there is no flag against that.
    So it runs as a service account that may read all of them, but may ask for scales and metrics
    and write in the namespace `space` alone: elsewhere it asks for the scale, is refused, and is
    done with it. Without `space`, it may do all."""

    def __init__(self, plane, space, *flags):
        self.kubeconfig = plane.kubeconfig
        if space:
            self.kubeconfig = plane.path(f"controller-{space}.kubeconfig")
            self.give_rights(plane, space)
        self.log_path = plane.path(f"controller-{space}.log")
        self.command = [
            program_of(plane), "--kubeconfig=" + self.kubeconfig, "--leader-elect=false",
            "--controllers=horizontalpodautoscaling", "--port=0", "--secure-port=0", *flags]
        self.process = None

    def give_rights(self, plane, space):
        account = f"/api/v1/namespaces/{space}/serviceaccounts"
        plane.create(account, {"metadata": {"name": "controller"}})
        subject = {"kind": "ServiceAccount", "namespace": space, "name": "controller"}
        for kind, within, rules in (("Role", f"/namespaces/{space}", IN_ITS_NAMESPACE),
                                    ("ClusterRole", "", EVERYWHERE)):
            plane.create(f"{RIGHTS}{within}/{kind.lower()}s",
                         {"metadata": {"name": "controller-" + space}, "rules": rules})
            plane.create(f"{RIGHTS}{within}/{kind.lower()}bindings", {
                "metadata": {"name": "controller-" + space}, "subjects": [subject],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind,
                            "name": "controller-" + space}})
        [asked] = plane.create(account + "/controller/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": A_DAY}})
        with open(plane.kubeconfig) as file:
            text = file.read().replace(plane.token, asked["status"]["token"])
        with open(self.kubeconfig, "w", opener=lambda path, how: os.open(path, how, 0o600)) as file:
            file.write(text)

    def start(self):
        with open(self.log_path, "a") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log(self):
        with open(self.log_path) as file:
            return file.read()
