"""The four programs end to end: results within the contract, no fall-back, as few kernels as promised."""

import pytest
import torch

import litz
from contract import assert_contract, compiled
from programs import SinCos, bert, resnet50, resnext101, tokens, vision_model


def graph_of(function):
    (graph,) = litz.report(function).graphs
    assert not graph.fallbacks, str(litz.report(function))
    assert not graph.whole_graph_reason
    return graph


def has(kernel, op):
    return any(o.startswith(op) for o in kernel.ops)


def copies_no_weights(function, model):
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    return graph_of(function).prepared_bytes < weights / 20


def split(kernels, *ops):
    """The kernels with each of these ops, in turn, and those that are left."""
    groups, rest = [], list(kernels)
    for op in ops:
        groups.append([k for k in rest if has(k, op)])
        rest = [k for k in rest if not has(k, op)]
    return [*groups, rest]


def test_sincos():
    f = assert_contract(SinCos(), lambda: [torch.randn(10_000)])
    assert len(graph_of(f).main_kernels) == 1


def test_resnet50():
    model = resnet50()
    f = assert_contract(model, lambda: [torch.randn(2, 3, 64, 64)])
    kernels = graph_of(f).main_kernels
    convolutions, linear, max_pool, mean, rest = split(
        kernels, "aten.convolution", "aten.addmm", "aten.max_pool2d", "aten.mean"
    )
    assert (len(convolutions), len(linear), len(max_pool), len(mean)) == (53, 1, 1, 1)
    assert all(k.layout_transform for k in rest) and len(rest) <= 2


def test_weights_are_not_copied():
    for model, args in ((resnet50(), [torch.randn(1, 3, 224, 224)]), (bert(2, hidden=128), tokens(1, 48))):
        f = compiled(model)
        with torch.no_grad():
            f(*args)
        assert copies_no_weights(f, model)


@pytest.mark.parametrize("name", ["resnet50", "bert"])
def test_packed_weights(name):
    model = resnet50() if name == "resnet50" else bert()
    make = (lambda: [torch.randn(1, 3, 64, 64)]) if name == "resnet50" else (lambda: tokens(2, 48))
    f = assert_contract(model, make, litz_function=compiled(model, pack_weights=True))
    assert not copies_no_weights(f, model)


def test_resnext101():
    f = assert_contract(resnext101(), lambda: [torch.randn(8, 3, 7, 7)])
    kernels = graph_of(f).main_kernels
    convolutions, linear, _, rest = split(kernels, "aten.convolution", "aten.addmm", "aten.max_pool2d")
    assert (len(convolutions), len(linear)) == (104, 1)
    assert len([k for k in rest if not k.layout_transform]) <= 1


def test_resnext101_on_images():
    f = assert_contract(resnext101(), lambda: [torch.randn(1, 3, 64, 64)], seeds=(0,))
    graph_of(f)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bert(dtype):
    f = assert_contract(bert(dtype=dtype), lambda: tokens(2, 48))
    graph_of(f)


def kernels_of_bert(layers, cache_dir):
    f = compiled(bert(layers, hidden=128), cache_dir=str(cache_dir))
    with torch.no_grad():
        f(*tokens(1, 32))
    return graph_of(f)


def test_a_bert_layer_is_at_most_eight_kernels(tmp_path):
    two, four = (kernels_of_bert(n, tmp_path / str(n)) for n in (2, 4))
    assert len(four.main_kernels) - len(two.main_kernels) <= 2 * 8


def test_repeated_layers_share_their_kernels(tmp_path):
    litz.reset()
    two = kernels_of_bert(2, tmp_path / "two")
    litz.reset()
    four = kernels_of_bert(4, tmp_path / "four")
    assert four.kernels_compiled == two.kernels_compiled > 0
    assert four.kernels_from_memory > two.kernels_from_memory


def test_a_warm_disk_cache_compiles_nothing(tmp_path):
    assert kernels_of_bert(2, tmp_path).kernels_compiled > 0
    litz.reset()
    again = kernels_of_bert(2, tmp_path)
    assert (again.kernels_compiled, again.kernels_from_disk > 0) == (0, True)


@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_encoder_of_torch(norm_first):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=norm_first)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    assert_contract(model, lambda: [torch.randn(2, 17, 64)])


@pytest.mark.parametrize("name", ["squeezenet1_1", "mobilenet_v3_small", "efficientnet_b0", "shufflenet_v2_x1_0"])
def test_other_convolutional_networks(name):
    # Depthwise, grouped and 1 x 1 convolutions of every number of channels; swish, concatenation, channel shuffle.
    model = vision_model(name)
    f = assert_contract(model, lambda: [torch.randn(1, 3, 64, 64)])
    convolutions = [m for m in model.modules() if isinstance(m, torch.nn.Conv2d)]
    assert [k.kind for k in graph_of(f).main_kernels].count("convolution") == len(convolutions)


CHAINS = {
    "layer norm and gelu": (
        lambda x, r, w: torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (96,)) * w + 0.1) + r,
        lambda: [torch.randn(64, 96), torch.randn(64, 96), torch.randn(96)],
    ),
    "softmax": (lambda x, m: torch.softmax(x * 0.125 + m, -1), lambda: [torch.randn(128, 77), torch.randn(77)]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_are_one_kernel(name):
    program, make = CHAINS[name]
    f = assert_contract(program, make)
    assert len(graph_of(f).main_kernels) == 1
