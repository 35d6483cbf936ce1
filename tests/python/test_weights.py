"""Frozen weights: every change that a user can make is seen, or the limit is the one that the README states."""

import gc
import itertools
import weakref

import pytest
import torch

import litz
from contract import compiled, quietly


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.ReLU(), torch.nn.Linear(48, 16)).eval()


def in_place(m):
    m[0].weight.mul_(1.5)


def load_state(m):
    m.load_state_dict({k: v + 0.25 for k, v in m.state_dict().items()})


def replace_data(m):
    m[0].weight.data = torch.randn(48, 32)


def replace_parameter(m):
    m[0].weight = torch.nn.Parameter(torch.randn(48, 32))


def optimizer_step(m):
    optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
    with torch.enable_grad():
        m(torch.randn(4, 32)).sum().backward()
    optimizer.step()


def bias_only(m):
    m[2].bias.fill_(3)


@pytest.mark.parametrize(
    "change",
    [in_place, load_state, replace_data, replace_parameter, optimizer_step, bias_only],
    ids=lambda c: c.__name__,
)
@pytest.mark.parametrize("packs", [False, True], ids=["plain", "packed"])
def test_a_change_is_seen_at_the_next_call(change, packs):
    m = model()
    f = compiled(m, pack_weights=packs)
    x = torch.randn(5, 32)
    with torch.no_grad():
        for _ in range(3):
            torch.testing.assert_close(f(x), m(x))
            change(m)
        torch.testing.assert_close(f(x), m(x))


@pytest.mark.parametrize("packs", [False, True], ids=["plain", "packed"])
def test_a_new_weight_at_the_old_address_is_seen(packs):
    m = model()
    f = compiled(m, pack_weights=packs)
    x = torch.randn(5, 32)
    with torch.no_grad():
        for _ in range(10):
            m[0].weight.data = torch.randn(48, 32)
            torch.testing.assert_close(f(x), m(x))
            gc.collect()


def test_a_weight_of_which_there_is_no_copy_is_read_at_each_call():
    m = model()
    f = compiled(m)
    x = torch.randn(5, 32)
    with torch.no_grad():
        f(x)
        m[0].weight.detach().numpy()[:] = 2
        torch.testing.assert_close(f(x), m(x))
    assert sum(g.prepared_bytes for g in litz.report(f).graphs) == 0


def test_max_autotune_packs_weights():
    f = torch.compile(model(), backend="litz", mode="max-autotune")
    with torch.no_grad():
        f(torch.randn(5, 32))
    assert sum(g.prepared_bytes for g in litz.report(f).graphs) >= 4 * (32 * 48 + 48 * 16)


def test_refresh_after_a_write_that_torch_does_not_count():
    m = model()
    f = compiled(m, pack_weights=True)
    x = torch.randn(5, 32)
    with torch.no_grad():
        f(x)
        m[0].weight.detach().numpy()[:] = 2
        litz.refresh(f)
        torch.testing.assert_close(f(x), m(x))


def test_an_uncounted_write_is_found_within_some_calls():
    m = model()
    f = compiled(m, pack_weights=True)
    x = torch.randn(5, 32)
    with torch.no_grad():
        f(x)
        for p in m.parameters():
            p.data.add_(1)
        with pytest.warns(litz.WeightWarning, match="without torch counting it"):
            for _ in range(200):
                result = f(x)
        torch.testing.assert_close(result, m(x))


def test_without_freezing_nothing_is_packed():
    m = model()
    f = compiled(m, freeze=False)
    x = torch.randn(5, 32)
    with torch.no_grad():
        torch.testing.assert_close(f(x), m(x))
        m[0].weight.detach().numpy()[:] = 2
        torch.testing.assert_close(f(x), m(x))
    assert all(not k.prepare for g in litz.report(f).graphs for k in g.kernels)


def test_a_buffer_that_the_program_changes_is_not_frozen():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(4))

        def forward(self, x):
            self.count += 1
            return x + self.count

    m = Counter()
    f = compiled(m)
    with torch.no_grad():
        assert [f(torch.zeros(4))[0].item() for _ in range(3)] == [1, 2, 3]


def test_parameters_passed_as_arguments_are_not_frozen():
    f = compiled(lambda x, w: x @ w)
    x = torch.randn(4, 4)
    with torch.no_grad():
        for _ in range(3):
            w = torch.nn.Parameter(torch.randn(4, 4))
            torch.testing.assert_close(f(x, w), x @ w)


def test_weights_are_let_go_with_the_model():
    m = model()
    f = compiled(m)
    with torch.no_grad():
        f(torch.randn(5, 32))
    storage = weakref.ref(m[0].weight)
    del m, f
    torch._dynamo.reset()
    gc.collect()
    assert storage() is None


def test_gradients_still_work_after_inference():
    m = model()
    f = compiled(m)
    x = torch.randn(5, 32)
    with torch.no_grad():
        f(x)
    quietly(f, x).sum().backward()
    got = m[0].weight.grad.clone()
    m.zero_grad()
    m(x).sum().backward()
    torch.testing.assert_close(got, m[0].weight.grad)


class Siblings(torch.nn.Module):
    """Linears of one input, whose weights lie in memory in different ways."""

    def __init__(self, *weights):
        super().__init__()
        self.weights = torch.nn.ParameterList(weights)

    def forward(self, x):
        return [torch.nn.functional.linear(x, w) for w in self.weights]


@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize(
    "options", [{}, {"freeze": False}, {"pack_weights": True}], ids=["plain", "unfrozen", "packed"]
)
def test_siblings_whose_weights_lie_differently(rows, options):
    forms = [torch.randn(64, 48), torch.randn(48, 64).t(), torch.randn(128, 48)[::2], torch.randn(64, 96)[:, ::2]]
    for pair in itertools.permutations(forms, 2):
        m = Siblings(*pair)
        f = compiled(m, **options)
        x = torch.randn(rows, 48)
        with torch.no_grad():
            torch.testing.assert_close(f(x), m(x))
