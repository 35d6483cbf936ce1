#!/usr/bin/env python3
"""PyTorch models through Litz on this machine: `make demo`.

    examples/demo.py [sincos] [resnet50] [bert]      (none: all that are installed)

For each: the time of the first call and of later ones beside eager PyTorch, how far the results lie apart, what was
compiled, and where the generated code is to read.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LITZ_DEBUG", "1")  # writes every stage, the generated C++ too

import torch

import litz


def sincos() -> tuple[Any, tuple[torch.Tensor, ...]]:
    return lambda x: torch.sin(torch.cos(x)), (torch.randn(1_000_000),)


def resnet50() -> tuple[Any, tuple[torch.Tensor, ...]]:
    from torchvision.models import resnet50

    return resnet50().eval(), (torch.randn(1, 3, 224, 224),)


def bert() -> tuple[Any, tuple[torch.Tensor, ...]]:
    from transformers import BertConfig, BertModel

    model = BertModel(BertConfig()).eval()

    class LastHiddenState(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.model(input_ids=ids).last_hidden_state

    return LastHiddenState().eval(), (torch.randint(0, 30000, (1, 128)),)


PROGRAMS: dict[str, tuple[str, Callable[[], tuple[Any, tuple[torch.Tensor, ...]]]]] = {
    "sincos": ("sin(cos(x)) of a million numbers", sincos),
    "resnet50": ("torchvision's resnet50, one image of 224 × 224", resnet50),
    "bert": ("BERT-base (transformers), 128 tokens", bert),
}


def milliseconds(function: Callable[..., Any], inputs: tuple[torch.Tensor, ...], rounds: int = 7) -> float:
    """The fastest of some rounds, each of a tenth of a second or one call."""
    best = float("inf")
    for _ in range(rounds):
        calls, start = 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - start < 0.1:
            function(*inputs)
            calls += 1
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e3


def show(title: str, model: Any, inputs: tuple[torch.Tensor, ...]) -> None:
    print(f"\n=== {title}")
    fast = torch.compile(model, backend="litz")
    with torch.no_grad():
        start = time.perf_counter()
        result = fast(*inputs)
        first = time.perf_counter() - start
        expected = model(*inputs)
        eager, mine = milliseconds(model, inputs), milliseconds(fast, inputs)
    difference = (result - expected).abs().max().item()
    report = litz.report(fast)
    own = sum(s.milliseconds for g in report.graphs for s in g.stages)
    print(f"first call         {first:8.2f} s, of which Litz {own / 1e3:.2f} s and torch's capture the rest")
    print(f"a call             {mine:8.3f} ms with Litz, {eager:.3f} ms with eager PyTorch ({eager / mine:.2f} ×)")
    print(f"largest difference {difference:8.1e} where results reach {expected.abs().max().item():.2g}")
    print(f"kernels            {len(report.kernels):8} a call, {len(report.fallbacks)} ops through PyTorch")
    text = str(report).splitlines()
    print("\n".join("  " + line for line in text[:24]))
    if len(text) > 24:
        print(f"  … {len(text) - 24} more lines: print(litz.report(f))")
    for graph in report.graphs:
        if graph.debug_dir:
            code = Path(graph.debug_dir) / "output_code.cpp"
            print(f"generated code     {code if code.exists() else graph.debug_dir}")


def main() -> None:
    wanted = sys.argv[1:] or list(PROGRAMS)
    print(f"Litz {litz.__version__}, torch {torch.__version__}, {torch.get_num_threads()} threads")
    for name in wanted:
        title, make = PROGRAMS[name]
        torch.manual_seed(0)
        try:
            model, inputs = make()
        except ImportError as e:
            print(f"\n=== {title}\nnot installed: {e.name} (scripts/setup.sh test brings it)")
            continue
        show(title, model, inputs)


if __name__ == "__main__":
    main()
