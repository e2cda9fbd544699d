"""The list of mutations fits the sources, and has at least one for each thing that may break."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutations import MUTATIONS  # noqa: E402
from run import CATCHERS, TOP, mutated, path_of, read  # noqa: E402

INVARIANTS = {f"I-{number}" for number in range(1, 13)}
# One bug of others for each kind that gedge guards against.
BUGS = {"kubernetes#100140", "kubernetes#96579", "kubernetes#101877", "kubernetes#49314",
        "kubernetes#55587", "kubernetes#94437", "kubernetes#89552", "kubernetes#85447",
        "kubernetes#65257", "kubernetes#125761", "cilium#42920", "enhancements#65",
        "kubernetes#136782", "kubernetes#76772", "kubernetes#107266", "kubernetes#22669",
        "kubernetes#47366", "karpenter#2071", "kubernetes#118059", "kubernetes#72122",
        "kubernetes#97294", "descheduler#424", "yaml-cpp#1040", "kubectl#1492",
        "kubernetes#106780"}


def main():
    failures = []
    if len(MUTATIONS) < 40:
        failures.append(f"only {len(MUTATIONS)} mutations")
    broken = {rule for mutation in MUTATIONS for rule in mutation.breaks}
    if missing := sorted((INVARIANTS | BUGS) - broken):
        failures.append(f"nothing breaks {', '.join(missing)}")
    if len({mutation.bug for mutation in MUTATIONS}) < len(MUTATIONS):
        failures.append("two mutations are called the same")
    for mutation in MUTATIONS:
        if mutated(mutation, read(os.path.join(TOP, path_of(mutation)))) is None:
            failures.append(f"{path_of(mutation)} has not once what `{mutation.bug}` replaces")
        if not mutation.by or not set(mutation.by) <= set(CATCHERS):
            failures.append(f"`{mutation.bug}`: nobody is called {mutation.by}")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(MUTATIONS)} mutations of {len(broken)} rules")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
