#!/usr/bin/env python3
"""Checks the tree as a whole: every folder has a README.md; no file holds an absolute path of one machine.

scripts/check_tree.py [ROOT]
"""

import re
import sys
from pathlib import Path

import source_tree

MACHINE_PATH = re.compile(r"(?<![\w.$}-])/(?:work|root|tmp|home|farm|opt)/\w[\w./-]*")
# perf looks for the names of generated code there, on every machine.
LEGITIMATE = {"/tmp" + "/perf-", "/tmp" + "/litz-perf-"}
BINARY = {".png", ".npz", ".pt", ".bin", ".safetensors"}


def missing_readmes(paths: list[Path]) -> list[Path]:
    """Folders that hold files, at any depth, and no README.md; hidden folders are not asked for one."""
    folders = {parent for path in paths for parent in path.parents}
    visible = {folder for folder in folders if not any(part.startswith(".") for part in folder.parts)}
    return sorted(folder for folder in visible if folder / "README.md" not in paths)


def machine_paths(root: Path, path: Path) -> list[tuple[int, str]]:
    """(line, path) of each absolute path of one machine in a file."""
    if path.suffix in BINARY:
        return []
    found = []
    for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), start=1):
        found += [(number, match[0]) for match in MACHINE_PATH.finditer(line) if match[0] not in LEGITIMATE]
    return found


def main() -> int:
    """Prints the faults; 1 if there are any."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else source_tree.ROOT
    paths = source_tree.files(root)
    faults = [f"{folder}: has no README.md" for folder in missing_readmes(paths)]
    for path in paths:
        faults += [f"{path}:{line}: absolute path {text}" for line, text in machine_paths(root, path)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
