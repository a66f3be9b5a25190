#!/usr/bin/env python3
"""How good synthetic tables are: plots.py accuracy.csv sigma.csv FOLDER

Reads what bench/synthetic/figures and bench/synthetic/sigma.py wrote; writes SVG.
"""
import csv
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from svg import Axis, Panel, legend, save

# Ours in colours, others in greys and reds; dashed: the guarantee does not hold.
STYLE = {
    "real": ("#222222", "2 3"),
    "gmm": ("#777777", ""),
    "raw": ("#56B4E9", ""),
    "per_class": ("#0072B2", ""),
    "tied": ("#009E73", ""),
    "published": ("#D55E00", "7 3"),
}
NAMES = {
    "real": "the records themselves",
    "gmm": "release_gmm, sample",
    "raw": "cda, demix none",
    "per_class": "cda, demix per_class",
    "tied": "cda, demix tied",
    "published": "published (NOT private)",
}
TITLES = {
    "generated": "26 Gaussian classes, 16 features, 20 000 records",
    "cps": "Wage of at least $500 (cps1988), 22 524 records",
    "iris": "Iris, 100 records",
    "images": "Images in IDX files",
}
MIXES = [2**i for i in range(10)]
EPSILONS = [1, 2, 5, 10, 20]


def read(path):
    """(sweep, measure) -> (epsilon, method) -> points (mix, mean, deviation of the mean), ordered by mix."""
    points = defaultdict(lambda: defaultdict(list))
    trials = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = (float(row["mix"]), float(row["mean"]), float(row["stderr"]))
            points[row["sweep"], row["measure"]][float(row["epsilon"]), row["method"]].append(point)
            trials[row["sweep"]] = max(trials.get(row["sweep"], 0), int(row["trials"]))
    for of in points.values():
        for line in of.values():
            line.sort()
    return points, trials


def band(panel, points, color):
    """95% intervals of the means."""
    def at(sign):
        return [panel.at(x, min(panel.y.high, max(panel.y.low, mean + sign * 1.96 * error))) for x, mean, error in points]

    outline = at(1) + at(-1)[::-1]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in outline)
    panel.parts.append(f'<path d="M{path}Z" fill="{color}" fill-opacity=".2"/>')


def draw(panel, method, points, marker=True):
    color, dash = STYLE[method]
    band(panel, points, color)
    panel.line([(x, mean) for x, mean, _ in points], color, dash, name=NAMES[method], marker=marker)


def ring(panel, x, y, color):
    px, py = panel.at(x, y)
    panel.parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="6" fill="none" stroke="{color}" stroke-width="2"/>')


def entries(methods):
    return [(NAMES[method], *STYLE[method]) for method in methods]


def place(i):
    """Of a panel, in two rows of three."""
    return 66 + 330 * (i % 3), 58 + 300 * (i // 3)


def around(shares):
    """Ends of an axis in twentieths, with some room."""
    return max(0, int(min(shares) * 20 - .5) / 20), min(1, (int(max(shares) * 20 + .5) + 1) / 20)


def ticks_of(low, high):
    step = next(s for s in (.02, .05, .1, .2) if (high - low) / s <= 7)
    return [round(i * step, 2) for i in range(round(low / step), round(high / step) + 1) if low <= i * step <= high + 1e-9]


def accuracy_over_mix(path, sweep, of, trials):
    values = [mean for line in of.values() for _, mean, _ in line]
    low, high = around(values)
    panels, shown = [], [method for method in STYLE if any(key[1] == method for key in of)]
    for i, epsilon in enumerate(EPSILONS):
        left, top = place(i)
        panel = Panel(
            left, top, 262, 220, Axis(.85, 600, log=True, ticks=[1, 4, 16, 64, 256], label="order of mixture l"),
            Axis(low, high, ticks=ticks_of(low, high), label="accuracy" if i % 3 == 0 else ""), f"ε = {epsilon}",
        )
        for method in shown:
            points = of.get((epsilon, method))
            if not points:
                continue
            if method in ("real", "gmm"):
                points = [(x, *points[0][1:]) for x in (MIXES[0], MIXES[-1])]
            draw(panel, method, points, marker=len(points) > 2)
        for method in ("raw", "per_class", "tied"):
            for x, mean, _ in of.get((epsilon, f"{method} auto"), []):
                ring(panel, x, mean, STYLE[method][0])
        panels.append(panel)
    left, top = place(5)
    notes = [
        "Rings: mix => NULL, at the order it chose.",
        "Bands: 95% intervals of the mean over" if trials > 1 else "One trial: no intervals.",
        f"{trials} trials (fresh rows and noise)." if trials > 1 else "",
        "Each table has as many rows as records;",
        "a classifier by one Gaussian a class is trained",
        "on it and tested on held-out real rows.",
        "Published: its noise is too little for what it",
        "claims where classes are small or l is large;",
        "missing where a class has fewer than l records.",
    ]
    text_top = top + 18 * len(shown) + 16
    lines = [f'<text x="{left}" y="{text_top + 15 * n}" font-size="11">{line}</text>' for n, line in enumerate(notes)]
    save(path, 1010, 640, f"Accuracy over the order of mixture: {TITLES[sweep]}",
         "Accuracy on held-out real rows of a classifier trained on synthetic rows, over the order of mixture, for five "
         "values of epsilon; delta 1e-5.", [*panels, legend(entries(shown), left, top + 4), *lines])


def over_epsilon(path, points, measure, title, label, y_axis):
    """Methods as a user would call them: with the chosen order."""
    panels = []
    methods = ["real", "gmm", "raw", "per_class", "tied"]
    sweeps = [s for s in ("generated", "cps", "iris") if (s, measure) in points]
    for i, sweep in enumerate(sweeps):
        of = points[sweep, measure]
        values = [of[key][0][1] for key in of if key[1] in ("real", "gmm") or key[1].endswith(" auto")]
        axis = y_axis(values)
        axis.label = label if i == 0 else ""
        panel = Panel(66 + 330 * i, 58, 262, 240, Axis(.9, 22, log=True, ticks=EPSILONS, label="ε"), axis,
                      f"{TITLES[sweep].split(',')[0]}")
        for method in methods:
            name = method if method in ("real", "gmm") else f"{method} auto"
            line = [(epsilon, *of[epsilon, name][0][1:]) for epsilon in EPSILONS if (epsilon, name) in of]
            if method == "real" and measure != "accuracy":
                continue
            draw(panel, method, line)
        panels.append(panel)
    shown = [m for m in methods if m != "real" or measure == "accuracy"]
    save(path, 1010, 400, title, f"{title}; three tables, over epsilon; delta 1e-5.",
         [*panels, legend(entries(shown), 66, 358, columns=3, column_width=330)])


def sigma(path, points, sigma_path):
    columns = {
        "published": ("published theorem (does not hold)", "#D55E00", "7 3"),
        "without_replacement": ("without replacement, class sizes known", "#E69F00", ""),
        "poisson": ("Poisson, class sizes known (wide)", "#BBBBBB", ""),
        "add_remove": ("dpmix.cda, add_remove", "#0072B2", ""),
        "replace": ("dpmix.cda, replace", "#56B4E9", ""),
    }
    lines = defaultdict(list)
    with open(sigma_path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["table"] == "paper":
                lines[float(row["epsilon"]), row["calibration"]].append((float(row["mix"]), float(row["sigma"])))
    for (epsilon, method), line in points["sigma", "sigma"].items():
        lines[epsilon, method] = [(x, mean) for x, mean, _ in line]
    panels = []
    for i, epsilon in enumerate((1, 5, 20)):
        panel = Panel(66 + 330 * i, 58, 262, 260, Axis(.85, 600, log=True, ticks=[1, 4, 16, 64, 256], label="order of mixture l"),
                      Axis(.003, 3, log=True, ticks=[.003, .01, .03, .1, .3, 1, 3], label="σ" if i == 0 else ""), f"ε = {epsilon}")
        for method, (name, color, dash) in columns.items():
            wide = method == "poisson"  # else dpmix.cda's line, just above it, hides it
            panel.line(lines[epsilon, method], color, dash, name=name, marker=not wide, width=6 if wide else 1.6)
        panels.append(panel)
    save(path, 1010, 440, "Noise on the mean of l records of norm 1 (ten classes of 6000 records and rows, δ = 1e-5)",
         "Deviation of the noise over the order of mixture, for three values of epsilon: the published theorem, what its "
         "sampler and ours need, and what dpmix.cda adds.",
         [*panels, legend(list(columns.values()), 66, 380, columns=3, column_width=320)])


def main():
    points, trials = read(sys.argv[1])
    folder = sys.argv[3]
    if ("sigma", "sigma") in points:
        sigma(f"{folder}/cda_noise.svg", points, sys.argv[2])
    for sweep in TITLES:
        if (sweep, "accuracy") in points:
            accuracy_over_mix(f"{folder}/cda_accuracy_{sweep}.svg", sweep, points[sweep, "accuracy"], trials[sweep])

    def share(values):
        low, high = around(values)
        return Axis(low, high, ticks=ticks_of(low, high))

    def factor(values):
        high = next(h for h in (1.5, 2, 3, 5, 10, 30, 100, 1000) if h >= max(values))
        return Axis(1, high, log=True, ticks=[t for t in (1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 1000) if t <= high])

    over_epsilon(f"{folder}/cda_epsilon.svg", points, "accuracy",
                 "Accuracy of a classifier trained on a synthetic table", "accuracy on real rows", share)
    over_epsilon(f"{folder}/cda_deviations.svg", points, "deviations",
                 "By what factor deviations of a synthetic table's classes are off", "factor", factor)


if __name__ == "__main__":
    main()
