#!/usr/bin/env bash
# make test | soak | demo | play | check-one T=NAME: installs what is missing, builds, runs, on all cores. The last
# line of a test run is "N passed, N failed".
#
# check-one: what NAME (a part of the path) names among test/unit, test/statistical, sql/ and test/server.
set -euo pipefail
cd "$(dirname "$0")/.."
command=${1:-test}

packaging/packages.sh
export PG_CONFIG=${PG_CONFIG:-$(ls -d /usr/lib/postgresql/*/bin/pg_config | sort -V | tail -n 1)}
cores=$(nproc)
build() {  # quiet unless it fails
  mkdir -p build
  echo "Building $*"
  make -j"$cores" PG_CONFIG="$PG_CONFIG" "$@" >build/make.log 2>&1 || { tail -n 60 build/make.log >&2; return 1; }
}

if [ "$command" = demo ] || [ "$command" = play ]; then
  build all
  exec "demo/$([ "$command" = demo ] && echo run || echo play).sh"
fi

pieces=()  # lines of arguments for test/one.sh
one() { pieces+=("$*"); }
suites() {  # unit or statistical: a filter for the test suites in files whose path has the name
  find "test/$1" -path "*$name*" -name '*_test.cpp' -exec sed -nE 's/^(TEST|TEST_F|TEST_P|TYPED_TEST)\(([A-Za-z0-9_]+),.*/*\2.*/p' {} + |
    sort -u | paste -sd:
}

if [ "$command" = check-one ]; then
  name=${2:?"make check-one T=NAME"}
  targets=all
  for kind in unit statistical; do
    filter=$(suites "$kind")
    [ -z "$filter" ] || { one "$kind" "$filter"; targets+=" $kind"; }
  done
  cases=$(ls sql | sed -n "s/\.sql$//p" | { grep -F -- "$name" || true; } | paste -sd" ")
  [ -z "$cases" ] || one regress "$cases"
  for script in $(find test/server -path "*$name*" -name '*.test.sh' | sort); do one server "$script"; done
  [ ${#pieces[@]} -gt 0 ] || { echo "no test is named $name" >&2; exit 2; }
  build $targets
else
  [ "$command" != soak ] || export DPMIX_SOAK=1
  build all unit statistical build/faults/dpmix.so
  # Whatever takes long comes first, so that no core waits for it in the end.
  for ((shard = 0; shard < 2 * cores; ++shard)); do one statistical '*' "$shard" $((2 * cores)); done
  for ((shard = 0; shard < 2 * cores; ++shard)); do one unit '*' "$shard" $((2 * cores)); done
  names=($(cd sql && ls -S *.sql | sed 's/\.sql$//'))
  for ((part = 0; part < cores; ++part)); do
    one regress $(for ((i = part; i < ${#names[@]}; i += cores)); do echo "${names[i]}"; done)
  done
  for script in $(ls -S test/server/*/*.test.sh); do one server "$script"; done
  [ "$command" != soak ] || one server test/server/hostile/sqlsmith.sh  # says so where it is not installed
  one check demo demo/run.sh
  one check layers test/checks/layers.sh
  one check frozen packaging/frozen.sh
fi

# A piece's output comes in one block when it is over.
results=$(mktemp)
trap 'rm -f "$results"' EXIT
printf '%s\n' "${pieces[@]}" |
  xargs -P "$cores" -d '\n' -I{} bash -c 'set -f; said=$(test/one.sh $1 2>&1) || true; printf "%s\n" "$said"' _ {} | tee "$results"
awk '/: [0-9]+ passed, [0-9]+ failed, [0-9]+ s$/ { passed += $(NF - 5); failed += $(NF - 3); reported++ }
     END { lost = '${#pieces[@]}' - reported; printf "%d passed, %d failed\n", passed, failed + lost; exit failed + lost > 0 }' "$results"
