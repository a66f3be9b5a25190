-- Everybody has a place: NULL is a group, all undeclared values are one where the owner says so, constants that such
-- values lead to stay, and totals count everybody.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE placed (id int PRIMARY KEY, g text, kind text NOT NULL, code char(6), tag varchar(4), score float8, day date, dept int);
INSERT INTO placed
SELECT i, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN 'undeclared' WHEN i % 10 = 2 THEN 'Other' ELSE (ARRAY['a', 'b'])[1 + i % 2] END,
       CASE WHEN i % 4 = 0 THEN 'rare' ELSE 'x' END, CASE i % 3 WHEN 0 THEN 'k' WHEN 1 THEN 'zz' END, 't',
       CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN 'NaN'::float8 ELSE i % 100 END, CASE WHEN i % 7 > 0 THEN date '2024-01-01' + i % 60 END, nullif(i % 3, 2)
FROM generate_series(1, 10000) AS i;
CREATE TABLE placed_dept (dept int PRIMARY KEY, name text, head text NOT NULL);
INSERT INTO placed_dept VALUES (0, 'zero', 'ann'), (1, NULL, 'bob');
SELECT dpmix.declare_public('placed_dept');
SELECT dpmix.protect('placed', epsilon => 1e7, delta => .4);
SELECT FROM dpmix.declare('placed', '{"g": ["a", "b"], "kind": ["x"], "code": {"categories": ["k"], "other": true}, "score": [0, 100],
    "day": ["2024-01-01", "2024-02-10"], "dept": [0, 1]}');
CREATE SCHEMA placed_private;
SELECT dpmix.expose('placed', 'placed_private.placed', default_epsilon => 1000, default_delta => 1e-9);
CREATE FUNCTION placed_groups(query text, epsilon float8 DEFAULT 1e4) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', VARIADIC ARRAY(SELECT coalesce(value, '-') FROM json_each_text(o))), ', ' ORDER BY i)
    FROM dpmix.query_json(query, epsilon, 1e-6) WITH ORDINALITY AS t(o, i) $$;

-- NULL: of a nullable column, of what is computed of it, of several; not where the column is NOT NULL, nor where
-- conditions rule it out.
SELECT placed_groups('SELECT g, dp_count(*) FROM placed GROUP BY g');
SELECT placed_groups('SELECT kind, dp_count(*) FROM placed GROUP BY kind');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g IS NULL GROUP BY g');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g IS NOT NULL GROUP BY g');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g <> ''a'' GROUP BY g');
SELECT placed_groups('SELECT kind, dp_count(*) FROM placed WHERE kind IS NULL GROUP BY kind');
SELECT placed_groups('SELECT upper(g), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT g = ''a'', dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT floor(score / 50), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT width_bucket(score, 0, 100, 2), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT extract(month FROM day), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT extract(month FROM day), dp_count(*) FROM placed WHERE day > ''2024-02-05'' GROUP BY 1');
SELECT placed_groups('SELECT extract(month FROM day) AS m, date_trunc(''month'', day::timestamp) AS d, dp_count(*) FROM placed GROUP BY 1, 2');
SELECT placed_groups('SELECT nullif(kind, ''x''), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT coalesce(g, ''none''), dp_count(*) FROM placed GROUP BY 1');
-- Of public tables: where a row has it, and where a LEFT JOIN finds none.
SELECT placed_groups('SELECT name, dp_count(*) FROM placed JOIN placed_dept USING (dept) GROUP BY name');
SELECT placed_groups('SELECT head, dp_count(*) FROM placed JOIN placed_dept USING (dept) GROUP BY head');
SELECT placed_groups('SELECT head, dp_count(*) FROM placed LEFT JOIN placed_dept USING (dept) GROUP BY head');

-- Other values: a group where the owner says so, with a name that no category has. It holds whatever is not declared.
SELECT placed_groups('SELECT code, dp_count(*) FROM placed GROUP BY code');
SELECT dpmix.set_categories('placed', 'g', '{a,b}', other => true);
SELECT placed_groups('SELECT g, dp_count(*) FROM placed GROUP BY g');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g IN (''a'', ''undeclared'') GROUP BY g');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g = ''a'' GROUP BY g');
-- Conditions that leave no declared value leave others.
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g = ''undeclared'' GROUP BY g');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed WHERE g LIKE ''u%'' GROUP BY g');
SELECT placed_groups('SELECT upper(g) AS u, code, dp_count(*) FROM placed GROUP BY 1, 2');
SELECT dpmix.set_categories('placed', 'g', '{a,Other,"(other)"}', other => true);
SELECT placed_groups('SELECT g, dp_count(*) FROM placed GROUP BY g');
SELECT column_name, categories, other FROM dpmix.columns WHERE relation = 'placed'::regclass AND categories IS NOT NULL;
SELECT value FROM dpmix.describe('placed') WHERE section = 'column' AND item IN ('g', 'kind');
SELECT dpmix.set_categories('placed', 'g', '{a,b}');
SELECT placed_groups('SELECT g, dp_count(*) FROM placed GROUP BY g');
SELECT dpmix.set_categories('placed', 'dept', '{0}', other => true);
SELECT dpmix.set_categories('placed', 'tag', '{t}', other => true);
SELECT dpmix.set_categories('placed', 'g', '{a}', other => NULL);
SELECT FROM dpmix.declare('placed', '{"g": {"categories": ["a"], "other": "yes"}}');
SELECT FROM dpmix.declare('placed', '{"score": {"bounds": [0, 1], "other": true}}');

-- Constants that an undeclared value leads to: the rest of kind 'rare'. Not those that declared values alone lead to.
SELECT placed_groups('SELECT CASE WHEN kind = ''x'' THEN kind ELSE ''rest'' END, dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT upper(CASE WHEN kind = ''x'' THEN kind ELSE ''rest'' END), dp_count(*) FROM placed GROUP BY 1');
SELECT placed_groups('SELECT coalesce(nullif(kind, ''x''), ''none''), dp_count(*) FROM placed WHERE kind = ''x'' GROUP BY 1');
SELECT placed_groups('SELECT CASE WHEN kind = ''x'' THEN kind ELSE ''rest'' END, dp_count(*) FROM placed WHERE kind = ''x'' GROUP BY 1');
SELECT placed_groups('SELECT lower(CASE WHEN kind = ''x'' THEN ''X'' ELSE kind END), dp_count(*) FROM placed WHERE kind <> ''x'' GROUP BY 1');

-- Totals count everybody; EXPLAIN, preview and a NOTICE say who is in no group.
SET client_min_messages = notice;
\set VERBOSITY terse
SELECT g, GROUPING(g), count(*) FROM placed_private.placed GROUP BY ROLLUP (g);
SELECT floor(score / 50) AS half, count(*), round(avg(id % 2), 1) AS odd FROM placed_private.placed WHERE score < 100 GROUP BY ROLLUP (1);
SELECT g, code, count(*) FROM placed_private.placed WHERE g IN ('a', 'b') GROUP BY GROUPING SETS ((g), (code), ());
EXPLAIN (COSTS OFF) SELECT g, floor(score / 50), kind, count(*) FROM placed_private.placed GROUP BY 1, 2, 3;
EXPLAIN (COSTS OFF) SELECT g, count(*) FROM placed_private.placed WHERE g IN ('a', 'b') GROUP BY g;
EXPLAIN (COSTS OFF) SELECT extract(month FROM day), count(*) FROM placed_private.placed WHERE day BETWEEN '2024-01-05' AND '2024-02-01' GROUP BY 1;
SELECT statistic FROM dpmix.preview('SELECT g, dp_count(*) FROM placed GROUP BY g', 1);
SELECT statistic FROM dpmix.preview('SELECT code, dp_count(*) FROM placed GROUP BY code', 1);
SELECT statistic FROM dpmix.preview('SELECT dp_count(*) FROM placed', 1);
SET client_min_messages = warning;
SELECT tables, groups FROM dpmix.release_cube('placed_cube', 'placed', '{g,code}', '{count}', 1e4, 1e-6);
SELECT key_values, answer FROM dpmix.cube_table('placed_cube', '{code}');
SELECT key_values, answer FROM dpmix.cube_table('placed_cube', '{g}');
SELECT key_values, answer FROM dpmix.cube_table('placed_cube', '{}');

-- Memory: NULL and other groups are told by kept tables, too.
SELECT dpmix.set_memory('placed', keep => '1 day');
SET dpmix.memory_keep = '1d';
SELECT placed_groups('SELECT g, code, dp_count(*) FROM placed GROUP BY CUBE (g, code)') IS NOT NULL AS charged;
SELECT count(*) AS charges FROM dpmix.charge WHERE relation = 'public.placed' \gset
SELECT placed_groups('SELECT g, dp_count(*) FROM placed GROUP BY g', 1), placed_groups('SELECT code, dp_count(*) FROM placed GROUP BY code', 1);
SELECT placed_groups('SELECT code, dp_count(*) FROM placed WHERE g = ''a'' GROUP BY code', 1), placed_groups('SELECT g, dp_count(*) FROM placed WHERE code IS NULL GROUP BY g', 1);
SELECT placed_groups('SELECT g, code, dp_count(*) FROM placed GROUP BY ROLLUP (g, code)', 1);
SELECT count(*) - :charges AS free FROM dpmix.charge WHERE relation = 'public.placed';
SELECT dpmix.drop_release('placed_cube'), dpmix.hide('placed_private.placed');
DROP FUNCTION placed_groups;
DROP SCHEMA placed_private;
DROP TABLE placed, placed_dept;
