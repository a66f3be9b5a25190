-- Logistic regressions by coordinate descent: rows that are held and rows that are scanned, penalties, families,
-- neighbours, refusals before any charge. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA descent;
SET search_path = descent;

-- Log-odds of yes: x - 1, and 1 more where g is b; z says nothing. Some rows miss something.
CREATE TABLE rows AS
SELECT i AS id, x, z, g, c, (i * 7919 % 10007) / 10007.0 < 1 / (1 + exp(1 - x - (g = 'b')::int)) AS yes
FROM generate_series(1, 6000) AS i, LATERAL (SELECT (i * 31 % 400) / 100.0::float8 AS x, (i * 131 % 997) / 997.0::float8 AS z, (ARRAY['a', 'b'])[1 + i * 17 % 97 % 2] AS g, 'c' || i % 3 AS c) AS r;
INSERT INTO rows VALUES (9001, NULL, 1, 'a', 'c0', true), (9002, 1, 1, 'other', 'c0', true), (9003, 1, 1, 'a', 'c0', NULL), (9004, 'NaN', 1, 'a', 'c0', true);
CREATE TABLE replaced AS TABLE rows;
CREATE TABLE labelled AS TABLE rows;
CREATE TABLE empty (LIKE rows);
CREATE TABLE renyi AS TABLE rows;
SELECT dpmix.protect('rows', 1e7, 0.1, accountant => 'basic'), dpmix.protect('replaced', 1e7, 0.1, adjacency => 'replace'),
       dpmix.protect('labelled', 1e7, 0.1, adjacency => 'label', label => 'yes'), dpmix.protect('empty', 1e7, 0.1), dpmix.protect('renyi', 10, 1e-3, accountant => 'renyi');
SELECT count(dpmix.set_bounds(t::regclass, 'x', 0, 4)) + count(dpmix.set_bounds(t::regclass, 'z', 0, 1)) + count(dpmix.set_categories(t::regclass, 'g', '{a,b}')) + count(dpmix.set_categories(t::regclass, 'c', '{c0,c1,c2}')) AS declared
FROM unnest('{rows,replaced,labelled,empty,renyi}'::text[]) AS t;

CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- Held and scanned: the same coefficients, without noise to speak of.
SET work_mem = '64kB';
SELECT name, kind, coefficients, count_stddev < .1 AS exact, abs(rows_estimated - 6000) < .5 AS rows, quality
FROM dpmix.release_regression('scanned', 'rows', 'yes', '{x,g,z}', 1e6, 1e-6, 'logistic', method => 'coordinate', passes => 60);
RESET work_mem;
SELECT name, kind, coefficients, quality
FROM dpmix.release_regression('held', 'rows', 'yes', '{x,g,z}', 1e6, 1e-6, 'logistic', method => 'coordinate', passes => 60);
SELECT coefficients FROM dpmix.release_regression('newton', 'rows', 'yes', '{x,g,z}', 1e6, 1e-6, 'logistic', method => 'newton');
SELECT h.term, abs(h.estimate - s.estimate) < .01 AS as_scanned, abs(h.estimate - n.estimate) < .05 AS as_newton, num_nonnulls(h.noise_low, h.noise_high, h.low, h.high, h.p_value) AS intervals, h.note
FROM dpmix.regression('held') AS h JOIN dpmix.regression('scanned') AS s USING (term) JOIN dpmix.regression('newton') AS n USING (term);
SELECT count(*), bool_and(abs(dpmix.predict('held', r) - dpmix.predict('newton', r)) < .02) AS same FROM rows AS r WHERE id <= 100;
SELECT DISTINCT method FROM dpmix.releases WHERE name IN ('held', 'newton');

-- Penalties: what says nothing is 0 with l1, and all of it is smaller with l2.
SELECT coefficients FROM dpmix.release_regression('sparse', 'rows', 'yes', '{x,g,z}', 1e6, 1e-6, 'logistic', method => 'coordinate', l1 => .02);
SELECT coefficients FROM dpmix.release_regression('small', 'rows', 'yes', '{x,g,z}', 1e6, 1e-6, 'logistic', method => 'coordinate', l2 => 1);
SELECT term, s.estimate = 0 AS sparse, abs(l.estimate) < abs(h.estimate) / 2 AS small
FROM dpmix.regression('sparse') AS s JOIN dpmix.regression('small') AS l USING (term) JOIN dpmix.regression('held') AS h USING (term) WHERE term <> '(intercept)';

-- Every family, and each of them under other neighbours.
SELECT mechanism, (dpmix.release_regression('family ' || mechanism, 'renyi', 'yes', '{x,g}', 2, 1e-5, 'logistic', method => 'coordinate', mechanism => mechanism, passes => 2)).coefficients
FROM unnest('{gaussian,multi_gaussian,quasi_gaussian}'::text[]) AS mechanism;
SELECT mechanism, bool_and(dpmix.predict('family ' || mechanism, r) > .6) AS good
FROM unnest('{gaussian,multi_gaussian,quasi_gaussian}'::text[]) AS mechanism, (SELECT 4.0::float8 AS x, 'b'::text AS g) AS r GROUP BY mechanism ORDER BY mechanism;
SELECT mechanism, parameters ->> 'kind' AS kind, parameters -> 'statistics' -> 3 ->> 'statistic' AS last FROM dpmix.ledger WHERE release LIKE 'family %' ORDER BY mechanism;
SELECT coefficients FROM dpmix.release_regression('replaced', 'replaced', 'yes', '{x,g}', 10, 1e-6, 'logistic', method => 'coordinate');
SELECT coefficients, count_stddev, rows_estimated FROM dpmix.release_regression('labelled', 'labelled', 'yes', '{x,g}', 10, 1e-6, 'logistic', method => 'coordinate');
SELECT coefficients FROM dpmix.release_regression('empty', 'empty', 'yes', '{x,g}', 10, 1e-6, 'logistic', method => 'coordinate');
SELECT name, bool_and(estimate BETWEEN -1e6 AND 1e6) AS finite FROM unnest('{replaced,labelled,empty}'::text[]) AS name, dpmix.regression(name) GROUP BY name ORDER BY name;

-- A preview says what is charged. Under replace each sum of a column has twice the noise, not the count.
SELECT mechanism, epsilon, delta, mu > 0 AS mu, noise_stddev > 1 AS noise FROM dpmix.preview($$
    SELECT dpmix.release_regression('new', 'rows', 'yes', '{x,g}', 1, 1e-6, 'logistic', method => 'coordinate', mechanism => 'multi_gaussian')$$);
SELECT many.noise_stddev / few.noise_stddev > 1.5 AS more_passes_more_noise
FROM dpmix.preview($$
    SELECT dpmix.release_regression('new', 'rows', 'yes', '{x,g}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 20)$$) AS many, dpmix.preview($$
    SELECT dpmix.release_regression('new', 'rows', 'yes', '{x,g}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 2)$$) AS few;

-- Refusals, none of which is charged.
SELECT count(*) AS before FROM dpmix.ledger \gset
SELECT refusal(format('SELECT dpmix.release_regression(''new'', ''rows'', ''yes'', ''{x,g}'', 1, 1e-6, %s)', arguments)), arguments
FROM unnest(ARRAY[$$'logistic', method => 'newtonian'$$, $$'linear', method => 'coordinate'$$, $$'linear', l1 => 1$$, $$'logistic', l2 => 1$$, $$'logistic', passes => 3$$, $$'logistic', mechanism => 'multi_gaussian'$$,
    $$'logistic', method => 'coordinate', label => 'c'$$, $$'logistic', method => 'coordinate', mechanism => 'laplace'$$, $$'logistic', method => 'coordinate', mechanism => 'optimal'$$, $$'logistic', method => 'coordinate', mechanism => 'auto'$$,
    $$'logistic', method => 'coordinate', l1 => -1$$, $$'logistic', method => 'coordinate', l2 => 'NaN'$$, $$'logistic', method => 'coordinate', passes => 0$$, $$'logistic', method => 'coordinate', passes => 101$$]) AS arguments;
SELECT count(*) - :before AS charges FROM dpmix.ledger;

-- What is undone is charged, once.
BEGIN;
SELECT coefficients FROM dpmix.release_regression('undone descent', 'rows', 'yes', '{x,g}', 100, 1e-6, 'logistic', method => 'coordinate');
ROLLBACK;
SELECT (SELECT count(*) FROM dpmix.releases WHERE name = 'undone descent') AS models, (SELECT count(*) FROM dpmix.ledger WHERE release = 'undone descent') AS charges;

SELECT count(dpmix.drop_release(name)) FROM dpmix.releases WHERE relation::text ~ '^(descent\.)?(rows|replaced|labelled|empty|renyi)$';
SELECT count(dpmix.unprotect(relation)) FROM dpmix.budget WHERE relation::text ~ '^(descent\.)?(rows|replaced|labelled|empty|renyi)$';
DROP SCHEMA descent CASCADE;
