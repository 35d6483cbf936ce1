"""An option with a value that it does not have.

litz.UserError: option "fallback" has no value "eror"; did you mean "error"? It can be "warn", "error", "allow"
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"fallback": "eror"})
f(torch.ones(2))
