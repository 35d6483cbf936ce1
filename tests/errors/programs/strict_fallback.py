"""An op that Litz does not compile, where that is an error.

litz.UnsupportedError: [fallback] aten._linalg_det.default at strict_fallback.py:9 in <lambda>:
"""

import torch

f = torch.compile(
    lambda x: torch.linalg.det(x),
    backend="litz",
    options={"fallback": "error"},
)
f(torch.eye(3))
