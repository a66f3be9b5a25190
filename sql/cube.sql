-- dpmix.release_cube: tables of counts and sums with all their margins, stored by one charge, and read free.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE stored (region text, sex boolean NOT NULL, mood mood NOT NULL, age int, wage float8, hours int NOT NULL);
INSERT INTO stored
SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE (ARRAY['north', 'south', 'east', 'west'])[i % 4 + 1] END, i % 3 = 0, (enum_range(NULL::mood))[i % 3 + 1],
       i % 4, CASE WHEN i % 17 = 0 THEN NULL ELSE i % 100 END, i % 60
FROM generate_series(1, 5000) i;
SELECT dpmix.protect('stored', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_categories('stored', 'region', '{south,north,east}'), dpmix.set_categories('stored', 'mood', '{sad,ok,happy}');
SELECT dpmix.set_bounds('stored', 'age', 0, 3), dpmix.set_bounds('stored', 'wage', 0, 100), dpmix.set_bounds('stored', 'hours', 0, 60);

-- At this epsilon noise is 0. Everybody counts in totals, also who is of no declared region.
SELECT * FROM dpmix.release_cube('cube_exact', 'stored', '{region,sex,mood}', '{count,wage,sum(hours),variance(wage),count(wage),stddev(hours)}', 1e5, 1e-6);
SELECT keys, groups, measure, noise_stddev IS NULL AS ratio FROM dpmix.cube('cube_exact') WHERE cardinality(keys) IN (0, 3) ORDER BY 1, 3;
SELECT count(*), count(DISTINCT keys) FROM dpmix.cube('cube_exact');
SELECT key_values, answer, dp_low <= answer AND answer <= dp_high AS inside FROM dpmix.cube_table('cube_exact', '{region}');
SELECT count(*), bool_and(t.answer = (SELECT count(*) FROM stored s WHERE (s.region, s.sex::text, s.mood::text) IS NOT DISTINCT FROM (t.key_values[2], CASE t.key_values[3] WHEN 't' THEN 'true' ELSE 'false' END, t.key_values[1])))
FROM dpmix.cube_table('cube_exact', '{mood,region,sex}') t;
SELECT count(*), bool_and(abs(t.answer - (SELECT avg(wage) FROM stored s WHERE s.mood::text = t.key_values[1])) < .5) FROM dpmix.cube_table('cube_exact', '{mood}', 'wage') t;
SELECT count(*), bool_and(abs(t.answer - (SELECT var_pop(wage) FROM stored s WHERE s.mood::text = t.key_values[1])) < 1) FROM dpmix.cube_table('cube_exact', '{mood}', 'variance(wage)') t;
SELECT count(*), bool_and(abs(t.answer - (SELECT sum(hours) FROM stored s WHERE s.sex::text = CASE t.key_values[1] WHEN 't' THEN 'true' ELSE 'false' END)) < 30) FROM dpmix.cube_table('cube_exact', '{sex}', 'sum(hours)') t;
SELECT answer = (SELECT count(*) FROM stored) AS everybody FROM dpmix.cube_table('cube_exact');
SELECT answer = (SELECT count(wage) FROM stored) AS known FROM dpmix.cube_table('cube_exact', measure => 'count(wage)');
SELECT name, relation, kind, method, features, feature_types, rows_estimated, dimensions, quality, adjacency FROM dpmix.releases WHERE kind = 'cube';
SELECT dpmix.drop_release('cube_exact');
SELECT * FROM dpmix.cube('cube_exact');

-- Noise: tables agree with each other exactly, and intervals hold what is exact.
SELECT tables, groups FROM dpmix.release_cube('cube_noisy', 'stored', '{region,sex,age}', '{count,avg(hours)}', .5, 1e-6, up_to => 2, condition => 'wage > 10 OR wage IS NULL');
SELECT count(*), count(DISTINCT answer) > 10 AS noisy, bool_and(answer BETWEEN dp_low AND dp_high)
FROM (SELECT * FROM dpmix.cube_table('cube_noisy', '{region,sex}') UNION ALL SELECT * FROM dpmix.cube_table('cube_noisy', '{age,sex}', 'hours')) t;
SELECT sum(answer) = (SELECT answer FROM dpmix.cube_table('cube_noisy')) AS sexes, count(*) FROM dpmix.cube_table('cube_noisy', '{sex}');
SELECT bool_and(r.answer = (SELECT sum(answer) FROM dpmix.cube_table('cube_noisy', '{region,sex}') f WHERE f.key_values[1] IS NOT DISTINCT FROM r.key_values[1])) AS regions FROM dpmix.cube_table('cube_noisy', '{region}') r;
SELECT count(*), sum(abs(t.answer - e.n)) > 0 AS noisy, bool_and(e.n BETWEEN t.dp_low AND t.dp_high) AS held
FROM dpmix.cube_table('cube_noisy', '{region,sex}', level => .9999999) t
JOIN (SELECT region, left(sex::text, 1) AS sex, count(*) AS n FROM stored WHERE wage > 10 OR wage IS NULL GROUP BY 1, 2) e ON (e.region, e.sex) IS NOT DISTINCT FROM (t.key_values[1], t.key_values[2]);

-- One charge, as a query's; preview says it, and the noise.
SELECT count(*), kind, release, parameters->>'groups' AS groups FROM dpmix.ledger WHERE relation = 'public.stored' AND kind = 'cube' GROUP BY 2, 3, 4 ORDER BY 3;
SELECT statistic, round(noise_stddev::numeric, 2) AS stddev, mechanism, epsilon, delta,
       charge_cost = (SELECT charge_cost FROM dpmix.preview('SELECT dp_count(*) FROM stored', 1, 1e-6, 'gaussian')) AS as_a_query
FROM dpmix.preview($$SELECT dpmix.release_cube('next', 'stored', '{sex,mood}', '{count}', 1, 1e-6)$$);
SELECT item, value FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger WHERE kind = 'cube')) WHERE item IN ('release', 'guarantee');

-- More tables and statistics than a record has room for.
SELECT tables, groups FROM dpmix.release_cube('cube_long', 'stored', '{region,sex,mood,age}', '{count,wage,sum(wage),variance(wage)}', 1, 1e-6);
SELECT parameters->>'statistics_left' > '0' OR parameters->>'grouping_sets_left' > '0' AS cut FROM dpmix.ledger WHERE release = 'cube_long';
SELECT dpmix.drop_release('cube_long');

-- Refused before a charge.
SELECT dpmix.release_cube('cube_noisy', 'stored', '{sex}', '{count}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{}', '{count}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex,sex}', '{count}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{wage,avg(wage)}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{median(wage)}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{"avg(wage"}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{nothing}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{wage}', '{count}', 1, 1e-6);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{count}', 1, 0);
SELECT dpmix.release_cube('other', 'stored', '{sex,mood}', '{count}', 1, 1e-6, up_to => 3);
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{count}', 1, 1e-6, condition => 'true) GROUP BY CUBE (sex, mood) --');
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{count}', 1, 1e-6, condition => 'now() > ''2000-01-01''');
SELECT dpmix.release_cube('other', 'stored', '{sex}', '{count}', 1, 1e-6, max_groups => 2);
SELECT * FROM dpmix.cube_table('cube_noisy', '{mood}');
SELECT * FROM dpmix.cube_table('cube_noisy', '{region,sex,age}');
SELECT * FROM dpmix.cube_table('cube_noisy', '{sex,sex}');
SELECT * FROM dpmix.cube_table('cube_noisy', '{sex}', 'wage');
SELECT * FROM dpmix.cube_table('cube_noisy', '{sex}', level => 1);
SELECT * FROM dpmix.gmm('cube_noisy');
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation = 'public.stored';

-- Without declared access neither the cube nor its price.
CREATE ROLE cube_reader;
CREATE ROLE cube_stranger;
SELECT dpmix.grant_access('stored', 'cube_reader');
SET ROLE cube_reader;
SELECT count(*) FROM dpmix.cube_table('cube_noisy', '{sex}');
SELECT count(*) FROM dpmix.releases WHERE name = 'cube_noisy';
SELECT dpmix.drop_release('cube_noisy');
SET ROLE cube_stranger;
SELECT count(*) FROM dpmix.cube_table('cube_noisy', '{sex}');
SELECT count(*) FROM dpmix.releases WHERE name = 'cube_noisy';
SELECT * FROM dpmix.preview($$SELECT dpmix.release_cube('other', 'stored', '{sex}', '{count}', 1, 1e-6)$$);
RESET ROLE;
SELECT dpmix.drop_release('cube_noisy');
SELECT dpmix.unprotect('stored');
DROP TABLE stored;
DROP TYPE mood;
DROP ROLE cube_reader, cube_stranger;
