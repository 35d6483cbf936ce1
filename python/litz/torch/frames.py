"""What TorchDynamo says about the program being compiled: which `torch.compile` call, which frame, why again.

Nothing here is needed to compile; where an installed torch does not tell, a report says less.
"""

from __future__ import annotations

import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

_STACK_DEPTH = 80  # frames between a back end and Dynamo's own, generously
_STACK_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)')


def calling_wrapper() -> Any | None:
    """The object that `torch.compile` made for this back end, one for each call of `torch.compile`."""
    kind = getattr(torch, "_TorchCompileWrapper", None)
    for frame in _stack(6):
        owner = frame.f_locals.get("self")
        if kind is not None and isinstance(owner, kind):
            return owner
    return None


def traced_code() -> types.CodeType | None:
    """The code object that Dynamo is compiling."""
    for frame in _stack(_STACK_DEPTH):
        owner = frame.f_locals.get("self")
        if type(owner).__name__ == "OutputGraph":
            return getattr(getattr(owner, "root_tx", None), "f_code", None)
    return None


def compile_id() -> str:
    """Dynamo's name of this compilation, "frame/times compiled before", or an empty string."""
    context = getattr(torch._guards, "CompileContext", None)
    found = context.current_compile_id() if context is not None else None
    return "" if found is None else str(found)


def recompile_reason() -> str:
    """The guard that failed, if the frame had been compiled before; otherwise an empty string."""
    from torch._dynamo import utils

    context = getattr(utils, "get_metrics_context", lambda: None)()
    reason = getattr(context, "_metrics", {}).get("recompile_reason")
    return "" if reason is None else str(reason)


def compile_wrapper_of(compiled: Any) -> Any | None:
    """The `calling_wrapper` of what `torch.compile` returned, a module or a function."""
    context = getattr(compiled, "dynamo_ctx", None)
    candidates = [context, *_closure_values(compiled)]
    for candidate in candidates:
        backend = getattr(candidate, "callback", candidate)
        found = _innermost_backend(backend)
        if found is not None:
            return found
    return None


def original_code_of(compiled: Any) -> types.CodeType | None:
    """The code object of the function or of the module's forward behind what `torch.compile` returned."""
    original = getattr(compiled, "_orig_mod", None)
    if original is not None:
        return getattr(type(original).forward, "__code__", None)
    function = getattr(compiled, "_torchdynamo_orig_callable", None)
    return getattr(function, "__code__", None)


def source_of(node: torch.fx.Node) -> str:
    """The user's line behind a node: "model.py:12 in forward", or an empty string."""
    trace = node.meta.get("stack_trace") or ""
    lines = list(_STACK_LINE.finditer(trace))
    if not lines:
        return ""
    found = lines[-1]
    return f"{short_path(found['file'])}:{found['line']} in {found['function']}"


def short_path(path: str) -> str:
    """`path` relative to the current folder if it lies inside, otherwise its last two parts."""
    relative = os.path.relpath(path)
    if not relative.startswith(".."):
        return relative
    return os.path.join(*path.split(os.sep)[-2:])


def _stack(depth: int) -> Iterator[types.FrameType]:
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and depth > 0:
        yield frame
        frame = frame.f_back
        depth -= 1


def _closure_values(function: Any) -> list[Any]:
    cells = getattr(function, "__closure__", None) or ()
    values = []
    for cell in cells:
        try:
            values.append(cell.cell_contents)
        except ValueError:  # a variable not yet set
            continue
    return values


def _innermost_backend(backend: Any) -> Any | None:
    kind = getattr(torch, "_TorchCompileWrapper", None)
    for _ in range(16):
        if kind is not None and isinstance(backend, kind):
            return backend
        backend = getattr(backend, "_torchdynamo_orig_backend", None)
        if backend is None:
            return None
    return None
