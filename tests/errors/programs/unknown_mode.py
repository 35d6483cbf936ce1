"""A mode that torch.compile does not have.

litz.UserError: option "mode" has no value "max-autotun"; did you mean "max-autotune"?
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", mode="max-autotun")
f(torch.ones(2))
