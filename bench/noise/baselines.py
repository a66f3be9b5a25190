#!/usr/bin/python3
"""Two more families, for comparison only: bench/noise/baselines.py > bench/noise/baselines.csv

Nothing here is certified: the scales are found numerically. See flipped_huber.py and cactus.py.
"""
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait

import cactus
import flipped_huber
from lp_bound import DELTAS, EPSILONS


def main():
    print("epsilon,delta,family,expected_abs,variance,parameters", flush=True)
    family = cactus.Family()
    for epsilon in EPSILONS:
        for delta in DELTAS:
            law = flipped_huber.least(epsilon, delta)
            e1, e2 = law.moments()
            print(f"{epsilon},{delta},flipped_huber,{e1:.7g},{e2:.7g},alpha={law.a * law.gamma:.5g} gamma={law.gamma:.5g}", flush=True)
    for epsilon in EPSILONS:
        for delta in DELTAS:
            law = family.least(epsilon, delta)
            if law is None:
                print(f"cactus: cells too coarse at ({epsilon}, {delta})", file=sys.stderr, flush=True)
                continue
            print(f"{epsilon},{delta},cactus,{law.expected_abs:.5g},{law.variance:.5g},kappa={law.kappa:.4g} m={law.grid.m}", flush=True)


if __name__ == "__main__":
    main()
