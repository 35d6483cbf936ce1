"""A tensor on the meta device, where that is an error.

litz.UnsupportedError: a tensor on the meta device holds no data
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"fallback": "error"})
f(torch.ones(2, device="meta"))
