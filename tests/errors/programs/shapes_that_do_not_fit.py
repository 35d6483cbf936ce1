"""Shapes that do not broadcast: torch's own error, while it traces.

torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors
"""

import torch

f = torch.compile(lambda x, y: x + y, backend="litz", fullgraph=True)
f(torch.ones(3), torch.ones(4))
