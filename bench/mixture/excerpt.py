#!/usr/bin/env python3
"""The tables of bench/README.md on mixtures, in Markdown: excerpt.py gmm.csv"""
import sys

from plots import STYLE, read

TITLES = {
    "epsilon": "ε (figures 1, 2)", "rows": "rows N (figure 3)", "classes": "classes K (figure 4)",
    "features": "features d (figure 5)", "many_features": "features d (figure 6)", "iris": "Iris, ε (figure 7)",
    "clip": "clipping bound B (figure 14)",
}


def short(value):
    return f"{value:.3g}" if value < 1e4 else f"{value:.1e}".replace("e+0", "e")


def main():
    sweeps, private = read(sys.argv[1])
    for sweep, title in TITLES.items():
        of = sweeps[sweep]
        names = [name for name in STYLE if name in of]
        print(f"| {title} | trials | " + " | ".join(name + ("" if private[name] else " (not private)") for name in names) + " |")
        print("| --- " * (len(names) + 2) + "|")
        for x in sorted({point["x"] for name in names for point in of[name]}):
            at = [next((p for p in of[name] if p["x"] == x), None) for name in names]
            trials = max(int(p["trials"]) for p in at if p)
            print(f"| {x:g} | {trials} | " + " | ".join(short(p["median"]) if p else "" for p in at) + " |")
        print()


if __name__ == "__main__":
    main()
