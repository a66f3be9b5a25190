#!/usr/bin/env bash
# An analyst plays with transactions to keep an answer and lose its charge.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "max_prepared_transactions = 4"

costs "ROLLBACK after a query" 1 '^-?[0-9]+ $' <<<"BEGIN; SELECT n FROM $counted; ROLLBACK;"
costs "ROLLBACK after a synthetic table" 1 '(^| )2 $' <<<"BEGIN; SELECT count(*) FROM $synthetic; ROLLBACK;"
costs "ROLLBACK after a model: the model goes, the charge stays" 1 '^2 .*PV006.*does not exist' <<SQL
BEGIN; SELECT components FROM $(modelled rolled); ROLLBACK;
SELECT * FROM dpmix.gmm('rolled');
SQL
costs "the name of a model that was rolled back is charged again" 1 '^2 $' <<<"SELECT components FROM $(modelled rolled);"
costs "a name in use is refused before the charge" 0 'PV005.*exists already' <<<"SELECT components FROM $(modelled rolled);"
costs "ROLLBACK TO SAVEPOINT, twice" 2 '^-?[0-9]+ -?[0-9]+ $' <<SQL
BEGIN; SAVEPOINT s; SELECT n FROM $counted; ROLLBACK TO s; SELECT n FROM $counted; ROLLBACK TO s; COMMIT;
SQL
costs "an error in the same statement, after the answer" 1 '22012' <<<"SELECT n, 1 / (n - n) FROM $counted;"
costs "an error later in the transaction" 1 '^-?[0-9]+ .*22012' <<<"BEGIN; SELECT n FROM $counted; SELECT 1 / 0; COMMIT;"
costs "COMMIT of a transaction that failed" 1 '22012' <<<"BEGIN; SELECT 1 / (n - n) FROM $counted; COMMIT;"

# The answer leaves by the message; the block undoes what it can.
costs "an EXCEPTION block around a query" 1 'answer -?[0-9]+' <<SQL
DO \$\$ BEGIN
  DECLARE n bigint; BEGIN SELECT t.n INTO n FROM $counted; RAISE EXCEPTION 'answer %', n; END;
EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END \$\$;
SQL
costs "an EXCEPTION block around a model and a synthetic table" 2 'caught' <<SQL
DO \$\$ BEGIN
  PERFORM $(modelled caught); PERFORM count(*) FROM $synthetic; RAISE EXCEPTION 'undo';
EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught'; END \$\$;
SQL
costs "PL/pgSQL variables that outlive their subtransaction" 3 'kept -?[0-9]+ -?[0-9]+ -?[0-9]+' <<SQL
DO \$\$ DECLARE kept bigint[]; BEGIN
  FOR i IN 1..3 LOOP
    BEGIN kept[i] := (SELECT n FROM $counted); RAISE EXCEPTION 'undo'; EXCEPTION WHEN raise_exception THEN NULL; END;
  END LOOP;
  RAISE NOTICE 'kept % % %', kept[1], kept[2], kept[3];
END \$\$;
SQL
costs "100 subtransactions at once, then ROLLBACK" 100 'done' <<SQL
BEGIN;
CREATE FUNCTION pg_temp.nest(depth int) RETURNS void LANGUAGE plpgsql AS \$\$ BEGIN
  IF depth = 0 THEN RETURN; END IF;
  BEGIN PERFORM n FROM $counted; PERFORM pg_temp.nest(depth - 1); EXCEPTION WHEN division_by_zero THEN NULL; END;
END \$\$;
SELECT pg_temp.nest(100); ROLLBACK; SELECT 'done';
SQL
costs "70 open savepoints that wrote something" 1 '^-?[0-9]+ $' <<SQL
CREATE TEMP TABLE junk (x int); BEGIN;
$(for i in $(seq 70); do echo "SAVEPOINT s$i; INSERT INTO junk VALUES ($i);"; done)
SELECT n FROM $counted; ROLLBACK;
SQL

costs "COMMIT and ROLLBACK inside DO" 3 'done' <<SQL
DO \$\$ BEGIN
  PERFORM n FROM $counted; ROLLBACK; PERFORM n FROM $counted; COMMIT; PERFORM n FROM $counted; ROLLBACK;
END \$\$;
SELECT 'done';
SQL
costs "ROLLBACK inside a loop over a query's answer" 1 'done' <<SQL
DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT n FROM $counted LOOP ROLLBACK; END LOOP; END \$\$;
SELECT 'done';
SQL
costs "a procedure that charges, rolls back and raises" 1 'PX001' <<SQL
CREATE PROCEDURE pg_temp.p() LANGUAGE plpgsql AS \$\$ BEGIN
  PERFORM n FROM $counted; ROLLBACK; RAISE EXCEPTION 'end' USING ERRCODE = 'PX001'; END \$\$;
CALL pg_temp.p();
SQL

# Two-phase commit.
costs "PREPARE TRANSACTION, ROLLBACK PREPARED" 2 '^-?[0-9]+ 2 $' <<SQL
BEGIN; SELECT n FROM $counted; SELECT components FROM $(modelled twice); PREPARE TRANSACTION 'p'; ROLLBACK PREPARED 'p';
SQL
costs "a prepared transaction that is never finished" 1 '^-?[0-9]+ $' <<<"BEGIN; SELECT n FROM $counted; PREPARE TRANSACTION 'q';"
costs "does not keep others from charging" 1 '^-?[0-9]+ $' bob <<<"SELECT n FROM $counted;"
sql "ROLLBACK PREPARED 'q'"

# Isolation, read-only and deferred work.
for mode in "ISOLATION LEVEL REPEATABLE READ" "READ ONLY"; do
  costs "BEGIN $mode: each query is charged" 2 '^-?[0-9]+ -?[0-9]+ $' <<<"BEGIN $mode; SELECT n FROM $counted; SELECT n FROM $counted; ROLLBACK;"
done
previewed="dpmix.preview('SELECT dp_count(*) FROM public.people', 1)"
for mode in SERIALIZABLE "SERIALIZABLE READ ONLY DEFERRABLE"; do
  for asked in "count(n) FROM $counted" "count(*) FROM $previewed" "$(modelled serial)" "count(*) FROM $synthetic"; do
    costs "$mode stops ${asked#*dpmix.} before its charge" 0 'PV002.*predicate locks' <<<"BEGIN ISOLATION LEVEL $mode; SELECT $asked;"
  done
done
costs "SERIALIZABLE stops the owner's exact comparison, whose predicate locks all see" 0 'PV002.*predicate locks' olga <<<"BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM dpmix.compare('people', 'people', 'sex', '{wage}');"
costs "READ ONLY stops a model before its charge" 0 '25006' <<<"BEGIN READ ONLY; SELECT $(modelled read_only);"
costs "a serialization failure and the retry are two charges" 2 '40001.*-?[0-9]+ $' <<SQL
CREATE TABLE counter (x int); INSERT INTO counter VALUES (0); GRANT ALL ON counter TO PUBLIC;
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT n IS NOT NULL FROM $counted;
\! psql -XAtq -U bob -c 'UPDATE counter SET x = x + 1'
UPDATE counter SET x = x + 1; COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT n FROM $counted; UPDATE counter SET x = x + 1; COMMIT;
SQL
costs "a deferred constraint trigger charges at COMMIT, which then fails" 1 'PX002' <<SQL
CREATE TABLE deferring (x int);
CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS \$\$ DECLARE n bigint; BEGIN
  SELECT t.n INTO n FROM $counted; RAISE EXCEPTION 'answer %', n USING ERRCODE = 'PX002'; END \$\$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON deferring DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION at_commit();
BEGIN; INSERT INTO deferring VALUES (1); COMMIT;
SQL
costs "INSERT of an answer, rolled back: the answer was printed, the charge stays" 1 '^-?[0-9]+ $' <<SQL
CREATE TABLE pg_temp.copy (n bigint);
BEGIN; INSERT INTO pg_temp.copy SELECT n FROM $counted RETURNING n; ROLLBACK;
SQL
costs "COPY of an answer" 1 '^-?[0-9]+ $' <<<"BEGIN; COPY (SELECT n FROM $counted) TO STDOUT; ROLLBACK;"

# What the charges add up to is what the budget says.
check "the balance counts every one of these charges" t \
  "$(sql "SELECT charges = (SELECT count(*) FROM dpmix.charge) AND epsilon_spent = (SELECT sum(epsilon) FROM dpmix.charge)
          FROM dpmix.budget")"
# The last unit cannot be had twice.
PGUSER=olga sql "CREATE TABLE scarce (x int); SELECT dpmix.protect('scarce', 1, 0, accountant => 'basic'); SELECT dpmix.grant_access('scarce', 'ana')" >/dev/null
costs "ROLLBACK does not give the last unit back" 1 '^-?[0-9]+ .*PV001' <<SQL
BEGIN; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM scarce', 1) AS t(n bigint); ROLLBACK;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM scarce', 1) AS t(n bigint);
SQL
