"""An option with a value of a wrong type.

litz.UserError: option "freeze" expects bool, got str "yes"
"""

import torch

f = torch.compile(lambda x: x + 1, backend="litz", options={"freeze": "yes"})
f(torch.ones(2))
