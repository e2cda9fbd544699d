#!/usr/bin/env python3
"""Help, manual, completions and sources agree on every flag, command, exit code and variable."""
import os
import re
import subprocess
import sys
from pathlib import Path

GEDGE = os.environ["GEDGE"]
SOURCE = Path(os.environ["GEDGE_SOURCE_DIR"])
HIDDEN = {"__complete", "__man"}
misses = []


def gedge(*args):
    return subprocess.run([GEDGE, *args], capture_output=True, text=True, check=True).stdout


def need(found, what):
    if not found:
        misses.append(what)


def flags_of(help_text):
    """(letter, name, takes a value) of every flag that a help page lists."""
    rows = re.findall(r"^  (?:-(\w), |    )--([a-z-]+)( [A-Z|{-]\S*)?", help_text, re.M)
    return [(letter, name, bool(value)) for letter, name, value in rows]


def commands():
    overview = gedge("help").split("Example:")[0]
    listed = re.findall(r"^  ([a-z-]+(?: [a-z]+)?)  +\S", overview, re.M)
    need(len(listed) >= 10, f"`gedge help` lists only {listed}")
    return listed


def case_block(script, word):
    """The branch of a shell `case` that belongs to a command."""
    match = re.search(rf"^    '{re.escape(word)}'\)\n(.*?)^      ;;", script, re.M | re.S)
    return match.group(1) if match else ""


SECTIONS = ["SYNOPSIS", "DESCRIPTION", "OPTIONS", "OUTPUT", "ENVIRONMENT", "EXIT STATUS",
            "EXAMPLES", "SEE ALSO"]


def check_manual(name, flags):
    stem = name.replace(" ", "-")
    page = SOURCE / "man" / f"gedge-{stem}.1"
    need(page.exists(), f"{name}: no {page.name}")
    manual = page.read_text() if page.exists() else ""
    for section in SECTIONS:
        need(f".Sh {section}\n" in manual, f"{name}: manual lacks {section}")
    for letter, flag, _ in flags:
        spelled = f"Fl {letter} , Fl Fl {flag}" if letter else f"Fl Fl {flag}"
        need(re.search(rf"{spelled}\b", manual), f"{name}: --{flag} is not in the manual")


def check_completions(name, flags, bash, zsh, fish):
    in_bash, in_zsh = case_block(bash, name), case_block(zsh, name)
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split()) + "'"
    in_fish = [line + " " for line in fish.splitlines() if seen in line]
    for letter, flag, value in flags:
        offered = re.search(rf"(?<![^\s'])--{flag}(?![\w-])", in_bash)
        need(offered, f"{name}: --{flag} is not in the bash completion")
        offered = re.search(rf"--{flag}=?[\[}}]", in_zsh)
        need(offered, f"{name}: --{flag} is not in the zsh completion")
        mine = [line for line in in_fish if f" -l {flag} " in line]
        need(mine, f"{name}: --{flag} is not in the fish completion")
        for line in mine:
            need(not letter or f" -s {letter} " in line, f"{name}: fish does not know -{letter}")
            need(bool(value) == bool(re.search(" -[xr] ", line)),
                 f"{name}: fish is wrong about the value of --{flag}")
        if value:
            need(f"--{flag}) values=" in in_bash, f"{name}: bash does not complete --{flag}")


def check_command(name, bash, zsh, fish):
    stem = name.replace(" ", "-")
    need((SOURCE / "cli/src" / f"cmd_{stem.replace('-', '_')}.cpp").exists(), f"{name}: no source")
    text = gedge(*name.split(), "--help")
    need("Exit status: 0 " in text, f"{name}: help lacks the exit status")
    need(f"See gedge-{stem}(1)." in text.replace("\n", " "), f"{name}: help names no page")
    need("\nExample" in text, f"{name}: help lacks an example")
    flags = flags_of(text)
    need(("h", "help", False) in flags, f"{name}: help lacks --help")
    check_manual(name, flags)
    check_completions(name, flags, bash, zsh, fish)


def check_sources(listed):
    known = {f"cmd_{name.replace(' ', '_').replace('-', '_')}.cpp" for name in listed}
    known |= {"cmd_complete.cpp", "cmd_man.cpp"}
    for source in (SOURCE / "cli/src").glob("cmd_*.cpp"):
        need(source.name in known, f"{source.name} has no command")
    overview = (SOURCE / "man/gedge.1").read_text()
    codes = re.findall(r"^  k\w+ = (\d+),", (SOURCE / "cli/src/exit.hpp").read_text(), re.M)
    need(len(codes) >= 9, "exit.hpp lists too few codes")
    for code in codes:
        if code not in {"5", "6"}:  # of commands that this version does not have yet
            need(f".It {code}\n" in overview, f"exit code {code} is not in gedge(1)")
    variables = set()
    for source in (SOURCE / "cli/src").rglob("*.cpp"):
        variables |= set(re.findall(r'variable\("([A-Z_]+)"\)', source.read_text()))
    need(variables, "no environment variable is read?")
    for variable in sorted(variables):
        for page in (SOURCE / "man").glob("*.1"):
            need(f".It Ev {variable}\n" in page.read_text(), f"{variable} is not in {page.name}")
    for name in HIDDEN:
        need(name not in gedge("help"), f"{name} is in help")


def check_examples(listed):
    """Examples name flags and commands that exist."""
    longest_first = sorted(listed, key=len, reverse=True)
    for name in listed:
        text = gedge(*name.split(), "--help")
        for line in re.search(r"\nExamples?:\n(.*?)\n\n", text, re.S).group(1).splitlines():
            for words in re.findall(r"gedge ([a-z][^|)>]*)", line):
                command = next((c for c in longest_first if words.startswith(c)), None)
                need(command, f"{name}: the example `{line.strip()}` runs no command")
                if command is None:
                    continue
                known = {flag for _, flag, _ in flags_of(gedge(*command.split(), "--help"))}
                for flag in re.findall(r"--([a-z-]+)", words):
                    need(flag in known, f"{name}: the example `{line.strip()}` uses --{flag}")


def see_also(page):
    text = page.read_text().partition(".Sh SEE ALSO\n")[2]
    return {f"{name}.{section}" for name, section in re.findall(r"^\.Xr (\S+) (\d)", text, re.M)}


def check_references():
    """Pages name pages that exist; of two commands, each names the other."""
    for page in sorted((SOURCE / "man").glob("*.[1-8]")):
        for other in sorted(see_also(page)):
            path = SOURCE / "man" / other
            need(path.exists(), f"{page.name} refers to {other}, which does not exist")
            if path.exists() and path.suffix == ".1" and page.suffix == ".1":
                need(page.name in see_also(path), f"{page.name} refers to {other}, not the reverse")


def main():
    listed = commands()
    bash = (SOURCE / "completions/gedge.bash").read_text()
    zsh = (SOURCE / "completions/_gedge").read_text()
    fish = (SOURCE / "completions/gedge.fish").read_text()
    for name in listed:
        check_command(name, bash, zsh, fish)
    check_sources(listed)
    check_examples(listed)
    check_references()
    for miss in misses:
        print(miss)
    return 1 if misses else 0


sys.exit(main())
