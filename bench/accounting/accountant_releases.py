"""Releases as atoms (P-mass, loss), for accountant.py: outcomes cut into cells, of which merged ones
show less and spread ones show more."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import logsumexp, ndtr


# --- atoms of one release -------------------------------------------------------------------------

class Release:
    """Atoms that show less, and atoms that show more."""

    def __init__(self, below, above):
        self.below, self.above = below, above


def merged(p, q):
    keep = (p > 0) & (q > 0)
    return p[keep], np.log(p[keep] / q[keep])


def spread(p, q, low, high):
    """Each cell on the two ends of its range of losses, both masses kept."""
    wide = high > low + 1e-14
    up = np.where(wide, (p - q * np.exp(low)) / -np.expm1(low - np.where(wide, high, low + 1)), p)
    up = np.clip(up, 0, p)
    p, loss = np.concatenate([up, p - up]), np.concatenate([high, low])
    return p[p > 0], loss[p > 0]


def normal_masses(edges):
    """P(edge_i < N < edge_(i+1)), right in both tails."""
    return np.where(edges[1:] < 0, ndtr(edges[1:]) - ndtr(edges[:-1]), ndtr(-edges[:-1]) - ndtr(-edges[1:]))


def subsampled(rate, mu, with_record, tilt, cells=6000):
    """(1 - rate) N(0,1) + rate N(mu,1) against N(0,1), or the other way round."""
    edges = np.linspace(-10, 13 + mu * (tilt + 1), cells + 1)
    without = normal_masses(edges)
    mixed = (1 - rate) * without + rate * normal_masses(edges - mu)
    loss = np.log1p(rate * np.expm1(mu * edges - mu * mu / 2))
    if with_record:
        return Release(merged(mixed, without), spread(mixed, without, loss[:-1], loss[1:]))
    return Release(merged(without, mixed), spread(without, mixed, -loss[1:], -loss[:-1]))


def laplace_cells(epsilon, cells):
    """P-masses and losses of the inner part, densities e^(l/2) on (-epsilon, epsilon)."""
    edges = np.linspace(-epsilon, epsilon, cells + 1)
    p = np.exp(edges[1:] / 2) * -np.expm1(-2 * epsilon / cells / 2) * np.exp(-epsilon / 2) / 2
    return edges, p


def laplace(epsilon, cells=2000):
    edges, p = laplace_cells(epsilon, cells)
    ends = np.array([.5, np.exp(-epsilon) / 2]), np.array([epsilon, -epsilon])
    middle = (edges[1:] + edges[:-1]) / 2
    q = p * np.exp(-middle)
    more = spread(p, q, edges[:-1], edges[1:])
    join = lambda a: (np.concatenate([ends[0], a[0]]), np.concatenate([ends[1], a[1]]))
    return Release(join((p, middle)), join(more))


# --- noise of mixtures ----------------------------------------------------------------------------

def multi_gaussian(scale, components, weight_epsilon):
    k = np.arange(-components, components + 1)
    log_weights = -weight_epsilon * np.abs(k)
    return scale, components, lambda z: logsumexp(
        log_weights[:, None] - (z - k[:, None]) ** 2 / (2 * scale ** 2), axis=0)


def quasi_gaussian(scale, weight_epsilon):
    return scale, 1, lambda z: np.logaddexp(weight_epsilon - z ** 2 / (2 * scale ** 2),
                                            -(np.abs(z) - 1) ** 2 / (2 * scale ** 2))


class Noise:
    """Additive noise of sensitivity 1, on a fine grid of outcomes."""

    def __init__(self, law, tail=1e-19, nodes=6000):
        scale, components, log_density = law
        per_unit = int(np.ceil(4096 / scale / 1024)) * 1024 if scale < 4 else 1024
        reach = components + 2 + 12 * scale
        self.step = 1 / per_unit
        self.half = int(reach * per_unit)
        z = np.arange(-self.half, self.half + per_unit + 1) * self.step
        self.per_unit = per_unit
        chunks = np.array_split(z, max(1, len(z) // 100000))
        log_f = np.concatenate([log_density(chunk) for chunk in chunks])
        self.log_f = log_f - logsumexp(log_f)
        self.scale = scale
        self.envelope(tail, nodes)

    def pair(self, shift):
        """P's and Q's masses at a shift of so many grid steps."""
        n = len(self.log_f) - self.per_unit
        return self.log_f[:n], self.log_f[shift:shift + n]

    def curve(self, shift, epsilons):
        log_p, log_q = self.pair(shift)
        loss = log_p - log_q
        order = np.argsort(-loss)
        p = np.concatenate([[0], np.cumsum(np.exp(log_p[order]))])
        q = np.concatenate([[0], np.cumsum(np.exp(log_q[order]))])
        above = np.searchsorted(-loss[order], -epsilons)
        return p[above] - np.exp(epsilons) * q[above]

    def envelope(self, tail, nodes):
        far = np.linspace(0, 400, 4001)
        full = self.curve(self.per_unit, far)
        reach = far[np.argmax(full < tail)]
        self.epsilons = np.linspace(0, reach, nodes + 1)
        coarse = [self.per_unit * i // 128 for i in range(16, 129)]
        best, self.worst = np.zeros(nodes + 1), np.zeros(nodes + 1, dtype=int)
        self.scan(coarse, best)
        # Closer around the shifts that are the worst somewhere.
        near = {int(s) + self.per_unit * i // 1024 for s in set(self.worst) for i in range(-8, 9)}
        self.scan(sorted(s for s in near if s <= self.per_unit), best)
        self.best = best
        self.release = self.atoms(1)

    def atoms(self, every):
        """The convex curve over x = e^epsilon and its mirror image; P's masses are x times the
        changes of its slope."""
        epsilons, best = self.epsilons[::every], self.best[::every]
        eps = np.concatenate([-epsilons[:0:-1], epsilons])
        mirror = -np.expm1(-epsilons) + np.exp(-epsilons) * best
        value = np.concatenate([mirror[:0:-1], best])
        gap = np.diff(eps)
        # slope_j x_j and slope_(j-1) x_j
        right = np.append(np.diff(value) / np.expm1(gap), 0)
        left = np.insert(np.diff(value) / -np.expm1(-gap), 0, 0)
        left[0] = -(1 - best[-1]) * np.exp(eps[0])
        p = right - left
        pairs = len(p) // 2
        q = p * np.exp(-eps)
        cut = lambda a: np.append(a[:2 * pairs].reshape(pairs, 2).sum(axis=1), a[2 * pairs:])
        return Release(merged(cut(p), cut(q)), (p[p > 0], eps[p > 0]))

    def scan(self, shifts, best):
        for shift in shifts:
            found = self.curve(shift, self.epsilons)
            better = found > best
            best[better], self.worst[better] = found[better], shift

    def at(self, epsilon):
        """The envelope at one epsilon."""
        i = np.searchsorted(self.epsilons, epsilon)
        return max(float(self.curve(s, np.array([epsilon]))[0]) for s in set(self.worst[i - 2:i + 2]))

    def full_shift(self, block=4096):
        """The full shift alone: less than the envelope."""
        log_p, log_q = self.pair(self.per_unit)
        loss = log_p - log_q
        keep = np.exp(log_p) > 1e-40
        log_p, log_q, loss = log_p[keep], log_q[keep], loss[keep]
        order = np.argsort(loss)
        split = np.array_split(order, min(block, len(order)))
        p = np.array([np.exp(log_p[i]).sum() for i in split])
        q = np.array([np.exp(log_q[i]).sum() for i in split])
        return merged(p, q)
