"""What Litz's extension module needs of torch to read and to make tensors."""

from __future__ import annotations

import functools
from typing import Any

import torch

from litz import _litz
from litz.torch.values import DTYPE_NAMES


@functools.cache
def tensor_api() -> _litz.TensorApi:
    """The one TensorApi of this process."""
    return _litz.TensorApi(torch.Tensor, _empty_strided(), {name: dtype for dtype, name in DTYPE_NAMES.items()})


def _empty_strided() -> Any:
    # Half the time of the public function. Inductor's wrappers call it, so that it is there in every torch since 2.1.
    guards = getattr(torch._C._dynamo, "guards", None)
    fast = getattr(guards, "_empty_strided_cpu", None)
    return fast if fast is not None else _slow_empty_strided


def _slow_empty_strided(size: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    return torch.empty_strided(size, stride, dtype=dtype)
