"""Cactus noise (Alghamdi, Asoodeh, Calmon, Kosut, Sankar, Wei, "Cactus mechanisms", 2022): for a given
cost, here E|Z|, the additive noise of least Kullback-Leibler divergence between the outputs on
neighbours, the largest over all shifts up to the sensitivity 1; quantized: constant on
cells of width 1/m, with geometric tails. We solve the same family the other way round, the least E|Z|
for a given divergence kappa, by Newton's method with a logarithmic barrier: both are convex. Cells,
tail ratio and reach are ours. kappa is then what calibrates to (epsilon, delta).

For a density that is constant on cells, delta(phi) is linear in phi between multiples of 1/m, so the
largest over those is the largest of all.
"""
import math

import numpy as np


class Grid:
    """m cells in a sensitivity, free values at |k| <= n, beyond n falling by `ratio` a cell."""

    def __init__(self, m, n, ratio):
        self.m, self.n, self.ratio = m, n, ratio
        k = np.arange(n + 1.0)
        beyond = 1 / (1 - ratio)  # sum of ratio^i
        self.mass = np.where(k == 0, 1.0, 2.0)
        self.mass[n] *= beyond
        at, square = k / m, (k * k + 1 / 12) / m**2
        at[0], square[0] = 1 / (4 * m), 1 / (12 * m * m)
        self.cost, self.square = self.mass * at, self.mass * square
        first, second = ratio * beyond**2, ratio * (1 + ratio) * beyond**3  # sums of i, i^2 times ratio^i
        self.cost[n] = 2 * (n * beyond + first) / m
        self.square[n] = 2 * ((n * n + 1 / 12) * beyond + 2 * n * first + second) / m**2
        # Cell k's value is factor * free[index].
        far = np.arange(n + 2 * m + 1)
        self.index, self.factor = np.minimum(far, n), ratio ** np.maximum(far - n, 0.0)
        self.pairs = []
        for j in range(1, m + 1):
            k = np.arange(-(n + j - 1), n + j)  # further out the two tails cancel
            a, b = abs(k), abs(k + j)
            self.pairs.append((self.index[a], self.factor[a], self.index[b], self.factor[b]))

    def divergence(self, p, j):
        ia, fa, ib, fb = self.pairs[j - 1]
        return float(np.sum(fa * p[ia] * np.log(fa * p[ia] / (fb * p[ib]))))

    def divergences(self, p):
        return np.array([self.divergence(p, j) for j in range(1, self.m + 1)])

    def barrier(self, p, kappa, t):
        if p.min() <= 0:
            return math.inf
        room = kappa - self.divergences(p)
        return t * self.cost @ p - np.log(room).sum() if room.min() > 0 else math.inf

    def newton(self, p, kappa, t):
        """The Newton step of the barrier at p, relative to p, and its decrement."""
        size = self.n + 1
        gradient, hessian = t * self.cost * p, np.zeros(size * size)
        for j, (ia, fa, ib, fb) in enumerate(self.pairs, 1):
            a, b = fa * p[ia], fb * p[ib]
            share = 1 / (kappa - self.divergence(p, j))
            g = np.bincount(ia, a * (np.log(a / b) + 1), size) - np.bincount(ib, a, size)
            gradient += share * g
            h = np.concatenate([a, -a, -a, a]) * share
            where = np.concatenate([ia * size + ia, ia * size + ib, ib * size + ia, ib * size + ib])
            hessian += np.bincount(where, h, size * size)
            active = share * g
            hessian += np.outer(active, active).ravel()
        hessian = hessian.reshape(size, size)
        mass = self.mass * p
        # Each variable by its own curvature, so that the far tail is as well conditioned as the centre.
        by = 1 / np.sqrt(np.diag(hessian))
        scaled = hessian * by[:, None] * by[None, :] + 1e-13 * np.eye(size)
        solved = np.linalg.solve(scaled, np.stack([gradient * by, mass * by], axis=1)) * by[:, None]
        nu = (mass @ solved[:, 0]) / (mass @ solved[:, 1])
        step = -(solved[:, 0] - nu * solved[:, 1])
        return step, float(-gradient @ step)

    def least_cost(self, kappa, p, precision=5e-4):
        """The law of least E|Z| with divergence at most kappa; p: a law with less."""
        t = self.m / (self.cost @ p)
        while True:
            for _ in range(60):
                step, decrement = self.newton(p, kappa, t)
                if decrement < 1e-4:
                    break
                length, before = min(1.0, 0.9 / max(1e-300, -step.min())), self.barrier(p, kappa, t)
                while length > 1e-10:
                    trial = p * (1 + length * step)
                    if self.barrier(trial, kappa, t) < before - 0.1 * length * decrement:
                        break
                    length /= 2
                else:
                    break
                p = trial / (self.mass @ trial)
            if self.m / t < precision * (self.cost @ p):
                return p
            t *= 12

    def delta(self, p, epsilon):
        """The largest over all shifts: the tails, too, to 1e-16 of the mass."""
        more = int(min(40 / -math.log(self.ratio), 20000))
        half = np.concatenate([p, p[-1] * self.ratio ** np.arange(1, more + 1)])
        full = np.concatenate([half[:0:-1], half])
        rise = math.exp(epsilon)
        worst = 0.0
        for j in range(1, self.m + 1):
            shifted = np.concatenate([full[j:], full[-1] * self.ratio ** np.arange(1.0, j + 1)])
            worst = max(worst, float(np.maximum(full - rise * shifted, 0).sum()))
        return worst


def grid_for(kappa):
    """Fine enough for the spikes of narrow noise, wide enough for the tails of wide noise."""
    reach = 4 if kappa > 4 else 7 if kappa > 1.5 else max(8, 9 / math.sqrt(kappa))
    m = 1
    while m * 2 * reach <= 520:
        m *= 2
    rate = min(kappa, 1.0) / 2  # of the tail, a sensitivity
    return Grid(m, int(reach * m), math.exp(-rate / m))


class Cactus:
    """The law of least E|Z| among those of divergence at most kappa."""

    def __init__(self, kappa):
        self.kappa, self.grid = kappa, grid_for(kappa)
        start = self.grid.ratio ** np.arange(self.grid.n + 1.0)  # its divergence is kappa / 2 at most
        self.p = self.grid.least_cost(kappa, start / (self.grid.mass @ start))
        self.expected_abs = float(self.grid.cost @ self.p)
        self.variance = float(self.grid.square @ self.p)

    def delta(self, epsilon):
        return self.grid.delta(self.p, epsilon)

    def resolved(self):
        """Whether the cells are small beside the noise."""
        return self.expected_abs > 2.5 / self.grid.m


class Family:
    """Calibrates cactus noise; keeps every law that was solved."""

    def __init__(self):
        self.laws = {}

    def at(self, kappa):
        if kappa not in self.laws:
            self.laws[kappa] = Cactus(kappa)
        return self.laws[kappa]

    def least(self, epsilon, delta):
        """The law with delta within 2% below the one asked; None where cells would be too coarse."""

        def excess(i):  # kappa = e^(i/10); nearly a straight line in i
            return math.log(max(self.at(math.exp(i / 10)).delta(epsilon), 1e-300) / delta)

        low = 4 * round(2.5 * math.log(min(epsilon, 2)))
        while excess(low) > 0:
            low -= 4
        while excess(low + 4) <= 0:
            low += 4
            if not self.at(math.exp(low / 10)).resolved():
                return None
        high = low + 4
        for _ in range(8):
            below, above = excess(low), excess(high)
            if below > -0.02:
                break
            middle = low + (high - low) * min(0.95, max(0.05, (-0.01 - below) / (above - below)))
            if excess(middle) <= 0:
                low = middle
            else:
                high = middle
        law = self.at(math.exp(low / 10))
        return law if law.resolved() else None
