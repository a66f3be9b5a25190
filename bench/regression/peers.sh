#!/usr/bin/env bash
# Regressions beside peers: bench/regression/peers.sh [census.csv [trials]]. Least squares of log wages beside AdaSSP
# (Wang 2018) and diffprivlib's LinearRegression; high wages, and high incomes of the census (adult.csv) if it is given,
# beside diffprivlib's LogisticRegression. Each line: ratios from one run over the same rows. diffprivlib is installed
# into build/peers, with a scikit-learn before 1.4: since then that averages losses, and the noise of the logistic peer
# would be as many times too large as there are rows. Build with make first; with the census some 5 minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
census=${1:-} trials=${2:-3}
[ -z "$census" ] || census=$(realpath "$census")
python=${PYTHON:-/usr/bin/python3}
[ -d build/peers/diffprivlib ] ||
  "$python" -m pip install --quiet --target build/peers diffprivlib 'scikit-learn<1.4' 'numpy<2'
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=error"
psql -X -q -c 'CREATE EXTENSION dpmix'
PYTHONPATH=build/peers "$python" bench/regression/peers.py test/data/cps1988.csv "$trials" $census
