"""What AOTAutograd says about the graph that it is handing over.

It knows which inputs a graph writes and which outputs share memory, and wraps what a back end compiled in Python code
that sees to that. Where an installed torch does not tell, nothing is assumed.
"""

from __future__ import annotations

from typing import Any

import torch


def metadata() -> Any | None:
    """The record of the graph that is being compiled, or None."""
    context = torch._guards.TracingContext.try_get()
    return getattr(context, "fw_metadata", None)


def wraps_nothing(inputs: int, outputs: int) -> bool:
    """Whether an inference graph with as many outputs can be called as Dynamo calls it, with as many inputs.

    It can if no input is written, a subclass or left out, and every output is a tensor of its own.
    """
    found = metadata()
    if found is None:
        return False
    try:
        return (
            len(found.input_info) == inputs
            and len(found.output_info) == outputs
            and not any(i.mutates_data or i.mutates_metadata for i in found.input_info)
            and all(o.output_type.name == "non_alias" for o in found.output_info)
            and all(type(t).__name__ == "PlainTensorMeta" for t in found.subclass_inp_meta)
            and found.num_intermediate_bases == 0
            and found.grad_enabled_mutation is None
            and not (found.tokens or found.is_rng_op_functionalized or found.dynamic_outputs)
        )
    except AttributeError:
        return False
