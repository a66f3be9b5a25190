#!/usr/bin/env bash
# Budgets of blocks through what happens to a ledger: rollbacks, crashes, checkpoints, dumps, copies, standbys, and
# through what owners do to their tables.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "max_wal_senders = 4" "wal_log_hints = on" "client_min_messages = warning"
standby_too() { as_server "$BIN/pg_ctl" -D "$CLUSTER/standby" -m immediate stop >/dev/null 2>&1 || true; cluster_stop; }
trap standby_too EXIT
fails() { sql "$1" "${2:-postgres}" 2>&1 || true; }
charged='^[0-9]+$'
sql "CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; GRANT CREATE ON SCHEMA public TO own" >/dev/null
# The block column has number 3 here, and 2 in what a dump makes of it.
make() {  # table budget [accountant]: days from 2026-01-01, 10 rows each
  PGUSER=own sql "SET client_min_messages = warning;
    CREATE TABLE $1 (gone int, person int, day date); ALTER TABLE $1 DROP COLUMN gone;
    INSERT INTO $1 SELECT i, date '2026-01-01' + i / 10 FROM generate_series(0, 299) i;
    SELECT dpmix.protect('$1', $2, accountant => '${3:-basic}', blocks => 'day', blocks_from => '2026-01-01')" >/dev/null
}
# What dpmix.blocks shows of each block, and the charges themselves.
shown() {  # table [database]
  sql "SELECT md5(string_agg(concat_ws('|', b, s.epsilon_declared, s.delta_declared, s.cost_spent, s.cost_delta_spent, s.charges), ' ' ORDER BY b)),
              count(*) FROM dpmix.blocks('$1') s, generate_series(s.first_block, s.last_block) b" "${2:-postgres}"
}
added() {
  sql "SELECT md5(string_agg(concat_ws('|', b, epsilon, delta, cost, cost_delta, n), ' ' ORDER BY b)), count(*)
       FROM (SELECT b, trim_scale(sum(epsilon)) AS epsilon, trim_scale(sum(delta)) AS delta, trim_scale(sum(cost)) AS cost,
                    trim_scale(sum(cost_delta)) AS cost_delta, count(*) AS n
             FROM dpmix.charge g JOIN dpmix.protected_table p ON p.id = g.table_id, unnest(g.blocks) r,
                  generate_series(lower(r), upper(r) - 1) b
             WHERE p.table_name = '$1' GROUP BY b) s" "${2:-postgres}"
}
count() { echo "SELECT * FROM dpmix.query(\$q\$SELECT dp_count(*) FROM $1 WHERE day $2\$q\$, $3) AS t(n bigint)"; }

# A rollback and an error later keep the charge.
make t "1, 1e-6"
printf '%s\n' "BEGIN;" "$(count t "= '2026-01-03'" .5);" "ROLLBACK;" | session >/dev/null
check "a rollback keeps the charge of its block" "2|2|0.5|1" "$(sql "SELECT first_block, last_block, epsilon_declared, charges FROM dpmix.blocks('t')")"
printf '%s\n' "BEGIN;" "SAVEPOINT s;" "$(count t "= '2026-01-03'" .25);" "ROLLBACK TO s;" "SELECT 1/0;" "COMMIT;" | session >/dev/null || true
check "so does a rollback to a savepoint, and an error" "0.75|2" "$(sql "SELECT epsilon_declared, charges FROM dpmix.blocks('t')")"
check_match "the block is spent, and named" "PV001: privacy budget of block 2 of public.t is exhausted" "$(fails "$(count t "= '2026-01-03'" .5)")"
check_match "so is a range that meets it" "PV001: privacy budget of block 2 " "$(fails "$(count t "BETWEEN '2026-01-01' AND '2026-01-20'" .5)")"
check "which charges none of its blocks" "1" "$(sql "SELECT count(*) FROM dpmix.blocks('t')")"
check_match "other blocks are not spent" "$charged" "$(fails "$(count t "= '2026-01-04'" 1)" | sed 's/-//')"
check_match "a charge that names no blocks is refused" "PV00[24]" "$(fails "SELECT charge_probe('t', .1)")"
check_match "as is one of blocks where there are none" "PV004" "$(protected_table whole 1; fails "SELECT charge_blocks_probe('whole', .1, 0, 1, 2)")"

# Two sessions charge ranges that overlap: the middle gets what fits, to the last digit.
make raced "10, 1e-6"
sql "CREATE FUNCTION try_blocks(relation regclass, first bigint, last bigint) RETURNS bool LANGUAGE plpgsql AS
     'BEGIN PERFORM charge_blocks_probe(relation, .1, 0, first, last); RETURN true; EXCEPTION WHEN SQLSTATE ''PV001'' THEN RETURN false; END'" >/dev/null
echo "SELECT try_blocks('raced', 0, 5);" >"$CLUSTER/left.sql"; echo "SELECT try_blocks('raced', 3, 8);" >"$CLUSTER/right.sql"
"$BIN/pgbench" -n -c 6 -j 2 -t 60 -f "$CLUSTER/left.sql" -f "$CLUSTER/right.sql" >/dev/null 2>&1
check "a race for blocks 3 to 5 admits 100 charges of .1" "100|10" "$(sql "SELECT charges, epsilon_declared FROM dpmix.blocks('raced') WHERE first_block = 3 AND last_block = 5")"
check "and what the others have is the rest of them" "100" "$(sql "SELECT sum(charges) FROM dpmix.blocks('raced') WHERE first_block <> 3")"

# Checkpoints and crashes.
make many "100, 1e-4" gdp
sql "SELECT count(charge_blocks_probe('many', .001 * (1 + i % 9), 1e-9 * (i % 3), i * 37 % 90, i * 37 % 90 + i % 40)) FROM generate_series(1, 2600) i" >/dev/null
wait_until 20 no_worker
check "there is a checkpoint of blocks" t "$(sql "SELECT count(*) > 0 AND min(through) >= 2000 FROM dpmix.block_checkpoint")"
check "sums of the checkpoint and the rest are those of all charges" "$(added many)" "$(shown many)"
sums=$(shown many)
spent="privacy budget of block.* of public.many is exhausted|spent are epsilon [0-9.]* .declared [0-9.]*. and delta [0-9.]*"
refusal() { fails "SELECT charge_blocks_probe('many', 99.5, 0, 0, 129)" "${1:-postgres}" | grep -oE "$spent"; }
refused=$(refusal)
check_match "the worker refuses by them" "spent are" "$refused"
cluster_restart immediate
check "after a crash they are the same" "$sums" "$(shown many)"
check "and so the refusal" "$refused" "$(refusal)"
sql "SELECT charge_blocks_probe('many', .1, 0, 5, 5)" >/dev/null
cluster_restart immediate
check "a charge just before a crash is there" "$(added many)" "$(shown many)"
sums=$(shown many) refused=$(refusal)
sql "CREATE TABLE kept_checkpoint AS SELECT * FROM dpmix.block_checkpoint; DELETE FROM dpmix.block_checkpoint" >/dev/null
check "without the checkpoint they are the same" "$sums" "$(shown many)"
cluster_restart immediate
check "to a new worker, too" "$refused" "$(refusal)"
sql "INSERT INTO dpmix.block_checkpoint SELECT account, through, substr(content, 1, length(content) - 1) FROM kept_checkpoint" >/dev/null
check_match "a damaged checkpoint is refused" "PV004: a checkpoint of blocks is damaged" "$(fails "SELECT * FROM dpmix.blocks('many')")"
wait_until 20 no_worker
check_match "for charges too" "PV004: a checkpoint of blocks is damaged" "$(fails "SELECT charge_blocks_probe('many', .1, 0, 5, 5)")"
check_match "with a way out" "Delete the rows of dpmix.block_checkpoint" "$(fails "SELECT * FROM dpmix.blocks('many')")"
sql "DELETE FROM dpmix.block_checkpoint" >/dev/null
check_match "and then they go on" "$charged" "$(fails "SELECT charge_blocks_probe('many', .1, 0, 5, 5)")"
check "with the right sums" "$(added many)" "$(shown many)"
check "a forecast of an earlier moment is without what came later" "0" "$(PGUSER=own sql "SELECT share_spent FROM dpmix.forecast('many', at => (SELECT min(at) FROM dpmix.budget_history WHERE relation = 'many'::regclass))")"
sql "INSERT INTO dpmix.block_checkpoint SELECT * FROM kept_checkpoint; DROP TABLE kept_checkpoint" >/dev/null
sums=$(shown many)

# Names.
PGUSER=own sql "ALTER TABLE many RENAME COLUMN day TO date_of_visit; ALTER TABLE many RENAME TO visits; ALTER TABLE visits RENAME TO many" >/dev/null
check "renamed, the blocks are the same" "$sums date_of_visit" "$(shown many) $(sql "SELECT block_column FROM dpmix.budget WHERE relation = 'many'::regclass")"
check_match "the guard guards the renamed column" "PV002: a row cannot leave its block" "$(PGUSER=own fails "UPDATE many SET date_of_visit = date_of_visit + 1")"
check "and queries go on" 1 "$(PGUSER=own sql "SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM many WHERE date_of_visit = ''2026-03-03''', .01) AS t(n bigint)")"
PGUSER=own sql "ALTER TABLE many RENAME COLUMN date_of_visit TO day; SET client_min_messages = warning; SELECT dpmix.unprotect('many')" >/dev/null
sums=$(added many)
PGUSER=own sql "SET client_min_messages = warning; SELECT dpmix.protect('many', 100, 1e-4, accountant => 'gdp', blocks => 'day', blocks_from => '2026-01-01')" >/dev/null
check "unprotect and protect resume them" "$sums" "$(shown many)"
check_match "a table made anew under the name has them already" "PV005: table public.raced is protected already" "$(PGUSER=own sql "DROP TABLE raced; CREATE TABLE raced (day date)" >/dev/null
  PGUSER=own fails "SELECT dpmix.protect('raced', 10, 1e-6, accountant => 'basic', blocks => 'day')")"
PGUSER=own sql "SET client_min_messages = warning; SELECT dpmix.protect('raced', 10, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01')" >/dev/null
check "with the same blocks it resumes" "100|10" "$(sql "SELECT charges, epsilon_declared FROM dpmix.blocks('raced') WHERE first_block = 3")"

# The guard.
lost="PV004: rows of public.t are not kept in their blocks"
ask() { PGUSER=own fails "SELECT count(*) FROM ($(count t "= '2026-01-09'" .01)) q"; }
check_match "a guard disabled between two calls of a session" "$lost" "$(printf '%s\n' "$(count t "= '2026-01-09'" .01);" \
  "ALTER TABLE t DISABLE TRIGGER \"~dpmix block guard BEFORE UPDATE\";" "$(count t "= '2026-01-09'" .01);" | session || true)"
PGUSER=own sql "ALTER TABLE t ENABLE ALWAYS TRIGGER \"~dpmix block guard BEFORE UPDATE\"" >/dev/null
PGUSER=own sql "ALTER TABLE t DISABLE TRIGGER \"~dpmix block guard AFTER UPDATE\"" >/dev/null
check_match "a disabled guard" "$lost" "$(ask)"
PGUSER=own sql "ALTER TABLE t ENABLE TRIGGER \"~dpmix block guard AFTER UPDATE\"" >/dev/null
check_match "a guard that does not fire on replicas" "$lost" "$(ask)"
PGUSER=own sql "ALTER TABLE t ENABLE ALWAYS TRIGGER \"~dpmix block guard AFTER UPDATE\"" >/dev/null
check "all is well again" 1 "$(ask)"
PGUSER=own sql "DROP TRIGGER \"~dpmix block guard BEFORE UPDATE\" ON t" >/dev/null
check_match "a dropped guard" "$lost" "$(ask)"
check "the balance is shown still" "5|1" "$(sql "SELECT (SELECT sum(charges) FROM dpmix.blocks('t')), (SELECT share_spent FROM dpmix.budget WHERE relation = 't'::regclass)")"
PGUSER=own sql "SET client_min_messages = warning; SELECT dpmix.unprotect('t'); SELECT dpmix.protect('t', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01')" >/dev/null
check "protect makes it anew" 1 "$(ask)"
check_match "it fires under replica" "PV002: a row cannot leave its block" "$(fails "SET session_replication_role = replica; UPDATE t SET day = day + 1")"

# Dumps and copies.
check_restored() {  # name database
  check_match "$1: frozen" "PV004: the ledger was made in another place|PV004: the privacy catalog does not recognise" "$(fails "SELECT charge_blocks_probe('many', .1, 0, 5, 5)" "$2")"
  sql "SELECT dpmix.adopt_ledger('$1')" "$2" >/dev/null 2>&1
  check "$1: the sums of blocks are there" "$(shown many)" "$(shown many "$2")"
  check "$1: and those of all charges" "$(shown many "$2")" "$(added many "$2")"
  check "$1: the refusal is the same" "$(refusal)" "$(refusal "$2")"
  check "$1: budgets are the same" "$(sql "SELECT * FROM dpmix.budget ORDER BY relation::text")" "$(sql "SELECT * FROM dpmix.budget ORDER BY relation::text" "$2")"
  check_match "$1: the guard is there" "PV002: a row cannot leave its block" "$(fails "UPDATE t SET day = day + 1" "$2")"
  check "$1: a query finds the column" 1 "$(sql "SELECT count(*) FROM ($(count t "= '2026-01-11'" .01)) q" "$2")"
  check "$1: and charges the same block" "10|1" "$(sql "SELECT first_block, charges FROM dpmix.blocks('t') WHERE first_block = 10" "$2")"
}
wait_until 20 no_worker
"$BIN/pg_dump" -Fc -f "$CLUSTER/dump" postgres
sql "CREATE DATABASE restored" >/dev/null
"$BIN/pg_restore" -j 2 -d restored "$CLUSTER/dump" >"$CLUSTER/restore.log" 2>&1 || true
check "pg_restore has no complaint" "" "$(cat "$CLUSTER/restore.log")"
check "a dump has the checkpoint of blocks" "$(sql "SELECT count(*) FROM dpmix.block_checkpoint")" "$(sql "SELECT count(*) FROM dpmix.block_checkpoint" restored)"
check_restored "restored" restored
check "restored: the block column has another number" t "$(sql "SELECT attnum = 2 FROM dpmix.block_column k JOIN dpmix.protected_table p ON p.id = k.table_id WHERE table_name = 't'" restored)"
wait_until 20 no_worker
sql "CREATE DATABASE clone TEMPLATE postgres" >/dev/null
check "a clone has the checkpoint" t "$(sql "SELECT count(*) > 0 FROM dpmix.block_checkpoint" clone)"
check_restored "clone" clone

# A standby charges nothing and shows what was charged.
as_server "$BIN/pg_basebackup" -h "$CLUSTER/socket" -U postgres -D "$CLUSTER/standby" -c fast -R
as_server "$BIN/pg_ctl" -D "$CLUSTER/standby" -o "-p 5433" -l "$CLUSTER/log.standby" -w start >/dev/null
on_standby() { PGPORT=5433 fails "$1"; }
check_match "a standby does not charge" "PV004: the privacy ledger is not available" "$(on_standby "$(count t "= '2026-01-12'" .01)")"
check "it shows what was charged" "$(shown many)" "$(PGPORT=5433 shown many)"
check "and the budgets" "$(sql "SELECT * FROM dpmix.budget ORDER BY relation::text")" "$(on_standby "SELECT * FROM dpmix.budget ORDER BY relation::text")"
