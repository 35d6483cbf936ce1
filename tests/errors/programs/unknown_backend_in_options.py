"""A back end that nobody registered, through torch.compile.

litz.UserError: there is no back end "lits"; did you mean "litz"?
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"backend": "lits"})
f(torch.ones(2))
