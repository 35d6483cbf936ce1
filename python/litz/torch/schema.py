"""Arguments of an ATen call, in the order of its schema and with defaults filled in, as the op records take them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from litz import _litz
from litz.torch.values import DTYPE_NAMES, Sizes


def positional_arguments(node: Node, value_of: Callable[[Node], Any], sizes: Sizes) -> list[Any] | str:
    """The arguments of `node`, one for each of its schema, or the reason why the op records cannot take them."""
    parameters = _parameters(node.target)
    arguments: list[Any] = list(node.args)
    for name, default, required in parameters[len(arguments) :]:
        if name in node.kwargs:
            arguments.append(node.kwargs[name])
        elif required:
            return f"argument {name} is missing"
        else:
            arguments.append(default)
    try:
        return [_lower(a, value_of, sizes) for a in arguments]
    except _NotRepresentable as e:
        return str(e)


class _NotRepresentable(Exception):
    pass


@functools.cache
def _parameters(target: torch._ops.OpOverload) -> list[tuple[str, Any, bool]]:
    return [(a.name, a.default_value, not a.has_default_value()) for a in target._schema.arguments]


def _lower(value: Any, value_of: Callable[[Node], Any], sizes: Sizes) -> Any:
    if isinstance(value, Node):
        known = value_of(value)
        if isinstance(known, tuple):
            raise _NotRepresentable("an argument that is a tuple of tensors is not supported")
        return _lower(known, value_of, sizes)
    if value is None or isinstance(value, (_litz.Value, bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_lower(v, value_of, sizes) for v in value]
    if isinstance(value, torch.dtype):
        if value not in DTYPE_NAMES:
            raise _NotRepresentable(f"dtype {value} is not supported")
        return _litz.DType(DTYPE_NAMES[value])
    if isinstance(value, torch.memory_format):
        return str(value).removeprefix("torch.")
    return _lower_rest(sizes.value(value))


def _lower_rest(value: Any) -> Any:
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, torch.layout):
        if value is torch.strided:
            return None
        raise _NotRepresentable(f"layout {value} is not supported")
    if isinstance(value, torch.device):
        if value.type == "cpu":
            return None
        raise _NotRepresentable(f"device {value} is not supported in this version")
    raise _NotRepresentable(f"an argument of type {type(value).__name__} is not supported")
