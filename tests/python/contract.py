"""The numerics contract as a check, and short ways to compile. Shared by tests/python and tests/models."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch

import litz

SEEDS = (0, 1, 2)


def compiled(function: Any, **options: Any) -> Any:
    """`function` through the litz back end, with nothing left of earlier compilations."""
    torch._dynamo.reset()
    return torch.compile(function, backend="litz", options=options or None)


def quietly(function: Callable[..., Any], *args: Any) -> Any:
    """Calls it; warnings of fall-backs do not show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", litz.FallbackWarning)
        return function(*args)


def tensors_of(result: Any) -> list[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for item in result for t in tensors_of(item)] if isinstance(result, (tuple, list)) else []


def assert_same_border(result: Any, expected: Any) -> None:
    """Dtype, shape and strides as eager's."""
    results, wanted = tensors_of(result), tensors_of(expected)
    assert len(results) == len(wanted)
    for a, b in zip(results, wanted, strict=True):
        assert (a.dtype, a.shape, a.requires_grad) == (b.dtype, b.shape, b.requires_grad)
        if b.numel() > 1:
            assert _strides(a) == _strides(b)


def assert_equals_eager(function: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Equal to eager bit by bit (NaN equals NaN), for programs whose result has one right value."""
    expected = function(*_fresh(args))
    result = quietly(compiled(function, **options), *_fresh(args))
    assert_same_border(result, expected)
    for a, b in zip(tensors_of(result), tensors_of(expected), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


def assert_contract(
    function: Any, make_args: Callable[[], Sequence[Any]], seeds: Sequence[int] = SEEDS, litz_function: Any = None
) -> Any:
    """Max and mean error against float64 at most twice eager's own plus one ulp, for every output and seed.

    Returns the compiled function.
    """
    fast = litz_function if litz_function is not None else compiled(function)
    exact_function = copy.deepcopy(function).double() if isinstance(function, torch.nn.Module) else function
    for seed in seeds:
        torch.manual_seed(seed)
        args = make_args()
        with torch.no_grad():
            exact = exact_function(*[_to_double(a) for a in args])
            eager = function(*args)
            result = quietly(fast, *args)
        assert_same_border(result, eager)
        for number, outputs in enumerate(zip(*map(tensors_of, (result, eager, exact)), strict=True)):
            _assert_near(*outputs, f"output {number}, seed {seed}")
    return fast


def _assert_near(result: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor, where: str) -> None:
    if not result.dtype.is_floating_point:
        assert torch.equal(result, eager), where
        return
    finite = torch.isfinite(exact) & torch.isfinite(eager)
    assert torch.equal(torch.isnan(result), torch.isnan(eager)), f"{where}: NaN elsewhere than eager's"
    assert torch.equal(torch.isfinite(result), torch.isfinite(eager)), f"{where}: infinite elsewhere than eager's"
    if not finite.any():
        return
    exact = exact[finite]
    errors = (result[finite].double() - exact).abs()
    allowed = (eager[finite].double() - exact).abs()
    ulp = exact.abs() * torch.finfo(result.dtype).eps
    limit = 2 * allowed.max() + ulp.max()
    assert errors.max() <= limit, f"{where}: max error {errors.max():.3e}, eager's {allowed.max():.3e}"
    limit = 2 * allowed.mean() + ulp.mean()
    assert errors.mean() <= limit, f"{where}: mean error {errors.mean():.3e}, eager's {allowed.mean():.3e}"


def _to_double(value: Any) -> Any:
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def _fresh(args: Sequence[Any]) -> list[Any]:
    """Copies that keep strides, so that a program may change its inputs."""
    return [
        torch.empty_strided(a.shape, a.stride(), dtype=a.dtype).copy_(a)
        if isinstance(a, torch.Tensor) and 0 not in a.stride()
        else a
        for a in args
    ]


def _strides(tensor: torch.Tensor) -> list[int]:
    return [s for s, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1]
