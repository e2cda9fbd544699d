"""Every public header compiles alone, twice in one file, under the strictest flags.

plugin.h compiles as C11 too: policy modules may be written in C.
"""

import concurrent.futures
import os
import subprocess
import sys

TOP = os.environ["GEDGE_SOURCE_DIR"]
CXX = os.environ["GEDGE_CXX"]
INCLUDE = os.path.join(TOP, "libgedge", "include")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow",
            "-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Werror"]


def headers():
    for where, _, names in os.walk(INCLUDE):
        for name in sorted(names):
            yield os.path.relpath(os.path.join(where, name), INCLUDE)


def compile_alone(header, language, flags):
    command = [CXX, "-x", language, *flags, "-fsyntax-only", "-I", INCLUDE, "-"]
    text = f'#include "{header}"\n#include "{header}"\n'
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    return header, done.returncode, done.stderr


def main():
    jobs = [(header, "c++", ["-std=c++20", *WARNINGS]) for header in headers()]
    if not jobs:
        sys.exit("no headers under " + INCLUDE)
    c_warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Werror"]
    jobs += [(job[0], "c", ["-std=c11", *c_warnings]) for job in jobs if job[0].endswith(".h")]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, status, said in pool.map(lambda job: compile_alone(*job), jobs):
            if status:
                failed += 1
                print(f"{header} does not compile alone:\n{said}")
    print(f"{len(jobs) - failed} of {len(jobs)} headers compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
