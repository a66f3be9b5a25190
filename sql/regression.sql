-- Regressions: terms of every kind, intervals, use, neighbours, rights, refusals. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE reg_owner;
CREATE ROLE reg_analyst;
CREATE ROLE reg_stranger;
CREATE SCHEMA reg AUTHORIZATION reg_owner;
GRANT USAGE ON SCHEMA reg TO PUBLIC;
SET search_path = reg;
SET TimeZone = 'UTC';
SET ROLE reg_owner;

-- y is linear in everything, but for a residual of 1 or -1. Some rows miss something, or are beyond the bounds.
CREATE TYPE reg.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE reg.sales (id integer PRIMARY KEY, x float8, n integer, p numeric(6,2), d date, ok boolean, g text, e reg.mood, k text, y float8, "Odd ""name$" real, other json);
INSERT INTO reg.sales
SELECT i, x, n, p, date '2020-01-01' + n, b, g, e, k, 10 + 2 * x - 0.5 * x ^ 2 + 0.25 * n + (b::int) * 3 + CASE g WHEN 'b' THEN -4 WHEN 'c' THEN 5 ELSE 0 END + CASE k WHEN 'k1' THEN x ELSE 0 END + 2 * (i % 2) - 1, i % 7, '{}'
FROM generate_series(1, 8000) AS i, LATERAL (SELECT (i * 7919 % 1000) / 100.0::float8 AS x, i * 104729 % 30 AS n, (i % 40)::numeric / 4 AS p, i * 31 % 64 < 32 AS b, (ARRAY['a', 'b', 'c'])[1 + i * 17 % 97 % 3] AS g,
     (enum_range(NULL::reg.mood))[1 + i * 13 % 89 % 3] AS e, 'k' || i * 11 % 83 % 2 AS k) AS r;
INSERT INTO reg.sales VALUES (9001, NULL, 1, 1, '2020-01-01', true, 'a', 'ok', 'k0', 90), (9002, 1, 1, 1, '2020-01-01', true, NULL, 'ok', 'k0', 90), (9003, 1, 1, 1, '2020-01-01', true, 'undeclared', 'ok', 'k0', 90),
    (9004, 1, 1, 1, '2020-01-01', true, 'a', 'ok', 'k0', NULL), (9005, 'NaN', 1, 1, '2020-01-01', true, 'a', 'ok', 'k0', 90), (9006, 1, 1, 1, '2020-01-01', NULL, 'a', 'ok', 'k0', 90);
SELECT dpmix.protect('reg.sales', 1e7, 0.1, accountant => 'basic');
SELECT dpmix.set_bounds('reg.sales', 'x', 0, 10), dpmix.set_bounds('reg.sales', 'n', 0, 30), dpmix.set_bounds('reg.sales', 'p', 0, 10), dpmix.set_bounds('reg.sales', 'd', date '2020-01-01', date '2020-02-01'), dpmix.set_bounds('reg.sales', 'y', -50, 100),
       dpmix.set_bounds('reg.sales', 'Odd "name$', 0, 6), dpmix.set_categories('reg.sales', 'g', '{a,b,c}'), dpmix.set_categories('reg.sales', 'e', '{sad,ok,happy}'), dpmix.set_categories('reg.sales', 'k', '{k0,k1}');
SELECT dpmix.grant_access('reg.sales', 'reg_analyst');
CREATE FUNCTION reg.refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

SELECT mechanism, p.epsilon, p.delta, mu > 0 AS mu, noise_stddev > 0 AS noise_stddev, charge_cost, charge_delta, calls_left FROM dpmix.preview($$
    SELECT dpmix.release_regression('all', 'reg.sales', 'y', '{x,x^2,n,ok,g}', 1e6, 1e-6)$$) AS p;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'reg.sales';
SELECT s.name, relation, kind, coefficients, s.epsilon, s.delta, abs(count_stddev - p.stddev) < 1e-9 AS as_previewed, abs(rows_estimated - 8000) < 3 AS rows_estimated, quality
FROM (SELECT noise_stddev AS stddev FROM dpmix.preview($$
    SELECT dpmix.release_regression('all', 'reg.sales', 'y', '{x,x^2,n,ok,g}', 1e6, 1e-6)$$, details => true)) AS p, dpmix.release_regression('all', 'reg.sales', 'y', '{x,x^2,n,ok,g}', 1e6, 1e-6) AS s;
CREATE FUNCTION reg.exact(term text) RETURNS float8 LANGUAGE sql AS $$
    SELECT CASE term WHEN 'x' THEN 2 WHEN 'x^2' THEN -.5 WHEN 'n' THEN .25 WHEN 'ok' THEN 3 WHEN 'g = ''b''' THEN -4 WHEN 'g = ''c''' THEN 5 END $$;
SELECT label, term, abs(estimate - coalesce(reg.exact(term), 10)) < .2 OR term IN ('(intercept)', 'x') AS estimate, noise_low < estimate AND estimate < noise_high AS noise, low < noise_low AND noise_high < high AS population, p_value < 1e-6 AS p_value, note FROM dpmix.regression('all');
SELECT bool_and(abs((n.high - n.low) / (w.high - w.low) - 1.959964 / 2.575829) < 1e-5) AS levels FROM dpmix.regression('all') AS n JOIN dpmix.regression('all', .99) AS w USING (term);
SELECT kind, mechanism, l.epsilon, l.delta, release, parameters->'kind' AS regression, parameters->'target' AS target, parameters->'terms' AS terms, parameters->'label' AS label, (SELECT array_agg(s->>'statistic') FROM jsonb_array_elements(parameters->'statistics') AS s) AS statistics
FROM dpmix.ledger AS l WHERE relation = 'reg.sales' ORDER BY id;
SELECT name, relation, kind, method, maker, adjacency, features, feature_types, label, labels, components, covariance, dimensions, abs(rows_estimated[1] - 8000) < 3 AS rows_estimated, quality FROM dpmix.releases WHERE name = 'all';
SELECT item, value FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger WHERE relation = 'reg.sales')) WHERE item IN ('release', 'cost');

-- Expressions, conditions, every type; by label, one regression a class for one charge.
SELECT coefficients, abs(rows_estimated - 8000) < 3 AS rows_estimated, quality
FROM dpmix.release_regression('types', 'reg.sales', 'y / 2', ARRAY['x', 'x * x', 'p', 'd', 'g = ''b''', 'g IN (''c'')', 'ln(n + 1)', 'e', '"Odd ""name$"', 'greatest(x, n) - 3', 'CASE WHEN ok THEN p ELSE -p END', 'e = ''sad'' AND ok'], 1e6, 1e-6);
SELECT term, round(estimate) AS estimate FROM dpmix.regression('types') WHERE term ~ '^g ';
SELECT term FROM dpmix.regression('types');
SELECT coefficients, abs(rows_estimated - 8000) < 5 AS rows_estimated, quality FROM dpmix.release_regression('classes', 'reg.sales', 'y', '{x,x^2,n,ok,g}', 1e6, 1e-6, label => 'k');
SELECT label, term, round(estimate::numeric, 1) AS estimate FROM dpmix.regression('classes') WHERE term IN ('x', 'x^2');
-- A condition and a boolean are the same target; a boolean's coefficients are differences of shares.
SELECT abs(a.estimate - b.estimate) < .01 AS same FROM dpmix.release_regression('boolean', 'reg.sales', 'ok', '{g}', 1e6, 1e-6) AS b1, dpmix.release_regression('condition', 'reg.sales', 'ok = true', '{g}', 1e6, 1e-6) AS c1, LATERAL dpmix.regression(b1.name) AS a JOIN LATERAL dpmix.regression(c1.name) AS b ON a.term = b.term;
-- Collinear terms, and noise that hides everything: every value is possible. At a level that no noise decides.
SELECT quality IS NOT NULL AS quality FROM dpmix.release_regression('twice', 'reg.sales', 'y', '{x,n,2*x+1,3*x-2,4*x,5*x}', 1e6, 1e-6);
SELECT term, estimate IS NOT NULL AS estimate, noise_low, noise_high, low, high, p_value BETWEEN 0 AND 1 AS p_value, note FROM dpmix.regression('twice', .999999);
SELECT quality IS NOT NULL AS quality FROM dpmix.release_regression('hidden', 'reg.sales', 'y', '{x,n,p}', .001, 1e-6, label => 'k');
SELECT count(*), count(estimate) AS estimates, count(*) FILTER (WHERE noise_low = '-Infinity' AND high = 'Infinity') AS open, count(note) AS notes FROM dpmix.regression('hidden', .999999);

-- Predictions: of rows of any type that has the columns.
SELECT count(*) FILTER (WHERE abs(dpmix.predict('classes', s) - s.y) < 1.6) AS close, count(*) FILTER (WHERE dpmix.predict('classes', s) IS NULL) AS missing FROM reg.sales AS s;
SELECT count(*) FILTER (WHERE dpmix.predict('types', s) IS NULL) AS missing FROM reg.sales AS s;
SELECT abs(dpmix.predict('all', r) - (SELECT dpmix.predict('all', s) FROM (SELECT 5::float8 AS x, 3 AS n, true AS ok, 'c'::text AS g) AS s)) < 1e-9 AS same FROM (SELECT 'c'::varchar AS g, 5::numeric AS x, 3::bigint AS n, true AS ok, 'more' AS more) AS r;
SELECT dpmix.predict('all', a) = dpmix.predict('all', b) AS clamped FROM (SELECT 10::float8 AS x, 30 AS n, true AS ok, 'c'::text AS g) AS a, (SELECT 'Infinity'::float8 AS x, 99 AS n, true AS ok, 'c'::text AS g) AS b;
SELECT dpmix.predict('all', NULL::reg.sales) AS no_row, dpmix.predict(NULL, s) AS no_name FROM reg.sales AS s LIMIT 1;
SELECT reg.refusal(format('SELECT dpmix.%s', call)), call FROM unnest(ARRAY[$$predict('all', r) FROM (SELECT 1 AS x) AS r$$, $$predict('all', r) FROM (SELECT 1 AS x, 1 AS n, 'yes' AS ok, 'a' AS g) AS r$$, $$predict('all', r) FROM (SELECT date '2020-01-01' AS x, 1 AS n, true AS ok, 'a' AS g) AS r$$,
    $$predict('classes', r) FROM (SELECT 1 AS x, 1 AS n, true AS ok, 'a' AS g) AS r$$, $$predict('nothing', s) FROM reg.sales AS s$$, $$regression('nothing')$$, $$regression(NULL)$$, $$regression('all', 1)$$, $$regression('all', NULL)$$, $$regression('all', 'NaN')$$]) AS call;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FILTER (WHERE abs(dpmix.predict('classes', s) - s.y) < 1.6) AS parallel FROM reg.sales AS s;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- Whatever the session's settings make of constants, in the release and afterwards.
SET extra_float_digits = -10;
SET datestyle = 'SQL, DMY';
SET standard_conforming_strings = off;
SELECT quality FROM dpmix.release_regression('settings', 'reg.sales', 'y', ARRAY['d - date ''02/01/2020''', 'x + 0.123456789012345678'], 1e6, 1e-6);
SELECT count(dpmix.predict('settings', s)) FROM reg.sales AS s;
RESET extra_float_digits;
RESET datestyle;
RESET standard_conforming_strings;
SELECT abs(dpmix.predict('settings', r) - dpmix.predict('settings', s)) < 1e-9 AS same FROM (SELECT date '2020-01-05' AS d, 1::float8 AS x) AS r, (SELECT date '2020-01-05' AS d, 1 AS x) AS s;

-- Other neighbours: one that is replaced needs more noise. Under adjacency label the target alone costs far less.
CREATE TABLE reg.replaced AS SELECT * FROM reg.sales;
CREATE TABLE reg.labelled AS SELECT *, y > 20 AS bought FROM reg.sales;
ALTER TABLE reg.labelled ADD made boolean GENERATED ALWAYS AS (NOT bought) STORED;
CREATE TABLE reg.days AS SELECT d, x, y FROM reg.sales;
CREATE TABLE reg.empty AS SELECT * FROM reg.sales LIMIT 0;
SELECT dpmix.protect('reg.replaced', 1e7, .1, adjacency => 'replace', accountant => 'basic'), dpmix.protect('reg.labelled', 1e7, .1, adjacency => 'label', label => 'bought', accountant => 'basic'),
       dpmix.protect('reg.days', 1e7, .1, accountant => 'basic', blocks => 'd', blocks_from => '2020-01-01'), dpmix.protect('reg.empty', 1e7, .1, accountant => 'basic');
SELECT count(dpmix.set_bounds(t, c, 0, 100)) FROM unnest('{reg.replaced,reg.labelled,reg.days,reg.empty}'::regclass[]) AS t, unnest('{x,y}'::name[]) AS c;
SELECT dpmix.set_categories('reg.labelled', 'bought', '{true,false}'), dpmix.set_categories('reg.labelled', 'g', '{a,b,c}');
SELECT abs(r.count_stddev / a.noise_stddev / sqrt(2) - 1) < 1e-6 AS twice FROM dpmix.release_regression('replaced', 'reg.replaced', 'y', '{x}', 1, 1e-6) AS r, dpmix.preview($$
    SELECT dpmix.release_regression('new', 'reg.sales', 'y', '{x}', 1, 1e-6)$$, details => true) AS a;
SELECT rows_estimated BETWEEN 8000 AND 8010 AND rows_estimated = round(rows_estimated) AS public_rows, s.count_stddev, quality FROM dpmix.release_regression('bought', 'reg.labelled', 'bought', '{x,g}', 1, 1e-6) AS s;
SELECT term, p_value < .001 OR term = 'x' AS p_value, high - low < .1 OR term = '(intercept)' AS narrow FROM dpmix.regression('bought');
SELECT s.count_stddev > 0 AS noise FROM dpmix.release_regression('by bought', 'reg.labelled', 'y', '{x}', 1, 1e-6, label => 'bought') AS s;
SELECT s.count_stddev > 0 AS noise FROM dpmix.release_regression('of bought', 'reg.labelled', 'y', '{x,bought}', 1, 1e-6) AS s;
SELECT s.count_stddev AS noise, count(DISTINCT label) AS classes FROM dpmix.release_regression('bought by g', 'reg.labelled', 'bought', '{x}', 1, 1e-6, label => 'g') AS s, dpmix.regression(s.name) GROUP BY s.count_stddev;
SELECT array_agg(s->>'statistic') AS statistics FROM dpmix.ledger, jsonb_array_elements(parameters->'statistics') AS s WHERE release = 'bought';
SELECT item, value FROM dpmix.explain_charge((SELECT id FROM dpmix.ledger WHERE release = 'bought')) WHERE item = 'cost';
SELECT abs(rows_estimated - (SELECT count(*) FROM reg.days WHERE d BETWEEN '2020-01-11' AND '2020-01-20' AND x >= 0 AND x < 'NaN' AND y IS NOT NULL)) < 5 AS rows_estimated FROM dpmix.release_regression('days', 'reg.days', 'y', '{x}', 1e5, 1e-6, blocks => '[2020-01-11,2020-01-21)') AS s;
SELECT blocks FROM dpmix.ledger WHERE release = 'days';
SELECT rows_estimated >= 0 AS rows_estimated FROM dpmix.release_regression('empty', 'reg.empty', 'y', '{x}', 1, 1e-6);
SELECT count(estimate) AS estimates FROM dpmix.regression('empty');

-- Logistic: of a boolean, of a condition, of a number with bounds 0 and 1; by label; each kind of neighbours.
ALTER TABLE reg.sales ADD sold boolean, ADD part float8;
UPDATE reg.sales SET sold = hashint4(id)::float8 / 2147483648 < 2 / (1 + exp(1.5 - 0.6 * x - CASE g WHEN 'b' THEN 1 WHEN 'c' THEN -1 ELSE 0 END - CASE k WHEN 'k1' THEN 1 ELSE 0 END)) - 1, part = 1 / (1 + exp(1 - 0.3 * x)) WHERE x < 'NaN';
SELECT dpmix.set_bounds('reg.sales', 'part', 0, 1);
SELECT mechanism, mu > 0 AS mu, noise_stddev > 0 AS noise_stddev, charge_cost, charge_delta FROM dpmix.preview($$
    SELECT dpmix.release_regression('sold', 'reg.sales', 'sold', '{x,g,k}', 1e5, 1e-6, kind => 'logistic')$$);
SELECT s.name, relation, kind, coefficients, abs(rows_estimated - 8000) < 5 AS rows_estimated, quality FROM dpmix.release_regression('sold', 'reg.sales', 'sold', '{x,g,k}', 1e5, 1e-6, kind => 'logistic') AS s;
SELECT term, abs(estimate - CASE term WHEN '(intercept)' THEN -1.5 WHEN 'x' THEN .6 WHEN 'g = ''b''' THEN 1 WHEN 'g = ''c''' THEN -1 ELSE 1 END) < .25 AS estimate, noise_low < estimate AND estimate < noise_high AS noise, low < noise_low AND noise_high < high AS population, p_value < 1e-6 AS p_value, note FROM dpmix.regression('sold');
SELECT name, kind, method, features, quality FROM dpmix.releases WHERE name = 'sold';
SELECT parameters->>'kind' AS kind, (SELECT array_agg(s->>'statistic') FROM jsonb_array_elements(parameters->'statistics') AS s) AS statistics FROM dpmix.ledger WHERE release = 'sold';
SELECT count(chance) AS predicted, bool_and(chance BETWEEN 0 AND 1) AS probabilities, bool_and(abs(ln(chance / (1 - chance)) - dpmix.predict('sold', s, log_odds => true)) < 1e-6) AS log_odds, abs(avg(chance) - avg(sold::int)) < .01 AS calibrated, corr(chance, sold::int) > .3 AS tells FROM reg.sales AS s, LATERAL dpmix.predict('sold', s) AS chance WHERE sold IS NOT NULL;
SELECT dpmix.predict('all', s) = dpmix.predict('all', s, true) AS linear FROM reg.sales AS s WHERE id = 1;
SELECT kind, quality FROM dpmix.release_regression('sold by k', 'reg.sales', 'sold', '{x,g}', 1e5, 1e-6, 'logistic', 'k');
SELECT label, count(*), count(low) AS intervals, bool_or(term = 'x' AND abs(estimate - .6) < .1) AS slope FROM dpmix.regression('sold by k') GROUP BY label ORDER BY label;
SELECT abs(a.estimate - b.estimate) < .001 AS same FROM dpmix.release_regression('condition too', 'reg.sales', 'sold = true', '{x}', 1e5, 1e-6, 'logistic') AS a1, dpmix.release_regression('boolean too', 'reg.sales', 'sold', '{x}', 1e5, 1e-6, 'logistic') AS b1, LATERAL dpmix.regression(a1.name) AS a JOIN LATERAL dpmix.regression(b1.name) AS b ON a.term = b.term;
SELECT term, round(estimate::numeric, 2) AS estimate FROM dpmix.release_regression('share', 'reg.sales', 'part', '{x}', 1e5, 1e-6, 'logistic') AS s, dpmix.regression(s.name);
SELECT quality FROM dpmix.release_regression('sold, hidden', 'reg.sales', 'sold', '{x,g,k}', .01, 1e-6, 'logistic');
SELECT count(estimate) AS estimates, count(noise_low) AS noise, count(low) AS population, count(p_value) AS p_values, array_agg(DISTINCT note) AS notes FROM dpmix.regression('sold, hidden');
SELECT s.count_stddev, quality FROM dpmix.release_regression('bought, odds', 'reg.labelled', 'bought', '{x,g}', 1000, 1e-6, kind => 'logistic') AS s;
SELECT (SELECT array_agg(s->>'statistic') FROM jsonb_array_elements(parameters->'statistics') AS s) AS statistics FROM dpmix.ledger WHERE release = 'bought, odds';
SELECT count(low) AS intervals FROM dpmix.regression('bought, odds');
SELECT s.count_stddev > 0 AS noise FROM dpmix.release_regression('of bought, odds', 'reg.labelled', 'x > 5', '{bought}', 100, 1e-6, kind => 'logistic') AS s;
SELECT abs(r.count_stddev / a.noise_stddev / sqrt(2) - 1) < 1e-6 AS twice FROM dpmix.release_regression('replaced, odds', 'reg.replaced', 'x > 5', '{y}', 1, 1e-6, 'logistic') AS r, dpmix.preview($$
    SELECT dpmix.release_regression('new', 'reg.sales', 'x > 5', '{y}', 1, 1e-6, 'logistic')$$, details => true) AS a;
SELECT rows_estimated >= 0 AS rows_estimated FROM dpmix.release_regression('empty, odds', 'reg.empty', 'y > 1', '{x}', 1, 1e-6, 'logistic');
SELECT abs(rows_estimated - (SELECT count(*) FROM reg.days WHERE d BETWEEN '2020-01-11' AND '2020-01-20' AND x >= 0 AND x < 'NaN' AND y IS NOT NULL)) < 5 AS rows_estimated FROM dpmix.release_regression('days, odds', 'reg.days', 'y > 20', '{x}', 1e5, 1e-6, 'logistic', blocks => '[2020-01-11,2020-01-21)') AS s;

-- Refusals: nothing is charged.
CREATE TABLE reg.open (x integer, y integer);
CREATE FUNCTION reg.mine(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT x';
CREATE TABLE reg.before AS SELECT count(*) FROM dpmix.ledger;
SELECT reg.refusal('SELECT dpmix.release_regression(' || arguments || ')'), reg.refusal('SELECT * FROM dpmix.preview($$SELECT dpmix.release_regression(' || arguments || ')$$)') = reg.refusal('SELECT dpmix.release_regression(' || arguments || ')') AS previewed, left(arguments, 110) AS arguments
FROM unnest(ARRAY[
    $$'new', 'reg.sales', 'y', '{}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{NULL}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{{x},{n}}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', string_to_array(repeat('x,', 99) || 'x', ','), 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{nothing}', 1, 1e-6$$,
    $$'new', 'reg.sales', 'y', '{x) FROM reg.sales WHERE (ok}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{x) FROM reg.sales ORDER BY (x}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{"x), (n"}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{"x) FROM reg.open JOIN (reg.sales"}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{"x); DROP TABLE reg.sales; --"}', 1, 1e-6$$,
    $$'new', 'reg.sales', 'y', '{""}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{*}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{sales}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{$1}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{count(*)}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{rank() OVER ()}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{(SELECT 1)}', 1, 1e-6$$,
    $$'new', 'reg.sales', 'y', '{"generate_series(1, n)"}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{1}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{ctid}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{other}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{id}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{id+1}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{1/x}', 1, 1e-6$$,
    $$'new', 'reg.sales', 'y', '{reg.mine(x)}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{random()*x}', 1, 1e-6$$, $$'new', 'reg.sales', 'g', '{x}', 1, 1e-6$$, $$'new', 'reg.sales', 'g || ''x''', '{x}', 1, 1e-6$$, $$'new', 'reg.sales', 'id', '{x}', 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{k}', 1, 1e-6, label => 'k'$$,
    $$'new', 'reg.sales', 'y', '{"x + (k = ''k1'')::int"}', 1, 1e-6, label => 'k'$$, $$'new', 'reg.sales', 'y', '{x}', 1, 1e-6, label => 'nothing'$$, $$'new', 'reg.sales', 'y', '{x}', 1, 1e-6, label => 'x'$$, $$'new', 'reg.sales', 'y', '{x}', 1, 1e-6, kind => 'cubic'$$, $$'new', 'reg.sales', 'y', '{x}', 1, 1e-6, kind => 'logistic'$$, $$'new', 'reg.sales', 'y / 100', '{x}', 1, 1e-6, kind => 'logistic'$$, $$'new', 'reg.sales', 'ok', '{x}', 1, 0, kind => 'logistic'$$,
    $$'new', 'reg.sales', 'y', '{x}', 0, 1e-6$$, $$'new', 'reg.sales', 'y', '{x}', 1, 0$$, $$'new', 'reg.sales', 'y', '{x}', 1, .6$$, $$'new', 'reg.sales', 'y', '{x}', 'NaN', 1e-6$$, $$'', 'reg.sales', 'y', '{x}', 1, 1e-6$$, $$NULL, 'reg.sales', 'y', '{x}', 1, 1e-6$$, $$'new', NULL, 'y', '{x}', 1, 1e-6$$, $$'new', 'reg.sales', NULL, '{x}', 1, 1e-6$$,
    $$'new', 'reg.sales', 'y', NULL, 1, 1e-6$$, $$'new', 'reg.sales', 'y', '{x}', NULL, 1e-6$$, $$'new', 'reg.sales', 'y', '{x}', 1, NULL$$, $$'new', 'reg.sales', 'y', '{x}', 1, 1e-6, blocks => '[2020-01-01,)'$$, $$'new', 'reg.days', 'y', '{x}', 1, 1e-6$$, $$'new', 'reg.open', 'y', '{x}', 1, 1e-6$$,
    $$'new', 'reg.labelled', 'y', '{x}', 1, 1e-6$$, $$'new', 'reg.labelled', 'bought', '{x,made}', 1, 1e-6$$, $$'new', 'reg.labelled', 'made', '{x}', 1, 1e-6$$]) AS arguments;
SELECT reg.refusal(statement), statement FROM unnest(ARRAY[$$SELECT dpmix.release_regression('all', 'reg.sales', 'y', '{x}', 1, 1e-6)$$, $$SELECT dpmix.gmm('all')$$, $$SELECT dpmix.tree_edges('all')$$, $$SELECT dpmix.release_regression('big', 'reg.sales', 'y', '{x}', 1e8, 1e-6)$$]) AS statement;
SELECT (SELECT count(*) FROM dpmix.ledger) - count AS charges FROM reg.before;
SELECT components FROM dpmix.release_gmm('mixture', 'reg.sales', '{x}', 10, 1e-6, label => 'k');
SELECT reg.refusal($$SELECT dpmix.regression('mixture')$$), reg.refusal($$SELECT dpmix.predict('mixture', s) FROM reg.sales AS s$$);

-- Who may: those with access, without a right to the table itself. What is undone is charged.
SET ROLE reg_analyst;
SELECT coefficients FROM dpmix.release_regression('analyst', 'reg.sales', 'y', '{x}', 100, 1e-6);
SELECT count(*) FROM reg.sales;
SELECT count(*) FROM dpmix.regression('all');
SELECT dpmix.predict('all', r) IS NOT NULL AS predicted FROM (SELECT 1 AS x, 1 AS n, true AS ok, 'a' AS g) AS r;
SET ROLE reg_stranger;
SELECT dpmix.release_regression('stranger', 'reg.sales', 'y', '{x}', 1, 1e-6);
SELECT * FROM dpmix.preview($$SELECT dpmix.release_regression('stranger', 'reg.sales', 'y', '{x}', 1, 1e-6)$$);
SELECT count(*) FROM dpmix.regression('all');
SELECT dpmix.predict('all', r) FROM (SELECT 1 AS x, 1 AS n, true AS ok, 'a' AS g) AS r;
SELECT dpmix.drop_release('all');
SET ROLE reg_owner;
BEGIN;
SELECT coefficients FROM dpmix.release_regression('undone', 'reg.sales', 'y', '{x}', 100, 1e-6);
SELECT count(*) FROM dpmix.regression('undone');
ROLLBACK;
SELECT (SELECT count(*) FROM dpmix.releases WHERE name = 'undone') AS models, (SELECT count(*) FROM dpmix.ledger WHERE release = 'undone') AS charges;
-- A column that is gone: the regression keeps what it was made of.
ALTER TABLE reg.sales DROP COLUMN e;
SELECT count(*) FROM dpmix.regression('types');

-- What it was made with is the superuser's to break: an error, and no more.
RESET ROLE;
CREATE FUNCTION reg.broken(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    said text[];
BEGIN
    EXECUTE format('UPDATE dpmix.release SET %s WHERE name = ''all''', change);
    said := ARRAY[reg.refusal($q$SELECT count(*) FROM dpmix.regression('all')$q$), reg.refusal($q$SELECT dpmix.predict('all', r) FROM (SELECT 1 AS x, 1 AS n, true AS ok, 'a' AS g) AS r$q$)];
    RAISE EXCEPTION USING ERRCODE = 'ZZZZZ', MESSAGE = coalesce((SELECT string_agg(DISTINCT s, '; ') FROM unnest(said) AS s), 'answered');
EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
    RETURN SQLERRM;
END $$;
SELECT reg.broken(change), change FROM unnest(ARRAY['model = NULL', 'model = ''{}''', 'model = model[1:10]', 'model = model || ''{1}''::float8[]', 'model[1] = 7', 'model[2] = 1e9', 'model[2] = -1', 'model[3] = 2', 'model[3] = ''NaN''', 'model[7] = 9', 'texts = ''{}''', 'texts = texts || ''{more}''::text[]', 'kind = ''gmm''']) AS change;
SELECT count(*) > 20 AS many FROM (SELECT cardinality(model) AS n FROM dpmix.release WHERE name = 'all') AS t, generate_series(1, n) AS i, unnest('{-1,1,"''NaN''",1e300}'::text[]) AS value, LATERAL reg.broken(format('model[%s] = %s', i, value));

SELECT dpmix.drop_release(name) FROM dpmix.releases WHERE maker IN ('reg_owner', 'reg_analyst');
SELECT count(dpmix.unprotect(relation)) FROM dpmix.budget WHERE relation::text ~ '^(reg\.)?(sales|replaced|labelled|days|empty)$';
DROP SCHEMA reg CASCADE;
DROP ROLE reg_owner, reg_analyst, reg_stranger;
