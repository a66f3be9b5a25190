#!/usr/bin/env bash
# The groups of a statement over a facade are those that its own text and the declarations leave possible: over a plain
# table that holds every allowed combination of values, PostgreSQL gives the same (groups.py). The protected tables are
# empty: no group can come from a row. Tables of a second kind have columns that may be NULL, one of a third kind a
# group of other values.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh

count=150 seed=${DPMIX_SEED:-1}
if [ -n "${DPMIX_SOAK:-}" ]; then count=2000 seed=${DPMIX_SEED:-$RANDOM}; fi
cluster_start "session_preload_libraries = 'dpmix'" "TimeZone = 'Europe/Berlin'"
session <<'SQL' >/dev/null
CREATE EXTENSION dpmix;
CREATE TABLE t (region text NOT NULL, flag boolean NOT NULL, age int NOT NULL, ts timestamp NOT NULL);
CREATE TABLE n (x float8 NOT NULL, k int NOT NULL);
CREATE TABLE a (m numeric(6, 2) NOT NULL);
CREATE TABLE z (tz timestamptz NOT NULL);
CREATE TABLE tn (region text, flag boolean, age int, ts timestamp);
CREATE TABLE "to" (LIKE tn);
CREATE TABLE nn (x float8, k int);
CREATE TABLE zn (tz timestamptz);
CREATE TABLE v (shop int NOT NULL, age int NOT NULL);
CREATE TABLE shop (id int PRIMARY KEY, city text NOT NULL, country text NOT NULL, size int NOT NULL, opened date NOT NULL);
INSERT INTO shop SELECT i, 'city ' || i % 7, (ARRAY['DE', 'FR', 'IT'])[1 + i % 7 / 3], i * i % 23, date '2020-01-01' + i * 40 FROM generate_series(1, 20) AS i;
SELECT dpmix.declare_public('shop');
SELECT dpmix.protect(r, 1e7, .1, accountant => 'basic') FROM unnest('{t,n,a,z,v,tn,"\"to\"",nn,zn}'::regclass[]) AS r;
SELECT dpmix.declare(r, '{"region": ["n", "s", "e"], "age": [0, 20], "ts": ["2024-02-10", "2024-03-10"]}') FROM unnest('{t,tn,"\"to\""}'::regclass[]) AS r;
SELECT dpmix.set_categories('"to"', 'region', '{n,s,e}', other => true);
SELECT dpmix.declare(r, '{"x": [0, 50], "k": [0, 9]}') FROM unnest('{n,nn}'::regclass[]) AS r;
SELECT dpmix.declare(r, '{"tz": ["2024-03-20", "2024-04-10"]}') FROM unnest('{z,zn}'::regclass[]) AS r;
SELECT dpmix.declare('a', '{"m": [0, 50]}');
SELECT dpmix.declare('v', '{"age": [0, 20]}');
SELECT dpmix.expose(r, default_epsilon => 1) FROM unnest('{t,n,a,z,v,tn,"\"to\"",nn,zn}'::regclass[]) AS r;
-- Hours are the finest of all units and constants in the statements; there are times between them.
CREATE TABLE every_t AS SELECT region, flag, age, ts FROM unnest('{n,s,e}'::text[]) AS region, unnest('{f,t}'::boolean[]) AS flag,
  generate_series(0, 20) AS age, generate_series(timestamp '2024-02-10', '2024-03-10', '30 min') AS ts;
CREATE TABLE every_n AS SELECT x::float8 / 100 AS x, k FROM generate_series(0, 5000) AS x, generate_series(0, 9) AS k;
CREATE TABLE every_a AS SELECT (m::numeric / 100)::numeric(6, 2) AS m FROM generate_series(0, 5000) AS m;
CREATE TABLE every_z AS SELECT tz FROM generate_series(timestamptz '2024-03-20 00:00 UTC', '2024-04-10 00:00 UTC', '15 min') AS tz;
-- The same where columns may be NULL.
CREATE TABLE every_tn AS SELECT region, flag, age, ts FROM unnest('{n,s,e,NULL}'::text[]) AS region, unnest('{f,t,NULL}'::boolean[]) AS flag,
  (SELECT generate_series(0, 20) UNION ALL SELECT NULL) AS a(age), (SELECT generate_series(timestamp '2024-02-10', '2024-03-10', '30 min') UNION ALL SELECT NULL) AS b(ts);
-- What is not declared is shown as other: here it is that.
CREATE TABLE every_to AS TABLE every_tn;
INSERT INTO every_to SELECT 'other', flag, age, ts FROM every_tn WHERE region = 'n';
CREATE TABLE every_nn AS SELECT x, k FROM (SELECT x FROM every_n UNION SELECT NULL) AS x, (SELECT generate_series(0, 9) UNION ALL SELECT NULL) AS k(k);
CREATE TABLE every_zn AS SELECT tz FROM every_z UNION ALL SELECT NULL;
CREATE TABLE every_v AS SELECT shop, age FROM unnest('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,99}'::int[]) AS shop, generate_series(0, 20) AS age;
ANALYZE;
SQL

python3 test/server/plain/groups.py write "$count" "$seed" >"$CLUSTER/statements"
PGOPTIONS='-c client_min_messages=error' psql -X -q -A -t -f "$CLUSTER/statements" >"$CLUSTER/groups" 2>&1 || true
verdict=$(python3 test/server/plain/groups.py compare <"$CLUSTER/groups")
check_match "groups of $count random statements (seed $seed): $(head -n 1 <<<"$verdict")" "^$count same 0 differ 0 refused" "$verdict"
