"""MST (McKenna, Miklau, Sheldon 2021) and AIM (McKenna, Mullins, Sheldon, Miklau 2022), written from the papers over mbi
(private-pgm, from PyPI): peers of dpmix's trees. Rows are codes; noise is numpy's: for measuring alone."""
import itertools
import warnings

import numpy as np

warnings.filterwarnings("ignore")
from mbi import Domain, LinearMeasurement, estimation, junction_tree  # noqa: E402

MODEL_MEGABYTES = 10  # of AIM; its default, 80, takes hours
ROUNDS = 300  # of mirror descent in a round of AIM


def zcdp(epsilon, delta):
    """The largest rho that proves (epsilon, delta): Canonne, Kamath, Steinke 2020."""
    a = np.concatenate([np.linspace(1.001, 10, 20000), np.geomspace(10, 1e5, 20000)])

    def log_delta(rho):
        return np.min((a - 1) * (a * rho - epsilon) + a * np.log1p(-1 / a) - np.log(a - 1))
    low, high = 1e-9, 100.
    for _ in range(100):
        rho = (low + high) / 2
        low, high = (rho, high) if log_delta(rho) < np.log(delta) else (low, rho)
    return low


def counts(codes, sizes, clique):
    key = np.zeros(len(codes), np.int64)
    for i in clique:
        key = key * sizes[i] + codes[:, i]
    return np.bincount(key, minlength=int(np.prod([sizes[i] for i in clique]))).astype(float)


def names(clique):
    return tuple(map(str, clique))


def fit(domain, measured, rounds):
    return estimation.MirrorDescent().estimate(domain, measured, iters=rounds)


def draw(rng, scores, epsilon, sensitivity):
    s = epsilon * np.array(scores) / (2 * sensitivity)
    p = np.exp(s - s.max())
    return rng.choice(len(s), p=p / p.sum())


def rows_of(model, columns, count):
    data = model.synthetic_data(count)
    return np.stack([np.asarray(data.data[str(i)]) for i in range(columns)], 1).astype(int)


def mst(codes, sizes, epsilon, delta, rng):
    d, rho = len(sizes), zcdp(epsilon, delta)
    # Values too rare to be seen are merged.
    sigma = np.sqrt(3 * d / (2 * rho))
    new, old, measured = np.empty_like(codes), [], []
    for i in range(d):
        noisy = counts(codes, sizes, (i,)) + rng.normal(0, sigma, sizes[i])
        seen = noisy >= 3 * sigma
        if not seen.any():
            seen[noisy.argmax()] = True
        rest = np.nonzero(~seen)[0]
        place = np.full(sizes[i], seen.sum())
        place[seen] = np.arange(seen.sum())
        new[:, i] = place[codes[:, i]]
        old.append((np.nonzero(seen)[0], rest))
        merged = np.append(noisy[seen], noisy[rest].sum()) if len(rest) else noisy
        scale = np.append(np.ones(seen.sum()), np.sqrt(len(rest))) if len(rest) else np.ones(sizes[i])
        measured.append((i, merged, scale))
    small = [len(seen) + (len(rest) > 0) for seen, rest in old]
    domain = Domain(names(range(d)), small)
    all_measured = [LinearMeasurement(m, names((i,)), sigma * np.sqrt(np.mean(s ** 2))) for i, m, s in measured]
    model = fit(domain, all_measured, 1000)
    pairs = list(itertools.combinations(range(d), 2))
    missed = {p: np.abs(counts(new, small, p) - np.asarray(model.project(names(p)).datavector())).sum() for p in pairs}
    part, step = list(range(d)), np.sqrt(8 * rho / 3 / (d - 1))
    sigma = np.sqrt(3 * (d - 1) / (2 * rho))
    for _ in range(d - 1):
        candidates = [p for p in pairs if part[p[0]] != part[p[1]]]
        a, b = candidates[draw(rng, [missed[p] for p in candidates], step, 1)]
        part = [part[a] if x == part[b] else x for x in part]
        exact = counts(new, small, (a, b))
        all_measured.append(LinearMeasurement(exact + rng.normal(0, sigma, len(exact)), names((a, b)), sigma))
    drawn = rows_of(fit(domain, all_measured, 2000), d, len(codes))
    out = np.empty_like(drawn)
    for i, (seen, rest) in enumerate(old):
        column = drawn[:, i]
        out[:, i] = seen[np.minimum(column, len(seen) - 1)]
        at = column == len(seen)
        if len(rest):
            out[at, i] = rng.choice(rest, at.sum())
    return out


def aim(codes, sizes, epsilon, delta, rng):
    d, rho = len(sizes), zcdp(epsilon, delta)
    domain = Domain(names(range(d)), sizes)
    sigma = np.sqrt(16 * d / (2 * .9 * rho))
    step = np.sqrt(8 * .1 * rho / (16 * d))
    pairs = list(itertools.combinations(range(d), 2))
    weights = {c: sum(len(set(c) & set(p)) for p in pairs) for c in [(i,) for i in range(d)] + pairs}
    exact = {c: counts(codes, sizes, c) for c in weights}
    measured, used = [], 0.

    def measure(clique):
        noisy = exact[clique] + rng.normal(0, sigma, len(exact[clique]))
        measured.append(LinearMeasurement(noisy, names(clique), sigma))
    for i in range(d):
        measure((i,))
        used += .5 / sigma ** 2
    model, last = fit(domain, measured, ROUNDS), False
    while not last:
        left = rho - used
        if left < 2 * (.5 / sigma ** 2 + step ** 2 / 8):
            sigma, step, last = np.sqrt(1 / (2 * .9 * left)), np.sqrt(8 * .1 * left), True
        taken = [m.clique for m in measured]
        candidates = [c for c in weights if names(c) in taken or
                      junction_tree.hypothetical_model_size(domain, taken + [names(c)]) <= MODEL_MEGABYTES * used / rho]
        guess = {c: np.asarray(model.project(names(c)).datavector()) for c in candidates}
        scores = [weights[c] * (np.abs(exact[c] - guess[c]).sum() - np.sqrt(2 / np.pi) * sigma * len(exact[c]))
                  for c in candidates]
        clique = candidates[draw(rng, scores, step, max(weights[c] for c in candidates))]
        measure(clique)
        used += .5 / sigma ** 2 + step ** 2 / 8
        model = fit(domain, measured, ROUNDS)
        change = np.abs(np.asarray(model.project(names(clique)).datavector()) - guess[clique]).sum()
        if change <= sigma * np.sqrt(2 / np.pi) * len(exact[clique]):
            sigma, step = sigma / 2, step * 2
    return rows_of(fit(domain, measured, 1000), d, len(codes))
