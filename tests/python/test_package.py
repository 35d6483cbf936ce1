import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import litz

needs_clang = pytest.mark.skipif("in process" not in litz._litz.info()["compiler"], reason="compiler on PATH")


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_litz_does_not_import_torch():
    assert run_python("import litz, litz.cli, sys; print('torch' in sys.modules)") == "False"


def test_torch_compile_needs_no_import_of_litz():
    code = (
        "import torch\n"
        "f = torch.compile(lambda x: torch.sin(torch.cos(x)), backend='litz')\n"
        "x = torch.linspace(-4, 4, 1000)\n"
        "print(torch.allclose(f(x), torch.sin(torch.cos(x)), atol=1e-6))"
    )
    assert run_python(code) == "True"


def test_torch_lists_the_back_end():
    assert "litz" in torch.compiler.list_backends()


def test_litz_lists_its_back_ends():
    assert "litz" in litz.list_backends()
    assert litz.list_backends() == sorted(litz.list_backends())


def test_options_document_themselves():
    values = litz.Options().as_dict()
    assert values["mode"] == "default"
    for name in values:
        assert f"{name} (" in litz.Options.__doc__
    assert litz.Options(fallback="error", threads=1).get("threads") == 1


SINCOS = (
    "import torch\n"
    "f = torch.compile(lambda x: torch.sin(torch.cos(x)), backend='litz', options={'fallback': 'error'})\n"
    "f(torch.ones(100))\n"
)


@needs_clang
def test_kernels_on_disk_need_no_compiler(tmp_path):
    code = SINCOS + "print('liblitz_clang' in open('/proc/self/maps').read())"
    assert run_python(code, LITZ_CACHE_DIR=str(tmp_path)) == "True"
    assert run_python(code, LITZ_CACHE_DIR=str(tmp_path)) == "False"


@needs_clang
def test_a_broken_compiler_is_named(tmp_path):
    package = tmp_path / "litz"
    shutil.copytree(Path(litz._litz.__file__).parent, package)
    broken = package / "liblitz_clang.so"
    broken.unlink(missing_ok=True)
    broken.write_bytes(b"no library")
    code = "try:\n" + "".join(f"    {line}\n" for line in SINCOS.splitlines()) + "except Exception as e: print(e)"
    message = run_python(code, LITZ_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=str(tmp_path))
    assert f"cannot load the compiler, {broken}" in message
