"""A number of threads that makes no sense.

litz.UserError: option "threads" must be from 0 to 1024, got -1
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"threads": -1})
f(torch.ones(2))
