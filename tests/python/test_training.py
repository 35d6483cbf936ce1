"""Training graphs run, through PyTorch where needed, and say so."""

import copy
import warnings

import torch

import litz
from contract import compiled, quietly


def small_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(8 * 8 * 8, 10),
    )


def step(model, forward, x, y):
    loss = torch.nn.functional.cross_entropy(forward(x), y)
    loss.backward()
    return loss.item()


def test_gradients_and_statistics_are_eagers():
    eager, model = small_model(), small_model()
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,))
    f = compiled(model)
    losses = quietly(step, model, f, x, y), step(eager, eager, x, y)
    torch.testing.assert_close(*losses)
    for a, b in zip(model.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(model[1].running_mean, eager[1].running_mean)
    assert {g.kind for g in litz.report(f).graphs} == {"forward", "backward"}


def test_says_what_runs_through_pytorch():
    model = small_model()
    f = compiled(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        step(model, f, torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,)))
    told = {w.message.args[0] for w in caught if w.category is litz.FallbackWarning}
    assert bool(told) == bool(litz.report(f).fallbacks)


def test_several_steps():
    eager = small_model()
    model = copy.deepcopy(eager)
    f = compiled(model)
    pairs = [(m, torch.optim.SGD(m.parameters(), lr=0.05)) for m in (model, eager)]
    for seed in range(5):
        torch.manual_seed(seed)
        x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,))
        losses = []
        for m, optimizer in pairs:
            optimizer.zero_grad()
            losses.append(quietly(step, m, f if m is model else m, x, y))
            optimizer.step()
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)


def test_double_use_of_an_input_in_backward():
    x = torch.randn(5, requires_grad=True)
    y = torch.randn(5, requires_grad=True)
    quietly(compiled(lambda a, b: (a * b + a.sin()).sum()), x, y).backward()
    torch.testing.assert_close(x.grad, y.detach() + x.detach().cos())
    torch.testing.assert_close(y.grad, x.detach())
