-- Models and cubes of what each person did: a SELECT as the source of a release, beside the same release of a table
-- that holds the rows which the SELECT makes; what is charged and shown of it, and what is refused before.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE SCHEMA people_releases;
SET search_path = people_releases;
CREATE TABLE patients (patient_id int PRIMARY KEY, sex text NOT NULL, age int NOT NULL);
INSERT INTO patients SELECT i, CASE WHEN hashint4(i) % 3 = 0 THEN 'F' ELSE 'M' END, 20 + abs(hashint4(i * 7)) % 60
                     FROM generate_series(1, 4000) i;
-- As many visits as age and sex say, and chance; of some patients more than a person has, of others none.
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int, ward text, cost float8, ill boolean);
INSERT INTO visits SELECT row_number() OVER (), patient_id, (ARRAY['A', 'B'])[1 + abs(hashint4(patient_id * 3 + k)) % 2],
                          abs(hashint4(patient_id * 5 + k)) % 1000, abs(hashint4(patient_id + k * 11)) % 100 < age / 4
                   FROM patients, generate_series(1, 12) k
                   WHERE k <= age / 15 + CASE WHEN sex = 'F' THEN 3 ELSE 0 END + abs(hashint4(patient_id * 13)) % 4 - 1;
INSERT INTO visits SELECT 100000 + i, 1, 'A', 10, false FROM generate_series(1, 500) i;
CREATE TABLE bills (visit_id int, paid float8);
INSERT INTO bills SELECT visit_id, cost / 2 FROM visits;
ANALYZE patients, visits, bills;
SELECT dpmix.create_population('people_releases', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('patients', population => 'people_releases', privacy_unit => 'patient_id'),
       dpmix.protect('visits', population => 'people_releases', privacy_unit => 'patient_id', max_rows_per_unit => 12),
       dpmix.protect('bills', population => 'people_releases', unit_through => 'visits', link => '{visit_id}',
                     max_rows_per_unit => 12);
SELECT dpmix.set_bounds('patients', 'age', 0, 100), dpmix.set_categories('patients', 'sex', '{F,M}'),
       dpmix.set_bounds('visits', 'cost', 0, 1000), dpmix.set_categories('visits', 'ward', '{A,B}'),
       dpmix.set_bounds('bills', 'paid', 0, 500);
\set one_row 'SELECT p.patient_id, p.age, p.sex, count(v.visit_id) AS visits, coalesce(bool_or(v.ill), false) AS ill, least(sum(v.cost), 4000) AS spent FROM patients p LEFT JOIN visits v ON v.patient_id = p.patient_id GROUP BY p.patient_id, p.age, p.sex'
\set many 'SELECT v.patient_id, v.ward, p.sex, b.paid FROM visits v JOIN patients p ON p.patient_id = v.patient_id JOIN bills b ON b.visit_id = v.visit_id'
-- The same rows as tables; counts as sources give them: 12 are 12 and more.
CREATE TABLE one AS :one_row;
UPDATE one SET visits = least(visits, 12);
ALTER TABLE one ADD PRIMARY KEY (patient_id);
ALTER TABLE one ALTER visits SET NOT NULL, ALTER age SET NOT NULL, ALTER sex SET NOT NULL, ALTER ill SET NOT NULL;
ANALYZE one;
SELECT dpmix.protect('one', 1e7, .1, accountant => 'basic', privacy_unit => 'patient_id'), dpmix.set_bounds('one', 'age', 0, 100),
       dpmix.set_categories('one', 'sex', '{F,M}'), dpmix.set_bounds('one', 'visits', 0, 12), dpmix.set_bounds('one', 'spent', 0, 4000);

-- Regressions: the coefficients, of source and table. visits / 2 is a whole number, as in the text of a query.
SELECT round(rows_estimated) AS rows, relation, coefficients FROM dpmix.release_regression('people linear', source => :'one_row',
    target => 'visits', terms => '{age,sex,ill,spent,age > 50}', epsilon => 1e5, delta => 1e-6);
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people linear one', 'one', 'visits', '{age,sex,ill,spent,age > 50}', 1e5, 1e-6);
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people logistic', target => 'ill', terms => '{age,sex,visits,visits / 2}',
    epsilon => 1e5, delta => 1e-6, kind => 'logistic', source => :'one_row');
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people logistic one', 'one', 'ill', '{age,sex,visits,visits / 2}', 1e5, 1e-6, 'logistic');
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people coordinate', target => 'ill', terms => '{age,sex,visits}',
    epsilon => 1e5, delta => 1e-6, kind => 'logistic', method => 'coordinate', passes => 20, source => :'one_row');
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people coordinate one', 'one', 'ill', '{age,sex,visits}', 1e5, 1e-6, 'logistic', method => 'coordinate', passes => 20);
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people classes', target => 'visits', terms => '{age}', label => 'sex',
    epsilon => 1e5, delta => 1e-6, source => :'one_row');
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people classes one', 'one', 'visits', '{age}', 1e5, 1e-6, label => 'sex');
SELECT name, count(*) AS terms, bool_and(abs(a.estimate - b.estimate) < .01 + .01 * abs(b.estimate)) AS same
FROM unnest('{linear,logistic,coordinate,classes}'::text[]) AS name, dpmix.regression('people ' || name) a
     JOIN LATERAL dpmix.regression('people ' || name || ' one') b ON b.term = a.term AND b.label IS NOT DISTINCT FROM a.label
GROUP BY name ORDER BY name;
-- The slope of PostgreSQL's own; a model is used as any other.
SELECT abs(estimate - slope) < .001 AS exact FROM dpmix.release_regression('people slope', target => 'visits', terms => '{age}', epsilon => 1e5, delta => 1e-6, source => :'one_row') m,
     dpmix.regression(m.name) r, (SELECT regr_slope(visits, age) AS slope FROM one) o WHERE term = 'age';
SELECT bool_and(abs(dpmix.predict('people linear', o) - dpmix.predict('people linear one', o)) < .05) AS predicts FROM one o;
-- Of rows of which a person has several: twelve at most, whoever has more.
SELECT round(rows_estimated) AS rows FROM dpmix.release_regression('people several', target => 'paid', terms => '{ward,sex}', epsilon => 1e5, delta => 1e-6, source => :'many');
SELECT sum(least(n, 12)) AS rows FROM (SELECT count(*) AS n FROM visits GROUP BY patient_id) v;

-- Trees: what is counted, of source and table; what is drawn has the source's columns.
SELECT round(rows_estimated) AS rows, columns FROM dpmix.release_tree('people tree', columns => '{age,visits,ill,spent}',
    epsilon => 1e5, delta => 1e-6, label => 'sex', source => :'one_row');
SELECT round(rows_estimated) AS rows, columns FROM dpmix.release_tree('people tree one', 'one', '{age,visits,ill,spent}',
    1e5, 1e-6, label => 'sex');
SELECT bool_and(abs(dpmix.tree_probability('people tree', o) / dpmix.tree_probability('people tree one', o) - 1) < .05) AS same
FROM one o;
SELECT count(*) AS rows, count(visits) AS visits, max(visits) <= 12 AS most, count(patient_id) AS persons
FROM dpmix.sample('people tree', NULL::one, 500);
SELECT round(rows_estimated) AS rows FROM dpmix.release_tree('people tree, several', columns => '{ward,sex,paid}',
    epsilon => 1e5, delta => 1e-6, source => :'many');

-- Mixtures and synthetic rows of one row a person.
SELECT relation, components FROM dpmix.release_gmm('people gmm', columns => '{age,visits}', epsilon => 1e5, delta => 1e-6,
    label => 'sex', method => 'one_shot', source => :'one_row');
SELECT relation, components FROM dpmix.release_gmm('people gmm one', 'one', '{age,visits}', 1e5, 1e-6, label => 'sex',
    method => 'one_shot');
SELECT a.label, abs(a.mean[2] - b.mean[2]) < .01 AND abs(a.weight - b.weight) < .001 AS same
FROM dpmix.gmm('people gmm') a JOIN dpmix.gmm('people gmm one') b USING (label) ORDER BY label;
SELECT count(*) AS rows, count(age) AS age, count(visits) AS visits, count(spent) > 300 AS spent,
       count(patient_id) AS persons, abs(avg(visits) - (SELECT avg(visits) FROM one)) < 1 AS mean
FROM dpmix.synthesize(NULL::one, 400, 1e4, 1e-6, source => :'one_row');
CREATE TYPE life AS (age int, visits numeric, free text);
SELECT count(*) AS rows, count(age) AS age, count(visits) AS visits, count(free) AS free
FROM dpmix.synthesize(NULL::life, 100, 1e4, 1e-6, method => 'mixture', source => :'one_row');
SELECT count(*) AS rows FROM dpmix.synthesize(NULL::life, 100, 1e4, 1e-6, method => 'copula', source => :'one_row');
SELECT count(*) AS rows FROM dpmix.synthesize(NULL::life, 100, 1e4, 1e-6,
    source => 'SELECT patient_id, cost AS age FROM visits');

-- Cubes: exact at this epsilon; keys that are computed, a condition on them.
SELECT relation, keys, tables, round(rows_estimated) AS rows FROM dpmix.release_cube('people cube', keys => '{sex,ill,visits}',
    measures => '{count,spent}', epsilon => 1e6, delta => 1e-6, source => :'one_row');
SELECT bool_and(abs(answer - n) < .5) AS exact, count(*) AS groups FROM dpmix.cube_table('people cube', '{sex,ill}') c JOIN
    (SELECT sex, ill, count(*) AS n FROM one GROUP BY 1, 2) o ON c.key_values = ARRAY[o.sex, left(o.ill::text, 1)];
SELECT bool_and(abs(answer - n) < .5) AS exact, count(*) AS groups FROM dpmix.cube_table('people cube', '{visits}') c JOIN
    (SELECT visits, count(*) AS n FROM one GROUP BY 1) o ON c.key_values = ARRAY[o.visits::text];
SELECT abs(answer - (SELECT avg(spent) FROM one WHERE sex = 'F')) < 1 AS exact
FROM dpmix.cube_table('people cube', '{sex}', 'spent') WHERE key_values = '{F}';
SELECT round(rows_estimated) - (SELECT count(*) FROM one WHERE visits > 3) AS off
FROM dpmix.release_cube('people cube, some', keys => '{sex}', measures => '{count}', epsilon => 1e6, delta => 1e-6,
    condition => 'visits > 3', source => :'one_row' || ' -- of all');
-- A sub-select in the condition of a cube of a table makes layers, too.
SELECT relation, keys, round(rows_estimated) - (SELECT count(DISTINCT patient_id) FROM visits) AS off
FROM dpmix.release_cube('people cube, exists', 'patients', '{sex,age}', '{count}', 1e6, 1e-6,
    condition => 'EXISTS (SELECT FROM visits v WHERE v.patient_id = patients.patient_id)');

-- Views and facades: a view is what its SELECT is, in texts and as the relation; a facade is its table.
CREATE VIEW life_of_one AS :one_row;
CREATE VIEW often AS SELECT patient_id, age, visits FROM life_of_one WHERE visits > 3;
SELECT dpmix.expose('patients', 'people_releases.patients_asked'), dpmix.expose('visits', 'people_releases.visits_asked');
CREATE VIEW asked AS SELECT p.patient_id, p.sex, count(*) AS visits
    FROM patients_asked p JOIN visits_asked v ON v.patient_id = p.patient_id GROUP BY p.patient_id, p.sex;
SELECT round(rows_estimated) AS rows, columns FROM dpmix.release_tree('people view', 'life_of_one', '{age,visits,ill,spent}',
    1e5, 1e-6, label => 'sex');
SELECT bool_and(abs(dpmix.tree_probability('people view', o) / dpmix.tree_probability('people tree one', o) - 1) < .05) AS same
FROM one o;
SELECT round(rows_estimated) - (SELECT count(*) FROM one WHERE visits > 3) AS off
FROM dpmix.release_regression('people view of a view', 'often', 'visits', '{age}', 1e5, 1e-6);
SELECT round(rows_estimated) - (SELECT count(*) FROM one) AS off
FROM dpmix.release_tree('people facade', 'patients_asked', '{age}', 1e5, 1e-6);
SELECT round(rows_estimated) - (SELECT count(DISTINCT patient_id) FROM visits) AS off
FROM dpmix.release_cube('people view of facades', 'asked', '{sex}', '{count}', 1e6, 1e-6);
SELECT round(rows_estimated) - (SELECT count(DISTINCT patient_id) FROM visits) AS off
FROM dpmix.release_tree('people text over facades', columns => '{n}', epsilon => 1e5, delta => 1e-6,
    source => 'SELECT patient_id, count(*) AS n FROM visits_asked GROUP BY patient_id');
SELECT count(*) AS rows, count(age) AS age FROM dpmix.synthesize(NULL::one, 50, 1e4, 1e-6,
    source => 'SELECT patient_id, age, visits FROM often');
SELECT name, relation, source FROM dpmix.releases WHERE name ~ '^people.*(view|facade)' ORDER BY name;
CREATE VIEW by_ward AS SELECT patient_id, ward, max(cost) AS most, sum(cost) AS spent, least(sum(cost), 500) AS part,
    count(*) AS n, count(*) FILTER (WHERE ill) AS ill FROM visits GROUP BY patient_id, ward;
SELECT view, d.* FROM unnest('{often,by_ward,asked}'::regclass[]) view, dpmix.describe(view) d;
SELECT n - (SELECT count(*) FROM one WHERE visits > 3) AS off
FROM dpmix.query('SELECT dp_count(*) FROM often AS o WHERE EXISTS (SELECT FROM asked AS a WHERE a.patient_id = o.patient_id)',
    1e5, 1e-9) AS t(n bigint);

-- One charge for all tables, with the source and what they are called; models keep it.
SELECT release, relation, parameters->'tables' AS tables, jsonb_array_length(parameters->'table_ids') AS ids,
       left(parameters->>'source', 42) AS source, parameters->'terms' AS terms
FROM dpmix.ledger WHERE release IN ('people linear', 'people tree', 'people gmm', 'people several') ORDER BY release;
SELECT count(*) AS charges, count(DISTINCT release) AS releases
FROM dpmix.ledger WHERE release IN ('people linear', 'people tree', 'people gmm', 'people cube', 'people several');
SELECT name, relation, adjacency, source = :'one_row' AS source
FROM dpmix.releases WHERE name IN ('people linear', 'people linear one', 'people tree', 'people cube', 'people gmm') ORDER BY name;
SELECT bool_and(e.meaning LIKE '%matches the record') AS explained, count(*) > 10 AS many
FROM dpmix.ledger l, dpmix.explain_charge(l.id) e
WHERE l.release LIKE 'people %' AND l.release NOT LIKE '% one' AND e.item = 'cost';
-- LEFT JOIN moves a person's row, and takes none away: the noise of neighbours that are replaced.
CREATE FUNCTION noise(call text, source text, relation text) RETURNS numeric LANGUAGE sql AS $$
    SELECT round((max(s.noise_stddev) / max(o.noise_stddev))::numeric, 3)
    FROM dpmix.preview(format('SELECT dpmix.' || call, format('''a'', source => %L', source))) s,
         dpmix.preview(format('SELECT dpmix.' || call, format('''a'', %L', relation))) o
$$;
\set inner 'SELECT p.patient_id, p.age, p.sex, count(*) AS visits FROM patients p JOIN visits v ON v.patient_id = p.patient_id GROUP BY p.patient_id, p.age, p.sex'
SELECT noise(call, :'one_row', 'one') BETWEEN 1.05 AND 1.45 AS left_join, noise(call, :'inner', 'one') AS inner_join
FROM unnest(ARRAY['release_tree(%s, columns => ''{sex}'', epsilon => 1, delta => 1e-6)',
    'release_cube(%s, keys => ''{sex}'', measures => ''{count}'', epsilon => 1, delta => 1e-6)',
    'release_regression(%s, target => ''age'', terms => ''{sex}'', epsilon => 1, delta => 1e-6)',
    'release_gmm(%s, columns => ''{age}'', label => ''sex'', epsilon => 1, delta => 1e-6)']) AS call;
SELECT noise('release_tree(%s, columns => ''{sex}'', epsilon => 1, delta => 1e-6)', :'many', 'one') AS several;
EXPLAIN (COSTS OFF) SELECT dpmix.release_tree('a', columns => '{age}', epsilon => 1, delta => 1e-6,
    source => 'SELECT age FROM patients');

-- Refused before a charge.
SELECT count(*) AS before FROM dpmix.ledger \gset
CREATE FUNCTION refused(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE 'SELECT dpmix.' || call;
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n  ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
\pset tuples_only on
\pset format unaligned
SELECT refused($$release_tree('bad', columns => '{age}', epsilon => 1, delta => 1e-6)$$);
SELECT refused($$release_tree('bad', 'one', '{age}', 1, 1e-6, source => 'SELECT age FROM patients')$$);
SELECT refused($$release_tree('bad', epsilon => 1, delta => 1e-6, source => 'SELECT age FROM patients')$$);
SELECT refused($$release_tree('bad', columns => '{age}', delta => 1e-6, source => 'SELECT age FROM patients')$$);
SELECT refused($$release_regression('bad', source => 'SELECT age FROM patients')$$);
SELECT refused($$release_cube('bad', source => 'SELECT age FROM patients')$$);
SELECT refused(format('release_tree(''bad'', columns => ''{%s}'', epsilon => 1, delta => 1e-6, source => %L)', c, s))
FROM (VALUES ('visits', 'SELECT age FROM patients'), ('age', 'SELECT age, age FROM patients'),
    ('n', 'SELECT ward, count(*) AS n FROM visits GROUP BY ward'), ('age', 'SELECT age FROM patients LIMIT 10'),
    ('age', 'SELECT age FROM patients; SELECT 1'), ('age', 'SELECT 1 AS age'), ('age', 'SELECT age FROM patients WHERE'),
    ('n', 'SELECT patient_id, max(visit_id) AS n FROM visits GROUP BY patient_id'),
    ('n', 'SELECT patient_id, 1 / cost AS n FROM visits'),
    ('w', 'SELECT patient_id, upper(ward) AS w FROM visits')) v (c, s);
SELECT refused(format('release_regression(''bad'', target => %L, terms => %L, epsilon => 1, delta => 1e-6, source => %L)', t, c,
    'SELECT patient_id, count(*) AS c FROM visits GROUP BY patient_id'))
FROM (VALUES ('c', '{"c) FROM (SELECT 1 AS c) x --"}'), ('c', '{visit_id}')) v (t, c);
SELECT refused(format('release_cube(''bad'', keys => ''{spent}'', measures => ''{count}'', epsilon => 1, delta => 1e-6, source => %L)',
    :'one_row'));
SELECT refused($$release_gmm('bad', columns => '{cost}', epsilon => 1, delta => 1e-6, source => 'SELECT cost FROM visits')$$);
SELECT refused(format('release_tree(''bad'', columns => ''{age}'', epsilon => 1, delta => 1e-6, source => %L, blocks => %L)',
    'SELECT age FROM patients', '[1,2)'));
SELECT refused(format('synthesize(NULL::people_releases.life, 10, 1, 1e-6, %s)', s))
FROM unnest(ARRAY[$$method => 'mixture', source => 'SELECT cost AS age FROM visits'$$, $$method => 'cda', source => 'SELECT age FROM patients'$$,
    $$source => 'SELECT sex FROM patients'$$]) s;
SELECT refused(c) FROM unnest(ARRAY[$$compare_private('life_of_one', 'one', 1, 1e-6, columns => '{age}')$$,
    $$cda(NULL::life_of_one, '{age}', 10, 1, 1e-6)$$]) c;
SELECT refused(format('release_regression(''bad'', target => ''age'', terms => %L, epsilon => 1, delta => 1e-6, source => %L)',
    ARRAY[t], 'SELECT age, sex FROM patients')) FROM unnest('{rows,rows IS NULL,ctid}'::text[]) t;
-- Without access to one of the tables.
CREATE ROLE regress_people_releases;
GRANT USAGE ON SCHEMA people_releases TO regress_people_releases;
SELECT dpmix.grant_access('patients', 'regress_people_releases');
SET ROLE regress_people_releases;
SELECT refused($$release_tree('bad', columns => '{age}', epsilon => 1, delta => 1e-6,
    source => 'SELECT p.age FROM patients p JOIN visits v ON v.patient_id = p.patient_id')$$);
-- Nor by a view, whoever may read it; with it a view that nobody may read is what its text is.
RESET ROLE;
GRANT SELECT ON life_of_one TO regress_people_releases;
CREATE VIEW ages AS SELECT patient_id, age FROM patients;
SET ROLE regress_people_releases;
SELECT refused($$release_tree('bad', 'life_of_one', '{age}', 1, 1e-6)$$);
SELECT refused($$release_tree('bad', columns => '{sex}', epsilon => 1, delta => 1e-6, source => 'SELECT sex FROM asked')$$);
SELECT refused($$query('SELECT dp_count(*) FROM life_of_one', 1)$$);
SELECT refused($$describe('life_of_one')$$);
SELECT item, value FROM dpmix.describe('ages') WHERE section = 'column';
SELECT columns FROM dpmix.release_tree('people ages', 'ages', '{age}', 1, 1e-6);
-- By two grants: each pays.
RESET ROLE;
CREATE ROLE regress_people_doctors ROLE regress_people_releases;
SELECT dpmix.grant_access('visits', 'regress_people_doctors', 10);
SET ROLE regress_people_releases;
SELECT columns FROM dpmix.release_tree('people of both', columns => '{age}', epsilon => 1, delta => 1e-6,
    source => 'SELECT p.age FROM patients p JOIN visits v ON v.patient_id = p.patient_id');
RESET ROLE;
SELECT relation, granted_to, charged_for = release AS released FROM dpmix.ledger, (SELECT name AS charged_for FROM dpmix.releases
    WHERE name = 'people of both') r WHERE release = 'people of both' ORDER BY id;
SET ROLE regress_people_releases;
SELECT columns FROM dpmix.release_tree('people good', columns => '{age}', epsilon => 1, delta => 1e-6,
    source => 'SELECT age FROM patients');
RESET ROLE;
SELECT count(*) - :before AS charges FROM dpmix.ledger;
REVOKE SELECT ON life_of_one FROM regress_people_releases;
SELECT dpmix.revoke_access('patients', 'regress_people_releases'), dpmix.revoke_access('visits', 'regress_people_doctors');
DROP OWNED BY regress_people_releases, regress_people_doctors;
DROP ROLE regress_people_releases, regress_people_doctors;
SELECT count(dpmix.drop_release(name)) > 15 AS dropped FROM dpmix.releases WHERE name LIKE 'people %';
RESET search_path;
DROP SCHEMA people_releases CASCADE;
