"""An option with a value of a type that no option has.

litz.UserError: option "threads" cannot be of type list
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"threads": [2]})
f(torch.ones(2))
