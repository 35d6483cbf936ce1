#!/usr/bin/env python3
"""Litz beside eager, Inductor, ONNX Runtime and OpenVINO: one process an engine, rounds alternated, all raw times kept.

    benchmarks/peers.py [CASE…] [--engines litz,eager,…] [--rounds 7] [--seconds 0.25] [--threads 2] [--cold 3]
        [--out FILE]

Prints the tables of docs/performance.md and writes everything measured as JSON (build/bench/peers.json). What the
words mean: "own cold" is the first call in a fresh process with empty caches, minus the same with a back end that
returns stored outputs; "own call" is a call minus the same call with such a back end; "second call" is the second
over a later one, both less such a back end's, results dropped before the next call; "peak" is the process's high-water
mark above a loaded, idle model.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Process:
    """A worker: see worker.py."""

    def __init__(self, case: str, engine: str, threads: int, onnx: Path, reference: Path, caches: Path):
        environment = {
            **os.environ,
            "TORCHINDUCTOR_CACHE_DIR": str(caches / "inductor"),
            "LITZ_CACHE_DIR": str(caches / "litz"),
            "OMP_NUM_THREADS": str(threads),
        }
        command = [sys.executable, str(HERE / "worker.py"), case, engine, str(threads), str(onnx), str(reference)]
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment
        )

    def answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if line:
            return json.loads(line)
        self.log.seek(0)
        return {"failed": "the process ended: " + self.log.read()[-300:].replace("\n", " ")}

    def ask(self, **command: Any) -> dict[str, Any]:
        try:
            self.process.stdin.write(json.dumps(command) + "\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            return {"failed": "the process ended"}
        return self.answer()

    def end(self) -> dict[str, Any]:
        reply = self.ask(do="end")
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait(timeout=60)
        return reply


def prepare(case: str, threads: int, folder: Path, onnx: bool) -> None:
    """Writes the result in float64 and the ONNX file, in a process of its own."""
    code = (
        "import sys, copy, torch, cases, engines\n"
        "case, threads, reference, onnx = sys.argv[1:5]\n"
        "torch.set_num_threads(int(threads))\n"
        "model, inputs = cases.make_case(case)\n"
        "double = copy.deepcopy(model).double()\n"
        "with torch.no_grad():\n"
        "    torch.save(double(*[x.double() if x.is_floating_point() else x for x in inputs]), reference)\n"
        "if onnx: engines.export_onnx(model, inputs, onnx)\n"
    )
    target = str(folder / "model.onnx") if onnx else ""
    done = subprocess.run(
        [sys.executable, "-c", code, case, str(threads), str(folder / "reference.pt"), target],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        print(f"  {case}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)


def measure(case: str, engines: list[str], options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Everything about one case."""
    from engines import NEEDS_ONNX

    prepare(case, options.threads, folder, any(e in NEEDS_ONNX for e in engines))
    results: dict[str, dict[str, Any]] = {}
    processes: dict[str, Process] = {}
    for engine in [*engines, "stored", "stored_aot"]:
        caches = folder / "caches" / engine
        process = Process(case, engine, options.threads, folder / "model.onnx", folder / "reference.pt", caches)
        results[engine] = process.answer()
        if "failed" in results[engine]:
            print(f"  {case} {engine}: {results[engine]['failed']}", file=sys.stderr)
        else:
            processes[engine] = process
    for engine in processes:
        results[engine]["rounds_ms"] = []
    for number in range(options.rounds):
        # Shuffled, so that no engine always meets what the same one leaves behind (waiting threads, a hot core).
        order = list(processes)
        random.Random(number).shuffle(order)
        for engine in order:
            reply = processes[engine].ask(do="round", seconds=options.seconds)
            if "milliseconds" in reply:
                results[engine]["rounds_ms"].append(reply["milliseconds"])
    for engine, process in processes.items():
        results[engine].update(process.end())
    if "litz" in processes:
        results["litz"].update(cold_starts(case, options, folder))
    return results


def cold_starts(case: str, options: argparse.Namespace, folder: Path) -> dict[str, list[float]]:
    """Seconds of first calls in fresh processes: a back end that does nothing, Litz with empty and with full caches."""
    times: dict[str, list[float]] = {"idle_first_s": [], "cold_first_s": [], "warm_disk_first_s": []}
    for number in range(options.cold):
        caches = folder / "caches" / f"cold{number}"
        for field, engine in zip(times, ("stored_aot", "litz", "litz"), strict=True):
            process = Process(case, engine, options.threads, folder / "none", folder / "none", caches)
            reply = process.answer()
            if "failed" not in reply:
                times[field].append(reply["first_call_s"])
                process.end()
    return times


# ---- tables


def median(result: dict[str, Any]) -> float | None:
    rounds = result.get("rounds_ms")
    return statistics.median(rounds) if rounds else None


def best_peer(results: dict[str, Any]) -> str | None:
    """The fastest peer whose error is at most four times eager's."""
    from engines import PEERS

    limit = 4 * results.get("eager", {}).get("max_error", float("inf"))
    right = [e for e in PEERS if median(results.get(e, {})) and results[e].get("max_error", 0) <= max(limit, 1e-30)]
    return min(right, key=lambda e: median(results[e]) or 0, default=None)


def cell(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "–"
    return f"{value:.{digits}g}" if value < 100 else f"{value:.0f}"


def time_table(all_results: dict[str, Any], engines: list[str]) -> list[str]:
    head = ["case", *engines, "best peer", "litz ÷ best peer", "litz ÷ inductor", "litz ÷ eager"]
    rows = [head, ["---"] * len(head)]
    for case, results in all_results.items():
        best = best_peer(results)
        mine = median(results.get("litz", {}))

        def ratio(other: str | None, mine: float | None = mine, results: dict[str, Any] = results) -> str:
            theirs = median(results.get(other, {})) if other else None
            return f"{mine / theirs:.2f}" if mine and theirs else "–"

        times = [cell(median(results.get(e, {}))) for e in engines]
        rows.append([case, *times, best or "–", ratio(best), ratio("inductor"), ratio("eager")])
    return ["| " + " | ".join(row) + " |" for row in rows]


def litz_table(all_results: dict[str, Any]) -> list[str]:
    head = [
        "case",
        "own cold, s",
        "warm disk, s",
        "second call ÷ steady",
        "own call, ms",
        "error ÷ eager's",
        "peak, MiB",
        "Inductor's peak",
        "kernels",
        "fall-backs",
    ]
    rows = [head, ["---"] * len(head)]
    for case, results in all_results.items():
        mine, stored, aot = (results.get(e, {}) for e in ("litz", "stored", "stored_aot"))
        steady, idle = median(mine), median(stored)
        if steady is None:
            continue
        base, cold, warm = (
            statistics.median(mine[key]) if mine.get(key) else None
            for key in ("idle_first_s", "cold_first_s", "warm_disk_first_s")
        )
        eager_error = results.get("eager", {}).get("max_error")
        report = mine.get("report", {})
        rows.append(
            [
                case,
                cell(cold - base if cold and base else None),
                cell(warm - base if warm and base else None),
                cell(second_ratio(mine, aot)),
                cell(steady - idle if idle else None),
                cell(mine["max_error"] / eager_error if eager_error and "max_error" in mine else None),
                cell(mine.get("peak_mb")),
                cell(results.get("inductor", {}).get("peak_mb")),
                str(report.get("kernels", "–")),
                str(len(report.get("fallbacks", []))),
            ]
        )
    return ["| " + " | ".join(row) + " |" for row in rows]


def second_ratio(mine: dict[str, Any], stored: dict[str, Any]) -> float | None:
    """The second call over a later one, both less what a back end costs that does nothing."""
    steady, idle = median(mine), median(stored)
    if steady is None or idle is None or steady <= idle:
        return None
    return (mine["second_call_ms"] - stored["second_call_ms"]) / (steady - idle)


def machine() -> dict[str, Any]:
    from importlib.metadata import version

    packages = {}
    for package in ("torch", "onnxruntime", "openvino", "litz"):
        try:
            packages[package] = version(package)
        except Exception:
            packages[package] = None
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "load_before": os.getloadavg(),
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "packages": packages,
    }


def main() -> None:
    from cases import CASES
    from engines import ENGINES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; none: all")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.25, help="length of a round")
    parser.add_argument("--cold", type=int, default=3, help="cold starts, of which the median is taken; 0: none")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", default="build/bench/peers.json")
    options = parser.parse_args()
    unknown = [c for c in options.cases if c not in CASES]
    if unknown:
        parser.error(f"no case {', '.join(unknown)}")
    engines = options.engines.split(",")

    measured: dict[str, Any] = {"machine": machine(), "threads": options.threads, "cases": {}}
    out = Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    for case in options.cases or CASES:
        folder = Path(tempfile.mkdtemp(prefix="litz-bench-"))
        try:
            print(f"measuring {case}", file=sys.stderr, flush=True)
            measured["cases"][case] = measure(case, engines, options, folder)
            print(time_table({case: measured["cases"][case]}, engines)[-1], file=sys.stderr, flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        out.write_text(json.dumps(measured, indent=1))
    about = measured["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in about["packages"].items() if v)
    print(f"\n{about['date']}, {about['cpu']}, {options.threads} threads; {versions}. Median ms a call.\n")
    print("\n".join(time_table(measured["cases"], engines)))
    if "litz" in engines:
        print("\nLitz\n")
        print("\n".join(litz_table(measured["cases"])))
    print(f"\nAll raw times: {out}")


if __name__ == "__main__":
    main()
