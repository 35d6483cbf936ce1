"""What AOTAutograd gets back for a graph: callables that take one list of inputs and return the list of outputs."""

from __future__ import annotations

import threading
import time
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule

from litz import _litz
from litz.backends import find_backend
from litz.messages import WeightWarning, say_once
from litz.records import FrameRecord, GraphRecord, Specialization
from litz.torch.exchange import tensor_api
from litz.torch.importer import Imported, Result, Uncompiled, import_graph
from litz.torch.values import Sizes, SymbolicNumber, Unsupported

MAX_SPECIALIZATIONS = 16

BoxedFunction = Callable[[list[Any]], list[Any]]


def compile_graph(
    module: GraphModule, frozen: set[int], options: _litz.Options, record: GraphRecord, frame: FrameRecord
) -> BoxedFunction:
    """Compiles one FX graph. `frozen` are positions of inputs that are weights."""
    program: Any
    symbols = _symbol_sources(module)
    if symbols:
        program = SymbolicProgram(module, symbols, frozen, options, record, frame)
    else:
        program = _Compiler(module, frozen, options, record, frame).compile(Sizes({}), reason="")
    # AOTAutograd calls with a list what has this attribute; Dynamo's wrappers keep it only if it is the object's own.
    program._boxed_call = True
    return program


def direct_call(program: BoxedFunction) -> Callable[..., list[Any]] | None:
    """The program as a function of separate inputs, if it needs nothing of what AOTAutograd sets for torch's ops."""
    return program.run if isinstance(program, _litz.Program) and not program.calls_torch else None


class SymbolicProgram:
    """A graph with symbolic sizes: an executable for each tuple of sizes, compiled when met, the latest 16 kept."""

    def __init__(
        self,
        module: GraphModule,
        symbols: dict[str, tuple[int, int]],
        frozen: set[int],
        options: _litz.Options,
        record: GraphRecord,
        frame: FrameRecord,
    ):
        self._compiler = _Compiler(module, frozen, options, record, frame)
        self._sources = list(symbols.values())
        self._names = list(symbols)
        self._entries: OrderedDict[tuple[int, ...], BoxedFunction] = OrderedDict()
        self._lock = threading.Lock()
        self._record = record

    def __call__(self, inputs: list[Any]) -> list[Any]:
        """Runs the executable for the sizes of `inputs`."""
        key = tuple([inputs[p] if d < 0 else inputs[p].shape[d] for p, d in self._sources])
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
        if entry is None:
            entry = self._compile(key)
        return entry(inputs)

    def _compile(self, key: tuple[int, ...]) -> BoxedFunction:
        sizes = dict(zip(self._names, key, strict=True))
        reason = "" if not self._entries else "other sizes: " + ", ".join(f"{k}={v}" for k, v in sizes.items())
        entry = self._compiler.compile(Sizes(sizes), reason)
        with self._lock:
            self._entries[key] = entry
            if len(self._entries) > MAX_SPECIALIZATIONS:
                self._entries.popitem(last=False)
                self._record.evicted += 1
        return entry


class PythonProgram:
    """A graph compiled by a back end that was registered from Python."""

    def __init__(self, function: Callable[[list[Any]], Any], imported: Imported, frame: FrameRecord, name: str):
        self._function = function
        self._inputs = imported.inputs
        self._results = imported.results
        self._count = len(imported.graph.outputs)
        self._frame = frame
        self._name = name

    def __call__(self, inputs: list[Any]) -> list[Any]:
        """Runs it, and checks that it gave one result for each output."""
        outputs = list(self._function([inputs[i] for i in self._inputs]))
        if len(outputs) != self._count:
            raise _litz.UserError(
                f'back end "{self._name}" returned {len(outputs)} results for a graph with {self._count} outputs'
            )
        return [_pick(result, outputs, inputs) for result in self._results]


class TorchProgram:
    """A graph that PyTorch runs as a whole."""

    def __init__(self, module: GraphModule, frame: FrameRecord):
        self._module = module
        self._frame = frame

    def __call__(self, inputs: list[Any]) -> list[Any]:
        """Runs the FX graph op by op."""
        return list(self._module(*inputs))


class _Compiler:
    """Compiles one FX graph for given sizes."""

    def __init__(
        self,
        module: GraphModule,
        frozen: set[int],
        options: _litz.Options,
        record: GraphRecord,
        frame: FrameRecord,
    ):
        self.module = module
        self.frozen = frozen
        self.options = options
        self.record = record
        self.frame = frame
        self.backend = options.get("backend")
        self.uncompiled: Uncompiled = {}
        # Whether fall-backs are errors is decided here, where the source lines are known.
        self._lenient = _litz.Options(**{**options.as_dict(), "fallback": "allow"})

    def compile(self, sizes: Sizes, reason: str) -> BoxedFunction:
        try:
            imported, milliseconds = self._import(sizes)
            function = find_backend(self.backend)
            if function is None:
                return self._native(imported, sizes, reason, milliseconds)
        except Unsupported as e:
            whole_graph(self.record, self.options, e)
            return TorchProgram(self.module, self.frame)
        self._tell_fallbacks(imported.fallbacks)
        self._add(sizes, reason, milliseconds, {})
        imported.graph.run_foreign = _foreign_runner(imported)
        return PythonProgram(function(imported.graph, self.options.as_dict()), imported, self.frame, self.backend)

    def _import(self, sizes: Sizes) -> tuple[Imported, float]:
        start = time.perf_counter()
        imported = import_graph(self.module, self.record.name, self.frozen, sizes, self.uncompiled)
        return imported, (time.perf_counter() - start) * 1e3

    def _native(self, imported: Imported, sizes: Sizes, reason: str, milliseconds: float) -> BoxedFunction:
        executable = self._executable(imported)
        if self._learn(imported, executable.report()["fallbacks"]):
            # PyTorch's kernel of an op is faster than the reference interpreter's.
            imported, more = self._import(sizes)
            milliseconds += more
            executable = self._executable(imported)
        told = {f["op"] for f in imported.fallbacks}
        rest = [f for f in executable.report()["fallbacks"] if f["op"] not in told]
        self._tell_fallbacks([*imported.fallbacks, *rest])
        results = [(r.kind, r.index, r.value, r.view) for r in imported.results]
        program = _litz.make_program(executable, imported.inputs, results, tensor_api())
        program.record = self.frame
        program.calls_torch = bool(imported.foreign)
        specialization = self._add(sizes, reason, milliseconds, executable.report())
        specialization.refresh = _weak_refresh(program)
        return program

    def _add(self, sizes: Sizes, reason: str, milliseconds: float, report: dict[str, Any]) -> Specialization:
        report["stages"] = [{"stage": "import", "milliseconds": milliseconds}, *report.get("stages", [])]
        specialization = Specialization(sizes.symbols, reason, report)
        if len(self.record.specializations) >= 4 * MAX_SPECIALIZATIONS:
            self.record.specializations.pop(0)
        self.record.specializations.append(specialization)
        return specialization

    def _executable(self, imported: Imported) -> _litz.Executable:
        names = [i["name"] for i in imported.graph.inputs]

        def frozen_changed(number: int) -> None:
            warnings.warn(
                f"litz: weight {names[number]} of {self.record.name} was written without torch counting it (through "
                ".data or NumPy?) and is packed again; litz.refresh(f) after such a write makes it seen at once",
                WeightWarning,
                stacklevel=2,
            )

        return _litz.compile(imported.graph, self._lenient, _foreign_runner(imported), frozen_changed, tensor_api())

    def _learn(self, imported: Imported, fallbacks: list[dict[str, str]]) -> bool:
        """Notes the ops that the compiler had no kernel for; whether there are new ones."""
        told = {f["op"] for f in imported.fallbacks}
        found = {(f["op"], f["source"]): f["reason"] for f in fallbacks if f["op"] not in told}
        new = [key for key in found if key not in self.uncompiled]
        self.uncompiled.update(found)
        return bool(new)

    def _tell_fallbacks(self, fallbacks: list[dict[str, str]]) -> None:
        known = [(f["op"], f["reason"], f["source"]) for f in self.record.fallbacks]
        for fallback in fallbacks:
            op, reason, source = fallback["op"], fallback["reason"], fallback["source"]
            _refuse_if_strict(self.options, op, reason, source)
            if (op, reason, source) not in known:
                self.record.fallbacks.append(fallback)
            if self.options.get("fallback") == "warn":
                at = f" at {source}" if source else ""
                say_once(op, reason, f"litz: {op}{at} runs through PyTorch: {reason}")


def whole_graph(record: GraphRecord, options: _litz.Options, why: Unsupported) -> None:
    """Notes and says that a graph runs through PyTorch as a whole. Raises UnsupportedError where that is an error."""
    _refuse_if_strict(options, why.op, why.reason, why.source)
    at = f" at {why.source}" if why.source else ""
    reason = f"{why.op}: {why.reason}{at}"
    if not record.whole_graph_reason:
        record.whole_graph_reason = reason
        record.fallbacks.append({"op": why.op, "reason": why.reason, "source": why.source})
    if options.get("fallback") == "warn":
        say_once(why.op, why.reason, f"litz: a graph runs through PyTorch as a whole, because of {reason}")


def _refuse_if_strict(options: _litz.Options, op: str, reason: str, source: str) -> None:
    if options.get("fallback") != "error":
        return
    at = f" at {source}" if source else ""
    raise _litz.UnsupportedError(
        f'[fallback] {op}{at}: {reason}\n  hint: options={{"fallback": "warn"}} runs it through PyTorch and says so'
    )


def _foreign_runner(imported: Imported) -> Callable[[str, list[torch.Tensor]], list[torch.Tensor]]:
    calls = imported.foreign

    def run(key: str, operands: list[torch.Tensor]) -> list[torch.Tensor]:
        with torch.no_grad():
            return calls[key](operands)

    return run


def _weak_refresh(program: Any) -> Callable[[], None]:
    reference = weakref.ref(program)

    def refresh() -> None:
        alive = reference()
        if alive is not None:
            alive.refresh()

    return refresh


def _pick(result: Result, outputs: list[Any], inputs: list[Any]) -> Any:
    if result.kind == "value":
        return result.value
    tensor = (outputs if result.kind == "output" else inputs)[result.index]
    return tensor if result.view is None else result.view(tensor)


def _symbol_sources(module: GraphModule) -> dict[str, tuple[int, int]]:
    """For each symbol, the position of an input that is it (and -1), or that has it as a size (and which)."""
    sources: dict[str, tuple[int, int]] = {}
    for position, node in enumerate(n for n in module.graph.nodes if n.op == "placeholder"):
        value = node.meta.get("val")
        if isinstance(value, SymbolicNumber) and value.node.expr.is_symbol:
            sources[value.node.expr.name] = (position, -1)
        if not isinstance(value, torch.Tensor):
            continue
        for dim, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt) and size.node.expr.is_symbol:
                sources.setdefault(size.node.expr.name, (position, dim))
    return sources
