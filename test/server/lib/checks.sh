# Sourced by every server test: a throwaway cluster, ways to ask it, and checks that print "ok - ..." or
# "not ok - ..." lines. test/run.sh counts these.
. test/server/lib/cluster.sh

sql() {  # statements [database]: unaligned result, or the error with its SQLSTATE
  psql -X -q -A -t -v VERBOSITY=verbose -d "${2:-postgres}" -c "$1" 2>&1
}

session() {  # [database]: statements from stdin, each on its own
  psql -X -q -A -t -v VERBOSITY=verbose -d "${1:-postgres}" 2>&1
}

# One session of a role, told what to do line by line, while others do what comes in between.
open_session() {  # role [more of PGOPTIONS]: it prints errors as SQLSTATEs
  coproc ASKED { PGOPTIONS="-c role=$1 ${2:-}" psql -XqAt -v ON_ERROR_STOP=0 -v VERBOSITY=sqlstate 2>&1; }
  asked_pid=$ASKED_PID  # the variable goes when the session does
}
tell() { echo "$1" >&"${ASKED[1]}"; }
hear() { local line; IFS= read -r -t 60 line <&"${ASKED[0]}"; echo "$line"; }  # the next line that it prints
ask() { tell "$1"; hear; }
close_session() { tell '\q'; wait "$asked_pid" || true; }

no_process() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpmix release'")" = 0 ]; }

without_noisy_notices() {  # stdin without what NOTICEs say as noise has it
  awk '/NOTICE: .*(means little|weighed down)/ { noisy = 1; next }
    /DETAIL:  95% intervals: / { next }
    noisy && /^(DETAIL|HINT|LOCATION): / { next }
    { noisy = 0; print }'
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

# Ends a process by kill -9, and waits until the server, which goes down with it, answers again: who asks at once may
# come before it has noticed.
kill_hard() {  # pid
  local starts
  server_starts() { grep -c 'database system is ready to accept connections' "$CLUSTER/log" || true; }
  began_anew() { [ "$(server_starts)" -gt "$starts" ] && psql -Xq -c "SELECT 1" >/dev/null 2>&1; }
  starts=$(server_starts)
  as_server kill -KILL "$1"
  wait_until 60 began_anew || echo "not ok - the server does not come back"
}
