#!/usr/bin/env bash
# No row makes a process ask the kernel for memory: what two tables that differ in private values alone make a process
# have at most (VmPeak, of a process that is new for each call) is the same, for statements of each kind. Under a limit
# (memory.test.sh) a process that asks for more where a row matches would tell that it does.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster "dpmix.release_idle_timeout = '1d'" "parallel_setup_cost = 0" "min_parallel_table_scan_size = 0" "max_parallel_workers_per_gather = 0"
. test/server/silence/two_tables.sh
two_tables 20000
PGUSER=ana sql "CREATE TABLE made AS SELECT * FROM dpmix.synthesize(NULL::one, 100, 10, 1e-6, columns => '{x,y}', label => 'ill', method => 'copula');
  CREATE TABLE mine (k int, x int, label text); INSERT INTO mine SELECT i % 10, i, 'l' || i FROM generate_series(1, 20000) i; SELECT dpmix.declare_public('mine')" >/dev/null
end_processes() { sql "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'dpmix release'" >/dev/null; }
peaks() {  # of kinds on stdin: KIND TABLE ENDING kB
  while IFS= read -r label && IFS= read -r question; do
    end_processes
    printf '%s %s %s\n' "${label#* }" "$(PGUSER=ana session <<<"$question" | grep -oE '^(answered|(ERROR|FATAL):  [0-9A-Z]{5})' | tail -n 1 | tr ' ' _)" \
      "$(awk '/^VmPeak/ { print $2 }' "/proc/$(sql "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpmix release'")/status")"
  done
}
# What is cached of catalogs may be a page or so more or less; a process asks for 128 kB at least. What was asked before
# can be that step, too: a kind that differs is asked again in the other order, and what rows decide differs again.
differing() {  # how both end: KIND, and how, where it does: which table has more
  awk -v ends="$1" '
    { ended[$1, $2] = $3; peak[$1, $2] = $4; kinds[$1] }
    END { for (kind in kinds) {
      by = peak[kind, "one"] - peak[kind, "two"]
      good = ended[kind, "one"] ~ ends && ended[kind, "one"] == ended[kind, "two"] && by < 100 && by > -100
      print kind, good ? "" : (by > 0 ? "one" : "two") ": " ended[kind, "one"] " " peak[kind, "one"] " kB, " ended[kind, "two"] " " peak[kind, "two"] " kB"
    } }' | sort
}
same() {  # what, how both end
  local all kind differs again
  all=$(cat)
  while read -r kind differs; do
    if [ -n "$differs" ]; then
      again=$({ grep -A 1 -E "^.echo $kind two$" <<<"$all"; grep -A 1 -E "^.echo $kind one$" <<<"$all"; } | peaks | differing "$2")
      [ "${again#"$kind "}" != "$again" ] && [[ "${again#"$kind "}" == "${differs%%:*}:"* ]] || differs=
    fi
    check "$1, $kind: the rows do not show in what a process has" "" "$differs"
  done < <(peaks <<<"$all" | differing "$2")
}
{ kinds; more_kinds; kept_kinds; layer_kinds; } | same "32 MB for a row" '^answered$'
echo "dpmix.row_memory = '12MB'" >>"$CLUSTER/data/postgresql.conf"
cluster_restart
length=100000
{ kinds; kept_kinds; } | same "12 MB" '^(answered|ERROR:__PV002)$'
echo "dpmix.scan_memory = '1MB'" >>"$CLUSTER/data/postgresql.conf"  # people come in shares
cluster_restart
{ layer_kinds; more_kinds | grep -A 1 -E '^.echo (grouped|held) '; } | grep -v '^--$' | same "1 MB for a scan" '^answered$'
check "no crash, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000' "$CLUSTER/log" || true)"
