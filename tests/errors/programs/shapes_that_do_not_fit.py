"""Shapes that do not broadcast: torch's own error, while it traces.

torch._dynamo.exc.TorchRuntimeError: The size of tensor a (3) must match the size of tensor b (4)
"""

import torch

f = torch.compile(lambda x, y: x + y, backend="litz", fullgraph=True)
f(torch.ones(3), torch.ones(4))
