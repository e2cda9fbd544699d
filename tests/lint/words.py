"""Words that do not belong where they stand: printing, exiting, clocks, promises."""

import re

from source import Violation

PURE_ROOMS = ("base|model|latency|hw|snapshot|effect|pin|verify|policy|port|plan|scale|service"
              "|control|federation")

# (rule, files, words, why); words are searched in code without comments and strings.
RULES = [
    ("silence", r"libgedge/",
     r"\bstd::(?:cout|cerr|clog)\b|(?<![\w.>])(?:std::|::)?(?:f|v|vf)?printf\s*\("
     r"|\bf?puts\s*\(|\bputchar\s*\(",
     "libgedge never prints"),
    ("no-exit", r"libgedge/",
     r"(?<![\w.>])(?:std::|::)?(?:_exit|quick_exit|exit|abort|terminate)\s*\(",
     "libgedge never ends the process"),
    ("no-clock", r"(?!libgedge/src/io/|tests/bench/)",
     r"::now\s*\(|\b(?:gettimeofday|clock_gettime|localtime|gmtime)\s*\("
     r"|\b(?:std::)?time\s*\(\s*(?:nullptr|NULL|0|&)",
     "time comes in as an argument; only io reads a clock"),
    ("no-chance", r"(?!libgedge/src/io/)",
     r"\brandom_device\b|(?<![\w.>])(?:std::)?s?rand\s*\(",
     "randomness comes in as a seed"),
    ("no-sleep", r"(?!libgedge/src/io/)", r"\bsleep_(?:for|until)\b|(?<![\w.>])u?sleep\s*\(",
     "waiting belongs in io"),
    ("shared-ptr", rf"libgedge/(?:include/gedge|src)/(?:{PURE_ROOMS})/",
     r"\b(?:shared_ptr|make_shared)\b",
     "one owner below floor 6"),
    ("using-namespace", r".*\.(?:hpp|h)$", r"\busing\s+namespace\b", "not in a header"),
]

# Spelt apart, so that this file passes its own check.
PROMISE = re.compile(r"\b(?:%s)\b" % "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")))
TEST_NAME = re.compile(r'\bTEST_CASE(?:_FIXTURE|_TEMPLATE)?\s*\((?:\s*\w+\s*,)?\s*'
                       r'((?:"(?:\\.|[^"\\])*"\s*)+)')
GOOD_NAME = re.compile(r"[A-Za-z0-9 _./:,'-]+")


def check_words(files):
    for file in files:
        for number, line in enumerate(file.lines, 1):
            found = PROMISE.search(line)
            if found:
                yield Violation(file.path, number, "promise", f"{found.group(0)}: do it or drop it")
        if not file.is_cpp:
            continue
        for rule, where, words, why in RULES:
            if not re.match(where, file.path):
                continue
            for match in re.finditer(words, file.code):
                yield Violation(file.path, file.line_of(match.start()), rule,
                                f"{match.group(0).strip()}: {why}")


def check_test_names(files):
    """doctest reads asterisks in a name as filter syntax, folds case; CMake splits at ;."""
    seen = {}
    for file in files:
        if not (file.is_cpp and file.path.startswith("tests/")):
            continue
        folder = file.path.rsplit("/", 1)[0]
        for match in TEST_NAME.finditer(file.text):
            name = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', match.group(1)))
            line = file.line_of(match.start())
            if not GOOD_NAME.fullmatch(name) or name != name.strip():
                yield Violation(file.path, line, "test-name",
                                f"'{name}': letters, digits, space and -_./:,' only")
            twin = seen.setdefault((folder, name.lower()), f"{file.path}:{line}")
            if twin != f"{file.path}:{line}":
                yield Violation(file.path, line, "test-name", f"'{name}' stands at {twin} too")
