"""A sparse tensor, where that is an error.

litz.UnsupportedError: tensors of layout torch.sparse_coo are not supported
"""

import torch

f = torch.compile(lambda x: x * 2, backend="litz", options={"fallback": "error"})
f(torch.eye(3).to_sparse())
