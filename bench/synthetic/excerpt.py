#!/usr/bin/env python3
"""The tables of bench/README.md and docs/guide/synthetic_tables.md, in Markdown: excerpt.py cda.csv cda_sigma.csv"""
import csv
import sys

from plots import EPSILONS, TITLES, read

METHODS = ["real", "gmm", "raw auto", "per_class auto", "tied auto"]
HEADS = ["real rows", "`release_gmm`", "`cda`, `none`", "`cda`, `per_class`", "`cda`, `tied`", "`cda`, best fixed l", "published (not private), best fixed l"]


def row(cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def sigma(points, path):
    columns = ["published", "without_replacement", "poisson", "add_remove", "replace"]
    found = {(epsilon, method, mix): mean for (epsilon, method), line in points["sigma", "sigma"].items() for mix, mean, _ in line}
    with open(path, encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["table"] == "paper":
                found[float(line["epsilon"]), line["calibration"], float(line["mix"])] = float(line["sigma"])
    row(["ε", "l", "published theorem", "without replacement", "Poisson", "`dpmix.cda`", "`dpmix.cda`, `replace`"])
    row(["---"] * 7)
    for epsilon in EPSILONS:
        for mix in (1, 4, 16, 64, 128, 512):
            row([epsilon, mix] + [f"{found[epsilon, column, mix]:.3g}" for column in columns])
    print()


def best(of, epsilon, methods):
    """The highest accuracy over orders and methods, and where."""
    top = max((mean, method, mix) for method in methods for mix, mean, _ in of.get((epsilon, method), [(0, 0, 0)]))
    return f"{top[0]:.3f} ({top[1]}, {top[2]:g})"


def accuracy(points, sweep):
    of = points[sweep, "accuracy"]
    row([f"{TITLES[sweep]}: ε"] + HEADS)
    row(["---"] * (len(HEADS) + 1))
    for epsilon in EPSILONS:
        cells = [epsilon]
        for method in METHODS:
            mix, mean, error = of[epsilon, method][0] if (epsilon, method) in of else (0, 0, 0)
            at = f" (l = {mix:.3g})" if method.endswith("auto") else ""
            cells.append(f"{mean:.3f} ± {error:.3f}{at}")
        row(cells + [best(of, epsilon, ["raw", "per_class", "tied"]), best(of, epsilon, ["published"])])
    print()


def others(points, sweep):
    row([f"{TITLES[sweep]}: ε"] + [f"{head}: means / deviations / correlations" for head in HEADS[1:5]])
    row(["---"] * 5)
    for epsilon in EPSILONS:
        cells = [epsilon]
        for method in METHODS[1:]:
            values = [points[sweep, measure][epsilon, method][0][1] for measure in ("means", "deviations", "correlations")]
            cells.append(" / ".join(f"{value:.2g}" for value in values))
        row(cells)
    print()


def main():
    points, _ = read(sys.argv[1])
    sigma(points, sys.argv[2])
    for sweep in TITLES:
        if (sweep, "accuracy") in points:
            accuracy(points, sweep)
    for sweep in TITLES:
        if (sweep, "means") in points:
            others(points, sweep)


if __name__ == "__main__":
    main()
