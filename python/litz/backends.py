"""The registry of back ends: what compiles a graph. Litz's own, those registered here, those of installed packages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from litz import _litz

ENTRY_POINT_GROUP = "litz_backends"

# The reference interpreter, to tell a fault of the compiler from one of the program; loaded when it is asked for.
BUILT_IN = (EntryPoint("interpreter", "litz.torch.interpreter:interpret_graph", ENTRY_POINT_GROUP),)

# Takes the graph and the options, gives what runs it: a callable from a list of input tensors to a sequence of outputs,
# one for each of the graph's inputs and outputs.
Backend = Callable[["_litz.Graph", dict[str, Any]], Callable[[list[Any]], Sequence[Any]]]


class _Registry:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._functions: dict[str, Backend] = {}
        self._entry_points: dict[str, EntryPoint] | None = None

    def add(self, name: str, function: Backend) -> None:
        with self._lock:
            self._functions[name] = function

    def remove(self, name: str) -> None:
        with self._lock:
            self._functions.pop(name, None)

    def names(self) -> list[str]:
        with self._lock:
            return sorted({*self._functions, *self._discovered()})

    def find(self, name: str) -> Backend | None:
        with self._lock:
            if name in self._functions:
                return self._functions[name]
            entry = self._discovered().get(name)
        if entry is None:
            return None
        function = entry.load()
        self.add(name, function)
        return function

    def _discovered(self) -> dict[str, EntryPoint]:
        if self._entry_points is None:
            self._entry_points = {e.name: e for e in [*BUILT_IN, *entry_points(group=ENTRY_POINT_GROUP)]}
        return self._entry_points


_registry = _Registry()


def list_backends() -> list[str]:
    """Names that `litz.compile(f, backend=…)` and `options={"backend": …}` take."""
    return sorted({*_litz.list_backends(), *_registry.names()})


def register_backend(name: str, function: Backend) -> None:
    """Adds a back end.

    `function(graph, options)` is called once for each graph and set of sizes, and returns a callable: it takes the
    list of the graph's input tensors and returns one tensor for each of the graph's outputs. `graph` prints as text;
    `graph.run_foreign(payload, tensors)` runs a node that is torch's. A package can register a back end without being
    imported, by an entry point in the group "litz_backends".

    Raises UserError if the name is empty or taken, or if `function` cannot be called.
    """
    if not isinstance(name, str) or not name:
        raise _litz.UserError(f"register_backend: name must be a text that is not empty, got {name!r}")
    if not callable(function):
        raise _litz.UserError(f"register_backend: function must be callable, got {type(function).__name__}")
    if name in list_backends():
        raise _litz.UserError(f'register_backend: there is a back end "{name}" already')
    _registry.add(name, function)


def unregister_backend(name: str) -> None:
    """Removes a back end that `register_backend` added. What it compiled stays as it is."""
    _registry.remove(name)


def find_backend(name: str) -> Backend | None:
    """The Python function of this name; None for Litz's own back ends. UserError for a name that nobody registered."""
    function = _registry.find(name)
    if function is None and name not in _litz.list_backends():
        names = list_backends()
        nearest = _litz.nearest_name(name, names)
        raise _litz.UserError(f'there is no back end "{name}"; did you mean "{nearest}"? There are: {", ".join(names)}')
    return function
