"""`litz.report(f)`: what was compiled, what is in each kernel, what was not fused and why, what runs elsewhere."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from litz.records import FrameRecord, GraphRecord, Specialization


@dataclass(frozen=True)
class Kernel:
    """A generated kernel. `ops` are the source ops in it, with the user's lines; `bytes` and `flops` are a call's."""

    name: str
    kind: str
    ops: tuple[str, ...]
    prepare: bool
    layout_transform: bool
    bytes: int
    flops: int


@dataclass(frozen=True)
class Fallback:
    """An op that ran outside Litz's kernels."""

    op: str
    reason: str
    source: str


@dataclass(frozen=True)
class Unfused:
    """Two ops that share no kernel though one feeds the other."""

    producer: str
    consumer: str
    reason: str


@dataclass(frozen=True)
class Stage:
    """Time that a stage of the compiler took."""

    name: str
    milliseconds: float


@dataclass(frozen=True)
class Graph:
    """An executable: one graph, for one set of sizes."""

    name: str
    kind: str
    source: str
    symbols: dict[str, int]
    reason: str  # why it was compiled, if the same graph had been compiled before for other sizes
    kernels: tuple[Kernel, ...]
    fallbacks: tuple[Fallback, ...]
    unfused: tuple[Unfused, ...]
    stages: tuple[Stage, ...]
    kernels_compiled: int
    kernels_from_disk: int
    kernels_from_memory: int
    arena_bytes: int
    prepared_bytes: int
    debug_dir: str
    whole_graph_reason: str
    notes: tuple[str, ...]

    @property
    def main_kernels(self) -> tuple[Kernel, ...]:
        """Kernels that run on each call; the others run when a weight changes."""
        return tuple(k for k in self.kernels if not k.prepare)


@dataclass(frozen=True)
class Recompile:
    """A function or graph that was compiled again."""

    name: str
    reason: str


@dataclass(frozen=True)
class Report:
    """Everything that Litz compiled for one function. Prints well; the fields are there for programs."""

    title: str
    graphs: tuple[Graph, ...] = ()
    recompiles: tuple[Recompile, ...] = field(default=())

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels that run on each call, of all graphs."""
        return tuple(k for g in self.graphs for k in g.main_kernels)

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """All ops that run outside Litz's kernels."""
        return tuple(f for g in self.graphs for f in g.fallbacks)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self)


def make_report(title: str, frames: list[FrameRecord]) -> Report:
    """The report of these frames."""
    graphs: list[Graph] = []
    recompiles: list[Recompile] = []
    for number, frame in enumerate(frames):
        # Dynamo also says "recompiled" of another module whose class shares the code.
        if frame.recompile_reason and any(f.code is frame.code for f in frames[:number]):
            recompiles.append(Recompile(frame.name, frame.recompile_reason))
        for record in frame.graphs:
            graphs.extend(_graphs_of(record))
            recompiles.extend(Recompile(record.name, s.reason) for s in record.specializations if s.reason)
            if record.evicted:
                recompiles.append(Recompile(record.name, f"{record.evicted} executables for other sizes were dropped"))
    return Report(title, tuple(graphs), tuple(recompiles))


def _graphs_of(record: GraphRecord) -> Iterator[Graph]:
    specializations = record.specializations or [Specialization({}, "", {})]
    for specialization in specializations:
        report = specialization.report
        # An op that the importer gave to PyTorch is told by it, with the line; the compiler tells of the others.
        told = {f["op"] for f in record.fallbacks}
        fallbacks = [*record.fallbacks, *(f for f in report.get("fallbacks", []) if f["op"] not in told)]
        yield Graph(
            name=record.name,
            kind=record.kind,
            source=record.source,
            symbols=specialization.symbols,
            reason=specialization.reason,
            kernels=tuple(_kernel(k) for k in report.get("kernels", [])),
            fallbacks=tuple(Fallback(f["op"], f["reason"], f["source"]) for f in fallbacks),
            unfused=tuple(Unfused(u["producer"], u["consumer"], u["reason"]) for u in report.get("unfused", [])),
            stages=tuple(Stage(s["stage"], s["milliseconds"]) for s in report.get("stages", [])),
            kernels_compiled=report.get("kernels_compiled", 0),
            kernels_from_disk=report.get("kernels_from_disk", 0),
            kernels_from_memory=report.get("kernels_from_memory", 0),
            arena_bytes=report.get("arena_bytes", 0),
            prepared_bytes=report.get("prepared_bytes", 0),
            debug_dir=report.get("debug_dir", ""),
            whole_graph_reason=record.whole_graph_reason,
            notes=tuple(record.notes),
        )


def _kernel(data: dict[str, Any]) -> Kernel:
    return Kernel(
        name=data["name"],
        kind=data["kind"],
        ops=tuple(data["ops"]),
        prepare=data["prepare"],
        layout_transform=data["layout_transform"],
        bytes=data["bytes"],
        flops=data["flops"],
    )


# ---- text


def _lines(report: Report) -> Iterator[str]:
    yield f"Litz report: {report.title}"
    if not report.graphs:
        yield "  nothing compiled yet: call it once"
    for graph in report.graphs:
        yield ""
        yield f"{_heading(graph)}"
        for name, rows in _sections(graph):
            yield f"  {name}"
            yield from (f"    {row}" for row in rows)
    if report.recompiles:
        yield ""
        yield "compiled again"
        yield from (f"  {r.name}: {r.reason}" for r in report.recompiles)


def _heading(graph: Graph) -> str:
    symbols = ", ".join(f"{k}={v}" for k, v in graph.symbols.items())
    where = f" from {graph.source}" if graph.source else ""
    sizes = f" for {symbols}" if symbols else ""
    return f"graph {graph.name} ({graph.kind}){where}{sizes}"


def _sections(graph: Graph) -> Iterator[tuple[str, list[str]]]:
    if graph.whole_graph_reason:
        yield "runs through PyTorch as a whole", [graph.whole_graph_reason]
    main = graph.main_kernels
    prepare = [k for k in graph.kernels if k.prepare]
    yield f"kernels: {len(main)} a call", [_kernel_row(i, k) for i, k in enumerate(main)]
    if prepare:
        yield (
            f"kernels that run only when weights change: {len(prepare)}",
            [_kernel_row(i, k) for i, k in enumerate(prepare)],
        )
    if graph.unfused:
        rows = _unique(f"{u.producer} → {u.consumer}: {u.reason}" for u in graph.unfused)
        yield f"not fused: {len(graph.unfused)}", rows
    fallbacks = _unique(f"{f.op}: {f.reason}" + (f" ({f.source})" if f.source else "") for f in graph.fallbacks)
    yield f"fall-backs: {len(graph.fallbacks) or 'none'}", fallbacks
    if graph.stages:
        total = sum(s.milliseconds for s in graph.stages)
        stages = ", ".join(f"{s.name} {s.milliseconds:.1f}" for s in graph.stages)
        yield f"compile time: {total:.1f} ms", [stages]
    found = f"{graph.kernels_from_disk} from disk, {graph.kernels_from_memory} reused"
    if graph.kernels:
        yield "kernel cache", [f"{graph.kernels_compiled} compiled, {found}"]
    memory = f"working memory {_size(graph.arena_bytes)}, made of weights beforehand {_size(graph.prepared_bytes)}"
    yield "memory", [memory]
    if graph.debug_dir:
        yield "generated code", [graph.debug_dir]
    if graph.notes:
        yield "notes", list(graph.notes)


def _kernel_row(index: int, kernel: Kernel) -> str:
    work = f"{_size(kernel.bytes)}" + (f", {kernel.flops / 1e6:.1f} MFLOP" if kernel.flops else "")
    return f"{index + 1:3} {kernel.name} [{kernel.kind}, {work}]: {', '.join(_counted(kernel.ops))}"


def _counted(items: tuple[str, ...]) -> list[str]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return [item if n == 1 else f"{item} ×{n}" for item, n in counts.items()]


def _unique(rows: Any) -> list[str]:
    return _counted(tuple(rows))


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.2f} GiB"


# ---- notebooks


def _html(report: Report) -> str:
    parts = [f"<h4>Litz report: {html.escape(report.title)}</h4>"]
    if not report.graphs:
        parts.append("<p>nothing compiled yet: call it once</p>")
    for graph in report.graphs:
        parts.append(f"<details open><summary><b>{html.escape(_heading(graph))}</b></summary>")
        for name, rows in _sections(graph):
            items = "".join(f"<li><code>{html.escape(row)}</code></li>" for row in rows)
            parts.append(f"<details><summary>{html.escape(name)}</summary><ul>{items}</ul></details>")
        parts.append("</details>")
    if report.recompiles:
        rows_html = "".join(f"<li>{html.escape(r.name)}: {html.escape(r.reason)}</li>" for r in report.recompiles)
        parts.append(f"<p>compiled again</p><ul>{rows_html}</ul>")
    return "".join(parts)
