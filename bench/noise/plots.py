#!/usr/bin/env python3
"""The figures of docs/guide/noise.md: plots.py noise.csv lp_bounds.csv noise_curves.csv FOLDER

Reads what bench/noise, bench/noise/lp_bound.py and bench/noise_curves wrote; writes SVG.
"""
import csv
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from svg import Axis, Panel, legend, number, save

# Okabe and Ito's colours, which all readers can tell apart, and dashes for those who see no colour.
STYLE = {
    "gaussian": ("#000000", ""),
    "multi_gaussian": ("#D55E00", ""),
    "quasi_gaussian": ("#CC79A7", "7 3"),
    "laplace": ("#56B4E9", ""),
    "staircase": ("#009E73", ""),
    "truncated_laplace": ("#0072B2", "2 2"),
    "tulap": ("#E69F00", "8 3 2 3"),
    "optimal": ("#7A5195", "10 3"),
    "lower bound": ("#777777", "3 3"),
}


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def errors_over_epsilon(table, bounds, delta, path):
    error = defaultdict(dict)
    for row in table:
        if float(row["delta"]) == delta:
            error[row["family"]][float(row["epsilon"])] = float(row["expected_abs"])
    bound = {float(r["epsilon"]): float(r["expected_abs"]) for r in bounds if float(r["delta"]) == delta}
    epsilons = sorted(error["gaussian"])
    ticks = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]

    def x_axis():
        return Axis(0.045, 11, log=True, ticks=ticks, label="ε of one answer")

    every = [v for of in error.values() for v in of.values()]
    whole = Panel(70, 60, 350, 330, x_axis(), Axis(min(every) * 0.7, max(every) * 1.4, log=True, label="E|Z|, in sensitivities"), "expected absolute error")
    ratio = Panel(490, 60, 350, 330, x_axis(), Axis(0.95, 3, ticks=[1, 1.25, 1.5, 1.75, 2, 2.5, 3], label="E|Z| / lower bound"), "the same, over the lower bound")
    for family, (color, dash) in STYLE.items():
        of = bound if family == "lower bound" else error[family]
        whole.line([(e, of.get(e)) for e in epsilons], color, dash, name=family)
        if bound and family != "lower bound":
            # What lies above the panel leaves it rather than running along its edge.
            inside = [(e, of[e] / bound[e] if e in of and of[e] / bound[e] <= 3 else None) for e in epsilons if e in bound]
            ratio.line(inside, color, dash, name=family, marker=True)
    entries = [(name, *style) for name, style in STYLE.items()]
    save(
        path, 1020, 450, f"Error of one answer at δ = {number(delta)}",
        "Expected absolute noise of each family over epsilon, and its ratio to a linear-programming lower bound.",
        [whole, ratio, legend(entries, 864, 80)],
    )


def densities(curves, epsilon, delta, path, floor):
    of = defaultdict(list)
    for row in curves:
        if row["curve"] == "density" and (float(row["epsilon"]), float(row["delta"])) == (epsilon, delta):
            of[row["family"]].append((float(row["x"]), float(row["y"])))
    reach = max(x for points in of.values() for x, _ in points)
    families = [family for family in STYLE if family in of]
    panels = []
    for i, family in enumerate(families):
        row, column = divmod(i, 4)
        panel = Panel(
            76 + 240 * column, 64 + 210 * row, 200, 150,
            Axis(0, reach, label="z, in sensitivities" if row == 1 else ""),
            Axis(floor, 10, log=True, label="density" if column == 0 else ""), family,
        )
        if family != "gaussian":
            panel.line(of["gaussian"], "#b8b8b8", width=1.5, name="gaussian")
        color, _ = STYLE[family]
        half = of[family][1][0] / 2  # a point is the mean over a bin around it
        panel.line([(max(0.0, x - half), y) for x, y in of[family]], color, name=family, steps=True)
        panels.append(panel)
    save(
        path, 1020, 470, f"Densities at ε = {number(epsilon)}, δ = {number(delta)} (symmetric; gaussian in grey)",
        "Density of the noise of each family on a logarithmic scale: Gaussian tails, stairs, and cut-offs.",
        panels,
    )


def totals(curves, path):
    def panels(curve, label, title, caption, top):
        total, other = defaultdict(list), {}
        for row in curves:
            key = float(row["epsilon"]), row["family"]
            if row["curve"] == curve:
                total[key].append((float(row["x"]), float(row["y"])))
            elif row["curve"] == label:
                other[key] = float(row["y"])
        for i, of in enumerate(sorted({of for of, _ in total}, reverse=curve == "total_at_error")):
            families = [family for family in STYLE if (of, family) in total]
            every = [y for family in families for _, y in total[of, family]]
            panel = Panel(
                76 + 320 * i, top, 250, 240, Axis(1, 1000, log=True, label="answers n"),
                Axis(min(every) * 0.8, max(every) * 1.3, log=True, label="total ε at δ = 1e-6" if i == 0 else ""),
                title.format(number(of)),
            )
            for family in families:
                panel.line(total[of, family], *STYLE[family], name=family)
            yield panel
            names = [(f"{family}: {caption.format(other[of, family])}", *STYLE[family]) for family in families]
            yield legend(names, 90 + 320 * i, top + 298)

    delta = next(float(row["delta"]) for row in curves if row["curve"] == "total_epsilon")
    parts = [
        *panels("total_epsilon", "expected_abs", "each answer ε = {}", "E|Z| = {:.3g}", 64),
        *panels("total_at_error", "epsilon_of_error", "each answer E|Z| = {}", "ε = {:.3g}", 500),
    ]
    save(
        path, 1020, 900, f"Total ε of n answers, each (ε, {number(delta)})-DP: at the same ε, and at the same error",
        "Total epsilon proved at delta 1e-6 over the number of answers, for five families.", parts,
    )


def main():
    table, bounds, curves = (rows(path) for path in sys.argv[1:4])
    folder = sys.argv[4]
    densities(curves, 2, 1e-2, f"{folder}/density_2_1e-2.svg", 1e-6)
    densities(curves, 0.5, 1e-6, f"{folder}/density_0.5_1e-6.svg", 1e-10)
    errors_over_epsilon(table, bounds, 1e-2, f"{folder}/error_1e-2.svg")
    errors_over_epsilon(table, bounds, 1e-5, f"{folder}/error_1e-5.svg")
    totals(curves, f"{folder}/total_epsilon.svg")


if __name__ == "__main__":
    main()
