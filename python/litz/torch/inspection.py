"""From what `torch.compile` returned to what Litz compiled for it."""

from __future__ import annotations

from typing import Any

import torch

from litz import _litz
from litz.records import FrameRecord, registry
from litz.report import Report, make_report
from litz.torch import frames


def report_of(function: Any) -> Report:
    """The report of one compiled function or module; of everything if it is None."""
    if function is None:
        return make_report("everything compiled in this process", registry.frames())
    return make_report(_title(function), _frames_of(function))


def refresh_weights(function: Any) -> None:
    """Makes every executable of `function` prepare its weights again."""
    for frame in _frames_of(function):
        for graph in frame.graphs:
            for specialization in graph.specializations:
                if specialization.refresh is not None:
                    specialization.refresh()


def _frames_of(function: Any) -> list[FrameRecord]:
    wrapper = frames.compile_wrapper_of(function)
    code = frames.original_code_of(function)
    if wrapper is None and code is None:
        raise _litz.UserError(
            "expected what torch.compile(…) or litz.compile(…) returned, or a decorated function; "
            f"got {type(function).__name__}"
        )
    alive = registry.frames()
    own = [f for f in alive if wrapper is not None and f.wrapper is wrapper]
    if own:
        return own
    # Two torch.compile calls with equal options share what Dynamo compiled for one function.
    tensors = _tensor_ids(function)
    same_code = [f for f in alive if f.code is code]
    return [f for f in same_code if tensors is None or f.belongs_to(tensors)]


def _tensor_ids(function: Any) -> set[int] | None:
    module = getattr(function, "_orig_mod", None)
    if not isinstance(module, torch.nn.Module):
        return None
    return {id(t) for t in [*module.parameters(), *module.buffers()]}


def _title(function: Any) -> str:
    module = getattr(function, "_orig_mod", None)
    if module is not None:
        return type(module).__name__
    return getattr(function, "__qualname__", type(function).__name__)
