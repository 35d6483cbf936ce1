"""The back end "interpreter": the reference interpreter runs each graph, op by op. Slow, and obviously right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litz import _litz
from litz.torch.exchange import tensor_api


def interpret_graph(graph: _litz.Graph, options: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """What `register_backend` takes. Results have the strides that eager's have."""
    tensors = tensor_api()
    outputs = graph.outputs

    def run(inputs: list[Any]) -> list[Any]:
        results = _litz.interpret(graph, inputs, graph.run_foreign, tensors)
        return [_restrided(result, output) for result, output in zip(results, outputs, strict=True)]

    return run


def _restrided(tensor: Any, output: dict[str, Any]) -> Any:
    if list(tensor.stride()) == output["strides"]:
        return tensor
    return tensor.new_empty_strided(output["shape"], output["strides"]).copy_(tensor)
