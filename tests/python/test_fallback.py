"""Ops that Litz does not compile run through PyTorch, and this is said once."""

import warnings

import pytest
import torch

import litz
from contract import compiled


def program(x):
    return torch.linalg.det(x) + torch.sin(x).sum()


def test_runs_and_says_so_once_with_op_reason_and_line():
    x = torch.randn(4, 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f = compiled(program)
        torch.testing.assert_close(f(x), program(x))
        f(x)
    messages = [str(w.message) for w in caught if w.category is litz.FallbackWarning]
    assert len(messages) == len(set(messages)) >= 1
    assert all("runs through PyTorch" in m and "test_fallback.py:" in m for m in messages)


def test_silent_mode_still_reports():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = compiled(program, fallback="allow")
        f(torch.randn(4, 4))
    assert litz.report(f).fallbacks


def test_foreign_results_of_several_dtypes():
    f = compiled(lambda x: torch.linalg.slogdet(x))
    x = torch.randn(3, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in zip(f(x), torch.linalg.slogdet(x), strict=True):
            torch.testing.assert_close(a, b)


@pytest.mark.parametrize("layout", [lambda t: t, lambda t: t.t(), lambda t: t[:, :3]])
def test_operands_of_any_layout(layout):
    f = compiled(lambda x: torch.linalg.pinv(torch.relu(x)) * 2)
    x = layout(torch.rand(4, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.testing.assert_close(f(x), torch.linalg.pinv(torch.relu(x)) * 2, rtol=1e-4, atol=1e-4)


def test_random_numbers_follow_the_seed():
    f = compiled(lambda x: torch.nn.functional.dropout(x, 0.5, training=True))
    x = torch.ones(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(7)
        first = f(x)
        torch.manual_seed(7)
        assert torch.equal(f(x), first)
        assert not torch.equal(f(x), first)


def test_custom_op():
    @torch.library.custom_op("litz_tests::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    twice.register_fake(lambda x: torch.empty_like(x))
    f = compiled(lambda x: twice(x) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(torch.ones(3)).tolist() == [3, 3, 3]


def test_an_error_inside_a_foreign_op_reaches_the_user():
    @torch.library.custom_op("litz_tests::refuse", mutates_args=())
    def refuse(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("not today")

    refuse.register_fake(lambda x: torch.empty_like(x))
    f = compiled(lambda x: refuse(x) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="not today"):
            f(torch.ones(3))


def test_control_flow_runs_through_pytorch():
    def branches(x):
        return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))

    f = compiled(branches)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(torch.ones(3)).tolist() == [2, 2, 2]
        assert f(-torch.ones(3)).tolist() == [-2, -2, -2]
