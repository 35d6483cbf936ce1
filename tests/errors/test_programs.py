"""Runs each program of programs/: its docstring ends in the error that it must raise, type and part of the message."""

import importlib
import runpy
from pathlib import Path

import pytest

import litz

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def expectation(path: Path) -> tuple[type, str]:
    docstring = path.read_text().split('"""')[1]
    kind, message = docstring.strip().splitlines()[-1].split(": ", 1)
    module, _, name = kind.rpartition(".")
    return getattr(importlib.import_module(module or "builtins"), name), message


def innermost(error: BaseException) -> BaseException:
    """The error that a back end raised, without Dynamo's wrapping."""
    return getattr(error, "inner_exception", error)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::litz.FallbackWarning")
def test_program_raises(path, monkeypatch):
    kind, message = expectation(path)
    monkeypatch.chdir(path.parent)
    with pytest.raises(Exception) as caught:
        runpy.run_path(str(path))
    error = innermost(caught.value)
    assert isinstance(error, kind), f"{type(error).__name__}: {error}"
    assert message in str(error)
    if issubclass(kind, litz.Error):
        assert message in str(caught.value), "the message is in what the user sees"


def test_error_types():
    assert issubclass(litz.IndexError, IndexError)
    assert issubclass(litz.IndexError, litz.UserError)
    assert issubclass(litz.UnsupportedError, NotImplementedError)
    assert issubclass(litz.InternalError, RuntimeError)
    for kind in (litz.UserError, litz.UnsupportedError, litz.InternalError):
        assert issubclass(kind, litz.Error)
