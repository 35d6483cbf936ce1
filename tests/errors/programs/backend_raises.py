"""A back end that raises: its own error reaches the user.

ValueError: no such luck
"""

import torch

import litz


def compile_graph(graph, options):
    raise ValueError("no such luck")


litz.register_backend("unlucky", compile_graph)
try:
    f = litz.compile(lambda x: x + 1, backend="unlucky")
    f(torch.ones(2))
finally:
    litz.unregister_backend("unlucky")
