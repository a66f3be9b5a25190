-- Private synthetic tables: dpmix.cda.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;

CREATE TABLE cda_patients (
    id bigint GENERATED ALWAYS AS IDENTITY,
    age integer,
    bmi float8,
    cost numeric(10, 2),
    smoker boolean,
    seen date,
    born timestamptz,
    note text,
    diagnosis text
);
INSERT INTO cda_patients (age, bmi, cost, smoker, seen, born, note, diagnosis)
SELECT 30 + i % 41 + 10 * (i % 2), 22 + (i % 7) / 2.0 + 4 * (i % 2), 100 + i % 300, i % 4 = 0,
       date '2020-01-01' + i % 365, timestamptz '1960-01-01 00:00+00' + i % 9000 * interval '1 day',
       'secret', CASE i % 2 WHEN 0 THEN 'benign' ELSE 'malign' END
FROM generate_series(1, 20000) AS i;
-- Rows that join no class, and rows beyond the bounds.
INSERT INTO cda_patients (age, bmi, cost, smoker, seen, diagnosis) VALUES
    (NULL, 20, 1, true, '2020-01-01', 'benign'), (20, 'NaN', 1, true, '2020-01-01', 'benign'),
    (20, 20, 1, true, '2020-01-01', NULL), (20, 20, 1, true, '2020-01-01', 'undeclared'),
    (2000000000, 'Infinity', 99999999, false, 'infinity', 'malign'),
    (-5, '-Infinity', -99999999, false, '-infinity', 'malign');

SELECT dpmix.protect('cda_patients', 1e5, 1e-2);
SELECT dpmix.set_bounds('cda_patients', 'age', 0, 120), dpmix.set_bounds('cda_patients', 'bmi', 10, 50),
       dpmix.set_bounds('cda_patients', 'cost', 0, 1000),
       dpmix.set_bounds('cda_patients', 'seen', date '2019-01-01', date '2022-01-01'),
       dpmix.set_bounds('cda_patients', 'born', timestamptz '1940-01-01 00:00+00', timestamptz '2000-01-01 00:00+00'),
       dpmix.set_categories('cda_patients', 'diagnosis', '{benign,malign,rare}');

-- A table of the same type: every kind of column, the classes balanced to the row, bounds kept,
-- what is neither feature nor label empty; a class without records has rows too.
CREATE TABLE cda_synthetic AS
SELECT * FROM dpmix.cda(NULL::cda_patients, '{age,bmi,cost,smoker,seen}', 3001, 5000, 1e-6, label => 'diagnosis', demix => 'none');
SELECT diagnosis, count(*) FROM cda_synthetic GROUP BY diagnosis ORDER BY diagnosis;
SELECT count(*) AS outside FROM cda_synthetic
WHERE NOT (age BETWEEN 0 AND 120 AND bmi BETWEEN 10 AND 50 AND cost BETWEEN 0 AND 1000
           AND seen BETWEEN '2019-01-01' AND '2022-01-01' AND smoker IS NOT NULL);
SELECT count(*) AS filled FROM cda_synthetic
WHERE id IS NOT NULL OR note IS NOT NULL OR born IS NOT NULL;

-- The preview of that call tells its cost; free.
SELECT p.mechanism, p.epsilon, p.delta, abs(c.cost / p.charge_cost::numeric - 1) < 1e-11 AS cost, abs(c.cost_delta / p.charge_delta::numeric - 1) < 1e-11 AS delta, noise_stddev < 0.1 AS exact,
       mu > 10 AS mu, charge_share BETWEEN 1e-3 AND 1 AS share, calls_left BETWEEN 1 AND 1000 AS left
FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_patients, '{age,bmi,cost,smoker,seen}', 3001, 5000, 1e-6, label => 'diagnosis', demix => 'none')$$) p, dpmix.ledger c WHERE relation = 'public.cda_patients';
SELECT round(noise_stddev) AS noise FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_patients, '{age}', 10, 1, 1e-6, label => 'diagnosis')$$);
SELECT * FROM dpmix.preview($$SELECT * FROM dpmix.cda(NULL::cda_patients, '{age}', 10, 1, 0, label => 'diagnosis')$$);

-- With a large epsilon the means of the classes are those of the records, and demixing brings their
-- spread back. (Warnings of noise speak of the rare class, by its noisy count.)
SET client_min_messages = error;
CREATE TABLE cda_means AS
SELECT demix, diagnosis, avg(age) AS age, stddev(age) AS age_spread, avg(bmi) AS bmi
FROM unnest(ARRAY['none', 'per_class', 'tied']) AS demix,
     LATERAL dpmix.cda(NULL::cda_patients, '{age,bmi}', 30000, 5000, 1e-6, label => 'diagnosis',
                       mix => 50, demix => demix)
WHERE diagnosis <> 'rare' GROUP BY demix, diagnosis;
SET client_min_messages = warning;
CREATE VIEW cda_truth AS
SELECT diagnosis, avg(age) AS age, stddev(age) AS age_spread, avg(bmi) AS bmi FROM cda_patients
WHERE diagnosis IN ('benign', 'malign') AND age BETWEEN 0 AND 120 AND bmi BETWEEN 10 AND 50
GROUP BY diagnosis;
SELECT m.demix, m.diagnosis, abs(m.age - t.age) < 1 AS age, abs(m.bmi - t.bmi) < .5 AS bmi,
       m.demix = 'none' OR m.age_spread BETWEEN .8 * t.age_spread AND 1.2 * t.age_spread AS spread
FROM cda_means AS m JOIN cda_truth AS t USING (diagnosis) ORDER BY 1, 2;

-- One class; small and exact features; blocks smaller than the table.
SET work_mem = '64kB';
SELECT count(*), count(diagnosis) AS labels, abs(avg(extract(year FROM born)) - 1972) < 3 AS born
FROM dpmix.cda(NULL::cda_patients, '{age,born}', 10000, 5000, 1e-6, mix => 1000);
RESET work_mem;
SELECT count(*) FROM dpmix.cda(NULL::cda_patients, '{smoker}', 3, 10, 1e-6, label => 'diagnosis', demix => 'none');

-- In proportion to the noisy counts: classes may have no rows. Averages of a class are those of its
-- records, to a deviation below 0.5; the classes are 10 apart.
CREATE TABLE cda_shares AS
SELECT diagnosis, count(*) AS rows, avg(age) AS age
FROM dpmix.cda(NULL::cda_patients, '{age,bmi}', 3000, 5000, 1e-6, label => 'diagnosis', demix => 'none', class_rows => 'proportional')
GROUP BY diagnosis;
SELECT diagnosis, rows BETWEEN 1450 AND 1550 AS rows, abs(s.age - t.age) < 4 AS age
FROM cda_shares AS s JOIN cda_truth AS t USING (diagnosis) ORDER BY diagnosis;
SELECT coalesce(sum(rows), 0) <= 3 AS rare FROM cda_shares WHERE diagnosis = 'rare';
SELECT count(*) FROM dpmix.cda(NULL::cda_patients, '{age}', 1, 100, 1e-6, label => 'diagnosis', class_rows => 'proportional', demix => 'per_class');
SELECT count(*) FROM dpmix.cda(NULL::cda_patients, '{age}', 50, 100, 1e-6, label => 'diagnosis', class_rows => 'proportional', demix => 'tied');

-- The noise is said to be useless when it is.
SELECT count(*) FROM dpmix.cda(NULL::cda_patients, '{age,bmi,cost}', 100000, .05, 1e-9, demix => 'none');

-- Every call charged what it said, and nothing but parameters is on record.
SELECT kind, mechanism, epsilon, delta, parameters - '{mu,slack,count_rate,statistics}'::text[] AS parameters FROM dpmix.ledger
WHERE relation = 'public.cda_patients' ORDER BY id;

-- Refusals cost nothing.
CREATE TABLE cda_charges AS SELECT charges FROM dpmix.budget WHERE relation = 'cda_patients'::regclass;
CREATE TABLE cda_open (age integer);
CREATE TYPE cda_free AS (age integer);
CREATE FUNCTION cda_refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text; hint text;
BEGIN
    EXECUTE 'SELECT count(*) FROM ' || call;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', SQLSTATE, message, CASE WHEN detail = '' OR hint = '' THEN '(no detail or hint)' END);
END $$;
SELECT cda_refusal(format('dpmix.cda(%s)', arguments)) AS refusal, arguments
FROM unnest(ARRAY[
    $$NULL::cda_patients, '{age}', 0, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 2, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 1000000001, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', NULL, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, -1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, 'NaN', 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 0, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'diagnosis', mix => 0$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'diagnosis', mix => 10001$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'diagnosis', mix => 4, demix => 'all'$$,
    $$NULL::cda_patients, '{}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, NULL, 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{NULL}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age,age}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{weight}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{ctid}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{note}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{id}', 100, 1, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'note'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'age'$$,
    $$NULL::cda_patients, '{age}', 100, 1, 1e-6, label => 'bmi'$$,
    $$NULL::cda_patients, '{age}', 100, 99999, 1e-6, label => 'diagnosis'$$,
    $$NULL::cda_open, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_free, '{age}', 100, 1, 1e-6$$,
    $$NULL::integer, '{age}', 100, 1, 1e-6$$]) WITH ORDINALITY AS t(arguments, n) ORDER BY n;

CREATE TABLE cda_votes (age integer, vote boolean, party text);
INSERT INTO cda_votes SELECT i % 100, i % 3 = 0, 'none' FROM generate_series(1, 3000) AS i;
SELECT dpmix.protect('cda_votes', 1000, 1e-3, adjacency => 'label', label => 'vote'),
       dpmix.set_bounds('cda_votes', 'age', 0, 100), dpmix.set_categories('cda_votes', 'vote', '{t,f}');
-- Adjacency label: the protected label alone, other columns are public.
SELECT cda_refusal($$dpmix.cda(NULL::cda_votes, '{age}', 100, 1, 1e-6)$$);
SELECT cda_refusal($$dpmix.cda(NULL::cda_votes, '{age}', 100, 1, 1e-6, label => 'party')$$);
SELECT cda_refusal($$dpmix.cda(NULL::cda_votes, '{vote}', 100, 1, 1e-6, label => 'vote')$$);
SELECT vote, count(*), abs(avg(age) - 49.5) < 5 AS age
FROM dpmix.cda(NULL::cda_votes, '{age}', 2000, 500, 1e-6, label => 'vote') GROUP BY vote ORDER BY vote;
SELECT b.charges = c.charges AS unchanged FROM dpmix.budget AS b, cda_charges AS c
WHERE b.relation = 'cda_patients'::regclass;
SELECT charges FROM dpmix.budget WHERE relation = 'cda_votes'::regclass;

-- The records of charges are computed again.
SELECT relation, bool_and(meaning LIKE '%matches the record%') AS matches
FROM dpmix.ledger AS l, LATERAL dpmix.explain_charge(l.id) AS e
WHERE e.item = 'cost' AND relation IN ('public.cda_patients', 'public.cda_votes') GROUP BY relation ORDER BY relation;

-- Only roles with access; the boolean label and adjacency replace.
CREATE TABLE cda_visits (length real, late boolean);
INSERT INTO cda_visits SELECT i % 60, i % 3 = 0 FROM generate_series(1, 3000) AS i;
SELECT dpmix.protect('cda_visits', 1000, 1e-5, adjacency => 'replace', accountant => 'basic'),
       dpmix.set_bounds('cda_visits', 'length', 0, 60), dpmix.set_categories('cda_visits', 'late', '{t,f}');
CREATE ROLE cda_analyst;
SET ROLE cda_analyst;
SELECT cda_refusal($$dpmix.cda(NULL::cda_visits, '{length}', 100, 1, 1e-6, label => 'late')$$);
RESET ROLE;
SELECT dpmix.grant_access('cda_visits', 'cda_analyst');
SET ROLE cda_analyst;
SELECT late, count(*), abs(avg(length) - 29.5) < 3 AS length
FROM dpmix.cda(NULL::cda_visits, '{length}', 2000, 500, 1e-6, label => 'late', mix => 100) GROUP BY late ORDER BY late;
RESET ROLE;
SELECT epsilon_spent, charges FROM dpmix.budget WHERE relation = 'cda_visits'::regclass;

SELECT dpmix.unprotect('cda_patients'), dpmix.unprotect('cda_votes'), dpmix.unprotect('cda_visits');
DROP VIEW cda_truth;
DROP TABLE cda_patients, cda_synthetic, cda_means, cda_shares, cda_charges, cda_open, cda_votes, cda_visits;
DROP TYPE cda_free;
DROP FUNCTION cda_refusal(text);
DROP ROLE cda_analyst;
