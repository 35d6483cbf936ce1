"""A size known only while the program runs, where that is an error.

litz.UnsupportedError: known only while the program runs
"""

import torch

with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
    f = torch.compile(lambda x: x.nonzero() * 2, backend="litz", options={"fallback": "error"})
    f(torch.ones(3))
