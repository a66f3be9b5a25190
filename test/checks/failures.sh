#!/usr/bin/env bash
# What fails is counted as failed, whatever kind of test it is: a run that counts otherwise is green for ever.
set -euo pipefail
cd "$(dirname "$0")/../.."
bad=0
counts() {  # what it should say, then arguments for test/one.sh
  local said status=0
  said=$(bash test/one.sh "${@:2}" 2>&1) || status=$?
  grep -qE "$1, [0-9]+ s$" <<<"$said" && [ $((status != 0)) -eq "$([[ $1 == *" 0 failed" ]] && echo 0 || echo 1)" ] ||
    { echo "not counted as \"$1\" (status $status): ${*:2}: $said" >&2; bad=1; }
}
export GTEST_ALSO_RUN_DISABLED_TESTS=1
counts "1 passed, 0 failed" unit 'Failure.Passes'
counts "1 passed, 1 failed" unit 'Failure.*'
counts "0 passed, 1 failed" unit 'FailureByCrash.*'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
script() { printf '%s\n' "$@" >"$folder/one.test.sh"; }
script 'echo "ok - a"'
counts "1 passed, 0 failed" server "$folder/one.test.sh"
script 'echo "ok - a"' 'echo "not ok - b"' 'echo "ok - c"'
counts "2 passed, 1 failed" server "$folder/one.test.sh"
script 'echo "ok - a"' 'exit 3'
counts "1 passed, 1 failed" server "$folder/one.test.sh"
counts "0 passed, 1 failed" check failing false
counts "0 passed, 1 failed" regress no_such_case
exit $bad
