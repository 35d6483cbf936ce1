#!/usr/bin/env python3
"""Reads the includes against the table of layers in ARCHITECTURE.md and fails on a wrong one.

    scripts/check_layers.py [ROOT]

Also: no Python or PyTorch header under src/, frontends/ and include/; Clang and LLVM headers only in the kernel cache;
under python/litz only torch/ imports torch.
"""

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import source_tree

# What each layer may include beside itself and `support`. It brings along what it may include, except `runtime`, which
# does not.
LAYERS: dict[str, set[str]] = {
    "support": set(),
    "symbolic": set(),
    "artifact": {"symbolic"},
    "runtime": {"artifact", "symbolic"},
    "ir": {"symbolic"},
    "ops": {"ir"},
    "interp": {"ops"},
    "passes": {"ops"},
    "kernel_ir": {"ir"},
    "fusion": {"kernel_ir", "ops"},
    "schedule": {"kernel_ir"},
    "planning": {"schedule", "artifact"},
    "codegen": {"schedule", "artifact"},
    "codegen/cpp": {"codegen"},
    "codegen/triton": {"codegen"},
    "kernel_cache": {"artifact"},
    "driver": {
        *("symbolic", "artifact", "runtime", "ir", "ops", "interp", "passes", "kernel_ir", "fusion", "schedule"),
        *("planning", "codegen", "codegen/cpp", "codegen/triton", "kernel_cache"),
    },
    "frontends/trace": {"ops"},
    "frontends/pt2": {"ops"},
    "api": {"driver", "frontends/trace", "frontends/pt2"},
    "python/src": {"driver", "frontends/trace", "frontends/pt2", "api"},
    "tools": {"driver", "frontends/trace", "frontends/pt2", "api"},
}
# The installed headers that every layer may include; the rest of include/litz belongs to `api`.
COMMON_API = {"litz/error.h", "litz/dtype.h", "litz/export.h"}
API_USERS = {"api", "python/src", "tools"}

PYTHON_HEADERS = re.compile(r"^(Python\.h|torch/|ATen/|c10/|nanobind/|pybind11/)")
COMPILER_HEADERS = re.compile(r"^(clang|llvm|clang-c|llvm-c)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


@dataclass(frozen=True)
class Fault:
    """One wrong include or import."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        """As compilers print it."""
        return f"{self.path}:{self.line}: {self.message}"


def allowed(layer: str) -> set[str]:
    """All layers whose headers `layer` may include."""
    result, pending = {layer, "support"}, [layer]
    while pending:
        for other in LAYERS[pending.pop()] - result:
            result.add(other)
            if other != "runtime":
                pending.append(other)
    return result


def layer_of_path(path: Path) -> str | None:
    """The layer that a file belongs to: src/passes/cse.cpp → passes; None for tests, examples and the like."""
    text = path.as_posix()
    inside = text.removeprefix("src/")
    if inside == text and not text.startswith(("frontends/", "python/src/", "tools/")):
        return "api" if text.startswith("include/") else None
    return _longest_layer(inside) or "(unknown)"


def layer_of_include(include: str) -> str | None:
    """The layer that an include names, None if it is not a file of Litz."""
    if include in COMMON_API:
        return "support"
    if include.startswith("litz/"):
        return "api"
    return _longest_layer(include.removeprefix("src/"))


def _longest_layer(text: str) -> str | None:
    matches = [layer for layer in LAYERS if text.startswith(layer + "/")]
    return max(matches, key=len) if matches else None


def check_include(layer: str, include: str) -> str | None:
    """What is wrong with a file of `layer` that includes `include`; None if nothing is."""
    if PYTHON_HEADERS.match(include) and layer != "python/src":
        return f"{include}: only python/src may include Python or PyTorch headers"
    if COMPILER_HEADERS.match(include) and layer != "kernel_cache":
        return f"{include}: only kernel_cache may include Clang and LLVM headers"
    other = layer_of_include(include)
    if include.startswith("litz/") and other == "api":
        return None if layer in API_USERS else f"{include}: {layer} may include only {', '.join(sorted(COMMON_API))}"
    if other and other not in allowed(layer):
        return f"{include}: {layer} may not include {other}"
    return None


def check_cpp(root: Path, path: Path) -> list[Fault]:
    """Wrong includes of one C++ file."""
    layer = layer_of_path(path)
    if layer is None:
        return []
    if layer == "(unknown)":
        return [Fault(path, 1, "belongs to no layer of the table in scripts/check_layers.py")]
    faults = []
    for number, line in enumerate((root / path).read_text().splitlines(), start=1):
        match = INCLUDE.match(line)
        message = check_include(layer, match[1]) if match else None
        if message:
            faults.append(Fault(path, number, message))
    return faults


def check_python(root: Path, path: Path) -> list[Fault]:
    """Imports of torch outside python/litz/torch."""
    text = path.as_posix()
    if not text.startswith("python/litz/") or text.startswith("python/litz/torch/"):
        return []
    faults = []
    for node in ast.walk(ast.parse((root / path).read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        if any(name.split(".")[0] == "torch" for name in names):
            faults.append(Fault(path, node.lineno, "only python/litz/torch may import torch"))
    return faults


def check(root: Path) -> list[Fault]:
    """All faults of a tree."""
    faults = [fault for path in source_tree.select(source_tree.CPP, root) for fault in check_cpp(root, path)]
    return faults + [fault for path in source_tree.select({".py"}, root) for fault in check_python(root, path)]


def main() -> int:
    """Prints the faults; 1 if there are any."""
    faults = check(Path(sys.argv[1]) if len(sys.argv) > 1 else source_tree.ROOT)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
