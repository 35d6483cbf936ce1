import subprocess
import sys
from pathlib import Path

import pytest

import check_layers


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def messages(root: Path) -> list[str]:
    return [str(fault) for fault in check_layers.check(root)]


@pytest.mark.parametrize(
    ("layer", "may", "may_not"),
    [
        ("symbolic", {"support"}, {"ir", "artifact", "runtime"}),
        ("runtime", {"artifact", "symbolic"}, {"ir", "kernel_cache", "driver"}),
        ("passes", {"ops", "ir", "symbolic", "support"}, {"kernel_ir", "interp", "artifact", "driver"}),
        ("fusion", {"kernel_ir", "ops", "ir"}, {"schedule", "passes"}),
        ("codegen/cpp", {"codegen", "schedule", "kernel_ir", "artifact"}, {"codegen/triton", "ops", "runtime"}),
        ("codegen/triton", {"codegen", "schedule"}, {"codegen/cpp"}),
        ("driver", {"runtime", "codegen/cpp", "codegen/triton", "passes", "kernel_cache"}, {"api", "frontends/trace"}),
        ("api", {"driver", "runtime", "passes", "frontends/trace"}, {"python/src", "tools"}),
        ("tools", {"driver", "api", "kernel_ir"}, {"python/src"}),
    ],
)
def test_table(layer: str, may: set[str], may_not: set[str]) -> None:
    allowed = check_layers.allowed(layer)
    assert may <= allowed
    assert not may_not & allowed


def test_right_includes_pass(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "src/passes/cse.cpp": '#include "passes/cse.h"\n#include "ops/op.h"\n#include "litz/error.h"\n',
            "src/runtime/cpu/pool.cpp": '#include "artifact/plan.h"\n',
            "src/kernel_cache/clang.cpp": "#include <clang/Basic/Diagnostic.h>\n",
            "frontends/trace/trace.cpp": '#include "ops/op.h"\n#include "frontends/trace/trace.h"\n',
            "python/src/module.cpp": '#include <nanobind/nanobind.h>\n#include "driver/driver.h"\n',
            "python/litz/torch/backend.py": "import torch\n",
            "tests/unit/passes/cse_test.cpp": '#include "driver/driver.h"\n',
        },
    )
    assert messages(root) == []


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "src/passes/a.cpp",
            '\n#include "driver/driver.h"\n',
            "a.cpp:2: driver/driver.h: passes may not include driver",
        ),
        ("src/codegen/cpp/a.cpp", '#include "codegen/triton/b.h"', "codegen/cpp may not include codegen/triton"),
        ("src/runtime/a.h", '#include "ir/graph.h"', "runtime may not include ir"),
        ("src/ir/a.h", "#include <Python.h>", "only python/src may include Python or PyTorch headers"),
        ("frontends/trace/a.cpp", "# include <torch/all.h>", "only python/src may include Python or PyTorch headers"),
        ("src/runtime/a.cpp", "#include <llvm/ADT/APInt.h>", "only kernel_cache may include Clang and LLVM headers"),
        ("src/driver/a.cpp", '#include "litz/tensor.h"', "driver may include only litz/dtype.h"),
        ("src/new_layer/a.cpp", "int a;", "belongs to no layer"),
        ("python/litz/report.py", "def f():\n    from torch.fx import Graph\n", "report.py:2: only python/litz/torch"),
    ],
)
def test_wrong_includes_fail(tmp_path: Path, path: str, text: str, expected: str) -> None:
    found = messages(tree(tmp_path, {path: text}))
    assert len(found) == 1
    assert expected in found[0]


def test_exit_status(tmp_path: Path) -> None:
    tree(tmp_path, {"src/ir/a.h": '#include "ops/op.h"\n'})
    run = subprocess.run([sys.executable, check_layers.__file__, str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stdout == "src/ir/a.h:1: ops/op.h: ir may not include ops\n"
