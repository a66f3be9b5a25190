-- Grants on views: who has one may ask the tables below through that view, and through it alone.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE views_ola; CREATE ROLE views_ana; CREATE ROLE views_ben; CREATE ROLE views_group;
CREATE SCHEMA views_test AUTHORIZATION views_ola;
CREATE SCHEMA views_ana AUTHORIZATION views_ana;
GRANT USAGE ON SCHEMA views_test TO views_ana, views_ben;
SET search_path = views_test;
CREATE FUNCTION asked(text text, epsilon float8 DEFAULT 1e4) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text; made float8;
BEGIN
    EXECUTE format('SELECT n FROM dpmix.query(%L, epsilon => %s) AS t(n bigint)', text, epsilon) INTO made;
    RETURN format('about %s', round(made / 10) * 10);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s%s', state, message, CASE WHEN detail = '' THEN ' (no detail)' END, CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s%s', state, message, CASE WHEN hint = '' AND state LIKE 'PV%' THEN ' (no hint)' END);
END $$;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA views_test TO PUBLIC;

SET ROLE views_ola;
SELECT dpmix.create_population('views patients', 1e6, 1e-6);
CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL, born int NOT NULL);
CREATE TABLE visit (id int PRIMARY KEY, patient int NOT NULL, ward text NOT NULL, cost float8 NOT NULL);
CREATE TABLE line (visit int, what text, price float8 NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, x int NOT NULL);
INSERT INTO patient SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, 1940 + i % 60 FROM generate_series(1, 1000) AS i;
INSERT INTO visit SELECT i, i % 1000 + 1, CASE i % 4 WHEN 0 THEN 'a' ELSE 'b' END, i % 100 FROM generate_series(1, 2000) AS i;
INSERT INTO line SELECT i % 2000 + 1, 'x', i % 10 FROM generate_series(1, 4000) AS i;
INSERT INTO other SELECT i, i FROM generate_series(1, 500) AS i;
SELECT dpmix.protect('patient', population => 'views patients', privacy_unit => 'id'),
       dpmix.protect('visit', population => 'views patients', privacy_unit => 'patient', max_rows_per_unit => 2),
       dpmix.protect('line', population => 'views patients', unit_through => 'visit', link => '{visit}', max_rows_per_unit => 4),
       dpmix.protect('other', 1e6, 1e-6);
SELECT FROM dpmix.declare('visit', '{"ward": ["a", "b"], "cost": [0, 100]}');
SELECT FROM dpmix.declare('line', '{"price": [0, 10]}');
SELECT FROM dpmix.declare('patient', '{"sex": ["f", "m"], "born": [1900, 2030]}');
CREATE VIEW curated AS SELECT v.patient, v.cost, p.sex FROM visit v JOIN patient p ON p.id = v.patient WHERE v.ward = 'a';
CREATE VIEW lines AS SELECT v.patient, l.price FROM line l JOIN visit v ON v.id = l.visit;
SELECT dpmix.expose('visit', 'views_test.visit_facade');
SET client_min_messages = notice;
SELECT dpmix.grant_access('curated', 'views_ana', epsilon => 1e5);
SET client_min_messages = warning;
GRANT SELECT ON visit_facade TO views_ana;

SET ROLE views_ana;
-- Through the view, by itself, in any place of a text, through views of one's own, as the source of a release.
CREATE VIEW views_ana.mine AS SELECT sex, cost FROM views_test.curated WHERE cost < 50;
SELECT asked('SELECT dp_count(*) FROM curated');
SELECT asked('SELECT dp_count(*) FROM curated WHERE sex = ''m''');
SELECT asked('SELECT dp_count(*) FROM views_ana.mine');
SELECT asked('WITH c AS (SELECT patient, count(*) AS n FROM curated GROUP BY patient) SELECT dp_count(*) FROM c WHERE n > 0');
SELECT asked('SELECT dp_count(*) FROM (SELECT DISTINCT patient FROM curated) AS d WHERE EXISTS (SELECT FROM curated c WHERE c.patient = d.patient)');
SELECT item, value FROM dpmix.describe('curated') WHERE section = 'column';
SELECT refused($$SELECT FROM dpmix.release_tree('of_view', 'curated', '{sex}', 1, 1e-9)$$);
SELECT refused($$SELECT FROM dpmix.release_tree('of_text', NULL, '{sex}', 1, 1e-9, source => 'SELECT sex, patient FROM views_test.curated')$$);
-- Not by itself, nor beside the view, in whatever place, by a facade, or through a view of one's own.
CREATE VIEW views_ana.raw AS SELECT * FROM views_test.visit;
SELECT asked(text) FROM unnest(ARRAY['SELECT dp_count(*) FROM visit', 'SELECT dp_count(*) FROM patient', 'SELECT dp_count(*) FROM visit_facade', 'SELECT dp_count(*) FROM views_ana.raw',
    'SELECT dp_count(*) FROM curated c JOIN visit v USING (patient)', 'SELECT dp_count(*) FROM curated c WHERE EXISTS (SELECT FROM visit v WHERE v.patient = c.patient)',
    'SELECT dp_count(*) FROM curated c WHERE c.patient IN (SELECT patient FROM visit)', 'WITH v AS (SELECT * FROM visit) SELECT dp_count(*) FROM v',
    'SELECT dp_count(*) FROM (SELECT patient, count(*) FROM visit GROUP BY patient) AS v', 'SELECT dp_count(*) FROM line', 'SELECT dp_count(*) FROM lines', 'SELECT dp_count(*) FROM other']) AS text;
SET dpmix.epsilon = 1;
SELECT refused(s) FROM unnest(ARRAY['SELECT count(*) FROM visit_facade', $$SELECT FROM dpmix.release_tree('t', 'visit', '{ward}', 1, 1e-9)$$, $$SELECT FROM dpmix.preview('SELECT dp_count(*) FROM visit', 1)$$,
    $$SELECT FROM dpmix.suggest_bounds('visit', 'cost', 1)$$, $$SELECT FROM dpmix.describe('visit')$$, $$SELECT FROM dpmix.release_gmm('g', 'visit', '{cost}', 1, 1e-9)$$, 'SELECT FROM views_test.visit',
    'SELECT FROM views_test.curated', $$SELECT dpmix.grant_access('curated', 'views_ben')$$]) AS s;
SELECT (SELECT count(*) FROM dpmix.budget) AS budgets, (SELECT count(*) FROM dpmix.columns) AS columns;
-- The cap is that of the grant.
SELECT asked('SELECT dp_count(*) FROM curated', 6e4), asked('SELECT dp_count(*) FROM curated WHERE cost > 3', 6e4);

-- The view of the name, while its owner is the tables': made anew, but not when renamed or another's.
SET ROLE views_ola;
DROP VIEW curated CASCADE;
CREATE VIEW curated AS SELECT patient, cost FROM visit;
SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM curated', 1e3);
RESET ROLE; ALTER VIEW curated OWNER TO views_ben; SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM curated', 1e3);
RESET ROLE; ALTER VIEW curated OWNER TO views_ola; SET ROLE views_ola;
ALTER VIEW curated RENAME TO moved; SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM moved', 1e3);
SET ROLE views_ola; ALTER VIEW moved RENAME TO curated;
CREATE OR REPLACE VIEW curated AS SELECT x AS patient, 1.5::float8 AS cost FROM other; SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM curated', 1e3);
SET ROLE views_ola; CREATE OR REPLACE VIEW curated AS SELECT patient, cost FROM visit;
-- Through links the tables on the way are granted too.
SELECT dpmix.grant_access('lines', 'views_ben');
SET ROLE views_ben; SELECT asked('SELECT dp_count(*) FROM (SELECT patient, sum(price) AS p FROM lines GROUP BY patient) AS l WHERE p > -1', 1e3), asked('SELECT dp_count(*) FROM curated', 1e3);
-- A group's grant on the table admits its members everywhere; a later grant on the table is no longer confined.
SET ROLE views_ola;
SELECT dpmix.grant_access('visit', 'views_group');
RESET ROLE; GRANT views_group TO views_ben; SET ROLE views_ben; SELECT asked('SELECT dp_count(*) FROM visit', 1e3);
RESET ROLE; REVOKE views_group FROM views_ben; SET ROLE views_ben; SELECT asked('SELECT dp_count(*) FROM visit', 1e3);
SET ROLE views_ola;
SELECT jsonb_path_query_array(dpmix.policy('views_test'), '$.tables.visit.grant_access.keyvalue().key') AS in_policy;
SELECT dpmix.grant_access('visit', 'views_ana', epsilon => 1e6);
SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM visit', 1e3), asked('SELECT dp_count(*) FROM curated', 1e3);
SET ROLE views_ola;
SET client_min_messages = notice;
SELECT dpmix.grant_access('curated', 'views_ana');
SELECT dpmix.revoke_access('visit', 'views_ana');
SELECT dpmix.grant_access('curated', 'views_ana');
SET client_min_messages = warning;
SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM visit', 1e3), asked('SELECT dp_count(*) FROM curated', 1e3);
SET ROLE views_ola; SELECT dpmix.revoke_access('curated', 'views_ana');
SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM curated', 1e3);
SET ROLE views_ola; SET client_min_messages = notice; SELECT dpmix.revoke_access('curated', 'views_ana'); SET client_min_messages = warning;
SELECT dpmix.report(population => 'views patients') LIKE '%through views_test.lines alone%' AS in_report;
-- Whose views: the owner's of all that they read, and to stay.
CREATE TEMP VIEW passing AS SELECT * FROM visit;
SELECT refused($$SELECT dpmix.grant_access('passing', 'views_ana')$$), refused($$SELECT dpmix.grant_access('curated', 0::regrole)$$);
CREATE VIEW by_invoker WITH (security_invoker) AS SELECT patient, cost FROM visit;
SELECT refused($$SELECT dpmix.grant_access('by_invoker', 'views_ana')$$);
CREATE VIEW rows_alone AS SELECT x FROM other;
SELECT refused($$SELECT dpmix.grant_access('rows_alone', 'views_ana')$$);
CREATE VIEW public_numbers AS SELECT 1 AS one;
SELECT refused($$SELECT dpmix.grant_access('public_numbers', 'views_ana')$$);
RESET ROLE;
GRANT SELECT ON visit TO views_ben; CREATE VIEW views_test.bens AS SELECT * FROM visit; ALTER VIEW bens OWNER TO views_ben;
SELECT refused($$SELECT dpmix.grant_access('bens', 'views_ana')$$);
SET ROLE views_ben; SELECT refused($$SELECT dpmix.grant_access('bens', 'views_ana')$$), refused($$SELECT dpmix.revoke_access('curated', 'views_ana')$$);
-- What depends on who asks is refused, in views as in texts.
SET ROLE views_ola;
CREATE VIEW own_rows AS SELECT patient, cost FROM visit WHERE ward = current_user;
CREATE VIEW by_setting AS SELECT patient, cost FROM visit WHERE ward = current_setting('dpmix.epsilon', true);
SELECT dpmix.grant_access('own_rows', 'views_ana'), dpmix.grant_access('by_setting', 'views_ana');
SET ROLE views_ana; SELECT asked('SELECT dp_count(*) FROM own_rows', 1e3), asked('SELECT dp_count(*) FROM by_setting', 1e3);
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA views_ana CASCADE;
DROP SCHEMA views_test CASCADE;
DROP OWNED BY views_ola, views_ana, views_ben, views_group;
DROP ROLE views_ola, views_ana, views_ben, views_group;
