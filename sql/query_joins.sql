-- Private queries over joins: protected tables with public ones, and with others of their privacy unit.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on

CREATE TABLE join_people (id int, city int, job text, born_in int, wage float8, flag boolean);
INSERT INTO join_people SELECT i, CASE WHEN i % 11 <> 0 THEN i % 7 END, CASE i % 3 WHEN 0 THEN 'cook' WHEN 1 THEN 'clerk' ELSE 'none' END,
                               i % 5, i, i % 2 = 0 FROM generate_series(1, 300) AS i;
CREATE TABLE join_city (id bigint PRIMARY KEY, region int, name text, size float8);
INSERT INTO join_city SELECT i, i % 2, 'c' || i, 10 * i FROM generate_series(0, 5) AS i;
CREATE TABLE join_region (region int UNIQUE, zone text, taxed boolean);
INSERT INTO join_region VALUES (0, 'north', true), (1, 'south', false), (NULL, 'sea', false), (NULL, 'air', false);
CREATE TABLE join_job (job varchar(20) PRIMARY KEY, pay float8, since date);
INSERT INTO join_job VALUES ('cook', 20, '2001-01-01'), ('clerk', 30, '2002-02-02'), ('king', 'NaN', 'infinity');
CREATE TABLE join_index (city int, year int, level float8, UNIQUE (year, city));
INSERT INTO join_index SELECT c, y, c + y FROM generate_series(0, 6) AS c, generate_series(2000, 2003) AS y;
CREATE TABLE join_visits (city int, visitor text);
INSERT INTO join_visits SELECT i % 4, 'v' || i % 3 FROM generate_series(1, 20) AS i;
CREATE TABLE join_secret (id int PRIMARY KEY, x int);
INSERT INTO join_secret SELECT i, i FROM generate_series(1, 300) AS i;

CREATE ROLE regress_join_owner;
CREATE ROLE regress_join_reader;
GRANT USAGE, CREATE ON SCHEMA public TO regress_join_owner;
GRANT regress_join_owner TO CURRENT_USER;
ALTER TABLE join_people OWNER TO regress_join_owner;
SELECT dpmix.protect('join_people', epsilon => 1e7, delta => 0, accountant => 'basic');
SELECT dpmix.set_bounds('join_people', 'wage', 0, 300);
SELECT dpmix.set_categories('join_people', 'job', '{cook,clerk,none}');
SELECT dpmix.grant_access('join_people', 'regress_join_reader');

-- Declarations
SELECT dpmix.declare_public(t) FROM unnest('{join_city,join_region,join_job,join_index,join_visits}'::regclass[]) AS t;
GRANT SELECT ON join_city, join_region, join_index, join_visits TO regress_join_reader;
GRANT SELECT (job, pay, since) ON join_job TO regress_join_reader;
SELECT relation, role = current_user FROM dpmix.public_tables WHERE relation::text ~ '^join' ORDER BY relation::text;
SELECT dpmix.declare_public('join_city');
SELECT count(*) FROM dpmix.public_tables WHERE relation::text ~ '^join';
CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN SQLSTATE LIKE 'PV%' AND (detail = '' OR hint = '') THEN ' (NO DETAIL OR HINT)' ELSE '' END;
END $$;
CREATE TEMP TABLE join_temporary (id int);
CREATE VIEW join_view AS SELECT * FROM join_secret;
CREATE TABLE join_rows (id int PRIMARY KEY, x int);
ALTER TABLE join_rows ENABLE ROW LEVEL SECURITY;
CREATE TABLE join_parts (id int) PARTITION BY RANGE (id);
CREATE TABLE join_part PARTITION OF join_parts FOR VALUES FROM (0) TO (9);
CREATE TABLE join_whole (id int, city int, job text, born_in int, wage float8, flag boolean);
SELECT attempt('SELECT dpmix.declare_public(NULL)');
SELECT attempt('SELECT dpmix.declare_public(''join_temporary'')') LIKE 'PV005 pg_temp%.join_temporary cannot be declared public';
SELECT attempt('SELECT dpmix.declare_public(''join_view'')');
SELECT attempt('SELECT dpmix.declare_public(''join_rows'')');
SELECT attempt('SELECT dpmix.declare_public(''pg_class'')');
SELECT attempt('SELECT dpmix.declare_public(''dpmix.charge'')');
SELECT attempt('SELECT dpmix.declare_public(''join_people'')');
SELECT attempt('SELECT dpmix.undeclare_public(''join_people'')');
SELECT attempt('SELECT dpmix.protect(''join_city'', 1, 1e-6)');
SELECT dpmix.declare_public('join_parts');
SELECT attempt('SELECT dpmix.protect(''join_part'', 1, 1e-6)');
SELECT dpmix.undeclare_public('join_parts');
SELECT dpmix.protect('join_part', 1, 1e-6);
SELECT attempt('SELECT dpmix.declare_public(''join_parts'')');
SELECT dpmix.declare_public('join_whole');
SELECT attempt('ALTER TABLE join_people INHERIT join_whole');
SELECT dpmix.undeclare_public('join_whole');
SET ROLE regress_join_owner;
SELECT attempt('SELECT dpmix.declare_public(''join_city'')');
SELECT attempt('SELECT dpmix.undeclare_public(''join_city'')');
RESET ROLE;

-- Large epsilon: the plain answer. Asked as the analyst, the truth computed as the superuser.
CREATE FUNCTION private_rows(query text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s %s %s', t.k, t.n, round(t.x::numeric, 1)) FROM dpmix.query(query, epsilon => 1e5) AS t(k text, n bigint, x float8)
$$;
CREATE TABLE join_answer (query text, row text);
GRANT INSERT ON join_answer TO regress_join_reader;
CREATE TABLE join_query (query text, plain text);
INSERT INTO join_query (query) VALUES
-- inner, left, comma, USING, NATURAL, CROSS with WHERE
    ('SELECT name AS k, dp_count(*) AS n, dp_sum(wage) AS x FROM join_people p JOIN join_city c ON p.city = c.id GROUP BY name'),
    ('SELECT name AS k, dp_count(*) AS n, dp_sum(size) AS x FROM join_city c, join_people p WHERE c.id = p.city AND flag GROUP BY name'),
    ('SELECT job AS k, dp_count(*) AS n, dp_avg(size) AS x FROM join_people p LEFT JOIN join_city c ON p.city = c.id GROUP BY p.job'),
    ('SELECT job AS k, dp_count(name) AS n, dp_sum(wage) AS x FROM join_people p LEFT JOIN join_city c ON c.id = p.city AND c.region = 1 GROUP BY p.job'),
    ('SELECT job AS k, dp_count(*) AS n, dp_sum(pay) AS x FROM join_people JOIN join_job USING (job) WHERE since < ''2002-01-01'' OR wage > 100 GROUP BY job'),
    ('SELECT job AS k, dp_count(pay) AS n, dp_sum(pay) AS x FROM join_people NATURAL LEFT JOIN join_job GROUP BY job'),
    ('SELECT name AS k, dp_count(*) AS n, dp_avg(wage) AS x FROM join_people CROSS JOIN join_city WHERE city = join_city.id AND size > 10 GROUP BY name'),
-- snowflake and star
    ('SELECT zone AS k, dp_count(*) AS n, dp_sum(size) AS x FROM join_people p JOIN join_city c ON p.city = c.id JOIN join_region r ON r.region = c.region GROUP BY zone'),
    ('SELECT zone AS k, dp_count(*) AS n, dp_sum(wage) AS x FROM join_people p LEFT JOIN (join_city c JOIN join_region r USING (region)) ON p.city = c.id GROUP BY zone'),
    ('SELECT zone AS k, dp_count(pay) AS n, dp_sum(wage) AS x FROM join_people p LEFT JOIN join_city c ON p.city = c.id LEFT JOIN join_region r USING (region) LEFT JOIN join_job j ON j.job = p.job GROUP BY zone'),
    ('SELECT a.name AS k, dp_count(*) AS n, dp_sum(b.size) AS x FROM join_people p JOIN join_city a ON p.city = a.id JOIN join_city b ON p.born_in = b.id GROUP BY a.name'),
-- keys of two columns, constants among them
    ('SELECT job AS k, dp_count(*) AS n, dp_sum(level) AS x FROM join_people p JOIN join_index i ON i.city = p.city AND 2001 = i.year GROUP BY p.job'),
    ('SELECT job AS k, dp_count(*) AS n, dp_avg(level) AS x FROM join_people p LEFT JOIN join_index i ON i.city = p.city AND i.year = p.born_in + 2000 GROUP BY p.job'),
    ('SELECT name AS k, dp_count(*) AS n, dp_sum(wage) AS x FROM (join_city c LEFT JOIN join_region r ON r.region = c.region) JOIN join_people p ON p.city = c.id WHERE taxed GROUP BY name');
-- The same in plain SQL; groups that no row has come back as 0, or in the middle of the bounds.
UPDATE join_query SET plain = replace(replace(replace(query, 'dp_count', 'count'), 'dp_sum', 'sum'), 'dp_avg', 'avg');
SELECT DISTINCT attempt(format('SELECT FROM dpmix.preview(%L, 1)', query)) FROM join_query;
GRANT SELECT ON join_query TO regress_join_reader;
SET ROLE regress_join_reader;
INSERT INTO join_answer SELECT query, private_rows(query) FROM join_query;
RESET ROLE;
DO $$
DECLARE
    q record;
    truth text[];
    answer text[];
BEGIN
    FOR q IN SELECT * FROM join_query LOOP
        EXECUTE format('SELECT array_agg(format(''%%s %%s %%s'', k, n, round(coalesce(x, 0)::numeric, 1)) ORDER BY k) FROM (%s) t', q.plain) INTO truth;
        SELECT array_agg(row ORDER BY row) INTO answer FROM join_answer a WHERE a.query = q.query;
        -- what is not in the truth is an empty group
        IF NOT answer @> truth OR EXISTS (SELECT FROM unnest(answer) r WHERE r <> ALL (truth) AND r !~ ' 0 ') THEN
            RAISE WARNING '%: % is not %', q.query, answer, truth;
        END IF;
    END LOOP;
END $$;
SELECT count(*) > 40 FROM join_answer;

-- What could multiply rows, or leave the protected table out
CREATE TABLE join_partial (id int, other int, x int);
CREATE UNIQUE INDEX ON join_partial (id) WHERE x > 0;
CREATE UNIQUE INDEX ON join_partial ((other + 0));
ALTER TABLE join_partial ADD UNIQUE (x) DEFERRABLE;
CREATE TABLE join_parent (id int PRIMARY KEY);
CREATE TABLE join_child () INHERITS (join_parent);
CREATE TABLE join_split (id int PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(dpmix.declare_public(t)::text) FROM unnest('{join_partial,join_parent,join_split}'::regclass[]) AS t;
CREATE FUNCTION join_outcome(query text) RETURNS text LANGUAGE sql AS $$ SELECT attempt(format('SELECT FROM dpmix.preview(%L, 1)', query)) $$;
CREATE FUNCTION join_outcomes(queries text[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format(E'SELECT dp_count(*) FROM %s\n    %s', q, join_outcome('SELECT dp_count(*) FROM ' || q)) FROM unnest(queries) WITH ORDINALITY AS u(q, n) ORDER BY n
$$;
SELECT join_outcomes('{
    join_people p JOIN join_visits v ON p.city = v.city,
    join_people p JOIN join_visits v USING (city),
    join_people CROSS JOIN join_city,
    join_people p JOIN join_city c ON p.city <= c.id,
    join_people p JOIN join_city c ON p.city = c.id OR flag,
    join_people p JOIN join_city c ON NOT p.city = c.id,
    join_people p JOIN join_city c ON p.id = p.city AND c.id = c.region,
    join_people p JOIN join_city c ON (p.city = c.id) IS NOT FALSE,
    join_people p JOIN join_city c ON p.wage = c.id,
    join_people p JOIN join_index i ON i.city = p.city,
    join_people p JOIN join_index i ON i.city = p.city AND i.year IN (2000\, 2001),
    join_people p JOIN join_region r ON r.region IS NOT DISTINCT FROM p.city,
    join_people p JOIN join_partial q ON p.id = q.id AND q.x > 0,
    join_people p JOIN join_partial q ON p.id = q.other,
    join_people p JOIN join_partial q ON p.id = q.x,
    join_people p JOIN join_parent q ON p.id = q.id,
    join_people p JOIN join_split q ON p.id = q.id,
    join_people p LEFT JOIN join_visits v ON p.city = v.city,
    join_people p LEFT JOIN join_city c ON p.city = c.region WHERE c.id = 1,
    join_people p LEFT JOIN (join_visits v JOIN join_city c ON v.city = c.id) ON p.city = c.id,
    (join_visits v LEFT JOIN join_city c ON v.city = c.id) JOIN join_people p ON p.city = c.id,
    join_city c LEFT JOIN join_people p ON p.city = c.id,
    join_people p RIGHT JOIN join_city c ON p.city = c.id,
    join_people p FULL JOIN join_city c ON p.city = c.id,
    join_people p JOIN join_people q ON p.id = q.id,
    join_people p JOIN (SELECT * FROM join_city) c ON p.city = c.id,
    join_people p\, LATERAL (SELECT p.id) c,
    join_people p\, generate_series(1\, 2) c,
    join_people p\, (VALUES (1)) c,
    join_people p JOIN ONLY join_city c ON p.city = c.id,
    join_people p JOIN join_city c TABLESAMPLE SYSTEM (50) ON p.city = c.id,
    join_city a JOIN join_city b ON a.id = b.id,
    join_city,
    join_people p JOIN join_secret s ON p.id = s.id,
    join_people p JOIN join_view s ON p.id = s.id,
    join_people p JOIN join_city c ON p.city = c.id AND wage / 0 = 1,
    join_people p JOIN join_city c ON p.city = c.id AND c.ctid IS NULL,
    join_people p JOIN join_city c ON p.city = c.id AND c IS NULL}');
SELECT join_outcome('SELECT dp_count(c) FROM join_people p JOIN join_city c ON p.city = c.id');
SELECT join_outcome('SELECT dp_sum(name) FROM join_people p JOIN join_city c ON p.city = c.id');
SELECT join_outcome('WITH c AS (SELECT 1) SELECT dp_count(*) FROM join_people p JOIN c ON true');
-- An index made by this very transaction may have been built when rows of the snapshot were gone.
BEGIN;
CREATE TABLE join_fresh (id int PRIMARY KEY);
SELECT dpmix.declare_public('join_fresh');
SELECT join_outcomes('{join_people p JOIN join_fresh f ON p.id = f.id}');
COMMIT;
SELECT join_outcomes('{join_people p JOIN join_fresh f ON p.id = f.id}');

-- Rights: SELECT on what is read of a public table; access to the protected one, first
SET ROLE regress_join_reader;
SELECT join_outcomes('{join_people p JOIN join_job j ON p.job = j.job, join_people p JOIN join_fresh f ON p.id = f.id,
                  join_people p JOIN join_secret s ON p.id = s.id, join_secret s JOIN join_city c ON s.id = c.id}');
RESET ROLE;
REVOKE SELECT (job) ON join_job FROM regress_join_reader;
ALTER TABLE join_city ENABLE ROW LEVEL SECURITY;
SET ROLE regress_join_reader;
SELECT join_outcomes('{join_people p JOIN join_job j ON p.job = j.job, join_people p JOIN join_city c ON p.city = c.id}');
RESET ROLE;
ALTER TABLE join_city DISABLE ROW LEVEL SECURITY;
CREATE ROLE regress_join_stranger;
GRANT SELECT ON join_city TO regress_join_stranger;
SET ROLE regress_join_stranger;
SELECT join_outcomes('{join_people p JOIN join_city c ON p.city = c.id, join_city c JOIN join_people p ON p.nothing = c.id}');
SELECT join_outcomes('{join_city c JOIN join_people p ON p.city = c.id}');
RESET ROLE;

-- Declarations follow their tables, and nothing else
CREATE SCHEMA join_other;
ALTER TABLE join_city RENAME TO join_town;
SELECT join_outcomes('{join_people p JOIN join_town c ON p.city = c.id}');
ALTER TABLE join_town SET SCHEMA join_other;
ALTER SCHEMA join_other RENAME TO join_another;
SELECT join_outcomes('{join_people p JOIN join_another.join_town c ON p.city = c.id}');
CREATE TABLE join_city (id bigint PRIMARY KEY);
SELECT join_outcomes('{join_people p JOIN join_city c ON p.city = c.id}');
DROP TABLE join_city;
ALTER TABLE join_another.join_town SET SCHEMA public;
ALTER TABLE join_town RENAME TO join_city;
DROP TABLE join_fresh;
CREATE TABLE join_fresh (id int PRIMARY KEY);
SELECT join_outcomes('{join_people p JOIN join_fresh f ON p.id = f.id}');
SELECT count(*) FROM dpmix.public_table WHERE table_name = 'join_fresh';
SELECT dpmix.undeclare_public('join_region');
SELECT join_outcomes('{join_people p JOIN join_region r ON r.region = p.city}');
DROP FUNCTION join_outcome(text), join_outcomes(text[]);
RESET ROLE;
SET client_min_messages = error;
DROP OWNED BY regress_join_owner, regress_join_reader, regress_join_stranger CASCADE;
DROP ROLE regress_join_owner, regress_join_reader, regress_join_stranger;
