#!/usr/bin/env bash
# Runs one piece of the tests, of what is built, and prints what failed and, last, "NAME: N passed, N failed, N s".
#
#   test/one.sh unit FILTER [SHARD SHARDS]    GoogleTest of core, sanitized; statistical likewise
#   test/one.sh regress [NAME...]             pg_regress
#   test/one.sh server FILE                   a script that prints "ok - ..." and "not ok - ..." lines
#   test/one.sh check NAME COMMAND...         passes or fails as a whole
set -euo pipefail
cd "$(dirname "$0")/.."
kind=$1 start=$SECONDS
shift

report() {  # name passed failed
  echo "$1: $2 passed, $3 failed, $((SECONDS - start)) s"
  [ "$3" -eq 0 ]
}

googletest() {  # unit or statistical, filter [shard shards]
  local name=$1 log=build/results/$1.log good bad
  if [ -n "${3:-}" ]; then
    export GTEST_SHARD_INDEX=$3 GTEST_TOTAL_SHARDS=$4
    name="$1 $(($3 + 1))/$4" log=build/results/$1.$3.log
  fi
  "build/$1/run" --gtest_brief=1 --gtest_filter="$2" >"$log" 2>&1 || true
  good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  # A crash leaves no summary: that is a failure too.
  [ -n "$good" ] || { good=0; bad=$((${bad:-0} + 1)); }
  [ "${bad:-0}" -eq 0 ] || tail -n 80 "$log"
  report "$name" "$good" "${bad:-0}"
}

mkdir -p build/results
case $kind in
  unit | statistical) googletest "$kind" "$@" ;;
  server)
    name=${1#test/server/} log=build/results/$(basename "$(dirname "$1")").$(basename "$1").log
    timeout "$([ -n "${DPMIX_SOAK:-}" ] && echo 3600 || echo 900)" bash "$1" >"$log" 2>&1 || echo "not ok - it ended with an error" >>"$log"
    ! grep -qE '^not ok' "$log" || { grep -E '^not ok' "$log"; tail -n 40 "$log"; }
    report "${name%.test.sh}" "$(grep -c '^ok - ' "$log" || true)" "$(grep -c '^not ok' "$log" || true)"
    ;;
  regress)
    test/regress/run.sh "$@" && bad=0 || bad=$(grep -cE '^(test .*FAILED|not ok)' "build/regress/$1.log" || true)
    report "pg_regress ($1 ...)" $(($# - bad)) "$bad"
    ;;
  check)
    if "${@:2}" >"build/results/$1.log" 2>&1; then report "$1" 1 0; else tail -n 40 "build/results/$1.log"; report "$1" 0 1; fi
    ;;
esac
