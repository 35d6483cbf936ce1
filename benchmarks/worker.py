"""One engine on one case in a process of its own; takes commands from peers.py, answers in JSON, a line each.

worker.py CASE ENGINE THREADS ONNX_FILE REFERENCE_FILE
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import Any


def main() -> None:
    case, engine, threads, onnx, reference = sys.argv[1:6]
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print does not mix with the replies

    def reply(**fields: Any) -> None:
        replies.write(json.dumps(fields) + "\n")
        replies.flush()

    try:
        worker = Worker(case, engine, int(threads), onnx, reference)
        reply(**worker.start())
        for line in sys.stdin:
            command = json.loads(line)
            if command["do"] == "end":
                reply(**worker.end())
                return
            reply(milliseconds=worker.round(command["seconds"]))
    except Exception as e:
        reply(failed=f"{type(e).__name__}: {str(e)[:300]}")


class Worker:
    def __init__(self, case: str, engine: str, threads: int, onnx: str, reference: str):
        import torch

        import cases
        import engines

        self.torch = torch
        torch.set_num_threads(threads)
        self.engine, self.threads, self.onnx, self.reference = engine, threads, onnx, reference
        self.model, self.inputs = cases.make_case(case)
        self.make = {**engines.ENGINES, **engines.BASELINES}[engine]
        self.weights = sum(t.numel() * t.element_size() for t in self.model.state_dict().values())
        if engine in engines.NEEDS_ONNX:
            __import__({"ort": "onnxruntime", "openvino": "openvino"}[engine])

    def start(self) -> dict[str, Any]:
        torch = self.torch
        with torch.no_grad():
            self.idle = resident()
            reset_high_water()
            started = time.perf_counter()
            call = self.make(self.model, self.inputs, self.onnx, self.threads)
            result = call(*self.inputs)
            first = time.perf_counter() - started
            del result  # as in later calls: its memory serves the next one
            started = time.perf_counter()
            result = call(*self.inputs)
            second = time.perf_counter() - started
        self.call = call
        self.peak = high_water()
        fields = {"first_call_s": first, "second_call_ms": second * 1e3, **self.errors(result)}
        if self.engine == "litz":
            fields["report"] = self.litz_report()
        del result
        reset_high_water()  # of what the comparison took
        return fields

    def errors(self, result: Any) -> dict[str, float]:
        if self.engine.startswith("stored") or not os.path.exists(self.reference):
            return {}
        exact = self.torch.load(self.reference, mmap=True)
        difference = (result.double() - exact).abs()
        return {"max_error": difference.max().item(), "mean_error": difference.mean().item()}

    def litz_report(self) -> dict[str, Any]:
        import litz

        report = litz.report(self.call)
        return {
            "kernels": len(report.kernels),
            "fallbacks": [f.op for f in report.fallbacks],
            "stages": {s.name: s.milliseconds for g in report.graphs for s in g.stages},
            "prepared_bytes": sum(g.prepared_bytes for g in report.graphs),
            "arena_bytes": sum(g.arena_bytes for g in report.graphs),
        }

    def round(self, seconds: float) -> float:
        """Mean of as many calls as fit into `seconds`."""
        call, inputs = self.call, self.inputs
        with self.torch.no_grad():
            started = time.perf_counter()
            call(*inputs)
            one = max(time.perf_counter() - started, 1e-6)
            count = max(1, min(5000, int(seconds / one)))
            started = time.perf_counter()
            for _ in range(count):
                call(*inputs)
            return (time.perf_counter() - started) / count * 1e3

    def end(self) -> dict[str, Any]:
        # ORT and OpenVINO load weights of their own, which a process with a loaded, idle model has already.
        own_weights = self.weights if self.engine in ("ort", "openvino") else 0
        self.peak = max(self.peak, high_water())
        return {"peak_mb": (self.peak - self.idle - own_weights) / 2**20, "idle_mb": self.idle / 2**20}


def status(field: str) -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident() -> int:
    return status("VmRSS")


def high_water() -> int:
    return status("VmHWM")


def reset_high_water() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass  # without it the mark includes what loading took, for every engine alike


if __name__ == "__main__":
    main()
