"""Generated Triton runs on the CPU, interpreted, as Kernel IR says it should, and compiles for sm_90.

triton_cases writes the cases; triton_runner.py runs them in a process of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CASES = Path(os.environ.get("LITZ_BUILD_DIR", ROOT / "build/release")) / "tests/unit/codegen_triton/triton_cases"
KERNELS = sorted(HERE.glob("kernels/*.litz"))


def cases(*arguments):
    assert CASES.exists(), f"{CASES} is not built: make build"
    out = subprocess.run([CASES, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    assert out.returncode == 0, out.stderr
    return [line for line in out.stdout.splitlines() if line]


def run(mode, lines):
    """Runs the cases through triton_runner.py; gives the errors by name."""
    command = [sys.executable, HERE / "triton_runner.py", *mode]
    out = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
    assert out.returncode == 0, out.stderr[-4000:]
    results = [json.loads(line) for line in out.stdout.splitlines()]
    assert len(results) == len(lines)
    return {r["name"]: r["error"] for r in results if r["error"]}


@pytest.fixture(scope="module")
def kernel_errors():
    return run(["run"], cases(*KERNELS))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.stem)
def test_kernel_runs(kernel, kernel_errors):
    assert kernel_errors.get(str(kernel), "") == ""


def test_every_scalar_op_runs():
    lines = cases("ops")
    assert len(lines) > 300
    assert run(["run"], lines) == {}


def test_reductions_run():
    lines = cases("reductions")
    assert len(lines) > 80
    assert run(["run"], lines) == {}


def test_random_kernels_run():
    assert run(["run"], cases("random", 0, 120)) == {}


def test_kernels_compile():
    assert run(["compile", "90"], cases(*KERNELS)) == {}


def test_every_scalar_op_compiles():
    # Of each op one dtype; that all compile was seen once, and takes minutes.
    chosen = {}
    for line in cases("ops"):
        name = json.loads(line)["name"]
        for end in ("_f32", "_i32", "_bool"):
            if name.endswith(end):
                chosen.setdefault(name.split("_")[0] + end, line)
    assert len(chosen) > 50
    assert run(["compile", "90"], list(chosen.values())) == {}
