#!/usr/bin/env bash
# Runs one piece of the tests, of what is built, and prints what failed and, last, "NAME: N passed, N failed, N s".
#
#   test/one.sh unit FILTER [SHARD SHARDS]    GoogleTest of core, sanitized; statistical likewise
#   test/one.sh some unit|statistical         those that `make build/unit/some SOME="FILE..."` built
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

googletest() {  # unit or statistical, run or some, filter [shard shards]
  local name=$1 log=build/results/$1.log all good skipped bad status=0
  if [ -n "${4:-}" ]; then
    export GTEST_SHARD_INDEX=$4 GTEST_TOTAL_SHARDS=$5
    name="$1 $(($4 + 1))/$5" log=build/results/$1.$4.log
  fi
  # Of an allocation the caller's own line is kept: whole traces of each are a third of the time.
  ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=1} "build/$1/$2" --gtest_brief=1 --gtest_filter="$3" >"$log" 2>&1 || status=$?
  # The short output has no number of failures.
  all=$(sed -n 's/^\[==========\] \([0-9]*\) test.* ran\..*/\1/p' "$log" | tail -n 1)
  good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  skipped=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  good=${good:-0}
  bad=$((${all:-0} - good - ${skipped:-0}))
  # A crash leaves no summary: that is a failure too.
  [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  [ "$bad" -eq 0 ] || tail -n 80 "$log"
  report "$name" "$good" "$bad"
}

mkdir -p build/results
case $kind in
  unit | statistical) googletest "$kind" run "$@" ;;
  some) googletest "$1" some '*' ;;
  server)
    name=${1#test/server/} log=build/results/$(basename "$(dirname "$1")").$(basename "$1").log
    # It ends what hangs: on a busy machine the longest takes a quarter of an hour.
    limit=$([ -n "${DPMIX_SOAK:-}" ] && echo 7200 || echo 2400)
    timeout "$limit" bash "$1" >"$log" 2>&1 || echo "not ok - it ended with status $?" >>"$log"
    ! grep -qE '^not ok' "$log" || { grep -E '^not ok' "$log"; tail -n 40 "$log"; }
    report "${name%.test.sh}" "$(grep -c '^ok - ' "$log" || true)" "$(grep -c '^not ok' "$log" || true)"
    ;;
  regress)
    bad=0
    test/regress/run.sh "$@" || {
      bad=$(grep -cE '^(test .*FAILED|not ok)' "build/regress/$1.log" || true)
      [ "${bad:-0}" -gt 0 ] || bad=1  # no case ran
    }
    report "pg_regress ($1 ...)" $(($# - bad)) "$bad"
    ;;
  check)
    if "${@:2}" >"build/results/$1.log" 2>&1; then report "$1" 1 0; else tail -n 40 "build/results/$1.log"; report "$1" 0 1; fi
    ;;
esac
