#!/usr/bin/python3
"""The noise that synthetic rows by random mixing need: bench/synthetic/sigma.py [TABLE ...] > bench/synthetic/sigma.csv

The least deviation sigma of the noise on a mean of `mix` records of norm at most 1, at (epsilon, 1e-5), by

    published             Theorem 1 of Saha, Tonoy, Imtiaz, "DP-CDA" (2024), which does not hold (docs/proofs/synthetic.md):
                          the rate is mix / records over all rows. As much noise on the label's indicators as on the
                          features, as the paper has it. Of its bound on the subsampled Renyi divergence the
                          readable version, Wang, Balle, Kasiviswanathan, "Subsampled Renyi differential privacy and
                          analytical moments accountant" (2019), Theorem 9: B at 2 floor(j/2) and 2 ceil(j/2).
                          The printed B at ceil(j/2) is negative for some j. In decimals: the sums alternate.
    without_replacement   what the published sampler needs: of a class's records, add_remove, shift 2/mix.
    poisson               each record joins with probability mix / (records of the class); add_remove, shift 1/mix.

The last two: bench/accounting/accountant.py's total of a class's rows, the worse of both directions, to one in ten thousand. They
know the numbers of records; what a release needs that does not is in bench/synthetic/accuracy.csv. Lines "table,records,rows,classes,
epsilon,mix,calibration,sigma": records and rows over all classes of one size. Needs numpy and scipy; takes minutes.
"""
import math
import sys
from pathlib import Path
from decimal import Decimal, getcontext

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "accounting"))
from accountant import inverted
from accountant_releases import subsampled

DELTA = 1e-5
MIXES = [2**i for i in range(10)]
EPSILONS = [1, 2, 5, 10, 20]
# Table: records, rows, classes. Those of bench/synthetic/figures.cpp, and that of the paper.
TABLES = {
    "paper": (60000, 60000, 10),
    "generated": (20000, 20000, 26),
    "cps": (22524, 22524, 2),
    "iris": (100, 100, 3),
}
getcontext().prec = 100


def published_epsilon(records, rows, mix, sigma, most=128):
    rho = 3 / (Decimal(mix) * Decimal(sigma)) ** 2  # 2 of the features, 1 of the label
    power = [((i - 1) * i * rho).exp() for i in range(most + 3)]
    alternating = {}

    def b(n):
        if n not in alternating:
            alternating[n] = sum((-1) ** i * math.comb(n, i) * power[i] for i in range(n + 1))
        return alternating[n]

    rate, squared = Decimal(mix) / records, (2 * rho).exp()
    least, worse, roots = Decimal("inf"), 0, {}
    for order in range(3, most + 1):
        roots[order] = (b(order // 2 * 2) * b((order + 1) // 2 * 2)).sqrt()
        far = sum(rate**j * math.comb(order, j) * roots[j] for j in range(3, order + 1))
        near = rate**2 * math.comb(order, 2) * min(4 * (squared - 1), 2 * squared)
        epsilon = rows * (1 + near + 4 * far).ln() / (order - 1) - Decimal(DELTA).ln() / (order - 1)
        least, worse = (epsilon, 0) if epsilon < least else (least, worse + 1)
        if worse > 6:
            break
    return float(least)


def keeps(records, rows, shift, epsilon):
    """records: rate of joining. Whether the rows of one class, with this shift over the deviation, keep (epsilon, DELTA)."""
    return all(
        inverted([(subsampled(records, shift, direction, 0).above, rows)], epsilon) <= DELTA for direction in (True, False)
    )


def gaussian_mu(epsilon):
    from accountant import gaussian

    low, high = 1e-6, 1e3
    for _ in range(60):
        mu = math.sqrt(low * high)
        low, high = (mu, high) if gaussian(mu, epsilon) <= DELTA else (low, mu)
    return low


def least(ok, guess, accuracy=1e-4):
    low, high = guess, guess
    while not ok(high):
        high *= 1.3
    while ok(low):
        low /= 1.3
    while high > low * (1 + accuracy):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if ok(middle) else (middle, high)
    return high


def correct(table, epsilon, mix, shift):
    records, rows, classes = table
    members, class_rows = records / classes, round(rows / classes)
    mu = gaussian_mu(epsilon)
    rate = min(1.0, mix / members)
    if rate == 1:  # every record in every row: plain Gaussian noise
        return shift / mix * math.sqrt(class_rows) / mu
    # What the central limit says; a little off where the multiplier is small.
    guess = 1 / math.sqrt(math.log1p((mu / rate) ** 2 / class_rows))
    return shift / mix * least(lambda z: keeps(rate, class_rows, 1 / z, epsilon), guess)


def main():
    print("table,records,rows,classes,epsilon,mix,calibration,sigma")
    for name, table in TABLES.items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        for epsilon in EPSILONS:
            for mix in MIXES:
                found = {"published": None}
                if mix < table[0]:
                    ok = lambda sigma: published_epsilon(table[0], table[1], mix, sigma) <= epsilon
                    found["published"] = least(ok, 1 / mix)
                if name == "paper":
                    found["without_replacement"] = correct(table, epsilon, mix, 2)
                    found["poisson"] = correct(table, epsilon, mix, 1)
                for calibration, sigma in found.items():
                    if sigma is not None:
                        line = [name, *table, epsilon, mix, calibration, f"{sigma:.4g}"]
                        print(",".join(map(str, line)), flush=True)


if __name__ == "__main__":
    main()
