#!/usr/bin/env python3
"""tests/mutations/run.py [--list] [NUMBER]...: makes each bug of mutations.py in a copy of the
sources, and says which test catches it. Exit 1 if one is not caught, 2 if it no longer fits
the sources or does not compile."""
import filecmp
import os
import shutil
import subprocess
import sys

from mutations import MUTATIONS

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COPY = os.path.join(TOP, "build", "mutations")
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "cli", "completions", "examples", "libgedge",
           "man", "plugins", "tests", "README.md", "CONTRIBUTING.md", "LICENSE")
LONGEST, LONGEST_BUILD = 600, 3600  # seconds

SCENARIO = "tests/data/scenarios/churn.yaml"
# What is built, and what is run.
CATCHERS = {
    "simulate": (["bin/gedge", "gedge_command"],
                 ["bin/gedge", "simulate", f"{COPY}/{SCENARIO}", "--runs", "90"]),
    "faults": (["integration"], ["bin/integration", "--test-case=simulated faults*"]),
    "integration": (["integration"], ["bin/integration"]),
    "conformance": (["conformance_engine"], ["bin/conformance_engine"]),
    **{room: ([f"unit_{room}"], [f"bin/unit_{room}"])
       for room in ("cli", "codec", "control", "drive", "io", "plan", "policy",
                    "scale")},
}


def path_of(mutation):
    return os.path.join("libgedge", "src", mutation.file)


def mutated(mutation, text):
    """None where it does not fit."""
    return text.replace(mutation.find, mutation.put) if text.count(mutation.find) == 1 else None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(command, folder, longest=LONGEST):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=longest,
                              env={**os.environ, "GEDGE_SOURCE_DIR": COPY})
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, "it took too long"


def copy_changed(source, copy):
    """What is equal stays as it is, and is not built again; what changes is newer than all that
    was built of it."""
    if not os.path.exists(copy) or not filecmp.cmp(source, copy, shallow=False):
        shutil.copyfile(source, copy)
        shutil.copymode(source, copy)


def prepare():
    """A copy that shares nothing with the tree; what was built there before is kept."""
    for name in SOURCES:
        source, copy = os.path.join(TOP, name), os.path.join(COPY, name)
        if os.path.isdir(source):
            shutil.copytree(source, copy, copy_function=copy_changed, dirs_exist_ok=True)
        else:
            os.makedirs(COPY, exist_ok=True)
            copy_changed(source, copy)
    code, said = run(["cmake", "--preset", "release"], COPY)
    if code:
        sys.exit(said[-3000:])
    return os.path.join(COPY, "build", "release")


def caught_by(mutation, build):
    """The first test that fails, and what it says; '' if none does."""
    for name in mutation.by:
        targets, command = CATCHERS[name]
        code, said = run(["ninja", *targets], build, LONGEST_BUILD)
        if code:
            return None, said[-2000:]
        code, said = run(command, build)
        if code:
            said = [line for line in said.splitlines() if "ERROR" in line or "I-" in line] or ["-"]
            return name, said[0].strip()[:90]
    return "", ""


def main():
    chosen = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "--list" in sys.argv:
        for number, mutation in enumerate(MUTATIONS, 1):
            print(f"{number:3} {mutation.bug} ({', '.join(mutation.breaks)})")
        return 0
    build = prepare()
    worst = 0
    for number, mutation in enumerate(MUTATIONS, 1):
        if chosen and number not in chosen:
            continue
        path = os.path.join(COPY, path_of(mutation))
        whole = read(path)
        wrong = mutated(mutation, whole)
        if wrong is None:
            print(f"{number:3} DOES NOT FIT  {mutation.bug}", flush=True)
            worst = 2
            continue
        write(path, wrong)
        try:
            name, said = caught_by(mutation, build)
        finally:
            write(path, whole)
        if name is None:
            print(f"{number:3} DOES NOT COMPILE  {mutation.bug}\n{said}", flush=True)
            worst = 2
        else:
            print(f"{number:3} {name or 'NOT CAUGHT':12} {mutation.bug}: {said}", flush=True)
            worst = worst if name else max(worst, 1)
    return worst


if __name__ == "__main__":
    sys.exit(main())
