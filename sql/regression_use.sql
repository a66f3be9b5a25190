-- Regressions in use: schedules of kind regression, pictures of coefficients, predictions judged. No noise value is
-- printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'Europe/Berlin';
CREATE TABLE sold (age integer, wage float8, town text, sex text, day date);
INSERT INTO sold SELECT 20 + i % 50, i % 600, (ARRAY['a', 'b', 'c'])[1 + i % 3], (ARRAY['f', 'm'])[1 + i / 7 % 2], date '2040-01-01' + i % 60
FROM generate_series(1, 6000) i;
SELECT dpmix.protect('sold', 1e7, 0.1, accountant => 'gdp');
SELECT dpmix.set_bounds('sold', 'age', 0, 100), dpmix.set_bounds('sold', 'wage', 0, 600),
       dpmix.set_categories('sold', 'town', '{a,b,c}'), dpmix.set_categories('sold', 'sex', '{f,m}');

-- Priced as its preview is, and refused as the release is.
SELECT s.first_due, s.epsilon, s.delta, s.charge_share = p.charge_share AS share, s.periods_left = p.calls_left AS left
FROM dpmix.create_schedule('wages', $$SELECT dpmix.release_regression('wages', 'sold', 'ln(wage + 1)', '{age,age^2,town}', 1000, 1e-6, label => 'sex')$$, '1 month', '2040-01-31') s,
     dpmix.preview($$
         SELECT dpmix.release_regression('any', 'sold', 'ln(wage + 1)', '{age,age^2,town}', 1000, 1e-6, label => 'sex')$$, details => true) p;
SELECT first_due FROM dpmix.create_schedule('odds', $$SELECT dpmix.release_regression('odds', 'sold', 'wage > 300', '{age,town}', 1000, 1e-6, kind => 'logistic')$$, '1 month', '2040-01-31');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', epsilon => 1, delta => 1e-6, columns => '{age}')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', terms => '{age}', epsilon => 1, delta => 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', 'age', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', '{NULL}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', '{age}', 1, 1e-6, kind => 'cubic')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', '{day}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage', '{age}', 1, 1e-6)$$, '1 day', result_table => 'made');
SELECT name, kind, result_table, next_due, epsilon, last_state FROM dpmix.schedules ORDER BY name;
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'public.sold';

-- Each period a regression, once; its use is free.
CALL dpmix.run_schedule('wages', at => '2040-01-31');
CALL dpmix.run_schedule('wages', at => '2040-02-29');
CALL dpmix.run_schedule('wages', at => '2040-02-29');
CALL dpmix.run_schedule('odds', at => '2040-01-31');
SELECT name, kind, method, features, label FROM dpmix.releases WHERE name ~ '^(wages|odds) ' ORDER BY name;
SELECT kind, mechanism, release, epsilon, delta, parameters ->> 'kind' AS of FROM dpmix.ledger WHERE relation = 'public.sold' ORDER BY id;
SELECT count(*), count(low) AS intervals FROM dpmix.regression('wages 2040-02-29 00:00:00+01');
SELECT count(dpmix.predict('odds 2040-01-31 00:00:00+01', s)) AS predicted FROM sold s;
SELECT name, state, cardinality(charge_ids) AS charges FROM dpmix.schedule_runs WHERE name IN ('wages', 'odds') ORDER BY id;
-- With a method and what belongs to it: handed through, and refused as dpmix.release_regression does.
SELECT s.charge_share = p.charge_share AS share
FROM dpmix.create_schedule('descent', $$SELECT dpmix.release_regression('descent', 'sold', 'wage > 300', '{age,town}', 1000, 1e-6, kind => 'logistic', method => 'coordinate', mechanism => 'multi_gaussian', l1 => 0.001, l2 => 0.01, passes => 3)$$, '1 month', '2040-01-31') s,
     dpmix.preview($$
         SELECT dpmix.release_regression('any', 'sold', 'wage > 300', '{age,town}', 1000, 1e-6, 'logistic', method => 'coordinate', mechanism => 'multi_gaussian', l1 => .001, l2 => .01, passes => 3)$$, details => true) p;
CALL dpmix.run_schedule('descent', at => '2040-01-31');
SELECT r.name, l.mechanism, (SELECT array_agg(DISTINCT note) FROM dpmix.regression(r.name)) AS notes, abs(p.noise_stddev / r.count_stddev - 1) < 1e-9 AS passes
FROM dpmix.releases AS r JOIN dpmix.ledger AS l ON l.release = r.name,
     dpmix.preview($$
         SELECT dpmix.release_regression('any', 'sold', 'wage > 300', '{age,town}', 1000, 1e-6, 'logistic', method => 'coordinate', mechanism => 'multi_gaussian', passes => 3)$$, details => true) AS p
WHERE r.name LIKE 'descent %';
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage > 300', '{age}', 1, 1e-6, kind => 'logistic', method => 'newtonian')$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage > 300', '{age}', 1, 1e-6, kind => 'logistic', l1 => 1)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_regression('bad', 'sold', 'wage > 300', '{age}', 1, 1e-6, kind => 'logistic', method => 'coordinate', passes => 2.5)$$, '1 day');
-- The report's months count them as models: releases, queries, models, synthetic tables.
SELECT (regexp_match(html, 'Earlier releases, by month.*?<tbody>(.*?)</tbody>'))[1] ~ format('>%1$s</td><td[^>]*>0</td><td[^>]*>%1$s</td><td[^>]*>0</td>', n) AS models
FROM dpmix.report('sold', newest => 0) AS html, (SELECT count(*) AS n FROM dpmix.ledger WHERE relation = 'public.sold') AS charges;
CREATE ROLE sold_other;
SELECT dpmix.grant_access('sold', 'sold_other', 5);
-- Of blocks: what lies between two due times.
CREATE TABLE sold_days (day date, town text, n integer);
SELECT dpmix.protect('sold_days', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_categories('sold_days', 'town', '{a,b,c}'), dpmix.set_bounds('sold_days', 'n', 0, 9);
SELECT periods_left, runs_out_at FROM dpmix.create_schedule('sold days', $$SELECT dpmix.release_regression('sold days', 'sold_days', 'n', '{town}', 1, 1e-7, blocks => 'period')$$, '1 week', '2040-01-01 02:00');

-- A picture: each coefficient but the intercept, by class; those without an interval in words.
CREATE FUNCTION pg_temp.occurs(svg text, part text) RETURNS integer LANGUAGE sql AS
    $$ SELECT ((length(svg) - length(replace(svg, part, ''))) / length(part))::integer $$;
SELECT pg_temp.occurs(svg, '<circle') AS dots, pg_temp.occurs(svg, 'fill="#9ecae1"') AS light, pg_temp.occurs(svg, 'fill="#56b4e9"') AS dark,
       position('>f: age^2<' in svg) > 0 AS labels, position('>m: town = ' in svg) > 0 AS of_classes,
       position('prefers-color-scheme' in svg) > 0 AS dark_mode, xmlparse(document svg) IS NOT NULL AS well_formed, svg ~ '^[[:ascii:]]*$' AS ascii, position('hidden' in svg) > 0 AS hidden
FROM dpmix.draw('wages 2040-02-29 00:00:00+01') AS svg;
SELECT position('effect on log-odds of wage' in svg) > 0 AS of_odds, pg_temp.occurs(svg, '<circle') AS dots FROM dpmix.draw('odds 2040-01-31 00:00:00+01', level => .5) AS svg;
-- Effects are coefficients times what their terms can go: of age 100.
SELECT abs((regexp_match(svg, '<title>age: (-?[0-9.e-]+) \['))[1]::float8 / (estimate * 100) - 1) < 1e-5 AS scaled
FROM dpmix.regression('odds 2040-01-31 00:00:00+01') AS r, dpmix.draw('odds 2040-01-31 00:00:00+01') AS svg WHERE term = 'age';
SELECT quality ~ 'there are no intervals' AS none FROM dpmix.release_regression('none', 'sold', 'wage > 300', '{age,town}', .001, 1e-6, 'logistic');
SELECT pg_temp.occurs(svg, '<circle') AS dots, pg_temp.occurs(svg, '>hidden<') AS hidden, xmlparse(document svg) IS NOT NULL AS well_formed FROM dpmix.draw('none') AS svg;
-- Terms that are collinear hide all: what is off there moves the others.
SELECT quality FROM dpmix.release_regression('twice', 'sold', 'wage > 300', '{age,"age * 2",town}', 1e6, 1e-6, 'logistic');
SELECT term, low IS NOT NULL AS interval, p_value IS NOT NULL AS p_value, note FROM dpmix.regression('twice') ORDER BY term COLLATE "C";
SELECT pg_temp.occurs(svg, '<circle') AS dots, pg_temp.occurs(svg, '>hidden<') AS hidden FROM dpmix.draw('twice') AS svg;
SELECT dpmix.draw('nothing');
SELECT dpmix.draw('none', level => 1);
SELECT dpmix.draw('none', 'wage');
SET ROLE sold_other;
SELECT dpmix.draw('none') <> '' AS drawn;
RESET ROLE;
SELECT dpmix.revoke_access('sold', 'sold_other');
SET ROLE sold_other;
SELECT dpmix.draw('none');
RESET ROLE;

-- Predictions judged: by hand, and beside a sum over pairs.
SELECT * FROM dpmix.roc('{.9,.8,.8,.3,NULL,NaN,.1}', '{t,t,f,f,t,t,NULL}');
SELECT dpmix.auc('{.9,.8,.8,.3}', '{t,t,f,f}') AS auc, dpmix.auc('{1,2,3}', '{t,f,f}') AS worst, dpmix.auc('{1,1}', '{t,f}') AS tied,
       dpmix.auc('{1,2}', '{t,t}') AS of_one_kind, dpmix.auc('{}', '{}') AS of_none, dpmix.auc('{-Infinity,Infinity}', '{f,t}') AS infinite;
WITH pairs AS MATERIALIZED (SELECT i * 7919 % 101 / 10.0::float8 AS s, i * 31 % 64 < 20 + i * 7919 % 101 / 4 AS o FROM generate_series(1, 400) i)
SELECT abs(dpmix.auc(array_agg(s), array_agg(o)) - (SELECT avg(CASE WHEN a.s > b.s THEN 1 WHEN a.s = b.s THEN .5 ELSE 0 END) FROM pairs a, pairs b WHERE a.o AND NOT b.o)::float8) < 1e-12 AS auc,
       abs(dpmix.auc(array_agg(s), array_agg(o)) - (SELECT sum((r.false_positive_rate - r.fp) * (r.true_positive_rate + r.tp) / 2)
           FROM (SELECT *, lag(false_positive_rate) OVER w AS fp, lag(true_positive_rate) OVER w AS tp FROM dpmix.roc((SELECT array_agg(s) FROM pairs), (SELECT array_agg(o) FROM pairs)) WINDOW w AS (ORDER BY threshold DESC)) AS r)) < 1e-12 AS area
FROM pairs;
SELECT bin, count, predicted, observed, round(low::numeric, 4) AS low, round(high::numeric, 4) AS high
FROM dpmix.calibration_curve('{0,.05,.05,.15,.95,1,1.5,-1,NULL}', '{f,t,f,t,t,f,t,f,t}');
SELECT bin, count FROM dpmix.calibration_curve('{0,.5,1}', '{f,t,f}', 1);
SELECT dpmix.auc('{1,2}', '{t}');
SELECT dpmix.roc('{1,2}', NULL);
SELECT dpmix.calibration_curve('{1,2}', '{t,f}', 0);
-- With a prediction: rows that the caller may read, and nothing else.
SELECT dpmix.auc(array_agg(dpmix.predict('odds 2040-01-31 00:00:00+01', s)), array_agg(wage > 300)) BETWEEN 0 AND 1 AS auc FROM sold s;
SET ROLE sold_other;
SELECT dpmix.auc(array_agg(wage), array_agg(wage > 300)) FROM sold;
RESET ROLE;

SELECT dpmix.drop_schedule('wages'), dpmix.drop_schedule('odds'), dpmix.drop_schedule('descent'), dpmix.drop_schedule('sold days');
SELECT count(dpmix.drop_release(name)) AS dropped FROM dpmix.releases WHERE kind = 'regression' AND name ~ '^(wages|odds|descent|none|twice)';
SELECT dpmix.unprotect('sold'), dpmix.unprotect('sold_days');
DROP TABLE sold, sold_days;
DROP ROLE sold_other;
