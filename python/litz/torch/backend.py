"""The back end that `torch.compile(f, backend="litz")` finds through its entry point."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule
from torch.utils._python_dispatch import _disable_current_modes

from litz import _litz
from litz.backends import find_backend
from litz.records import FrameRecord, GraphRecord, registry
from litz.torch import aot, frames
from litz.torch.programs import BoxedFunction, TorchProgram, compile_graph, direct_call, whole_graph
from litz.torch.values import Unsupported


def litz_backend(
    module: GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """Compiles what Dynamo captured.

    `mode` and `options` are those of `torch.compile`; `litz.Options` lists them. Raises UserError for a wrong one, and
    UnsupportedError for an op that Litz does not compile where `options={"fallback": "error"}`.
    """
    settings = make_options(mode, options or {})
    find_backend(settings.get("backend"))
    tensors = [t for t in example_inputs if isinstance(t, torch.nn.Parameter)]
    code, name = frames.traced_code()
    frame = FrameRecord(name, frames.calling_wrapper(), code, frames.compile_id(), frames.recompile_reason(), tensors)
    registry.add(frame)
    weights = _weights(module, example_inputs) if settings.get("freeze") else {}
    session = _Session(frame, settings, len(example_inputs), weights)
    from functorch.compile import min_cut_rematerialization_partition

    compiler = aot_autograd(
        fw_compiler=session.compiler("forward"),
        bw_compiler=session.compiler("backward"),
        inference_compiler=session.compiler("inference"),
        partition_fn=min_cut_rematerialization_partition,
        decompositions={},
    )
    try:
        wrapped = compiler(module, example_inputs)
    except RuntimeError as e:
        if "not possible to functionalize" not in str(e):
            raise
        # Writes through as_strided views: AOTAutograd refuses them, PyTorch runs them.
        return session.run_by_torch(module, str(e))
    return wrapped if session.direct is None else session.direct


def _reset() -> None:
    _litz.reset()


litz_backend.reset = _reset  # type: ignore[attr-defined]  # torch.compiler.reset() calls it


def make_options(mode: str | None, options: dict[str, Any]) -> _litz.Options:
    """The options of one `torch.compile` call, checked."""
    settings = _litz.Options()
    if mode is not None:
        settings.set("mode", mode)
    for key, value in options.items():
        settings.set(key, value)
    if settings.get("threads") == 0:
        settings.set("threads", torch.get_num_threads())
    return settings


def compile_with(
    function: Any, backend: str, mode: str | None, options: dict[str, Any], torch_arguments: dict[str, Any]
) -> Any:
    """`litz.compile`: `torch.compile` with checked options that name the back end inside."""
    merged = {**options, "backend": backend}
    if mode is not None:
        merged["mode"] = mode
    make_options(None, merged)
    find_backend(backend)
    return torch.compile(function, backend="litz", options=merged, **torch_arguments)


class _Session:
    """The graphs that AOTAutograd makes of one Dynamo graph."""

    def __init__(
        self,
        frame: FrameRecord,
        options: _litz.Options,
        inputs: int,
        weights: dict[int, weakref.ref[torch.Tensor]],
    ):
        self.frame = frame
        self.options = options
        self.inputs = inputs  # how many Dynamo passes
        self.weights = weights
        # What Dynamo can call without AOTAutograd's wrapper, a tenth of a small program's call.
        self.direct: Callable[..., Any] | None = None

    def compiler(self, kind: str) -> Callable[[GraphModule, Sequence[Any]], BoxedFunction]:
        """The function that AOTAutograd calls with a graph of this kind."""

        def compile(module: GraphModule, inputs: Sequence[Any]) -> BoxedFunction:
            record = self._record(module, kind)
            frozen = self._frozen(inputs) if kind == "inference" else set()
            with _disable_current_modes():  # of tracing: what follows works on real tensors
                program = compile_graph(module, frozen, self.options, record, self.frame)
            if kind == "inference" and aot.wraps_nothing(self.inputs, _output_count(module)):
                self.direct = direct_call(program)
            return program

        return compile

    def run_by_torch(self, module: GraphModule, message: str) -> Callable[..., Any]:
        """Gives up on what Dynamo captured: PyTorch runs it, with autograd."""
        self.frame.graphs.clear()
        node = next((n for n in reversed(module.graph.nodes) if n.op == "call_method"), None)
        source = "" if node is None else frames.source_of(node)
        why = Unsupported("as_strided", message.split(", so this")[0].split(",so this")[0], source)
        whole_graph(self._record(module, "inference"), self.options, why)
        program = TorchProgram(module, self.frame)
        return lambda *inputs: program(list(inputs))

    def _record(self, module: GraphModule, kind: str) -> GraphRecord:
        record = GraphRecord(registry.unique_name(f"{self.frame.name}_{kind}"), kind, _source(module))
        self.frame.graphs.append(record)
        return record

    def _frozen(self, inputs: Sequence[Any]) -> set[int]:
        """Positions of weights, if AOTAutograd's inputs are still Dynamo's, one by one."""
        metadata = aot.metadata()
        if metadata is None or len(metadata.input_info) != len(inputs):
            return set()
        frozen = set()
        for position, reference in self.weights.items():
            weight = reference()
            if weight is None or position >= len(inputs) or not _same_tensor(weight, inputs[position]):
                return set()
            info = metadata.input_info[position]
            if not (info.mutates_data or info.mutates_metadata):
                frozen.add(position)
        return frozen


def _weights(module: GraphModule, example_inputs: Sequence[Any]) -> dict[int, weakref.ref[torch.Tensor]]:
    """Parameters and buffers of modules among the inputs, by position."""
    placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
    if len(placeholders) != len(example_inputs):
        return {}
    found = {}
    for position, (node, value) in enumerate(zip(placeholders, example_inputs, strict=True)):
        static = "_dynamo_static_input_type" in node.meta.get("tensor_dict", {})
        # Tensors made in inference mode count no versions: a change would go unseen.
        if static and isinstance(value, torch.Tensor) and not value.is_inference():
            found[position] = weakref.ref(value)
    return found


def _same_tensor(real: torch.Tensor, fake: Any) -> bool:
    return (
        isinstance(fake, torch.Tensor)
        and fake.dtype == real.dtype
        and tuple(fake.shape) == tuple(real.shape)
        and tuple(fake.stride()) == tuple(real.stride())
    )


def _output_count(module: GraphModule) -> int:
    returned = next(iter(reversed(module.graph.nodes))).args[0]
    return len(returned) if isinstance(returned, (tuple, list)) else 1


def _source(module: GraphModule) -> str:
    for node in module.graph.nodes:
        if node.op == "call_function":
            source = frames.source_of(node)
            if source:
                return source
    return ""
