#!/usr/bin/env bash
# How near synthetic tables come to real ones: bench/tree_model/judge.sh FOLDER [tables [epsilons [trials]]], for
# example bench/tree_model/judge.sh test/data 'cps1988 iris' '.5 1 2' 5. FOLDER holds the CSV files of tables.py;
# cps1988 and iris are in test/data. For each table, epsilon and method: the mean and the largest total variation over
# all pairs of columns (numbers in ten ranges), the AUC of gradient boosting trained on synthetic rows and tested on a
# fifth of the real ones, seconds. Methods: dpmix's tree, cda, copula and mixture (numeric tables alone), independent
# noisy histograms by class, and, where `pip install mbi scikit-learn` was done (PYTHON=...), MST and AIM over mbi.
# Build with make first.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
folder=$(cd "$1" && pwd) tables=${2:-cps1988 iris} epsilons=${3:-.25 .5 1 2 5 10} trials=${4:-3}
cluster_start "fsync = off" "autovacuum = off" "session_preload_libraries = 'dpmix'"
export PGOPTIONS="-c client_min_messages=error"
psql -X -q -c 'CREATE EXTENSION dpmix'
"${PYTHON:-/usr/bin/python3}" bench/tree_model/judge.py "$folder" "$tables" "$epsilons" "$trials" ${METHODS:+"$METHODS"}
