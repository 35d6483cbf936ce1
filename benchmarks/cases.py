"""The programs that are measured: functions that make a model and its inputs. Weights depend on the seed only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class LayerNormGelu(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.scale = nn.Parameter(torch.randn(width))

    def forward(self, x, residual):
        return nn.functional.gelu(self.norm(x) * self.scale + 0.1) + residual


class ScaledSoftmax(nn.Module):
    def forward(self, x, mask):
        return torch.softmax(x * 0.125 + mask, -1)


class LinearRelu(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.linear(x))


class SinCos(nn.Module):
    def forward(self, x):
        return torch.sin(torch.cos(x))


class LastHiddenState(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


Case = Callable[[], tuple[nn.Module, tuple[torch.Tensor, ...]]]


def sincos(size: int) -> Case:
    return lambda: (SinCos(), (torch.randn(size),))


def bert(batch: int, length: int, dtype: torch.dtype = torch.float32) -> Case:
    def make() -> Any:
        from transformers import BertConfig, BertModel

        model = LastHiddenState(BertModel(BertConfig())).to(dtype)
        return model, (torch.randint(0, 30000, (batch, length)), torch.ones(batch, length, dtype=torch.long))

    return make


def resnet50(batch: int) -> Case:
    def make() -> Any:
        import torchvision

        return torchvision.models.resnet50(), (torch.randn(batch, 3, 224, 224),)

    return make


def resnext101(batch: int, size: int) -> Case:
    def make() -> Any:
        import timm

        return timm.create_model("resnext101_32x8d", num_classes=2), (torch.randn(batch, 3, size, size),)

    return make


CASES: dict[str, Case] = {
    "sincos_10k": sincos(10_000),
    "sincos_64m": sincos(64 << 20),
    "lngelu_4096x768": lambda: (LayerNormGelu(768), (torch.randn(4096, 768), torch.randn(4096, 768))),
    "softmax_8192x512": lambda: (ScaledSoftmax(), (torch.randn(8192, 512), torch.randn(512))),
    "linear_1024": lambda: (LinearRelu(1024), (torch.randn(1024, 1024),)),
    "resnet50_b1": resnet50(1),
    "resnet50_b8": resnet50(8),
    "bert_b1": bert(1, 128),
    "bert_b8": bert(8, 128),
    "bert_b1_bf16": bert(1, 128, torch.bfloat16),
    "resnext101_b64_7x7": resnext101(64, 7),
    "resnext101_b1_224": resnext101(1, 224),
}


def make_case(name: str) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """The model in evaluation mode and its inputs, the same in every process."""
    torch.manual_seed(0)
    model, inputs = CASES[name]()
    return model.eval(), inputs
