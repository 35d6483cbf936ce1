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
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_(\d+)$")
_STACK_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+)')


def calling_wrapper() -> Any | None:
    """The object that `torch.compile` made for this back end, one for each call of `torch.compile`."""
    kind = getattr(torch, "_TorchCompileWrapper", None)
    for frame in _stack(6):
        owner = frame.f_locals.get("self")
        if kind is not None and isinstance(owner, kind):
            return owner
    return None


def traced_code() -> tuple[types.CodeType | None, str]:
    """The code object that Dynamo is compiling, and a name for it: the class, if it is a module's."""
    for frame in _stack(_STACK_DEPTH):
        owner = frame.f_locals.get("self")
        if type(owner).__name__ == "OutputGraph":
            root = getattr(owner, "root_tx", None)
            code = getattr(root, "f_code", None)
            return code, _program_name(code, getattr(root, "f_locals", None) or {})
    return None, "program"


def _program_name(code: types.CodeType | None, variables: Any) -> str:
    if code is None:
        return "program"
    # A module's method has it as the first variable; Dynamo's own frame around a module of torch as `fn`.
    for owner in (variables.get(name) for name in (*code.co_varnames[:1], "fn")):
        if isinstance(owner, torch.nn.Module):
            return type(owner).__name__
    return _RESUMED.sub(r"\1_after_line_\2", code.co_name).strip("<>")


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
    lines = list(_STACK_LINE.finditer(node.meta.get("stack_trace") or ""))
    if not lines:
        return _module_of(node)
    found = lines[-1]
    function = _RESUMED.sub(r"\1", found["function"])
    return f"{short_path(found['file'])}:{found['line']} in {function}"


def _module_of(node: torch.fx.Node) -> str:
    """The module that a node without a line of the user's comes from: "layers.0 (Linear)"."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    if not stack:
        return ""
    path, kind = list(stack.values())[-1]
    names = [n for n in re.findall(r"\w+", path)[2:] if n != "_modules"]
    return ".".join(names) + f" ({getattr(kind, '__name__', kind)})"


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
