"""Where Litz is built without LLVM, the compiler may be GCC: generated text for Clang alone shows here."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

TEXTS = sorted((Path(__file__).parent / "golden").glob("*.cpp"))
X86 = {"avx512", "dot", "amx"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_gcc_takes_the_text(path):
    target = path.stem.split(".")[1]
    if target in X86 and platform.machine() != "x86_64":
        pytest.skip("its vector functions are those of x86")
    isa = ["-march=sapphirerapids"] if target in X86 else []
    command = ["g++", "-std=c++20", "-w", "-fsyntax-only", *isa, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
