#!/usr/bin/env bash
# Random calls of all kinds of releases, of two tables that differ in private values alone, by many clients at once.
# First under timeouts of 1 to 20 ms, cancels, and ends of clients, of release processes and of the ledger's worker;
# then under limits of what a process may have, and settings of what rows and releases may take. No error is an internal
# one, nothing crashes, nothing stays held; and under limits, which error comes how often does not tell the tables apart
# (each call is of one of them by a fair coin; a false-alarm rate of 1e-9 for each kind of error). Times are not
# claimed. DPMIX_SOAK: 60 000 calls, or as many as there are in MINUTES (50); otherwise some hundreds. CALLS, SEED: of
# another run.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
calls=${CALLS:-$([ -n "${DPMIX_SOAK:-}" ] && echo 60000 || echo 400)}
clients=$([ "$calls" -gt 5000 ] && echo 16 || echo 8)
seed=${SEED:-$RANDOM}
echo "# SEED=$seed CALLS=$calls"

silent_cluster "dpmix.release_idle_timeout = 200" "dpmix.ledger_idle_timeout = 1000" "parallel_setup_cost = 0" \
  "min_parallel_table_scan_size = 0" "max_connections = 60" "max_worker_processes = 32" \
  "max_parallel_workers_per_gather = 1" "shared_buffers = 16MB" "dpmix.total_memory = 256MB" \
  "include_if_exists = 'more.conf'"
cluster_probe process_probe -Wno-register -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
sql "CREATE FUNCTION places_held() RETURNS int LANGUAGE c AS 'process_probe'" >/dev/null
. test/server/silence/two_tables.sh
two_tables 400
PGUSER=ana sql "CREATE TABLE made AS SELECT * FROM dpmix.synthesize(NULL::one, 100, 10, 1e-6, columns => '{x,y}', label => 'ill', method => 'copula')" >/dev/null
lines() { { kinds; more_kinds; } | paste - - >"$CLUSTER/kinds"; }  # \echo KIND TABLE, tab, statement
length=20000  # where memory does not matter: texts of a megabyte take a call ten times as long
lines
every_kind() { tr '\t' '\n' <"$CLUSTER/kinds" | PGUSER=ana session | grep -vE '^(answered|[a-z]+ (one|two)|DETAIL.*|HINT.*|NOTICE.*|WARNING.*|LOCATION.*|CONTEXT.*)$' || true; }
check "without limits all kinds are answered" "" "$(every_kind)"

# --- Clients: statements at random, and how each ended: kind, table, and `answered` or code and message. ---
batch() {  # number, timeouts
  awk -F'\t' -v seed="$((seed * 1000 + $1))" -v timeouts="$2" '
    { line[NR] = $0 }
    END {
      srand(seed)
      for (i = 0; i < (timeouts ? 25 : 5); i++) {
        # The lines of a kind are one after the other, of one and of two: a fair coin between them.
        n = 1 + 2 * int(rand() * NR / 2) + (rand() < .5)
        split(line[n], part, "\t")
        if (timeouts) print "SET statement_timeout = " (rand() < .7 ? 1 + int(rand() * 20) : 0) ";"
        print part[1] "\n" part[2]
      }
    }' "$CLUSTER/kinds"
}
endings() {
  sed -nE -e 's/^([a-z]+) (one|two)$/at \1 \2/p' -e 's/^answered$/answered/p' \
    -e 's/^(ERROR|FATAL|PANIC):  /\1 /p' -e 's/^(psql: error: )?.*(server closed the connection|could not connect|FATAL: ).*/lost \2/p' |
    awk '/^at / { at = $2 " " $3; next } at != "" { gsub(/[0-9.]+ kB/, "N kB"); gsub(/PostgreSQL\.[0-9]+/, "segment"); gsub(/public\.(one|two)/, "T"); if ($0 !~ /could not load library/) print at, $0; at = "" }'
}
client() {  # number, calls, timeouts
  local done=0 round=0
  : >"$CLUSTER/ended.$1"
  while [ $done -lt "$2" ] && [ $SECONDS -lt $end ]; do
    batch $(($1 * 100000 + round)) "$3" | PGUSER=ana PGAPPNAME=random session | endings >>"$CLUSTER/ended.$1" || true
    done=$(wc -l <"$CLUSTER/ended.$1")
    round=$((round + 1))
  done
}
run() {  # calls, timeouts, disturbing command...: all that ended, in $CLUSTER/ended
  local i pids=() end=$((SECONDS + ${MINUTES:-50} * 30))  # half of the time for each part
  : >"$CLUSTER/going"
  "${@:3}" & local disturber=$!
  for i in $(seq $clients); do client "$i" $(($1 / clients)) "$2" & pids+=($!); done
  wait "${pids[@]}" || true
  rm "$CLUSTER/going"
  wait $disturber || true
  cat "$CLUSTER"/ended.* >"$CLUSTER/ended"
}
none_held() { [ "$(sql "SELECT places_held()")" = 0 ]; }
no_locks() { [ "$(sql "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE backend_type <> 'dpmix ledger' AND locktype = 'advisory'")" = 0 ]; }
no_process() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('dpmix release', 'parallel worker')")" = 0 ]; }
nothing_held() {  # when
  check_command "after $1 every place is free" wait_until 30 none_held
  check_command "no lock is left" wait_until 10 no_locks
  check_command "the processes end" wait_until 20 no_process
}
still_answered() {
  check "afterwards all kinds are answered within 256 MB for all releases" "" "$(every_kind)"
}
summary() { cut -d' ' -f 3- "$CLUSTER/ended" | sort | uniq -c | sort -rn | head -n 25 | sed 's/^ */# /'; }

# --- Times. ---
ends() {  # somebody is cancelled or ended every few milliseconds
  while [ -e "$CLUSTER/going" ]; do
    session >/dev/null <<'SQL' || true
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'random' AND state = 'active' ORDER BY random() LIMIT 1;
SELECT pg_sleep(.05);
SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'random' AND state = 'active' ORDER BY random() LIMIT 1;
SELECT pg_sleep(.05);
SELECT CASE WHEN random() < .4 THEN pg_terminate_backend(pid) ELSE pg_cancel_backend(pid) END FROM pg_stat_activity
  WHERE backend_type IN ('dpmix release', 'parallel worker') OR application_name = 'random' AND random() < .2
     OR backend_type = 'dpmix ledger' AND random() < .05 ORDER BY random() LIMIT 1;
SELECT pg_sleep(.05);
SQL
  done
}
run $((calls * 2 / 3)) 1 ends
summary
check "timeouts, cancels and ends: $(wc -l <"$CLUSTER/ended") calls; what is not answered is cancelled, ended or PV004" "" \
  "$(cut -d' ' -f 3- "$CLUSTER/ended" | grep -vE '^(answered$|ERROR 57014: |FATAL 57P01: |ERROR 57P01: |ERROR PV004: |lost )' | sort | uniq -c | head -n 5 || true)"
check "most of them early, some not" t "$(awk '$3 == "answered" { n++ } /57014/ { c++ } END { print (n > 0 && c > 0 ? "t" : "f") }' "$CLUSTER/ended")"
nothing_held "timeouts, cancels and ends"

# --- Memory. ---
server=$(head -n 1 "$CLUSTER/data/postmaster.pid")
limit() { as_server prlimit --pid "$server" "--as=$1:"; }  # of processes that start from now on
base=$(awk '/VmSize/ { print $2 }' "/proc/$server/status")
settings() {  # assignments, until the next ones
  printf '%s\n' "$@" >"$CLUSTER/data/more.conf"
  as_server kill -HUP "$server"
}
limits() {
  local row total
  while [ -e "$CLUSTER/going" ]; do
    limit $(((base + 8000 + RANDOM % 1000 * 120) * 1024))
    row=$((1 << (10 + RANDOM % 7))) total=$((1 << (16 + RANDOM % 3)))
    settings "dpmix.row_memory = $row" "dpmix.total_memory = $total"
    sleep .3
    limit unlimited
    sleep .1
  done
}
length=1000000
lines
settings "dpmix.release_idle_timeout = 0"  # each in a process of its own
run $((calls / 3)) 0 limits
limit unlimited
settings
summary
check "limits: $(wc -l <"$CLUSTER/ended") calls; what is not answered is out of memory, or an error of dpmix's" "" \
  "$(cut -d' ' -f 3- "$CLUSTER/ended" | grep -vE '^(answered$|ERROR (53[0-9]{3}|PV00[245]): |FATAL 53|lost )' | sort | uniq -c | head -n 5 || true)"
check "some have enough, some not" t "$(awk '$3 == "answered" { n++; next } { e++ } END { print (n > 0 && e > 0 ? "t" : "f") }' "$CLUSTER/ended")"
check "which error comes how often does not tell the tables apart" "" "$(awk '
  { table = $2; $2 = ""; n[$0, table]++; kinds[$0] }
  END {
    for (kind in kinds) {
      one = n[kind, "one"] + 0; two = n[kind, "two"] + 0; all = one + two; most = one > two ? one : two
      chance = 0
      for (k = most; k <= all; k++) {
        way = -all * log(2)
        for (i = 1; i <= k; i++) way += log(all - k + i) - log(i)
        chance += 2 * exp(way)
      }
      if (chance < 1e-9) print kind ": " one " of one, " two " of two"
    }
  }' "$CLUSTER/ended")"
nothing_held "limits"
still_answered

answered=$(sql "SELECT count(*) FROM dpmix.charge")
echo "# charges: $answered"
check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|leak' "$CLUSTER/log" || true)"
