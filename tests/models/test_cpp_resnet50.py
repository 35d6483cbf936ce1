"""examples/resnet50.cpp, built against the installed library, against torchvision's resnet50 with the same weights."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from torch import randn

import litz
from contract import assert_contract
from programs import resnet50

EXAMPLES = Path(__file__).parents[2] / "examples"
# The package lies in <build>/python/litz; tests/consumer has built the examples in the same build folder.
PROGRAM = Path(litz._litz.__file__).resolve().parents[2] / "tests/consumer/litz/build/resnet50"


def tensor_files():
    spec = importlib.util.spec_from_file_location("export_weights", EXAMPLES / "export_weights.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not PROGRAM.exists(), reason="not built: ctest -R consumer_litz")
def test_the_cpp_example_is_torchvisions_resnet50(tmp_path):
    files, model = tensor_files(), resnet50()
    weights, given, result = (tmp_path / f"{name}.tensors" for name in ("weights", "input", "output"))
    files.write_tensors(weights, model.state_dict())

    def run_example(x):
        files.write_tensors(given, {"input": x})
        command = [PROGRAM, "--weights", weights, "--input", given, "--output", result, "--runs", "0"]
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return files.read_tensors(result)["output"]

    assert_contract(model, lambda: [randn(2, 3, 64, 64)], litz_function=run_example)


def test_tensor_files_keep_every_dtype(tmp_path):
    files = tensor_files()
    tensors = {name: randn(3, 5).to(dtype) for name, dtype in files.DTYPES.items()} | {
        "scalar": randn(()),
        "empty": randn(0, 2),
        "transposed": randn(2, 3).t(),
    }
    files.write_tensors(tmp_path / "file", tensors)
    read = files.read_tensors(tmp_path / "file")
    assert list(read) == list(tensors)
    for name, tensor in tensors.items():
        assert read[name].dtype == tensor.dtype and read[name].shape == tensor.shape
        assert (read[name] == tensor).all()
