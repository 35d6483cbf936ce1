"""A report of a function that was not compiled.

litz.UserError: expected what torch.compile(…) or litz.compile(…) returned, or a decorated function; got Linear
"""

import torch

import litz

litz.report(torch.nn.Linear(2, 2))
