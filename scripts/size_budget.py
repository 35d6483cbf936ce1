#!/usr/bin/env python3
"""Keeps files and functions small: warns above 600 and 60 lines, fails above 1000 and 120.

    scripts/size_budget.py [ROOT]

Golden generated sources under tests/kernels/golden are excepted.
"""

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import source_tree

FILE_WARN, FILE_FAIL = 600, 1000
FUNCTION_WARN, FUNCTION_FAIL = 60, 120
GENERATED = "tests/kernels/golden/"


@dataclass(frozen=True)
class Size:
    """Lines of a file or function; `line` is where it starts."""

    path: Path
    line: int
    what: str
    lines: int
    limit: int

    def __str__(self) -> str:
        """As compilers print it."""
        return f"{self.path}:{self.line}: {self.what} has {self.lines} lines (limit {self.limit})"


_BLANKED = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
      | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
_DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
_CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def cpp_functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, number of lines) of each outermost function body of a C++ source.

    A brace opens a function if it stands in namespaces and classes only and what stands before it has a parameter list.
    Lambdas and local classes count as part of the function around them.
    """
    code = _BLANKED.sub(_blank, _DIGIT_SEPARATOR.sub(" ", text))
    functions = []
    stack: list[tuple[str, int, str]] = []  # kind, offset where the head starts, head
    head_start = depth_in_parens = 0
    for position, char in enumerate(code):
        if char in "()":
            depth_in_parens += 1 if char == "(" else -1
        elif char == "{":
            head = code[head_start:position]
            outside = all(kind == "container" for kind, _, _ in stack)
            stack.append((_kind(head, depth_in_parens) if outside else "inner", head_start, head))
            head_start = position + 1 if stack[-1][0] != "initializer" else head_start
        elif char == "}" and stack:
            kind, start, head = stack.pop()
            if kind == "function":
                start += len(head) - len(head.lstrip())
                first, last = code.count("\n", 0, start) + 1, code.count("\n", 0, position) + 1
                functions.append((_function_name(head), first, last - first + 1))
            head_start = position + 1 if kind != "initializer" else head_start
        elif char == ";" and depth_in_parens == 0:
            head_start = position + 1
    return functions


def _kind(head: str, depth_in_parens: int) -> str:
    """What a brace opens, from the text since the last statement."""
    bare = re.sub(r"\btemplate\s*<[^{}]*?>\s*(?=\w)", " ", head)
    before_parameters = bare.split("(")[0]
    if depth_in_parens > 0:
        return "initializer"
    if _CONTAINER.search(before_parameters) and not ("(" in bare and bare.rstrip().endswith(")")):
        return "container"
    if ")" in bare and not re.search(r"=\s*$|[,:]\s*\w+\s*$", bare):
        return "function"
    return "initializer"


def _function_name(head: str) -> str:
    match = re.search(r"([\w:~]+|operator\s*\S+)\s*\(", head)
    return match[1] if match else "function"


def python_functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, number of lines) of each function of a Python source, inner ones too."""
    return [
        (node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def measure(root: Path) -> list[Size]:
    """Everything in a tree that is above a warning limit."""
    sizes = []
    for path in source_tree.select(source_tree.CPP | source_tree.PYTHON, root):
        if path.as_posix().startswith(GENERATED):
            continue
        text = (root / path).read_text()
        lines = len(text.splitlines())
        if lines > FILE_WARN:
            sizes.append(Size(path, 1, "file", lines, FILE_FAIL))
        functions = cpp_functions(text) if path.suffix in source_tree.CPP else python_functions(text)
        for name, first, count in functions:
            if count > FUNCTION_WARN:
                sizes.append(Size(path, first, f"function {name}", count, FUNCTION_FAIL))
    return sizes


def main() -> int:
    """Prints what is too large; 1 if a hard limit is exceeded."""
    failed = 0
    for size in measure(Path(sys.argv[1]) if len(sys.argv) > 1 else source_tree.ROOT):
        too_large = size.lines > size.limit
        failed |= too_large
        print(f"{'error' if too_large else 'warning'}: {size}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
