#!/usr/bin/env bash
# By hand, and in `make soak` where it is installed (Debian: apt-get install sqlsmith): random statements of sqlsmith's,
# for SECONDS (600). Two thirds of the time its texts, and the conditions in them at every place of a query, are given
# to dpmix.query and judged like queries.test.sh; one third it runs by itself as an analyst, functions of dpmix
# included.
#     test/server/hostile/sqlsmith.sh [SECONDS] [SEED]
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/hostile/queries_lib.sh
command -v sqlsmith >/dev/null || { echo "sqlsmith is not installed"; exit 0; }
limit=${1:-600} seed=${2:-$RANDOM}
cluster_start "autovacuum = off" "log_error_verbosity = verbose" "log_min_error_statement = error" "statement_timeout = 120s"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile/queries.sql

# A database with the same table and nothing else, so that sqlsmith writes about it; the aggregates are there by name.
psql -Xq -c 'CREATE DATABASE twin' && psql -Xq -d twin -v ON_ERROR_STOP=1 <<'SQL'
CREATE TYPE mood AS ENUM ('low', 'high', 'CANARY');
CREATE TYPE pair AS (a int, b text);
CREATE TABLE people (id int, age int, sex text, region text, wage numeric, height float8, born date, seen timestamptz, noon time, mood mood, flag boolean, code char(4),
    secret text, tags text[], doc jsonb, years int, pair pair, nick text, uid uuid, span interval, big bigint, small smallint, bits bytea, net inet, sure text);
CREATE AGGREGATE dp_count(int) (SFUNC = int4pl, STYPE = int);
CREATE AGGREGATE dp_count(text) (SFUNC = textcat, STYPE = text);
CREATE AGGREGATE dp_sum(float8) (SFUNC = float8pl, STYPE = float8);
CREATE AGGREGATE dp_avg(numeric) (SFUNC = numeric_add, STYPE = numeric);
CREATE AGGREGATE dp_var(float8) (SFUNC = float8pl, STYPE = float8);
CREATE AGGREGATE dp_median(float8) (SFUNC = float8pl, STYPE = float8);
CREATE AGGREGATE dp_count_distinct(text) (SFUNC = textcat, STYPE = text);
SQL
psql -Xq <<'SQL'
CREATE TABLE raw (n int GENERATED ALWAYS AS IDENTITY, text text);
CREATE TABLE statement (n int GENERATED ALWAYS AS IDENTITY, text text);
CREATE TABLE seen (state text, message text, times bigint);
-- Subqueries become columns, and columns of subqueries too: they would be refused before anything else is looked at.
CREATE FUNCTION plainer(text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(regexp_replace(replace($1, 'public.dp_', 'dp_'), '\(select (\w+) from public\.people limit 1 offset \d+\)\s*', 'ref_0.\1 ', 'g'),
                                         'subq_\d+\.c\d+', 'ref_0.' || (ARRAY['age', 'secret', 'wage', 'height', 'born', 'flag', 'id'])[1 + floor(random() * 7)::int], 'g'),
                          'ref_\d+\.', 'ref_0.', 'g') $$;
-- PostgreSQL's own analysis fails inside for values of type unknown that are no constants.
CREATE FUNCTION take_statements() RETURNS void LANGUAGE sql AS $$
    TRUNCATE hostile, outcome, statement RESTART IDENTITY;
    INSERT INTO statement (text) SELECT s FROM (SELECT string_agg(text, E'\n' ORDER BY n) AS all FROM raw) r, regexp_split_to_table(r.all, ';\s*\n') AS s
        WHERE s ~ '\S' AND s !~ 'as unknown\)';
    TRUNCATE raw;
    INSERT INTO hostile (expected, query) SELECT 'any', replace(text, 'public.dp_', 'dp_') FROM statement;
    INSERT INTO hostile (expected, query) SELECT 'any', replace(place, '%', part)
    FROM (SELECT DISTINCT plainer(m[1]) AS part FROM statement, regexp_matches(text, '\m(?:where|on|when) ((?:(?!\mwhere\M|\mlimit\M|\mselect\M|\mthen\M|\mfrom\M|\mover\M)[^;])+)', 'g') AS m
          UNION SELECT DISTINCT plainer(m[1]) FROM statement, regexp_matches(text, E'\n  (\S(?:(?!\mwhere\M|\mselect\M|\mfrom\M|\mover\M|\mas c)[^;])+)\s+as c\d+', 'g') AS m) AS p,
         unnest(ARRAY['SELECT dp_count(*) FROM people AS ref_0 WHERE %', 'SELECT dp_count(*) FILTER (WHERE %) FROM people AS ref_0', 'SELECT dp_count(%) FROM people AS ref_0',
                      'SELECT dp_sum(%) FROM people AS ref_0', 'SELECT dp_count(*) FROM people AS ref_0 GROUP BY %', 'SELECT sex, dp_count(*) FROM people AS ref_0 GROUP BY sex HAVING %',
                      'SELECT sex, dp_count(*) AS age, dp_avg(height) AS height, % FROM people AS ref_0 GROUP BY sex']) AS place
    WHERE length(part) < 1500 AND length(part) - length(replace(part, '(', '')) = length(part) - length(replace(part, ')', ''))
      AND (SELECT count(*) FROM regexp_matches(part, '\mcase\M', 'g')) = (SELECT count(*) FROM regexp_matches(part, '\mend\M', 'g'));
$$;
SQL
# Crashes, values, and internal errors raised by dpmix; PostgreSQL has some of its own, which sqlsmith is known for
# finding.
server_log() {
  { grep -E 'PANIC|TRAP|terminated by signal|CANARY-|7777777' "$CLUSTER/log" | grep -vE 'STATEMENT|QUERY'
    awk '/ERROR:  XX000/ { said = $0 } /LOCATION:/ { if (said && /\.[ch]pp:/) print said; said = "" }' "$CLUSTER/log"
  } | sed 's/^.*\(ERROR\|PANIC\|TRAP\|LOG\)/\1/' | sort | uniq -c | sort -rn | head -n 20
}

total=0 charged=0 end=$((SECONDS + limit * 2 / 3))
while [ $SECONDS -lt $end ]; do
  seed=$((seed + 1))
  sqlsmith --target="host=$PGHOST port=$PGPORT dbname=twin user=postgres" --dry-run --exclude-catalog --max-queries="${ROUND:-300}" --seed=$seed 2>/dev/null |
    psql -Xq -c "COPY raw (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
  sql "SELECT take_statements()" >/dev/null
  attack_all
  judge_all "$charged" >"$CLUSTER/judged"
  if grep -A 20 '^not ok' "$CLUSTER/judged"; then echo "(seed $seed)"; fi
  charged=$(sql "SELECT count(*) FROM dpmix.charge")
  total=$((total + $(sql "SELECT count(*) FROM hostile")))
  sql "INSERT INTO seen SELECT state, CASE WHEN state LIKE 'PV%' THEN message END, count(*) FROM verdict GROUP BY 1, 2" >/dev/null
done
echo "$total texts over three fillings, $(sql "SELECT sum(times) FILTER (WHERE state = 'answered') FROM seen") answers. What came of them:"
sql "SELECT sum(times), state, message FROM seen GROUP BY state, message ORDER BY 1 DESC LIMIT 40"
check "nothing but statements' own errors in the server's log" "" "$(server_log)"

# By itself, as the analyst.
end=$((SECONDS + limit / 3)) runs=0
while [ $SECONDS -lt $end ]; do
  seed=$((seed + 1)) runs=$((runs + 1))
  timeout 60 sqlsmith --target="host=$PGHOST port=$PGPORT dbname=postgres user=ana options='-c statement_timeout=2s'" --max-queries=2000 --seed=$seed >"$CLUSTER/smith.out" 2>"$CLUSTER/smith.err" || true
  if grep -qE 'CANARY-|7777777' "$CLUSTER/smith.out" "$CLUSTER/smith.err"; then echo "not ok - a value in a message (seed $seed)"; grep -hE 'CANARY-|7777777' "$CLUSTER"/smith.* | head; fi
done
check "$runs runs as the analyst: the server stands, its log is clean" "" "$(server_log)"
check "the database answers" 1 "$(sql "SELECT 1")"
