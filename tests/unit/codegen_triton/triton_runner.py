"""Runs or compiles generated Triton kernels; a program of its own, so that Triton starts afresh and torch stays out.

    triton_cases ops | python triton_runner.py run        interprets each on the CPU and compares
    triton_cases ops | python triton_runner.py compile 90 compiles each to a cubin

Reads the lines of triton_cases on stdin. Writes one line of JSON a case: {"name", "error"}, error empty if all is well.
"""

import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__" and sys.argv[1] == "run":
    os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import triton

NUMPY = {
    "f64": np.float64, "f32": np.float32, "bf16": np.uint16, "f16": np.float16, "i64": np.int64, "i32": np.int32,
    "i16": np.int16, "i8": np.int8, "u8": np.uint8, "bool": np.bool_,
}  # fmt: skip
TRITON = {
    "f64": "float64", "f32": "float32", "bf16": "bfloat16", "f16": "float16", "i64": "int64", "i32": "int32",
    "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "bool",
}  # fmt: skip
# A sum in another order, and functions that differ by an ulp, through a few more operations.
TOLERANCE = {"f64": 1e-10, "f32": 2e-5, "bf16": 1 / 128, "f16": 1 / 1024}


class Memory:
    """What Triton's interpreter asks of an argument that lies in memory."""

    def __init__(self, array, dtype):
        self.array = array
        self.dtype = dtype

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, _size, device=None):
        return Memory(self.array, self.dtype)

    def set_(self, *_args):
        pass

    def storage_offset(self):
        return 0

    def size(self):
        return self.array.shape

    def stride(self):
        return (1,)

    def copy_(self, _other):
        pass


def module_of(text, folder, name):
    path = Path(folder) / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def round_to_bf16(x):
    bits = x.astype(np.float32).view(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def complete_interpreter():
    """Gives Triton's interpreter CUDA's device library, exact bf16 conversions, a fused fma, splats of comparisons."""
    import math

    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.runtime.interpreter import InterpreterBuilder, TensorHandle

    def elementwise(function):
        def call(*args):
            data = [a.handle.data for a in args]
            wide = np.broadcast_arrays(*(d.astype(np.float64) for d in data))
            result = np.asarray(function(*wide)).astype(data[0].dtype)
            largest = max(args, key=lambda a: a.handle.data.size)
            return tl.tensor(TensorHandle(result, args[0].dtype), largest.type)

        return call

    def each(function):
        def guarded(*values):
            try:
                return function(*values)
            except OverflowError:
                return math.inf
            except ValueError:
                return math.nan

        return np.vectorize(guarded, otypes=[np.float64])

    functions = {
        "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
        "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
        "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
        "atanh": np.arctanh, "erf": each(math.erf), "erfc": each(math.erfc), "trunc": np.trunc, "rint": np.rint,
        "fmod": np.fmod, "pow": np.power, "atan2": np.arctan2,
    }  # fmt: skip
    for name, function in functions.items():
        setattr(libdevice, name, elementwise(function))

    cast = InterpreterBuilder.cast_impl

    def cast_impl(self, source, target):
        if source.dtype.scalar == tl.float32 and target.scalar == tl.bfloat16:
            return TensorHandle(round_to_bf16(source.data), tl.bfloat16)
        if source.dtype.scalar == tl.bfloat16 and target.scalar == tl.float32:
            return TensorHandle(bf16_to_f32(source.data), tl.float32)
        return cast(self, source, target)

    def create_fma(self, x, y, z):
        wide = np.float128 if x.data.dtype == np.float64 else np.float64
        total = x.data.astype(wide) * y.data.astype(wide) + z.data.astype(wide)
        return TensorHandle(total.astype(x.data.dtype), z.dtype.scalar)

    def create_splat(self, target, scalar):
        # Of a comparison's result the interpreter knows the dtype by its data only.
        return TensorHandle(np.full(target.shape, scalar.data.reshape(-1)[0]), scalar.dtype.scalar)

    InterpreterBuilder.cast_impl = cast_impl
    InterpreterBuilder.create_splat = create_splat
    InterpreterBuilder.create_fma = create_fma


def bf16_to_f32(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


def compare(dtype, got, expected):
    """Says where two arrays differ by more than the dtype's tolerance; empty if nowhere."""
    if dtype not in TOLERANCE:
        wrong = got != expected
    else:
        if dtype == "bf16":
            got, expected = bf16_to_f32(got), bf16_to_f32(expected)
        got, expected = got.astype(np.float64), expected.astype(np.float64)
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        tiny = np.finfo(np.float32).tiny if dtype != "f64" else np.finfo(np.float64).tiny
        close = np.abs(got - expected) <= TOLERANCE[dtype] * np.maximum(np.abs(expected), tiny)
        wrong = ~(same | (np.isfinite(got) & np.isfinite(expected) & close))
    if not wrong.any():
        return ""
    at = int(np.flatnonzero(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} differ; [{at}] is {got[at]!r}, expected {expected[at]!r}"


def interpret(case, folder):
    module = module_of(case["text"], folder, "kernel_" + str(abs(hash(case["name"]))))
    arrays = [np.frombuffer(bytearray.fromhex(b["input"]), NUMPY[b["dtype"]]).copy() for b in case["buffers"]]
    args = [Memory(a, TRITON[b["dtype"]]) for a, b in zip(arrays, case["buffers"], strict=True)]
    fault = np.zeros(4, np.int64)
    if "fault" in case["launch"]["signature"]:
        args.append(Memory(fault, "int64"))
    with np.errstate(all="ignore"):
        for phase in case["launch"]["phases"]:
            if phase["programs"] > 0:
                getattr(module, phase["entry"])[(phase["programs"],)](*args, **phase["constexprs"])
    check, index, size = fault[:3].tolist()
    known = any([check, size] == [c, s] and not low <= index < s for c, s, low in case["checks"])
    if case["faults"] != (check != 0) or (check != 0 and not known):
        return f"fault {fault.tolist()} of checks {case['checks']}, expected {case['faults']}"
    for number, (array, buffer) in enumerate(zip(arrays, case["buffers"], strict=True)):
        expected = np.frombuffer(bytes.fromhex(buffer["expected"]), NUMPY[buffer["dtype"]])
        difference = compare(buffer["dtype"], array, expected)
        if difference:
            return f"buffer {number} ({buffer['dtype']}): {difference}"
    return ""


def compile_case(case, folder, sm):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = module_of(case["text"], folder, "kernel_" + str(abs(hash(case["name"]))))
    launch = case["launch"]
    options = {k: launch[k] for k in ("num_stages", "enable_fp_fusion", "enable_reflect_ftz")}
    for phase in launch["phases"]:
        options["num_warps"] = phase["num_warps"]
        signature = {**launch["signature"], **dict.fromkeys(phase["constexprs"], "constexpr")}
        source = ASTSource(fn=getattr(module, phase["entry"]), signature=signature, constexprs=phase["constexprs"])
        compiled = triton.compile(source, target=GPUTarget("cuda", sm, 32), options=options)
        if not compiled.asm["cubin"].startswith(b"\x7fELF"):
            return "the result is no cubin"
    return ""


def main():
    mode = sys.argv[1]
    if mode == "run":
        complete_interpreter()
    with tempfile.TemporaryDirectory() as folder:
        if mode == "compile":
            os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "cache")
        for line in sys.stdin:
            case = json.loads(line)
            try:
                if "unsupported" in case:
                    error = case["unsupported"]
                elif mode == "run":
                    error = interpret(case, folder)
                else:
                    error = compile_case(case, folder, int(sys.argv[2]))
            except Exception as e:
                error = f"{type(e).__name__}: {e}"
            print(json.dumps({"name": case["name"], "error": error}), flush=True)
    assert "torch" not in sys.modules


if __name__ == "__main__":
    main()
