"""The tables of the judgement: how each is declared, and its rows as codes for measures and peers."""
import csv

import numpy as np

RANGES = 10  # of numbers, of about as many real rows each, in measures
PEER_BINS = 20  # public, of equal width, for peers that know categories alone


class Column:
    def __init__(self, name, low=None, high=None, categories=None, type="text"):
        self.name, self.low, self.high, self.categories = name, low, high, categories
        self.type = type

    @property
    def whole(self):
        return self.type == "int" and self.high - self.low < 128

    def declare(self, table):
        if self.categories:
            words = ",".join(self.categories)
            return f"SELECT dpmix.set_categories('{table}', '{self.name}', '{{{words}}}');"
        return f"SELECT dpmix.set_bounds('{table}', '{self.name}', {self.low}, {self.high});"


def number(name, low, high, type="int"):
    return Column(name, low, high, type=type)


def words(name, text):
    return Column(name, categories=text.split(","))


def coded(name, count):
    return number(name, 0, count - 1) if count > 42 else words(name, ",".join(map(str, range(count))))


TABLES = {
    "adult": ("income", [
        number("age", 0, 84), coded("workclass", 9), number("education", 0, 15), coded("marital", 7),
        coded("occupation", 15), coded("relationship", 6), coded("race", 5), coded("sex", 2),
        number("gain", 0, 99), number("loss", 0, 99), number("hours", 0, 98), coded("country", 42),
        coded("income", 2)]),
    "cps1988": ("region", [
        number("wage", 0, 2500, "float8"), number("education", 0, 20), number("experience", 0, 60),
        words("ethnicity", "cauc,afam"), words("smsa", "yes,no"),
        words("region", "northeast,midwest,south,west"), words("parttime", "yes,no")]),
    "health_insurance": ("insurance", [
        words("health", "yes,no"), number("age", 18, 64), words("limited", "yes,no"), words("gender", "male,female"),
        words("insurance", "yes,no"), words("married", "yes,no"), words("selfemp", "yes,no"),
        number("family", 1, 14), words("region", "northeast,midwest,south,west"), words("ethnicity", "cauc,afam,other"),
        words("education", "none,ged,highschool,bachelor,master,phd,other")]),
    "iris": ("species", [
        number("sepal_length", 4, 8, "float8"), number("sepal_width", 2, 5, "float8"),
        number("petal_length", 1, 7, "float8"), number("petal_width", 0, 3, "float8"),
        words("species", "setosa,versicolor,virginica")]),
    "pima": ("diabetes", [
        number("pregnant", 0, 17), number("glucose", 0, 200), number("pressure", 0, 125), number("triceps", 0, 100),
        number("insulin", 0, 850), number("mass", 0, 70, "float8"), number("pedigree", 0, 2.5, "float8"),
        number("age", 21, 81), words("diabetes", "pos,neg")]),
}
# Made by read(): six classes, each a Gaussian of so many columns.
BELLS = {f"bells{count}": count for count in (4, 8, 12, 36)}
for name, count in BELLS.items():
    TABLES[name] = ("kind", [number(f"c{i}", 0, 100, "float8") for i in range(count)] + [words("kind", "a,b,c,d,e,f")])

SKIPPED = {"adult": ["fnlwgt"], "cps1988": ["id"], "health_insurance": ["id"]}


def read(path, table):
    """Texts by row, in the order of the table's columns."""
    if table in BELLS:
        return bells(BELLS[table])
    with open(path) as file:
        rows = list(csv.reader(file))
    keep = [i for i, name in enumerate(rows[0]) if name not in SKIPPED.get(table, [])]
    return [[row[i] for i in keep] for row in rows[1:]]


def bells(count, rows=7500):
    rng = np.random.default_rng(count)
    out = []
    for kind in "abcdef":
        half = rng.normal(size=(count, count)) / np.sqrt(count)
        shape = 8 * np.linalg.cholesky(half @ half.T + np.eye(count) / 2)
        numbers = rng.uniform(30, 70, count) + rng.normal(size=(rows // 6, count)) @ shape.T
        out += [[f"{x:.6f}" for x in row] + [kind] for row in numbers.clip(0, 100)]
    return out


class Coding:
    """Rows as whole numbers: categories by their place, numbers by ranges."""

    def __init__(self, columns, rows, ranges=None):
        self.columns, self.edges = columns, []
        for i, column in enumerate(columns):
            if column.categories:
                self.edges.append(None)
                continue
            values = np.array([float(row[i]) for row in rows])
            if ranges == "values" and column.whole:
                edges = np.arange(column.low + 0.5, column.high)
            elif ranges == "values":
                edges = np.linspace(column.low, column.high, PEER_BINS + 1)[1:-1]
            else:
                edges = np.unique(np.quantile(values, np.linspace(0, 1, RANGES + 1))[1:-1])
            self.edges.append(edges)
        self.sizes = [len(c.categories) if c.categories else len(e) + 1 for c, e in zip(columns, self.edges)]

    def codes(self, rows):
        out = np.empty((len(rows), len(self.columns)), int)
        for i, (column, edges) in enumerate(zip(self.columns, self.edges)):
            values = [row[i] for row in rows]
            if column.categories:
                place = {text: k for k, text in enumerate(column.categories)}
                out[:, i] = [place[value] for value in values]
            else:
                out[:, i] = np.searchsorted(edges, np.array(values, float), side="right")
        return out

    def values(self, codes, rng):
        """The way back from codes of equal ranges: a place in the range, by chance."""
        out = []
        for i, (column, edges) in enumerate(zip(self.columns, self.edges)):
            if column.categories:
                out.append([column.categories[k] for k in codes[:, i]])
                continue
            ends = np.concatenate([[column.low], edges, [column.high]])
            x = ends[codes[:, i]] + rng.random(len(codes)) * (ends[codes[:, i] + 1] - ends[codes[:, i]])
            out.append(np.round(x) if column.type == "int" else x)
        return list(map(list, zip(*out)))
