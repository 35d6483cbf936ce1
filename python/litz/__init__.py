"""Litz compiles tensor programs to fused kernels.

    f = torch.compile(function_or_module, backend="litz")

needs no import of this package. What is here looks inside (`report`), chooses another back end (`compile`,
`register_backend`), and frees or refreshes what Litz holds. Importing it does not import torch.
"""

from __future__ import annotations

from typing import Any

from litz import _litz, messages
from litz._litz import (
    Error,
    Graph,
    IndexError,
    InternalError,
    Options,
    UnsupportedError,
    UserError,
    empty_cache,
    version,
)
from litz.backends import list_backends, register_backend, unregister_backend
from litz.messages import FallbackWarning, WeightWarning
from litz.report import Report

__version__ = version()

__all__ = [
    "Error",
    "FallbackWarning",
    "Graph",
    "IndexError",
    "InternalError",
    "Options",
    "Report",
    "UnsupportedError",
    "UserError",
    "WeightWarning",
    "compile",
    "empty_cache",
    "list_backends",
    "refresh",
    "register_backend",
    "report",
    "reset",
    "unregister_backend",
]


def compile(
    function: Any = None,
    *,
    backend: str = "litz",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    **torch_arguments: Any,
) -> Any:
    """`torch.compile` with Litz, and with one of Litz's back ends inside: see `list_backends`.

    `mode` and `options` may stand together here; other arguments go to `torch.compile`. Without `function`, it is
    a decorator.
    Raises UserError for an unknown back end, mode or option, or a value of a wrong type.
    """
    from litz.torch.backend import compile_with

    return compile_with(function, backend, mode, options or {}, torch_arguments)


def report(function: Any = None) -> Report:
    """What Litz compiled for `function`, a result of `torch.compile` or `litz.compile`; for everything without it."""
    from litz.torch.inspection import report_of

    return report_of(function)


def refresh(function: Any) -> None:
    """Packs and folds the weights of `function` again at its next call.

    Needed only after a write that torch does not count, such as through a NumPy view; other changes are noticed.
    """
    from litz.torch.inspection import refresh_weights

    refresh_weights(function)


def reset() -> None:
    """Forgets what Litz keeps between compilations: kernels in memory and which fall-backs were told.

    Programs that exist keep their kernels. `torch.compiler.reset()` makes torch forget the programs.
    """
    _litz.reset()
    messages.forget()
