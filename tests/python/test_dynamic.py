"""Symbolic sizes: one executable for each tuple of sizes, made when met."""

import pytest
import torch

import litz
from contract import compiled, quietly
from litz.torch.programs import MAX_SPECIALIZATIONS


def program(x, y):
    return torch.tanh(x) * y.sum(-1, keepdim=True) + x.shape[0]


def test_dynamic_true():
    f = torch.compile(program, backend="litz", dynamic=True)
    for n, m in [(3, 4), (7, 4), (7, 9), (3, 4), (64, 1)]:
        x, y = torch.randn(n, m), torch.randn(n, m)
        torch.testing.assert_close(quietly(f, x, y), program(x, y))


def test_automatic_dynamic_compiles_twice_and_specialises():
    f = compiled(program)
    for n in (3, 5, 6, 7):
        x, y = torch.randn(n, 4), torch.randn(n, 4)
        torch.testing.assert_close(quietly(f, x, y), program(x, y))
    report = litz.report(f)
    sizes = [g.symbols for g in report.graphs]
    assert sizes[0] == {}
    assert [list(s.values()) for s in sizes[1:]] == [[5], [6], [7]]
    reasons = [r.reason for r in report.recompiles]
    assert any("mismatch" in r for r in reasons)
    assert sum("other sizes" in r for r in reasons) == 2


def test_output_strides_and_sizes_follow():
    f = torch.compile(lambda x: (x * 2).t(), backend="litz", dynamic=True)
    for n, m in [(3, 5), (8, 2)]:
        y = f(torch.randn(n, m))
        assert (y.shape, y.stride()) == ((m, n), (1, m))


def test_the_number_of_executables_is_bounded():
    f = torch.compile(lambda x: x + 1, backend="litz", dynamic=True)
    sizes = range(2, 2 + MAX_SPECIALIZATIONS + 5)
    for n in [*sizes, *sizes]:
        x = torch.randn(n)
        assert torch.equal(f(x), x + 1)
    assert any("dropped" in r.reason for r in litz.report(f).recompiles)


def test_integer_arguments():
    f = compiled(lambda x, n: x * n)
    for n in (2, 3, 4):
        assert f(torch.ones(3), n).tolist() == [n] * 3


def test_sizes_known_only_at_run_time_run_through_pytorch():
    f = compiled(lambda x: x[x > 0].sum())
    x = torch.randn(50)
    torch.testing.assert_close(quietly(f, x), x[x > 0].sum())
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        g = compiled(lambda x: x.nonzero() * 2)
        assert torch.equal(quietly(g, x), x.nonzero() * 2)


@pytest.mark.parametrize("n", [0, 1])
def test_zero_and_one(n):
    f = torch.compile(program, backend="litz", dynamic=True)
    for size in (5, n):
        x, y = torch.randn(size, 3), torch.randn(size, 3)
        torch.testing.assert_close(quietly(f, x, y), program(x, y))
