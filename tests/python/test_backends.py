import pytest
import torch

import litz


@pytest.fixture
def recording():
    """A back end that notes what it is given and answers through torch."""
    seen = []

    def compile_graph(graph, options):
        seen.append((graph, options))
        (output,) = graph.outputs
        assert graph.ops
        return lambda inputs: [torch.full(tuple(output["shape"]), 7.0)]

    litz.register_backend("recording", compile_graph)
    yield seen
    litz.unregister_backend("recording")


def test_a_registered_back_end_compiles(recording):
    assert "recording" in litz.list_backends()
    f = torch.compile(lambda x: x + 1, backend="litz", options={"backend": "recording"})
    assert f(torch.zeros(2, 3)).tolist() == [[7, 7, 7]] * 2
    ((graph, options),) = recording
    assert options["backend"] == "recording"
    assert "f32[2,3]" in str(graph)
    assert graph.inputs[0]["shape"] == [2, 3]


def test_litz_compile_chooses_it(recording):
    f = litz.compile(lambda x: x + 1, backend="recording")
    assert f(torch.zeros(2)).tolist() == [7, 7]


def test_litz_compile_is_torch_compile():
    f = litz.compile(lambda x: torch.sin(x), mode="max-autotune", options={"fast_math": True}, fullgraph=True)
    x = torch.randn(10)
    torch.testing.assert_close(f(x), torch.sin(x))


def test_litz_compile_as_a_decorator():
    @litz.compile
    def f(x):
        return x * 2

    @litz.compile(fullgraph=True)
    def g(x):
        return x * 3

    assert (f(torch.ones(1)).item(), g(torch.ones(1)).item()) == (2, 3)


@pytest.mark.parametrize("mode", ["default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"])
def test_modes(mode):
    f = torch.compile(lambda x: torch.cos(x), backend="litz", mode=mode)
    x = torch.randn(10)
    torch.testing.assert_close(f(x), torch.cos(x))


def test_found_by_entry_point(tmp_path, monkeypatch):
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[litz_backends]\nelsewhere = other_backend:compile\n")
    (tmp_path / "other_backend.py").write_text(
        "def compile(graph, options):\n    return lambda inputs: [inputs[0] * 5]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from litz import backends

    monkeypatch.setattr(backends._registry, "_entry_points", None)
    assert "elsewhere" in litz.list_backends()
    f = litz.compile(lambda x: x + 1, backend="elsewhere")
    assert f(torch.ones(2)).tolist() == [5, 5]
