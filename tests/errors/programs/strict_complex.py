"""A dtype that Litz does not have, where that is an error.

litz.UnsupportedError: dtype torch.complex64 is not supported
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"fallback": "error"})
f(torch.ones(2, dtype=torch.complex64))
