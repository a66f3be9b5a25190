#!/usr/bin/env bash
# What a calibration costs: computed, found among those of other sessions, found among one's own.
# Nanoseconds of a call of cached_on_lattice, inside the server.
#   bench/noise/calibration_cache.sh          needs `make` first
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/charges.sh
. test/server/noise/calibration_lib.sh
cluster_start
calibration_probe postgres

printf '%-18s %14s %14s %14s\n' mechanism computed 'other session' 'this session'
for mechanism in gaussian multi_gaussian quasi_gaussian laplace staircase truncated_laplace tulap optimal; do
  arguments="'$mechanism', 1, 1e-5, 1024"
  # So that the library is loaded and the memory found before the clock runs.
  warm="SELECT calibration_time('laplace', 3, 0, 7, 1)"
  computed=$(sql "$warm; SELECT round(calibration_time($arguments, 1))" | tail -n 1)
  other=$(for _ in 1 2 3 4 5 6 7 8 9; do sql "$warm; SELECT round(calibration_time($arguments, 1))" | tail -n 1; done | sort -n | sed -n 5p)
  own=$(sql "$warm; SELECT calibration_time($arguments, 1); SELECT round(calibration_time($arguments, 1000000)::numeric, 1)" | tail -n 1)
  printf '%-18s %14s %14s %14s\n' "$mechanism" "$computed" "$other" "$own"
done
