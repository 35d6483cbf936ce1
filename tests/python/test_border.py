"""What crosses the border between torch and Litz: strides, aliases, odd tensors, many outputs."""

import pytest
import torch

import litz
from contract import assert_contract, assert_equals_eager, assert_same_border, compiled, quietly
from litz import _litz
from litz.torch.backend import litz_backend


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x + 1).t(),
        lambda x: (x + 1).unsqueeze(0).expand(3, -1, -1) * 1,
        lambda x: ((x + 1)[::2], x[1:] * 2),
        lambda x: (x * 2).view(-1)[3:],
        lambda x: (x + 1).to(torch.float64).t(),
    ],
)
def test_output_strides_are_eagers(program):
    assert_equals_eager(program, torch.randn(6, 8))


def test_channels_last_stays():
    x = torch.randn(2, 8, 5, 5).to(memory_format=torch.channels_last)
    assert_equals_eager(lambda a: torch.relu(a) + 1, x)


def test_an_input_that_is_returned_is_the_same_tensor():
    x = torch.randn(4)
    same, more = compiled(lambda a: (a, a + 1))(x)
    assert same is x
    assert torch.equal(more, x + 1)


def test_a_view_of_an_input_shares_its_memory():
    x = torch.randn(4, 4)
    view, _ = compiled(lambda a: (a.t(), a + 1))(x)
    assert view.data_ptr() == x.data_ptr()
    assert view.stride() == (1, 4)


def test_one_result_twice_is_one_tensor():
    def program(a):
        b = a * 2
        return b, b

    first, second = compiled(program)(torch.randn(3))
    first += 1
    assert torch.equal(first, second)


def test_views_of_one_result_share_memory():
    def program(a):
        b = a * 2
        return b, b.view(-1)

    matrix, flat = compiled(program)(torch.randn(2, 3))
    matrix.zero_()
    assert torch.equal(flat, torch.zeros(6))


def test_the_same_tensor_twice():
    x = torch.randn(5)
    assert torch.equal(compiled(lambda a, b: a * 2 + b)(x, x), x * 2 + x)


def test_overlapping_inputs():
    base = torch.arange(10.0)
    a, b = base[:6], base[4:]
    assert_equals = compiled(lambda x, y: x * 10 + y)
    assert torch.equal(assert_equals(a, b), a * 10 + b)


def test_in_place_on_an_input():
    x = torch.randn(33)
    expected = torch.sin(x) * 2
    result = compiled(lambda a: a.sin_().mul_(2))(x)
    torch.testing.assert_close(x, expected)
    assert result.data_ptr() == x.data_ptr()


def test_in_place_on_a_view_of_an_input():
    x = torch.zeros(4, 4)

    def program(a):
        a[1:3].add_(5)
        return a.sum()

    assert compiled(program)(x).item() == 40
    assert x[0].sum() == 0 and x[1:3].eq(5).all()


def test_outputs_that_are_no_tensors():
    assert compiled(lambda a: (None, 3, a + 1, "text"))(torch.zeros(1))[1] == 3


def test_no_inputs():
    assert torch.equal(compiled(lambda: torch.arange(5) * 2)(), torch.arange(5) * 2)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 4), ()])
def test_empty_and_scalar_tensors(shape):
    assert_contract(lambda a, b: torch.exp(a) * b + 1, lambda: [torch.randn(shape), torch.randn(shape)])


def test_misaligned_memory():
    storage = torch.zeros(4 * 101 + 1, dtype=torch.uint8)
    x = storage[1:].view(torch.uint8)[: 4 * 100]
    assert_equals_eager(lambda a: a + 3, x)


def test_tensors_that_require_no_grad_under_grad_mode():
    assert_equals_eager(lambda a: a * 2 + 1, torch.randn(9))


def test_inference_mode():
    f = compiled(lambda a: torch.tanh(a) * 2)
    with torch.inference_mode():
        x = torch.randn(50)
        result = f(x)
        assert result.is_inference()
        torch.testing.assert_close(result, torch.tanh(x) * 2)


def test_a_result_can_be_resized_and_shared():
    y = compiled(lambda a: a + 1)(torch.zeros(4))
    y.resize_(8)
    assert y.shape == (8,)


def test_many_inputs_and_outputs():
    tensors = [torch.randn(i + 1) for i in range(60)]
    results = compiled(lambda ts: [t * 2 for t in ts])(tensors)
    for t, r in zip(tensors, results, strict=True):
        assert torch.equal(r, t * 2)


def test_parameters_that_require_grad_without_grad_mode():
    layer = torch.nn.Linear(8, 4)
    x = torch.randn(3, 8)
    with torch.no_grad():
        result = compiled(layer)(x)
    assert_same_border(result, layer(x).detach())
    torch.testing.assert_close(result, layer(x).detach())


def test_graph_breaks():
    def program(a):
        b = a * 2
        torch._dynamo.graph_break()
        return torch.sin(b)

    f = compiled(program)
    x = torch.randn(10)
    torch.testing.assert_close(f(x), torch.sin(x * 2))
    assert len(litz.report(f).graphs) == 2


def test_sparse_tensors_run_through_pytorch():
    x = torch.eye(3).to_sparse()
    result = quietly(compiled(lambda a: a * 2), x)
    assert torch.equal(result.to_dense(), torch.eye(3) * 2)


def test_negative_bit():
    x = torch.view_as_complex(torch.randn(5, 2)).conj().imag
    assert x.is_neg()
    assert torch.equal(quietly(compiled(lambda a: a + 1), x), x + 1)


def test_a_program_called_with_other_strides_recompiles():
    f = compiled(lambda a: a + 1)
    x = torch.randn(6, 6)
    assert torch.equal(f(x), x + 1)
    assert torch.equal(f(x.t()), x.t() + 1)
    assert f(x.t()).stride() == (1, 6)


class Tagged(torch.Tensor):
    """A subclass that is its own data."""


def test_a_subclass_that_is_its_own_data():
    x = torch.randn(5).as_subclass(Tagged)
    result = quietly(compiled(lambda a: a * 2 + 1), x)
    torch.testing.assert_close(result.as_subclass(torch.Tensor), x.as_subclass(torch.Tensor) * 2 + 1)


def test_a_wrapper_subclass_is_taken_apart_by_aotautograd():
    from torch.testing._internal.two_tensor import TwoTensor

    x = TwoTensor(torch.randn(4), torch.randn(4))
    result = quietly(compiled(lambda a: a * 2), x)
    torch.testing.assert_close(result.a, x.a * 2)
    torch.testing.assert_close(result.b, x.b * 2)


DIRECT = {
    "plain": (lambda x, y: (x + y, x.sin()), True),
    "a number beside it": (lambda x, y: (x + y, 3), True),
    "writes an input": (lambda x, y: (x.add_(y), y.sin()), False),
    "returns an input": (lambda x, y: (x, y.sin()), True),  # Dynamo sees to it
    "returns a view of an input": (lambda x, y: (x[1:], y.sin()), False),
    "returns views of one result": (lambda x, y: (x + y).chunk(2), True),
    "gives no gradient": (lambda x, y: (x.detach() * 2, y.detach() > 0), True),
    "calls an op of torch": (lambda x, y: (torch.logcumsumexp(x + y, 0), x.sin()), False),
}


@pytest.mark.parametrize("case", DIRECT)
def test_dynamo_calls_what_needs_no_wrapper_directly(case):
    program, direct = DIRECT[case]
    seen = []

    def backend(module, inputs):
        seen.append(litz_backend(module, inputs, options={"fallback": "allow"}))
        return seen[-1]

    x, y = (torch.randn(6, requires_grad=case == "gives no gradient") for _ in range(2))
    found = torch.compile(program, backend=backend)(x.clone(), y.clone())
    expected = program(x.clone(), y.clone())
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)
    assert [isinstance(getattr(f, "__self__", None), _litz.Program) for f in seen] == [direct]


def test_autocast_around_a_direct_call_changes_nothing():
    program = compiled(lambda x, y: torch.relu(x @ y) + 1)
    x, y = torch.randn(8, 8), torch.randn(8, 8)
    with torch.autocast("cpu", torch.bfloat16):
        assert_same_border(program(x, y), torch.relu(x @ y) + 1)
