#!/usr/bin/env python3
"""Coefficients of the polynomials in src/codegen/cpp/vecmath_*.cpp.

Each polynomial minimises the largest weighted error on its interval (Remez' exchange algorithm on a fine grid). Its
coefficients are rounded one after the other, lowest power first; after each rounding the others are fitted again, so
that they make up for it. Needs mpmath. Usage: fit_vecmath.py [name ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import mpmath as mp

mp.mp.dps = 60
Function = Callable[[mp.mpf], mp.mpf]


@dataclass
class Fit:
    """P(t) = sum of c[i] * t**powers[i], so that (target - P) * weight is small on [low, high]."""

    target: Function
    low: object
    high: object
    powers: list[int]
    weight: Function
    bits: int = 24
    fixed: dict[int, object] = field(default_factory=dict)


def rounded(value: mp.mpf, bits: int) -> mp.mpf:
    """`value` to `bits` significant bits."""
    if value == 0:
        return value
    exponent = int(mp.floor(mp.log(abs(value), 2))) - (bits - 1)
    return mp.nint(mp.ldexp(value, -exponent)) * mp.ldexp(mp.mpf(1), exponent)


def remez(target: Function, weight: Function, powers: list[int], grid: list[mp.mpf]) -> list[mp.mpf]:
    """The best coefficients on `grid`."""
    n = len(powers)
    values = [(t, target(t), weight(t)) for t in grid]
    step = (len(grid) - 1) / n
    chosen = [round(i * step) for i in range(n + 1)]
    for _ in range(60):
        matrix = mp.matrix(n + 1, n + 1)
        right = mp.matrix(n + 1, 1)
        for row, index in enumerate(chosen):
            t, value, w = values[index]
            for column, power in enumerate(powers):
                matrix[row, column] = w * t**power
            matrix[row, n] = (-1) ** row
            right[row] = w * value
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(n)]
        errors = [w * (value - sum(c * t**p for c, p in zip(coefficients, powers))) for t, value, w in values]
        # The extremes between changes of sign.
        extremes: list[int] = []
        for index, error in enumerate(errors):
            if extremes and (errors[extremes[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[extremes[-1]]):
                    extremes[-1] = index
            else:
                extremes.append(index)
        while len(extremes) > n + 1:
            extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
        if len(extremes) < n + 1 or extremes == chosen:
            break
        chosen = extremes
    return coefficients


def largest_error(fit: Fit, coefficients: dict[int, mp.mpf], grid: list[mp.mpf]) -> mp.mpf:
    return max(abs((fit.target(t) - sum(c * t**p for p, c in coefficients.items())) * fit.weight(t)) for t in grid)


def solve(fit: Fit) -> tuple[dict[int, mp.mpf], mp.mpf]:
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    count = 400
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / count) for i in range(count)]
    done: dict[int, mp.mpf] = {p: mp.mpf(c) for p, c in fit.fixed.items()}
    left = [p for p in fit.powers if p not in done]
    while left:
        rest = lambda t, done=dict(done): fit.target(t) - sum(c * t**p for p, c in done.items())  # noqa: E731
        coefficients = remez(rest, fit.weight, left, grid)
        done[left[0]] = rounded(coefficients[0], fit.bits)
        left = left[1:]
    return done, largest_error(fit, done, grid)


def relative(function: Function) -> Function:
    return lambda t: 1 / function(t)


LN2 = mp.log(2)

FITS = {
    # sin(r) = r + r^3 * P(r^2); in t = r^2.
    "sin_f32": Fit(
        lambda t: (mp.sin(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3,
        mp.mpf(10) ** -12,
        (mp.pi / 2) ** 2 * mp.mpf("1.0001"),
        [0, 1, 2, 3],
        lambda t: mp.sqrt(t) ** 3 / mp.sin(mp.sqrt(t)),
    ),
    # The same on [-pi/4, pi/4], in f64.
    "sin_f64": Fit(
        lambda t: (mp.sin(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3,
        mp.mpf(10) ** -12,
        (mp.pi / 4) ** 2 * mp.mpf("1.0001"),
        [0, 1, 2, 3],
        lambda t: mp.sqrt(t) ** 3 / mp.sin(mp.sqrt(t)),
        bits=53,
    ),
    # cos(r) = 1 + r^2 P(r^2); in t = r^2.
    "cos_f64": Fit(
        lambda t: (mp.cos(mp.sqrt(t)) - 1) / t,
        mp.mpf(10) ** -12,
        (mp.pi / 4) ** 2 * mp.mpf("1.0001"),
        [0, 1, 2, 3, 4],
        lambda t: t,
        bits=53,
    ),
    # exp(r) = 1 + r + r^2 * P(r)
    "exp_f32": Fit(
        lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > 1e-15 else mp.mpf(1) / 2,
        -LN2 / 2 * mp.mpf("1.0001"),
        LN2 / 2 * mp.mpf("1.0001"),
        [0, 1, 2, 3, 4],
        lambda r: r**2 / mp.exp(r),
    ),
}


def main() -> None:
    for name in sys.argv[1:] or list(FITS):
        fit = FITS[name]
        coefficients, error = solve(fit)
        print(f"{name}: largest weighted error 2^{float(mp.log(error, 2)):.2f}")
        for power in sorted(coefficients):
            print(f"  t^{power}: {float(coefficients[power]).hex()}")


if __name__ == "__main__":
    main()
