"""Programs that broke other compilers, and their kind: other dtypes, sizes and layouts."""

import pytest
import torch

from contract import assert_equals_eager, compiled, quietly

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
LARGE = 1024  # 1024 × 1024 elements are 2^20

# ---- order of reads and writes


def copy_then_add(dst, src):
    dst[:, :] = src[:, :]
    src.add_(1)
    return dst


def test_reads_precede_writes():
    dst, src = torch.zeros(2, 4), torch.arange(8.0).view(2, 4)
    compiled(copy_then_add)(dst, src)
    assert dst[0].tolist() == [0, 1, 2, 3]
    assert src[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (LARGE, LARGE)])
def test_reads_precede_writes_everywhere(dtype, shape):
    make = lambda: torch.arange(shape[0] * shape[1]).view(shape).to(dtype)  # noqa: E731
    a, b = [make() * 0, make()], [make() * 0, make()]
    copy_then_add(*a)
    compiled(copy_then_add)(*b)
    assert torch.equal(a[0], b[0]) and torch.equal(a[1], b[1])


@pytest.mark.parametrize("change", [lambda t: t.t().contiguous().t(), lambda t: t[::2], lambda t: t[:, 1:3]])
def test_reads_precede_writes_in_views(change):
    a = [change(torch.zeros(8, 8)), change(torch.arange(64.0).view(8, 8))]
    b = [change(torch.zeros(8, 8)), change(torch.arange(64.0).view(8, 8))]
    copy_then_add(*a)
    compiled(copy_then_add)(*b)
    assert torch.equal(a[0], b[0]) and torch.equal(a[1], b[1])


# ---- a dtype view delays a read


def view_then_write(x):
    doubled = x.view(torch.int32) * 2
    x.sub_(-4)
    x[:, 2:4] = 2
    return doubled.view(torch.int64)


def test_dtype_view_does_not_delay_a_read():
    x = torch.arange(-12, 12).view(4, 6)
    y = x.clone()
    result = quietly(compiled(view_then_write), x)
    assert torch.equal(result, view_then_write(y))
    assert torch.equal(x, y)


@pytest.mark.parametrize("rows", [1, 33, LARGE])
def test_dtype_view_of_other_sizes(rows):
    x = torch.arange(rows * 6).view(rows, 6) - 12
    y = x.clone()
    assert torch.equal(quietly(compiled(view_then_write), x), view_then_write(y))
    assert torch.equal(x, y)


@pytest.mark.parametrize(
    ("dtype", "view"), [(torch.float32, torch.int32), (torch.bfloat16, torch.int16), (torch.float64, torch.int64)]
)
def test_dtype_view_between_floats_and_integers(dtype, view):
    assert_equals_eager(lambda x: (x.view(view) + 1).view(dtype), torch.randn(37).to(dtype))


# ---- scatter, then read yourself elsewhere


def scatter_then_flip(x):
    rows = torch.arange(x.shape[0])
    x.index_put_((rows,), x * 2)
    x += x.flip(0)
    return x


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int64, torch.int32])
def test_scatter_then_flip(dtype):
    x = torch.tensor([[0, 1], [2, 3], [4, 5], [6, 7]]).to(dtype)
    result = quietly(compiled(scatter_then_flip), x)
    assert result.tolist() == [[12, 16]] * 4
    assert x.tolist() == [[12, 16]] * 4


def test_scatter_then_flip_large():
    x = torch.arange(LARGE * LARGE, dtype=torch.float64).view(LARGE, LARGE)
    y = x.clone()
    assert torch.equal(quietly(compiled(scatter_then_flip), x), scatter_then_flip(y))


# ---- write through a stride-0 view


def test_write_through_expanded_scalar():
    base = torch.arange(2)

    def program(b):
        wide = b[0].expand(2)
        wide[-1:].fill_(3)
        return wide + 0

    result = quietly(compiled(program), base)
    assert result.tolist() == [3, 3]
    assert base.tolist() == [3, 1]


# ---- as_strided on a view


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.int16])
def test_as_strided_of_a_diagonal(dtype):
    base = torch.arange(8).view(2, 4).to(dtype)

    def program(b):
        b.diagonal().as_strided((2,), (1,), 0).add_(1)
        return b

    quietly(compiled(program), base)
    assert base.tolist() == [[1, 2, 2, 3], [4, 5, 6, 7]]


# ---- integers wrap in their own width


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.int8])
@pytest.mark.parametrize("size", [1, 33, (1 << 20) + 1])
def test_wrap_is_seen_after_widening(dtype, size):
    x = torch.full((size,), torch.iinfo(dtype).max, dtype=dtype)
    result = compiled(lambda a: (a + a).to(torch.int64))(x)
    assert result.unique().tolist() == [-2]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", [torch.add, torch.sub, torch.mul])
def test_arithmetic_wraps(op, dtype):
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    a = torch.tensor([low, high, low, high, 1, 0, 77], dtype=dtype)
    b = torch.tensor([low, high, high, 2, high, low, 3], dtype=dtype)
    assert_equals_eager(lambda x, y: op(x, y).to(torch.int64), a, b)


def test_unsigned_bytes_do_not_promote():
    a = torch.tensor([128], dtype=torch.uint8)
    assert compiled(lambda x: (x + x).to(torch.int16))(a).tolist() == [0]


def test_negated_byte_wraps_before_it_meets_a_float():
    a, b = torch.tensor([7], dtype=torch.uint8), torch.tensor([1.5, -0.25])
    assert compiled(lambda x, y: torch.neg(x) + y)(a, b).tolist() == [250.5, 248.75]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8])
def test_division_of_the_minimum_gives_no_signal(dtype):
    x = torch.tensor([torch.iinfo(dtype).min, 7, -7], dtype=dtype)
    y = torch.tensor([-1, 2, 2], dtype=dtype)
    result = quietly(compiled(lambda a, b: torch.div(a, b, rounding_mode="trunc")), x, y)
    assert result[1:].tolist() == [3, -3]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
@pytest.mark.parametrize("op", [torch.bitwise_left_shift, torch.bitwise_right_shift])
def test_shift_by_the_width_or_more(op, dtype):
    bits = 8 * torch.empty((), dtype=dtype).element_size()
    x = torch.tensor([100, 3, 1, 0] if dtype == torch.uint8 else [100, -3, 1, -1], dtype=dtype)
    for distance in (bits - 1, bits):
        assert_equals_eager(op, x, torch.full((4,), distance, dtype=dtype))


def test_shift_case():
    assert_equals_eager(lambda x: x << 64, torch.tensor([1000]))


# ---- division and remainder


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_truncated_quotients(dtype):
    a = torch.tensor([14.999999, 26.999999, 13.999999], dtype=dtype)
    b = torch.tensor([3.0, 3.0, 7.0], dtype=dtype)
    assert compiled(lambda x, y: torch.trunc(x / y))(a, b).tolist() == [4, 8, 1]
    assert_equals_eager(lambda x, y: torch.div(x, y, rounding_mode="trunc"), a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_exact_quotients(dtype):
    a = torch.tensor([148.0, 1073.0, 2112.0], dtype=dtype)
    b = torch.tensor([37.0, 37.0, 33.0], dtype=dtype)
    assert compiled(lambda x, y: torch.trunc(x / y))(a, b).tolist() == [4, 29, 64]


@pytest.mark.parametrize("mode", ["floor", "trunc", None])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_rounding_modes(dtype, mode):
    a = (torch.randn(4001) * 100).to(dtype)
    b = torch.where(torch.rand(4001) < 0.1, 0.0, torch.randn(4001)).to(dtype)
    assert_equals_eager(lambda x, y: torch.div(x, y, rounding_mode=mode), a, b)


def test_remainder_at_huge_ratios():
    f = lambda x, y: torch.remainder(x, y)  # noqa: E731
    x, y = torch.tensor([1e10]), torch.tensor([1e-20])
    assert compiled(f)(x, y).item() == pytest.approx(2.6418e-21, rel=1e-3)
    assert_equals_eager(f, x, y)


@pytest.mark.parametrize("op", [torch.remainder, torch.fmod])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.int8])
def test_remainders(op, dtype):
    a = (torch.randn(1001) * 50).to(dtype)
    b = (torch.randn(1001) * 9).to(dtype)
    b = torch.where(b == 0, torch.ones((), dtype=dtype), b)
    assert_equals_eager(op, a, b)


# ---- NaN, infinity, zero


def test_argmax_with_nan():
    assert quietly(compiled(lambda x: x.argmax()), torch.tensor([float("nan"), 4.6151])).item() == 0


@pytest.mark.parametrize("op", [torch.argmax, torch.argmin, torch.amax, torch.amin, torch.max, torch.min])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [2, 33, (1 << 20) + 1])
def test_extremes_propagate_nan(op, dtype, size):
    x = torch.randn(size).to(dtype)
    x[size // 2] = float("nan")
    assert_equals_eager(op, x)


def test_times_zero_is_not_zero():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0])
    assert str(compiled(lambda a: a * 0)(x).tolist()) == "[nan, nan, nan, 0.0]"


@pytest.mark.parametrize("dtype", FLOATS)
def test_algebra_that_floats_do_not_have(dtype):
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0, -0.0, 0.0]).to(dtype)
    for program in (lambda a: a - a, lambda a: a / a, lambda a: a * 0 + a, lambda a: a + 0.0, lambda a: 0.0 - a):
        assert_equals_eager(program, x)


# ---- 0-d tensors


def test_scans_and_means_of_scalars():
    assert quietly(compiled(lambda x: x.cumsum(0)), torch.tensor(5.0)).item() == 5.0
    ones = quietly(compiled(lambda x: x.cumsum(0)), torch.tensor(True))
    assert (ones.dtype, ones.item()) == (torch.int64, 1)
    assert quietly(compiled(lambda x: x.mean(0)), torch.tensor(2.5)).item() == 2.5


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4)])
@pytest.mark.parametrize("op", [torch.sum, torch.prod, torch.mean, torch.any, torch.all])
def test_reductions_of_nothing(op, shape):
    assert_equals_eager(op, torch.zeros(shape))


# ---- what Litz has no dtype for


def test_complex_broadcast_runs_through_pytorch():
    a, b = torch.ones(2, 2, dtype=torch.complex64), torch.ones(2, 1, dtype=torch.complex64)
    result = quietly(compiled(lambda x, y: x + y), a, b)
    assert torch.equal(result, torch.full((2, 2), 2, dtype=torch.complex64))


# ---- negative and outside indices


@pytest.mark.parametrize("index", [-2, -1, 5, 1 << 40])
def test_embedding_index_out_of_range(index):
    weight = torch.randn(5, 3)
    f = compiled(torch.nn.functional.embedding)
    with pytest.raises(IndexError):
        f(torch.tensor([0, index]), weight)


@pytest.mark.parametrize("index", [-6, 5])
def test_index_select_out_of_range(index):
    f = compiled(lambda x, i: x.index_select(0, i))
    with pytest.raises(IndexError):
        quietly(f, torch.randn(5, 3), torch.tensor([0, index]))


@pytest.mark.parametrize("index", [-6, 5])
def test_index_out_of_range(index):
    f = compiled(lambda x, i: x[i])
    with pytest.raises(IndexError):
        quietly(f, torch.randn(5, 3), torch.tensor([0, index]))


def test_negative_index_counts_from_the_end():
    assert_equals_eager(lambda x, i: x[i], torch.randn(5, 3), torch.tensor([-1, 0, -5]))


def test_gather_whose_index_is_built_from_itself():
    def program(x):
        index = x.gather(0, x)
        return index.gather(0, index.gather(0, index))

    assert_equals_eager(program, torch.tensor([2, 0, 1, 3]))


@pytest.mark.parametrize("rows", [0, 1, 1001])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_gather_and_embedding(rows, dtype):
    table = torch.randn(64, 8).mul(100).to(dtype)
    index = torch.randint(0, 64, (rows,))
    assert_equals_eager(lambda t, i: t[i] + t.index_select(0, i), table, index)
    assert_equals_eager(lambda t, i: t.gather(0, i[:, None].expand(-1, 8)) * 2, table, index)


# ---- index maths beyond 31 bits


def test_offset_above_two_to_the_31():
    # Memory that is never touched is never given by the system: only the end of this tensor is real.
    x = torch.empty((1 << 31) + 64, dtype=torch.int8)
    x[-64:] = torch.arange(64, dtype=torch.int8)
    result = compiled(lambda a: a[1 << 31 :] ^ 1)(x)
    assert torch.equal(result, torch.arange(64, dtype=torch.int8) ^ 1)


# ---- Python around the graph


def test_closures_that_differ_in_what_they_captured():
    def factory(op):
        return lambda a, b: op(a, b)

    add, mul = (torch.compile(factory(op), backend="litz") for op in (torch.add, torch.mul))
    a, b = torch.tensor([6.0]), torch.tensor([3.0])
    assert (add(a, b).item(), mul(a, b).item()) == (9, 18)


def test_list_that_grows_while_it_is_walked():
    def program(x):
        items = [0, 1]
        for item in items:
            if len(items) < 6:
                items.append(item)
            x = x + 1
        return x

    assert compiled(program)(torch.zeros(())).item() == 6
