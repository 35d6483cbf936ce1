"""Writes tensors of PyTorch to a file that tensor_file.h reads; the format is described there.

python examples/export_weights.py resnet50.tensors       torchvision's resnet50 with trained weights (a download)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import torch

ALIGNMENT = 64
NAMES = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}
DTYPES = {name: dtype for dtype, name in NAMES.items()}


def padding(size: int) -> bytes:
    return bytes(-size % ALIGNMENT)


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    lines = ["litz-tensors 1"]
    lines += [" ".join([name, NAMES[t.dtype], *map(str, t.shape)]) for name, t in tensors.items()]
    header = ("\n".join(lines) + "\n\n").encode()
    with path.open("wb") as file:
        file.write(header + padding(len(header)))
        for tensor in tensors.values():
            data = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
            file.write(data + padding(len(data)))


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    data = path.read_bytes()
    header, _, _ = data.partition(b"\n\n")
    offset = len(header) + 2
    out = {}
    for line in header.decode().splitlines()[1:]:
        name, dtype, *sizes = line.split(" ")
        shape = [int(s) for s in sizes]
        offset += -offset % ALIGNMENT
        flat = torch.empty(shape, dtype=DTYPES[dtype])
        size = flat.numel() * flat.element_size()
        if size:
            flat = torch.frombuffer(bytearray(data[offset : offset + size]), dtype=DTYPES[dtype]).reshape(shape)
        out[name] = flat
        offset += size
    return out


def main() -> None:
    import torchvision

    weights = torchvision.models.ResNet50_Weights.DEFAULT
    write_tensors(Path(sys.argv[1]), torchvision.models.resnet50(weights=weights).state_dict())


if __name__ == "__main__":
    main()
