-- dpmix.synthesize: one charge, rows of the table's own type, a method picked by declarations. No noise value is
-- printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE TYPE syn_size AS ENUM ('s', 'm', 'l');
CREATE TABLE syn_people (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, age integer NOT NULL, wage float8, smoker boolean, seen date, size syn_size NOT NULL,
    town char(4), note text, spot point, twice float8 GENERATED ALWAYS AS (wage * 2) STORED, free numeric
);
INSERT INTO syn_people (age, wage, smoker, seen, size, town, note)
SELECT 20 + i % 60, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 1000 END, i % 3 = 0, date '2026-01-01' + i % 50,
       (ARRAY['s', 'm', 'l'])[1 + i % 3]::syn_size, (ARRAY['aa', 'bb'])[1 + i % 2], 'secret'
FROM generate_series(1, 6000) i;
SELECT dpmix.protect('syn_people', 1000, 1e-3);
SELECT dpmix.set_bounds('syn_people', 'age', 0, 100), dpmix.set_bounds('syn_people', 'wage', 0, 1000),
       dpmix.set_bounds('syn_people', 'seen', date '2026-01-01', date '2026-03-01'),
       dpmix.set_categories('syn_people', 'size', '{s,m,l}'), dpmix.set_categories('syn_people', 'town', '{aa,bb}');
CREATE ROLE syn_ana;
SELECT dpmix.grant_access('syn_people', 'syn_ana');

-- All that can be modelled is; what is not, and what makes the rows, is said before the charge. (How good they are,
-- too.)
SET ROLE syn_ana;
SET client_min_messages = notice;
SELECT mechanism, epsilon, delta, mu > 0 AS mu, noise_stddev > 0 AS noise, calls_left > 0 AS left FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_people, 100, 1, 1e-6)$$);
SELECT p = t AS as_tree FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_people, 100, 1, 1e-6, columns => '{age,wage}', label => 'size', method => 'tree')$$) p,
       dpmix.preview($$SELECT dpmix.release_tree('any', 'syn_people', '{age,wage}', 1, 1e-6, label => 'size')$$) t;
SELECT p = t AS as_mixture FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_people, 100, 1, 1e-6, columns => '{age,wage}', label => 'size', method => 'mixture')$$) p,
       dpmix.preview($$SELECT dpmix.release_gmm('any', 'syn_people', '{age,wage}', 1, 1e-6, label => 'size')$$) t;
SELECT p = t AS as_cda FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_people, 100, 1, 1e-6, columns => '{age,town}', label => 'size', method => 'cda')$$) p,
       dpmix.preview($$
           SELECT * FROM dpmix.cda(NULL::syn_people, '{age,town}', 100, 1, 1e-6, label => 'size', class_rows => 'proportional')$$) t;
SET client_min_messages = warning;
RESET ROLE;
SELECT charges FROM dpmix.budget WHERE relation = 'syn_people'::regclass;
SET ROLE syn_ana;
CREATE TEMP TABLE made AS SELECT * FROM dpmix.synthesize(NULL::syn_people, 5001, 50, 1e-6);
SELECT count(*), count(id) AS id, count(note) AS note, count(spot) AS spot, count(twice) AS twice, count(free) AS free FROM made;
SELECT count(*) AS bad FROM made WHERE (age BETWEEN 0 AND 100 AND size IS NOT NULL AND coalesce(wage BETWEEN 0 AND 1000, true)
                                        AND coalesce(seen BETWEEN '2026-01-01' AND '2026-03-01', true) AND coalesce(town IN ('aa', 'bb'), true)) IS NOT TRUE;
-- Means, shares, and how columns depend on each other, which is exact here.
SELECT abs(avg(age) - 49.5) < 3 AS age, abs(avg((wage IS NULL)::int) - .2) < .05 AS missing, abs(avg((size = 's')::int) - .333) < .05 AS size,
       avg((smoker = (size = 's'))::int) > .9 AS smoker_by_size FROM made;
-- A label: the others by class, and rows whose label is not declared are left out.
CREATE TEMP TABLE labelled AS SELECT * FROM dpmix.synthesize(NULL::syn_people, 3000, 50, 1e-6, columns => '{age,smoker}', label => 'size');
SELECT size, abs(count(*) - 1000) < 200 AS rows, count(age) = count(*) AS age, count(wage) AS wage FROM labelled GROUP BY size ORDER BY size;
-- The other methods.
SELECT count(*), count(age) AS age, count(wage) AS wage, count(seen) AS seen, count(size) AS size, count(smoker) AS smoker
FROM dpmix.synthesize(NULL::syn_people, 777, 50, 1e-6, label => 'size', method => 'mixture');
SELECT count(*) FROM dpmix.synthesize(NULL::syn_people, 500, 50, 1e-6, columns => '{age,wage}', method => 'mixture');
SELECT count(*), count(age) AS age, count(town) AS town, count(size) AS size
FROM dpmix.synthesize(NULL::syn_people, 1000, 50, 1e-6, columns => '{age,town,size}', method => 'cda');
-- By ranks: columns as in a tree, NULLs among them; what goes together within a class still does.
CREATE TEMP TABLE ranked AS SELECT * FROM dpmix.synthesize(NULL::syn_people, 3000, 50, 1e-6, columns => '{age,wage,smoker,town}', label => 'size', method => 'copula');
SELECT size, abs(count(*) - 1000) < 100 AS rows, abs(avg(age) - 49.5) < 4 AS age, abs(avg((wage IS NULL)::int) - .2) < .05 AS missing,
       min(age) >= 0 AND max(age) <= 100 AND max(wage) <= 1000 AS within, count(town) > 900 AS town, avg((smoker = (size = 's'))::int) > .9 AS smoker FROM ranked GROUP BY size ORDER BY size;
SELECT count(*), abs(avg(age) - 49.5) < 4 AS age, count(size) AS size FROM dpmix.synthesize(NULL::syn_people, 1000, 50, 1e-6, columns => '{age,size}', method => 'copula');
RESET ROLE;
SELECT kind, mechanism, release, role, epsilon, delta, parameters - '{mu,statistics,count_stddev,slack,count_rate,unit,covariance,objective,method}'::text[] AS parameters
FROM dpmix.ledger WHERE relation = 'public.syn_people' ORDER BY id;
SELECT count(*) AS stored FROM dpmix.releases WHERE relation = 'syn_people'::regclass;
SELECT l.kind, bool_and(e.meaning LIKE '%: matches the record') AS matches FROM dpmix.ledger l, LATERAL dpmix.explain_charge(l.id) e
WHERE e.item = 'cost' AND l.relation = 'public.syn_people' GROUP BY l.kind ORDER BY l.kind;
SELECT dpmix.report('syn_people') ~ '>synthetic table<' AS listed, dpmix.report('syn_people') ~ '>model<' AS model;

-- Many numbers of many values: a mixture; with one of few, a tree; more than models take: cda.
DO $$ BEGIN
    EXECUTE (SELECT format('CREATE TABLE syn_bands (%s, hue integer, kind text)', string_agg(format('b%s float8', i), ', ')) FROM generate_series(1, 9) i);
    EXECUTE (SELECT format('CREATE TABLE syn_image (%s)', string_agg(format('p%s float8', i), ', ')) FROM generate_series(1, 101) i);
END $$;
SELECT dpmix.protect('syn_bands', 100, 1e-3), dpmix.protect('syn_image', 100, 1e-3), dpmix.set_categories('syn_bands', 'kind', '{a,b}'), dpmix.set_bounds('syn_bands', 'hue', 0, 127);
SELECT count(dpmix.set_bounds('syn_bands', format('b%s', i), 0, 1)) AS bands FROM generate_series(1, 9) i;
SELECT count(dpmix.set_bounds('syn_image', format('p%s', i), 0, 1)) AS pixels FROM generate_series(1, 101) i;
SET client_min_messages = notice;
SELECT mechanism FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_bands, 100, 1, 1e-6, columns => '{b1,b2,b3,b4,b5,b6,b7,b8,b9}', label => 'kind')$$);
SELECT mechanism FROM dpmix.preview($$
    SELECT * FROM dpmix.synthesize(NULL::syn_bands, 100, 1, 1e-6, columns => '{b1,b2,b3,b4,b5,b6,b7,b8}', label => 'kind')$$);
SELECT mechanism FROM dpmix.preview($$SELECT * FROM dpmix.synthesize(NULL::syn_bands, 100, 1, 1e-6, label => 'kind')$$);
SELECT mechanism FROM dpmix.preview($$SELECT * FROM dpmix.synthesize(NULL::syn_image, 100, 1, 1e-6)$$);
SET client_min_messages = warning;

-- Refusals: nothing is charged.
CREATE TABLE syn_open (age integer);
CREATE TYPE syn_pair AS (age integer);
CREATE TABLE syn_bare (note text);
SELECT dpmix.protect('syn_bare', 1, 1e-6);
CREATE DOMAIN syn_even AS integer CHECK (value % 2 = 0);
CREATE TABLE syn_evens (n syn_even);
SELECT dpmix.protect('syn_evens', 1, 1e-6), dpmix.set_bounds('syn_evens', 'n', 0, 9);
CREATE TABLE syn_days (day date, age integer);
SELECT dpmix.protect('syn_days', 1, 1e-6, blocks => 'day', blocks_from => '2026-01-01'), dpmix.set_bounds('syn_days', 'age', 0, 100);
CREATE TABLE syn_votes (age integer, vote boolean, party text);
SELECT dpmix.protect('syn_votes', 1000, 1e-3, adjacency => 'label', label => 'vote'),
       dpmix.set_bounds('syn_votes', 'age', 0, 100), dpmix.set_categories('syn_votes', 'vote', '{t,f}');
CREATE FUNCTION syn_refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text; hint text;
BEGIN
    EXECUTE 'SELECT count(*) FROM dpmix.' || call;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', SQLSTATE, message, CASE WHEN detail = '' OR hint = '' THEN '(no detail or hint)' END);
END $$;
CREATE TABLE syn_wide (a text, b text, x float8);
SELECT dpmix.protect('syn_wide', 1, 1e-6), dpmix.set_bounds('syn_wide', 'x', 0, 1),
       dpmix.set_categories('syn_wide', 'a', many), dpmix.set_categories('syn_wide', 'b', many)
FROM (SELECT array_agg(i::text) AS many FROM generate_series(1, 10000) i) m;
CREATE TABLE syn_charges AS SELECT count(*) AS charges FROM dpmix.charge;
SELECT syn_refusal(format(f, arguments)) AS refusal, f, arguments AS call
FROM unnest(ARRAY[
    $$NULL::syn_people, 0, 1, 1e-6$$,
    $$NULL::syn_people, 1000000001, 1, 1e-6$$,
    $$NULL::syn_people, NULL, 1, 1e-6$$,
    $$NULL::syn_people, 10, NULL, 1e-6$$,
    $$NULL::syn_people, 10, 'NaN', 1e-6$$,
    $$NULL::syn_people, 10, -1, 1e-6$$,
    $$NULL::syn_people, 10, 1, 0$$,
    $$NULL::syn_people, 10, 1, 1$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{NULL}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{age,age}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{none}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{note}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{free}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{spot}'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{age,size}', 'size'$$,
    $$NULL::syn_people, 10, 1, 1e-6, NULL, 'note'$$,
    $$NULL::syn_people, 10, 1, 1e-6, NULL, 'none'$$,
    $$NULL::syn_people, 10, 1, 1e-6, NULL, NULL, 'gmm'$$,
    $$NULL::syn_people, 10, 1, 1e-6, '{age,size}', NULL, 'mixture'$$,
    $$NULL::syn_people, 10, 1, 1e-6, NULL, NULL, 'tree', blocks => '[2026-01-01,)'$$,
    $$NULL::syn_bands, 10, 1, 1e-6, NULL, NULL, 'mixture'$$,
    $$NULL::syn_image, 10, 1, 1e-6, NULL, NULL, 'tree'$$,
    $$NULL::syn_image, 10, 1, 1e-6, NULL, NULL, 'mixture'$$,
    $$NULL::syn_bare, 10, 1, 1e-6$$,
    $$NULL::syn_evens, 10, 1, 1e-6$$,
    $$NULL::syn_wide, 10, 1, 1e-6, '{a}', 'b'$$,
    $$NULL::syn_wide, 10, 1, 1e-6, '{a,x}', 'b'$$,
    $$NULL::syn_days, 10, 1, 1e-6$$,
    $$NULL::syn_votes, 10, 1, 1e-6$$,
    $$NULL::syn_votes, 10, 1, 1e-6, NULL, 'vote'$$,
    $$NULL::syn_open, 10, 1, 1e-6$$,
    $$NULL::syn_pair, 10, 1, 1e-6$$,
    $$NULL::integer, 10, 1, 1e-6$$,
    $$NULL, 10, 1, 1e-6$$,
    $$'syn_people', 10, 1, 1e-6$$]) WITH ORDINALITY AS t(arguments, n), unnest(ARRAY['synthesize(%s)', 'preview($p$SELECT * FROM dpmix.synthesize(%s)$p$)']) AS f
ORDER BY n, f COLLATE "C" DESC;
SELECT count(*) - (SELECT charges FROM syn_charges) AS charged FROM dpmix.charge;
SELECT relation, kind FROM dpmix.charge WHERE relation IN ('public.syn_votes', 'public.syn_bare', 'public.syn_evens', 'public.syn_wide', 'public.syn_days');
-- Blocks: those that the range touches are charged.
INSERT INTO syn_days SELECT date '2026-01-01' + i % 60, i % 100 FROM generate_series(1, 6000) i;
SELECT count(*), count(age) > 50 AS age, count(day) AS day FROM dpmix.synthesize(NULL::syn_days, 100, .9, 1e-7, blocks => '[2026-01-01,2026-02-01)');
SELECT l.kind, l.blocks FROM dpmix.ledger l WHERE relation = 'public.syn_days';
SELECT count(*), count(age) > 50 AS age FROM dpmix.synthesize(NULL::syn_days, 100, .9, 1e-7, columns => '{age}', method => 'copula', blocks => '[2026-02-10,2026-02-20)');
SELECT l.kind, l.parameters ->> 'method' AS method, l.blocks FROM dpmix.ledger l WHERE relation = 'public.syn_days' ORDER BY l.id DESC LIMIT 1;
-- A label that is all that is protected.
INSERT INTO syn_votes SELECT i % 100, i % 100 < 50, 'a' FROM generate_series(1, 4000) i;
SELECT vote, abs(count(*) - 500) < 60 AS rows, abs(avg(age) - CASE WHEN vote THEN 25 ELSE 75 END) < 5 AS age
FROM dpmix.synthesize(NULL::syn_votes, 1000, 20, 1e-6, columns => '{age}', label => 'vote', method => 'copula') GROUP BY vote ORDER BY vote;
SET client_min_messages = error;
SELECT syn_refusal($$synthesize(NULL::syn_days, 100, .9, 1e-7, blocks => '[2026-01-31,2026-02-10)')$$);
-- A ROLLBACK undoes the rows, not the charge.
SELECT count(*) AS charges FROM dpmix.charge WHERE relation = 'public.syn_people' \gset before_
BEGIN;
CREATE TABLE syn_undone AS SELECT * FROM dpmix.synthesize(NULL::syn_people, 10, 1, 1e-6);
ROLLBACK;
SELECT count(*) - :before_charges AS charged, to_regclass('syn_undone') AS undone FROM dpmix.charge WHERE relation = 'public.syn_people';
SET ROLE syn_ana;
SELECT syn_refusal('synthesize(NULL::syn_bands, 10, 1, 1e-6)');
RESET ROLE;

SELECT dpmix.unprotect(t::regclass) FROM unnest('{syn_people,syn_bands,syn_image,syn_bare,syn_evens,syn_wide,syn_days,syn_votes}'::text[]) t;
DROP FUNCTION syn_refusal(text);
DROP TABLE syn_people, syn_bands, syn_image, syn_bare, syn_evens, syn_wide, syn_days, syn_votes, syn_open, syn_charges, made, labelled, ranked;
DROP TYPE syn_size, syn_pair;
DROP DOMAIN syn_even;
DROP ROLE syn_ana;
