-- dpmix.columns and dpmix.describe: what those with access may know, and queries that run as they are.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE described_mood AS ENUM ('low', 'high');
CREATE DOMAIN described_age AS int;
CREATE TABLE described (person int NOT NULL, region text, "Mood" described_mood, wage numeric, age int, loose float8, day date, at timestamp, seen timestamptz, flag boolean,
    name text, code uuid, doc jsonb, tags text[], years described_age, far date);
INSERT INTO described SELECT i / 2, 'north', 'low', i, i % 90, i, date '2020-01-01' + i, '2020-01-01', '2020-01-01', true, 'n' || i FROM generate_series(1, 1000) AS i;
CREATE TABLE described_label (x float8, y text);
CREATE TABLE described_bare (t text);
SELECT dpmix.protect('described', 1e6, 1e-6, privacy_unit => 'person', max_rows_per_unit => 2, accountant => 'basic');
SELECT dpmix.protect('described_label', 4, 1e-6, adjacency => 'label', label => 'y');
SELECT dpmix.protect('described_bare', 4, 1e-6);
SELECT dpmix.set_categories('described', 'region', '{north,"the south"}');
SELECT dpmix.set_bounds('described', 'wage', 0, 2500.5);
SELECT dpmix.set_bounds('described', 'age', 0, 100);
SELECT dpmix.set_bounds('described', 'day', '2020-01-01', '2024-12-31');
SELECT dpmix.set_bounds('described', 'at', '2020-01-01 00:00', '2024-12-31 12:30');
SELECT dpmix.set_bounds('described', 'seen', '2020-01-01 00:00+00', '2024-12-31 12:30+00');
SELECT dpmix.set_bounds('described', 'far', 0::float8, 1e300);
CREATE ROLE regress_described_ana;
CREATE ROLE regress_described_bob;
SELECT dpmix.grant_access('described', 'regress_described_ana', epsilon => 5000);
\pset format unaligned
\pset null -
SET TimeZone = 'UTC';
SELECT * FROM dpmix.columns WHERE relation::text LIKE 'described%';
SELECT * FROM dpmix.describe('described');
SELECT item, value FROM dpmix.describe('described_label');
SELECT item, value FROM dpmix.describe('described_bare');
SELECT dpmix.expose('described', 'private.described', default_epsilon => 0.25, max_epsilon_per_query => 2);
SELECT DISTINCT facade FROM dpmix.columns WHERE relation = 'described'::regclass;
-- The role with access, and a stranger
SET SESSION AUTHORIZATION regress_described_ana;
SELECT count(*) FROM dpmix.columns;
SELECT section, item, value FROM dpmix.describe('described') WHERE section IN ('budget', 'access', 'plain SQL', 'query');
SELECT count(*) FROM dpmix.describe('private.described');
-- All that is proposed runs
CREATE FUNCTION pg_temp.ran(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'ran';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLERRM;
END $$;
SELECT item, pg_temp.ran(value) FROM dpmix.describe('described') WHERE section = 'query';
SELECT column_name, form, pg_temp.ran(format('SELECT FROM dpmix.preview(%L, epsilon => 1, delta => 1e-7)',
    CASE WHEN form ~ '^GROUP' THEN 'SELECT dp_count(*) FROM described ' || regexp_replace(form, ' with.*', '') WHEN form ~ '^WHERE' THEN 'SELECT dp_count(*) FROM described ' || form
         ELSE format('SELECT %s FROM described', regexp_replace(form, ' counts .*|, with.*', '')) END))
FROM dpmix.columns, LATERAL regexp_split_to_table(ask, '; ') AS form;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_described_bob;
SELECT count(*) FROM dpmix.columns;
SELECT dpmix.describe('described');
SELECT dpmix.describe('pg_class');
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM dpmix.charge WHERE relation = 'public.described';
SELECT dpmix.revoke_access('described', 'regress_described_ana');
SET SESSION AUTHORIZATION regress_described_ana;
SELECT count(*) FROM dpmix.columns;
RESET SESSION AUTHORIZATION;
SELECT dpmix.hide('private.described');
DROP TABLE described, described_label, described_bare;
DROP TYPE described_mood;
DROP DOMAIN described_age;
DROP OWNED BY regress_described_ana, regress_described_bob;
DROP ROLE regress_described_ana, regress_described_bob;
