#!/usr/bin/env bash
# The replay audit (docs/proofs/replay.md): each release is made, then made again of the same noisy results while a unit
# is hidden, replaced, or nobody is. What is done, asked, said and answered is the same, and no exact number that meets
# noise has moved farther than was declared, or than what was charged pays for.
#
#   bash test/server/replay/replay.test.sh [KINDS [RECORDS [UNITS [SEED]]]]    other numbers, for outsiders
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
. test/server/replay/lib.sh
replay_cluster
seed=${DPMIX_SEED:-1} records=1 units=3
if [ -n "${DPMIX_SOAK:-}" ]; then seed=${DPMIX_SEED:-$RANDOM} records=25 units=15; fi
said=$(audit "${1:-all}" "${2:-$records}" "${3:-$units}" "${4:-$seed}")
echo "$said"
check_match "nothing but what noise covers shows (seed ${4:-$seed})" '^[1-9][0-9]* replays, 0 differences$' "$(tail -n 1 <<<"$said")"
# What it must find: neighbours two units apart, a number that is released as it is, a branch on an exact count.
[ $# -eq 0 ] || exit 0
for mistake in two_units unfrozen branch; do
  said=$(audit rows 1 3 "$seed" $mistake)
  check_match "$mistake is found" '^[1-9][0-9]* replays, [1-9][0-9]* differences$' "$(tail -n 1 <<<"$said")"
  check_match "and made small" '^  with [0-9] of 30 rows it is:$' "$said"
done
[ -z "${DPMIX_SOAK:-}" ] || bash test/server/replay/mutants.sh
