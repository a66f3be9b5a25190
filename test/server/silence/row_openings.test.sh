#!/usr/bin/env bash
# Nothing that a row decides is looked up in a catalog, in any process: over every function, operator, construct and
# aggregate that queries may use, and every kind of release, the processes of a release touch as many buffers while they
# run whether rows come that far or not. Counted by a probe in each process: with workers alone, which are always new,
# and in new processes without workers.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/openings.sh
probed_cluster
psql -X -q <<'SQL'
SET ROLE olga;
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('sad', 'happy');
ALTER TYPE mood ADD VALUE 'so so' BEFORE 'happy';
CREATE TYPE late AS ENUM ();
ALTER TYPE late ADD VALUE 'b';
ALTER TYPE late ADD VALUE 'a' BEFORE 'b';
CREATE TABLE people (id int, b boolean, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, num numeric, t text, v varchar(20), p char(10),
  c text COLLATE "C", x text COLLATE "POSIX", y text COLLATE "C.utf8", z text COLLATE "en-x-icu", d date, ts timestamp, tz timestamptz, u uuid, e mood, l late,
  tm time, iv interval, a int[], r int4range, j jsonb, far text);
ALTER TABLE people ALTER far SET STORAGE EXTERNAL;
INSERT INTO people SELECT i, i % 2 = 0, i % 90, i, i, i, i / 3.0, i / 7.0, 'p' || i, 'v' || i, 'q' || i, 'c' || i % 50, 'x' || i, 'y' || i, 'z' || i,
  date '2020-01-01' + i % 99, timestamp '2020-01-01' + i * interval '1 h', timestamptz '2020-01-01 UTC' + i * interval '1 h',
  md5(i::text)::uuid, (enum_range(NULL::mood))[1 + i % 3], (enum_range(NULL::late))[1 + i % 2], time '00:00' + i * interval '3 min', i * interval '5 h', ARRAY[i, 7], int4range(i, i + 9),
  jsonb_build_object('i', i), repeat(md5(i::text), 100) FROM generate_series(1, 400) AS i;
UPDATE people SET f4 = 'NaN', f8 = '-Infinity', num = 'NaN', t = 'ÄÖÜ ' || repeat('x', 3000), d = 'infinity', ts = '-infinity' WHERE id = 8;
VACUUM (FREEZE, ANALYZE) people;
SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.set_bounds('people', column_name, 0, 100) FROM unnest('{i2,i4,i8,f4,f8,num}'::text[]) AS column_name \g /dev/null
SELECT dpmix.set_categories('people', 'c', (SELECT array_agg('c' || i) FROM generate_series(0, 49) AS i)) \g /dev/null
SELECT dpmix.set_categories('people', 'e', '{sad,so so,happy}') \g /dev/null
SELECT dpmix.set_categories('people', 'l', '{a,b}') \g /dev/null
SELECT dpmix.set_categories('people', 'i2', (SELECT array_agg(i::text) FROM generate_series(0, 89) AS i)) \g /dev/null
SELECT dpmix.grant_access('people', 'ana', max_charges_per_minute => 1000000) \g /dev/null
SQL

# What may stand over rows: whatever dpmix admits of what PostgreSQL has for these types.
PGUSER=ana psql -X -q -A -t >"$CLUSTER/admitted" <<'SQL'
SET client_min_messages = error;
CREATE TABLE columns (type oid, name text, literal text);
INSERT INTO columns SELECT atttypid, quote_ident(attname), (CASE WHEN typname IN ('text', 'varchar', 'bpchar') THEN quote_literal('x%')
    WHEN typname IN ('date', 'timestamp', 'timestamptz') THEN quote_literal('2021-01-01') WHEN typname = 'uuid' THEN quote_literal(md5('1')) WHEN typname IN ('time', 'interval') THEN quote_literal('10:00')
    WHEN typname = 'bool' THEN 'true' WHEN typname = 'int4' THEN '3' END) || '::' || format_type(atttypid, NULL)
  FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid WHERE attrelid = 'people'::regclass AND attnum > 0;
CREATE TABLE tried (number serial, text text, boolean boolean, kind text, admitted boolean);
-- An operator of every pair of types, over two columns and over a column and a constant; of text with each collation.
INSERT INTO tried (text, boolean, kind)
  SELECT DISTINCT format('%s OPERATOR(pg_catalog.%s) %s', l.name, oprname, side), oprresult = 'bool'::regtype, 'operator'
    FROM pg_operator JOIN columns AS l ON l.type = oprleft JOIN columns AS r ON r.type = oprright
      CROSS JOIN LATERAL (VALUES (r.name), (r.literal)) AS s(side)
    WHERE side IS NOT NULL AND oprnamespace = 'pg_catalog'::regnamespace AND (l.type <> 'text'::regtype OR l.name = r.name OR side = r.literal)
  UNION SELECT format('%s %s %s', l.name, op, r.name), true, 'operator' FROM columns AS l JOIN columns AS r ON r.type = l.type,
      unnest('{=,<>,<,>=,IS DISTINCT FROM}'::text[]) AS op WHERE l.name IN ('e', 'l')
  UNION SELECT format('OPERATOR(pg_catalog.%s) %s', oprname, r.name), oprresult = 'bool'::regtype, 'operator'
    FROM pg_operator JOIN columns AS r ON r.type = oprright WHERE oprleft = 0;
INSERT INTO tried (text, boolean, kind)
  SELECT DISTINCT format('pg_catalog.%I(%s)', proname, concat_ws(', ', p.name, second, third)), prorettype = 'bool'::regtype, 'function'
    FROM pg_proc JOIN columns AS p ON p.type = proargtypes[0]
      LEFT JOIN columns AS q ON q.type = proargtypes[1] LEFT JOIN columns AS s ON s.type = proargtypes[2]
      CROSS JOIN LATERAL (VALUES (q.name, s.name), (q.literal, s.literal)) AS a(second, third)
    WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset AND provolatile <> 'v' AND pronargs = num_nonnulls(p.name, second, third)
      AND (pronargs < 2 OR p.name IN (SELECT min(name) FROM columns GROUP BY type)) AND (q.name IS NULL OR q.name IN (SELECT min(name) FROM columns GROUP BY type))
      AND (s.name IS NULL OR s.name IN (SELECT min(name) FROM columns GROUP BY type));
-- Constructs, over each column.
INSERT INTO tried (text, boolean, kind)
  SELECT format(text, name, literal), boolean, 'construct' FROM columns, (VALUES ('%1$s IS NULL', true), ('%1$s IN (%2$s, %2$s)', true), ('%1$s = ANY (ARRAY[%2$s, NULL])', true),
      ('%1$s <> ALL (ARRAY[%2$s])', true), ('%1$s BETWEEN %2$s AND %2$s', true), ('%1$s IS DISTINCT FROM %2$s', true), ('nullif(%1$s, %2$s)', false),
      ('coalesce(%1$s, %2$s)', false), ('greatest(%1$s, %2$s)', false), ('CASE %1$s WHEN %2$s THEN 1 ELSE 2 END', false),
      ('%1$s IN (%2$s, %2$s, %2$s, %2$s, %2$s, %2$s, %2$s, %2$s, %2$s, %2$s)', true), ('%1$s COLLATE "POSIX" < %2$s', true),
      ('%1$s COLLATE "ucs_basic" = %2$s', true), ('%1$s ILIKE %2$s', true), ('length(lower(upper(%1$s)))', false), ('length(%1$s || %1$s)', false)) AS c(text, boolean)
    WHERE format(text, name, literal) IS NOT NULL
  UNION SELECT format('%s > %L', name, label), true, 'construct' FROM columns, unnest('{happy,so so,b}'::text[]) AS label WHERE name IN ('e', 'l')
  UNION SELECT 'b IS NOT TRUE', true, 'construct' UNION SELECT 'ts::date < d', true, 'construct' UNION SELECT 'trunc(i4 / 3)', false, 'construct'
  UNION SELECT 'strpos(far, ''z'') = 0', true, 'construct'
  UNION SELECT format(text, name), true, 'construct' FROM unnest('{d,ts,tz}'::text[]) AS name, unnest(ARRAY['extract(year FROM %s) = 2020', 'date_part(''epoch'', %s) > 0', 'extract(julian FROM %s) > 0', 'date_trunc(''month'', %s) < ''2020-02-01''',
      'to_char(%s, ''Mon YYYY'') = ''Feb 2020''', 'to_char(%s, ''IYYY-IW'') > ''2020''', '%s + interval ''1 month'' > ''2020-02-01''', '%s - interval ''3 hours'' > ''2020-02-01''', 'date_trunc(''day'', %s, ''Asia/Kathmandu'') < ''2020-02-01''',
      'extract(epoch FROM ts - %s) > 0', 'extract(year FROM age(%s)) > 3', 'age(%s, ts) > ''1 day''', '%s > tz', '%s AT TIME ZONE ''America/St_Johns'' > ''2020-02-01''', '%s::timestamptz::date > d', '%s::timestamp::time > tm']) AS t(text)
  UNION SELECT text, true, 'construct' FROM unnest(ARRAY['date_bin(''15 min'', ts, ''2001-01-01'') > ''2020-02-01''', 'date_bin(''15 min'', tz, ''2001-01-01'') > ''2020-02-01''', 'extract(hour FROM tm) < 3', 'tm + interval ''30 min'' > ''12:00''', 'extract(epoch FROM iv) > 3600',
      'extract(day FROM iv) = 0', 'greatest(iv, ''3 h'') > ''4 h''', 'd + tm > ts', 'tm - time ''01:00'' > ''1 h''']) AS t(text);
UPDATE tried SET text = format('(%s) IS NOT NULL', text) WHERE NOT boolean;
-- Aggregates, of each column or two of a kind, and groups of each column, declared and found.
INSERT INTO tried (text, kind)
  SELECT format('%s(%s)', proname, name), 'aggregate' FROM (SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND prokind = 'a') AS p,
    (SELECT name FROM columns UNION SELECT name || ', ' || other FROM columns, unnest(ARRAY['.5', 'f8', 'i4', '''{0,10,20}''']) AS other
     UNION SELECT 'greatest(least(i4 * f4 + 3, 100), 0)' UNION SELECT 'extract(year FROM d)' UNION SELECT 'extract(epoch FROM greatest(least(ts - d, ''3 days''), ''0''))' UNION SELECT 'extract(hour FROM tz)' UNION SELECT 'length(t)' UNION SELECT 'lower(t)' UNION SELECT 'left(c, 1)') AS a(name);
INSERT INTO tried (text, kind) SELECT name, 'key' FROM columns UNION SELECT name, 'key'
  FROM unnest('{"date_trunc(''month'', ts)", "left(t, 1)", lower(c), "to_char(ts, ''YYYY-MM'')", "to_char(tz, ''Dy'')", "extract(year FROM tz) * 100 + extract(month FROM tz)", "width_bucket(f8, 0, 100, 10)", extract(year FROM d), "CASE WHEN b THEN ''yes'' END"}'::text[]) AS name;
SET search_path = public, dpmix;
CREATE FUNCTION asked(tried, rows text) RETURNS text LANGUAGE sql AS $f$
  SELECT format(CASE $1.kind WHEN 'aggregate' THEN 'SELECT %s AS n FROM people WHERE id IN (%s)' WHEN 'key' THEN 'SELECT %s AS k, dp_count(*) AS n FROM people WHERE id IN (%s) GROUP BY k'
    ELSE 'SELECT dp_count(*) FILTER (WHERE %s) AS n FROM people WHERE id IN (%s)' END, $1.text, rows) $f$;
DO $d$
DECLARE one tried;
BEGIN
  FOR one IN SELECT * FROM tried LOOP
    BEGIN
      PERFORM dpmix.preview(asked(one, '7,8'), 1, keys => CASE one.kind WHEN 'key' THEN 'discover' ELSE 'declared' END, delta => 1e-9);
      UPDATE tried SET admitted = true WHERE number = one.number;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
END $d$;
SELECT kind || ': ' || count(*) FILTER (WHERE admitted) || ' of ' || count(*) FROM tried GROUP BY kind ORDER BY 1;
SQL
check_match "dpmix admits much of what was tried" "^operator: [2-9][0-9]{2} " "$(cat "$CLUSTER/admitted")"

# Many to a call; a batch that differs is taken apart.
PGUSER=ana psql -X -q <<'SQL'
SET client_min_messages = error;
CREATE TABLE batches AS SELECT kind, array_agg(text ORDER BY number) AS texts
  FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY number) / CASE kind WHEN 'key' THEN 1 WHEN 'aggregate' THEN 10 ELSE 40 END AS batch FROM tried WHERE admitted) AS t
  GROUP BY kind, batch;
CREATE FUNCTION call_of(kind text, texts text[], discover boolean, rows text) RETURNS text LANGUAGE sql AS $f$
  SELECT format('SELECT FROM dpmix.query_json(%L, 1%s)', CASE kind WHEN 'key' THEN format('SELECT %s AS k, dp_count(*) FROM people WHERE id IN (%s) GROUP BY k', texts[1], rows)
    ELSE format('SELECT %s FROM people WHERE id IN (%s)', string_agg(format(CASE kind WHEN 'aggregate' THEN '%s AS n%s' ELSE 'dp_count(*) FILTER (WHERE %s) AS n%s' END, text, place), ', '), rows) END,
    CASE WHEN discover THEN ', 1e-9, keys => ''discover''' END)
  FROM unnest(texts) WITH ORDINALITY AS t(text, place) $f$;
CREATE FUNCTION differing(kind text, texts text[], discover boolean, fresh boolean) RETURNS TABLE (text text, touched bigint[]) LANGUAGE plpgsql AS $f$
DECLARE apart bigint[] := difference(call_of(kind, texts, discover, '-1,-2'), call_of(kind, texts, discover, '7,8'), fresh); n int := cardinality(texts);
BEGIN
  IF apart[1] = 0 AND apart[2] = 0 THEN RETURN; END IF;
  IF n = 1 THEN RETURN QUERY SELECT texts[1], apart; RETURN; END IF;
  RETURN QUERY SELECT * FROM differing(kind, texts[:n / 2], discover, fresh) UNION ALL SELECT * FROM differing(kind, texts[n / 2 + 1:], discover, fresh);
END $f$;
SQL
sweep() {
  local seen
  seen=$(PGUSER=ana session <<<"SET client_min_messages = error; SET search_path = public, dpmix; $2
WITH seen AS MATERIALIZED (SELECT d.* FROM batches AS b, (VALUES (true), (false)) AS f(discover), differing(kind, texts, discover, $3) AS d
WHERE discover AND kind = 'key' OR NOT discover AND (kind <> 'key' OR texts[1] IN ('b', 'c', 'e', 'l', 'i2')))
SELECT * FROM seen")
  check "$1" "" "$(head -n ${SHOWN:-5} <<<"$seen")"
}
check "workers take part" t "$(PGUSER=ana sql "SET search_path = public, dpmix; SET client_min_messages = error;
SELECT count(*) FILTER (WHERE (touched(call_of(kind, texts, false, '7'), false))[2] > 0) > 10 FROM (SELECT * FROM batches WHERE kind <> 'key' LIMIT 20) AS b")"
each_way "expressions over rows" sweep
