"""The engines, configured for latency on a CPU. Each makes a callable from a model and inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Call = Callable[..., torch.Tensor]


def eager(model: nn.Module, inputs: tuple, onnx: str, threads: int) -> Call:
    return model


def inductor(**options: Any) -> Callable[..., Call]:
    return lambda model, inputs, onnx, threads: torch.compile(model, options=options or None)


def litz(**options: Any) -> Callable[..., Call]:
    return lambda model, inputs, onnx, threads: torch.compile(model, backend="litz", options=options)


def stored_outputs(aot: bool) -> Callable[..., Call]:
    """What torch.compile costs with a back end that does nothing: stored outputs are returned.

    With `aot`, AOTAutograd is part of it.
    """

    def keep(module: Any, inputs: Any) -> Any:
        kept: list[Any] = []

        def call(*args: Any) -> Any:
            if not kept:
                kept.append(module(*args))
            return kept[0]

        return call

    def make(model: nn.Module, inputs: tuple, onnx: str, threads: int) -> Call:
        if not aot:
            return torch.compile(model, backend=keep)
        from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
        from torch._dynamo.backends.common import aot_autograd

        def compiler(module: Any, inputs: Any) -> Any:
            shapes = [n.meta["val"] for n in module.graph.output_node().args[0]]
            # Real memory without a run of the graph: the first call must not pay for eager kernels.
            kept = [torch.zeros(tuple(s.shape), dtype=s.dtype) for s in shapes]
            return make_boxed_func(lambda *args: kept)

        backend = aot_autograd(
            fw_compiler=compiler, partition_fn=min_cut_rematerialization_partition, decompositions={}
        )
        return torch.compile(model, backend=backend)

    return make


def onnxruntime(model: nn.Module, inputs: tuple, onnx: str, threads: int) -> Call:
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    feed = {i.name: x.numpy() for i, x in zip(session.get_inputs(), inputs, strict=True)}
    return lambda *_: torch.from_numpy(session.run(None, feed)[0])


def openvino(model: nn.Module, inputs: tuple, onnx: str, threads: int) -> Call:
    import openvino as ov

    config = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "bf16" if _is_bf16(model) else "f32",
    }
    request = ov.Core().compile_model(onnx, "CPU", config).create_infer_request()
    arrays = [x.numpy() for x in inputs]

    def call(*_: Any) -> torch.Tensor:
        result = request.infer(arrays, share_inputs=True, share_outputs=True)[0]
        return torch.from_numpy(result)

    return call


def export_onnx(model: nn.Module, inputs: tuple, path: str) -> None:
    """Writes `path` for the two engines that read ONNX."""
    with torch.no_grad():
        torch.onnx.export(model, inputs, path, dynamo=True, verbose=False)


def _is_bf16(model: nn.Module) -> bool:
    return any(p.dtype == torch.bfloat16 for p in model.parameters())


ENGINES: dict[str, Callable[..., Call]] = {
    "eager": eager,
    "inductor": inductor(),
    "inductor_freeze": inductor(freezing=True),
    "inductor_freeze_tune": inductor(freezing=True, max_autotune=True),
    "ort": onnxruntime,
    "openvino": openvino,
    "litz": litz(),
    "litz_pack": litz(pack_weights=True),
}
NEEDS_ONNX = ("ort", "openvino")
PEERS = tuple(name for name in ENGINES if not name.startswith("litz") and name != "eager")
BASELINES = {"stored": stored_outputs(aot=False), "stored_aot": stored_outputs(aot=True)}
