#!/usr/bin/env python3
"""Ctrl-C ends `gedge measure` with what it has measured, with --watch at once."""
import os
import signal
import socket
import subprocess

PATIENCE = 600  # seconds; nobody waits so long


def interrupted(*flags):
    """Exit status and output of one that was interrupted as its third probe came."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        port = str(listener.getsockname()[1])
        run = subprocess.Popen([os.environ["GEDGE"], "measure", "near=127.0.0.1", "--method", "tcp",
                                "--port", port, "--from", "here", "--timeout", "1h", *flags],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        held = [listener.accept()[0] for _ in range(3)]
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE)
        for connection in held:
            connection.close()
        return run.returncode, out, err


code, out, err = interrupted("-c", "1000000", "--interval", "20ms", "--no-headers")
assert code == 130, (code, out, err)
row = out.split("\t")
assert row[:2] == ["here", "near"] and row[-2] == "0 %", (out, err)
assert 1 <= int(row[-1]) < 1000000, (out, err)
assert err == "\n", err

code, out, err = interrupted("-c", "1000000", "--interval", "20ms", "--watch")
assert (code, out, err) == (130, "", "\n"), (code, out, err)
