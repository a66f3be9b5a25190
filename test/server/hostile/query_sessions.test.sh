#!/usr/bin/env bash
# What an analyst does around dpmix.query with everything else that PostgreSQL lets a role do: the table itself, views,
# rules, policies, children, statistics of the planner, EXPLAIN, cursors, COPY, temporary objects under protected names,
# messages at debug level. Each is run over two fillings of one table; what was printed must match, tell the fillings
# apart nowhere but in noisy numbers, hold no value that nobody declared, and cost what is stated.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/hostile/queries_lib.sh
cluster_start "autovacuum = off"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile/queries.sql
sql "CREATE ROLE bob LOGIN NOINHERIT; GRANT ana TO bob"
names=() patterns=() costs=() texts=()

# try NAME CHARGES PATTERN: the statements on stdin, each on its own.
try() { names+=("$1") costs+=("$2") patterns+=("$3") texts+=("$(cat)"); }
counted="dpmix.query('SELECT dp_count(*) FROM public.people', 1e-4) AS t(n bigint)"
grouped="dpmix.query('SELECT region, dp_count(*), dp_avg(wage) FROM public.people WHERE height > 100 GROUP BY region', 1e-4) AS t(r text, n bigint, a float8)"

# The table, and whatever reads it for others.
try "reading, changing, describing the table" 0 '^(42501\|){12}$' <<'SQL'
SELECT * FROM public.people;
SELECT count(*) FROM ONLY public.people;
EXPLAIN SELECT * FROM public.people WHERE secret = 'CANARY-person';
EXPLAIN (ANALYZE, VERBOSE) SELECT 1 FROM public.people WHERE traps.peek(age);
COPY public.people TO STDOUT;
COPY (SELECT secret FROM public.people) TO STDOUT;
DECLARE c CURSOR WITH HOLD FOR SELECT * FROM public.people;
UPDATE public.people SET age = age / 0;
DELETE FROM public.people WHERE traps.peek(age) RETURNING *;
BEGIN; LOCK TABLE public.people; ROLLBACK;
TRUNCATE public.people;
SELECT 1 FROM public.people TABLESAMPLE SYSTEM (100) FOR UPDATE;
SQL
try "objects upon the table" 0 '^(42501\|){10}$' <<'SQL'
CREATE TABLE traps.heir () INHERITS (public.people);
ALTER TABLE public.people INHERIT traps.notes;
CREATE RULE r AS ON SELECT TO public.people DO INSTEAD SELECT * FROM traps.notes;
CREATE POLICY p ON public.people USING (traps.peek(age));
ALTER TABLE public.people ENABLE ROW LEVEL SECURITY;
CREATE TRIGGER t AFTER INSERT ON public.people EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger();
CREATE STATISTICS traps.s ON age, sex FROM public.people;
CREATE INDEX ON public.people (traps.echo(age));
CREATE FUNCTION traps.sure(int) RETURNS boolean LEAKPROOF LANGUAGE sql AS 'SELECT true';
LOAD 'auto_explain';
SQL
try "views, materialized views, functions of the caller's over it" 0 '^(42501\|){6}$' <<'SQL'
SELECT * FROM traps.window_on;
SELECT * FROM traps.barrier WHERE traps.peek(age);
SELECT * FROM traps.mine WHERE secret OPERATOR(traps.~~~) 'x';
SELECT * FROM traps.people_of(7);
CREATE MATERIALIZED VIEW traps.kept AS SELECT * FROM public.people;
DO $$BEGIN PERFORM secret FROM public.people; END$$;
SQL
try "statistics of the planner" 0 '^0\|0\|42501\|42501\|0\|$' <<'SQL'
SELECT count(*) FROM pg_stats WHERE tablename = 'people';
SELECT count(*) FROM pg_stats_ext WHERE tablename = 'people';
SELECT count(*) FROM pg_statistic;
SELECT count(*) FROM pg_statistic_ext_data;
SELECT count(*) FROM pg_stats WHERE most_common_vals::text || histogram_bounds::text LIKE '%CANARY%';
SQL

# Names of the session's own in front of the table's.
try "a temporary table in the table's place" 1 '^PV006\|-?[0-9]+\|$' <<SQL
SET search_path = pg_temp, public;
CREATE TEMP TABLE people (id int, age int, secret text);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 1e-4) AS t(n bigint);
SELECT n FROM $counted;
SQL
try "a temporary view, function and domain" 0 '^PV006\|(PV002\|){2}$' <<'SQL'
CREATE TEMP VIEW people AS SELECT 1 AS age, 'CANARY-own'::text AS secret;
CREATE FUNCTION pg_temp.dp_sum(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE DOMAIN pg_temp.int4 AS int CHECK (traps.peek(VALUE));
SET search_path = pg_temp, pg_catalog, public;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE age::int4 > 3', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT pg_temp.dp_sum(age) FROM public.people', 1e-4) AS t(n float8);
SQL
try "operators in front of PostgreSQL's" 1 '^PV002\|-?[0-9]+\|$' <<'SQL'
SET search_path = traps, pg_catalog;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE age = 7', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE age OPERATOR(pg_catalog.=) 7', 1e-4) AS t(n bigint);
SQL
try "nothing new in schema dpmix" 0 '^(42501\|){3}$' <<'SQL'
CREATE FUNCTION dpmix.dp_count(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TABLE dpmix.people ();
ALTER FUNCTION dpmix_internal.to_float8(numeric) COST 1;
SQL

# Plans, cursors, copies, roles.
try "EXPLAIN of the function shows the function" 2 'Function Scan on dpmix.query t' <<SQL
EXPLAIN (VERBOSE, COSTS) SELECT * FROM $grouped;
EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS, TIMING OFF, SUMMARY OFF) SELECT n FROM $counted;
EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF, SUMMARY OFF) SELECT n FROM $counted;
SQL
try "an answer is of two groups and that of NULL, however it is fetched" 4 '^3\|3\|3\|north.*south' <<SQL
SET client_min_messages = warning;
SELECT count(*) FROM $grouped;
SET plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT count(*) FROM $grouped;
EXECUTE p;
CREATE TABLE pg_temp.kept AS SELECT * FROM $grouped;
SELECT count(*) FROM pg_temp.kept;
COPY (SELECT r FROM $grouped) TO STDOUT;
SQL
try "prepared as one role, executed as another" 1 '^42501\|PV006\|-?[0-9]+\|$' <<SQL
SET SESSION AUTHORIZATION ana;
PREPARE direct AS SELECT count(*) FROM public.people;
PREPARE private AS SELECT n FROM $counted;
EXECUTE direct;
SET SESSION AUTHORIZATION bob;
EXECUTE private;
SET ROLE ana;
EXECUTE private;
SQL
try "lists of what runs show nothing of the scan" 1 '^-?[0-9]+\|0\|0\|0\|$' <<SQL
BEGIN;
SELECT n FROM $counted;
SELECT count(*) FROM pg_prepared_statements;
SELECT count(*) FROM pg_cursors;
SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query ~ 'lattice_sum|height > 100 AND';
COMMIT;
SQL
try "settings of the planner" 3 '^(-?[0-9]+\|){3}$' <<SQL
SET enable_seqscan = off; SET enable_hashagg = off; SET enable_sort = off; SET enable_indexscan = on; SET random_page_cost = 0;
SELECT n FROM $counted;
SET jit = on; SET jit_above_cost = 0; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT n FROM $counted;
SET constraint_exclusion = on; SET cursor_tuple_fraction = 1; SET geqo_threshold = 2; SET work_mem = '64kB';
SELECT n FROM $counted;
SQL
try "messages at the level debug5" 3 'CommitTransaction|StartTransaction' <<SQL
SET client_min_messages = debug5;
SELECT * FROM $grouped;
SELECT n FROM $counted;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE secret < ''M'' OR wage > 1000', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE secret::int = 7', 1e-4) AS t(n bigint);
SQL

# Depth and length.
nested=$(printf 'NOT (%.0s' $(seq 3000))true$(printf ')%.0s' $(seq 3000))
deep=$(printf '(%.0s' $(seq 100000))
try "a condition 3000 deep, and one too deep" 1 '^-?[0-9]+\|(54001|42601|53)' <<SQL
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE $nested', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE $deep', 1e-4) AS t(n bigint);
SQL
try "20000 constants, 20000 columns, a million blanks" 2 '^-?[0-9]+\|(54011|PV00)\|-?[0-9]+\|$' <<SQL
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people WHERE id IN (' || (SELECT string_agg(i::text, ',') FROM generate_series(1, 20000) i) || ')', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT ' || (SELECT string_agg('dp_count(*)', ',') FROM generate_series(1, 20000) i) || ' FROM public.people', 1e-4) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people' || repeat(' ', 1000000) || '-- ' || repeat('x', 100000), 1e-4) AS t(n bigint);
SQL

for filling in plain wild; do
  PGUSER=olga sql "SELECT fill('$filling')" >/dev/null
  sql "VACUUM (ANALYZE, FREEZE) people"
  for i in "${!names[@]}"; do
    before=$(sql "SELECT charged()")
    who=ana
    case ${names[i]} in prepared*) who=postgres ;; esac
    PGUSER=$who session <<<"${texts[i]}" 2>&1 | without_noisy_notices >"$CLUSTER/$filling.$i" || true
    echo $(($(sql "SELECT charged()") - before)) >"$CLUSTER/$filling.$i.cost"
  done
done
# Errors by their code alone; numbers, which are noise, times or identifiers, by none.
shape() { sed -E 's/^ERROR:  ([0-9A-Z]{5}).*/\1/; /^(DETAIL|HINT|LOCATION|LINE|QUERY|CONTEXT|PL.pgSQL function| +\^)/d' "$1" | tr '\n' '|'; }
blurred() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/#/g' "$1"; }
for i in "${!names[@]}"; do
  wild=$CLUSTER/wild.$i plain=$CLUSTER/plain.$i
  said=$(shape "$wild")
  if ! grep -qE -e "${patterns[i]}" <<<"$said"; then echo "not ok - ${names[i]}: no '${patterns[i]}' in: ${said:0:1500}"
  elif [ "$(cat "$wild.cost" "$plain.cost" | tr '\n' ' ')" != "${costs[i]} ${costs[i]} " ]; then echo "not ok - ${names[i]}: charges: $(cat "$wild.cost" "$plain.cost" | tr '\n' ' ')"
  elif ! difference=$(diff <(blurred "$wild") <(blurred "$plain")); then echo "not ok - ${names[i]}: the fillings differ: ${difference:0:600}"
  elif grep -E 'CANARY-(person|sure|region|doc)|7777777|sprung' "$wild" | grep -qvE '^(LINE|QUERY|STATEMENT)'; then echo "not ok - ${names[i]}: a value is seen"
  else echo "ok - ${names[i]}"; fi
done
check "no trap was sprung" f "$(sql "SELECT is_called FROM traps.sprung")"
# Inside a transaction of the caller's only a process of dpmix's own would end one.
check "the process of a release tells nothing of itself" 1 "$(PGUSER=ana psql -Xqt <<SQL 2>&1 | grep -cE '^ +-?[0-9]+$|CommitTransaction'
BEGIN; SET LOCAL client_min_messages = debug5;
SELECT n FROM $counted;
SET LOCAL client_min_messages = notice; COMMIT;
SQL
)"

# What only the owner can do: policies do not bind the owner's scan, and run nobody's code; FORCE is refused.
PGUSER=olga sql "CREATE FUNCTION hide(int) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RAISE NOTICE ''CANARY %'', \$1; RETURN \$1 < 0; END';
  CREATE POLICY p ON people USING (hide(age)); ALTER TABLE people ENABLE ROW LEVEL SECURITY"
check_match "a policy of the owner's is not run" '^[0-9]+$' "$(PGUSER=ana sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', 1) AS t(n bigint)")"
PGUSER=olga sql "ALTER TABLE people FORCE ROW LEVEL SECURITY"
check_match "FORCE ROW LEVEL SECURITY" '^ERROR:  PV002' "$(PGUSER=ana sql "SELECT n FROM $counted")"
# Parts of a protected table, and tables above it, are not the table.
PGUSER=olga sql "CREATE TABLE parts (k int, x int) PARTITION BY LIST (k); CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1); CREATE TABLE apart (k int, x int);
  CREATE TABLE above (x int); CREATE TABLE below () INHERITS (above); SELECT dpmix.protect('parts', 10, 1e-6), dpmix.protect('below', 10, 1e-6);
  SELECT dpmix.grant_access('parts', 'ana'), dpmix.grant_access('below', 'ana')" >/dev/null
for table in part1 above apart; do
  check_match "$table is not protected itself" '^ERROR:  PV006' "$(PGUSER=ana sql "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.$table', 1) AS t(n bigint)")"
done
check_match "a partition that is protected beside its table" '^ERROR:  PV005' "$(PGUSER=olga sql "SELECT dpmix.protect('part1', 10, 1e-6)")"
