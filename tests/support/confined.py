"""confined.py UNIT COMMAND...: runs it with the system calls that a unit of systemd allows; whoever
makes another one is killed, where a unit would refuse it."""
import os
import subprocess
import sys

import seccomp


def calls_of(name):
    """Of a set as @system-service; or itself."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", name],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    names = [line.split("#")[0].strip() for line in listed.stdout.splitlines()[1:]]
    return set().union(*(calls_of(name) for name in names if name))


def allowed_by(unit):
    """The first filter allows, and each one after it adds or takes away. What no process can do
    without is always allowed."""
    calls = calls_of("@default")
    for line in unit.splitlines():
        key, _, value = line.partition("=")
        if key != "SystemCallFilter":
            continue
        names = set().union(*(calls_of(name) for name in value.lstrip("~").split()))
        calls = calls - names if value.startswith("~") else calls | names
    return calls


def main():
    with open(sys.argv[1]) as file:
        calls = allowed_by(file.read())
    confinement = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
    known = 0
    for call in calls:
        try:
            confinement.add_rule(seccomp.ALLOW, call)
            known += 1
        except (OSError, RuntimeError):
            pass  # of another machine
    if known < 100:
        sys.exit(f"only {known} calls are known")
    confinement.load()
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
