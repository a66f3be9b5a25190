-- Gaussian mixtures: release, use, rights, refusals. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE gmm_owner;
CREATE ROLE gmm_analyst;
CREATE ROLE gmm_stranger;
CREATE SCHEMA gmm AUTHORIZATION gmm_owner;
GRANT USAGE ON SCHEMA gmm TO PUBLIC;
SET search_path = gmm;
SET ROLE gmm_owner;

-- Every type that holds numbers; one class with its own spread, one constant, one empty.
CREATE TYPE gmm.kind AS ENUM ('wide', 'constant', 'empty');
CREATE DOMAIN gmm.percent AS float8 CHECK (VALUE BETWEEN 0 AND 100);
CREATE TABLE gmm.people (
    gone    text,
    note    text,
    age     integer,
    height  real,
    share   gmm.percent,
    income  numeric(8,2),
    born    date,
    seen    timestamp,
    member  boolean,
    twice   integer GENERATED ALWAYS AS (age * 2) STORED,
    kind    gmm.kind
);
ALTER TABLE gmm.people DROP COLUMN gone;
INSERT INTO gmm.people (note, age, height, share, income, born, seen, member, kind)
SELECT 'n', 20 + i % 50, (150 + i % 37)::real, (i * 7) % 90, (i * 31) % 4000, date '1950-01-01' + i * 3,
       timestamp '2020-01-01' + i * interval '1 hour', i % 3 = 0, 'wide'::gmm.kind
FROM generate_series(1, 2000) AS i
UNION ALL
SELECT 'c', 40, 170, 50, 1000, date '1980-01-01', timestamp '2021-01-01', true, 'constant'
FROM generate_series(1, 500)
UNION ALL
SELECT 'bad', 1000, 'NaN'::real, NULL, 0, 'infinity', '-infinity', NULL, kind
FROM unnest(ARRAY['wide', 'constant', 'empty', NULL]::gmm.kind[]) AS kind;

SELECT dpmix.protect('gmm.people', epsilon => 1e7, delta => 1e-4);
SELECT dpmix.set_bounds('gmm.people', 'age', 0, 120), dpmix.set_bounds('gmm.people', 'height', 50, 250),
       dpmix.set_bounds('gmm.people', 'share', 0, 100), dpmix.set_bounds('gmm.people', 'income', 0, 5000),
       dpmix.set_bounds('gmm.people', 'born', date '1900-01-01', date '2020-01-01'),
       dpmix.set_bounds('gmm.people', 'seen', timestamptz '2019-01-01', timestamptz '2022-01-01'),
       dpmix.set_categories('gmm.people', 'kind', '{wide,constant,empty}'),
       dpmix.grant_access('gmm.people', 'gmm_analyst');

-- Without noise to speak of, the model is the plain fit: staged, the best method there is with a label.
SELECT name, relation, method, components, dimensions, epsilon, delta, count_stddev < 0.1 AS precise, ARRAY(SELECT round(c::numeric, 6) FROM unnest(row_counts) c) AS row_counts, quality LIKE '%wide%' AS wide_is_distrusted
FROM dpmix.release_gmm('plain', 'gmm.people', '{age,height,income}', epsilon => 1e6, delta => 1e-6, label => 'kind');
SELECT component, label, weight > 0 AS positive, array_length(mean, 1) AS d, array_dims(covariance) FROM dpmix.gmm('plain');
SELECT abs(sum(weight) - 1) < 1e-9 AS weights_sum_to_1 FROM dpmix.gmm('plain');
SELECT label, abs(mean[1] - age) < 0.01 AND abs(mean[2] - height) < 0.01 AND abs(mean[3] - income) < 1 AS means,
       abs(covariance[1][1] - age_age) < 0.5 AND abs(covariance[2][3] - height_income) < 50
           AND covariance[2][3] = covariance[3][2] AS covariances
FROM dpmix.gmm('plain')
JOIN (SELECT kind::text AS label, avg(age) AS age, avg(height) AS height, avg(income) AS income,
             var_samp(age)::float8 AS age_age,
             covar_samp(height, income) AS height_income
      FROM gmm.people WHERE note <> 'bad' GROUP BY kind) AS fit USING (label)
ORDER BY label;

-- In one pass, in the box.
SELECT method, components, row_counts FROM dpmix.release_gmm('boxed', 'gmm.people', '{age,height,income}', 1e6, 1e-6, 'kind', method => 'one_shot');
SELECT bool_and(abs(a.mean[i] - b.mean[i]) < 0.001 * sqrt(a.covariance[i][i]) AND abs(a.covariance[i][j] - b.covariance[i][j])
                < 0.01 * sqrt(a.covariance[i][i] * a.covariance[j][j])) AS agree
FROM dpmix.gmm('plain') a, dpmix.gmm('boxed') b, generate_series(1, 3) i, generate_series(1, 3) j WHERE a.label = 'wide' AND b.label = 'wide';

-- The preview of that release tells its noise and its cost; free, and without the name being taken.
SELECT p.mechanism, p.epsilon, p.delta, abs(c.cost / p.charge_cost::numeric - 1) < 1e-11 AS cost, charge_delta, charge_share BETWEEN 1e-6 AND 1 AS share, calls_left > 1 AS left
FROM dpmix.preview($$
    SELECT dpmix.release_gmm('plain', 'gmm.people', '{age,height,income}', epsilon => 1e6, delta => 1e-6, label => 'kind')$$) p, dpmix.ledger c WHERE release = 'plain';
SELECT p.noise_stddev = s.count_stddev AS noise, p.mu BETWEEN 0.1 AND 0.4 AS mu
FROM dpmix.preview($$
    SELECT dpmix.release_gmm('preview', 'gmm.people', '{age,height,income}', 1, 1e-6, 'kind')$$, details => true) p, dpmix.release_gmm('preview', 'gmm.people', '{age,height,income}', 1, 1e-6, 'kind') s;
SELECT dpmix.drop_release('preview'), (SELECT count(*) FROM dpmix.ledger WHERE relation = 'gmm.people') AS charges;

SELECT staged.mu = one_shot.mu AS same_guarantee, staged.noise_stddev < one_shot.noise_stddev AS every_pass_counts
FROM dpmix.preview($$SELECT dpmix.release_gmm('p', 'gmm.people', '{age,height,income}', 1, 1e-6, 'kind')$$) staged,
     dpmix.preview($$
         SELECT dpmix.release_gmm('p', 'gmm.people', '{age,height,income}', 1, 1e-6, 'kind', method => 'one_shot')$$) one_shot;

-- All types, both shapes and objectives, and the whole way back into rows.
SELECT components, dimensions FROM dpmix.release_gmm('all', 'gmm.people',
    '{age,height,share,income,born,seen,member}', 100, 1e-6, label => 'kind', components => 3, covariance => 'diagonal',
    objective => 'forward_kl', method => 'one_shot');
SELECT count(*) FILTER (WHERE i <> j AND covariance[i][j] <> 0) AS off_diagonals, count(*) FILTER (WHERE i = j AND covariance[i][j] > 0) AS diagonals
FROM dpmix.gmm('all'), generate_series(1, 7) AS i, generate_series(1, 7) AS j;
CREATE TABLE gmm.synthetic AS SELECT * FROM dpmix.sample('all', NULL::gmm.people, 3000);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 'gmm.synthetic'::regclass AND attnum > 0 ORDER BY attnum;
SELECT count(*), count(note) AS notes, count(twice) AS twice,
       bool_and(age BETWEEN 0 AND 120 AND height BETWEEN 50 AND 250 AND income BETWEEN 0 AND 5000
                AND born BETWEEN '1900-01-01' AND '2020-01-01' AND seen BETWEEN '2019-01-01' AND '2022-01-01'
                AND member IS NOT NULL AND kind IS NOT NULL AND share BETWEEN 0 AND 100) AS within_bounds,
       bool_and(scale(income) = 2) AS two_decimals,
       abs(avg(age) FILTER (WHERE kind = 'wide') - 44.5) < 10 AS age
FROM gmm.synthetic;
SELECT (s).kind IS NOT NULL AS in_a_select_list FROM (SELECT dpmix.sample('all', NULL::gmm.people, 1) AS s) AS t;

SELECT components, dimensions, method FROM dpmix.release_gmm('diagonal', 'gmm.people',
    '{age,height,share,income,born,seen,member}', 1e6, 1e-6, label => 'kind', covariance => 'diagonal', objective => 'forward_kl');
SELECT count(*) FILTER (WHERE i <> j AND covariance[i][j] <> 0) AS off_diagonals, count(*) FILTER (WHERE i = j AND covariance[i][j] > 0) AS diagonals
FROM dpmix.gmm('diagonal'), generate_series(1, 7) AS i, generate_series(1, 7) AS j;
SELECT abs(mean[1] - 44.5) < 0.1 AS age, abs(mean[4] - avg) < 2 AS income
FROM dpmix.gmm('diagonal'), (SELECT avg(income) FROM gmm.people WHERE kind = 'wide' AND note = 'n') t WHERE label = 'wide';

-- Tables that a model can hardly be made of: always a valid one.
CREATE TABLE gmm.odd (kind text, constant float8, missing float8, outside float8, x float8, twice float8);
SELECT dpmix.protect('gmm.odd', epsilon => 1e6, delta => 1e-3, accountant => 'basic');
SELECT dpmix.set_categories('gmm.odd', 'kind', '{one,few,none,"",odd''s}');
SELECT dpmix.set_bounds('gmm.odd', name, -10, 10) FROM unnest('{constant,missing,outside,x,twice}'::name[]) AS name;
INSERT INTO gmm.odd SELECT 'few', 3, NULL, 1e300 * (-1) ^ i, i, 2 * i FROM generate_series(1, 4) i;
INSERT INTO gmm.odd VALUES ('one', 10, 10, -10, 10, 10), ('odd''s', -10, 0, 0, 0, 0), ('', 'NaN', 'Infinity', '-Infinity', NULL, 0), (NULL, 0, 0, 0, 0, 0);
SELECT name, method, components, quality IS NOT NULL AS quality, abs(w - 1) < 1e-9 AS weights, finite, positive, kl < 1e-9 AS definite
FROM (VALUES ('all', '{constant,missing,outside,x,twice}'::name[], 'full'), ('without missing', '{constant,outside,x,twice}', 'full'),
             ('collinear', '{x,twice}', 'full'), ('diagonal', '{constant,missing,outside,x,twice}', 'diagonal'), ('constant', '{constant}', 'full')) t(what, features, shape),
     (VALUES (1e-6), (1.0), (1e4)) e(epsilon), (VALUES ('staged'), ('one_shot')) m(method_named),
     LATERAL dpmix.release_gmm(format('odd %s %s %s', what, epsilon, method_named), 'gmm.odd', features, epsilon, 1e-6, 'kind', covariance => shape, method => method_named),
     LATERAL (SELECT sum(weight) AS w, bool_and(weight > 0 AND (SELECT bool_and(v NOT IN ('NaN', 'Infinity', '-Infinity')) FROM unnest(mean || covariance) v)) AS finite,
                     bool_and((SELECT bool_and(covariance[i][i] > 0) FROM generate_series(1, array_length(mean, 1)) i)) AS positive FROM dpmix.gmm(name)) g,
     LATERAL dpmix.gmm_kl(name, name) kl
ORDER BY name;

-- Divergence of releases.
SELECT dpmix.gmm_kl('plain', 'plain') < 1e-9 AS none_from_itself;
SELECT components FROM dpmix.release_gmm('noisy', 'gmm.people', '{age,height,income}', 1, 1e-6, label => 'kind');
SELECT dpmix.gmm_kl('noisy', 'plain') > dpmix.gmm_kl('plain', 'plain') AS more_with_noise;
SELECT dpmix.gmm_kl('plain', 'all');
SELECT dpmix.gmm_kl('plain', 'nothing');

-- A ROLLBACK undoes the model, not the charge.
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation::text = 'gmm.people' AND kind = 'gmm';
BEGIN;
SELECT components FROM dpmix.release_gmm('undone', 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT count(*) FROM dpmix.gmm('undone');
ROLLBACK;
SELECT count(*) FROM dpmix.gmm('undone');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation::text = 'gmm.people' AND kind = 'gmm';
SELECT kind, mechanism, epsilon, release, parameters - '{mu,statistics}'::text[] AS parameters FROM dpmix.ledger WHERE release = 'undone';

-- Refusals, each before a charge.
SELECT dpmix.release_gmm('plain', 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('', 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm(repeat('x', 201), 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm(NULL, 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', -1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 0, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', components => 5);
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, components => 0);
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, components => 101);
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', covariance => 'tied');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', objective => 'l2');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', method => 'magic');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', method => '');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', method => 'em');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', method => 'kmeans');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', method => 'label_only');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, method => 'magic');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, method => 'staged');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, method => 'one_shot');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, method => 'label_only');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind', dimensions => 1);
SELECT dpmix.release_gmm('m', 'gmm.people', '{age,height}', 1, 1e-6, label => 'kind', dimensions => 2);
SELECT dpmix.release_gmm('m', 'gmm.people', '{}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age,age}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age,NULL}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{nosuch}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{note}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{kind}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{member}', 1, 1e-6, label => 'member');
SELECT dpmix.release_gmm('m', 'gmm.people', '{twice}', 1, 1e-6, label => 'kind');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'note');
SELECT dpmix.release_gmm('m', 'gmm.synthetic', '{age}', 1, 1e-6, label => 'kind');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation::text = 'gmm.people' AND kind = 'gmm';

-- Rows of other types.
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.people, 0);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.people, 1000000001);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.people, NULL);
SELECT count(*) FROM dpmix.sample('plain', 1, 10);
SELECT count(*) FROM dpmix.sample('plain', NULL::record, 10) AS t(age int);
CREATE TYPE gmm.few AS (age smallint, height float8, kind text);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.few, 10);
CREATE TYPE gmm.other AS (kind varchar(8), income numeric, height bigint, age numeric(5,1));
SELECT count(*), bool_and(age BETWEEN 0 AND 120), bool_and(scale(income) <= 3) FROM dpmix.sample('plain', NULL::gmm.other, 10);
CREATE TYPE gmm.texts AS (kind text, income text, height text, age text);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.texts, 10);
CREATE DOMAIN gmm.needed AS text NOT NULL;
CREATE TYPE gmm.strict AS (kind text, income numeric, height float8, age int, extra gmm.needed);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.strict, 10);
CREATE DOMAIN gmm.adult AS int CHECK (VALUE >= 18);
CREATE TYPE gmm.checked AS (kind text, income numeric, height float8, age gmm.adult);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.checked, 10);
CREATE TYPE gmm.wrong_label AS (kind boolean, income numeric, height float8, age int);
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.wrong_label, 10);

-- Rights.
SET ROLE gmm_analyst;
SELECT count(*) FROM gmm.people;
SELECT count(*) FROM dpmix.gmm('plain');
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.people, 10);
SELECT components FROM dpmix.release_gmm('analyst', 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.drop_release('plain');
SELECT * FROM dpmix.release;
SET ROLE gmm_stranger;
SELECT * FROM dpmix.preview($$SELECT dpmix.release_gmm('p', 'gmm.people', '{age}', 1, 1e-6, label => 'kind')$$);
SELECT count(*) FROM dpmix.gmm('plain');
SELECT count(*) FROM dpmix.sample('plain', NULL::gmm.people, 10);
SELECT dpmix.gmm_kl('plain', 'plain');
SELECT dpmix.release_gmm('m', 'gmm.people', '{age}', 1, 1e-6, label => 'kind');
SELECT dpmix.drop_release('analyst');
SET ROLE gmm_owner;
SELECT count(*) FROM dpmix.gmm('analyst');
SELECT dpmix.drop_release('analyst');
SELECT count(*) FROM dpmix.gmm('analyst');
SELECT dpmix.drop_release('analyst');

-- Labels of every type: the classes have the rows that GROUP BY says.
CREATE DOMAIN gmm.code AS varchar(8) CHECK (VALUE <> 'never');
CREATE TABLE gmm.labels AS SELECT x, ('v' || k)::varchar(8) AS v, ('c' || k)::char(5) AS c, ('d' || k)::gmm.code AS d, ('n' || k)::name AS n, k::numeric(5,2) AS number,
       k = 1 AS flag, date '2000-01-01' + k AS day, ('00000000-0000-0000-0000-00000000000' || k)::uuid AS u, k::smallint AS small
FROM (SELECT i % 90 AS x, CASE WHEN i % 100 < 60 THEN 1 WHEN i % 100 < 90 THEN 2 ELSE 3 END AS k FROM generate_series(1, 1000) i) t;
SELECT dpmix.protect('gmm.labels', epsilon => 1e7, delta => 1e-3, accountant => 'basic'), dpmix.set_bounds('gmm.labels', 'x', 0, 100);
SELECT count(dpmix.set_categories('gmm.labels', label::name, categories)) FROM (VALUES ('v', '{v1,v2}'::text[]), ('c', '{c1,c2}'), ('d', '{d1,d2}'), ('n', '{n1,n2}'), ('number', '{1,2.0}'),
    ('flag', '{true,false}'), ('day', '{2000-01-02,2000-01-03}'), ('u', '{00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}'), ('small', '{1,2}')) t(label, categories);
SELECT label, ARRAY(SELECT round(c) FROM unnest(row_counts) c) AS rows FROM unnest('{v,c,d,n,number,flag,day,u,small}'::name[]) AS label,
    LATERAL dpmix.release_gmm('by ' || label, 'gmm.labels', '{x}', 1e5, 1e-6, label => label);

-- Replace, basic accounting, an integer label ('01' is 1), an empty table.
CREATE TABLE gmm.nothing (x numeric, y float8, class int);
SELECT dpmix.protect('gmm.nothing', epsilon => 10, delta => 1e-4, adjacency => 'replace', accountant => 'basic');
SELECT dpmix.set_bounds('gmm.nothing', 'x', -1, 1), dpmix.set_categories('gmm.nothing', 'class', '{1,2}');
SELECT dpmix.release_gmm('m', 'gmm.nothing', '{x,y}', 1, 1e-6, label => 'class');
SELECT dpmix.set_bounds('gmm.nothing', 'y', 0, 1e-150);
SELECT dpmix.release_gmm('m', 'gmm.nothing', '{x,y}', 1, 1e-6, label => 'class');  -- a mechanism's own refusal
\set VERBOSITY sqlstate
SELECT dpmix.preview($$SELECT dpmix.release_gmm('m', 'gmm.nothing', '{x,y}', 1, 1e-6, label => 'class')$$);
\set VERBOSITY default
SELECT dpmix.set_bounds('gmm.nothing', 'y', 0, 1e-6);
SELECT components, array_length(row_counts, 1) AS counts, quality IS NOT NULL AS quality
FROM dpmix.release_gmm('empty', 'gmm.nothing', '{x,y}', 9, 1e-6, label => 'class');
SELECT count(*) AS rows, bool_and(x BETWEEN -1 AND 1 AND y BETWEEN 0 AND 1e-6 AND class IN (1, 2)) AS within FROM dpmix.sample('empty', NULL::gmm.nothing, 100);
SELECT method, components FROM dpmix.release_gmm('empty too', 'gmm.nothing', '{x,y}', 0.5, 1e-6, label => 'class', method => 'one_shot');
-- Where the label is what is protected: no other one, no other method.
CREATE TABLE gmm.labelled (x float8, class int, other int, twice float8 GENERATED ALWAYS AS (2 * x) STORED,
                           told float8 GENERATED ALWAYS AS (CASE class WHEN 1 THEN x ELSE -x END) STORED);
SELECT dpmix.protect('gmm.labelled', epsilon => 10, delta => 1e-4, adjacency => 'label', label => 'class');
SELECT dpmix.set_bounds('gmm.labelled', 'x', -1, 1), dpmix.set_categories('gmm.labelled', 'class', '{1,2}'), dpmix.set_categories('gmm.labelled', 'other', '{1,2}');
SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6);
SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6, label => 'other');
SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6, label => 'class', method => 'staged');
SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6, label => 'class', method => 'one_shot');
SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6, label => 'class', method => 'magic');
SELECT dpmix.preview($$SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x}', 1, 1e-6)$$);
SELECT dpmix.set_bounds('gmm.labelled', 'twice', -2, 2), dpmix.set_bounds('gmm.labelled', 'told', -1, 1);
SELECT dpmix.preview($$SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x,told}', 1, 1e-6, label => 'class')$$);
SELECT epsilon FROM dpmix.preview($$
    SELECT dpmix.release_gmm('m', 'gmm.labelled', '{x,twice}', 1, 1e-6, label => 'class')$$);
SELECT charges FROM dpmix.budget WHERE relation = 'gmm.labelled'::regclass;
SELECT epsilon, charge_cost, charge_delta, charge_share, calls_left FROM dpmix.preview($$
    SELECT dpmix.release_gmm('m', 'gmm.nothing', '{x}', 0.25, 1e-6, label => 'class')$$);
SELECT dpmix.release_gmm('more', 'gmm.nothing', '{x}', 5, 1e-6, label => 'class');

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA gmm CASCADE;
SELECT count(*) FROM dpmix.gmm('plain');
SELECT count(dpmix.drop_release(name)) FROM dpmix.release WHERE name IN ('plain', 'boxed', 'all', 'diagonal', 'noisy', 'empty', 'empty too') OR name LIKE 'odd %' OR name LIKE 'by %';
DROP ROLE gmm_owner, gmm_analyst, gmm_stranger;
