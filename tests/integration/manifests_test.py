"""`gedge manifests`: what is printed is confined, and allows nothing that nobody uses."""
import configparser
import itertools
import json
import os
import subprocess
import sys

import yaml

GEDGE = os.environ["GEDGE"]
MODES = ("scheduler", "preemption", "volumes", "repair", "extender", "prober", "hint", "publish",
         "reader", "autoscaler", "custom-metrics", "sites", "growth")
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def manifests(*flags):
    run = subprocess.run([GEDGE, "manifests", *flags], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"{flags}: {run.stderr}")
    return run.stdout


def objects(*flags):
    return json.loads(manifests("-o", "json", *flags))["items"]


def pods_of(things):
    return [(thing, thing["spec"]["template"]["spec"]) for thing in things
            if thing["kind"] in ("Deployment", "DaemonSet")]


def help_of(words):
    """Of the command that a command line begins with."""
    names = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    return subprocess.run([GEDGE, *names, "--help"], capture_output=True, text=True,
                          check=True).stdout


def check_forms():
    for mode in MODES:
        documents = list(yaml.safe_load_all(manifests("--mode", mode)))
        need(documents == objects("--mode", mode), f"{mode}: YAML and JSON differ")
        names = [(d["kind"], d["metadata"].get("namespace"), d["metadata"]["name"])
                 for d in documents]
        need(len(names) == len(set(names)), f"{mode}: twice the same name: {names}")
        need(names[0] == ("Namespace", None, "gedge-system"), f"{mode}: {names[0]}")
        few = objects("--mode", mode, "--rights-only")
        kinds = {"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role",
                 "RoleBinding"}
        need({thing["kind"] for thing in few} <= kinds, f"{mode}: rights are more than rights")
    moved = objects("--mode", "scheduler", "-n", "edge", "--image", "site/gedge:1")
    elsewhere = [(thing["kind"], thing["metadata"]["name"]) for thing in moved
                 if thing["metadata"].get("namespace", "edge") != "edge"]
    need(elsewhere == [("Role", "gedge-scheduler-latency"),
                       ("RoleBinding", "gedge-scheduler-latency")], f"{elsewhere}")
    spaces = [thing["metadata"]["name"] for thing in moved if thing["kind"] == "Namespace"]
    need(spaces == ["edge", "gedge-system"], f"{spaces}")
    subjects = {subject["namespace"] for thing in moved for subject in thing.get("subjects", [])}
    need(subjects == {"edge"}, f"{subjects}")
    pod = pods_of(moved)[0][1]
    need(pod["containers"][0]["image"] == "site/gedge:1", "another image")
    need("edge/gedge-scheduler" in pod["containers"][0]["args"], "the lease lies elsewhere")
    odd = yaml.safe_load_all(manifests("--mode", "scheduler", "--scheduler-name", "yes: 'no'"))
    need(any("yes: 'no'" in pod["containers"][0]["args"] for _, pod in pods_of(odd)), "quoting")


def check_rights():
    for mode in MODES:
        for thing in objects("--mode", mode, *(["--bind"] if mode == "extender" else [])):
            for rule in thing.get("rules", []):
                words = rule["apiGroups"] + rule["resources"] + rule["verbs"]
                need(mode == "custom-metrics" or "*" not in "".join(words),
                     f"{mode}: a wildcard: {rule}")
                need(not {"secrets", "pods/exec", "serviceaccounts/token"} & set(words),
                     f"{mode}: {rule}")
                need(not {"impersonate", "escalate", "bind", "deletecollection"} &
                     set(rule["verbs"]), f"{mode}: {rule}")
                changes = {"create", "update", "patch", "delete"} & set(rule["verbs"])
                need(mode == "hint" or not (changes and "nodes" in rule["resources"]),
                     f"{mode}: {rule}")
    kinds = [thing["kind"] for thing in objects("--mode", "prober")]
    need(not any("Role" in kind for kind in kinds), f"the prober has rights: {kinds}")


def check_confinement():
    things = objects(*(word for mode in MODES for word in ("--mode", mode)))
    found = pods_of(things)
    need(len(found) == 4, f"{len(found)} things run")
    for thing, pod in found:
        name = thing["metadata"]["name"]
        who = pod["securityContext"]
        need(who["runAsNonRoot"] and who["runAsUser"] > 10000, f"{name}: {who}")
        need(who["seccompProfile"] == {"type": "RuntimeDefault"}, f"{name}: {who}")
        need(pod.get("hostNetwork", False) == (name == "gedge-extender"), f"{name}: host network")
        need(not pod.get("hostPID") and not pod.get("hostIPC"), f"{name}: the host's")
        for container in pod["containers"]:
            may = container["securityContext"]
            need(may == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                         "capabilities": {"drop": ["ALL"]}}, f"{name}: {may}")
            need(container["livenessProbe"]["httpGet"]["path"] == "/livez", f"{name}: livez")
            need(container["readinessProbe"]["httpGet"]["path"] == "/readyz", f"{name}: readyz")
            need({"requests", "limits"} == set(container["resources"]), f"{name}: resources")
            said = help_of(container["args"])
            flags = [word for word in container["args"] if word.startswith("--")]
            need(all(flag + " " in said for flag in flags), f"{name}: {flags}")
            listens = container["args"][container["args"].index("--listen") + 1]
            if not listens.startswith("127."):
                need("--token-file" in flags and "--tls-cert" in flags, f"{name}: open to all")
    monitors = [t for t in objects("--mode", "scheduler", "--monitors")
                if t["kind"] == "ServiceMonitor"]
    need(len(monitors) == 1 and monitors[0]["spec"]["endpoints"][0]["scheme"] == "https",
         f"{monitors}")
    config = next(t for t in objects("--mode", "extender", "--bind") if t["kind"] == "ConfigMap")
    part = yaml.safe_load(config["data"]["kube-scheduler.yaml"])
    need(part["percentageOfNodesToScore"] == 100 and part["extenders"][0]["bindVerb"] == "bind" and
         "ignorable" not in part["extenders"][0], f"{part}")


def check_flow_schemas():
    modes = [word for mode in MODES for word in ("--mode", mode)]
    need(not any(thing["kind"] == "FlowSchema" for thing in objects(*modes)), "unasked")
    found = [thing for thing in objects(*modes, "-n", "edge", "--flow-schema", "v1")
             if thing["kind"] == "FlowSchema"]
    levels = {thing["metadata"]["name"]: thing["spec"]["priorityLevelConfiguration"]["name"]
              for thing in found}
    need(levels == {"gedge-scheduler": "workload-high", "gedge-extender": "workload-high",
                    "gedge-autoscaler": "workload-high",
                    "gedge-scheduler-leases": "leader-election",
                    "gedge-autoscaler-leases": "leader-election"}, f"{levels}")
    for thing in found:
        need(thing["apiVersion"] == "flowcontrol.apiserver.k8s.io/v1", f"{thing}")
        need(thing["spec"]["rules"][0]["subjects"][0]["serviceAccount"]["namespace"] == "edge",
             f"{thing}")
    for flags in (("--mode", "prober", "--flow-schema", "v1"),
                  ("--mode", "scheduler", "--flow-schema", "v2")):
        run = subprocess.run([GEDGE, "manifests", *flags], capture_output=True, text=True)
        need(run.returncode == 2, f"{flags}: {run.returncode}")


def check_autoscaler():
    """Its autoscalers lie in a ConfigMap, or are those of the cluster."""
    short = pods_of(objects("--mode", "autoscaler", "--prometheus", "http://prometheus:9090"))[0][1]
    arguments = short["containers"][0]["args"]
    mounts = {mount["name"]: mount["mountPath"] for mount in short["containers"][0]["volumeMounts"]}
    need(arguments[arguments.index("-f") + 1] == mounts["config"], f"{arguments} {mounts}")
    need(arguments[arguments.index("--prometheus") + 1] == "http://prometheus:9090", f"{arguments}")
    need(any(v.get("configMap") == {"name": "gedge-autoscalers"} for v in short["volumes"]),
         f"{short['volumes']}")
    own = objects("--mode", "autoscaler", "--own-hpa")
    arguments = pods_of(own)[0][1]["containers"][0]["args"]
    need("--own-hpa" in arguments and "-f" not in arguments, f"{arguments}")
    for things, may in ((own, True), (objects("--mode", "autoscaler"), False)):
        patched = [rule for thing in things for rule in thing.get("rules", [])
                   if "horizontalpodautoscalers/status" in rule["resources"]]
        need(bool(patched) == may, f"{patched}")


def check_units():
    for mode in ("scheduler", "extender", "prober", "autoscaler"):
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.optionxform = str
        unit.read_string(manifests("--mode", mode, "--unit"))
        service = unit["Service"]
        for key, value in (("DynamicUser", "yes"), ("NoNewPrivileges", "yes"),
                           ("ProtectSystem", "strict"), ("CapabilityBoundingSet", ""),
                           ("Restart", "on-failure")):
            need(service[key] == value, f"{mode}: {key}={service.get(key)}")
        need((service["Type"], service.get("WatchdogSec")) ==
             (("notify", "150s") if mode == "scheduler" else ("exec", None)), f"{mode}: type")
        words = service["ExecStart"].split()
        said = help_of(words[1:])
        need(all(word + " " in said for word in words if word.startswith("--")), f"{words}")
        need(words[0] == os.path.realpath(GEDGE), f"{mode}: another program: {words[0]}")


def check_usage():
    for flags, words in (((), "no mode"), (("--mode", "all"), "all"),
                         (("--mode", "reader", "--unit"), "nothing runs for this mode"),
                         (("--mode", "reader", "--mode", "prober", "--unit"), "one unit"),
                         (("--mode", "scheduler", "--unit", "--rights-only"), "choose one"),
                         (("--mode", "scheduler", "--unit", "-o", "json"), "a unit is no JSON"),
                         (("--mode", "scheduler", "-n", "Bad NS"), "name of a namespace"),
                         (("--mode", "scheduler", "-n", ""), "name of a namespace"),
                         (("--mode", "scheduler", "--image", "a b"), "is no image"),
                         (("--mode", "scheduler", "--image", ""), "is no image"),
                         (("--mode", "scheduler", "--scheduler-name", ""), "'--scheduler-name'"),
                         (("--mode", "autoscaler", "--prometheus", "foo"), "is no URL"),
                         (("--mode", "reader", "--bind"), "for `--mode extender`"),
                         (("--mode", "scheduler", "--own-hpa"), "for `--mode autoscaler`"),
                         (("--mode", "scheduler", "--prometheus", "http://x"),
                          "for `--mode autoscaler`")):
        run = subprocess.run([GEDGE, "manifests", *flags], capture_output=True, text=True)
        need(run.returncode == 2 and words in run.stderr and not run.stdout,
             f"{flags}: {run.returncode} {run.stderr}")


for check in (check_forms, check_rights, check_confinement, check_flow_schemas,
              check_autoscaler, check_units, check_usage):
    try:
        check()
    except (AssertionError, KeyError, subprocess.CalledProcessError) as wrong:
        failures.append(f"{check.__name__}: {wrong!r}")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
