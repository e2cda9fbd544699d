"""The metrics APIs of a cluster, served by a test behind an API server that aggregates:
metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io."""
import collections
import datetime
import http.client
import json
import urllib.parse

from answering import Answering
from plane import certificate, until

SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
USAGE, CUSTOM, EXTERNAL = (f"{name}metrics.k8s.io" for name in ("", "custom.", "external."))
VERSION = "v1beta1"
RESOURCES = {  # of discovery
    USAGE: {"name": "pods", "kind": "PodMetrics"},
    CUSTOM: {"name": "pods/any", "kind": "MetricValueList"},
    EXTERNAL: {"name": "any", "kind": "ExternalMetricValueList"}}

# What is asked: `kind` and `name` say of which object (`name` "*": of pods), where the group does
# so; `selector` is that of pods, of the metric for EXTERNAL, as label: value.
Question = collections.namedtuple("Question", "group space kind name metric selector")


def time_text(ago=0):
    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=ago)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def usage_item(space, pod, usage, ago=0):
    """`usage`: of its one container."""
    return {"metadata": {"name": pod, "namespace": space}, "timestamp": time_text(ago),
            "window": "15s", "containers": [{"name": "c", "usage": usage}]}


def custom_item(space, kind, name, metric, value, ago=0):
    return {"describedObject": {"kind": kind, "namespace": space, "name": name,
                                "apiVersion": "v1"},
            "metricName": metric, "timestamp": time_text(ago), "value": value}


def external_item(metric, labels, value, ago=0):
    return {"metricName": metric, "metricLabels": labels, "timestamp": time_text(ago),
            "value": value}


def question_of(target):
    """None: the group itself is asked for."""
    path, _, query = target.partition("?")
    parts = [urllib.parse.unquote(part) for part in path.split("/")]
    group, rest = parts[2], parts[4:]  # "", "apis", group, version
    if not rest:
        return None
    options = urllib.parse.parse_qs(query)
    selector = dict(pair.split("=", 1) for pair in options.get("labelSelector", [""])[0].split(",")
                    if "=" in pair)
    space, rest = rest[1], rest[2:]
    if group == USAGE:
        return Question(group, space, "pods", "*", "", selector)
    if group == EXTERNAL:
        return Question(group, space, "", "", rest[0], selector)
    return Question(group, space, rest[0], rest[1], rest[2], selector)


class MetricsAdapter:
    """`items(question)`: what there is, or None, where no such metric is known."""

    def __init__(self, plane, items, groups=(USAGE, CUSTOM, EXTERNAL)):
        self.plane, self.items = plane, items
        certificate(plane.path("metrics"))
        self.server = Answering(self.reply, tls=plane.path("metrics"))
        self.port = self.server.port
        plane.create("/api/v1/namespaces/kube-system/services", {
            "metadata": {"name": "metrics"},
            "spec": {"type": "ExternalName", "externalName": "localhost"}})
        for group in groups:
            plane.create(SERVICES, {
                "metadata": {"name": f"{VERSION}.{group}"},
                "spec": {"group": group, "version": VERSION, "groupPriorityMinimum": 100,
                         "versionPriority": 100, "insecureSkipTLSVerify": True,
                         "service": {"namespace": "kube-system", "name": "metrics",
                                     "port": self.port}}})
        for group in groups:
            until(lambda of=group: self.is_reached(of), group)

    def is_reached(self, group):
        try:
            status, document = self.plane.call("GET", f"/apis/{group}/{VERSION}")
        except (OSError, http.client.HTTPException):
            return False
        return status == 200 and document.get("kind") == "APIResourceList"

    def stop(self):
        """Connections that are kept end, too."""
        if self.server:
            self.server.stop()
        self.server = None

    def start(self):
        self.server = Answering(self.reply, self.port, self.plane.path("metrics"))

    def reply(self, target, _):
        question = question_of(target)
        if question is None:
            group = target.split("?")[0].split("/")[2]
            answer = {"kind": "APIResourceList", "apiVersion": "v1",
                      "groupVersion": f"{group}/{VERSION}",
                      "resources": [{"namespaced": True, "singularName": "",
                                     "verbs": ["get", "list"], **RESOURCES[group]}]}
            return 200, "application/json", json.dumps(answer).encode()
        items = self.items(question)
        if isinstance(items, bytes):
            return 200, "application/json", items
        if items is None:
            answer = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                      "reason": "NotFound", "message": "there is no such metric"}
            return 404, "application/json", json.dumps(answer).encode()
        kind = "PodMetricsList" if question.group == USAGE else RESOURCES[question.group]["kind"]
        answer = {"kind": kind, "apiVersion": f"{question.group}/{VERSION}", "metadata": {},
                  "items": items}
        return 200, "application/json", json.dumps(answer).encode()
