#!/usr/bin/env python3
"""The published figures of releases of mixtures with ours beside them: plots.py accuracy.csv FOLDER

Reads what bench/gmm_figures wrote; writes SVG.
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from svg import Axis, Panel, legend, save

# Ours in colours, others in greys and browns; dashed: nobody's guarantee holds.
STYLE = {
    "staged, add_remove": ("#0072B2", ""),
    "staged, replace": ("#56B4E9", ""),
    "label_only": ("#009E73", ""),
    "published": ("#D55E00", "7 3"),
    "r1smg": ("#CC79A7", "2 3"),
    "coloured_gaussian": ("#E69F00", "10 3 2 3"),
    "iid_gaussian": ("#555555", ""),
    "iid_laplace": ("#999999", ""),
}
KL = "KL(released ‖ fitted), nats"


def read(path):
    """sweep -> mechanism -> rows of numbers, ordered by x."""
    sweeps = defaultdict(lambda: defaultdict(list))
    private = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            private[row["mechanism"]] = row["private"] == "yes"
            numbers = {key: float(row[key]) for key in ("x", "trials", "median", "low", "high", "mean", "stderr")}
            sweeps[row["sweep"]][row["mechanism"]].append(numbers)
    for of in sweeps.values():
        for points in of.values():
            points.sort(key=lambda point: point["x"])
    return sweeps, private


def decades(values, most):
    values = [v for v in values if math.isfinite(v) and v <= most]
    return 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values)))


def panel(left, top, of, label, title, log_x=True, ticks=None, mean=False, names=None, most=1e4):
    """Medians, or means, with their 95% confidence intervals. What lies above `most` is left out."""
    key = "mean" if mean else "median"
    names = [name for name in (names or STYLE) if name in of and min(point[key] for point in of[name]) <= most]
    xs = sorted({point["x"] for name in names for point in of[name]})
    low, high = decades([point[key] for name in names for point in of[name]], most)
    room = 1.12 if log_x else 1
    x_axis = Axis(xs[0] / room if log_x else xs[0] - 0.5, xs[-1] * room if log_x else xs[-1] + 0.5, log=log_x, ticks=ticks or xs, label=label)
    drawn = Panel(left, top, 360, 300, x_axis, Axis(low, high, log=True, label=KL if left < 100 else ""), title)
    for name in names:
        color, dash = STYLE[name]
        inside = [point for point in of[name] if point[key] <= high]
        for point in inside:
            around = 1.96 * point["stderr"]
            ends = (point["mean"] - around, point["mean"] + around) if mean else (point["low"], point["high"])
            px, bottom = drawn.at(point["x"], min(high, max(low, ends[0])))
            _, upper = drawn.at(point["x"], min(high, max(low, ends[1])))
            drawn.parts.append(f'<path d="M{px:.1f} {bottom:.1f}V{upper:.1f}" stroke="{color}" stroke-width="5" stroke-opacity=".25"/>')
        drawn.line([(point["x"], point[key]) for point in inside], color, dash, name=name, marker=True)
    drawn.names = names
    return drawn


CAPTION = [
    "Private against: add_remove, iid_*: one row",
    "more or less; replace: one row changed;",
    "label_only: one label changed.",
    "Dashed: NOT private. The noise depends on",
    "the rows; the claimed guarantee is not true.",
    "Shaded: 95% confidence intervals.",
]


def figure(path, title, description, panels, private):
    shown = [name for name in STYLE if any(name in panel.names for panel in panels)]
    beyond = [name for name in STYLE if name in private and name not in shown]
    entries = [(name + ("" if private[name] else " (NOT private)"), *STYLE[name]) for name in shown]
    caption = CAPTION + ([f"Beyond the scale: {', '.join(beyond)}."] if beyond else [])
    top = 74 + 18 * len(entries) + 20
    lines = [f'<text x="856" y="{top + 16 * i}" font-size="11">{line}</text>' for i, line in enumerate(caption)]
    save(path, 1110, 430, title, description, [*panels, legend(entries, 856, 74), *lines])


def main():
    sweeps, private = read(sys.argv[1])
    folder = sys.argv[2]
    setting = "d = 3, K = 5, N = 1000, ε = 1, δ = 1e-5 where not varied"
    if sweeps["epsilon"]:
        own = ["staged, add_remove", "staged, replace", "label_only", "published"]
        figure(
            f"{folder}/gmm_epsilon.svg", "Error of a released mixture over ε (d = 3, K = 5, N = 1000, δ = 1e-5)",
            "Left: means with 95% confidence intervals, as the published figure 1. Right: medians, as figure 2.",
            [
                panel(72, 64, sweeps["epsilon"], "ε", "mean and its 95% interval (figure 1)", mean=True, names=own),
                panel(476, 64, sweeps["epsilon"], "ε", "median and its 95% interval (figure 2)"),
            ], private,
        )
    if sweeps["rows"]:
        figure(
            f"{folder}/gmm_rows_classes.svg", f"Error over rows and classes, medians with 95% intervals ({setting})",
            "Left: over the number of rows, as the published figure 3. Right: over the number of classes, as figure 4.",
            [
                panel(72, 64, sweeps["rows"], "rows N", "over rows (figure 3)", ticks=[500, 1000, 3000, 10000, 30000, 100000]),
                panel(476, 64, sweeps["classes"], "classes K", "over classes (figure 4)", log_x=False),
            ], private,
        )
    if sweeps["features"]:
        figure(
            f"{folder}/gmm_features.svg", "Error over features, medians with 95% intervals (K = 5, N = 1000, ε = 1, δ = 1e-5)",
            "Left: 2 to 10 features, as the published figure 5. Right: 10 to 70 features, as figure 6.",
            [
                panel(72, 64, sweeps["features"], "features d", "2 to 10 features (figure 5)", log_x=False),
                panel(476, 64, sweeps["many_features"], "features d", "10 to 70 features (figure 6)", log_x=False, most=1e6),
            ], private,
        )
    if sweeps["iris"]:
        figure(
            f"{folder}/gmm_iris_clip.svg", "Error on Iris, and with clipped rows; medians with 95% intervals (δ = 1e-5)",
            "Left: Iris over epsilon, as the published figure 7. Right: neighbours that differ in one row, over the bound of its norm, as figure 14.",
            [
                panel(72, 64, sweeps["iris"], "ε", "Iris, N = 150 (figure 7)"),
                panel(476, 64, sweeps["clip"], "clipping bound B", "rows clipped to a norm of B (figure 14)", log_x=False),
            ], private,
        )


if __name__ == "__main__":
    main()
