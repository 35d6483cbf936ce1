"""The command `litz`: what the machine is, the kernel cache, and litz-opt."""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version

from litz import _litz


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns its exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["opt"]:
        return _opt(arguments[1:])
    parser = argparse.ArgumentParser(prog="litz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("info", help="CPU, instruction set, compiler, devices, versions")
    cache = commands.add_parser("cache", help="the kernels kept on disk")
    cache.add_argument("action", choices=["path", "size", "clear"])
    cache.add_argument("--dir", default="", help="another folder than LITZ_CACHE_DIR or the user's cache folder")
    commands.add_parser("opt", help="litz-opt: runs stages of the compiler on text (litz opt --help)")
    parsed = parser.parse_args(arguments)
    if parsed.command == "info":
        _info()
    else:
        _cache(parsed.action, parsed.dir)
    return 0


def _cpu_name() -> str:
    """What the system calls the CPU, or its architecture."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def _info() -> None:
    info = _litz.info()
    units = [name for key, name in (("bf16_dot", "bf16 dot products"), ("amx", "AMX")) if info[key]]
    rows = {
        "litz": info["version"],
        "kernels compiled by": info["compiler"],
        "cpu": _cpu_name(),
        "instruction set": ", ".join([info["isa"], *units]),
        "caches": ", ".join(f"L{i} {info[f'l{i}_bytes'] >> 10} KiB" for i in (1, 2, 3)),
        "threads": info["threads"],
        "devices": ", ".join(info["devices"]),
        "python": sys.version.split()[0],
        "torch": _version_of("torch"),
        "kernel cache": _litz.cache_info()["path"],
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}}  {value}")


def _cache(action: str, directory: str) -> None:
    info = _litz.cache_info(directory)
    if action == "path":
        print(info["path"])
    elif action == "size":
        print(f"{info['entries']} kernels, {info['bytes'] / 2**20:.1f} MiB in {info['path']}")
    else:
        print(f"{_litz.clear_cache(directory)} removed from {info['path']}")


def _opt(arguments: list[str]) -> int:
    tool = shutil.which("litz-opt")
    if tool is None:
        print("litz opt: litz-opt is not on PATH; the C++ build makes it (tools/)", file=sys.stderr)
        return 1
    return subprocess.run([tool, *arguments], check=False).returncode


def _version_of(package: str) -> str:
    try:
        return package_version(package)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(main())
