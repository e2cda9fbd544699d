"""Every change that `gedge why-not` prints for the site of the examples holds as it is printed."""
import json
import os
import subprocess
import sys

GEDGE = os.environ["GEDGE"]
SITE = os.path.join(os.environ["GEDGE_SOURCE_DIR"], "examples", "site")
QUESTION = ["--cluster", SITE + "/nodes.yaml", "--rtt", SITE + "/rtt.csv", "-f",
            SITE + "/app.yaml", "-o", "json", "-q"]
LEAST_CHANGES = 50  # of 11 pods on 8 nodes; far fewer, and nothing would be tested


def gedge(*arguments):
    run = subprocess.run([GEDGE, *arguments, *QUESTION], capture_output=True, text=True,
                         check=False)
    assert run.returncode in (0, 1), f"{arguments}: exit {run.returncode}\n{run.stderr}"
    return json.loads(run.stdout)


def fact_of(edit):
    """What an edit is about: all but the amount, label value or RTT that it gives."""
    return edit if ":taint-=" in edit else edit.split("=")[0]


def places_after(change):
    edits = [word for edit in change["edits"] for word in ("--what-if", edit)]
    replan = ["--replan"] if change["shown"] == "replan" else []
    after = gedge("plan", *edits, *replan)["plan"]["decisions"]
    return {decision["pod"]: decision["node"] for decision in after}


def wrong_with(pod, node, change):
    facts = [fact_of(edit) for edit in change["edits"]]
    if len(set(facts)) < len(facts):
        return "names a fact twice"
    if change["shown"] == "evaluation":
        return None  # nothing that a plan shows
    got = places_after(change)[pod]
    return None if got == node else f"brings it to {got}"


def main():
    nodes = [f"{tier}-{i}" for tier, count in (("cloud", 2), ("edge", 4), ("near", 2))
             for i in range(1, count + 1)]
    changes, failures = 0, []
    for decision in gedge("plan")["decisions"]:
        for node in nodes:
            pod = decision["pod"]
            if decision["node"] == node:
                continue
            for change in gedge("why-not", pod, node)["changes"]:
                changes += 1
                wrong = wrong_with(pod, node, change)
                if wrong:
                    failures.append(f"{pod} {node}: {change} {wrong}")
    if changes < LEAST_CHANGES:
        failures.append(f"only {changes} changes")
    print(f"{changes} changes, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


sys.exit(main())
