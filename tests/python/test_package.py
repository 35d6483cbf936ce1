import subprocess
import sys

import torch

import litz


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
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
