#!/usr/bin/env python3
"""tests/mutations/run.py [--list] [--from N] [--count M] [NUMBER]...: makes each bug of
mutations.py in a copy of the sources, and says which test catches it; at the end what each test
did. A test that does not end has caught nothing: that bug HANGS it.

Exit 1 if one is not caught or hangs; 2 if one no longer fits the sources or does not compile, or if
a test fails without any bug."""
import argparse
import collections
import filecmp
import os
import re
import shutil
import signal
import subprocess
import sys

from mutations import MUTATIONS

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COPY = os.path.join(TOP, "build", "mutations")
BUILD = os.path.join(COPY, "build", "release")
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
    "access": (["gedge_cli"],
               [sys.executable, "-B", f"{COPY}/tests/integration/daemon_access_test.py"]),
    **{room: ([f"unit_{room}"], [f"bin/unit_{room}"])
       for room in ("cli", "codec", "control", "drive", "io", "plan", "policy",
                    "scale")},
}
VERDICTS = ("caught", "missed", "hangs")  # of a catcher; of a bug: the first that catches it
MISSED, HANGS, UNFIT, UNBUILT = "NOT CAUGHT", "HANGS", "DOES NOT FIT", "DOES NOT COMPILE"


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
    """Exit code, and what was said. None: it did not end, and is killed with all that it began."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True,
                          env={**os.environ, "GEDGE_SOURCE_DIR": COPY,
                               "GEDGE": os.path.join(BUILD, "bin", "gedge")}) as process:
        try:
            said, _ = process.communicate(timeout=longest)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            return None, f"no end within {longest} s"
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


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
    if code != 0:
        sys.exit(said[-3000:])


def catch(name):
    """What `name` does to the copy as it is, of VERDICTS or UNBUILT, and what is said."""
    targets, command = CATCHERS[name]
    code, said = run(["ninja", *targets], BUILD, LONGEST_BUILD)
    if code != 0:
        return UNBUILT, said[-2000:]
    code, said = run(command, BUILD)
    if code is None:
        return "hangs", said
    if code == 0:
        return "missed", ""
    said = [line for line in said.splitlines() if re.search("ERROR|FAILED|I-", line)] or ["-"]
    return "caught", said[0].strip()[:90]


def unfit_catcher(names):
    """Who would catch what is no bug, and how; empty: nobody."""
    for name in sorted(names):
        verdict, said = catch(name)
        if verdict != "missed":
            return f"{name}, without any bug: {verdict}: {said}"
    return ""


def judge(mutation, tally):
    """The first catcher that fails, else MISSED, HANGS or UNBUILT; and what was said."""
    verdict, told = MISSED, ""
    for name in mutation.by:
        what, said = catch(name)
        if what == UNBUILT:
            return UNBUILT, "\n" + said
        tally[name][what] += 1
        if what == "caught":
            return name, said
        if what == "hangs":
            verdict, told = HANGS, f"{name}: {said}"
    return verdict, told


def try_out(mutation, tally):
    path = os.path.join(COPY, path_of(mutation))
    whole = read(path)
    wrong = mutated(mutation, whole)
    if wrong is None:
        return UNFIT, ""
    write(path, wrong)
    try:
        return judge(mutation, tally)
    finally:
        write(path, whole)


def print_tally(tally, verdicts):
    print(f"\n{'':12}" + "".join(f"{verdict:>8}" for verdict in VERDICTS))
    for name in sorted(tally):
        print(f"{name:12}" + "".join(f"{tally[name][verdict]:8}" for verdict in VERDICTS))
    found = sum(verdict in CATCHERS for verdict in verdicts)
    others = collections.Counter(verdict for verdict in verdicts if verdict not in CATCHERS)
    print(f"{found} of {len(verdicts)} bugs caught" +
          "".join(f", {count} {verdict}" for verdict, count in sorted(others.items())))


def asked_for():
    """(number, mutation), and whether they are only listed."""
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="N")
    parser.add_argument("--count", type=int, default=len(MUTATIONS), metavar="M")
    asked = parser.parse_args()
    chosen = [(number, mutation) for number, mutation in enumerate(MUTATIONS, 1)
              if number >= asked.first and (not asked.numbers or number in asked.numbers)]
    return chosen[:asked.count], asked.list


def main():
    chosen, is_list = asked_for()
    if is_list:
        for number, mutation in chosen:
            print(f"{number:3} {mutation.bug} ({', '.join(mutation.breaks)})")
        return 0
    prepare()
    if unfit := unfit_catcher({name for _, mutation in chosen for name in mutation.by}):
        print(unfit)
        return 2
    tally, verdicts = collections.defaultdict(collections.Counter), []
    for number, mutation in chosen:
        verdict, said = try_out(mutation, tally)
        verdicts.append(verdict)
        print(f"{number:3} {verdict:12} {mutation.bug}: {said}", flush=True)
    print_tally(tally, verdicts)
    if {UNFIT, UNBUILT} & set(verdicts):
        return 2
    return 0 if set(verdicts) <= set(CATCHERS) else 1


if __name__ == "__main__":
    sys.exit(main())
