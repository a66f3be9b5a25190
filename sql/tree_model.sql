-- Tree models: release, rows of every type, use, rights, refusals. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE tree_owner;
CREATE ROLE tree_analyst;
CREATE ROLE tree_stranger;
CREATE SCHEMA tree AUTHORIZATION tree_owner;
GRANT USAGE ON SCHEMA tree TO PUBLIC;
SET search_path = tree;
SET TimeZone = 'UTC';
SET ROLE tree_owner;

-- Every type, NULLs, NaN, infinities, values beyond bounds and undeclared ones. Long texts lie out of line.
CREATE TYPE tree.mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN tree.percent AS numeric(5,2) CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN tree.word AS text NOT NULL CHECK (length(VALUE) < 10);
CREATE DOMAIN tree.age AS integer NOT NULL;
CREATE TABLE tree.people (
    gone text, f8 float8, f4 real, i2 smallint, i4 integer NOT NULL, i8 bigint, n52 numeric(5,2), n numeric, d date, ts timestamp, tz timestamptz(0),
    b boolean, bn boolean NOT NULL, e tree.mood, x text, long text, v varchar(8), c char(5), u uuid, dp tree.percent, w tree.word, a tree.age,
    "Odd ""name$" text, "SELECT" integer, ncat numeric, dcat date, bcat boolean, other json, kind text, PRIMARY KEY (i8, i4));
ALTER TABLE tree.people DROP COLUMN gone;
ALTER TABLE tree.people ALTER long SET STORAGE EXTERNAL;
INSERT INTO tree.people
SELECT CASE i % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' ELSE (i % 100)::float8 END,
       CASE WHEN i % 9 = 0 THEN 1e30 ELSE i % 7 END, i % 5, i % 50, i::bigint * 1000000, (i % 100)::numeric / 4,
       CASE i % 30 WHEN 7 THEN 'NaN' WHEN 8 THEN 1e300 WHEN 9 THEN -1e300 ELSE i % 10 END,
       CASE i % 50 WHEN 7 THEN 'infinity' WHEN 8 THEN '-infinity' ELSE date '2020-01-01' + i % 500 END,
       CASE i % 50 WHEN 7 THEN 'infinity' ELSE timestamp '2020-01-01' + i * interval '1 hour' END, timestamptz '2020-01-01 UTC' + i * interval '1 hour',
       i % 3 = 0, i % 4 = 0, (enum_range(NULL::tree.mood))[1 + i % 3], 'x' || i % 4, repeat(md5((i % 2)::text), 200), 'v' || i % 3, 'c' || i % 3,
       ('00000000-0000-0000-0000-00000000000' || i % 3)::uuid, i % 101, 'w' || i % 3, i % 90, 'odd' || i % 2, i % 3, (i % 3)::numeric / 2,
       date '2020-01-01' + i % 2, CASE WHEN i % 7 > 0 THEN i % 2 = 0 END, '{}', CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 'undeclared' ELSE 'k' || i % 2 END
FROM generate_series(1, 4000) AS i;
SELECT dpmix.protect('tree.people', 1e7, 0.1, accountant => 'basic');
SELECT count(dpmix.set_bounds('tree.people', column_name, 0, 100)) FROM unnest('{f8,f4,i2,i4,n52,n,dp,a}'::name[]) AS column_name;
SELECT dpmix.set_bounds('tree.people', 'i8', 0, 1e10), dpmix.set_bounds('tree.people', 'd', date '2020-01-01', date '2022-01-01'),
       dpmix.set_bounds('tree.people', 'ts', timestamptz '2020-01-01', timestamptz '2021-01-01'), dpmix.set_bounds('tree.people', 'tz', timestamptz '2020-01-01', timestamptz '2021-01-01');
SELECT count(dpmix.set_categories('tree.people', column_name, categories))
FROM (VALUES ('e'::name, '{sad,ok,happy}'::text[]), ('x', '{x0,x1,x2}'), ('long', ARRAY[repeat(md5('0'), 200), repeat(md5('1'), 200)]), ('v', '{v0,v1,v2}'), ('c', '{c0,c1}'),
             ('u', '{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001}'), ('w', '{w0,w1,w2,w7}'), ('Odd "name$', '{odd0,odd1}'), ('SELECT', '{0,1,2}'),
             ('ncat', '{0,0.50,1}'), ('dcat', '{2020-01-01,2020-01-02}'), ('bcat', '{true,false}'), ('kind', '{k0,k1,nobody}')) AS v(column_name, categories);
SELECT dpmix.grant_access('tree.people', 'tree_analyst');
CREATE FUNCTION tree.names() RETURNS name[] LANGUAGE sql
RETURN '{f8,f4,i2,i4,i8,n52,n,d,ts,tz,b,bn,e,x,long,v,c,u,dp,w,a,"Odd \"name$",SELECT,ncat,dcat,bcat}'::name[];
SELECT mechanism, p.epsilon, p.delta, mu > 0 AS mu, noise_stddev > 0 AS noise_stddev, charge_cost, charge_delta, calls_left FROM dpmix.preview(format('SELECT dpmix.release_tree(%L, %L, %L, 1000, 1e-6, label => %L)', 'tree all', 'tree.people', tree.names(), 'kind')) AS p;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'tree.people';
SELECT s.name, relation, columns, edges, s.epsilon, s.delta, abs(count_stddev - p.stddev) < 1e-9 AS as_previewed, abs(rows_estimated - 3200) < 20 AS rows_estimated, quality
FROM (SELECT noise_stddev AS stddev FROM dpmix.preview(format('SELECT dpmix.release_tree(%L, %L, %L, 1000, 1e-6, label => %L)', 'tree all', 'tree.people', tree.names(), 'kind'), details => true)) AS p,
     dpmix.release_tree('tree all', 'tree.people', tree.names(), 1000, 1e-6, label => 'kind') AS s;
SELECT s.name, columns, edges, abs(rows_estimated - 4000) < 20 AS rows_estimated FROM dpmix.release_tree('equal', 'tree.people', tree.names(), 1000, 1e-6, bins => 'equal') AS s;
SELECT kind, mechanism, l.epsilon, l.delta, release, parameters->'features' AS features, parameters->'label' AS label, parameters->'edges' AS edges, parameters->'chords' AS chords,
       (SELECT array_agg(s->>'statistic') FROM jsonb_array_elements(parameters->'statistics') AS s) AS statistics
FROM dpmix.ledger AS l WHERE relation = 'tree.people' ORDER BY id;
SELECT r.name, relation, kind, method, maker, adjacency, features = tree.names() AS features, feature_types, label, labels, components, covariance, objective, dimensions,
       (SELECT array_agg(round(n / 100)) FROM unnest(rows_estimated) AS n) AS hundreds, count_stddev < 1 AS count_stddev, quality
FROM dpmix.releases AS r WHERE maker = 'tree_owner' ORDER BY name;

-- Rows of the table's own type: what it declares is kept.
CREATE TABLE tree.made (LIKE tree.people INCLUDING ALL);
ALTER TABLE tree.made DROP CONSTRAINT made_pkey;
INSERT INTO tree.made SELECT * FROM dpmix.sample('tree all', NULL::tree.people, 4000);
CREATE TABLE tree.plain AS SELECT * FROM dpmix.sample('equal', NULL::tree.people, 4000);
CREATE VIEW tree.both AS SELECT 'private bins' AS bins, * FROM tree.made UNION ALL SELECT 'equal bins', * FROM tree.plain;
SELECT bins, count(*), num_nulls(VARIADIC array_agg(i4)) + num_nulls(VARIADIC array_agg(bn)) + num_nulls(VARIADIC array_agg(w)) + num_nulls(VARIADIC array_agg(a)) + num_nulls(VARIADIC array_agg(i8)) AS nulls,
       bool_and(f8 BETWEEN 0 AND 100) AS f8, bool_and(f4 BETWEEN 0 AND 100) AS f4, bool_and(i2 BETWEEN 0 AND 100) AS i2, bool_and(i4 BETWEEN 0 AND 100) AS i4, bool_and(i8 BETWEEN 0 AND 1e10) AS i8,
       bool_and(n52 BETWEEN 0 AND 100) AS n52, bool_and(n BETWEEN 0 AND 100) AS n, bool_and(dp BETWEEN 0 AND 100) AS dp, bool_and(a BETWEEN 0 AND 100) AS a,
       bool_and(d BETWEEN '2020-01-01' AND '2022-01-01') AS d, bool_and(ts BETWEEN '2020-01-01' AND '2021-01-01') AS ts, bool_and(tz BETWEEN '2020-01-01' AND '2021-01-01' AND tz = date_trunc('second', tz)) AS tz
FROM tree.both GROUP BY bins ORDER BY bins;
SELECT bins, count(*) FILTER (WHERE x IS NULL) BETWEEN 900 AND 1100 AS undeclared, count(*) FILTER (WHERE c IS NULL) BETWEEN 1200 AND 1450 AS undeclared_c, count(f8) BETWEEN 3450 AND 3600 AS f8_nulls,
       bool_and(x IN ('x0', 'x1', 'x2')) AS x, bool_and(long IN (repeat(md5('0'), 200), repeat(md5('1'), 200))) AS long, bool_and(v ~ '^v[012]$') AS v, array_agg(DISTINCT c::text || '.') FILTER (WHERE c IS NOT NULL) AS c,
       count(DISTINCT u) AS u, count(DISTINCT w) >= 3 AS w, array_agg(DISTINCT ncat) FILTER (WHERE ncat IS NOT NULL) AS ncat, count(DISTINCT dcat) AS dcat, count(bcat) BETWEEN 3380 AND 3480 AS bcat_nulls,
       count(other) AS other, count(DISTINCT e) AS e
FROM tree.both GROUP BY bins ORDER BY bins;
-- Values are as frequent as they were, and what depends on each other does so still.
SELECT column_name, max(abs(difference)) < 160 AS near
FROM (SELECT column_name, value, sum(CASE WHEN made THEN 1 ELSE -1.25 END * .8) AS difference
      FROM (SELECT false AS made, to_jsonb(p) AS row FROM tree.people AS p WHERE kind IN ('k0', 'k1') UNION ALL SELECT true, to_jsonb(m) FROM tree.made AS m) AS rows,
           unnest('{i2,b,bn,e,v,w,SELECT,dcat,bcat,kind}'::text[]) AS column_name, LATERAL (SELECT row->>column_name) AS t(value) GROUP BY column_name, value) AS d
GROUP BY column_name ORDER BY column_name;
SELECT avg((i2 = i4 % 5)::int) > .9 AS i2_of_i4, avg((b = (e = 'sad'))::int) > .9 AS b_of_e, avg(((kind = 'k0') = ("Odd ""name$" = 'odd0'))::int) > .9 AS odd_of_kind FROM tree.made;
-- Every block of rows has each class as often as the model says, but for less than one row.
SELECT kind, abs(count(*) - 1000 * r.rows / r.total) < 1 AS apportioned
FROM dpmix.sample('tree all', NULL::tree.people, 1000), (SELECT rows, sum(rows) OVER () AS total, class FROM dpmix.releases, unnest(labels, rows_estimated) AS t(class, rows) WHERE name = 'tree all') AS r
WHERE class = kind AND kind IN ('k0', 'k1') GROUP BY kind, r.rows, r.total ORDER BY kind;
-- Nobody was asked for a label.
SELECT count(kind) AS labels FROM tree.plain;

-- Rows of other types.
CREATE TYPE tree.others AS (f8 integer, d timestamp, ts date, b boolean, x varchar(10), note text);
SELECT dpmix.release_tree('few', 'tree.people', '{f8,d,ts,b,x}', 1000, 1e-6, label => 'kind') IS NOT NULL AS released;
SELECT count(*), bool_and(f8 BETWEEN 0 AND 100) AS f8, bool_and(d = date_trunc('day', d)) AS d, bool_and(ts BETWEEN '2020-01-01' AND '2021-01-01') AS ts, count(note) AS note
FROM dpmix.sample('few', NULL::tree.others, 1000);
CREATE DOMAIN tree.never_null AS text CHECK (VALUE IS NOT NULL);
CREATE DOMAIN tree.below_50 AS float8 CHECK (VALUE < 50);
CREATE TYPE tree.bad_null AS (f8 float8, d date, ts timestamp, b boolean, x tree.never_null);
CREATE TYPE tree.bad_bounds AS (f8 tree.below_50, d date, ts timestamp, b boolean, x text);
CREATE TYPE tree.bad_text AS (f8 float8, d date, ts timestamp, b boolean, x tree.mood);
CREATE TYPE tree.bad_kind AS (f8 date, d date, ts timestamp, b boolean, x text);
CREATE TYPE tree.bad_other AS (f8 float8, d date, ts timestamp, b boolean, x text, more tree.word);
CREATE TYPE tree.short AS (f8 float8);
CREATE FUNCTION tree.refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', SQLSTATE, message, CASE WHEN detail = '' OR hint = '' THEN '(no detail or hint)' END);
END $$;
SELECT tree.refusal(format('SELECT count(*) FROM dpmix.sample(%s)', arguments)), arguments
FROM unnest(ARRAY[$$'few', NULL::tree.bad_null, 10$$, $$'few', NULL::tree.bad_bounds, 10$$, $$'few', NULL::tree.bad_text, 10$$, $$'few', NULL::tree.bad_kind, 10$$, $$'few', NULL::tree.bad_other, 10$$,
    $$'few', NULL::tree.short, 10$$, $$'few', NULL::integer, 10$$, $$'few', NULL::tree.people, 0$$, $$'few', NULL::tree.people, -1$$, $$'few', NULL::tree.people, 1000000001$$,
    $$'few', NULL::tree.people, NULL$$, $$NULL, NULL::tree.people, 10$$, $$'nothing', NULL::tree.people, 10$$, $$'few', NULL::tree.people, 10$$]) AS arguments;
SELECT count(*) FROM dpmix.sample('few', NULL::tree.others, 1);

-- What depends on each other.
SELECT count(*), count(DISTINCT (least(a, b), greatest(a, b))) AS pairs, count(*) FILTER (WHERE NOT chord) AS edges, bool_and(mutual_information >= 0) AS positive, bool_and(a <> b) AS apart FROM dpmix.tree_edges('tree all');
SELECT (xpath('count(//*[local-name()="path"])', svg::xml))[1]::text::int >= 25 AS lines, (xpath('//*[local-name()="title"]/text()', svg::xml))[1]::text AS title, svg ~ '^[\n -~]*$' AS ascii, svg ~ 'Odd &#34;name\$' AS escaped
FROM dpmix.draw('tree all') AS svg;
SELECT count(*) AS alone FROM dpmix.release_tree('one', 'tree.people', '{b}', 100, 1e-6) AS s, dpmix.tree_edges(s.name);
SELECT (xpath('count(//*[local-name()="circle"])', dpmix.draw('one')::xml))[1] AS columns;

-- Probabilities of all rows of a small table sum to 1. Some categories are too rare to have a count of their own.
CREATE TABLE tree.small (a text, b boolean, c integer, d integer NOT NULL, k text);
INSERT INTO tree.small SELECT 'a' || i % 3, i % 5 < 2, i % 4, i % 4, 'k' || i % 2 FROM generate_series(1, 3000) AS i;
INSERT INTO tree.small VALUES ('rare', NULL, 7, 7, 'k0'), ('rarer', true, NULL, 8, 'k1');
SELECT dpmix.protect('tree.small', 1e6, 0.1, accountant => 'basic'), dpmix.set_categories('tree.small', 'a', '{a0,a1,a2,rare,rarer,rarest}'), dpmix.set_bounds('tree.small', 'c', 0, 9),
       dpmix.set_bounds('tree.small', 'd', 0, 9), dpmix.set_categories('tree.small', 'k', '{k0,k1,k2}');
SELECT edges FROM dpmix.release_tree('small', 'tree.small', '{a,b,c,d}', 10, 1e-6, label => 'k');
SELECT least(a, b), greatest(a, b), mutual_information BETWEEN .6 AND .8 AS nats, chord FROM dpmix.tree_edges('small') LIMIT 1;
SELECT edges FROM dpmix.release_tree('smaller', 'tree.small', '{a,b,c,d}', .5, 1e-6);
CREATE TABLE tree.space AS SELECT a, b, c, d FROM unnest('{a0,a1,a2,rare,rarer,rarest,NULL}'::text[]) AS a, unnest('{true,false,NULL}'::boolean[]) AS b, generate_series(0, 10) AS i, LATERAL (SELECT nullif(i, 10)) AS t(c), generate_series(0, 9) AS d;
SELECT release, abs(sum(dpmix.tree_probability(release, s)) - 1) < 1e-6 AS sums_to_1, bool_and(dpmix.tree_probability(release, s) >= 0) AS positive FROM tree.space AS s, unnest('{small,smaller}'::text[]) AS release GROUP BY release ORDER BY release;
SELECT abs(sum(dpmix.tree_probability('small', t)) - 1) < 1e-6 AS with_labels FROM (SELECT s.*, k FROM tree.space AS s, unnest('{k0,k1,k2,other}'::text[]) AS k) AS t;
SELECT max(dpmix.tree_probability('small', t)) AS undeclared FROM (SELECT s.*, 'other' AS k FROM tree.space AS s) AS t;
SELECT abs(dpmix.tree_probability('small', t) - (SELECT sum(dpmix.tree_probability('small', u)) FROM (SELECT t.a, t.b, t.c, t.d, k FROM unnest('{k0,k1,k2}'::text[]) AS k) AS u)) < 1e-12 AS without_a_label, dpmix.tree_probability('small', n) = 0 AS not_null
FROM (SELECT 'a1' AS a, true AS b, 1 AS c, 1 AS d) AS t, (SELECT 'a1' AS a, true AS b, 1 AS c, NULL::integer AS d) AS n;
SELECT abs(dpmix.tree_probability('small', t) / (SELECT count(*) / 3002.0 FROM tree.small AS s WHERE (s.a, s.b, s.c, s.d) = ('a1', false, 0, 0)) - 1) < .2 AS as_counted FROM (SELECT 'a1' AS a, false AS b, 0 AS c, 0 AS d) AS t;
SELECT avg((dpmix.classify('small', s) = k)::int) > .95 AS mostly_right FROM tree.small AS s;
SELECT avg((dpmix.classify('tree all', p) = kind)::int) > .95 AS mostly_right FROM tree.people AS p WHERE kind LIKE 'k_';
-- Values are compared as values, whatever their texts look like.
SET datestyle = 'German';
SELECT count(*) FILTER (WHERE dpmix.tree_probability('tree all', p) > 0) AS possible, count(*) FILTER (WHERE kind LIKE 'k_') AS declared FROM (SELECT * FROM tree.people WHERE kind IS NOT NULL) AS p;
SELECT count(*) AS same FROM (SELECT a.*, b.p - a.p AS difference FROM
    (SELECT i8, dpmix.tree_probability('tree all', p) AS p FROM tree.people AS p) AS a JOIN (SELECT i8, dpmix.tree_probability('tree all', p) AS p FROM
        (SELECT f8, f4::numeric, i2::bigint, i4::float8, i8, n52::float8, n, d::timestamp, ts::timestamptz, tz, b, bn, e::text, x::varchar, long, v::char(9), c::char(9), u, dp::numeric, w::text, a::int, "Odd ""name$", "SELECT"::numeric(5,3), ncat::numeric(9,4), dcat, bcat, kind::name FROM tree.people) AS p) AS b USING (i8)) AS t
WHERE difference = 0;
RESET datestyle;
SELECT tree.refusal(format('SELECT dpmix.%s', call)), call FROM unnest(ARRAY[$$tree_probability('small', t) FROM (SELECT 1 AS a) AS t$$, $$tree_probability('small', t) FROM (SELECT 'a0' AS a, true AS b, 'x' AS c, 1 AS d) AS t$$,
    $$tree_probability('small', t) FROM (SELECT 'a0' AS a, true AS b, date '2020-01-01' AS c, 1 AS d) AS t$$, $$tree_probability('small', t) FROM (SELECT 1 AS a, true AS b, 1 AS c, 1 AS d) AS t$$,
    $$classify('small', t) FROM (SELECT '{}'::json AS a, true AS b, 1 AS c, 1 AS d) AS t$$, $$classify('small', ROW(1, 2))$$, $$classify('smaller', s) FROM tree.small AS s$$,
    $$tree_probability('nothing', s) FROM tree.small AS s$$, $$tree_edges(NULL)$$, $$draw(NULL)$$, $$draw('nothing')$$]) AS call;
SELECT dpmix.tree_probability('small', NULL::tree.small) AS no_row, dpmix.tree_probability(NULL, s) AS no_name FROM tree.small AS s LIMIT 1;
-- Rows of one type after the other, in one call site.
SELECT count(DISTINCT dpmix.tree_probability('small', r)) FROM (SELECT 'a1' AS a, true AS b, 1 AS c, 1 AS d) AS one, (SELECT 1 AS d, 'k0' AS k, 1 AS c, true AS b, 'a1'::varchar AS a) AS two, generate_series(1, 100) AS i, LATERAL (SELECT CASE WHEN i % 2 = 0 THEN one::record ELSE two::record END) AS t(r);
-- Within parallel workers.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(*) FILTER (WHERE dpmix.classify('small', s) = 'k0') FROM tree.small AS s;
SELECT count(*) FILTER (WHERE dpmix.classify('small', s) = 'k0') - 1501 BETWEEN -50 AND 50 AS parallel FROM tree.small AS s;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- An empty table, one of NULLs alone, and a budget too small to be of use: rows all the same.
CREATE TABLE tree.empty (x float8, n integer NOT NULL, t text, k text);
SELECT dpmix.protect('tree.empty', 1e6, 0.1, accountant => 'basic'), dpmix.set_bounds('tree.empty', 'x', -1, 1), dpmix.set_bounds('tree.empty', 'n', 0, 3), dpmix.set_categories('tree.empty', 't', '{a,b}'), dpmix.set_categories('tree.empty', 'k', '{k0,k1}');
SELECT epsilon, label, rows_estimated >= 0 AS rows_estimated, made, good, dpmix.drop_release('tree empty')::text || probabilities AS probabilities
FROM (VALUES (1e-6, NULL::name), (1e-6, 'k'), (1, 'k'), (1e5, 'k')) AS v(epsilon, label), LATERAL dpmix.release_tree('tree empty', 'tree.empty', '{x,n,t}', v.epsilon, 1e-6, label => v.label) AS s(a, b, c, d, e, f, g, rows_estimated, h),
     LATERAL (SELECT count(*) AS made, bool_and((x IS NULL OR x BETWEEN -1 AND 1) AND n BETWEEN 0 AND 3 AND (t IS NULL OR t IN ('a', 'b')) AND (k IS NULL) = (v.label IS NULL)) AS good,
                     bool_and(dpmix.tree_probability(s.a, r) BETWEEN 0 AND 1 + 1e-9)::text AS probabilities FROM dpmix.sample(s.a, NULL::tree.empty, 100) AS r) AS r;
CREATE TABLE tree.nulls AS SELECT NULL::float8 AS x, NULL::integer AS n, NULL::text AS t, 'k0' AS k FROM generate_series(1, 1000);
SELECT dpmix.protect('tree.nulls', 1e6, 0.1, accountant => 'basic'), dpmix.set_bounds('tree.nulls', 'x', -1, 1), dpmix.set_bounds('tree.nulls', 'n', 0, 3), dpmix.set_categories('tree.nulls', 't', '{a,b}'), dpmix.set_categories('tree.nulls', 'k', '{k0,k1}');
SELECT s.name, count(r.k) AS labels, count(x) < 20 AS x, count(n) < 20 AS n, count(t) < 20 AS t FROM dpmix.release_tree('nulls', 'tree.nulls', '{x,n,t}', 100, 1e-6, label => 'k') AS s, dpmix.sample(s.name, NULL::tree.nulls, 1000) AS r GROUP BY s.name;

-- Refusals: nothing is charged.
CREATE TABLE tree.units (person integer, v integer, k text);
CREATE TABLE tree.open (x integer);
CREATE TABLE tree.labelled (x integer, y integer, k text, l text);
INSERT INTO tree.labelled SELECT i % 3, i % 7, 'k' || i % 3 % 2, 'l' FROM generate_series(1, 3000) AS i;
CREATE TABLE tree.stays (day date, v integer);
INSERT INTO tree.stays SELECT date '2026-01-01' + i % 30, i % 30 / 10 FROM generate_series(1, 3000) AS i;
CREATE TABLE tree.replaced AS SELECT * FROM tree.small;
SELECT dpmix.protect('tree.units', 100, .01, privacy_unit => 'person', max_rows_per_unit => 3), dpmix.protect('tree.labelled', 1e6, .01, adjacency => 'label', label => 'k', accountant => 'basic'),
       dpmix.protect('tree.stays', 1000, .01, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'), dpmix.protect('tree.replaced', 1e6, .01, adjacency => 'replace', accountant => 'basic');
SELECT dpmix.set_bounds('tree.units', 'v', 0, 3), dpmix.set_bounds('tree.stays', 'v', 0, 3), dpmix.set_bounds('tree.labelled', 'x', 0, 3), dpmix.set_bounds('tree.labelled', 'y', 0, 7), dpmix.set_categories('tree.labelled', 'k', '{k0,k1}'), dpmix.set_categories('tree.labelled', 'l', '{l}'),
       dpmix.set_bounds('tree.replaced', 'c', 0, 9), dpmix.set_categories('tree.replaced', 'k', '{k0,k1}');
CREATE TABLE tree.many (c text, k text);
SELECT dpmix.protect('tree.many', 100, .01), dpmix.set_categories('tree.many', 'c', ARRAY(SELECT i::text FROM generate_series(1, 2000) AS i)), dpmix.set_categories('tree.many', 'k', ARRAY(SELECT i::text FROM generate_series(1, 1000) AS i));
CREATE TABLE tree.before AS SELECT count(*) FROM dpmix.ledger;
SELECT tree.refusal('SELECT dpmix.release_tree(' || arguments || ')'), tree.refusal('SELECT * FROM dpmix.preview($$SELECT dpmix.release_tree(' || arguments || ')$$)') = tree.refusal('SELECT dpmix.release_tree(' || arguments || ')') AS previewed, left(arguments, 90) AS arguments
FROM unnest(ARRAY[
    $$'new', 'tree.people', '{}', 1, 1e-6$$, $$'new', 'tree.people', '{nothing}', 1, 1e-6$$, $$'new', 'tree.people', '{f8,f8}', 1, 1e-6$$, $$'new', 'tree.people', '{f8,NULL}', 1, 1e-6$$,
    $$'new', 'tree.people', string_to_array(repeat('c,', 100) || 'c', ',')::name[], 1, 1e-6$$, $$'new', 'tree.people', '{f8,kind}', 1, 1e-6, label => 'kind'$$, $$'new', 'tree.people', '{f8}', 1, 1e-6, label => 'nothing'$$,
    $$'new', 'tree.people', '{f8}', 1, 1e-6, label => 'ts'$$, $$'new', 'tree.people', '{other}', 1, 1e-6$$, $$'new', 'tree.people', '{ctid}', 1, 1e-6$$, $$'new', 'tree.replaced', '{a}', 1, 1e-6$$, $$'new', 'tree.replaced', '{d}', 1, 1e-6$$, $$'new', 'tree.replaced', '{c}', 1, 1e-6, label => 'a'$$,
    $$'new', 'tree.people', '{f8}', 0, 1e-6$$, $$'new', 'tree.people', '{f8}', 'NaN', 1e-6$$, $$'new', 'tree.people', '{f8}', 1e8, 1e-6$$, $$'new', 'tree.people', '{f8}', 1, 0$$, $$'new', 'tree.people', '{f8}', 1, .6$$, $$'new', 'tree.people', '{f8}', 1, -1$$,
    $$'new', 'tree.people', '{f8}', 1, 1e-6, bins => 'few'$$, $$'', 'tree.people', '{f8}', 1, 1e-6$$, $$repeat('n', 201), 'tree.people', '{f8}', 1, 1e-6$$,
    $$NULL, 'tree.people', '{f8}', 1, 1e-6$$, $$'new', NULL, '{f8}', 1, 1e-6$$, $$'new', 'tree.people', NULL, 1, 1e-6$$, $$'new', 'tree.people', '{f8}', NULL, 1e-6$$, $$'new', 'tree.people', '{f8}', 1, NULL$$,
    $$'new', 'tree.people', '{f8}', 1, 1e-6, blocks => '[2026-01-01,)'$$, $$'new', 'tree.stays', '{v}', 1, 1e-6$$, $$'new', 'tree.stays', '{v}', 1, 1e-6, blocks => 'January'$$,
    $$'new', 'tree.many', '{c}', 1, 1e-6, label => 'k'$$, $$'new', 'tree.labelled', '{x}', 1, 1e-6$$, $$'new', 'tree.labelled', '{x}', 1, 1e-6, label => 'l'$$, $$'new', 'tree.open', '{x}', 1, 1e-6$$, $$'new', 'tree.both', '{f8}', 1, 1e-6$$, $$'new', 'tree.small', '{b}', 2e6, 1e-6$$]) AS arguments;
SELECT tree.refusal(statement), statement FROM unnest(ARRAY[
    $$SELECT dpmix.release_tree('tree all', 'tree.people', '{f8}', 1, 1e-6)$$,
    $$SELECT dpmix.gmm('tree all')$$, $$SELECT dpmix.gmm_posterior('tree all', p) FROM (SELECT 1 AS f8) AS p$$, $$SELECT dpmix.draw('tree all', 'f8')$$, $$SELECT dpmix.draw('tree all', level => .9)$$, $$SELECT dpmix.gmm_kl('tree all', 'tree all')$$]) AS statement;
SELECT (SELECT count(*) FROM dpmix.ledger) - count AS charges FROM tree.before;
SELECT components FROM dpmix.release_gmm('mixture', 'tree.people', '{i4}', 10, 1e-6, label => 'kind');
SELECT tree.refusal(statement), statement FROM unnest(ARRAY[$$SELECT dpmix.tree_edges('mixture')$$, $$SELECT dpmix.draw('mixture', level => .9)$$, $$SELECT dpmix.draw('mixture', 'nothing')$$,
    $$SELECT dpmix.tree_probability('mixture', p) FROM tree.people AS p$$]) AS statement;

-- Other neighbours, and blocks: a neighbour that is replaced moves two cells.
SELECT abs(count_stddev / (SELECT noise_stddev FROM dpmix.preview($$
    SELECT dpmix.release_tree('new', 'tree.small', '{c}', 1, 1e-6, label => 'k')$$, details => true)) / sqrt(2) - 1) < 1e-6 AS twice
FROM dpmix.release_tree('replaced', 'tree.replaced', '{c}', 1, 1e-6, label => 'k', bins => NULL);
SELECT s.edges, avg((m.x = 1)::int) FILTER (WHERE m.k = 'k1') > .9 AS x_of_k FROM dpmix.release_tree('labelled', 'tree.labelled', '{x,y}', 100, 1e-6, label => 'k') AS s, dpmix.sample(s.name, NULL::tree.labelled, 1000) AS m GROUP BY s.edges;
SELECT name, adjacency FROM dpmix.releases WHERE name IN ('replaced', 'labelled') ORDER BY name;
SELECT abs(rows_estimated - 1000) < 50 AS rows_estimated, avg((m.v = 1)::int) > .9 AS of_these_days FROM dpmix.release_tree('stays', 'tree.stays', '{v}', 10, 1e-6, blocks => '[2026-01-11,2026-01-21)') AS s, dpmix.sample(s.name, NULL::tree.stays, 1000) AS m GROUP BY 1;
SELECT blocks FROM dpmix.ledger WHERE release = 'stays';

CREATE TYPE tree.flags AS (b boolean, bn boolean, x text);
-- Who may: those with access, without a right to the table itself.
SET ROLE tree_analyst;
SELECT columns FROM dpmix.release_tree('tree analyst', 'tree.people', '{b,bn,x}', 100, 1e-6);
SELECT count(*) FROM tree.people;
SELECT count(*) FROM dpmix.sample('tree analyst', NULL::tree.flags, 10);
SELECT count(*) > 0 AS edges FROM dpmix.tree_edges('tree all');
SELECT name, kind FROM dpmix.releases WHERE name IN ('tree all', 'tree analyst', 'small') ORDER BY name;
SET ROLE tree_stranger;
SELECT dpmix.release_tree('stranger', 'tree.people', '{b}', 1, 1e-6);
SELECT * FROM dpmix.preview($$SELECT dpmix.release_tree('stranger', 'tree.people', '{b}', 1, 1e-6)$$);
SELECT count(*) FROM dpmix.sample('tree analyst', NULL::tree.flags, 10);
SELECT count(*) FROM dpmix.tree_edges('tree analyst');
SELECT dpmix.draw('tree analyst');
SELECT dpmix.tree_probability('tree analyst', t) FROM (SELECT true AS b, true AS bn, 'x0' AS x) AS t;
SELECT dpmix.drop_release('tree analyst');
SELECT count(*) FROM dpmix.releases;
SET ROLE tree_analyst;
SELECT dpmix.drop_release('tree all');
SET ROLE tree_owner;
SELECT dpmix.revoke_access('tree.people', 'tree_analyst');
SET ROLE tree_analyst;
SELECT count(*) FROM dpmix.tree_edges('tree all');
SELECT count(*) > 0 AS own FROM dpmix.tree_edges('tree analyst');
SELECT dpmix.release_tree('more', 'tree.people', '{b}', 1, 1e-6);
SET ROLE tree_owner;
-- What is undone is charged; a name is free again.
BEGIN;
SELECT columns FROM dpmix.release_tree('tree undone', 'tree.people', '{b}', 1, 1e-6);
SELECT count(b) BETWEEN 0 AND 10 AS drawn FROM dpmix.sample('tree undone', NULL::tree.flags, 10);
ROLLBACK;
SELECT (SELECT count(*) FROM dpmix.releases WHERE name = 'tree undone') AS models, (SELECT count(*) FROM dpmix.ledger WHERE release = 'tree undone') AS charges;
SELECT dpmix.drop_release('tree analyst'), dpmix.drop_release('equal');
SELECT dpmix.draw('tree analyst');
-- A column that is gone, one that is renamed: the model keeps what it was made of.
ALTER TABLE tree.people DROP COLUMN f4;
ALTER TABLE tree.people RENAME i2 TO i22;
SELECT count(*) FROM dpmix.sample('tree all', NULL::tree.people, 10);
SELECT count(*), bool_and(i4 IS NOT NULL) AS i4 FROM dpmix.sample('tree all', NULL::tree.made, 10);

-- What it was made with is the superuser's to break: an error, and no more.
RESET ROLE;
CREATE FUNCTION tree.broken(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text[];
BEGIN
    EXECUTE format('UPDATE dpmix.release SET %s WHERE name = ''small''', change);
    said := ARRAY[tree.refusal($q$SELECT count(*) FROM dpmix.sample('small', NULL::tree.small, 1000)$q$), tree.refusal($q$SELECT count(*) FROM dpmix.tree_edges('small')$q$),
                  tree.refusal($q$SELECT dpmix.draw('small')$q$), tree.refusal($q$SELECT dpmix.classify('small', s) FROM tree.small AS s$q$)];
    RAISE EXCEPTION USING ERRCODE = 'ZZZZZ', MESSAGE = (SELECT string_agg(DISTINCT s, '; ') FROM unnest(said) AS s);
EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
    RETURN SQLERRM;
END $$;
SELECT tree.broken(change), change FROM unnest(ARRAY['model = NULL', 'model = ''{}''', 'model = model[1:10]', 'model = model || ''{1}''::float8[]', 'model[1] = 1e9', 'model[1] = ''NaN''', 'model[2] = 0', 'model[2] = 101', 'model[3] = -1', 'model[4] = ''Infinity''',
    'texts = ''{}''', 'texts = texts || ''{more}''::text[]', 'labels = ''{k0}''', 'features = ''{a}''', 'kind = ''gmm''']) AS change;
SELECT count(*) FILTER (WHERE tree.broken(format('model[%s] = %s', i, value)) IS NULL) AS no_answer, count(*) > 200 AS many
FROM (SELECT cardinality(model) AS n FROM dpmix.release WHERE name = 'small') AS t, generate_series(1, n, 7) AS i, unnest('{-1,1,"''NaN''",1e300}'::text[]) AS value;

SELECT dpmix.drop_release(name) FROM dpmix.releases WHERE maker IN ('tree_owner', 'tree_analyst');
SELECT count(dpmix.unprotect(relation)) FROM dpmix.budget WHERE relation::text ~ '^(tree\.)?(people|small|empty|nulls|units|labelled|stays|replaced|many)$';
DROP SCHEMA tree CASCADE;
DROP ROLE tree_owner, tree_analyst, tree_stranger;
