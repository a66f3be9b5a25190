#!/usr/bin/python3
"""What synthetic rows of DP-CDA cost, between two bounds: bench/synthetic/row_epsilon.py > test/unit/synthetic/row_noise_totals.hpp

The pairs of docs/proofs/synthetic_epsilon.md, composed as bench/accounting/accountant.py does it, by Mellin inversion, which shares
nothing with core/accounting. Needs numpy and scipy; takes minutes.
"""
import sys
from pathlib import Path


import numpy as np
from scipy.special import log_ndtr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "accounting"))
from accountant import WORST, about, inverted
from accountant_releases import Release, merged, normal_masses, spread, subsampled

ERROR = 1e-8  # of the integral, relatively


def replaced(rate, mu, cells=6000):
    """(1 - rate) N(0,1) + rate N(mu,1) against the same with -mu."""
    edges = np.linspace(-10 - mu, 13 + 2 * mu, cells + 1)
    stays, plus, minus = (normal_masses(edges - shift) for shift in (0, mu, -mu))
    log_ratio = lambda x: np.log1p(rate * np.expm1(mu * x - mu * mu / 2))
    loss = log_ratio(edges) - log_ratio(-edges)
    p, q = (1 - rate) * stays + rate * plus, (1 - rate) * stays + rate * minus
    return Release(merged(p, q), spread(p, q, loss[:-1], loss[1:]))


def both_orders(atoms):
    """The least symmetric pair that shows as much as these do at losses above 0."""
    p, loss = (a[atoms[1] > 0] for a in atoms)
    q = p * np.exp(-loss)
    return np.concatenate([p, q, [1 - p.sum() - q.sum()]]), np.concatenate([loss, -loss, [0]])


def changes(adjacency, poisson, rate, mu, rows):
    """Of each change of a table, the parts that it costs, from below and from above."""
    mu *= 1 if poisson else 2
    there, gone = (subsampled(rate, mu, with_record, 0) for with_record in (True, False))
    bounds = lambda *releases: [[(r.below, rows) for r in releases], [(r.above, rows) for r in releases]]
    moves = bounds(there, gone)
    if adjacency == "add_remove":
        return [bounds(there), bounds(gone)]
    if adjacency == "label":
        return [moves]
    if poisson:
        return [bounds(replaced(rate, mu)), moves]
    return [bounds(Release(both_orders(there.below), both_orders(there.above))), moves]


def noise(mix, records, rows, epsilon, delta):
    """Of a mean, about what (epsilon, delta) takes: the central limit."""
    low, high = 1e-3, 1e3
    for _ in range(60):
        mu = np.sqrt(low * high)
        there = np.exp(log_ndtr(mu / 2 - epsilon / mu)) - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))
        low, high = (mu, high) if there < delta else (low, mu)
    return 1.05 / mix / np.sqrt(np.log1p((mu * records / mix) ** 2 / rows))


def cells():
    """class_rows, mix, rows, epsilon wished for, delta, adjacencies"""
    both = ["add_remove", "replace"]
    for i in range(10):
        yield 6000, 2 ** i, 6000, [10, 1][i % 2], 1e-5, both
    yield 6000, 1, 6000, .3, 1e-5, both
    yield 6000, 2, 6000, .4, 1e-5, both
    yield 6000, 4, 6000, 1, 1e-5, both + ["label"]
    yield 6000, 64, 6000, 1, 1e-5, both + ["label"]
    yield 600, 64, 6000, 10, 1e-5, both
    yield 100000, 16, 10000, 3, 1e-9, both
    yield 50, 40, 3, 4, 1e-3, both


HEADER = """// Costs of synthetic rows between two bounds, as printed by bench/synthetic/row_epsilon.py, which shares
// nothing with core/accounting.
#pragma once

#include "core/synthetic/dominating_pairs.hpp"

namespace dpmix::test {

struct CdaTotal {
  MixedRows rows;
  double epsilon, below, above;  // delta there is between below and above
};

// clang-format off
inline constexpr CdaTotal kCdaTotals[] = {"""


def main():
    print(HEADER)
    for records, mix, rows, wish, delta, adjacencies in cells():
        for sampler in "poisson", "without_replacement":
            poisson = sampler == "poisson"
            scale = float(f"{noise(mix, records, rows, wish, delta) * (1 if poisson else 2):.3g}")
            for adjacency in adjacencies:
                all_changes = changes(adjacency, poisson, mix / records, 1 / (mix * scale), rows)
                epsilon = float(f"{max(about(above, delta) or 0 for _, above in all_changes):.6g}")
                below, above = (max(inverted(parts[i], epsilon) for parts in all_changes) for i in (0, 1))
                if not below <= above * (1 + ERROR) <= below * (1 + WORST):
                    print(records, mix, sampler, adjacency, below, above, above / below - 1, file=sys.stderr, flush=True)
                print(f"    {{{{{records}, {mix}, {rows}, 1, {scale}, Adjacency::{adjacency}, CdaSampler::{sampler}}}, "
                      f"{epsilon}, {below * (1 - ERROR):.10g}, {above * (1 + ERROR):.10g}}},", flush=True)
    print("};\n// clang-format on\n\n}  // namespace dpmix::test")


if __name__ == "__main__":
    main()
