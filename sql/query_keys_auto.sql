-- keys => 'auto': groups are declared where the values of all keys are public, found where not. Groups that never come
-- back are refused before a charge.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE auto_visits (id int PRIMARY KEY, person int NOT NULL, clinic text, ward text, age int, minute int);
INSERT INTO auto_visits SELECT i, i, 'clinic ' || i % 5, (ARRAY['a', 'b'])[1 + i % 2], i % 100, i % 60 FROM generate_series(1, 5000) AS i;
CREATE TABLE auto_people (person int PRIMARY KEY, email text UNIQUE, town text);
INSERT INTO auto_people SELECT i, i || '@example.org', 'town ' || i % 3 FROM generate_series(1, 5000) AS i;
SELECT dpmix.create_population('auto_all', epsilon => 1e7, delta => .4, accountant => 'basic', unit_type => 'integer');
SELECT dpmix.protect(t::regclass, population => 'auto_all', privacy_unit => 'person') FROM unnest('{auto_visits,auto_people}'::text[]) AS t;
SELECT FROM dpmix.declare('auto_visits', '{"ward": ["a", "b", "c"], "age": [0, 99999], "minute": [0, 59]}');
CREATE SCHEMA auto_private;
SELECT dpmix.expose('auto_visits', 'auto_private.visits', default_epsilon => 1000, default_delta => 1e-9);
CREATE FUNCTION auto_charges() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM dpmix.charge';
SELECT auto_charges() AS before \gset
RESET client_min_messages;
-- Declared, and found.
SELECT * FROM dpmix.query('SELECT ward, dp_count(*) FROM auto_visits GROUP BY ward', 1000, 1e-9) AS t(ward text, n bigint);
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY clinic', 1000, 1e-9) AS t(clinic text, n bigint);
SELECT * FROM dpmix.query('SELECT clinic, ward, dp_count(*) FROM auto_visits WHERE id < 2000 GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 3', 1000, 1e-9)
  AS t(clinic text, ward text, n bigint);
-- Declared by the text; found where combinations are too many; expressions without bounds.
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits WHERE clinic IN (''clinic 1'', ''nowhere'') GROUP BY clinic', 1000, 1e-9) AS t(clinic text, n bigint);
SELECT count(*) FROM dpmix.query('SELECT age, minute, dp_count(*) FROM auto_visits GROUP BY age, minute', 1000, 1e-9) AS t(age int, minute int, n bigint);
SELECT count(*) FROM dpmix.query('SELECT id / 1000, upper(clinic), dp_count(*) FROM auto_visits GROUP BY 1, 2', 1000, 1e-9) AS t(thousand int, clinic text, n bigint);
SELECT auto_charges() - :before AS six;
-- One way only.
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY clinic', 1000, 1e-9, keys => 'declared') AS t(clinic text, n bigint);
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY clinic', 1000, 1e-9, keys => 'any') AS t(clinic text, n bigint);
-- Neither way: no delta, grouping sets, buckets without bounds.
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY clinic', 1000) AS t(clinic text, n bigint);
SELECT * FROM dpmix.query('SELECT upper(clinic), dp_count(*) FROM auto_visits GROUP BY 1', 1000) AS t(clinic text, n bigint);
SELECT * FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY ROLLUP (clinic)', 1000, 1e-9) AS t(clinic text, n bigint);
-- Groups of one person: the unit, a unique key, what is joined to them, and casts of them.
SELECT * FROM dpmix.query('SELECT person, dp_count(*) FROM auto_visits GROUP BY person', 1000, 1e-9) AS t(person int, n bigint);
SELECT * FROM dpmix.query('SELECT person, clinic, dp_count(*) FROM auto_visits GROUP BY 1, 2', 1000, 1e-9, keys => 'discover') AS t(person int, clinic text, n bigint);
SELECT * FROM dpmix.query('SELECT id::bigint, dp_count(*) FROM auto_visits GROUP BY 1', 1000, 1e-9) AS t(id bigint, n bigint);
SELECT * FROM dpmix.query('SELECT email, dp_count(*) FROM auto_people GROUP BY 1', 1000) AS t(email text, n bigint);
SELECT * FROM dpmix.query('SELECT p.person, dp_count(*) FROM auto_visits v JOIN auto_people p ON p.person = v.person GROUP BY 1', 1000, 1e-9) AS t(person int, n bigint);
SELECT auto_charges() - :before AS still_six;
SELECT * FROM dpmix.query('SELECT town, dp_count(*) FROM auto_visits v JOIN auto_people p ON p.person = v.person GROUP BY 1', 1000, 1e-9) AS t(town text, n bigint);
-- A unique key that holds for some rows only, or of which one column is a key, leaves groups of several people.
CREATE UNIQUE INDEX auto_part ON auto_visits (clinic) WHERE id < 3;
CREATE UNIQUE INDEX auto_two ON auto_visits (clinic, id);
SELECT count(*) FROM dpmix.query('SELECT clinic, dp_count(*) FROM auto_visits GROUP BY clinic', 1000, 1e-9) AS t(clinic text, n bigint);
-- Plain SQL: what is public is free, what is not is found; nothing is found without GROUP BY.
SELECT ward FROM auto_private.visits GROUP BY ward;
SELECT DISTINCT clinic FROM auto_private.visits ORDER BY 1;
SELECT count(*) FROM auto_private.visits;
EXPLAIN (COSTS OFF) SELECT clinic, count(*) FROM auto_private.visits GROUP BY clinic;
SET dpmix.keys = 'declared';
SELECT DISTINCT clinic FROM auto_private.visits;
SET dpmix.keys = 'discover';
SELECT ward, count(*) FROM auto_private.visits GROUP BY ward;
SET dpmix.keys = 'any';
RESET dpmix.keys;
SET dpmix.delta = 0;
SELECT DISTINCT clinic FROM auto_private.visits;
RESET dpmix.delta;
-- The rest
SET client_min_messages = warning;
SELECT dpmix.hide('auto_private.visits');
DROP SCHEMA auto_private;
DROP TABLE auto_visits, auto_people;
DROP FUNCTION auto_charges;
