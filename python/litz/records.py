"""What has been compiled in this process, for reports and for `refresh`.

A record lives as long as the compiled code that it describes: the code holds it, this module only knows of it.
"""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Specialization:
    """One executable of a graph. `report` is the compiler's, as plain data."""

    symbols: dict[str, int]
    reason: str
    report: dict[str, Any]
    refresh: Callable[[], None] | None = None


@dataclass
class GraphRecord:
    """A graph handed to Litz: the whole program or what lies between two graph breaks, forward or backward."""

    name: str
    kind: str  # "inference", "forward" or "backward"
    source: str
    fallbacks: list[dict[str, str]] = field(default_factory=list)
    specializations: list[Specialization] = field(default_factory=list)
    evicted: int = 0
    whole_graph_reason: str = ""  # why all of it runs through PyTorch; empty: it does not
    notes: list[str] = field(default_factory=list)


class FrameRecord:
    """One call of the back end: what one `torch.compile` made of one Python function, at one time.

    `name` is the function's or the module's class, for people.
    """

    def __init__(
        self,
        name: str,
        wrapper: Any,
        code: types.CodeType | None,
        compile_id: str,
        recompile_reason: str,
        tensors: list[Any],
    ):
        self.name = name
        self._wrapper = None if wrapper is None else weakref.ref(wrapper)
        self.code = code
        self.compile_id = compile_id
        self.recompile_reason = recompile_reason
        self.graphs: list[GraphRecord] = []
        self._tensors = [weakref.ref(t) for t in tensors]

    @property
    def wrapper(self) -> Any | None:
        """The `torch.compile` call, if it still exists."""
        return None if self._wrapper is None else self._wrapper()

    def belongs_to(self, module_tensors: set[int]) -> bool:
        """Whether its parameters are among those with these ids; true if it has none."""
        alive = [t for t in (ref() for ref in self._tensors) if t is not None]
        return all(id(t) in module_tensors for t in alive)


class Registry:
    """Frames that are alive, in the order in which they were compiled."""

    def __init__(self) -> None:
        self._frames: list[weakref.ref[FrameRecord]] = []
        self._lock = threading.Lock()
        self._names: dict[str, int] = {}

    def add(self, frame: FrameRecord) -> None:
        """Registers a frame; forgets those that are gone."""
        with self._lock:
            self._frames = [ref for ref in self._frames if ref() is not None]
            self._frames.append(weakref.ref(frame))

    def frames(self) -> list[FrameRecord]:
        """All frames that are alive."""
        with self._lock:
            return [frame for frame in (ref() for ref in self._frames) if frame is not None]

    def unique_name(self, wanted: str) -> str:
        """`wanted`, with a number from the second time on."""
        with self._lock:
            count = self._names.get(wanted, 0)
            self._names[wanted] = count + 1
        return wanted if count == 0 else f"{wanted}_{count}"


registry = Registry()
