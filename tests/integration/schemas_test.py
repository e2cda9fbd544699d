#!/usr/bin/env python3
"""Everything that -o json and -o yaml print keeps to the installed JSON Schemas, and both say the same."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"[skipped] {missing.name} is not installed")
    sys.exit(77)

GEDGE = os.environ["GEDGE"]
SOURCE = Path(os.environ["GEDGE_SOURCE_DIR"])
SITE = ["--cluster", "synthetic:nodes=6,tiers=2/2/2"]
MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: decode}
spec:
  replicas: 3
  selector: {matchLabels: {app: decode}}
  template:
    metadata: {labels: {app: decode, delay_edge-1: "5"}}
    spec: {containers: [{name: main, image: d, resources: {requests: {cpu: 1500m, memory: 1Gi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: shop, annotations: {gedge.io/delay-budget: "nobody=1ms, deployment/decode=3ms"}}
spec: {containers: [{name: main, image: b, resources: {requests: {cpu: "5", memory: 3Gi}}}]}
---
apiVersion: v1
kind: Secret
metadata: {name: skipped}
"""


def schemas():
    found = {}
    for path in sorted((SOURCE / "libgedge/schemas").glob("*.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        found[schema["properties"]["kind"]["const"]] = schema
    return found


def run(folder, args):
    ran = subprocess.run([GEDGE, *args], capture_output=True, text=True, cwd=folder)
    if ran.returncode not in (0, 1):
        sys.exit(f"gedge {' '.join(args)}: exit {ran.returncode}\n{ran.stderr}")
    return ran.stdout


def questions(folder):
    (Path(folder) / "app.yaml").write_text(MANIFEST)
    files = [*SITE, "-f", "app.yaml"]
    run(folder, ["plan", *files, "--out", "plan.json"])
    tight = ["--cluster", "synthetic:nodes=6,tiers=2/2/2,cpu=2", "-f", "app.yaml"]
    yield "Plan", ["plan", *files]
    yield "Plan", ["plan", *files, "-l", "app=nothing"]
    yield "Plan", ["plan", *SITE]
    yield "Plan", ["plan", *files, "--profile", "kube", "--compat", "1.20"]
    yield "WhatIf", ["plan", *files, "--what-if", "node/edge-1:drain"]
    yield "WhatIf", ["plan", *files, "--what-if", "node/edge-1:cpu=16", "--replan"]
    yield "Explanation", ["explain", "decode-0", *files]
    yield "Explanation", ["explain", "shop/big", *files]
    yield "Explanation", ["explain", "decode-2", *files, "--profile", "low-latency"]
    yield "Explanation", ["why-not", "decode-0", "near-1", *files]
    yield "Verification", ["verify", "plan.json", *files]
    yield "Verification", ["verify", "plan.json", *tight]
    yield "Verification", ["verify", *files]
    yield "PolicyList", ["policies"]
    yield "PolicyList", ["policies", "--profile", "kube", "--compat", "1.20"]


def main():
    known, used = schemas(), set()
    with tempfile.TemporaryDirectory() as folder:
        for kind, args in questions(folder):
            document = json.loads(run(folder, [*args, "-o", "json"]))
            if document["kind"] != kind:
                sys.exit(f"gedge {' '.join(args)}: kind {document['kind']}, expected {kind}")
            jsonschema.validate(document, known[kind])
            used.add(kind)
            as_yaml = yaml.safe_load(run(folder, [*args, "-o", "yaml"]))
            if as_yaml != document:
                sys.exit(f"gedge {' '.join(args)}: yaml differs from json")
        jsonschema.validate(json.loads((Path(folder) / "plan.json").read_text()), known["Plan"])
    print(f"checked {', '.join(sorted(used))}")
    return 0


sys.exit(main())
