#!/usr/bin/env bash
# What plain SQL is charged: once an execution in every protocol, the role that asks, at the price that it set itself;
# as dpmix.query to the last digit, for random queries, and with noise of the same law.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off" "session_preload_libraries = 'dpmix'" "max_connections = 50"
export PGOPTIONS="-c client_min_messages=warning"
psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE EXTENSION dpmix;
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN;
CREATE SCHEMA private AUTHORIZATION olga;
GRANT USAGE ON SCHEMA private TO PUBLIC;
SET SESSION AUTHORIZATION olga;
CREATE TABLE cps (id int PRIMARY KEY, region text, wage float8);
INSERT INTO cps SELECT i, (ARRAY['n', 's'])[1 + i % 2], i % 100 FROM generate_series(1, 400) AS i;
CREATE TABLE bare AS SELECT * FROM cps;
SELECT dpmix.protect(t, 1e7, .01, accountant => 'basic'), dpmix.set_bounds(t, 'wage', 0, 100), dpmix.set_categories(t, 'region', '{n,s}'),
       dpmix.grant_access(t, 'ana', NULL, 0, NULL), dpmix.grant_access(t, 'bob', NULL, 0, NULL) FROM unnest('{cps,bare}'::regclass[]) AS t;
SELECT dpmix.expose('cps', default_epsilon => 2, max_epsilon_per_query => 50);
SELECT dpmix.expose('bare');
SELECT dpmix.expose('bare', 'private.low', max_epsilon_per_query => 0.01);
GRANT SELECT ON private.cps, private.bare, private.low TO ana, bob;
SQL
count() { sql "SELECT count(*) FROM dpmix.charge"; }
# costs NAME CHARGES [PATTERN [ROLE]]: statements on stdin, as ROLE (ana).
costs() {
  local before said
  before=$(count)
  said=$(PGUSER=${4:-ana} session | cut -c 1-400 | tr '\n' ' ')
  check "$1" "$2" "$(($(count) - before))"
  [ -z "${3:-}" ] || check_match "$1: what it says" "$3" "$said"
}
last() { sql "SELECT role || ' ' || epsilon FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }

# Protocols: 3 transactions of one statement each.
cat >"$CLUSTER/one.sql" <<<"SELECT region, count(*), avg(wage) FROM private.cps GROUP BY region;"
cat >"$CLUSTER/parameter.sql" <<'SQL'
\set least random(1, 50)
SELECT region, count(*), avg(wage) FROM private.cps WHERE wage >= :least AND wage <= :least + 10 GROUP BY region;
SQL
for script in one parameter; do
  for mode in simple extended prepared; do
    before=$(count)
    PGUSER=ana pgbench -n -M $mode -t 7 -f "$CLUSTER/$script.sql" postgres >"$CLUSTER/bench" 2>&1 || cat "$CLUSTER/bench"
    check "$script: 7 executions in $mode mode are 7 charges" 7 "$(($(count) - before))"
  done
done
costs "a prepared statement whose plan is kept is charged for each execution" 8 "" <<'SQL'
PREPARE p(float8) AS SELECT count(*) FROM private.cps WHERE wage > $1;
EXECUTE p(1); EXECUTE p(1); EXECUTE p(1); EXECUTE p(1); EXECUTE p(1); EXECUTE p(1); EXECUTE p(1); EXECUTE p(1);
SQL
costs "a rollback refunds nothing" 1 <<<"BEGIN; SELECT count(*) FROM private.cps; ROLLBACK;"
costs "a statement that stops early has paid" 1 <<<"SELECT region, count(*) FROM private.cps GROUP BY region LIMIT 1;"
costs "a branch that is not taken is free" 0 <<<"SELECT CASE WHEN 1 = 1 THEN 0 ELSE (SELECT count(*) FROM private.cps) END;"
costs "a part that a join never reads is free" 0 <<<"SELECT * FROM (SELECT 1 AS x WHERE now() < '2000-01-01') AS e, (SELECT count(*) FROM private.cps) AS c;"
costs "planning and EXPLAIN are free" 0 "epsilon 2.*such queries fit" <<'SQL'
PREPARE p AS SELECT count(*) FROM private.cps;
EXPLAIN SELECT count(*) FROM private.cps;
EXPLAIN EXECUTE p;
SQL
costs "a session that reads and may not write pays, too" 1 <<<"BEGIN READ ONLY; SELECT count(*) FROM private.cps; COMMIT;"
costs "SERIALIZABLE is refused, as for dpmix.query" 0 "PV00" <<<"BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM private.cps; COMMIT;"

# Prices.
costs "nothing says the price" 0 "PV005.*SET dpmix.epsilon" <<<"SELECT count(*) FROM private.bare;"
costs "the facade's default" 1 <<<"SELECT count(*) FROM private.cps;"
check "is the price" "ana 2" "$(last)"
costs "a setting" 1 <<<"SET dpmix.epsilon = 0.125; SELECT count(*) FROM private.cps;"
check "is the price, too" "ana 0.125" "$(last)"
costs "SET LOCAL ends with its transaction" 2 <<<"BEGIN; SET LOCAL dpmix.epsilon = 7; SELECT count(*) FROM private.cps; COMMIT; SELECT count(*) FROM private.cps;"
check "and the default is back" "ana 2" "$(last)"
costs "an error that takes more than the facade allows" 0 "PV005.*no epsilon up to 0.01" <<<"SET dpmix.error = 5; SELECT sum(wage) FROM private.low;"
costs "an error that takes less" 1 <<<"SET dpmix.error = 30; SELECT count(*) FROM private.cps;"
check "is asked for with the least epsilon" t "$(sql "SELECT epsilon BETWEEN 0.05 AND 0.15 FROM dpmix.charge ORDER BY id DESC LIMIT 1")"
costs "more than the facade allows" 0 "PV005.*at most 50" <<<"SET dpmix.epsilon = 51; SELECT count(*) FROM private.cps;"
sql "ALTER ROLE ana SET dpmix.epsilon = 0.25" >/dev/null
costs "ALTER ROLE" 1 <<<"SELECT count(*) FROM private.cps;"
check "sets it for the role's sessions" "ana 0.25" "$(last)"
sql "ALTER ROLE ana RESET dpmix.epsilon; ALTER DATABASE postgres SET dpmix.epsilon = 0.75" >/dev/null
costs "ALTER DATABASE" 1 <<<"SELECT count(*) FROM private.bare;"
check "sets it for everybody" "ana 0.75" "$(last)"
sql "ALTER DATABASE postgres RESET dpmix.epsilon" >/dev/null

# A setting counts only for the role that made it.
PGUSER=bob session >/dev/null <<'SQL'
CREATE FUNCTION bobs() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT count(*) FROM private.cps); END';
CREATE FUNCTION bobs_own() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET dpmix.epsilon = 0.5 AS 'BEGIN RETURN (SELECT count(*) FROM private.cps); END';
CREATE FUNCTION bobs_bare() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN (SELECT count(*) FROM private.bare); END';
CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM private.cps;
CREATE VIEW seen AS SELECT count(*) FROM private.cps;
GRANT SELECT ON seen TO ana;
SQL
costs "the caller's setting for another role's function" 1 <<<"SET dpmix.epsilon = 50; SELECT bobs();"
check "does not count: its owner pays the default" "bob 2" "$(last)"
costs "nor where there is no default" 0 "PV005" <<<"SET dpmix.epsilon = 50; SELECT bobs_bare();"
costs "the function's own SET" 1 <<<"SET dpmix.epsilon = 50; SELECT bobs_own();"
check "counts" "bob 0.5" "$(last)"
costs "after it the caller's counts again" 2 <<<"SET dpmix.epsilon = 5; SELECT bobs_own(); SELECT count(*) FROM private.cps;"
check "for the caller" "ana 5" "$(last)"
costs "refreshing it as a superuser" 1 "" postgres <<<"SET dpmix.epsilon = 50; REFRESH MATERIALIZED VIEW kept;"
check "charges its owner the default" "bob 2" "$(last)"
costs "another's view" 1 <<<"SET dpmix.epsilon = 3; SELECT * FROM seen;"
check "is paid by who asks" "ana 3" "$(last)"
costs "SET ROLE" 1 "" postgres <<<"SET dpmix.epsilon = 50; SET ROLE ana; SELECT count(*) FROM private.cps;"
check "leaves settings behind" "ana 2" "$(last)"
# A session whose library comes with the guard's call: settings made before are the session user's.
sed -i '/session_preload_libraries/d' "$CLUSTER/data/postgresql.conf"
sql "SELECT pg_reload_conf()" >/dev/null
sleep 0.3
costs "without the library a setting made before it is loaded" 1 "" <<<"SET dpmix.epsilon = 5; SELECT count(*) FROM private.cps; SELECT count(*) FROM private.cps;"
check "counts for the session's user" "ana 5" "$(last)"
costs "and for no other role" 1 "" <<<"SET dpmix.epsilon = 5; SELECT bobs(); SELECT bobs();"
check "whose default holds" "bob 2" "$(last)"
echo "session_preload_libraries = 'dpmix'" >>"$CLUSTER/data/postgresql.conf"
sql "SELECT pg_reload_conf()" >/dev/null

# Anybody may call the function behind it, for what it is: a query, checked and charged.
costs "the function behind it, called by hand" 1 "200|201|199" <<<"SET dpmix.epsilon = 20; SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps WHERE region = \$1', NULL, '{}', 'aggregates', 0, false, 'n'::text) AS t(n bigint);"
costs "says what is wrong" 0 "PV00[25].*PV002.*PV006.*PV005" <<'SQL'
SET dpmix.epsilon = 1;
SELECT * FROM dpmix_internal.answer('SELECT * FROM public.cps', NULL, '{}', 'aggregates', 0, false) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps', NULL, '{1259}', 'aggregates', 0, false) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM pg_class', NULL, '{}', 'aggregates', 0, false) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps', NULL, '{}', 'else', 0, false) AS t(n bigint);
SELECT * FROM dpmix_internal.answer(NULL, NULL, NULL, NULL, 0, false) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps WHERE region = $1', NULL, '{}', 'aggregates', 5, false, 'n'::text) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps WHERE region = $1', NULL, '{}', 'aggregates', 0, false, '(1,2)'::cps) AS t(n bigint);
SELECT * FROM dpmix_internal.answer('SELECT dpmix.dp_count(*) FROM public.cps', NULL, '{}', 'aggregates', 0, false) AS t(n text);
SELECT * FROM dpmix_internal.answer('SELECT wage + 1, dpmix.dp_count(*) FROM public.cps GROUP BY wage + 1', NULL, '{}', 'values', 0, false) AS t(x float8, n bigint);
SQL
check "no error was an internal one" 0 "$(grep -cE 'XX000|PANIC|terminated by signal' "$CLUSTER/log" || true)"

# Random queries of test/server/query/property.sql, in both forms.
psql -Xq -v ON_ERROR_STOP=1 -o /dev/null -f test/server/query/property.sql
sql "INSERT INTO feature SELECT unnest('{filter,moments,units,released,expressions,quantiles}'::text[])" >/dev/null
psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
CREATE SCHEMA faced;
CREATE TABLE unlike (query text, plain text, said text);
CREATE FUNCTION last_charge() RETURNS text LANGUAGE sql AS 'SELECT concat_ws(''|'', mechanism, epsilon, delta, cost, cost_delta,
    (SELECT string_agg(s::text, '','' ORDER BY s::text) FROM jsonb_array_elements(parameters->''statistics'') AS s)) FROM dpmix.charge ORDER BY id DESC LIMIT 1';
CREATE FUNCTION plain_of(query text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(regexp_replace(query, 'dp_count_distinct\((\w+)\)', 'count(DISTINCT \1)', 'g'), 'dp_(count|sum|avg)\(', '\1(', 'g'), 'dp_(var|stddev)\(', '\1_pop(', 'g') $$;
-- Whether both forms are charged alike, and say the same at an epsilon at which counts have no noise.
CREATE FUNCTION alike(tab text, epsilon float8) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    c query_case := random_query(tab, 1);
    plain text := plain_of(c.query);
    states text[];
    charges text[];
    counts text[];
    text_asked text;
BEGIN
    PERFORM set_config('dpmix.epsilon', epsilon::text, true);
    FOREACH text_asked IN ARRAY ARRAY[format('SELECT * FROM dpmix.query(%L, %s) AS t(%s)', replace(c.query, ' FROM random_', ' FROM public.random_'), epsilon, c.columns), plain] LOOP
        BEGIN
            EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(t)), ''[]'')::text FROM (%s) AS t', text_asked) INTO STRICT text_asked;
            states := states || 'answered'::text;
            charges := charges || last_charge();
            counts := counts || jsonb_path_query_array(text_asked::jsonb, '$[*].keyvalue() ? (@.key like_regex "^k").value')::text;
        EXCEPTION WHEN OTHERS THEN
            states := states || SQLSTATE;
            charges := charges || SQLERRM;
            counts := counts || ''::text;
        END;
    END LOOP;
    IF states[1] = states[2] AND charges[1] = charges[2] AND counts[1] = counts[2] THEN RETURN true; END IF;
    INSERT INTO unlike VALUES (c.query, plain, concat_ws(' / ', states, charges, counts));
    RETURN false;
END $$;
SQL
seed=${DPMIX_SEED:-1}
for ((table = seed; table < seed + 10; table++)); do
  echo "SELECT setseed($table / 1e6) \\g /dev/null"
  echo "SELECT make_table('random_$table') \\g /dev/null"
  echo "SELECT dpmix.expose('random_$table', 'faced.random_$table') \\g /dev/null"
  echo "SET search_path = faced, public, dpmix;"
  echo "SELECT alike('random_$table', 1e5) FROM generate_series(1, 25);"
  echo "RESET search_path;"
done | session >"$CLUSTER/alike"
check "250 random queries: both forms have the same charge to the last digit, the same refusals, the same groups" 250 "$(grep -c '^t$' "$CLUSTER/alike" || true)"
sql "SELECT * FROM unlike ORDER BY length(query) LIMIT ${SHOW:-3}"
grep -vE '^[tf]$' "$CLUSTER/alike" | head -n 5 || true

# The law: 1000 draws of each form. The distance of two samples exceeds .15 with a probability below 1e-9.
draws=1000
PGUSER=ana session <<SQL
CREATE TABLE drawn (form text, n float8);
SET dpmix.epsilon = 0.3;
DO \$d\$ BEGIN FOR i IN 1..$draws LOOP
  INSERT INTO drawn SELECT 'plain', count(*) FROM private.cps;
  INSERT INTO drawn SELECT 'query', t.n FROM dpmix.query('SELECT dp_count(*) FROM cps', 0.3) AS t(n bigint);
END LOOP; END \$d\$;
SQL
check "$draws draws of each form follow one law" t "$(sql "SELECT count(*) = 2 * $draws AND max(abs(a - b)) < .15 FROM (SELECT
  (count(*) FILTER (WHERE form = 'plain') OVER w)::float8 / $draws AS a, (count(*) FILTER (WHERE form = 'query') OVER w)::float8 / $draws AS b
  FROM drawn WINDOW w AS (ORDER BY n)) AS s")"
check "and are noisy" t "$(sql "SELECT count(DISTINCT n) > 10 FROM drawn")"
