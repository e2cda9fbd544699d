"""Who may include whom: the floors of the house, private headers, and the dependency prisons."""

import re

from source import Violation

# architecture.md, section 2. A room includes lower floors; io and sim are a wing with its own rule.
FLOORS = {
    "base": 0,
    "model": 1, "latency": 1, "hw": 1,
    "snapshot": 2, "effect": 2, "pin": 2, "verify": 2,
    "policy": 3, "port": 3,
    "plan": 4, "scale": 4, "service": 4,
    "control": 5, "federation": 5,
    "codec": 6,
    "drive": 7, "host": 7,
}
WING = {"io", "sim"}
ROOMS = set(FLOORS) | WING

STANDARD = set(
    """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv
    chrono cinttypes climits clocale cmath compare complex concepts condition_variable
    coroutine csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar deque
    exception execution filesystem forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
    stop_token streambuf string string_view system_error thread tuple type_traits typeindex
    typeinfo unordered_map unordered_set utility valarray variant vector version assert.h
    ctype.h errno.h float.h inttypes.h limits.h math.h stdalign.h stdarg.h stdbool.h stddef.h
    stdint.h stdio.h stdlib.h string.h""".split()
)

# Outside headers and the only places that may name them: path prefixes of the including file.
POSIX = ("libgedge/src/io/", "libgedge/src/host/", "cli/src/", "tests/")
PRISONS = [
    (r"CLI/|rang\.hpp$", ("cli/src/",)),
    (r"yaml\.h$|yaml-cpp/|simdjson\.h$|nlohmann/|xxhash\.h$|protozero/",
     ("libgedge/src/codec/", "tests/")),
    (r"curl/", ("libgedge/src/io/", "tests/bench/stream_bench.cpp")),
    (r"boost/", ("libgedge/src/io/",)),
    (r"hwloc\.h$|hwloc/", ("libgedge/src/io/",)),
    (r"expat\.h$", ("libgedge/src/io/machine_xml.cpp",)),
    (r"nghttp2/", ("libgedge/src/io/", "tests/unit/io/")),
    (r"openssl/", ("libgedge/src/io/", "libgedge/src/codec/", "tests/unit/io/",
                   "tests/bench/bind_bench.cpp")),
    (r"png\.h$", ("cli/src/render/",)),
    (r"lemon/", ("libgedge/src/plan/",)),
    (r"doctest/", ("tests/",)),
    (r"benchmark/", ("tests/bench/",)),
    (r"(malloc|link)\.h$", ("cli/src/freed_memory.cpp", "tests/bench/")),
    (r"dlfcn\.h$", ("libgedge/src/host/", "libgedge/src/io/shared_library.cpp",
                    "cli/src/main.cpp", "cli/src/daemon_library.cpp",
                    "cli/src/render/png_library.cpp", "tests/")),
    (r"(unistd|fcntl|poll|signal|spawn|termios|pthread|sched|time|dirent|locale|wchar|langinfo"
     r"|netdb)\.h$|sys/|netinet/|arpa/|linux/|net/", POSIX),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def room_of(path):
    """The room that a file of libgedge belongs to; None for files outside of rooms."""
    match = re.match(r"libgedge/(?:include/gedge|src)/([a-z_]+)/", path)
    return match.group(1) if match else None


def may_include(room, other):
    if room == other:
        return True
    if other in WING:
        return False
    if room in WING:
        return FLOORS[other] <= 3 or other == "codec"
    return FLOORS[other] < FLOORS[room]


class Includes:
    """Checks every #include line of a tree. `paths` is the set of its files."""

    def __init__(self, files):
        self.files = [file for file in files if file.is_cpp]
        self.paths = {file.path for file in files}

    def run(self):
        for file in self.files:
            for match in INCLUDE.finditer(mask_comments(file)):
                problem = self.problem(file.path, match.group(1), match.group(2))
                if problem:
                    rule, what = problem
                    yield Violation(file.path, file.line_of(match.start(2)), rule, what)

    def problem(self, path, bracket, header):
        if bracket == "<":
            return self.outside(path, header)
        if header.startswith("gedge/"):
            return self.public(path, header)
        return self.private(path, header)

    def outside(self, path, header):
        if header in STANDARD:
            if header == "iostream" and path.startswith("libgedge/"):
                return "silence", "libgedge never prints: <iostream>"
            return None
        for pattern, cells in PRISONS:
            if re.match(pattern, header):
                if path.startswith(cells):
                    return None
                return "prison", f"<{header}> belongs in {' or '.join(cells)}"
        return "prison", f"<{header}> is neither the standard library nor a known dependency"

    def public(self, path, header):
        if f"libgedge/include/{header}" not in self.paths:
            return "floor", f'"{header}" does not exist'
        room, other = room_of(path), room_of("libgedge/include/" + header)
        if path.startswith("plugins/"):
            ok = header == "gedge/plugin.h"
            return None if ok else ("floor", f'a module sees gedge/plugin.h only, not "{header}"')
        if room is None or other is None:
            return None
        for name in (room, other):
            if name not in ROOMS:
                return "floor", f"'{name}' is no room of the house"
        if not may_include(room, other):
            return "floor", f'{room} may not include {other}: "{header}"'
        return None

    def private(self, path, header):
        other = header.split("/")[0] if "/" in header else None
        if f"libgedge/src/{header}" in self.paths:
            if path.startswith((f"libgedge/src/{other}/", f"tests/unit/{other}/",
                                f"tests/bench/{other}/")):
                return None
            return "private", f'"{header}" is private to {other}'
        if path.startswith("libgedge/"):
            return "private", f'"{header}": write "gedge/ROOM/x.hpp", or "ROOM/x.hpp" inside ROOM'
        if self.reachable(path, header):
            return None
        return "private", f'"{header}" is not beside this file and no public header'

    def reachable(self, path, header):
        """True for a header beside the file, of the command's sources, or of the test support."""
        roots = [path.rsplit("/", 1)[0]]
        if path.startswith(("cli/", "tests/unit/cli/")):
            roots.append("cli/src")
        if path.startswith("tests/"):
            roots.append("tests")
        return any(f"{root}/{header}" in self.paths for root in roots)


def mask_comments(file):
    """Text whose commented lines are blank but whose #include operands are intact."""
    out = []
    for original, code in zip(file.text.split("\n"), file.code.split("\n")):
        out.append(original if code.lstrip().startswith("#") else " " * len(original))
    return "\n".join(out)
