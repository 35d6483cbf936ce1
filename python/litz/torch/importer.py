"""AOTAutograd's functional ATen graph → Litz's Graph.

Each call is mapped by the op records (`GraphBuilder.aten`). What they cannot take becomes a foreign node, which runs
through PyTorch; what no value of Litz can hold makes the whole graph unsupported.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule, Node

from litz import _litz
from litz.torch.exchange import tensor_api
from litz.torch.frames import source_of
from litz.torch.schema import positional_arguments
from litz.torch.values import DTYPE_NAMES, Sizes, SymbolicNumber, Unsupported, why_unsupported


@dataclass(frozen=True)
class ForeignCall:
    """A torch op with its arguments; `_Operand` stands where a tensor comes in."""

    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __call__(self, operands: list[torch.Tensor]) -> list[torch.Tensor]:
        """The tensors among the op's results, in order."""
        args = _fill(self.args, operands)
        kwargs = _fill(self.kwargs, operands)
        return _tensors_in(self.target(*args, **kwargs))


@dataclass(frozen=True)
class _Operand:
    index: int


@dataclass(frozen=True)
class View:
    """A view of another result or of an input; `offset` is in elements from that tensor's start."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: torch.dtype

    def __call__(self, base: torch.Tensor) -> torch.Tensor:
        """The view of `base`."""
        if base.dtype == self.dtype:
            return base.as_strided(self.shape, self.strides, base.storage_offset() + self.offset)
        flat = base.as_strided((base.numel(),), (1,), base.storage_offset()).view(self.dtype)
        return flat.as_strided(self.shape, self.strides, flat.storage_offset() + self.offset)


@dataclass(frozen=True)
class Result:
    """Where an output of the FX graph comes from: "output" (of the Graph), "input" (of the call) or "value"."""

    kind: str
    index: int = 0
    value: Any = None
    view: View | None = None


@dataclass
class Imported:
    """A Graph, how its border maps to the FX graph's, and what was not mapped."""

    graph: _litz.Graph
    inputs: list[int]  # for each input of the Graph, its position in the call
    results: list[Result]
    foreign: dict[str, ForeignCall] = field(default_factory=dict)
    fallbacks: list[dict[str, str]] = field(default_factory=list)


# Ops at places of the source that the compiler has no kernel for, with its reasons.
Uncompiled = dict[tuple[str, str], str]


def import_graph(module: GraphModule, name: str, frozen: set[int], sizes: Sizes, uncompiled: Uncompiled) -> Imported:
    """Imports `module` for the given sizes. `frozen` are positions of inputs that are weights.

    What `uncompiled` names becomes foreign. Raises Unsupported if Litz cannot hold one of the graph's values.
    """
    return _Importer(module, name, frozen, sizes, uncompiled).run()


class _Importer:
    def __init__(self, module: GraphModule, name: str, frozen: set[int], sizes: Sizes, uncompiled: Uncompiled):
        self.module = module
        self.uncompiled = uncompiled
        self.frozen = frozen
        self.sizes = sizes
        self.builder = _litz.GraphBuilder(name, tensor_api())
        self.values: dict[Node, Any] = {}  # a Value, a tuple of Values and None, or a number
        self.positions: dict[Node, int] = {}
        self.input_positions: list[int] = []
        self.foreign: dict[str, ForeignCall] = {}
        self.fallbacks: list[dict[str, str]] = []
        self.owners: dict[int, Node] = {}  # for each storage, the first node that has it: the one that made it
        self.graph_outputs: dict[Node, int] = {}

    def run(self) -> Imported:
        results: list[Result] = []
        position = 0
        for node in self.module.graph.nodes:
            if isinstance(node.meta.get("val"), torch.Tensor) and node.meta["val"].layout is torch.strided:
                self.owners.setdefault(_storage(node.meta["val"]), node)
            if node.op == "placeholder":
                self._input(node, position)
                position += 1
            elif node.op == "get_attr":
                self._constant(node)
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                results = self._outputs(node)
            else:
                raise Unsupported(str(node.target), f"a graph node of kind {node.op} is not supported", source_of(node))
        return Imported(self.builder.finish(), self.input_positions, results, self.foreign, self.fallbacks)

    # ---- border

    def _input(self, node: Node, position: int) -> None:
        value = node.meta.get("val")
        self.positions[node] = position
        if isinstance(value, SymbolicNumber):
            self.values[node] = self.sizes.value(value)
        elif not isinstance(value, torch.Tensor):
            self.values[node] = value
        elif node.users:
            shape, strides = self._extent(value, node)
            frozen = position in self.frozen
            self.values[node] = self.builder.input(DTYPE_NAMES[value.dtype], shape, strides, node.name, frozen)
            self.input_positions.append(position)

    def _constant(self, node: Node) -> None:
        tensor: Any = self.module
        for part in str(node.target).split("."):
            tensor = getattr(tensor, part)
        if isinstance(tensor, torch.Tensor):
            self._extent(tensor, node)
            self.values[node] = self.builder.constant(tensor.detach().contiguous(), node.name)
        else:
            self.values[node] = tensor  # a graph that a higher-order op calls

    def _outputs(self, node: Node) -> list[Result]:
        items = _as_sequence(node.args[0])
        sharing: dict[int, set[Node]] = {}
        for item in items:
            for tensor in _tensors_in_meta(item):
                sharing.setdefault(_storage(tensor), set()).add(item)
        shared = {storage for storage, nodes in sharing.items() if len(nodes) > 1}
        known: dict[Node, Result] = {}
        results: list[Result] = []
        for item in items:
            if isinstance(item, Node) and item not in known:
                known[item] = self._output(item, shared)
            results.append(known[item] if isinstance(item, Node) else Result("value", value=self.sizes.value(item)))
        return results

    def _output(self, node: Node, shared: set[int]) -> Result:
        """`shared`: storages that several outputs have; eager's results share memory, and so must these."""
        tensor = node.meta.get("val")
        if not isinstance(tensor, torch.Tensor):
            return Result("value", value=self.values.get(node))
        if node.op == "placeholder":
            return Result("input", self.positions[node])
        owner = self.owners[_storage(tensor)]
        if owner.op == "placeholder":
            return Result("input", self.positions[owner], view=self._view(node, owner))
        if owner is node or _storage(tensor) not in shared:
            return Result("output", self._graph_output(node))
        return Result("output", self._graph_output(owner), view=self._view(node, owner))

    def _graph_output(self, node: Node) -> int:
        if node not in self.graph_outputs:
            value = self.values[node]
            if not isinstance(value, _litz.Value):
                raise Unsupported(str(node.target), "several outputs share memory with one of its results")
            _, strides = self._extent(node.meta["val"], node)
            self.graph_outputs[node] = self.builder.output(value, strides)
        return self.graph_outputs[node]

    def _view(self, node: Node, owner: Node) -> View:
        tensor, base = node.meta["val"], owner.meta["val"]
        shape, strides = self._extent(tensor, node)
        start = self.sizes.value(tensor.storage_offset()) * tensor.element_size()
        start -= self.sizes.value(base.storage_offset()) * base.element_size()
        view = View(tuple(shape), tuple(strides), start // tensor.element_size(), tensor.dtype)
        reach = start + _extent_bytes(shape, strides, tensor.element_size())
        within = start >= 0 and reach <= _extent_bytes(*self._extent(base, owner), base.element_size())
        if not within or (tensor.dtype != base.dtype and not base.is_contiguous()):
            raise Unsupported(str(node.target), "an output shares memory with a tensor that does not hold all of it")
        return view

    # ---- calls

    def _call(self, node: Node) -> None:
        meta = node.meta.get("val")
        if node.target is operator.getitem and isinstance(self.values.get(node.args[0]), tuple):  # type: ignore[arg-type]
            self.values[node] = self.values[node.args[0]][node.args[1]]  # type: ignore[index]
        elif _is_number(meta):
            self._number(node)
        else:
            reason = self._aten(node)
            if reason:
                self._foreign(node, reason)

    def _number(self, node: Node) -> None:
        """A size computed from sizes."""
        if _tensors_of(node):
            # The size of a tensor; its value follows from the sizes of the inputs.
            self.values[node] = self.sizes.value(node.meta["val"])
            return
        args = torch.fx.map_arg(node.args, lambda n: self.values[n])
        kwargs = torch.fx.map_arg(node.kwargs, lambda n: self.values[n])
        self.values[node] = node.target(*args, **kwargs)  # type: ignore[operator]

    def _aten(self, node: Node) -> str:
        """Maps a call by the op records; the reason if they do not take it."""
        if not isinstance(node.target, torch._ops.OpOverload):
            return "not an ATen op"
        reason = self.uncompiled.get((str(node.target), source_of(node)), "")
        if reason:
            return reason
        self._check_supported(node)
        lowered = positional_arguments(node, lambda n: self.values[n], self.sizes)
        if isinstance(lowered, str):
            return lowered
        results = self.builder.aten(str(node.target), lowered, _used_results(node), source_of(node))
        if isinstance(results, str):
            return results
        reason = self._check_types(node, results)
        if reason:
            return reason
        single = isinstance(node.meta.get("val"), torch.Tensor)
        self.values[node] = results[0] if single else tuple(results)
        return ""

    def _check_types(self, node: Node, results: list[_litz.Value | None]) -> str:
        for value, expected in zip(results, _as_sequence(node.meta.get("val")), strict=False):
            if value is None or not isinstance(expected, torch.Tensor):
                continue
            dtype, shape = self.builder.type(value)
            wanted = (DTYPE_NAMES[expected.dtype], self.sizes.values(expected.shape))
            if (dtype, shape) != wanted:
                return f"internal: Litz infers {dtype}{shape} where PyTorch has {wanted[0]}{wanted[1]}"
        return ""

    def _foreign(self, node: Node, reason: str) -> None:
        self._check_supported(node)
        source = source_of(node)
        op = str(node.target)
        if _has_effect(node):
            raise Unsupported(op, "an op with effects besides its results is not supported", source)
        operands: list[_litz.Value] = []

        def operand(n: Node) -> Any:
            value = self.values[n]
            if isinstance(value, _litz.Value):
                operands.append(value)
                return _Operand(len(operands) - 1)
            return value

        call = ForeignCall(
            node.target,  # type: ignore[arg-type]
            torch.fx.map_arg(_concrete(node.args, self.sizes), operand),
            torch.fx.map_arg(_concrete(node.kwargs, self.sizes), operand),
        )
        key = f"{op}#{len(self.foreign)}"
        self.foreign[key] = call
        self.fallbacks.append({"op": op, "reason": reason, "source": source})
        meta = node.meta.get("val")
        tensors = [t for t in _as_sequence(meta) if isinstance(t, torch.Tensor)]
        types = [(DTYPE_NAMES[t.dtype], self._extent(t, node)[0]) for t in tensors]
        results = iter(self.builder.foreign(op, key, operands, types, source))
        if isinstance(meta, torch.Tensor):
            self.values[node] = next(results)
        else:
            self.values[node] = tuple(next(results) if isinstance(t, torch.Tensor) else t for t in _as_sequence(meta))

    # ---- types

    def _check_supported(self, node: Node) -> None:
        for value in _as_sequence(node.meta.get("val")):
            if isinstance(value, torch.Tensor):
                self._extent(value, node)
            elif isinstance(value, SymbolicNumber):
                raise Unsupported(
                    str(node.target), "it gives a size known only while the program runs", source_of(node)
                )

    def _extent(self, tensor: torch.Tensor, node: Node) -> tuple[list[int], list[int]]:
        reason = why_unsupported(tensor)
        try:
            if not reason:
                return self.sizes.values(tensor.shape), self.sizes.values(tensor.stride())
        except Unsupported as e:
            reason = e.reason
        raise Unsupported(str(node.target), reason, source_of(node))


def _used_results(node: Node) -> list[bool]:
    """For each result of a node, whether something reads it."""
    meta = node.meta.get("val")
    if isinstance(meta, torch.Tensor):
        return [bool(node.users)]
    used = [False] * len(_as_sequence(meta))
    for user in node.users:
        if user.target is not operator.getitem:
            return [True] * len(used)
        used[user.args[1]] = used[user.args[1]] or bool(user.users)  # type: ignore[index]
    return used


def _extent_bytes(shape: list[int], strides: list[int], size: int) -> int:
    if 0 in shape:
        return 0
    return (sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1) * size


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _tensors_in_meta(node: Any) -> list[torch.Tensor]:
    if not isinstance(node, Node):
        return []
    values = _as_sequence(node.meta.get("val"))
    return [t for t in values if isinstance(t, torch.Tensor) and t.layout is torch.strided]


def _is_number(meta: Any) -> bool:
    return isinstance(meta, (bool, int, float, *SymbolicNumber))


def _has_effect(node: Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and (schema.is_mutable or not schema.returns)


def _tensors_of(node: Node) -> list[Node]:
    return [n for n in node.all_input_nodes if isinstance(n.meta.get("val"), torch.Tensor)]


def _as_sequence(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tensors_in(result: Any) -> list[torch.Tensor]:
    return [t.resolve_neg() for t in _as_sequence(result) if isinstance(t, torch.Tensor)]


def _concrete(value: Any, sizes: Sizes) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_concrete(v, sizes) for v in value])
    if isinstance(value, dict):
        return {k: _concrete(v, sizes) for k, v in value.items()}
    return sizes.value(value)


def _fill(value: Any, operands: list[torch.Tensor]) -> Any:
    if isinstance(value, _Operand):
        return operands[value.index]
    if isinstance(value, (list, tuple)):
        return type(value)([_fill(v, operands) for v in value])
    if isinstance(value, dict):
        return {k: _fill(v, operands) for k, v in value.items()}
    return value
