# Sourced by every server test: a throwaway cluster, ways to ask it, and checks that print "ok - ..." or
# "not ok - ..." lines. test/run.sh counts these.
. test/server/lib/cluster.sh

sql() {  # statements [database]: unaligned result, or the error with its SQLSTATE
  psql -X -q -A -t -v VERBOSITY=verbose -d "${2:-postgres}" -c "$1" 2>&1
}

session() {  # [database]: statements from stdin, each on its own
  psql -X -q -A -t -v VERBOSITY=verbose -d "${1:-postgres}" 2>&1
}

count_plans() {  # in database postgres: plans_over(relation), test/server/lib/catalog_probe.cpp
  cluster_probe catalog_probe -Wno-register
  sql "CREATE FUNCTION plans_over(regclass) RETURNS bigint LANGUAGE c AS '\$libdir/catalog_probe'"
}

check() {  # name expected actual
  if [ "$2" = "$3" ]; then echo "ok - $1"; else
    echo "not ok - $1: expected '$2', got '$3'"
  fi
}

check_match() {  # name pattern actual
  if grep -qE -e "$2" <<<"$3"; then echo "ok - $1"; else echo "not ok - $1: no '$2' in '$3'"; fi
}

check_command() {  # name command...: succeeds
  local said
  if said=$("${@:2}" 2>&1); then echo "ok - $1"; else echo "not ok - $1: $said"; fi
}

wait_until() {  # seconds command...: until it succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.1
  done
}
