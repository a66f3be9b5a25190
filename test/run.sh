#!/usr/bin/env bash
# make test | make demo | make soak: installs what is missing, builds, runs. The last line of a
# test run is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
command=${1:-test}

packaging/packages.sh
export PG_CONFIG=${PG_CONFIG:-$(ls -d /usr/lib/postgresql/*/bin/pg_config | sort -V | tail -n 1)}
jobs=$(nproc)
build() {  # quiet unless it fails
  mkdir -p build
  echo "Building $*"
  make -j"$jobs" PG_CONFIG="$PG_CONFIG" "$@" >build/make.log 2>&1 || { tail -n 60 build/make.log >&2; return 1; }
}

if [ "$command" = demo ]; then
  build all
  exec demo/run.sh
fi

passed=0 failed=0
count() {  # $1 passed, $2 failed
  passed=$((passed + $1)) failed=$((failed + $2))
}
one() {  # name, command...: a check that passes or fails as a whole
  echo "== $1"
  if "${@:2}"; then count 1 0; else echo "FAILED: $1"; count 0 1; fi
}
gtest() {  # a GoogleTest binary: its own counts
  echo "== $1"
  local log=build/$(basename "$(dirname "$1")").log good bad
  "$1" --gtest_brief=1 >"$log" 2>&1 || true
  good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  # A crash leaves no summary: that is a failure too.
  [ -n "$good" ] || { good=0; bad=$((${bad:-0} + 1)); }
  [ "${bad:-0}" -eq 0 ] || tail -n 80 "$log"
  count "$good" "${bad:-0}"
}
quietly() {  # log, command...: shows the log when it fails
  "${@:2}" >"$1" 2>&1 || { tail -n 40 "$1"; return 1; }
}
scripts() {  # each prints "ok - ..." or "not ok - ..." lines
  local script log
  for script in "$@"; do
    echo "== $script"
    log=build/$(basename "$script" .sh).log
    if ! timeout 900 bash "$script" >"$log" 2>&1; then echo "not ok - $script ended with an error" >>"$log"; fi
    grep -E '^not ok' "$log" && tail -n 40 "$log"
    count "$(grep -c '^ok - ' "$log" || true)" "$(grep -c '^not ok - ' "$log" || true)"
  done
}

[ "$command" != soak ] || export DPMIX_SOAK=1
build all
build unit statistical
one "layers" test/checks/layers.sh
one "frozen install script" packaging/frozen.sh
gtest build/unit/run
gtest build/statistical/run
one "installcheck (pg_regress)" test/regress/run.sh
one "demo" quietly build/demo.log demo/run.sh
scripts test/server/*/*.test.sh
[ "$command" != soak ] || scripts test/server/hostile/sqlsmith.sh  # says so where it is not installed
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
