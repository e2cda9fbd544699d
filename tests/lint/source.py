"""The tree as the lint sees it: which files there are, and C++ without its comments and strings."""

import os
import re

CPP = (".cpp", ".hpp", ".c", ".h")
CODE = CPP + (".py", ".sh", ".cmake", ".in")
FOLDERS = ("libgedge", "cli", "plugins", "examples", "tests", ".ci")

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<string>(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"
                 |"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*')""",
    re.VERBOSE | re.DOTALL,
)


class Violation:
    """One finding; prints as file:line: rule: what."""

    def __init__(self, path, line, rule, what):
        self.path, self.line, self.rule, self.what = path, line, rule, what

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.what}"


class File:
    """One source file: `path` relative to the top with '/', its text, its lines."""

    def __init__(self, top, path):
        self.path = path
        with open(os.path.join(top, path), encoding="utf-8", newline="") as stream:
            self.text = stream.read()
        self.lines = self.text.split("\n")
        self._code = None

    @property
    def is_cpp(self):
        return self.path.endswith(CPP)

    @property
    def is_header(self):
        return self.path.endswith((".hpp", ".h"))

    @property
    def code(self):
        """The text with comments and the insides of literals blanked; same lines, same columns."""
        if self._code is None:
            self._code = TOKEN.sub(blank, self.text)
        return self._code

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1


def blank(match):
    """Spaces for a comment, an empty literal of the same extent for a string."""
    text = match.group(0)
    if match.group("comment") is not None:
        return re.sub(r"[^\n]", " ", text)
    return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]


def read_tree(top):
    """Every source file of the tree, sorted by path. Test data is not source."""
    files = []
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(top, folder)):
            relative = os.path.relpath(where, top).replace(os.sep, "/")
            if relative in ("tests/data", "tests/fuzz/corpus"):
                folders.clear()
                continue
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                if name.endswith(CODE) or name == "CMakeLists.txt" or relative == ".ci":
                    files.append(f"{relative}/{name}")
    if os.path.exists(os.path.join(top, "CMakeLists.txt")):
        files.append("CMakeLists.txt")
    return [File(top, path) for path in sorted(files)]
