import pytest
import torch

import litz
from contract import compiled, quietly


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, x):
        return torch.relu(self.linear(x))


def test_names_kernels_ops_and_lines():
    f = compiled(lambda x: torch.sin(torch.cos(x)))
    f(torch.randn(100))
    report = litz.report(f)
    (graph,) = report.graphs
    assert graph.kind == "inference"
    (kernel,) = graph.main_kernels
    assert all("test_report.py:" in op for op in kernel.ops)
    assert {s.name for s in graph.stages} >= {"import"}
    assert graph.kernels_compiled + graph.kernels_from_disk + graph.kernels_from_memory >= 1


def test_prints_in_a_terminal_and_in_a_notebook():
    f = compiled(lambda x: torch.sin(torch.cos(x)))
    f(torch.randn(100))
    text, page = str(litz.report(f)), litz.report(f)._repr_html_()
    for part in ("kernels: 1 a call", "aten.cos.default", "fall-backs: none", "compile time", "memory"):
        assert part in text
        assert part in page
    assert repr(litz.report(f)) == text


def test_before_the_first_call():
    f = compiled(lambda x: x + 1)
    assert litz.report(f).graphs == ()
    assert "nothing compiled yet" in str(litz.report(f))


def test_recompiles_have_reasons():
    f = torch.compile(lambda x: x * 2, backend="litz", dynamic=False)
    f(torch.randn(4))
    f(torch.randn(5))
    report = litz.report(f)
    assert len(report.graphs) == 2
    (recompile,) = report.recompiles
    assert "size mismatch" in recompile.reason or "expected 4, actual 5" in recompile.reason


def test_two_modules_of_one_class_have_reports_of_their_own():
    first, second = (torch.compile(Small(), backend="litz") for _ in range(2))
    with torch.no_grad():
        first(torch.randn(2, 16))
        assert len(litz.report(first).graphs) == 1
        assert litz.report(second).graphs == ()
        second(torch.randn(3, 16))
    assert len(litz.report(second).graphs) == 1


def test_two_compilations_of_one_function():
    function = lambda x: x * 3  # noqa: E731
    first, second = (torch.compile(function, backend="litz") for _ in range(2))
    first(torch.randn(4))
    second(torch.randn(4))
    assert len(litz.report(first).graphs) == 1
    assert len(litz.report(second).graphs) == 1


def test_everything():
    f = compiled(lambda x: x * 3)
    f(torch.randn(4))
    assert len(litz.report().graphs) >= 1


def test_tells_fallbacks():
    f = compiled(lambda x: torch.linalg.det(x) + 1)
    quietly(f, torch.eye(3))
    (fallback, *_) = litz.report(f).fallbacks
    assert "det" in fallback.op
    assert fallback.reason
    assert "test_report.py:" in fallback.source
    assert fallback.op in str(litz.report(f))


def test_memory_of_weights():
    prepared = {}
    for packs in (False, True):
        f = compiled(Small(), pack_weights=packs)
        with torch.no_grad():
            f(torch.randn(2, 16))
        (graph,) = litz.report(f).graphs
        prepared[packs] = graph.prepared_bytes
    assert prepared[False] == 0
    assert prepared[True] >= 16 * 16 * 4


@pytest.mark.parametrize("wrong", [3, "f", lambda x: x, torch.nn.Linear(2, 2)])
def test_of_something_that_was_not_compiled(wrong):
    with pytest.raises(litz.UserError, match=r"expected what torch\.compile"):
        litz.report(wrong)


def test_a_report_outlives_litz_reset():
    f = compiled(lambda x: x * 3)
    f(torch.randn(4))
    litz.reset()
    assert len(litz.report(f).graphs) == 1


def test_programs_that_are_gone_are_not_reported():
    f = compiled(lambda x: x * 3)
    f(torch.randn(4))
    (name,) = [g.name for g in litz.report(f).graphs]
    torch._dynamo.reset()
    del f
    import gc

    gc.collect()
    assert not [g for g in litz.report().graphs if g.name == name]
