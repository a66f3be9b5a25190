-- How alike a protected table and a synthetic one are: dpmix.compare, dpmix.compare_private. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE compare_owner;
CREATE ROLE compare_analyst;
CREATE ROLE compare_stranger;
CREATE SCHEMA compare AUTHORIZATION compare_owner;
GRANT USAGE, CREATE ON SCHEMA compare TO PUBLIC;
SET search_path = compare;
SET ROLE compare_owner;

CREATE TYPE compare.kind AS ENUM ('a', 'b', 'c');
CREATE DOMAIN compare.share AS numeric CHECK (VALUE < 1000 OR VALUE = 'NaN');
CREATE TABLE compare.people (
    id bigint, age integer, wage compare.share, smoker boolean, seen date, town text, kind compare.kind, note text,
    twice integer GENERATED ALWAYS AS (age * 2) STORED
);
INSERT INTO compare.people (id, age, wage, smoker, seen, town, kind)
SELECT i, 20 + i % 41 + 5 * (i % 3), (i * 7) % 100 + 40 * (i % 3), i % 4 <= i % 3, date '2020-01-01' + i % 365,
       (ARRAY['north', 'south', 'west'])[1 + i % 5 % 3], (ARRAY['a', 'b', 'c'])[1 + i % 3]::compare.kind
FROM generate_series(1, 6000) AS i;
-- What rows can hold besides: missing, infinite, beyond the bounds, undeclared.
INSERT INTO compare.people (age, wage, smoker, seen, town, kind) VALUES
    (NULL, 1, true, '2020-01-01', 'north', 'a'), (1000, 'NaN', true, '2020-01-01', 'north', 'a'),
    (20, -1e30, NULL, 'infinity', 'elsewhere', NULL), (-1073741824, 999, true, '-infinity', NULL, 'c');

SELECT dpmix.protect('people', 1e7, 1e-2, accountant => 'basic');
SELECT dpmix.set_bounds('people', 'age', 0, 100), dpmix.set_bounds('people', 'wage', 0, 200),
       dpmix.set_bounds('people', 'seen', date '2019-01-01', date '2022-01-01'),
       dpmix.set_categories('people', 'town', '{north,south,west}'), dpmix.set_categories('people', 'kind', '{a,b,c}'),
       dpmix.grant_access('people', 'compare_analyst');

-- A synthetic table with other types, a column less, and rows that it cannot use.
CREATE TABLE compare.synthetic AS
SELECT age + 2.5::float8 AS age, wage::float8 AS wage, smoker, seen, town::varchar AS town, kind::text AS kind, 'more' AS more
FROM people WHERE id % 2 = 0;
INSERT INTO synthetic VALUES ('NaN', 1, NULL, NULL, 'nowhere', 'd');
CREATE TABLE compare.people_copy AS SELECT age, wage, smoker, seen, town, kind FROM people;
GRANT SELECT ON synthetic, people_copy TO compare_analyst;

-- Exact, for the owner, and it says so.
SET client_min_messages = notice;
SELECT count(*) AS measures, bool_or(private) AS private FROM dpmix.compare('people', 'synthetic', 'kind');
SET client_min_messages = warning;
CREATE TEMPORARY TABLE exact AS SELECT * FROM dpmix.compare('people', 'synthetic', 'kind');
SELECT measure, count(*), bool_and(difference IS NOT NULL) AS known FROM exact GROUP BY measure ORDER BY measure;
SELECT DISTINCT column_name FROM exact WHERE column_name IS NOT NULL ORDER BY column_name;
SELECT measure, real_value, synthetic_value, difference FROM exact WHERE measure IN ('rows', 'complete_rows');

-- By definition, but for the lattice.
WITH r AS (SELECT greatest(least(age, 100), 0) AS age, least(wage, 200) AS wage, smoker::int AS smoker FROM people
           WHERE age + wage <> 'NaN' AND smoker IS NOT NULL AND seen IS NOT NULL),
     s AS (SELECT age, wage, smoker::int AS smoker FROM synthetic WHERE age <> 'NaN'),
     truth AS (
    SELECT 'mean' AS measure, 'age' AS column_name, NULL AS other_column, (SELECT avg(age) FROM r) AS real_value, (SELECT avg(age) FROM s) AS synthetic_value
    UNION ALL SELECT 'stddev', 'wage', NULL, (SELECT stddev_pop(wage) FROM r), (SELECT stddev_pop(wage) FROM s)
    UNION ALL SELECT 'mean', 'smoker', NULL, (SELECT avg(smoker) FROM r), (SELECT avg(smoker) FROM s)
    UNION ALL SELECT 'correlation', 'age', 'wage', (SELECT corr(age, wage) FROM r), (SELECT corr(age, wage) FROM s)
    UNION ALL SELECT 'correlation', 'wage', 'smoker', (SELECT corr(wage, smoker) FROM r), (SELECT corr(wage, smoker) FROM s))
SELECT t.measure, t.column_name, abs(e.real_value - t.real_value) < 1e-3 AS real, abs(e.synthetic_value - t.synthetic_value) < 1e-3 AS synthetic,
       abs(e.difference - (t.synthetic_value - t.real_value)) < 1e-3 AS difference
FROM truth t JOIN exact e ON e.measure = t.measure AND e.column_name = t.column_name AND e.other_column IS NOT DISTINCT FROM t.other_column;
SELECT category, abs(real_value - n / sum(n) OVER ()) < 1e-12 AS share
FROM exact JOIN (SELECT town, count(*) AS n FROM people WHERE town <> 'elsewhere' GROUP BY town) t ON category = town WHERE measure = 'share' ORDER BY category;
SELECT category, abs(real_value - n / sum(n) OVER ()) < 1e-12 AS share
FROM exact JOIN (SELECT kind, count(*) AS n FROM people WHERE kind IS NOT NULL GROUP BY kind) t ON category = kind::text WHERE measure = 'class_share' ORDER BY category;
SELECT category, abs(real_value - (SELECT percentile_cont(category::float8) WITHIN GROUP (ORDER BY age) FROM people)) < 1 AS quantile
FROM exact WHERE measure = 'quantile' AND column_name = 'age' ORDER BY category;
SELECT abs(difference - (SELECT max(abs((SELECT avg((age < x)::int) FROM people) - (SELECT avg((age < x)::int) FROM synthetic WHERE age <> 'NaN')))
                         FROM generate_series(15, 80, .2) AS x)) < .01 AS ks
FROM exact WHERE measure = 'ks_distance' AND column_name = 'age';
-- Distances of single columns and of pairs: by definition, missing and undeclared values being one of their own.
CREATE FUNCTION pg_temp.cell(x float8, low float8, high float8) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN x IS NULL OR x = 'NaN' THEN 'missing' ELSE greatest(0, least(9, floor((x - low) / (high - low) * 10)))::text END $$;
CREATE FUNCTION pg_temp.known(x text, names text[]) RETURNS text LANGUAGE sql AS $$ SELECT CASE WHEN x = ANY (names) THEN x ELSE 'missing' END $$;
CREATE TEMPORARY TABLE cells AS
SELECT source, pg_temp.cell(age, 0, 100) AS age, pg_temp.cell(wage, 0, 200) AS wage, coalesce(smoker::text, 'missing') AS smoker,
       pg_temp.cell(CASE WHEN seen = 'infinity' THEN 1e9 WHEN seen = '-infinity' THEN -1e9 ELSE seen - date '2000-01-01' END,
                    date '2019-01-01' - date '2000-01-01', date '2022-01-01' - date '2000-01-01') AS seen,
       pg_temp.known(town, '{north,south,west}') AS town, pg_temp.known(kind, '{a,b,c}') AS kind
FROM (SELECT 'real' AS source, age::float8, wage::float8, smoker, seen, town::text, kind::text FROM people
      UNION ALL SELECT 'synthetic', age, wage, smoker, seen, town, kind FROM synthetic) t;
CREATE TEMPORARY TABLE truth AS
SELECT a, b, sum(abs(s)) / 2 AS apart
FROM (SELECT a.key AS a, b.key AS b, a.value AS x, b.value AS y,
             count(*) FILTER (WHERE source = 'real') / (SELECT count(*)::float8 FROM people) - count(*) FILTER (WHERE source = 'synthetic') / (SELECT count(*)::float8 FROM synthetic) AS s
      FROM cells c, jsonb_each_text(to_jsonb(c) - 'source') a, jsonb_each_text(to_jsonb(c) - 'source') b GROUP BY 1, 2, 3, 4) t
GROUP BY 1, 2;
SELECT measure, count(*), bool_and(abs(difference - apart) < 1e-12) AS as_defined FROM exact
JOIN truth ON a = column_name AND b = coalesce(other_column, column_name) WHERE measure IN ('marginal_tv', 'pair_tv') GROUP BY measure ORDER BY measure;
SELECT measure, abs(difference - CASE measure WHEN 'marginal_tv_mean' THEN (SELECT avg(apart) FROM truth WHERE a = b)
                                              WHEN 'pair_tv_mean' THEN (SELECT avg(apart) FROM truth WHERE a < b) ELSE (SELECT max(apart) FROM truth) END) < 1e-12 AS as_defined,
       column_name IS NULL OR abs(difference - (SELECT apart FROM truth WHERE a = column_name AND b = other_column)) < 1e-12 AS named
FROM exact WHERE measure IN ('marginal_tv_mean', 'pair_tv_mean', 'pair_tv_worst') ORDER BY measure;
SELECT bool_and(m.difference >= n.difference) AS finer_is_larger FROM dpmix.compare('people', 'synthetic', 'kind', bins => 100) m
JOIN dpmix.compare('people', 'synthetic', 'kind', bins => 2) n USING (measure, column_name) WHERE measure = 'marginal_tv';
SELECT real_value BETWEEN .5 AND 1 AS real, synthetic_value BETWEEN .45 AND real_value + .01 AS synthetic FROM exact WHERE measure = 'naive_bayes_accuracy';
SELECT count(*) AS measures FROM dpmix.compare('people', 'synthetic', 'kind', bins => NULL);
-- As a picture: who it is for is said here, too.
SET client_min_messages = notice;
SELECT xml_is_well_formed_document(svg) AS document, svg ~ '^[\n -~]*$' AS ascii, svg ~ 'north: real' AS names, svg ~ 'wage: total variation' AS described
FROM dpmix.compare_svg('people', 'synthetic', 'kind') AS svg;
SET client_min_messages = warning;
SELECT abs(substring(svg FROM 'town: total variation ([0-9.]*)\.')::float8 - difference) < 1e-3 AS same_distance
FROM dpmix.compare_svg('people', 'synthetic', 'kind') AS svg, exact WHERE measure = 'marginal_tv' AND column_name = 'town';
-- The features tell the classes apart, also to what was learnt from the synthetic rows.
SELECT real_value BETWEEN .5 AND 1 AS real, synthetic_value BETWEEN .45 AND real_value + .01 AS synthetic FROM exact WHERE measure = 'accuracy';
SELECT abs(real_value - 1 / 3.) < .01 AS largest FROM exact WHERE measure = 'accuracy_of_largest_class';
-- A table is like itself; without a label, a density.
SELECT bool_and(difference = 0) AS equal, count(difference) = count(*) AS all_known FROM dpmix.compare('people', 'people', 'kind');
SELECT measure, real_value > synthetic_value AS better, synthetic_value > real_value - 1 AS near FROM dpmix.compare('people', 'synthetic', columns => '{age,wage}')
WHERE measure = 'log_density';
-- Categories alone can tell classes; a label alone has a balance.
SELECT measure, column_name, count(*) FROM dpmix.compare('people', 'synthetic', 'kind', '{town}') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT measure, count(*) FROM dpmix.compare('people', 'synthetic', 'kind', '{}') GROUP BY 1 ORDER BY 1;
-- Without rows nothing is known, and nothing fails.
CREATE TABLE compare.none AS SELECT * FROM synthetic LIMIT 0;
SELECT measure, real_value IS NULL AS no_real, synthetic_value FROM dpmix.compare('people', 'none', 'kind') WHERE measure IN ('rows', 'accuracy', 'mean') AND coalesce(column_name, 'age') = 'age';
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'compare.people';
RESET ROLE;
GRANT SELECT ON exact TO compare_analyst;

-- The private one, to a role with access: what it costs is known before; with hardly any noise, the same measures.
SET ROLE compare_analyst;
SELECT mechanism, epsilon, delta, mu > 100 AS mu, noise_stddev < .1 AS exact, charge_cost, calls_left BETWEEN 1 AND 100 AS left
FROM dpmix.preview($$SELECT * FROM dpmix.compare_private('people', 'synthetic', 1e6, 1e-6, 'kind')$$);
CREATE TEMPORARY TABLE noisy AS SELECT * FROM dpmix.compare_private('people', 'synthetic', 1e6, 1e-6, 'kind');
SELECT kind, mechanism, epsilon, delta, statistics -> 0 ->> 'statistic' AS first, jsonb_array_length(statistics) AS statistics FROM dpmix.ledger WHERE relation = 'compare.people';
SELECT (SELECT array_agg(DISTINCT measure) FROM exact WHERE measure NOT IN (SELECT measure FROM noisy)) AS only_exact,
       (SELECT count(*) FROM noisy WHERE (measure, column_name, other_column, category) NOT IN (SELECT measure, column_name, other_column, category FROM exact)) AS only_noisy;
SELECT n.measure, count(*), bool_and(abs(n.real_value - e.real_value) <= 1e-3 + 1e-4 * abs(e.real_value)) AS real,
       bool_and(abs(n.synthetic_value - e.synthetic_value) <= 1e-3) AS synthetic,
       bool_and(abs(n.difference - e.difference) <= CASE WHEN n.measure = 'ks_distance' THEN .1 ELSE 2e-3 + 1e-4 * coalesce(abs(e.real_value), 0) END) AS difference,
       bool_and(error_bound_95 >= 0) AS bound
FROM noisy n JOIN exact e ON n.measure = e.measure AND n.column_name IS NOT DISTINCT FROM e.column_name
    AND n.other_column IS NOT DISTINCT FROM e.other_column AND n.category IS NOT DISTINCT FROM e.category
GROUP BY n.measure ORDER BY n.measure;
-- With noise, bounds that are wider; within a generous multiple of them.
SELECT bool_and(abs(n.synthetic_value - e.synthetic_value) < 10 * error_bound_95 AND error_bound_95 BETWEEN 1e-4 AND .1) AS accuracy
FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, 'kind') n JOIN exact e USING (measure) WHERE measure = 'accuracy';
SELECT measure, real_value IS NULL AS unknown, error_bound_95 > 0 AS bound
FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, columns => '{age,wage}') WHERE measure IN ('log_density', 'rows', 'quantile');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'compare.people';
SELECT item, value FROM dpmix.explain_charge((SELECT min(id) FROM dpmix.ledger WHERE relation = 'compare.people')) WHERE item IN ('declared guarantee', 'cost');

-- What noise alone would make of the distances is said, and taken off. Without tables the others have their share.
SELECT measure, difference BETWEEN .005 AND .5 AS noise, error_bound_95 IS NULL AS without_bound
FROM dpmix.compare_private('people', 'people_copy', 1, 1e-6, 'kind') WHERE measure LIKE '%noise';
SELECT bool_and(abs(n.difference - e.difference) < error_bound_95 + .05) AS near, count(*)
FROM dpmix.compare_private('people', 'synthetic', 2, 1e-6, 'kind') n JOIN exact e USING (measure) WHERE measure IN ('pair_tv_mean', 'pair_tv_worst', 'marginal_tv_mean');
SELECT count(*) AS measures FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, 'kind', bins => NULL) WHERE measure ~ 'tv|bayes';
SELECT round((p.noise_stddev / n.noise_stddev)::numeric, 3) AS more_noise
FROM dpmix.preview($$
    SELECT * FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, 'kind')$$) p, dpmix.preview($$
    SELECT * FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, 'kind', bins => NULL)$$) n;

-- Refusals: each before a charge.
CREATE FUNCTION compare.refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT * FROM dpmix.' || call;
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
RESET ROLE;
SET ROLE compare_owner;
CREATE TABLE compare.other (age date, wage text, kind text, town integer);
CREATE VIEW compare.peep AS SELECT age, kind FROM people;
CREATE TABLE compare.hidden AS SELECT * FROM synthetic;
CREATE TABLE compare.rows_of AS SELECT * FROM synthetic;
ALTER TABLE rows_of ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON other, none, rows_of TO compare_analyst;
CREATE TABLE compare.unprotected AS SELECT * FROM synthetic;
RESET ROLE;
SET ROLE compare_analyst;
SELECT compare.refusal(format(f, arguments)) AS refusal, f, arguments
FROM (VALUES ($$'people', 'synthetic', 0, 1e-6, 'kind'$$), ($$'people', 'synthetic', 'NaN', 1e-6$$), ($$'people', 'synthetic', 1, 0$$),
             ($$'people', 'synthetic', 1, .6$$), ($$'people', 'synthetic', NULL, 1e-6$$), ($$NULL, 'synthetic', 1, 1e-6$$),
             ($$'people', NULL, 1, 1e-6$$), ($$'people', 0, 1, 1e-6$$), ($$'people', 'synthetic', 1, 1e-6, 'nothing'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'note'$$), ($$'people', 'synthetic', 1, 1e-6, 'age'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', '{age,age}'$$), ($$'people', 'synthetic', 1, 1e-6, 'kind', '{town,town}'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', '{age,kind}'$$), ($$'people', 'synthetic', 1, 1e-6, 'kind', '{age,NULL}'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', '{id}'$$), ($$'people', 'synthetic', 1, 1e-6, 'kind', '{note}'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', '{twice}'$$), ($$'people', 'synthetic', 1, 1e-6, NULL, '{}'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', '{ctid}'$$), ($$'people', 'other', 1, 1e-6, 'kind', '{age}'$$),
             ($$'people', 'other', 1, 1e-6, 'kind', '{wage}'$$), ($$'people', 'other', 1, 1e-6, 'kind', '{smoker}'$$),
             ($$'people', 'synthetic', 1, 1e-6, 'kind', bins => 1$$), ($$'people', 'synthetic', 1, 1e-6, 'kind', bins => 101$$),
             ($$'unprotected', 'synthetic', 1, 1e-6, 'kind'$$), ($$'people', 'synthetic', 1e7, 1e-6, 'kind'$$)) AS v(arguments),
     unnest(ARRAY['compare_private(%s)', 'preview($p$SELECT * FROM dpmix.compare_private(%s)$p$)']) AS f
WHERE f LIKE 'compare%' OR arguments NOT LIKE '%1e7%';
-- What only reading the synthetic table tells.
SELECT compare.refusal(format('compare_private(%s)', arguments)) AS refusal, arguments
FROM (VALUES ($$'people', 'none', 1, 1e-6, 'kind'$$), ($$'people', 'none', 1, 1e-6$$), ($$'people', 'hidden', 1, 1e-6, 'kind'$$),
             ($$'people', 'people', 1, 1e-6, 'kind'$$), ($$'people', 'peep', 1, 1e-6, 'kind'$$),
             ($$'people', 'rows_of', 1, 1e-6, 'kind'$$)) AS v(arguments);
SELECT compare.refusal($$compare('people', 'synthetic', 'kind')$$), compare.refusal($$compare_svg('people', 'synthetic', 'kind')$$);
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'compare.people';

-- Columns without a synthetic value are left out, unless they are named; the protected rows decide nothing. An empty
-- table has them all.
RESET ROLE;
SET ROLE compare_owner;
CREATE TABLE compare.partial AS SELECT age, NULL::numeric AS wage, NULL::boolean AS smoker, NULL::text AS town, kind FROM synthetic;
CREATE TABLE compare.void AS SELECT NULL::integer AS age, NULL::text AS town FROM synthetic;
CREATE TABLE compare.people_void (LIKE people);
INSERT INTO people_void (age, kind) SELECT NULL, kind FROM people;
SELECT dpmix.protect('people_void', 1e4, 1e-2, accountant => 'basic'), dpmix.set_bounds('people_void', 'age', 0, 100), dpmix.set_bounds('people_void', 'wage', 0, 200),
       dpmix.set_categories('people_void', 'town', '{north,south,west}'), dpmix.set_categories('people_void', 'kind', '{a,b,c}'),
       dpmix.grant_access('people_void', 'compare_analyst');
GRANT SELECT ON partial, void TO compare_analyst;
SELECT DISTINCT column_name FROM dpmix.compare('people', 'partial', 'kind') WHERE column_name IS NOT NULL ORDER BY column_name;
SELECT measure, synthetic_value > .4 AS learnt FROM dpmix.compare('people', 'partial', 'kind') WHERE measure = 'accuracy';
SELECT count(*) AS named FROM dpmix.compare('people', 'partial', 'kind', '{age,wage}') WHERE column_name = 'wage';
RESET ROLE;
SET ROLE compare_analyst;
SELECT relation, columns FROM unnest('{people,people_void}'::regclass[]) AS relation,
    LATERAL (SELECT array_agg(DISTINCT column_name) AS columns FROM dpmix.compare_private(relation, 'partial', 1, 1e-6, 'kind')) AS t;
SELECT parameters -> 'features' AS features FROM dpmix.ledger WHERE relation IN ('compare.people', 'compare.people_void') ORDER BY id DESC LIMIT 2;
SELECT p.noise_stddev = q.noise_stddev AS equal FROM dpmix.preview($$
    SELECT * FROM dpmix.compare_private('people', 'partial', 1, 1e-6, 'kind')$$) AS p, dpmix.preview($$
    SELECT * FROM dpmix.compare_private('people', 'partial', 1, 1e-6, 'kind', '{age}')$$) AS q;
SELECT compare.refusal($$compare_private('people', 'void', 1, 1e-6)$$), compare.refusal($$preview('SELECT FROM dpmix.compare_private(''people'', ''void'', 1, 1e-6)')$$), compare.refusal($$preview('SELECT FROM dpmix.compare_private(''people'', ''hidden'', 1, 1e-6)')$$);

-- Row-level security of the synthetic table holds: the policy's rows are compared.
RESET ROLE;
SET ROLE compare_owner;
CREATE POLICY these ON rows_of FOR SELECT TO compare_analyst USING (kind = 'a');
RESET ROLE;
SET ROLE compare_analyst;
SELECT category, synthetic_value FROM dpmix.compare_private('people', 'rows_of', 1, 1e-6, 'kind', '{}') WHERE measure = 'class_share' ORDER BY category;
-- A view over the protected table is read as the caller may read it.
RESET ROLE;
SET ROLE compare_owner;
GRANT SELECT ON peep TO compare_analyst;
RESET ROLE;
SET ROLE compare_analyst;
SELECT measure, synthetic_value FROM dpmix.compare_private('people', 'peep', 1, 1e-6, 'kind') WHERE measure = 'complete_rows';

-- What a view runs, it runs as the caller, and cannot become somebody else who is charged; an error in it costs
-- nothing.
CREATE TABLE compare.ran (who text);
CREATE FUNCTION compare.who() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN INSERT INTO compare.ran VALUES (current_user); RETURN 1; END $$;
CREATE VIEW compare.curious AS SELECT who() AS wage, kind FROM synthetic;
SELECT count(*) > 0 AS compared FROM dpmix.compare_private('people', 'curious', 1, 1e-6, 'kind');
SELECT DISTINCT who FROM compare.ran;
SELECT max(id) AS before FROM dpmix.ledger \gset
CREATE FUNCTION compare.become() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN SET ROLE NONE; RETURN 1; END $$;
CREATE VIEW compare.thief AS SELECT become() AS wage, kind FROM synthetic;
SELECT compare.refusal($$compare_private('people', 'thief', 1, 1e-6, 'kind')$$);
SELECT current_user;
CREATE VIEW compare.broken AS SELECT 1 / (age - age)::int AS wage, kind FROM synthetic WHERE age <> 'NaN';
SELECT compare.refusal($$compare_private('people', 'broken', 1, 1e-6, 'kind')$$);
SELECT count(*) AS charges FROM dpmix.ledger WHERE id > :before;
RESET ROLE;
SET ROLE compare_stranger;
SELECT compare.refusal($$compare_private('people', 'synthetic', 1, 1e-6, 'kind')$$), compare.refusal($$preview('SELECT FROM dpmix.compare_private(''people'', ''synthetic'', 1, 1e-6, ''kind'')')$$),
       compare.refusal($$compare('people', 'synthetic', 'kind')$$);
RESET ROLE;

-- Other neighbours. replace: more noise. label: the label alone is private, and what else there is has none.
SET ROLE compare_owner;
CREATE TABLE compare.visits AS SELECT age, wage::float8 AS wage, town, kind::text AS kind FROM people;
CREATE TABLE compare.votes AS SELECT * FROM visits;
ALTER TABLE compare.votes ADD derived integer GENERATED ALWAYS AS (length(kind)) STORED;
SELECT dpmix.protect('visits', 1e4, 1e-2, adjacency => 'replace', accountant => 'gdp'), dpmix.protect('votes', 1e4, 1e-2, adjacency => 'label', label => 'kind');
SELECT dpmix.set_bounds(t, 'age', 0, 100), dpmix.set_bounds(t, 'wage', 0, 200), dpmix.set_categories(t, 'town', '{north,south,west}'), dpmix.set_categories(t, 'kind', '{a,b,c}')
FROM unnest('{visits,votes}'::regclass[]) AS t;
SELECT round((r.noise_stddev / p.noise_stddev)::numeric, 3) AS replace, round((l.noise_stddev / p.noise_stddev)::numeric, 3) AS label
FROM dpmix.preview($$
    SELECT * FROM dpmix.compare_private('people', 'synthetic', 1, 1e-6, 'kind', '{age,wage,town}')$$) p,
     dpmix.preview($$
         SELECT * FROM dpmix.compare_private('visits', 'synthetic', 1, 1e-6, 'kind', '{age,wage,town}')$$) r,
     dpmix.preview($$SELECT * FROM dpmix.compare_private('votes', 'synthetic', 1, 1e-6, 'kind', '{age,wage,town}')$$) l;
CREATE TEMPORARY TABLE votes_exact AS SELECT * FROM dpmix.compare('votes', 'synthetic', 'kind', '{age,wage,town}');
SELECT measure, bool_and(error_bound_95 = 0) AS free, bool_and(error_bound_95 > 0) AS noisy,
       bool_and(CASE WHEN error_bound_95 = 0 THEN n.real_value IS NOT DISTINCT FROM e.real_value END) AS exact
FROM dpmix.compare_private('votes', 'synthetic', 1, 1e-6, 'kind', '{age,wage,town}') n
JOIN votes_exact e USING (measure) WHERE measure <> 'pair_tv_worst' AND n.column_name IS NOT DISTINCT FROM e.column_name AND n.category IS NOT DISTINCT FROM e.category AND n.other_column IS NOT DISTINCT FROM e.other_column
GROUP BY measure ORDER BY measure;
SELECT count(*) > 0 AS compared FROM dpmix.compare_private('visits', 'synthetic', 1, 1e-6, 'kind');
SELECT statistics -> 0 ->> 'statistic' AS first, jsonb_array_length(statistics) AS statistics FROM dpmix.ledger WHERE relation = 'compare.votes';
SELECT compare.refusal($$compare_private('votes', 'synthetic', 1, 1e-6)$$), compare.refusal($$compare_private('votes', 'synthetic', 1, 1e-6, 'town')$$);
SELECT dpmix.set_bounds('votes', 'derived', 0, 10);
CREATE TABLE compare.leak AS SELECT 1 AS derived, 'a' AS kind;
SELECT compare.refusal($$compare_private('votes', 'leak', 1, 1e-6, 'kind')$$);
SELECT relation, count(*) FROM dpmix.ledger WHERE relation IN ('compare.votes', 'compare.visits') GROUP BY relation ORDER BY relation;
RESET ROLE;

DROP SCHEMA compare CASCADE;
DROP TABLE exact, noisy, votes_exact, cells, truth;
DROP FUNCTION pg_temp.cell, pg_temp.known;
DROP ROLE compare_owner, compare_analyst, compare_stranger;
