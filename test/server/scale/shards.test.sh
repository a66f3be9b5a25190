#!/usr/bin/env bash
# States of four databases, sent as text and as bytes, merged in a fifth: those of all rows in one database, bit for
# bit, for every statistics aggregate and for random private queries (test/server/query/property.sql), whatever the
# settings of each database. DPMIX_SEED: other tables and queries; `make soak` takes new ones each time.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off" "max_connections = 60"
seed=${DPMIX_SEED:-1} queries=12
if [ -n "${DPMIX_SOAK:-}" ]; then seed=${DPMIX_SEED:-$RANDOM} queries=100; fi
databases="whole s1 s2 s3 s4"
in_database() { PGOPTIONS='-c client_min_messages=warning' psql -XqAt -v ON_ERROR_STOP=1 -d "$@"; }

# All rows, in one database: random tables with NULL, NaN, infinities, values out of bounds and undeclared categories
sql 'CREATE DATABASE whole'
in_database whole -c 'CREATE EXTENSION dpmix' -c 'CREATE SCHEMA shared' -f test/server/query/property.sql -f test/server/scale/shards.sql
in_database whole >/dev/null <<SQL
INSERT INTO feature SELECT unnest('{filter,moments,released,expressions,quantiles}'::text[]);
SELECT setseed($seed / 1e6);
-- Tables whose units may have several rows have no states: the random ones have none, as "units" is no feature here.
CREATE TABLE asked (n serial PRIMARY KEY, query text, params text[] DEFAULT '{}');
-- Numbers of values that are not declared do not add up over databases, and are refused.
CREATE FUNCTION adds_up(query text) RETURNS boolean LANGUAGE plpgsql AS \$\$
BEGIN
    PERFORM dpmix.partial_sql(query);
    RETURN true;
EXCEPTION WHEN SQLSTATE 'PV002' THEN
    RETURN SQLERRM NOT LIKE 'numbers of different values%';
END \$\$;
DO \$\$
BEGIN
    FOR t IN 1..3 LOOP
        LOOP  -- rows, and one table with few
            PERFORM make_table('t' || t);
            EXIT WHEN (SELECT CASE WHEN t = 3 THEN reltuples < 10 ELSE reltuples > 50 END FROM pg_class WHERE relname = 't' || t);
            PERFORM dpmix.unprotect('t' || t);
            EXECUTE format('DROP TABLE %I CASCADE', 't' || t);
            DELETE FROM bound WHERE tab = 't' || t;
            DELETE FROM unit_rows WHERE tab = 't' || t;
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE id %% 3 = 2 AND t = %L', 't' || t, 'x');  -- a shard without a group
        INSERT INTO asked (query)
            SELECT q FROM (SELECT (random_query('t' || t, 1)).query AS q FROM generate_series(1, $queries)) r WHERE adds_up(q);
    END LOOP;
END \$\$;
-- Keys that are no columns, joins, parameters, a text that is not ASCII
CREATE TABLE visits (id int PRIMARY KEY, town text, day date, seen timestamp, cost numeric, at timestamptz);
INSERT INTO visits SELECT i, (ARRAY['Åre', 'a\\b''c', 'Lund', 'elsewhere'])[i % 4 + 1], date '2023-12-20' + i % 40, timestamp '2024-01-01' + i * interval '5 hours 7 minutes', i * 1.1,
    timestamptz '2024-01-01 00:00+00' + i * interval '5 hours 7 minutes'
    FROM generate_series(1, 400) i;
SELECT dpmix.protect('visits', 1e7, .1), dpmix.set_bounds('visits', 'cost', 0, 333.3), dpmix.set_bounds('visits', 'day', date '2023-12-01', date '2024-02-29'),
       dpmix.set_bounds('visits', 'seen', timestamp '2024-01-01', timestamp '2024-03-31'), dpmix.set_categories('visits', 'town', ARRAY['Lund', 'Åre', 'a\\b''c', 'none']);
CREATE TABLE towns (town text PRIMARY KEY, size float8);
INSERT INTO towns VALUES ('Åre', .1), ('Lund', 1 / 3.0);
SELECT dpmix.declare_public('towns');
INSERT INTO asked (query, params) VALUES
    ('SELECT town AS k1, dp_avg(cost), dp_count(*) FROM visits GROUP BY town', '{}'),
    ('SELECT dp_count(*), dp_count(cost) FILTER (WHERE at > \$2) FROM visits WHERE at < \$1', '{2024-02-10 00:00:00+05:45,2024-01-10 23:30:00-03:30}'),
    ('SELECT day AS k1, dp_sum(cost) FROM visits WHERE day >= \$1 GROUP BY day', '{2023-12-31}'),
    ('SELECT date_trunc(''month'', seen) AS k1, extract(hour FROM seen) AS k2, dp_var(cost / 3) FROM visits WHERE seen < \$1 GROUP BY 1, extract(hour FROM seen)', '{2024-02-10 00:00:00.123456}'),
    ('SELECT width_bucket(cost, 0, 333.3, 7) AS k1, day > ''2024-01-03'' AS k2, dp_count(town), dp_count_distinct(town) FROM visits GROUP BY 1, 2', '{}'),
    ('SELECT town AS k1, dp_avg(cost * least(greatest(size, 0), 1)), dp_quantile(cost, .1), dp_histogram(cost, ''{0,0.1,1e-300,3e2}'') FROM visits JOIN towns USING (town) GROUP BY town', '{}'),
    ('SELECT upper(visits.town) AS k1, dp_sum(least(greatest(size, -1), 1)) FROM visits LEFT JOIN towns ON towns.town = visits.town AND size > 0.3333333333333333 GROUP BY 1', '{}');
UPDATE asked SET query = replace(query, '{0,0.1,1e-300,3e2}', '{0,1e-300,0.1,3e2}');
INSERT INTO data SELECT i, (hash_numeric_extended(i, 0) % 3)::int + 2,
       CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 'NaN' WHEN i % 83 = 0 THEN 'Infinity'
            WHEN i % 79 = 0 THEN '-Infinity' ELSE hash_numeric_extended(i, 1) / 1e17 END::float8,
       CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN '{1,NULL}' WHEN i % 83 = 0 THEN '{NaN,1}' WHEN i % 79 = 0 THEN '{-Infinity,1}'
            ELSE ARRAY[hash_numeric_extended(i, 2) / 1e17, hash_numeric_extended(i, 3) / 1e17]::float8[] END
  FROM generate_series(1, 6000) i;
DELETE FROM data WHERE i % 3 = 2 AND class = 1;
SQL

# Its rows, in four: by a third each, and none
for shard in 1 2 3 4; do
  sql "CREATE DATABASE s$shard TEMPLATE whole"
  in_database "s$shard" >/dev/null <<SQL
DELETE FROM data WHERE i % 3 + 1 <> $shard;
DELETE FROM visits WHERE id % 3 + 1 <> $shard;
DELETE FROM t1 WHERE id % 3 + 1 <> $shard; DELETE FROM t2 WHERE id % 3 + 1 <> $shard; DELETE FROM t3 WHERE id % 3 + 1 <> $shard;
SQL
done
sql "ALTER DATABASE s1 SET extra_float_digits = -15; ALTER DATABASE s1 SET DateStyle = 'SQL, DMY'; ALTER DATABASE s1 SET TimeZone = 'Asia/Kathmandu'"
sql "ALTER DATABASE s2 SET client_encoding = LATIN1; ALTER DATABASE s2 SET bytea_output = escape; ALTER DATABASE s2 SET IntervalStyle = iso_8601"
sql "ALTER DATABASE s3 SET standard_conforming_strings = off; ALTER DATABASE s3 SET DateStyle = 'German'; ALTER DATABASE s3 SET quote_all_identifiers = on"
sql "ALTER DATABASE s4 SET search_path = shared, public; ALTER DATABASE s4 SET TimeZone = 'America/St_Johns'"

# The statistics of each query as a view, in each database; what these hold as bytes, in files; all of it as one text
as_server mkdir "$CLUSTER/data/sent"
publish() {  # database
  in_database "$1" <<SQL
SET client_encoding = UTF8;
CREATE TEMP TABLE texts AS SELECT n, dpmix.partial_sql(query, params) AS text FROM asked;
SET standard_conforming_strings = on;
SELECT format('CREATE OR REPLACE VIEW shared.q_%s WITH (security_barrier) AS %s', n, text) FROM texts ORDER BY n \gexec
SELECT format('COPY (SELECT * FROM shared.%s) TO ''$CLUSTER/data/sent/$1.%1\$s'' (FORMAT binary)', relname) FROM pg_class WHERE relname LIKE 'q\_%' AND relkind = 'v' \gexec
CREATE TABLE IF NOT EXISTS shared.digests (name text, digest text);
TRUNCATE shared.digests;
SET extra_float_digits = 1;
SET DateStyle = ISO;
SET bytea_output = hex;
SELECT format('INSERT INTO shared.digests SELECT %L, coalesce(md5(string_agg(r::text, E''\n'' ORDER BY r::text COLLATE "C")), ''none'') FROM shared.%1\$I r', relname)
  FROM pg_class WHERE relname LIKE 'q\_%' AND relkind = 'v' \gexec
SQL
}
for database in $databases; do publish "$database"; done
asked=$(in_database whole -c 'SELECT count(*) FROM asked')
town=$(in_database whole -c "SELECT n FROM asked WHERE query LIKE 'SELECT town AS k1, dp_avg(cost), %'")
for shard in 1 2 3 4; do
  check "database $shard writes the same $asked texts as the whole" "$(in_database whole -c "SELECT md5(string_agg(dpmix.partial_sql(query, params), '' ORDER BY n)) FROM asked")" \
    "$(in_database "s$shard" -c "SET client_encoding = UTF8; SELECT md5(string_agg(dpmix.partial_sql(query, params), '' ORDER BY n)) FROM asked")"
  check "database $shard: partial returns what the view does, under its settings" 't|t' "$(in_database "s$shard" -c "SELECT count(*) > 0 OR $shard = 4, count(*) = count(*) FILTER (WHERE EXISTS (SELECT FROM shared.q_$town v WHERE v::text = p::text)) AND count(*) = (SELECT count(*) FROM shared.q_$town)
    FROM dpmix.partial((SELECT query FROM asked WHERE n = $town)) AS p(k1 text, sum_cost dpmix.exact_state, rows bigint)")"
done

# The coordinator: foreign tables, dblink, and what was sent as bytes
sql 'CREATE DATABASE merged'
in_database merged -c 'CREATE EXTENSION dpmix; CREATE EXTENSION postgres_fdw; CREATE EXTENSION dblink; CREATE TYPE feeling AS ENUM ('\''low'\'', '\''high'\'', '\''never'\'')' \
  -c 'CREATE SCHEMA bytes'
for database in $databases; do
  in_database merged <<SQL
CREATE SERVER $database FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$PGHOST', dbname '$database');
CREATE USER MAPPING FOR CURRENT_USER SERVER $database OPTIONS (user 'postgres');
CREATE SCHEMA $database;
IMPORT FOREIGN SCHEMA shared FROM SERVER $database INTO $database;
SQL
done
in_database merged <<SQL
SELECT format('CREATE TABLE bytes.%s AS SELECT * FROM whole.%1\$s WHERE false', relname) FROM pg_class WHERE relnamespace = 'whole'::regnamespace AND relname LIKE 'q\_%' \gexec
SELECT format('COPY bytes.%s FROM ''$CLUSTER/data/sent/s%s.%1\$s'' (FORMAT binary)', relname, shard)
  FROM pg_class, generate_series(1, 4) shard WHERE relnamespace = 'bytes'::regnamespace AND relname LIKE 'q\_%' \gexec
-- The states of name, merged: keys are called k1, k2
CREATE FUNCTION merged(name text, how text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
    columns text;
    list text;
    keys text;
    sources text;
    digest text;
BEGIN
    SELECT string_agg(quote_ident(attname) || ' ' || format_type(atttypid, NULL), ', ' ORDER BY attnum),
           string_agg(CASE WHEN attname ~ '^k\d\$' THEN attname ELSE format('dpmix.merge(%I)', attname) END, ', ' ORDER BY attnum),
           string_agg(attname, ', ') FILTER (WHERE attname ~ '^k\d\$') INTO columns, list, keys
      FROM pg_attribute WHERE attrelid = ('whole.' || name)::regclass AND attnum > 0;
    SELECT string_agg(CASE how WHEN 'foreign tables' THEN format('SELECT * FROM s%s.%I', shard, name)
                               WHEN 'dblink' THEN format('SELECT * FROM dblink(''host=$PGHOST dbname=s%s options=''''-c extra_float_digits=-15'''''', ''SELECT * FROM shared.%s'') AS t(%s)', shard, name, columns) END,
                      ' UNION ALL ') INTO sources FROM generate_series(1, 4) shard;
    IF how = 'bytes' THEN sources := format('SELECT * FROM bytes.%I', name); END IF;
    EXECUTE format('SELECT coalesce(md5(string_agg(r::text, E''\n'' ORDER BY r::text COLLATE "C")), ''none'') FROM (SELECT %s FROM (%s) AS s%s) AS r',
                   list, sources, ' GROUP BY ' || keys) INTO digest;
    RETURN digest;
END \$\$;
SQL
for how in 'foreign tables' dblink bytes; do
  check "$how: $asked private queries and all statistics aggregates over four databases, merged (seed $seed)" "$((asked + 2)) of $((asked + 2))" \
    "$(in_database merged -c "SELECT count(*) FILTER (WHERE merged(name, '$how') = digest) || ' of ' || count(*) FROM whole.digests WHERE name LIKE 'q%'")"
done
in_database merged -c "SELECT name FROM whole.digests WHERE merged(name, 'foreign tables') <> digest ORDER BY name" | head -n 5
check 'the tables have rows in three databases, the queries groups' t "$(in_database merged -c "SELECT (SELECT count(DISTINCT digest) > $asked / 2 FROM whole.digests) AND
  (SELECT count(*) FILTER (WHERE w.digest <> s.digest) > $asked / 2 FROM whole.digests w JOIN s1.digests s USING (name)) AND
  (SELECT bool_or(rows > 0) FROM s1.q_1000) AND (SELECT bool_or(rows > 0) FROM s2.q_1000) AND (SELECT bool_or(rows > 0) FROM s3.q_1000) AND (SELECT rows = 0 FROM s4.q_1000)")"

# What is wrong is seen: a row less, other bounds on one shard
in_database s2 -c 'DELETE FROM visits WHERE id IN (SELECT min(id) FROM visits WHERE town = (SELECT max(town) FROM towns))'
check 'a row less in one database is noticed' t "$(in_database merged -c "SELECT count(*) > 2 FROM whole.digests WHERE name LIKE 'q%' AND merged(name, 'foreign tables') <> digest")"
in_database s3 -c "SELECT dpmix.set_bounds('visits', 'cost', 0, 333)" >/dev/null
name=q_$town
check 'a view keeps the bounds of its making' t "$(in_database merged -c "SELECT merged('$name', 'foreign tables') IS NOT NULL")"
publish s3
check 'other bounds in one database are refused' 'PV005' "$(sql "SELECT merged('$name', 'foreign tables')" merged | sed -n 's/^ERROR:  \(PV...\): states on different lattices.*/\1/p')"

# The owner of a shard's view lends exactly that: a coordinator that may read the view alone merges, and reads no row
in_database s1 -c "CREATE ROLE collector LOGIN; GRANT USAGE ON SCHEMA shared TO collector; GRANT SELECT ON shared.q_1000 TO collector"
in_database merged <<SQL
GRANT USAGE ON SCHEMA s1 TO collector;
GRANT USAGE ON FOREIGN SERVER s1 TO collector;
CREATE USER MAPPING FOR collector SERVER s1 OPTIONS (user 'collector', password_required 'false');
GRANT SELECT ON s1.q_1000 TO collector;
CREATE FOREIGN TABLE s1.data (i int) SERVER s1 OPTIONS (schema_name 'public');
GRANT SELECT ON s1.data TO collector;
SQL
check 'a role with SELECT on a view alone merges its states' t "$(PGUSER=collector sql 'SELECT (dpmix.numbers(dpmix.merge(sums)))[1] > 1000 FROM s1.q_1000' merged)"
check 'and reads no row' 'ERROR:  42501: permission denied for table data' "$(PGUSER=collector sql 'SELECT * FROM s1.data' merged | head -n 1)"

# No private answer comes from foreign tables: they are refused as parts of a protected table, before and after
in_database merged >/dev/null <<SQL
CREATE TABLE visits (id int, town text, day date, seen timestamp, cost numeric, at timestamptz) PARTITION BY RANGE (id);
CREATE TABLE visits_here PARTITION OF visits FOR VALUES FROM (MINVALUE) TO (0);
SELECT dpmix.protect('visits', 1, 1e-6);
CREATE FOREIGN TABLE visits_there PARTITION OF visits FOR VALUES FROM (0) TO (MAXVALUE) SERVER s1 OPTIONS (schema_name 'public', table_name 'visits');
SQL
for function in query partial; do
  check "$function over a foreign partition is refused" 'PV005 It has a foreign partition.' \
    "$(sql "SELECT * FROM dpmix.$function('SELECT dp_count(*) FROM visits'$([ $function = query ] && echo ', .1')) AS t(n bigint)" merged | sed -n 's/^ERROR:  \(PV...\):.*/\1/p; s/^DETAIL:  //p' | paste -sd ' ')"
done
