"""The seed program through every layer: dtypes, sizes, layouts; one kernel that reads x once and writes once."""

import pytest
import torch

import litz
from contract import assert_contract, assert_same_border, compiled


def sincos(x):
    return torch.sin(torch.cos(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("size", [0, 1, 7, 10_000, (1 << 20) + 3])
def test_sizes_and_dtypes(size, dtype):
    assert_contract(sincos, lambda: [(torch.randn(size, dtype=torch.float64) * 3).to(dtype)])


LAYOUTS = {
    "scalar": lambda: torch.randn(()),
    "matrix": lambda: torch.randn(37, 53),
    "transposed": lambda: torch.randn(37, 53).t(),
    "sliced": lambda: torch.randn(64, 64)[3:40:2, 1:50],
    "expanded": lambda: torch.randn(1, 53).expand(37, 53),
    "channels last": lambda: torch.randn(2, 16, 9, 9).to(memory_format=torch.channels_last),
    "offset": lambda: torch.randn(1001)[1:],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    assert_contract(sincos, lambda: [LAYOUTS[layout]()])


def test_special_values():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e30, -3e38, 1e-42])
    result = compiled(sincos)(x)
    torch.testing.assert_close(result, sincos(x), rtol=0, atol=2e-7, equal_nan=True)


def test_is_one_kernel_that_reads_and_writes_once():
    f = compiled(sincos)
    x = torch.randn(10_000)
    assert_same_border(f(x), sincos(x))
    report = litz.report(f)
    assert not report.fallbacks
    (kernel,) = report.kernels
    assert kernel.bytes == 2 * x.numel() * x.element_size()
    assert [op.split()[0] for op in kernel.ops] == ["aten.cos.default", "aten.sin.default"]


def test_integers_become_floats():
    assert_contract(sincos, lambda: [torch.randint(-9, 9, (100,))])


def test_large_output_comes_from_the_pool_and_goes_back():
    f = compiled(sincos)
    x = torch.randn(1 << 20)
    from litz import _litz

    y = f(x)
    first = y.data_ptr()
    in_use = _litz.memory_stats()["in_use"]
    assert in_use >= y.numel() * y.element_size()
    del y
    assert _litz.memory_stats()["in_use"] < in_use
    again = f(x)
    assert again.data_ptr() == first, "the block is used again"
    del again
    litz.empty_cache()
    assert _litz.memory_stats()["held"] == 0


def test_outputs_of_two_calls_do_not_share_memory():
    f = compiled(sincos)
    x, y = torch.randn(1 << 19), torch.randn(1 << 19)
    a, b = f(x), f(y)
    assert a.data_ptr() != b.data_ptr()
    torch.testing.assert_close(a, sincos(x))
