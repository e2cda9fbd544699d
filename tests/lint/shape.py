"""How long files, functions and lines are, and how deep blocks nest."""

import re

from source import Violation

MAX_FILE, MAX_MAIN, MAX_FUNCTION, MAX_COLUMNS, MAX_NESTING = 600, 30, 60, 100, 4

WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|\S")
DIRECTIVE = re.compile(r"(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*")
TYPE_WORDS = {"class", "struct", "union", "enum"}
ACCESS = {"public", "private", "protected"}
CONTROL = {"if", "for", "while", "switch", "catch", "else", "do", "try"}


class Block:
    def __init__(self, kind, line, name=""):
        self.kind, self.line, self.name = kind, line, name


def tokens(code):
    """(word, line) of C++ without comments, literals' insides and preprocessor lines."""
    code = DIRECTIVE.sub(lambda match: "\n" * match.group(0).count("\n"), code)
    for number, line in enumerate(code.split("\n"), 1):
        for match in WORD.finditer(line):
            yield match.group(0), number


def strip_templates(head):
    """The head without `template <...>` lists and [[attributes]]."""
    out, i = [], 0
    while i < len(head):
        if head[i] == "template" and head[i + 1:i + 2] == ["<"]:
            depth, i = 1, i + 2
            while i < len(head) and depth:
                depth += {"<": 1, ">": -1}.get(head[i], 0)
                i += 1
        elif head[i] == "[" and head[i + 1:i + 2] == ["["]:
            while i < len(head) and head[i] != "]":
                i += 1
            i += 2
        else:
            out.append(head[i])
            i += 1
    return out


def kind_of(head, inside):
    """What a `{` after these words opens: namespace, type, function, initialiser or block."""
    head = strip_templates(head)
    if inside.kind in ("function", "block", "initialiser"):
        return "block" if head and (head[0] in CONTROL or head[-1] in CONTROL) else "initialiser"
    if not head:
        return "initialiser"
    if "namespace" in head or (head[0] == "extern" and "(" not in head):
        return "namespace"
    last = head[-1]
    opens_body = last == ")" or last in ("const", "noexcept", "override", "final", "try", "}")
    if any(word in TYPE_WORDS for word in head) and not (opens_body and "(" in head):
        return "type"
    if "(" not in head or last in ("=", ",", "return"):
        return "initialiser"
    if is_member_initialiser(head):
        return "initialiser"
    return "function"


def is_member_initialiser(head):
    """True inside `X() : a_(1), b_` where the brace belongs to a member, not to the body."""
    depth, colon, question = 0, None, False
    for i, word in enumerate(head):
        depth += {"(": 1, ")": -1}.get(word, 0)
        question = question or word == "?"
        if word == ":" and depth == 0 and i and head[i - 1] in (")", "noexcept") and not question:
            colon = i
            break
    if colon is None:
        return False
    return head[-1] not in (")", "}")


def blocks(file):
    """Yields (block, last line, deepest nesting) for each function that is closed."""
    stack, heads = [Block("namespace", 0)], []
    head, parens, depth, deepest = [], 0, 0, 0  # head: the words since the last ; { or }
    for word, line in tokens(file.code):
        if word == "{":
            kind = "initialiser" if parens else kind_of(head, stack[-1])
            stack.append(Block(kind, line, function_name(head)))
            heads.append((head, parens))
            head, parens = [], 0
            depth += kind == "block"
            deepest = max(deepest, depth)
        elif word == "}" and heads:
            closed = stack.pop()
            head, parens = heads.pop()
            head = head + ["{", "}"] if closed.kind == "initialiser" else []
            depth -= closed.kind == "block"
            if closed.kind == "function":
                yield closed, line, deepest
                deepest = 0
        elif word == ";" and parens == 0:
            head = []
        elif word in ACCESS or (word == ":" and not head):
            continue
        else:
            parens += {"(": 1, ")": -1}.get(word, 0)
            head = head + [word]


def function_name(head):
    for i, word in enumerate(head):
        if word == "(" and i:
            return head[i - 1]
    return "lambda"


def check_cpp(file):
    for block, last, nesting in blocks(file):
        length = last - block.line + 1
        if length > MAX_FUNCTION:
            yield Violation(file.path, block.line, "function-length",
                            f"{block.name} has {length} lines, at most {MAX_FUNCTION}")
        if nesting > MAX_NESTING:
            yield Violation(file.path, block.line, "nesting",
                            f"{block.name} nests {nesting} deep, at most {MAX_NESTING}")


def check_shape(files):
    for file in files:
        count = len(file.lines) - (file.lines[-1] == "")
        limit = MAX_MAIN if file.path.endswith("/main.cpp") else MAX_FILE
        if count > limit:
            yield Violation(file.path, count, "file-length", f"{count} lines, at most {limit}")
        for number, line in enumerate(file.lines, 1):
            if len(line) > MAX_COLUMNS:
                yield Violation(file.path, number, "line-length",
                                f"{len(line)} columns, at most {MAX_COLUMNS}")
            if line != line.rstrip():
                yield Violation(file.path, number, "blanks", "blanks at the end of the line")
        if file.is_cpp:
            yield from check_cpp(file)
