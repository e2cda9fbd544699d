"""Reads the sources and prints what breaks the rules of the house. Exit 1 if anything does."""

import sys

from includes import Includes
from shape import check_shape
from source import read_tree
from words import check_test_names, check_words

CHECKS = {
    "includes": lambda files: Includes(files).run(),
    "shape": check_shape,
    "words": check_words,
    "test-names": check_test_names,
}


def lint(top, names=tuple(CHECKS)):
    """All violations of the named checks in the tree at `top`."""
    files = read_tree(top)
    return [violation for name in names for violation in CHECKS[name](files)]


def main(arguments):
    if not arguments or any(name not in CHECKS for name in arguments[1:]):
        print(f"usage: lint.py TOP [{'|'.join(CHECKS)}]...", file=sys.stderr)
        return 2
    if not read_tree(arguments[0]):
        print(f"no sources under {arguments[0]}", file=sys.stderr)
        return 2
    found = lint(arguments[0], tuple(arguments[1:]) or tuple(CHECKS))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
