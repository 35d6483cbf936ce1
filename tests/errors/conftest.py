import pytest
import torch

import litz


@pytest.fixture(autouse=True)
def clean_slate():
    """Two threads, and nothing of another test in Dynamo's or Litz's caches."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    torch._dynamo.reset()
    litz.reset()
    yield
    torch._dynamo.reset()
