"""Tensors and sizes as Litz sees them: dtype names, concrete sizes, what Litz cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

DTYPE_NAMES = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}

SymbolicNumber = (torch.SymInt, torch.SymFloat, torch.SymBool)


class Unsupported(Exception):
    """A graph that Litz cannot hold: it runs through PyTorch as a whole."""

    def __init__(self, op: str, reason: str, source: str = ""):
        super().__init__(f"{op}: {reason}")
        self.op = op
        self.reason = reason
        self.source = source


def why_unsupported(tensor: torch.Tensor) -> str:
    """Why no value of Litz can be this tensor; empty if one can. `tensor` may be fake."""
    if tensor.layout is not torch.strided:
        return f"tensors of layout {tensor.layout} are not supported"
    if tensor.is_quantized:
        return "quantised tensors are not supported"
    if tensor.dtype not in DTYPE_NAMES:
        return f"dtype {tensor.dtype} is not supported"
    if tensor.device.type == "meta":
        return "a tensor on the meta device holds no data"
    if tensor.device.type != "cpu":
        return f"device {tensor.device.type} is not supported in this version; tensors must be on the CPU"
    if tensor.is_conj():
        return "a tensor with the conjugate bit is not supported: call resolve_conj() first"
    if tensor.is_neg():
        return "a tensor with the negative bit is not supported: call resolve_neg() first"
    return ""


class Sizes:
    """Gives symbolic sizes their values in one call."""

    def __init__(self, symbols: dict[str, int]):
        self.symbols = symbols
        self._by_expression: dict[Any, Any] = {}

    def value(self, number: Any) -> Any:
        """The Python number behind a SymInt, SymFloat or SymBool; other things as they are."""
        if not isinstance(number, SymbolicNumber):
            return number
        expression = number.node.expr
        if expression not in self._by_expression:
            self._by_expression[expression] = self._evaluate(number, expression)
        return self._by_expression[expression]

    def values(self, numbers: Sequence[Any]) -> list[Any]:
        """`value` of each."""
        return [self.value(n) for n in numbers]

    def _evaluate(self, number: Any, expression: Any) -> Any:
        known = {s: self.symbols[s.name] for s in expression.free_symbols if s.name in self.symbols}
        result = expression.subs(known)
        if result.free_symbols:
            names = ", ".join(sorted(str(s) for s in result.free_symbols))
            raise Unsupported("symbolic size", f"the size {names} is known only while the program runs")
        if isinstance(number, torch.SymBool):
            return bool(result)
        return float(result) if isinstance(number, torch.SymFloat) else int(result)
