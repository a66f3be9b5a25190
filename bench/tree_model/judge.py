"""See judge.sh."""
import csv
import io
import itertools
import subprocess
import sys
import time

import numpy as np

import tables

try:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
except ImportError:
    HistGradientBoostingClassifier = None
try:
    import peers
except ImportError:
    peers = None

DELTA = 1e-6


def psql(sql, rows=None):
    return subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql], input=rows, text=True,
                          stdout=subprocess.PIPE, check=True).stdout


def load(table, columns, rows):
    psql(f"DROP TABLE IF EXISTS {table} CASCADE; CREATE TABLE {table} "
         f"({', '.join(f'{c.name} {c.type} NOT NULL' for c in columns)})")
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    psql(f"COPY {table} FROM STDIN CSV", text.getvalue())
    psql(f"SELECT dpmix.protect('{table}', 1e7, .1, accountant => 'gdp');" +
         "".join(column.declare(table) for column in columns))


def from_sql(query):
    return list(csv.reader(io.StringIO(psql(f"COPY ({query}) TO STDOUT CSV"))))


def names(columns, but):
    return "'{" + ",".join(c.name for c in columns if c.name != but) + "}'"


class Methods:
    def __init__(self, table, label, columns, rows):
        self.table, self.label, self.columns, self.rows = table, label, columns, rows
        self.coding = tables.Coding(columns, rows, "values")
        self.calls = 0

    def tree(self, epsilon, seed):
        return self.sampled("release_tree", epsilon)

    def cda(self, epsilon, seed):
        return from_sql(f"SELECT * FROM dpmix.cda(NULL::{self.table}, {names(self.columns, self.label)}, "
                        f"{len(self.rows)}, {epsilon}, {DELTA}, label => '{self.label}', demix => 'per_class', class_rows => 'proportional')")

    def mixture(self, epsilon, seed):
        if any(c.categories for c in self.columns if c.name != self.label):
            return None
        return self.sampled("release_gmm", epsilon)

    def sampled(self, release, epsilon):
        """As many rows as there are, from a model of its own."""
        self.calls += 1
        name = f"{self.table} {self.calls}"
        psql(f"SELECT dpmix.{release}('{name}', '{self.table}', {names(self.columns, self.label)}, {epsilon}, {DELTA}, "
             f"label => '{self.label}')")
        return from_sql(f"SELECT * FROM dpmix.sample('{name}', NULL::{self.table}, {len(self.rows)})")

    def copula(self, epsilon, seed):
        return from_sql(f"SELECT * FROM dpmix.synthesize(NULL::{self.table}, {len(self.rows)}, {epsilon}, {DELTA}, "
                        f"columns => {names(self.columns, self.label)}, label => '{self.label}', method => 'copula')")

    def independent(self, epsilon, seed):
        """Noisy label x column histograms, every column drawn by itself within a class."""
        rng = np.random.default_rng(seed)
        codes, sizes = self.coding.codes(self.rows), self.coding.sizes
        y = [c.name for c in self.columns].index(self.label)
        others = [i for i in range(len(sizes)) if i != y]
        sigma = np.sqrt(len(others)) / gdp_mu(epsilon)
        noisy = {i: np.maximum(counts(codes, (y, i), sizes) + rng.normal(0, sigma, (sizes[y], sizes[i])), 0) for i in others}
        share = sum(t.sum(1) for t in noisy.values())
        out = np.zeros_like(codes)
        out[:, y] = rng.choice(sizes[y], len(codes), p=share / share.sum())
        for i, t in noisy.items():
            for k in range(sizes[y]):
                at = np.nonzero(out[:, y] == k)[0]
                p = t[k] if t[k].sum() > 0 else np.ones(sizes[i])
                out[at, i] = rng.choice(sizes[i], len(at), p=p / p.sum())
        return self.coding.values(out, rng)

    def mst(self, epsilon, seed):
        return self.peer("mst", epsilon, seed)

    def aim(self, epsilon, seed):
        return self.peer("aim", epsilon, seed)

    def peer(self, name, epsilon, seed):
        if peers is None:
            return None
        rng = np.random.default_rng(seed)
        codes = getattr(peers, name)(self.coding.codes(self.rows), self.coding.sizes, epsilon, DELTA, rng)
        return self.coding.values(codes, rng)


def gdp_mu(epsilon):
    from math import erfc, exp, sqrt
    upper = lambda z: erfc(z / sqrt(2)) / 2
    low, high = 1e-6, 60.
    for _ in range(200):
        mu = (low + high) / 2
        if upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2) > DELTA:
            high = mu
        else:
            low = mu
    return low


def counts(codes, pair, sizes):
    a, b = pair
    return np.bincount(codes[:, a] * sizes[b] + codes[:, b], minlength=sizes[a] * sizes[b]).reshape(sizes[a], sizes[b])


def pair_errors(real, synthetic, sizes):
    return [np.abs(counts(real, p, sizes) / len(real) - counts(synthetic, p, sizes) / len(synthetic)).sum() / 2
            for p in itertools.combinations(range(len(sizes)), 2)]


def auc(columns, label, train, test):
    """Of gradient boosting on numbers and numbers of categories; NaN without scikit-learn."""
    if HistGradientBoostingClassifier is None:
        return float("nan")

    def xy(rows):
        out = np.array([[c.categories.index(v) if c.categories else float(v) for c, v in zip(columns, row)] for row in rows])
        y = [c.name for c in columns].index(label)
        return np.delete(out, y, 1), out[:, y].astype(int)
    x, y = xy(train)
    tx, ty = xy(test)
    if len(np.unique(y)) < 2:
        return .5
    model = HistGradientBoostingClassifier(max_iter=60, learning_rate=.15, early_stopping=False).fit(x, y)
    p = model.predict_proba(tx)
    if p.shape[1] != len(np.unique(ty)):
        return .5
    if p.shape[1] == 2:
        return roc_auc_score(ty, p[:, 1])
    return roc_auc_score(ty, p, multi_class="ovr", labels=np.arange(p.shape[1]))


def main(folder, wanted, epsilons, trials, methods="tree cda mixture copula independent mst aim"):
    print("table,method,epsilon,pair error,worst pair,auc,seconds")
    for table in wanted.split():
        label, columns = tables.TABLES[table]
        rows = tables.read(f"{folder}/{table}.csv", table)
        order = np.random.default_rng(1).permutation(len(rows))
        test, train = ([rows[i] for i in part] for part in np.split(order, [len(rows) // 5]))
        load(table, columns, train)
        measure = tables.Coding(columns, train)
        real = measure.codes(train)
        halves = np.array_split(real, 2)
        errors = pair_errors(halves[0], halves[1], measure.sizes)
        print(f"{table},halves of the real rows,,{np.mean(errors):.4f},{np.max(errors):.4f},"
              f"{auc(columns, label, train, test):.4f},", flush=True)
        methods_of = Methods(table, label, columns, train)
        for epsilon in epsilons.split():
            for method in methods.split():
                found = []
                for trial in range(int(trials)):
                    start = time.time()
                    synthetic = getattr(methods_of, method)(float(epsilon), trial)
                    seconds = time.time() - start
                    if synthetic is None:
                        break
                    errors = pair_errors(real, measure.codes(synthetic), measure.sizes)
                    found.append([np.mean(errors), np.max(errors), auc(columns, label, synthetic, test), seconds])
                if found:
                    means = np.mean(found, 0)
                    print(f"{table},{method},{epsilon}," + ",".join(f"{x:.4f}" for x in means[:3]) + f",{means[3]:.1f}",
                          flush=True)


main(*sys.argv[1:])
