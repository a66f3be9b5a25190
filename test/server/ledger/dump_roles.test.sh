#!/usr/bin/env bash
# Who may dump and restore: a role with pg_read_all_data dumps as a superuser does; others are told what they lack. A
# restore by the database's owner leaves the ledger out, and says so.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "session_preload_libraries = 'dpmix'"
sql "CREATE ROLE own LOGIN; CREATE ROLE keeper LOGIN; CREATE ROLE ana LOGIN; GRANT pg_read_all_data TO keeper" >/dev/null
sql "CREATE DATABASE live OWNER own" >/dev/null
sql "CREATE EXTENSION dpmix" live
PGUSER=own sql "CREATE TABLE people (sex text, wage int); INSERT INTO people SELECT 'f', i FROM generate_series(1, 100) i;
  SELECT dpmix.protect('people', 10, 1e-6, accountant => 'basic'); SELECT dpmix.set_categories('people', 'sex', '{f}'); SELECT dpmix.grant_access('people', 'ana', 5)" live >/dev/null
ask() { PGUSER=ana sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM public.people', $1) AS t(n bigint)" "$2" 2>&1 | tr '\n' ' '; }
check "there is a charge" "1 " "$(ask 2 live)"
dump() {  # role file [option...]: what it says
  local role=$1 file=$2
  shift 2
  "$BIN/pg_dump" -U "$role" -f "$file" "$@" live 2>&1 | tr '\n' ' ' || true
}
denied() { echo "ERROR:  (42501: )?permission denied for sequence [a-z_]* .*HINT:  Dump as a superuser, or GRANT pg_read_all_data TO $1"; }
# From 18 on pg_dump does not ask the server, says itself what is missing, and needs no sequence for definitions alone.
asks_server=t
! "$BIN/pg_dump" --version | grep -qE ' (1[89]|[2-9][0-9])' || asks_server=f
hint() { if [ $asks_server = t ]; then denied "$1"; else echo 'may lack SELECT privilege on the sequence'; fi; }

contents() { sed -E '/^(--|\\(un)?restrict )/d' "$1"; }
for option in "" --schema-only --data-only; do
  check "a superuser dumps $option" "" "$(dump postgres "$CLUSTER/super$option" $option)"
  check "a role with pg_read_all_data dumps $option" "" "$(dump keeper "$CLUSTER/keeper$option" $option)"
  check "and the same $option" "" "$(diff <(contents "$CLUSTER/super$option") <(contents "$CLUSTER/keeper$option") || true)"
  if [ "$asks_server$option" = f--schema-only ]; then
    check "the database's owner dumps $option" "" "$(dump own "$CLUSTER/own$option" $option)"
    check "and the same $option" "" "$(diff <(contents "$CLUSTER/super$option") <(contents "$CLUSTER/own$option") || true)"
  else
    check_match "the database's owner is told what he lacks $option" "$(hint own)" "$(dump own "$CLUSTER/own$option" $option)"
  fi
done
for role in postgres keeper; do check "$role dumps by two jobs" "" "$(dump $role "$CLUSTER/folder.$role" -Fd -j 2)"; done
check_match "the owner is told what he lacks by two jobs" "$(hint own)" "$(dump own "$CLUSTER/folder.own" -Fd -j 2)"
check_match "an analyst may not even read the protected table" 'permission denied for table people' "$(dump ana "$CLUSTER/ana")"
check "the owner dumps what is not dpmix's" "" "$(dump own "$CLUSTER/rest" -N dpmix -N dpmix_internal)"
check "and that has the rows, and no ledger" "100 0" "$(grep -c '^f	' "$CLUSTER/rest") $(grep -c '^COPY dpmix' "$CLUSTER/rest" || true)"
check_match "no view is read for it, which pg_dump forbids" "$(denied own)" "$(PGUSER=own session live <<<"SET restrict_nonsystem_relation_kind = 'view, foreign-table'; SELECT last_value FROM dpmix.budget_change_id_seq;" | tr '\n' ' ')"
check_match "nor for a protected table" "ERROR:  42501: permission denied for table people LOCATION" "$(PGUSER=ana session live <<<"SET restrict_nonsystem_relation_kind = 'view'; SELECT * FROM people;" | tr '\n' ' ')"
check_match "which else says how to ask" "HINT:  Ask by dpmix.query" "$(PGUSER=ana session live <<<"SELECT * FROM people;" | tr '\n' ' ')"

# Restored by a superuser, from the dump of a role that is none.
restore() { sql "CREATE DATABASE $1 OWNER own" >/dev/null; "$BIN/psql" -Xq -U "$2" -d "$1" -f "$3" 2>&1 >/dev/null | tr '\n' ' ' || true; }
check "a superuser restores what the role dumped" "" "$(restore whole postgres "$CLUSTER/keeper")"
sql "CREATE DATABASE folder OWNER own" >/dev/null
check "by two jobs" "" "$("$BIN/pg_restore" -j 2 -d folder "$CLUSTER/folder.keeper" 2>&1)"
for database in whole folder; do
  check_match "$database: frozen until adopted" PV004 "$(ask 1 $database)"
  check_match "$database: adopted, it knows the charge" 'goes on here with 1 charges' "$(sql "SELECT dpmix.adopt_ledger('restored')" $database)"
  check_match "$database: and the cap" 'PV001: epsilon cap' "$(ask 4 $database)"
done
check "the definitions alone restore" "" "$(restore bare postgres "$CLUSTER/keeper--schema-only")"
check_match "and nothing is protected there" PV006 "$(ask 1 bare)"

# By the owner: into a database without the extension, and into one that has it.
said=$(restore mine own "$CLUSTER/keeper")
check_match "an owner's restore says that it makes no extension" 'permission denied to create extension "dpmix"' "$said"
check_match "and has no ledger" 'schema "dpmix" does not exist|relation "dpmix.charge" does not exist' "$said"
check "but the rows" "100|f" "$(PGUSER=own sql "SELECT count(*), to_regnamespace('dpmix') IS NOT NULL AND to_regclass('dpmix.charge') IS NOT NULL FROM people" mine)"
sql "CREATE DATABASE ready OWNER own" >/dev/null; sql "CREATE EXTENSION dpmix" ready
said=$("$BIN/psql" -Xq -U own -d ready -f "$CLUSTER/keeper" 2>&1 >/dev/null | tr '\n' ' ' || true)
check_match "where the extension is, it may not write the ledger, and says so" 'permission denied for table charge' "$said"
check "the ledger stays empty" "0|0|100" "$(sql "SELECT (SELECT count(*) FROM dpmix.charge), (SELECT count(*) FROM dpmix.protected_table), count(*) FROM people" ready)"
check_match "and nothing is protected" PV006 "$(ask 1 ready)"
