"""Called by peers.sh. AdaSSP is written from its paper (Wang, UAI 2018), with numpy's noise: for measuring alone."""
import csv
import subprocess
import sys
import warnings

import numpy as np
from diffprivlib.models import LinearRegression, LogisticRegression

warnings.filterwarnings("ignore")
EPSILONS, DELTA = (.25, .5, 1, 2, 4), 1e-6
rng = np.random.default_rng(1)


def psql(sql, stdin=None):
    done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql], input=stdin, text=True,
                          capture_output=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.strip()


def adassp(x, y, epsilon):
    """Rows of norm at most sqrt(p), |y| <= 1."""
    n, p = x.shape
    bx2, e, logd = p, epsilon / 3, np.log(6 / DELTA)
    gram = x.T @ x
    least = max(0, np.linalg.eigvalsh(gram)[0] + np.sqrt(logd) / e * bx2 * rng.normal() - logd / e * bx2)
    ridge = max(0, np.sqrt(p * logd * np.log(2 * p * p / .05)) * bx2 / e - least)
    noise = np.triu(rng.normal(size=(p, p)))
    noise += np.triu(noise, 1).T
    gram = gram + np.sqrt(logd) * bx2 / e * noise
    xy = x.T @ y + np.sqrt(logd) * np.sqrt(bx2) / e * rng.normal(size=p)
    return np.linalg.solve(gram + ridge * np.eye(p), xy)


def auc(score, outcome):
    rank = np.empty(len(score))
    order = np.argsort(score, kind="stable")
    values, first, counts = np.unique(score[order], return_index=True, return_counts=True)
    rank[order] = np.repeat(first + (counts + 1) / 2, counts)
    yes = outcome.sum()
    return (rank[outcome].sum() - yes * (yes + 1) / 2) / yes / (len(score) - yes)


class Table:
    """Columns of whole rows: numbers with bounds, categories by number. One in five rows, by a hash, is for tests."""

    def __init__(self, name, numbers, categories, target):
        self.name, self.target = name, target
        count = len(target)
        self.test = (np.arange(count, dtype=np.uint64) * 2654435761 % 2**32) / 2**32 < .2
        columns, self.terms = [np.ones(count)], []
        domains = []
        for column, (values, low, high) in numbers.items():
            columns.append((np.clip(values, low, high) - (low + high) / 2) / ((high - low) / 2))
            self.terms.append(column)
            domains.append(f"dpmix.set_bounds('{name}', '{column}', {low}, {high})")
        for column, values in categories.items():
            levels = int(values.max()) + 1
            columns += [(values == k).astype(float) for k in range(1, levels)]
            self.terms.append(column)
            domains.append(f"dpmix.set_categories('{name}', '{column}', "
                           f"array(SELECT k::text FROM generate_series(0, {levels - 1}) k))")
        self.x = np.column_stack(columns)
        self.low, self.high = float(np.floor(target.min())), float(np.ceil(target.max()))
        listed = list(numbers) + list(categories)
        rows = zip(*[numbers[c][0] for c in numbers], *[categories[c].astype(int) for c in categories], target,
                   self.test)
        types = [f"{c} float8" for c in numbers] + [f"{c} int" for c in categories]
        psql(f"CREATE TABLE {name}_all ({', '.join(types)}, y float8, test boolean)")
        psql(f"COPY {name}_all FROM STDIN CSV", "\n".join(",".join(map(str, r)) for r in rows))
        psql(f"CREATE TABLE {name} AS SELECT {', '.join(listed)}, y FROM {name}_all WHERE NOT test;"
             f"SELECT dpmix.protect('{name}', 1e7, .4);"
             f"SELECT {', '.join(domains)}, dpmix.set_bounds('{name}', 'y', {self.low}, {self.high})")

    def dpmix(self, epsilon, kind, powers=()):
        terms = ",".join(self.terms + list(powers))
        psql(f"SELECT FROM dpmix.release_regression('m', '{self.name}', 'y', '{{{terms}}}', {epsilon}, {DELTA}, "
             f"'{kind}')")
        scores = psql(f"SELECT dpmix.predict('m', t) FROM {self.name}_all t WHERE test")
        psql("SELECT dpmix.drop_release('m')")
        return np.array([float(s) for s in scores.split()])


def linear(table, trials):
    train, test = table.x[~table.test], table.x[table.test]
    half = (table.high - table.low) / 2
    y = (table.target - table.low) / half - 1  # in [-1, 1]
    exact = np.linalg.lstsq(train, y[~table.test], rcond=None)[0]
    least = np.mean((test @ exact - y[table.test])**2)
    bounds = ([-1.] * (train.shape[1] - 1), [1.] * (train.shape[1] - 1))
    print(f"{table.name}, {len(train)} rows, {train.shape[1]} coefficients: mean squared error of predictions over "
          f"that of least squares (tested on {len(test)} others)")
    for epsilon in EPSILONS:
        errors = {"dpmix": [], "AdaSSP": [], "diffprivlib": []}
        for _ in range(trials):
            errors["dpmix"].append((table.dpmix(epsilon, "linear") - table.low) / half - 1)
            errors["AdaSSP"].append(test @ adassp(train, y[~table.test], epsilon))
            peer = LinearRegression(epsilon=epsilon, bounds_X=bounds, bounds_y=(-1., 1.))
            errors["diffprivlib"].append(peer.fit(train[:, 1:], y[~table.test]).predict(test[:, 1:]))
        ratios = {n: np.median([np.mean((p - y[table.test])**2) / least for p in e]) for n, e in errors.items()}
        print(f"  epsilon {epsilon:4}: " + ", ".join(f"{n} {r:.4g}" for n, r in ratios.items()), flush=True)


def logistic(table, trials):
    train, test = table.x[~table.test], table.x[table.test]
    y, truth = table.target[~table.test] > .5, table.target[table.test] > .5
    norm = np.sqrt((table.x[:, 1:]**2).sum(1).max())
    norm = max(norm, np.sqrt(len(table.terms)))
    print(f"{table.name}, {len(train)} rows, {train.shape[1]} coefficients: AUC and accuracy on {len(test)} others")
    for epsilon in EPSILONS:
        found = {"dpmix": [], "diffprivlib": []}
        for _ in range(trials):
            p = table.dpmix(epsilon, "logistic")
            found["dpmix"].append((auc(p, truth), np.mean((p > .5) == truth)))
            peer = LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=300).fit(train[:, 1:], y)
            score = peer.decision_function(test[:, 1:])
            found["diffprivlib"].append((auc(score, truth), np.mean((score > 0) == truth)))
        means = {n: np.mean(f, axis=0) for n, f in found.items()}
        listed = ", ".join(f"{n} {m[0]:.4f} {m[1]:.4f}" for n, m in means.items())
        print(f"  epsilon {epsilon:4}: {listed}", flush=True)


def wages(path):
    rows = list(csv.DictReader(open(path)))
    column = lambda name: np.array([float(r[name]) for r in rows])  # noqa: E731
    kinds = {c: np.array([float(r[c] == v) for r in rows])
             for c, v in (("ethnicity", "afam"), ("smsa", "yes"), ("parttime", "yes"))}
    numbers = {"education": (column("education"), 0, 20), "experience": (column("experience"), 0, 60)}
    return numbers, kinds, column("wage")


def census(path):
    rows = np.array([[float(v) for v in r] for r in list(csv.reader(open(path)))[1:]])
    numbers = {f"n{j}": (rows[:, j], 0, rows[:, j].max()) for j in (0, 3, 9, 10, 11)}
    return numbers, {f"c{j}": rows[:, j] for j in (1, 4, 5, 6, 7, 8)}, rows[:, 13]


trials = int(sys.argv[2])
numbers, kinds, wage = wages(sys.argv[1])
linear(Table("wages", numbers, kinds, np.log(np.clip(wage, 50, 2500))), trials)
logistic(Table("high_wages", numbers, kinds, (wage > 600).astype(float)), trials)
if len(sys.argv) > 3:
    numbers, kinds, rich = census(sys.argv[3])
    linear(Table("census", numbers, kinds, rich), trials)
    logistic(Table("high_incomes", numbers, kinds, rich), trials)
