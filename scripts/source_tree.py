"""The files of the repository, as the checks in this folder see them."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IGNORED_FOLDERS = {"build", "dist", "__pycache__", "litz_debug", "torch_compile_debug"}


def files(root: Path = ROOT) -> list[Path]:
    """Paths relative to `root`, sorted: what git tracks or would track, or without git all but build outputs."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (root / ".git").exists():
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = {Path(name) for name in listed.split("\0") if name}
    else:
        found = {path.relative_to(root) for path in root.rglob("*")}
        found = {path for path in found if not _is_ignored(path)}
    return sorted(path for path in found if (root / path).is_file() and not (root / path).is_symlink())


def _is_ignored(path: Path) -> bool:
    hidden = any(part.startswith(".") and part != ".ci" for part in path.parts[:-1])
    return hidden or any(part in IGNORED_FOLDERS for part in path.parts) or path.suffix == ".so"


def select(suffixes: set[str], root: Path = ROOT) -> list[Path]:
    """Files of the repository with one of `suffixes`."""
    return [path for path in files(root) if path.suffix in suffixes]


CPP = {".cpp", ".h", ".cu"}
PYTHON = {".py", ".pyi"}
