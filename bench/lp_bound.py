#!/usr/bin/python3
"""The least E|K|/m of any (epsilon, delta)-DP noise on the integers, by linear programming.

usage: bench/lp_bound.py epsilon,delta,m ...        needs numpy and scipy (HiGHS)

m is the sensitivity in lattice steps. Variables: P(k) = P(-k), 0 <= k <= N, and for each shift j =
1..m the excesses s_jk >= P(k) - e^epsilon P(k + j), s_jk >= 0, whose sum is at most delta. A law
without symmetry does no better: the mean of it and its mirror image is as private and as accurate.
N is a period beyond the support of truncated Laplace noise; more changes nothing that is printed.
Shares no code with the extension: it is the oracle of least_steps_test.cpp.
"""
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def lp_bound(epsilon, delta, m):
    n = int(np.ceil(m * (np.log1p(np.expm1(epsilon) / (2 * delta)) / epsilon + 1)))
    k = np.arange(-n, n + 1)
    width = len(k)
    rows, cols, values = [], [], []

    def add(r, c, v):
        rows.append(r)
        cols.append(c)
        values.append(np.broadcast_to(v, r.shape))

    for j in range(1, m + 1):
        row = (j - 1) * width + np.arange(width)
        inside = np.abs(k + j) <= n
        add(row, np.abs(k), 1.0)
        add(row[inside], np.abs(k[inside] + j), -np.exp(epsilon))
        add(row, n + 1 + row, -1.0)
        add(np.full(width, m * width + j - 1), n + 1 + row, 1.0)
    count = n + 1 + m * width
    upper = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))),
                       shape=(m * width + m, count)).tocsr()
    bound = np.concatenate([np.zeros(m * width), np.full(m, delta)])
    both = np.where(np.arange(n + 1) == 0, 1.0, 2.0)
    pad = np.zeros(m * width)
    result = linprog(np.concatenate([both * np.arange(n + 1) / m, pad]), A_ub=upper, b_ub=bound,
                     A_eq=coo_matrix(np.concatenate([both, pad])[None, :]), b_eq=[1.0],
                     method="highs-ipm")
    if result.status != 0:
        raise RuntimeError(result.message)
    return result.fun


if __name__ == "__main__":
    for cell in sys.argv[1:]:
        epsilon, delta, m = cell.split(",")
        start = time.time()
        value = lp_bound(float(epsilon), float(delta), int(m))
        print(f"{epsilon} {delta} {m} {value:.8f}  # {time.time() - start:.1f} s", flush=True)
