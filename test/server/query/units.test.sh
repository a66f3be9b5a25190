#!/usr/bin/env bash
# Rows of privacy units, sampled in one share and in many: answers, types of units and groups, what is refused, and that
# nothing goes to a temporary file.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "dpmix.scan_memory = 1MB" "work_mem = 64kB" "hash_mem_multiplier = 1"
export PGOPTIONS="-c client_min_messages=warning"  # each answer says that totals are bounded
session >/dev/null <<'SQL'
CREATE EXTENSION dpmix;
SET client_min_messages = warning;
SELECT setseed(.3);
CREATE TABLE visits AS
  SELECT (random() * 49999)::int AS person, (random() * 7)::int AS town, (random() * 100)::int AS cost, random() < .3 AS ill
  FROM generate_series(1, 250000);
INSERT INTO visits SELECT 7, i % 8, 100, true FROM generate_series(1, 20000) i;
INSERT INTO visits SELECT NULL, 1, 100, true FROM generate_series(1, 1000) i;
CREATE TABLE small (LIKE visits);  -- one share
CREATE TABLE places (town int PRIMARY KEY, zone text);
INSERT INTO places SELECT i, 'z' || i % 3 FROM generate_series(0, 7) i;
SELECT dpmix.declare_public('places');
VACUUM ANALYZE;
INSERT INTO small SELECT * FROM visits WHERE person < 2000;
SELECT dpmix.protect(t, 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 4, accountant => 'basic') FROM unnest('{visits,small}'::regclass[]) t;
SELECT dpmix.set_categories(t, 'town', '{0,1,2,3,4,5,6,7}'), dpmix.set_bounds(t, 'cost', 0, 100) FROM unnest('{visits,small}'::regclass[]) t;
CREATE VIEW allowed AS  -- of each unit
  SELECT person, count(*) AS rows, least(count(*), 4) AS n, count(*) FILTER (WHERE ill) AS ill, count(*) FILTER (WHERE town = 3) AS in_3
    FROM visits WHERE person IS NOT NULL GROUP BY 1;
SQL
ask() {  # what query columns [more arguments]
  sql "SELECT $1 FROM dpmix.query(\$\$$2\$\$, 1e5${4:-}) AS t($3)"
}

for table in visits small; do
  units=$([ $table = visits ] && echo allowed || echo 'allowed WHERE person < 2000')
  check "$table: four rows of each unit, and each unit once" "$(sql "SELECT sum(n), count(*) FROM $units")" \
    "$(ask 'n, u' "SELECT dp_count(*), dp_count_distinct(person) FROM $table" 'n bigint, u bigint')"
  check "$table: two rows of each unit in a town" "$(sql "SELECT sum(least(in_3, 2)), sum((in_3 > 0)::int) FROM $units")" \
    "$(ask 'n, u' "SELECT town, dp_count(*), dp_count_distinct(person) FROM $table WHERE town = 3 GROUP BY town ORDER BY 2 DESC LIMIT 1" \
      't int, n bigint, u bigint' ', max_groups => 2')"
  check "$table: groups are found" 8 "$(ask 'count(*)' "SELECT town, dp_count(*) FROM $table GROUP BY town" 't int, n bigint' ", 1e-6, keys => 'discover'")"
  check "$table: units of whom a filter is true" "$(sql "SELECT count(*) FILTER (WHERE ill > 0) FROM $units")" \
    "$(ask u "SELECT dp_count_distinct(person) FILTER (WHERE cost >= 0) FROM $table WHERE ill" 'u bigint')"
done
check "one town of each unit" "$(sql 'SELECT count(*) FROM allowed')" \
  "$(ask 'sum(u)' 'SELECT town, dp_count_distinct(person) FROM visits GROUP BY town' 't int, u bigint' ', max_groups => 1')"
check "a join with a public table" "$(sql 'SELECT sum(n) FROM allowed')" \
  "$(ask 'sum(n)' 'SELECT zone, dp_count(*) FROM visits JOIN places USING (town) GROUP BY zone' 'z text, n bigint')"
bins() {  # of a table: its units by their number of rows, 1 to 9
  sql "SELECT counts[2:10]::bigint[] FROM dpmix_internal.unit_histogram('$1', 1e5, 0, NULL)"
}
for table in visits small; do
  check "$table: units by all of their rows, in many shares and in one" \
    "$(sql "SELECT array_agg((SELECT count(*) FROM (SELECT FROM $table WHERE person IS NOT NULL GROUP BY person HAVING count(*) = n) u) ORDER BY n) FROM generate_series(1, 9) n")" \
    "$(bins $table)"
done
check "no unit is left out, and none counted twice" "$(sql 'SELECT count(*) FROM allowed')" \
  "$(sql "SELECT sum(c)::bigint FROM dpmix_internal.unit_histogram('visits', 1e5, 0, NULL) h, unnest(h.counts) c")"
sql "SELECT dpmix.set_max_rows_per_unit('visits', 1)" >/dev/null
check "another bound holds from then on" "$(sql 'SELECT count(*) FROM allowed')" "$(ask n 'SELECT dp_count(*) FROM visits' 'n bigint')"
sql "SELECT dpmix.set_max_rows_per_unit('visits', 4)" >/dev/null
check "a unit of 20000 rows counts for four" 4 "$(ask n 'SELECT dp_count(*) FROM visits WHERE person = 7' 'n bigint')"

# Units and keys of every type: GROUP BY and dpmix see the same. A value is written in two ways where its type has two.
session >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('low', 'middle', 'high');
CREATE TABLE kinds AS
  SELECT i % 997 AS number,
         CASE WHEN i % 2 = 0 THEN (i % 997)::numeric ELSE ((i % 997) || '.000')::numeric END AS numeric,
         CASE WHEN i % 997 = 0 AND i % 2 = 0 THEN '-0'::float8 ELSE (i % 997) / 8.0::float8 END AS float8,
         CASE WHEN i % 997 = 5 THEN 'NaN' ELSE (i % 997)::float4 END AS float4,
         'person ' || repeat('x', (i % 997) * 4) || i % 997 AS text,
         ('c' || i % 997)::char(9) AS bpchar, ('n' || i % 997)::name AS name, ('v' || i % 997)::varchar AS varchar,
         md5((i % 997)::text)::uuid AS uuid, ('10.0.' || i % 997 % 250 || '.' || i % 997 / 250)::inet AS inet,
         date '2000-01-01' + i % 997 AS date, timestamp '2000-01-01' + (i % 997) * interval '1 s' AS timestamp,
         timestamptz '2000-01-01 UTC' + (i % 997) * interval '1 s' AS timestamptz, time '00:00' + (i % 997) * interval '1 s' AS time,
         CASE WHEN i % 2 = 0 THEN (i % 997) * interval '24 h' ELSE (i % 997) * interval '1 day' END AS interval,
         (i % 997)::money AS money, (i % 997)::int2 AS int2, (i % 997)::int8 - 500 AS int8, (i % 997)::oid AS oid,
         decode(md5((i % 997)::text), 'hex') AS bytea, (ARRAY['low', 'middle', 'high'])[1 + i % 3]::mood AS mood, i % 2 = 0 AS bool
  FROM generate_series(1, 20000) i;
SQL
for unit in $(sql "SELECT attname FROM pg_attribute WHERE attrelid = 'kinds'::regclass AND attnum > 0 ORDER BY attnum"); do
  outcome=$(session <<SQL
SET client_min_messages = error;
CREATE TABLE of_$unit AS SELECT "$unit" AS unit, number FROM kinds;
SELECT dpmix.protect('of_$unit', 1e7, .1, privacy_unit => 'unit', max_rows_per_unit => 3, accountant => 'basic');
SELECT p.n = s.n AND p.u = s.u FROM dpmix.query('SELECT dp_count(*), dp_count_distinct(unit) FROM of_$unit', 1e5) p(n bigint, u bigint),
  (SELECT sum(least(n, 3)) AS n, count(*) AS u FROM (SELECT count(*) n FROM of_$unit GROUP BY unit) g) s;
SQL
)
  check "units of type $unit" t "$(tail -n 1 <<<"$outcome")"
done
session >/dev/null <<'SQL'
SET client_min_messages = warning;
CREATE TABLE of_kinds AS SELECT row_number() OVER () % 1000 AS person, k.* FROM kinds k;
SELECT dpmix.protect('of_kinds', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 100, accountant => 'basic');
SQL
for key in numeric text varchar uuid date timestamp int2 int8 mood bool; do
  check "groups of type $key" t "$(sql "
    SELECT count(*) = count(e.k) AND bool_and(q.n = e.n AND q.u = e.u) AND count(*) = (SELECT count(DISTINCT \"$key\") FROM kinds)
      FROM dpmix.query('SELECT \"$key\", dp_count(*), dp_count_distinct(person) FROM of_kinds GROUP BY 1', 1e5, 1e-6, keys => 'discover') AS q(k $key, n bigint, u bigint)
      LEFT JOIN (SELECT \"$key\" AS k, count(*) AS n, count(DISTINCT person) AS u FROM of_kinds GROUP BY 1) e USING (k)")"
done

# What no hash tells apart, and too many keys.
sql "CREATE TABLE of_bits AS SELECT (i % 8)::bit(3) AS unit FROM generate_series(1, 100) i" >/dev/null
sql "SELECT dpmix.protect('of_bits', 1, 0, privacy_unit => 'unit', max_rows_per_unit => 3, accountant => 'basic')" >/dev/null
check_match "units of a type without hashes: refused" 'PV002: rows of privacy units of type bit cannot be sampled' \
  "$(sql "SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM of_bits', 1)")"
keys=$(seq -s ', ' -f 'cost + %g' 98)
check_match "too many keys: refused" 'PV002: the query has too many group keys' \
  "$(sql "SELECT * FROM dpmix.preview('SELECT $keys, dp_count(*) FROM small GROUP BY $keys', 1, 1e-6, keys => 'discover')")"
# Whoever writes a temporary file makes the folder where it goes.
rm -rf "$CLUSTER/data/base/pgsql_tmp"
ask 'count(*)' 'SELECT town, dp_count(*), dp_count_distinct(person) FROM visits GROUP BY town' 't int, n bigint, u bigint' ', max_groups => 2' >/dev/null
ask 'count(*)' 'SELECT cost, ill, dp_count(*) FROM visits GROUP BY 1, 2' 'c int, i bool, n bigint' ", 1e-6, keys => 'discover'" >/dev/null
ask 'count(*)' 'SELECT person + 1, dp_count(*) FROM visits GROUP BY 1' 'p int, n bigint' ", 1e-6, keys => 'discover'" >/dev/null
check "no temporary file" none "$(ls "$CLUSTER/data/base/pgsql_tmp" 2>/dev/null || echo none)"
sql "SELECT count(*) FROM (SELECT DISTINCT ON (cost) * FROM visits ORDER BY cost, person) t" >/dev/null
check "which a sort of these rows would have" some "$([ -d "$CLUSTER/data/base/pgsql_tmp" ] && echo some)"
