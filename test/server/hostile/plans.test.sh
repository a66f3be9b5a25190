#!/usr/bin/env bash
# Cursors, plans, prepared statements and protocols: how often is an answer computed, and is each
# computation charged? One charge gives one noise; a new noise is a new charge.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"
grouped="dpmix.query('SELECT sex, dp_count(*) FROM public.people GROUP BY sex', 1e-5) AS t(sex text, n bigint)"

# Cursors.
costs "a cursor that is never fetched from" 0 'done' <<<"BEGIN; DECLARE c CURSOR FOR SELECT n FROM $counted; COMMIT; SELECT 'done';"
costs "FETCH of one row of two" 1 '^F$|^F ' <<<"BEGIN; DECLARE c CURSOR FOR SELECT sex FROM $grouped; FETCH 1 FROM c; ROLLBACK;"
costs "a scrolled cursor shows the same noise again" 1 '^t t $' <<SQL
CREATE TABLE pg_temp.seen (turn int, n bigint);
BEGIN; DECLARE c SCROLL CURSOR FOR SELECT n FROM $grouped;
DO \$\$ DECLARE c refcursor := 'c'; v bigint; BEGIN
  FOR turn IN 1..3 LOOP
    FOR i IN 1..2 LOOP FETCH NEXT FROM c INTO v; INSERT INTO pg_temp.seen VALUES (turn, v); END LOOP;
    MOVE ABSOLUTE 0 FROM c;
  END LOOP; END \$\$;
SELECT count(DISTINCT n) <= 2 FROM pg_temp.seen;
FETCH LAST FROM c \g /dev/null
MOVE BACKWARD ALL FROM c;
FETCH ALL FROM c \g /dev/null
SELECT count(*) = 6 FROM pg_temp.seen; COMMIT;
SQL
costs "WITH HOLD charges at COMMIT, read for ever" 1 '^t $' <<SQL
BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT n FROM $counted; COMMIT;
FETCH FIRST FROM c \gset one_
FETCH FIRST FROM c \gset two_
SELECT :one_n = :two_n;
SQL
costs "WITH HOLD, fetched, then ROLLBACK" 1 '-?[0-9]+' <<<"BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT n FROM $counted; FETCH c; ROLLBACK;"
costs "a cursor over two queries, closed after the first" 1 'x' <<SQL
BEGIN; DECLARE c CURSOR FOR SELECT 'x' FROM $counted UNION ALL SELECT 'y' FROM $counted; FETCH 1 FROM c; CLOSE c; COMMIT;
SQL

# Plans that do not need the answer, or need it often.
costs "LIMIT 0" 0 'done' <<<"SELECT n FROM $counted LIMIT 0; SELECT 'done';"
costs "WHERE false" 0 'done' <<<"SELECT n FROM $counted WHERE false; SELECT 'done';"
costs "EXISTS tells nothing without a charge" 1 '^t $' <<<"SELECT EXISTS (SELECT FROM $counted WHERE n IS NOT NULL);"
costs "a CTE that is never read" 0 '^1 $' <<<"WITH c AS MATERIALIZED (SELECT n FROM $counted) SELECT 1;"
costs "a CTE that is read twice has one noise" 1 '^t $' <<<"WITH c AS MATERIALIZED (SELECT n FROM $counted) SELECT a.n = b.n FROM c a, c b;"
costs "a CTE inlined twice would be two charges: it is volatile, so it is not" 1 '^t $' <<<"WITH c AS (SELECT n FROM $counted) SELECT a.n = b.n FROM c a, c b;"
costs "the inner side of a join keeps one noise" 1 '^1 $' <<<"SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SELECT count(DISTINCT n) FROM generate_series(1, 20) i LEFT JOIN $counted ON i <> n;"
costs "LATERAL charges for each outer row, each with its own noise" 10 '^t $' <<SQL
SELECT count(DISTINCT n) > 1 FROM generate_series(1, 10) i, LATERAL dpmix.query('SELECT dp_count(*) FROM public.people', 1e-5 + 0 * i) AS t(n bigint);
SQL
costs "memoized LATERAL: one computation for each of two arguments, or more charges" 2 '^2 $' <<SQL
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = on;
SELECT count(DISTINCT k) FROM (SELECT i % 2 AS k FROM generate_series(1, 20) i GROUP BY 1) k,
  LATERAL (SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', 1e-5 * (1 + k)) AS t(n bigint)) t;
SQL
costs "CASE that does not take the branch" 0 '^0 $' <<<"SELECT CASE WHEN now() IS NULL THEN (SELECT n FROM $counted) ELSE 0 END;"
costs "CASE whose condition is an answer" 2 '^-?[0-9]+ $' <<<"SELECT CASE WHEN (SELECT n FROM $counted) IS NULL THEN 0 ELSE (SELECT n FROM $counted) END;"
costs "COALESCE that stops early" 1 '^-?[0-9]+ $' <<<"SELECT coalesce((SELECT n FROM $counted), (SELECT n FROM $counted));"
costs "a subquery of every row in a WHERE is one answer" 1 'done' <<<"SELECT 1 FROM generate_series(1, 50) i WHERE i > (SELECT n FROM $counted); SELECT 'done';"
costs "ROWS FROM two queries" 2 '^3 $' <<SQL
SELECT count(*) FROM ROWS FROM (dpmix.query('SELECT sex, dp_count(*) FROM public.people GROUP BY sex', 1e-5) AS (s text, n bigint),
  dpmix.query('SELECT dp_count(*) FROM public.people', 1e-5) AS (m bigint)) AS t;
SQL
costs "the select list is no place for a query" 0 'PV005.*columns are not stated' <<<"SELECT dpmix.query('SELECT dp_count(*) FROM public.people', 1e-5);"
costs "CREATE TABLE AS ... WITH NO DATA" 0 'done' <<<"CREATE TEMP TABLE later AS SELECT n FROM $counted WITH NO DATA; SELECT 'done';"
costs "two statements in one simple query, the second fails" 1 '22012' <<<"SELECT n FROM $counted \; SELECT 1/0;"

# EXPLAIN.
costs "EXPLAIN runs nothing" 0 'Function Scan' <<<"EXPLAIN SELECT n FROM $counted;"
costs "EXPLAIN ANALYZE is charged" 1 'Function Scan' <<<"EXPLAIN ANALYZE SELECT n FROM $counted;"
costs "EXPLAIN of a model" 0 'Function Scan' <<<"EXPLAIN SELECT components FROM $(modelled explained);"

# Wrappers that lie about themselves.
costs "an IMMUTABLE wrapper answers while it is planned, and is charged there" 2 'Result' <<SQL
CREATE FUNCTION lying() RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$;
EXPLAIN VERBOSE SELECT lying();
SELECT lying() = 0 \g /dev/null
SQL
costs "its frozen answer in a generic plan is one noise" 1 '^1 $' <<SQL
SET plan_cache_mode = force_generic_plan;
CREATE TABLE pg_temp.same (n bigint);
PREPARE p AS INSERT INTO pg_temp.same VALUES (lying());
EXECUTE p; EXECUTE p; EXECUTE p;
SELECT count(DISTINCT n) FROM pg_temp.same;
SQL
costs "an inlined SQL wrapper charges for each call" 2 '^t $' <<SQL
CREATE FUNCTION inlined() RETURNS SETOF bigint VOLATILE LANGUAGE sql AS \$\$ SELECT n FROM $counted \$\$;
SELECT count(*) = 2 FROM (SELECT * FROM inlined() UNION ALL SELECT * FROM inlined()) t;
SQL
costs "a query inside the arguments of a query" 2 '(^| )-?[0-9]+ $' <<SQL
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id <> \$1', 1e-5, params => ARRAY[(SELECT (n * 0)::text FROM $counted)]) AS t(n bigint);
SQL
costs "but not inside a domain that would check them" 0 'PV002.*calls function nested' <<SQL
CREATE FUNCTION nested(int) RETURNS bool LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted) IS NOT NULL; END \$\$;
CREATE DOMAIN checked_int AS int CHECK (nested(VALUE));
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id <> \$1::checked_int', 1e-5, params => '{0}') AS t(n bigint);
SQL
sql "CREATE TABLE many AS SELECT generate_series(1, 30000) x; ALTER TABLE many SET (parallel_workers = 2); ANALYZE many; GRANT SELECT ON many TO PUBLIC" >/dev/null
everything_parallel="SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode') \\g /dev/null
  SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
  SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2; SET jit = on; SET jit_above_cost = 0;"
costs "forced parallelism and JIT" 2 '^-?[0-9]+ -?[0-9]+ $' <<SQL
$everything_parallel
SELECT n FROM $counted; SELECT n + 0 * x FROM many, $counted WHERE x = 1;
SQL
costs "a wrapper that calls itself PARALLEL SAFE gets nothing from a parallel worker" 0 '25000|XX000' <<SQL
$everything_parallel
CREATE FUNCTION sharing(x int) RETURNS bigint PARALLEL SAFE VOLATILE COST 100000 LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT n FROM $counted); END \$\$;
SET parallel_leader_participation = off;
SELECT sharing(x) FROM many WHERE x = 1;
SQL
costs "a wrapper that calls itself PARALLEL SAFE makes no model in a parallel worker" 0 '25000|XX000' <<SQL
$everything_parallel
CREATE FUNCTION modelling(x int) RETURNS int PARALLEL SAFE VOLATILE COST 100000 LANGUAGE plpgsql AS \$\$ BEGIN RETURN (SELECT components FROM $(modelled parallel)); END \$\$;
SET parallel_leader_participation = off;
SELECT modelling(x) FROM many WHERE x = 1;
SQL
costs "models are read beside a parallel plan" 1 '^2 2 0 ' <<SQL
SELECT components FROM $(modelled beside);
$everything_parallel
SELECT count(*) FROM many, dpmix.gmm('beside') WHERE x = component; SELECT dpmix.gmm_kl('beside', 'beside') FROM many LIMIT 1;
SQL
check "charging functions say what they are" 0 \
  "$(sql "SELECT count(*) FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND proname IN ('query', 'cda', 'release_gmm')
          AND (provolatile <> 'v' OR proparallel <> 'u')")"

# Prepared statements.
for mode in force_generic_plan force_custom_plan auto; do
  costs "20 executions under plan_cache_mode $mode: 20 charges, 20 noises" 20 '^t $' <<SQL
SET plan_cache_mode = $mode; CREATE TABLE pg_temp.answers (n bigint);
PREPARE p(float8) AS INSERT INTO pg_temp.answers SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', \$1) AS t(n bigint);
$(for _ in $(seq 20); do echo "EXECUTE p(1e-5);"; done)
SELECT count(*) = 20 AND count(DISTINCT n) > 10 FROM pg_temp.answers;
SQL
done
costs "DISCARD ALL forgets plans, not charges" 2 '^-?[0-9]+ -?[0-9]+ $' <<SQL
PREPARE p AS SELECT n FROM $counted; EXECUTE p; DISCARD ALL; PREPARE p AS SELECT n FROM $counted; EXECUTE p;
SQL
costs "\\gexec, \\watch-like repeats and \\; batches are charged each" 3 'done' <<SQL
SELECT 'SELECT n FROM $(sed "s/'/''/g" <<<"$counted")' FROM generate_series(1, 2) \gexec
SELECT n FROM $counted \g /dev/null
SELECT 'done';
SQL

# Protocols: portals suspended half-way, extended and prepared executions.
costs "FETCH_COUNT reads through a cursor of its own" 1 '^F M $' <<<"\\set FETCH_COUNT 1
SELECT sex FROM $grouped;"
echo "SELECT n FROM $counted;" >"$CLUSTER/query.sql"
for protocol in simple extended prepared; do
  before=$(all_charges)
  PGUSER=ana "$BIN/pgbench" -n -M $protocol -c 2 -j 1 -t 10 -f "$CLUSTER/query.sql" >/dev/null 2>&1
  check "pgbench -M $protocol: 20 answers are 20 charges" 20 $(($(all_charges) - before))
done
