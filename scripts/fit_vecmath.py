#!/usr/bin/env python3
"""Coefficients of the polynomials in src/codegen/cpp/vecmath_*.cpp.

Each polynomial minimises the largest weighted error on its interval (Remez' exchange algorithm on a fine grid).
Coefficients in f32 are rounded one after the other, lowest power first; after each rounding the others are fitted again
(Lawson's algorithm), so that they make up for it. Needs mpmath and NumPy. Usage: fit_vecmath.py [name ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

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


def rounded(value: mp.mpf, bits: int) -> mp.mpf:
    """`value` to `bits` significant bits."""
    if value == 0:
        return value
    exponent = int(mp.floor(mp.log(abs(value), 2))) - (bits - 1)
    return mp.nint(mp.ldexp(value, -exponent)) * mp.ldexp(mp.mpf(1), exponent)


def remez(target: Function, weight: Function, powers: list[int], grid: list[mp.mpf]) -> list[mp.mpf]:
    """The best coefficients on `grid`."""
    n = len(powers)
    values = [(t, target(t), abs(weight(t))) for t in grid]
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
        errors = [
            w * (value - sum(c * t**p for c, p in zip(coefficients, powers, strict=True))) for t, value, w in values
        ]
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
    """The largest weighted error of a polynomial, given as power → coefficient, on `grid`."""
    return max(abs((fit.target(t) - sum(c * t**p for p, c in coefficients.items())) * fit.weight(t)) for t in grid)


def lawson(target: Function, weight: Function, powers: list[int], grid: list[mp.mpf]) -> list[mp.mpf]:
    """The best coefficients by Lawson's reweighted least squares: less exact than Remez, but any powers will do."""
    w = np.array([float(abs(weight(t))) for t in grid])
    matrix = np.array([[float(t) ** p for p in powers] for t in grid]) * w[:, None]
    right = np.array([float(target(t)) for t in grid]) * w
    scale = np.abs(right).max() or 1.0
    lam = np.full(len(grid), 1.0 / len(grid))
    best, best_error = np.zeros(len(powers)), np.inf
    for _ in range(300):
        root = np.sqrt(lam)
        solution = np.linalg.lstsq(matrix * root[:, None], right / scale * root, rcond=None)[0]
        error = np.abs(matrix @ solution - right / scale)
        if error.max() < best_error:
            best, best_error = solution, error.max()
        if error.max() == 0:
            break
        lam *= error
        lam /= lam.sum()
    return [mp.mpf(float(c)) * mp.mpf(float(scale)) for c in best]


def solve(fit: Fit) -> tuple[dict[int, mp.mpf], mp.mpf]:
    """Coefficients by power, rounded to the dtype of `fit`, and their largest error."""
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    count = 400
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / count) for i in range(count)]
    coefficients = remez(fit.target, fit.weight, fit.powers, grid)
    done = {p: rounded(c, fit.bits) for p, c in zip(fit.powers, coefficients, strict=True)}
    if fit.bits > 24:
        return done, largest_error(fit, done, grid)
    for number in range(1, len(fit.powers)):
        fixed = {p: done[p] for p in fit.powers[:number]}
        left = fit.powers[number:]

        def rest(t: mp.mpf, fixed: dict[int, mp.mpf] = fixed) -> mp.mpf:
            return fit.target(t) - sum(c * t**p for p, c in fixed.items())

        done |= {p: rounded(c, fit.bits) for p, c in zip(left, lawson(rest, fit.weight, left, grid), strict=True)}
    return done, largest_error(fit, done, grid)


LN2 = mp.log(2)
HALF_LN2 = LN2 / 2 * mp.mpf("1.0001")

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
        -HALF_LN2,
        HALF_LN2,
        [0, 1, 2, 3, 4],
        lambda r: r**2 / mp.exp(r),
    ),
    "exp_f64": Fit(
        lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > 1e-15 else mp.mpf(1) / 2,
        -HALF_LN2,
        HALF_LN2,
        [0, 1, 2, 3, 4, 5, 6],
        lambda r: r**2 / mp.exp(r),
        bits=53,
    ),
    # exp2(r) = 1 + r * P(r)
    "exp2_f32": Fit(
        lambda r: (mp.power(2, r) - 1) / r if abs(r) > 1e-15 else LN2,
        "-0.50005",
        "0.50005",
        [0, 1, 2, 3, 4, 5],
        lambda r: r / mp.power(2, r),
    ),
    # log(1 + f) = f - f^2/2 + f^3 * P(f)
    "log_f32": Fit(
        lambda f: (mp.log(1 + f) - f + f**2 / 2) / f**3 if abs(f) > 1e-15 else mp.mpf(1) / 3,
        mp.sqrt(0.5) - 1 - mp.mpf(10) ** -5,
        mp.sqrt(2) - 1 + mp.mpf(10) ** -5,
        list(range(8)),
        lambda f: f**3 / mp.log(1 + f) if abs(f) > 1e-15 else f**2,
    ),
    # log(1 + f) = f + f^2 * P(f)
    "log_f64": Fit(
        lambda f: (mp.log(1 + f) - f) / f**2 if abs(f) > 1e-15 else mp.mpf(-1) / 2,
        mp.sqrt(0.5) - 1 - mp.mpf(10) ** -5,
        mp.sqrt(2) - 1 + mp.mpf(10) ** -5,
        list(range(13)),
        lambda f: f**2 / mp.log(1 + f) if abs(f) > 1e-15 else f,
        bits=53,
    ),
    # tanh(x) = x + x^3 * P(x^2); in t = x^2.
    "tanh_f32": Fit(
        lambda t: (mp.tanh(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3,
        mp.mpf(10) ** -12,
        mp.mpf("0.36001"),
        [0, 1, 2, 3, 4],
        lambda t: mp.sqrt(t) ** 3 / mp.tanh(mp.sqrt(t)),
    ),
    # erf(x) = x + x * P(x^2); in t = x^2.
    "erf_small_f32": Fit(
        lambda t: (mp.erf(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t),
        mp.mpf(10) ** -12,
        mp.mpf("0.8465"),
        [0, 1, 2, 3, 4, 5],
        lambda t: mp.sqrt(t) / mp.erf(mp.sqrt(t)),
    ),
    # erf(x) = 1 - exp(-P(x - 1))
    "erf_large_f32": Fit(
        lambda b: -mp.log(mp.erfc(b + 1)),
        "-0.0801",
        "2.95",
        list(range(8)),
        lambda b: mp.erfc(b + 1) / mp.erf(b + 1),
    ),
    # erfc(x) = exp(-x^2) * P((x - 2) / (x + 2)), x >= 0
    "erfc_f64": Fit(
        lambda u: mp.erfc(2 * (1 + u) / (1 - u)) * mp.exp((2 * (1 + u) / (1 - u)) ** 2),
        "-1.00001",
        "0.67",
        list(range(15)),
        lambda u: 1 / (mp.erfc(2 * (1 + u) / (1 - u)) * mp.exp((2 * (1 + u) / (1 - u)) ** 2)),
        bits=53,
    ),
    # atan(z) = z + z^3 * P(z^2); in t = z^2.
    "atan_f64": Fit(
        lambda t: (mp.atan(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3,
        mp.mpf(10) ** -12,
        mp.mpf("1.00001"),
        list(range(11)),
        lambda t: mp.sqrt(t) ** 3 / mp.atan(mp.sqrt(t)),
        bits=53,
    ),
}


def main() -> None:
    """Prints the coefficients of the fits that are named, or of all."""
    for name in sys.argv[1:] or list(FITS):
        fit = FITS[name]
        coefficients, error = solve(fit)
        print(f"{name}: largest weighted error 2^{float(mp.log(error, 2)):.2f}")
        for power in sorted(coefficients):
            print(f"  t^{power}: {float(coefficients[power]).hex()}")


if __name__ == "__main__":
    main()
