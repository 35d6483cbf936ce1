import subprocess
import sys
from pathlib import Path

import check_tree
import source_tree


def write(root: Path, name: str, text: str = "") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def run(root: Path) -> tuple[int, list[str]]:
    result = subprocess.run([sys.executable, check_tree.__file__, str(root)], capture_output=True, text=True)
    return result.returncode, result.stdout.splitlines()


def test_folder_without_readme_fails(tmp_path: Path) -> None:
    write(tmp_path, "README.md")
    write(tmp_path, ".ci/run")
    write(tmp_path, "src/README.md")
    assert run(tmp_path) == (0, [])
    write(tmp_path, "src/ir/deep/graph.h")
    assert run(tmp_path) == (1, ["src/ir: has no README.md", "src/ir/deep: has no README.md"])


def test_machine_path_fails(tmp_path: Path) -> None:
    write(tmp_path, "README.md", "ok: build/tmp/x, a/tmp/b, $HOME/tmp/c, /usr/lib/x, a / root / b\n")
    assert run(tmp_path) == (0, [])
    path = "/" + "root/litz/x.cpp"
    write(tmp_path, "README.md", f"one\nsee {path}\n")
    assert run(tmp_path) == (1, [f"README.md:2: absolute path {path}"])


def test_files_without_git_leave_out_build_outputs(tmp_path: Path) -> None:
    for name in (
        "src/a.h",
        ".ci/run",
        "build/release/a.h",
        ".venv/x.py",
        "python/litz/_litz.so",
        "a/__pycache__/b.pyc",
    ):
        write(tmp_path, name)
    assert [path.as_posix() for path in source_tree.files(tmp_path)] == [".ci/run", "src/a.h"]


def test_files_with_git_follow_gitignore(tmp_path: Path) -> None:
    for name in ("src/a.h", "out/b.h"):
        write(tmp_path, name)
    write(tmp_path, ".gitignore", "/out/\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert [path.as_posix() for path in source_tree.files(tmp_path)] == [".gitignore", "src/a.h"]
