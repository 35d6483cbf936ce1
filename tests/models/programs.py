"""The four programs of the first release, and inputs for them."""

from __future__ import annotations

import torch
from torch import nn


class SinCos(nn.Module):
    def forward(self, x):
        return torch.sin(torch.cos(x))


class LastHiddenState(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def resnet50() -> nn.Module:
    import torchvision

    torch.manual_seed(0)
    return with_statistics(torchvision.models.resnet50(num_classes=100)).eval()


def vision_model(name: str) -> nn.Module:
    """A model of torchvision's with random weights and ten classes."""
    import torchvision

    torch.manual_seed(0)
    return with_statistics(torchvision.models.get_model(name, weights=None, num_classes=10)).eval()


def resnext101() -> nn.Module:
    import timm

    torch.manual_seed(0)
    # Errors of a few outputs would be a matter of luck: a hundred classes.
    return with_statistics(timm.create_model("resnext101_32x8d", num_classes=100)).eval()


def bert(layers: int = 12, hidden: int = 768, dtype: torch.dtype = torch.float32) -> nn.Module:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        num_hidden_layers=layers, hidden_size=hidden, intermediate_size=4 * hidden, num_attention_heads=hidden // 64
    )
    return LastHiddenState(BertModel(config)).eval().to(dtype)


def tokens(batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and a mask that hides some of the last tokens."""
    mask = torch.ones(batch, length, dtype=torch.long)
    mask[0, length - 3 :] = 0
    return torch.randint(0, 30000, (batch, length)), mask


def with_statistics(model: nn.Module) -> nn.Module:
    """Batch norms with statistics and scales that are not those of a fresh model, whose norms do nothing."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, std=0.1)
            nn.init.normal_(module.running_mean, std=0.1)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return model
