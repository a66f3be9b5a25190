#!/usr/bin/env bash
# The table of the least noise of every family, and the figures of docs/guide/noise.md from it: run by
# `make bench-noise`. lp_bounds.csv and baselines.csv take minutes to make and are checked in; see
# bench/README.md for how.
set -euo pipefail
cd "$(dirname "$0")/../.."
build/bench/noise/grid bench/noise/grid.csv bench/noise/lp_bounds.csv bench/noise/baselines.csv
build/bench/published/noise
build/bench/noise/counts
build/bench/noise/curves >build/bench/noise_curves.csv
python3 bench/noise/plots.py bench/noise/grid.csv bench/noise/lp_bounds.csv build/bench/noise_curves.csv docs/figures
