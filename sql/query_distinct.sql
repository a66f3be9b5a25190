-- dp_count_distinct of any column or expression: as count(DISTINCT) of PostgreSQL, at an epsilon that leaves next to
-- no noise.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE distinct_mood AS ENUM ('low', 'high');
CREATE TABLE distinct_rows (id int PRIMARY KEY, who int NOT NULL, region text NOT NULL, s smallint, i int, l bigint, f float8, n numeric, t text, d date, at timestamp, b boolean,
    u uuid, m distinct_mood, bits bytea, doc jsonb, plain json, list int[]);
SELECT setseed(.3);
INSERT INTO distinct_rows SELECT i, i / 3, (ARRAY['north', 'south', 'west', 'away'])[1 + i % 4], random() * 40, nullif((random() * 300)::int, 7), (random() * 90)::int * 1e12,
    CASE i % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL WHEN 2 THEN -0.0 WHEN 3 THEN 0 ELSE (random() * 100)::int / 8.0 END, round((random() * 60)::numeric, 1 + i % 3), 'text ' || (random() * 200)::int,
    date '2020-01-01' + (random() * 100)::int, timestamp '2020-01-01' + (random() * 100)::int * interval '1 hour', random() < .5,
    ('00000000-0000-0000-0000-' || lpad(((random() * 70)::int)::text, 12, '0'))::uuid, (ARRAY['low', 'high'])[1 + i % 2]::distinct_mood, decode(lpad(to_hex((random() * 80)::int), 4, '0'), 'hex'),
    jsonb_build_object('a', (random() * 30)::int), '{}', ARRAY[i % 7]
FROM generate_series(1, 3000) AS i;
CREATE TABLE distinct_sampled (LIKE distinct_rows);
INSERT INTO distinct_sampled SELECT * FROM distinct_rows;
CREATE TABLE distinct_region (name text PRIMARY KEY, kind text);
INSERT INTO distinct_region VALUES ('north', 'cold'), ('south', 'warm'), ('west', 'cold');
SELECT dpmix.declare_public('distinct_region');
SELECT dpmix.protect(t, 1e7, 1e-6, privacy_unit => p, max_rows_per_unit => m) FROM (VALUES ('distinct_rows'::regclass, NULL::name, 1), ('distinct_sampled', 'who', 3)) AS v(t, p, m);
SELECT dpmix.set_categories(t, 'region', '{north,south,west}') FROM unnest('{distinct_rows,distinct_sampled}'::regclass[]) AS t;
SELECT dpmix.set_bounds(t, 'i', 0, 300) FROM unnest('{distinct_rows,distinct_sampled}'::regclass[]) AS t;

-- Every form: number of groups, and whether each is PostgreSQL's own number
CREATE FUNCTION compared(tab text, expression text, plain text, rest text DEFAULT '', keys text DEFAULT 'declared') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format($q$SELECT concat_ws(' ', count(*), bool_and(p.n IS NOT DISTINCT FROM q.n), min(p.n))
        FROM dpmix.query(%L, 1e4, %s, keys => %L) AS p(k text, n bigint) FULL JOIN (%s) AS q(k, n) USING (k)$q$,
        format('SELECT region, dp_count_distinct(%s) FROM %I %s', expression, tab, rest || CASE WHEN rest ~ 'GROUP' THEN '' ELSE ' GROUP BY region' END),
        CASE keys WHEN 'discover' THEN '1e-7' ELSE '0' END, keys,
        format($q$SELECT region, count(DISTINCT %s) FROM %I %s$q$, plain, tab,
               CASE WHEN rest ~ 'WHERE' THEN replace(rest, 'WHERE', 'WHERE region <> ''away'' AND ') ELSE rest || ' WHERE region <> ''away''' END || ' GROUP BY region'))
    INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT tab, e AS expression, compared(tab, e, coalesce(plain, e)) FROM unnest('{distinct_rows,distinct_sampled}'::text[]) AS tab,
    (VALUES ('s', NULL), ('i', NULL), ('l', NULL), ('f', 'nullif(f, ''NaN'')'), ('n', NULL), ('t', NULL), ('d', NULL), ('at', NULL), ('b', NULL), ('u', NULL), ('m', NULL), ('bits', NULL), ('doc', NULL),
            ('i / 10', NULL), ('upper(t)', NULL), ('i + s', NULL), ('CASE WHEN i > 100 THEN t END', NULL), ('d + 1', NULL), ('i > 100', NULL), ('region', NULL)) AS v(e, plain) ORDER BY 1, 2;
SELECT compared('distinct_rows', 't', 't', 'WHERE i < 100'), compared('distinct_sampled', 't', 't', 'WHERE i < 100'), compared('distinct_rows', 't) FILTER (WHERE b', 't) FILTER (WHERE b');
SELECT count(*), bool_and(p.n = q.n) FROM dpmix.query('SELECT t, dp_count_distinct(i) FROM distinct_rows GROUP BY t', 1e4, 1e-7, keys => 'discover') AS p(t text, n bigint)
    FULL JOIN (SELECT t, count(DISTINCT i) AS n FROM distinct_rows GROUP BY t) AS q USING (t);
-- Several in one query, equal ones once, two keys, a key that is an expression, a join
SELECT * FROM dpmix.query('SELECT dp_count_distinct(t), dp_count_distinct(i), dp_count_distinct(t) FILTER (WHERE i < 30), dp_count(*), dp_count_distinct(region) FROM distinct_rows', 1e4)
    AS t(a bigint, b bigint, c bigint, n bigint, r bigint)
EXCEPT SELECT count(DISTINCT t), count(DISTINCT i), count(DISTINCT t) FILTER (WHERE i < 30), count(*), 3 FROM distinct_rows;
SELECT count(*), bool_and(p.n = q.n) FROM dpmix.query('SELECT region, i / 100 AS h, dp_count_distinct(t) FROM distinct_rows GROUP BY 1, 2', 1e4) AS p(region text, h int, n bigint)
    JOIN (SELECT region, i / 100 AS h, count(DISTINCT t) AS n FROM distinct_rows GROUP BY 1, 2) AS q ON (q.region, q.h) IS NOT DISTINCT FROM (p.region, p.h);
SELECT bool_and(p.n = q.n) FROM dpmix.query('SELECT kind, dp_count_distinct(t) FROM distinct_rows JOIN distinct_region ON name = region GROUP BY kind', 1e4) AS p(kind text, n bigint)
    JOIN (SELECT kind, count(DISTINCT t) AS n FROM distinct_rows JOIN distinct_region ON name = region GROUP BY kind) AS q USING (kind);
SELECT * FROM dpmix.query('SELECT dp_count_distinct(t), dp_count_distinct(i) FROM distinct_rows WHERE false', 1e4) AS t(a bigint, b bigint);
-- The unit, and what sampling leaves of its rows
SELECT * FROM dpmix.query('SELECT dp_count_distinct(who), dp_count_distinct(who + 0) FROM distinct_sampled', 1e4) AS t(a bigint, b bigint)
EXCEPT SELECT count(DISTINCT who), count(DISTINCT who) FROM distinct_sampled;
SELECT output_column, statistic, sensitivity FROM dpmix.preview('SELECT dp_count_distinct(t) AS t, dp_count_distinct(t) + 1 AS more, dp_count_distinct(i / 2) AS half FROM distinct_rows', 1, mechanism => 'laplace');
SELECT statistic, sensitivity FROM dpmix.preview('SELECT dp_count_distinct(t) FROM distinct_sampled', 1, mechanism => 'laplace');
SELECT bool_and(low <= n AND n <= high AND high - low < 10) FROM dpmix.query('SELECT dp_count_distinct(t), dp_low(dp_count_distinct(t)), dp_high(dp_count_distinct(t)) FROM distinct_rows', 1) AS t(n bigint, low float8, high float8);
-- Refused
CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM dpmix.preview(query, 1);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT e, refusal(format('SELECT dp_count_distinct(%s) FROM distinct_rows', e)) FROM unnest('{plain,list,distinct_rows,ctid,random(),*,"t, i",i / 0,"i::text::int"}'::text[]) AS e;
SET dpmix.scan_memory = '1MB';
SELECT n, refusal('SELECT dp_count_distinct(t) FROM distinct_sampled') FROM generate_series(1, 1) AS n;
INSERT INTO distinct_sampled SELECT r.* FROM distinct_rows AS r, generate_series(1, 20);
ANALYZE distinct_sampled;
SELECT n, refusal('SELECT dp_count_distinct(t) FROM distinct_sampled') FROM generate_series(1, 1) AS n;
SELECT * FROM dpmix.query('SELECT dp_count_distinct(t) FROM distinct_sampled', 1) AS t(n bigint);
RESET dpmix.scan_memory;
SELECT n, refusal('SELECT dp_count_distinct(t) FROM distinct_sampled') FROM generate_series(1, 1) AS n;
SELECT dpmix.partial_sql('SELECT dp_count_distinct(t) FROM distinct_rows');
SELECT dpmix.dp_count_distinct(t) FROM distinct_rows;
SELECT kind, count(*) > 20 AS charged FROM dpmix.ledger WHERE relation LIKE '%distinct\_rows' GROUP BY kind;
DROP TABLE distinct_rows, distinct_sampled, distinct_region;
DROP TYPE distinct_mood;
DROP FUNCTION compared, refusal;
