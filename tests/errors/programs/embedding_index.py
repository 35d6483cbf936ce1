"""A word that the vocabulary does not have.

litz.IndexError: embedding
"""

import torch

f = torch.compile(torch.nn.functional.embedding, backend="litz")
f(torch.tensor([0, 7]), torch.randn(5, 3))
