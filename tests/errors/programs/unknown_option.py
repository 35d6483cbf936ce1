"""A misspelt option.

litz.UserError: unknown option "fast_mth"; did you mean "fast_math"?
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"fast_mth": True})
f(torch.ones(2))
