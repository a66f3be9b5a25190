#!/usr/bin/env python3
"""The tables of docs/guide/noise.md, in Markdown, and the range of each ratio:
excerpt.py noise.csv lp_bounds.csv baselines.csv noise_curves.csv
"""
import csv
import sys

CELLS = [(0.1, 1e-6), (0.25, 0.1), (0.5, 1e-2), (0.5, 1e-5), (1, 1e-2), (1, 1e-5), (2, 0.1), (2, 1e-2), (3, 1e-3), (5, 0.1), (5, 1e-3), (8, 1e-6)]
CLASSICAL = ["gaussian", "laplace", "staircase", "truncated_laplace", "tulap"]
COLUMNS = ["gaussian", "quasi_gaussian", "multi_gaussian", "laplace", "staircase", "truncated_laplace", "tulap", "optimal", "flipped_huber", "cactus", "lp_bound"]


def read(paths):
    table = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                table[float(row["epsilon"]), float(row["delta"]), row["family"]] = row
    return table


def value(table, cell, family, column):
    row = table.get((*cell, family))
    return float(row[column]) if row and row[column] else None


def markdown(table, column, columns):
    print("| ε, δ | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for cell in CELLS:
        of = {family: value(table, cell, family, column) for family in columns}
        least = min(v for family, v in of.items() if v is not None and family != "lp_bound")
        texts = ["–" if v is None else f"**{v:.4g}**" if v == least else f"{v:.4g}" for v in of.values()]
        print(f"| {cell[0]:g}, {cell[1]:g} | " + " | ".join(texts) + " |")


def ratios(table, column, family, others, name):
    """How the family compares over the whole grid."""
    found = {}
    for epsilon, delta, of in table:
        cell = epsilon, delta
        against = [v for v in (value(table, cell, other, column) for other in others) if v is not None]
        if of == family and against:
            found[cell] = value(table, cell, family, column) / min(against)
    if not found:
        return
    wins = [cell for cell, ratio in found.items() if ratio < 0.9995]  # the digits shown
    low, high = min(found, key=found.get), max(found, key=found.get)
    print(
        f"{column}: {family} / {name}: {found[low]:.4f} at {low} .. {found[high]:.4f} at {high}; "
        f"below .9995 in {len(wins)} of {len(found)} cells"
        + (": " + " ".join(f"({e:g},{d:g}) {found[e, d]:.3f}" for e, d in sorted(wins)) if len(wins) <= 8 else "")
    )


def totals(path):
    """At the same error: total epsilon after n answers."""
    answers, total = (1, 10, 30, 100, 1000), {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["curve"] == "total_at_error":
                total[float(row["epsilon"]), row["family"], float(row["x"])] = float(row["y"])
    families = list(dict.fromkeys(family for _, family, _ in total))
    print("\n| E\\|Z\\| | n | " + " | ".join(families) + " |")
    print("|---" * (len(families) + 2) + "|")
    for error in sorted({error for error, _, _ in total}, reverse=True):
        for n in answers:
            of = [total[error, family, n] for family in families]
            texts = [f"**{v:.4g}**" if v == min(of) else f"{v:.4g}" for v in of]
            print(f"| {error:g} | {n} | " + " | ".join(texts) + " |")


def main():
    table = read(sys.argv[1:4])
    for column, columns in (("expected_abs", COLUMNS), ("variance", COLUMNS[:-1])):
        print(f"\n{column}\n")
        markdown(table, column, columns)
        print()
        for family in ("multi_gaussian", "quasi_gaussian", "optimal", "flipped_huber", "cactus"):
            ratios(table, column, family, CLASSICAL, "best classical")
        for family in ("multi_gaussian", "quasi_gaussian"):
            ratios(table, column, family, ["gaussian"], "gaussian")
            ratios(table, column, family, ["optimal"], "optimal")
    for family in ("multi_gaussian", "optimal", *CLASSICAL, "flipped_huber", "cactus"):
        ratios(table, "expected_abs", family, ["lp_bound"], "lower bound")
    totals(sys.argv[4])


if __name__ == "__main__":
    main()
