#!/usr/bin/python3
"""Lower bounds on E|Z| by linear programming; needs numpy and scipy (HiGHS).

bench/noise/lp_bound.py [seconds a cell] > bench/noise/lp_bounds.csv    the grid of bench/noise/grid.cpp
bench/noise/lp_bound.py epsilon,delta,m ...                       the least E|K|/m on that very lattice

No additive noise that is (epsilon, delta)-DP at sensitivity 1 has a smaller E|Z| than the bound.

Why. Round Z to the lattice of 1/m steps at random, up or down so that the mean stays. That is
post-processing which commutes with shifts by lattice steps, and |z| is linear between neighbouring
lattice points (0 is one), so the law on the lattice is DP for every shift j/m and has the same E|K|/m.
So the least E|K|/m over laws on the lattice is below every E|Z|, for every m. That is a linear program:
p_k, and s_kj >= (p_k - e^eps p_(k+j))+ with sum_k s_kj <= delta, j = 1..m; symmetric p suffices.
Every step below keeps a lower bound a lower bound: only some shifts j are used (those that the solution
breaks are added); what lies beyond |k| = N is one free mass at cost (N + 1)/m, and constraints with it
are dropped, as are those with |k + j| <= |k|, k < 0; and what is printed is not the solver's optimum
but the value of its dual solution, made exactly feasible: a bound by weak duality, whatever the
solver's tolerance was (up to rounding, 1e-12). m doubles until the bound grows by less than .05%.
"""
import math
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

EPSILONS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 10]
DELTAS = [1e-1, 1e-2, 1e-3, 1e-5, 1e-6, 1e-8]


def reach(epsilon, delta):
    """Beyond where truncated Laplace noise ends, or where there is next to nothing, in sensitivities."""
    ends = math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon
    return min(ends + 1.5 + 2 / epsilon, max(20 / epsilon, 12 / epsilon + 1) if epsilon > 2 else math.inf)


def first_shifts(epsilon, m):
    """Those that reach every cell from the middle landing of staircase noise, and its edges."""
    landing = max(1, int(2 * m / (1 + math.exp(epsilon / 2))))
    return {1, m - 1 or 1, m, *range(landing, m, landing)}


def lower_bound(epsilon, delta, m, shifts, seconds=600):
    """The bound, -inf if the solver finds none in time, and by how much the solution breaks delta at the shifts 1..m."""
    n = math.ceil(reach(epsilon, delta) * m)
    pairs = []
    for row, shift in enumerate(shifts):
        k = np.arange(-n, n - shift + 1)
        k = k[(k >= 0) | (k + shift > -k)]
        pairs.append(np.stack([k, k + shift, np.full(len(k), row)]))
    k, shifted, of = np.concatenate(pairs, axis=1)
    count = len(k)
    row, s = np.arange(count), n + 2 + np.arange(count)
    # Columns: p_0..p_n, the free mass beyond, then s_kj in units of delta. Rows: pairs, then shifts.
    a = coo_matrix(
        (
            np.repeat([1, -math.exp(epsilon), -delta, 1], count),
            (np.concatenate([row, row, row, count + of]), np.concatenate([abs(k), abs(shifted), s, s])),
        ),
        shape=(count + len(shifts), n + 2 + count),
    ).tocsr()
    mass = np.concatenate([[1.0], np.full(n + 1, 2.0)])
    cost = mass * np.arange(n + 2) / m
    found = linprog(
        np.concatenate([cost, np.zeros(count)]),
        A_ub=a,
        b_ub=np.concatenate([np.zeros(count), np.ones(len(shifts))]),
        A_eq=coo_matrix(np.concatenate([mass, np.zeros(count)])[None, :]),
        b_eq=[1.0],
        method="highs-ipm",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "time_limit": seconds},
    )
    if found.status != 0:
        return -math.inf, np.zeros(m)
    # The dual: maximise nu + sum of z_j with all y <= 0 and c - A'y - nu mass >= 0. Feasible for s:
    # y_kj >= z_j / delta. Then take the largest nu that is feasible for p.
    y = np.minimum(found.ineqlin.marginals, 0)
    z = y[count:]
    y[:count] = np.maximum(y[:count], z[of] / delta)
    nu = np.min((cost - (a.T @ y)[: n + 2]) / mass)
    p = np.concatenate([found.x[n:0:-1], found.x[: n + 1]])
    spent = [np.maximum(p[:-j] - math.exp(epsilon) * p[j:], 0).sum() for j in range(1, m + 1)]
    return float(nu + z.sum()), np.array(spent) / delta - 1


def best_bound(epsilon, delta, patience):
    """(bound, m): the largest found in about the given time."""
    start = time.time()
    best, m = (-math.inf, 0), 8 if epsilon >= 0.25 else 2
    while epsilon > 4 and m < 1 + math.exp(epsilon / 2):  # one cell or more in half a landing
        m *= 2
    shifts = first_shifts(epsilon, m)
    while True:
        before = best[0]
        while True:
            bound, broken = lower_bound(epsilon, delta, m, sorted(shifts), patience)
            best = max(best, (bound, m))
            broken[[j - 1 for j in shifts]] = 0  # within the tolerance
            if broken.max() < 1e-3 or time.time() - start > patience:
                break
            added = []
            for j in 1 + np.argsort(-broken):  # the worst, not too close to each other
                if broken[j - 1] < 1e-3 or len(added) == 12:
                    break
                if all(abs(j - other) > m // 50 for other in added):
                    added.append(int(j))
            shifts |= set(added)
        took = time.time() - start
        print(f"{epsilon} {delta} m={m}: {best[0]:.7g}, {len(shifts)} shifts, {took:.1f} s", file=sys.stderr, flush=True)
        if best[0] < before * 1.0005 or took > patience / 2:
            return best
        m *= 2
        shifts = {2 * j for j in shifts} | first_shifts(epsilon, m)


def on_lattice(epsilon, delta, m):
    """The least E|K|/m of noise on a lattice of m steps in a sensitivity, from below."""
    return lower_bound(epsilon, delta, m, range(1, m + 1))[0]


def main():
    if "," in "".join(sys.argv[1:]):
        for cell in sys.argv[1:]:
            epsilon, delta, m = cell.split(",")
            print(f"{epsilon} {delta} {m} {on_lattice(float(epsilon), float(delta), int(m)):.8f}", flush=True)
        return
    patience = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    print("epsilon,delta,family,expected_abs,variance,steps", flush=True)
    for epsilon in EPSILONS:
        for delta in DELTAS:
            bound, m = best_bound(epsilon, delta, patience)
            if m:
                print(f"{epsilon},{delta},lp_bound,{bound:.7g},,{m}", flush=True)


if __name__ == "__main__":
    main()
