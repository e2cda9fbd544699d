"""What runs for long leaves no core dump, and shows its memory to nobody but root."""
import os
import subprocess
import sys
import tempfile
import time

GEDGE = os.environ["GEDGE"]
SKIP = 77  # of ctest
NOBODY = 65534
LONGEST = 60  # seconds until something has happened, on the slowest machine
SITE = "synthetic:nodes=3,tiers=1/1/1"
DAEMONS = (("schedule", "--watch", "--cluster", SITE), ("extender", "--cluster", SITE, "--profile",
                                                        "edge"),
           ("agent", "--peers", "PEERS", "--node", "n1", "--method", "tcp"))
failures = []


def need(fact, what):
    if not fact:
        failures.append(what)


def owner(process):
    """Of its memory: whoever runs it, or root where nobody else may read it."""
    return os.stat(f"/proc/{process.pid}/mem").st_uid


def begin(who, *arguments, **more):
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            user=who, group=who, **more)


def check(who, folder, command):
    path = os.path.join(folder, "log")
    with open(path, "w") as log:
        daemon = begin(who, GEDGE, *command, "--listen", "127.0.0.1:0", stderr=log)
    try:
        end = time.monotonic() + LONGEST
        text = ""
        while "event=listening" not in text and daemon.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"{command}: does not listen: {text}")
            time.sleep(0.01)
            with open(path) as log:
                text = log.read()
        need(daemon.poll() is None, f"{command}: {text}")
        need(daemon.poll() is not None or owner(daemon) == 0, f"{command[0]}: others may read it")
    finally:
        daemon.kill()
        daemon.wait()


def main():
    who = os.getuid() or NOBODY
    try:
        other = begin(who, GEDGE, "version")
        need(other.wait() == 0, "gedge version")
        other = begin(who, "sleep", "60")
    except PermissionError:
        print("[skipped] another user cannot run what was built here")
        return SKIP
    need(owner(other) == who, "nothing is to be seen by this")
    other.kill()
    other.wait()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        peers = os.path.join(folder, "peers")
        with open(peers, "w") as file:
            file.write("n2=127.0.0.1\n")
        for command in DAEMONS:
            check(who, folder, [peers if word == "PEERS" else word for word in command])
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
