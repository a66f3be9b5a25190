#!/usr/bin/env bash
# Receipts outside the server: hashes by sha256sum, one chain a budget with many clients at once, through killed
# workers and a crash, and through dump and restore.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster
for table in a b; do protected_table $table 1000; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"; cluster_stop' EXIT

line() { psql -AtXqc "SELECT receipt FROM dpmix.receipt($1)" | sed -n "s/^$2=//p"; }
hash() { psql -AtXqc "SELECT receipt FROM dpmix.receipt($1)" | sha256sum | cut -d' ' -f1; }
# All receipts of a table by sha256sum alone: how many, and how many do not follow the one before.
walked() {
  local id previous=none count=0 broken=0
  for id in $(sql "SELECT c.id FROM dpmix.charge c JOIN dpmix.protected_table p ON p.id = c.table_id WHERE p.relation = '$1'::regclass ORDER BY c.id"); do
    [ "$(line "$id" previous)" = "$previous" ] || broken=$((broken + 1))
    previous=$(hash "$id") count=$((count + 1))
  done
  echo "$count $broken $previous"
}
verified() { sql "SELECT charges || ' ' || cardinality(problems) || ' ' || head FROM dpmix.verify_receipts('$1')"; }

clients() {  # for so many seconds, eight of them, half of them on each table
  local client
  for client in 1 2 3 4 5 6 7 8; do
    for ((i = 0; i < $1; i++)); do
      sql "SELECT charge_probe('$([ $((client % 2)) = 0 ] && echo a || echo b)', .001)" >/dev/null || true
    done &
  done
}
clients 6
wait
check "forty-eight charges of eight clients are on record" 48 "$(sql 'SELECT count(*) FROM dpmix.charge')"
for table in a b; do
  check "sha256sum walks the chain of $table, and finds what verify_receipts finds" "$(verified $table)" "$(walked $table)"
  check_match "it is whole" '^24 0 ' "$(verified $table)"
done

clients 5
for round in 1 2 3; do
  sleep .3
  sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type ~ 'dpmix ledger'" >/dev/null
done
wait
for table in a b; do check_match "chains are whole after workers were ended ($table)" '^[0-9]+ 0 ' "$(verified $table)"; done
cluster_restart immediate
sql "SELECT charge_probe('a', .001); SELECT charge_probe('b', .001)" >/dev/null
for table in a b; do
  check_match "and after a crash ($table)" '^[0-9]+ 0 ' "$(verified $table)"
  check "by sha256sum, too ($table)" "$(verified $table)" "$(walked $table)"
done

# A charge that is refused, or of a batch that did not commit, leaves no gap in the chain.
sql "SELECT charge_probe('a', 5000)" >/dev/null || true
sql "BEGIN; LOCK TABLE dpmix.charge; SELECT charge_probe('a', .001)" >/dev/null || true
sql "SELECT charge_probe('a', .001)" >/dev/null
check_match "nor does a refusal break it" '^[0-9]+ 0 ' "$(verified a)"

# A database of any encoding; the bytes of a question may be none of UTF-8.
for encoding in LATIN1 SQL_ASCII; do
  createdb -T template0 -E $encoding --locale=C ${encoding,,}
  install_probe ${encoding,,}
  protected_table c 10 ${encoding,,}
  PGCLIENTENCODING=$encoding sql "SELECT charge_probe('c', .1, 0, '{\"query\": \""$'\xe9'"\"}'); SELECT charge_probe('c', .1)" ${encoding,,} >/dev/null
  check "$encoding: both charges agree with their receipts" "2 0" \
    "$(sql "SELECT charges || ' ' || cardinality(problems) FROM dpmix.verify_receipts('c')" ${encoding,,})"
  check "$encoding: which name it" 2 "$(sql "SELECT count(*) FROM dpmix.charge WHERE receipt ~ 'encoding=$encoding'" ${encoding,,})"
done

# Elsewhere: the same receipts, and after adoption the chain goes on under the name of the new place.
before=$(verified a)
pg_dump -Fc -f "$folder/dump" postgres
createdb elsewhere
pg_restore -d elsewhere "$folder/dump"
export PGDATABASE=elsewhere
sql() { psql -X -q -A -t -v VERBOSITY=verbose -c "$1" 2>&1; }
check_match "nothing is charged there before it is adopted" PV004 "$(sql "SELECT charge_probe('a', .001)" || true)"
sql "SELECT dpmix.adopt_ledger('moved')" >/dev/null
check "a restored ledger has the same receipts" "$before" "$(verified a)"
newest=$(sql "SELECT head_charge FROM dpmix.verify_receipts('a')")
id=$(sql "SELECT charge_probe('a', .001)")
check "after adoption the chain goes on" "$(hash "$newest")" "$(line "$id" previous)"
check "under the name of the new place" \
  "$(sql "SELECT system_identifier || '/' || d.oid FROM pg_control_system(), pg_database d WHERE datname = 'elsewhere'")" "$(line "$id" ledger)"
check_match "and is whole" '^[0-9]+ 0 ' "$(verified a)"

# What was signed outside finds a ledger that was taken back.
head=$(verified a)
sql "ALTER TABLE dpmix.charge DISABLE TRIGGER USER; DELETE FROM dpmix.charge WHERE id = $id; ALTER TABLE dpmix.charge ENABLE TRIGGER USER" >/dev/null
check "the newest charge taken away is no problem of the chain" 0 "$(sql "SELECT cardinality(problems) FROM dpmix.verify_receipts('a')")"
check "but its head is not the one that was kept" false "$([ "$head" = "$(verified a)" ] && echo true || echo false)"
check_match "the report prints the head" "$(sql "SELECT head FROM dpmix.verify_receipts('a')")" "$(sql "SELECT dpmix.report('a')")"
