#!/usr/bin/python3
"""An independent accountant: bench/accounting/accountant.py > test/unit/accounting/accountant_totals.hpp

What fixed plans of releases cost together, between two bounds that share nothing with
core/accounting: no grid of losses, no discrete convolution. A release is a list of atoms (P-mass,
loss). Its outcomes are cut into cells; merging the outcomes of a cell is post-processing and shows
less, putting a cell's masses on the two ends of its range of losses shows more. The plan's total
comes from the atoms' moment-generating functions, by Mellin's inversion on the line Re s = c,

    delta(epsilon) = 1/(2 pi i) int e^(sum log M(s) - s epsilon) / (s (s + 1)) ds,

c where the integrand is least on the real line. Few Laplace releases, whose atoms make that
integral slow, are multiplied out on their own lattice instead; Gaussians have a closed form. Noise
of mixtures is the envelope over all shifts (a scan: a lower bound of the supremum), and beside it
the full shift alone. Needs numpy and scipy; takes minutes.
"""
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, logsumexp

from accountant_releases import Noise, laplace, laplace_cells, multi_gaussian, quasi_gaussian, subsampled

GRID_ERROR = 3e-7  # of the curve of a mixture's noise, relatively: from doubling the grid of outcomes
WORST = 1e-3  # how far apart the two bounds may be, relatively


# --- totals ---------------------------------------------------------------------------------------

def log_m(atoms, s):
    """log E_P e^(s loss)."""
    return logsumexp(np.log(atoms[0]) + s * atoms[1])


class Line:
    """M(c + i t) / M(c) at t = k dt, k = 0, 1, ..., in blocks of 4096."""

    def __init__(self, atoms, c, dt):
        p, loss = atoms
        weight = np.exp(np.log(p) + c * loss - log_m(atoms, c))
        keep = weight > 1e-18
        self.weight, self.loss, self.dt = weight[keep], loss[keep], dt
        self.inner = np.exp(1j * dt * np.outer(self.loss, np.arange(64)))

    def block(self, n):
        outer = np.exp(1j * self.dt * np.outer(np.arange(64) * 64 + n * 4096, self.loss)) * self.weight
        return (outer @ self.inner).ravel()


def saddle(exponent):
    """Where it is least, its value and its second derivative."""
    found = minimize_scalar(lambda u: exponent(np.exp(u)), bounds=(np.log(1e-2), np.log(2e3)), method="bounded")
    c, h = np.exp(found.x), 1e-3 * np.exp(found.x)
    return c, exponent(c), (exponent(c + h) - 2 * exponent(c) + exponent(c - h)) / h ** 2


def on_real_line(parts, epsilon):
    return lambda c: sum(n * log_m(atoms, c) for atoms, n in parts) - c * epsilon - np.log(c) - np.log1p(c)


def about(parts, delta):
    """Roughly the epsilon of that delta: what the saddle point alone says."""
    def log_delta(epsilon):
        c, top, bend = saddle(on_real_line(parts, epsilon))
        return top - .5 * np.log(2 * np.pi * max(bend, 1e-12))
    low, high = 0.0, .01
    if log_delta(0) < np.log(delta):
        return None
    while log_delta(high) > np.log(delta):
        low, high = high, 2 * high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(middle) > np.log(delta) else (low, middle)
    return high


def inverted(parts, epsilon):
    """delta of a plan: a list of (atoms, times), at epsilon."""
    c, top, bend = saddle(on_real_line(parts, epsilon))
    # Nodes dt apart see the function of epsilon repeated with period 2 pi / dt.
    dt = 2 * np.pi / max(45 / c, 24 * np.sqrt(bend))
    lines = [(Line(atoms, c, dt), times) for atoms, times in parts]
    total = 0.0
    for n in range(64):
        t = (np.arange(4096) + 4096 * n) * dt
        values = c * (c + 1) * np.exp(-1j * t * epsilon) / ((c + 1j * t) * (c + 1 + 1j * t))
        for line, times in lines:
            values *= line.block(n) ** times
        total += values.real.sum() - (.5 if n == 0 else 0)
        # What is left, were it never to decay further than 1/t^2.
        if np.abs(values[-1024:]).max() * t[-1] / dt < 1e-7 * abs(total):
            break
    return total * dt / np.pi * np.exp(top)


def multiplied_out(epsilon0, times, epsilon, below, cells=512):
    """The same for Laplace noise, on the lattice of losses on which both bounds lie."""
    edges, p = laplace_cells(epsilon0, cells)
    eta = epsilon0 / cells  # half a cell
    one = np.zeros(2 * cells + 1)
    if below:
        one[1::2] += p
    else:
        up = p / (1 + np.exp(-eta))  # the two ends of a cell, p and q kept
        one[2::2] += up
        one[:-1:2] += p - up
    one[-1] += .5
    one[0] += np.exp(-epsilon0) / 2
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, one)
    loss = (np.arange(len(total)) - times * cells) * eta
    above = loss > epsilon
    return float((total[above] * -np.expm1(epsilon - loss[above])).sum())


def four_times(atoms, epsilon):
    """The same for four releases of one law, as two of two: no integral, for laws with near-atoms."""
    p, loss = atoms
    p, loss = (p[:, None] * p).ravel(), (loss[:, None] + loss).ravel()
    order = np.argsort(-loss)
    p, loss = p[order], loss[order]
    above = np.searchsorted(-loss, loss - epsilon)
    more, less = np.insert(np.cumsum(p), 0, 0), np.insert(np.cumsum(p * np.exp(-loss)), 0, 0)
    return float((p * (more[above] - np.exp(epsilon - loss) * less[above])).sum())


def gaussian(mu, epsilon):
    near, far = log_ndtr(mu / 2 - epsilon / mu), log_ndtr(-mu / 2 - epsilon / mu)
    return float(np.exp(near) * -np.expm1(epsilon + far - near))


# --- plans ----------------------------------------------------------------------------------------

DELTAS = [.1, 1e-3, 1e-6, 1e-9, 1e-12]
# Kind, two parameters, components.
MULTI = ("multi_gaussian", .29, 2, 10)
WIDE_MULTI = ("multi_gaussian", 7.92, .5, 3)
QUASI = ("quasi_gaussian", .99, 2, 0)
WIDE_QUASI = ("quasi_gaussian", 8.03, .5, 0)


def plans():
    """Name, grid step for core/accounting, parts."""
    for mu, times, step in [(1, 1, -10), (.3, 10, -11), (.05, 1000, -13)]:
        yield step, [(("gaussian", mu, 0, 0), times)]
    for epsilon, step in [(.1, -13), (1, -10)]:
        for times in [1, 10, 100, 1000]:
            yield step, [(("laplace", epsilon, 0, 0), times)]
    for rate, steps in [(.001, [-15, -17, -16, -16]), (.01, 4 * [-13]), (.1, 4 * [-10])]:
        for times in [100, 10000]:
            for kind in ["with_record", "without_record"]:
                yield steps.pop(0), [((kind, rate, 1, 0), times)]
    for law, step in [(MULTI, -11), (WIDE_MULTI, -13), (QUASI, -11), (WIDE_QUASI, -13)]:
        for times in [1, 4, 30]:
            yield step, [(law, times)]
    yield -12, [(("gaussian", .2, 0, 0), 10), (("laplace", .1, 0, 0), 20), (MULTI, 5)]
    yield -13, [(("with_record", .01, 1, 0), 1000), (WIDE_QUASI, 3), (("laplace", .1, 0, 0), 8)]
    yield -13, [(WIDE_MULTI, 10), (("gaussian", .1, 0, 0), 10), (WIDE_QUASI, 10)]


NOISES = {}


def noise(kind, scale, weight_epsilon, components):
    law = (kind, scale, weight_epsilon, components)
    if law not in NOISES:
        made = multi_gaussian(scale, components, weight_epsilon) if components else quasi_gaussian(scale, weight_epsilon)
        NOISES[law] = Noise(made)
    return NOISES[law]


def release(kind, a, b, components):
    if kind == "gaussian":
        return subsampled(1, a, True, 60 / max(a, 1))
    if kind == "laplace":
        return laplace(a)
    if kind in ("with_record", "without_record"):
        return subsampled(a, b, kind == "with_record", 0)
    return noise(kind, a, b, components).release


class Plan:
    def __init__(self, parts):
        self.parts = parts
        self.only = parts[0] if len(parts) == 1 else None
        made = [(release(*law), times) for law, times in parts]
        self.below = [(r.below, n) for r, n in made]
        self.above = [(r.above, n) for r, n in made]
        # What bounds may be wrong by, relatively, and the digits printed.
        self.error = 1e-8 + GRID_ERROR * sum(n for law, n in parts if law in NOISES)

    def about(self, delta):
        (kind, a, _, _), times = self.only or ((None, 0, 0, 0), 0)
        if kind == "laplace" and times == 1:
            return a + 2 * np.log1p(-delta)
        return about(self.above, delta)

    def total(self, epsilon):
        """Bounds on delta, from below and above."""
        if self.only:
            (kind, a, b, components), times = self.only
            if kind == "gaussian":
                return 2 * [gaussian(a * np.sqrt(times), epsilon)]
            if kind == "laplace" and times == 1:
                return 2 * [-np.expm1((epsilon - a) / 2)]
            if kind == "laplace" and times <= 10:
                return [multiplied_out(a, times, epsilon, below) for below in (True, False)]
            if components or kind == "quasi_gaussian":
                if times == 1:
                    return 2 * [noise(*self.only[0]).at(epsilon)]
                if times == 4:
                    few = noise(*self.only[0]).atoms(6)
                    return [four_times(few.below, epsilon), four_times(few.above, epsilon)]
        return [inverted(self.below, epsilon), inverted(self.above, epsilon)]

    def full_shift(self, epsilon):
        """The same for the full shift of one noise alone, from below."""
        if not (self.only and self.only[0][0] in ("multi_gaussian", "quasi_gaussian")):
            return 0
        law, times = self.only
        if times == 1:
            return float(noise(*law).curve(noise(*law).per_unit, np.array([epsilon]))[0])
        if times == 4:
            return four_times(noise(*law).full_shift(2048), epsilon)
        return inverted([(noise(*law).full_shift(), times)], epsilon)


HEADER = """// Totals of plans between two bounds, as printed by bench/accounting/accountant.py, which shares nothing with
// core/accounting.
#pragma once

#include <array>
#include <cstdint>

namespace dpmix::test {

enum class PartKind {
  gaussian,
  laplace,
  with_record,
  without_record,
  multi_gaussian,
  quasi_gaussian
};

struct PlanPart {
  PartKind kind;
  // gaussian: mu. laplace: epsilon. Subsampled Gaussian: rate, mu. Mixtures of sensitivity 1:
  // scale, weight_epsilon.
  double first, second;
  int components;
  std::int64_t times;
};

struct Plan {
  double step;                    // of the grid for losses
  std::array<PlanPart, 3> parts;  // times 0: none
};

struct PlanTotal {
  int plan;
  // delta is between below and above; full_shift is that of the full shift alone, 0 if not
  // computed.
  double epsilon, below, above, full_shift;
};

// clang-format off
inline constexpr Plan kPlans[] = {"""


def main():
    rows, wanted = [], [int(i) for i in sys.argv[1:]]
    print(HEADER)
    for i, (step, parts) in enumerate(plans()):
        filled = parts + [(("gaussian", 0, 0, 0), 0)] * (3 - len(parts))
        text = ", ".join(f"{{PartKind::{k}, {a}, {b}, {c}, {n}}}" for (k, a, b, c), n in filled)
        print(f"    {{0x1p{step}, {{{{{text}}}}}}},", flush=True)
        if wanted and i not in wanted:
            continue
        plan = Plan(parts)
        for j, delta in enumerate(DELTAS):
            epsilon = plan.about(delta)
            if epsilon is None or epsilon < 0:
                continue
            # By turns on the grid and off it.
            coarse = 2.0 ** (step + 4)
            epsilon = round(epsilon / coarse) * coarse if (i + j) % 2 else float(f"{epsilon:.4g}") + 1e-5
            below, above = plan.total(epsilon)
            if below <= 0:  # no loss is so large
                continue
            full = plan.full_shift(epsilon) * (1 - plan.error)
            if not below <= above * (1 + 1e-9) <= below * (1 + WORST):
                print(f"plan {i}, delta {delta}: {below} {above}, {above / below - 1}", file=sys.stderr, flush=True)
            below *= 1 - plan.error
            rows.append(f"    {{{i}, {epsilon!r}, {below:.10g}, {above:.10g}, {full:.10g}}},")
    print("};\n\ninline constexpr PlanTotal kPlanTotals[] = {")
    print("\n".join(rows))
    print("};\n// clang-format on\n\n}  // namespace dpmix::test")


if __name__ == "__main__":
    main()
