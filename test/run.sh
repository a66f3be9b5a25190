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
if [ "$command" = check-one ]; then
  name=${2:?"make check-one T=NAME"}
  for kind in unit statistical; do
    tests=$(find "test/$kind" -path "*$name*" -name '*_test.cpp' | sort | paste -sd" ")
    [ -z "$tests" ] || { build "build/$kind/some" SOME="$tests"; one some "$kind"; }
  done
  cases=$(ls sql | sed -n "s/\.sql$//p" | { grep -F -- "$name" || true; } | paste -sd" ")
  scripts=$(find test/server -path "*$name*" -name '*.test.sh' | sort)
  [ -z "$cases" ] || one regress "$cases"
  for script in $scripts; do one server "$script"; done
  [ -z "$cases$scripts" ] || build all
  [ ${#pieces[@]} -gt 0 ] || { echo "no test is named $name" >&2; exit 2; }
else
  [ "$command" != soak ] || export DPMIX_SOAK=1
  build all unit statistical build/faults/dpmix.so build/replay/dpmix.so
  # Whatever takes long comes first, so that no core waits for it in the end: these by seconds measured, others by size.
  longest=()
  for name in silence/observer query/sensitivity hostile/cda hostile/side_channels tree_model/use silence/row_openings plain/hostile \
    scale/parallel_plans install/upgrade query/noise query/units mixture/bad_input; do
    longest+=("test/server/$name.test.sh")
  done
  one server "${longest[0]}"
  for ((shard = 0; shard < 2 * cores; ++shard)); do one statistical '*' "$shard" $((2 * cores)); done
  for ((shard = 0; shard < 2 * cores; ++shard)); do one unit '*' "$shard" $((2 * cores)); done
  names=($(cd sql && ls -S *.sql | sed 's/\.sql$//'))
  for ((part = 0; part < cores; ++part)); do
    one regress $(for ((i = part; i < ${#names[@]}; i += cores)); do echo "${names[i]}"; done)
  done
  for script in "${longest[@]:1}"; do one server "$script"; done
  for script in $(ls -S test/server/*/*.test.sh | grep -vxF "$(printf '%s\n' "${longest[@]}")"); do one server "$script"; done
  if [ "$command" = soak ]; then  # what is not installed here says so
    one server test/server/hostile/sqlsmith.sh
    one server test/server/plain/postgres.sh
    one check fuzz make fuzz FUZZ_SECONDS=600
  fi
  one check demo demo/run.sh
  one check layers test/checks/layers.sh
  one check prose test/checks/prose.sh
  one check failures test/checks/failures.sh
  one check frozen packaging/frozen.sh
fi

export results=$(mktemp -d)  # what each piece said, by its number
template=$(mktemp -d /tmp/dpmix.template.XXXXXX)
trap 'rm -rf "$results" "$template"' EXIT
if [[ "${pieces[*]}" = *server\ * || "${pieces[*]}" = *regress\ * ]]; then  # what every cluster begins as is made once
  (. test/server/lib/cluster.sh; cluster_template "$template")
  export CLUSTER_TEMPLATE=$template
fi

# A piece's output comes in one block when it is over. Many pieces wait for half of their time: two more than cores.
for ((i = 0; i < ${#pieces[@]}; ++i)); do echo "$i ${pieces[i]}"; done |
  xargs -P $((cores + 2)) -d '\n' -I{} bash -c 'set -f; set -- $1; said=$results/$1
    test/one.sh "${@:2}" >"$said" 2>&1 || true; flock "$results" cat "$said"' _ {}

# Which pieces failed and why, once more: a log of which only the end was kept tells. One that says nothing failed.
why() { awk '/^not ok|FAILED|Failure|ERROR|^[-+]/ && !seen[$0]++ && ++said <= 8' "$1" | grep . || tail -n 5 "$1"; }
passed=0 failed=0
for ((i = 0; i < ${#pieces[@]}; ++i)); do
  good=0 bad=1
  counts=': ([0-9]+) passed, ([0-9]+) failed, [0-9]+ s$'
  [[ ! $(tail -n 1 "$results/$i") =~ $counts ]] || good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]}
  passed=$((passed + good)) failed=$((failed + bad))
  [ "$bad" -eq 0 ] || { echo "Failed: ${pieces[i]}"; why "$results/$i" | sed 's/^/  /'; } | cut -c 1-240
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
