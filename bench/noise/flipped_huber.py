"""Flipped Huber noise (Muthukrishnan and Kalyani, "Grafting Laplace and Gaussian distributions", 2023):
density proportional to exp(-rho(z / gamma)), rho(u) = a|u| for |u| <= a, (u^2 + a^2)/2 beyond: Laplace
in the centre, Gaussian in the tails. a -> 0 is the Gaussian, a -> infinity Laplace.

The density is log-concave, so f(z)/f(z + phi) never falls in z and delta(phi) is one difference of
tails; delta never falls in phi, so phi = 1 is the worst shift (`worst_delta` looks at others all the
same). Both parameters are free: of all a, each with its least gamma, the one of least E|Z| is taken.
"""
import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr


def log_gaussian_tail(u):  # log of the integral of exp(-x^2/2) from u
    return 0.5 * math.log(2 * math.pi) + float(log_ndtr(-u))


class FlippedHuber:
    def __init__(self, a, gamma):
        self.a, self.gamma = a, gamma
        self.tail = math.exp(log_gaussian_tail(a) - a * a / 2)
        self.total = 2 * (-math.expm1(-a * a) / a + self.tail)

    def rho(self, u):
        u = abs(u)
        return self.a * u if u <= self.a else (u * u + self.a * self.a) / 2

    def upper_tail(self, z):  # P(Z > z)
        u, a = z / self.gamma, self.a
        if u < 0:
            return 1 - self.upper_tail(-z)
        if u >= a:
            return math.exp(log_gaussian_tail(u) - a * a / 2) / self.total
        return ((math.exp(-a * u) - math.exp(-a * a)) / a + self.tail) / self.total

    def delta(self, epsilon, shift):
        s = shift / self.gamma

        def loss(u):  # the difference of two squares would cancel
            return (s * (u + s / 2) if u >= self.a else self.rho(u + s) - self.rho(u)) - epsilon

        # Beyond `high` both densities are Gaussian tails, and the loss is above epsilon.
        high = max(self.a, epsilon / s) + 1
        low = -s / 2  # the loss is 0 at the middle of the two centres
        z = self.gamma * brentq(loss, low, high, xtol=1e-14, rtol=1e-14)
        return self.upper_tail(z) - math.exp(epsilon) * self.upper_tail(z + shift)

    def worst_delta(self, epsilon):
        return max(self.delta(epsilon, shift) for shift in (0.25, 0.5, 0.75, 0.9, 1))

    def moments(self):
        a, peak = self.a, math.exp(-self.a**2)  # the density at u = a, and of the tail's start
        inner1 = (1 - peak * (1 + a * a)) / a**2
        inner2 = (2 - peak * (a**4 + 2 * a * a + 2)) / a**3
        if a < 0.01:  # the differences above cancel
            inner1, inner2 = a * a / 2, a**3 / 3
        tail1 = peak
        tail2 = a * peak + self.tail
        scale = 2 / self.total
        return scale * self.gamma * (inner1 + tail1), scale * self.gamma**2 * (inner2 + tail2)


def least(epsilon, delta):
    """The member of least E|Z| that is (epsilon, delta)-DP at sensitivity 1."""

    def law(log_a):
        a = math.exp(log_a)

        def excess(log_gamma):
            d = FlippedHuber(a, math.exp(log_gamma)).delta(epsilon, 1)
            return math.log(max(d, 1e-300) / delta)

        log_gamma = brentq(excess, math.log(1e-3), math.log(1e5), xtol=1e-13)
        return FlippedHuber(a, math.exp(log_gamma + 1e-12))

    grid = np.linspace(math.log(1e-2), math.log(30), 60)
    errors = [law(x).moments()[0] for x in grid]
    i = int(np.argmin(errors))
    lo, hi = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
    found = minimize_scalar(lambda x: law(x).moments()[0], bounds=(lo, hi), method="bounded")
    best = law(found.x) if found.fun < errors[i] else law(grid[i])
    assert best.worst_delta(epsilon) <= delta * (1 + 1e-6)
    return best
