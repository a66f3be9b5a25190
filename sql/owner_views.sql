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
-- Plain SQL over a view, by a facade of it; and what is declared of columns that it computes.
SET ROLE views_ola;
DROP VIEW curated, lines;
CREATE VIEW curated AS SELECT v.patient, p.sex, sum(v.cost) AS cost, max(v.cost) * 1000 AS wide,
    CASE WHEN v.patient % 4 = 0 THEN NULL ELSE max(v.ward) || p.sex END AS word,
    date '2020-01-01' + max(v.id) AS day, count(*) AS n FROM visit v JOIN patient p ON p.id = v.patient GROUP BY v.patient, p.sex;
CREATE VIEW costs AS SELECT patient, cost, ward FROM visit;
SELECT column_name, type, lower, upper, categories, source, missing FROM dpmix.declare('curated',
    '{"cost": [0, 150], "day": ["2020-01-01", "2024-12-31"], "word": {"categories": ["bf", "bm"], "other": true}}');
SELECT dpmix.set_bounds('curated', 'wide', -5.5, 50000);
SELECT item, value FROM dpmix.describe('curated') WHERE section = 'column';
SELECT refused(s) FROM unnest(ARRAY[$$SELECT dpmix.set_bounds('curated', 'patient', 0, 1)$$, $$SELECT dpmix.set_categories('costs', 'ward', '{a}')$$,
    $$SELECT dpmix.set_bounds('curated', 'word', 0, 5)$$, $$SELECT dpmix.set_categories('curated', 'n', '{1,2}')$$,
    $$SELECT FROM dpmix.declare('curated', '{"cost": {"by": "sex", "bounds": {"f": [0, 1]}}}')$$, $$SELECT dpmix.set_bounds('curated', 'cost', 0, 1, true)$$,
    $$SELECT dpmix.set_bounds('curated', 'none', 0, 1)$$, $$SELECT dpmix.set_bounds('rows_alone', 'x', 0, 1)$$, $$SELECT dpmix.set_bounds('bens', 'cost', 0, 1)$$,
    $$SELECT dpmix.set_bounds('public_numbers', 'one', 0, 1)$$, $$SELECT dpmix.set_time_quantum('curated', 'day', '1 day')$$, $$SELECT dpmix.expose('rows_alone')$$,
    $$SELECT dpmix.expose('by_invoker')$$, $$SELECT dpmix.expose('passing')$$, $$SELECT dpmix.expose('public_numbers')$$,
    $$SELECT dpmix.expose('bens', 'views_test.bens_facade')$$, $$SELECT dpmix.expose('curated', 'views_test.visit_facade')$$]) AS s;
SELECT dpmix.expose('curated', 'views_test.people', default_epsilon => 1e4, comments => true), dpmix.expose('costs', 'views_test.plain_costs', default_epsilon => 1e4);
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'people'::regclass AND attnum > 0 ORDER BY attnum;
SELECT dpmix.grant_access('curated', 'views_ana', epsilon => 2e6);
SELECT charges AS was FROM dpmix.budget WHERE relation = 'visit'::regclass \gset
CREATE FUNCTION plain(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE state text; message text; hint text; line record;
BEGIN
    FOR line IN EXECUTE statement LOOP RETURN NEXT line::text; END LOOP;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN NEXT format('%s %s%s', state, message, CASE WHEN hint = '' AND state LIKE 'PV%' THEN ' (no hint)' END);
END $$;
GRANT EXECUTE ON FUNCTION plain(text) TO PUBLIC;
-- What PostgreSQL's own aggregates say of the view, clamped; and the answers.
SELECT coalesce(w, '-') AS word, sex, round(count(*), -1) AS people, round(avg(least(cost, 150))) AS cost, round(avg(least(wide, 50000))::numeric, -2) AS wide
FROM (SELECT *, CASE WHEN word IN ('bf', 'bm') THEN word WHEN word IS NOT NULL THEN 'other' END AS w FROM curated) AS c GROUP BY 1, 2 ORDER BY 1, 2;
SET ROLE views_ana;
RESET dpmix.epsilon;
SELECT plain('SELECT coalesce(word, ''-'') AS word, sex, round(count(*), -1), round(avg(cost)), round(avg(wide)::numeric, -2) FROM people GROUP BY people.word, 2 HAVING count(*) > 5 ORDER BY 1, 2');
SELECT plain(s) FROM unnest(ARRAY['SELECT round(count(*), -1) FROM people WHERE cost > 150', 'SELECT round(count(*), -1) FROM people WHERE day > ''2024-12-31''',
    'SELECT DISTINCT word FROM people ORDER BY word', 'SELECT round(count(*), -1), round(avg(m)) FROM (SELECT patient, max(cost) AS m FROM people GROUP BY patient) AS one',
    'SELECT round(count(*), -1) FROM people a JOIN people b USING (patient)', 'SELECT round(count(*), -1) FROM people WHERE patient IN (SELECT patient FROM people WHERE sex = ''m'')',
    'WITH p AS (SELECT * FROM people WHERE n > 1) SELECT round(count(*), -1) FROM p WHERE EXISTS (SELECT FROM people q WHERE q.patient = p.patient AND q.sex = ''m'')',
    'SELECT round(n, -1) FROM dpmix.query(''SELECT dp_count(*) FROM people WHERE sex = $$m$$'', 1e4) AS t(n bigint)', 'SELECT * FROM (SELECT * FROM people LIMIT 0) AS none']) AS s;
CREATE VIEW views_ana.over AS SELECT sex, cost FROM views_test.people WHERE cost < 100;
SELECT plain('SELECT round(count(*), -1) FROM views_ana.over');
SELECT plain(s) FROM unnest(ARRAY['SELECT * FROM people', 'SELECT patient FROM people WHERE cost > 1', 'SELECT people FROM people', 'SELECT min(cost) FROM people', 'SELECT count(*) FROM plain_costs',
    'SELECT count(*) FROM visit_facade', 'SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM visit'', 1) AS t(n bigint)', 'SELECT count(*) FROM curated',
    'SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM plain_costs'', 1) AS t(n bigint)', 'SELECT count(*) FROM people JOIN visit_facade USING (patient)']) AS s;
SET dpmix.bounds_for_min_max = on; SELECT min(cost), max(cost), max(day) FROM people; RESET dpmix.bounds_for_min_max;
SELECT refused($$SELECT FROM dpmix.release_tree('of_facade', 'people', '{sex,word}', 1, 1e-9)$$), (SELECT count(*) FROM dpmix.describe('people')) > 8 AS described;
SELECT output_column, charge_share > 0 AS priced FROM dpmix.preview('SELECT dp_avg(cost) AS cost FROM people', 1);
SELECT statement FROM dpmix.suggest_bounds('people', 'wide', 1e3);
-- The tables below are charged, all of them, and nothing else. What is suggested can be declared where it says so.
SET ROLE views_ola;
SELECT charges - :was AS charges, (SELECT count(*) FROM dpmix.budget b WHERE b.charges > 0 AND b.relation::text NOT IN ('visit', 'patient', 'line', 'other')) AS others FROM dpmix.budget WHERE relation = 'visit'::regclass;
SELECT statement FROM dpmix.suggest_bounds('plain_costs', 'cost', 1e3);
SELECT statement AS suggested FROM dpmix.suggest_bounds('curated', 'wide', 1e3) \gset
SELECT refused(:'suggested');
SELECT statement AS suggested FROM dpmix.suggest_categories('curated', 'word', 1e3, 1e-9) \gset
SELECT refused(:'suggested');
SELECT statement AS suggested FROM dpmix.suggest_categories('costs', 'ward', 1e3, 1e-9) \gset
SELECT refused(:'suggested'), :'suggested' LIKE '%views_test.visit%' AS of_table;
SELECT statement FROM dpmix.suggest_categories('curated', 'n', 1e3, 1e-9);
-- Who may not ask the tables gains nothing by SELECT on the facade.
GRANT SELECT ON people TO views_ben;
SET ROLE views_ben;
SELECT plain('SELECT count(*) FROM people'), plain('SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM people'', 1) AS t(n bigint)'), refused('SELECT FROM dpmix.describe(''people'')');
SELECT refused(s) FROM unnest(ARRAY['SELECT FROM dpmix_internal.view_columns(''people'')', 'SELECT FROM dpmix.facade', 'SELECT FROM dpmix.view_column', $$SELECT dpmix.set_bounds('curated', 'cost', 0, 1)$$,
    $$SELECT FROM dpmix.declare('people')$$, $$SELECT dpmix.expose('curated', 'views_test.mine')$$, $$SELECT dpmix.hide('people')$$]) AS s;
-- The policy has it all; declarations and facades follow the name.
SET ROLE views_ola;
SELECT dpmix.policy('views_test') #> '{tables,curated}' AS curated, dpmix.policy('views_test') #> '{tables,costs}' AS costs;
SELECT dpmix.policy('views_test') AS before \gset
SELECT * FROM dpmix.apply(:'before');
SET ROLE views_ana; DROP VIEW views_ana.over; SET ROLE views_ola;
SELECT dpmix.hide('people');
RESET ROLE; DELETE FROM dpmix.view_column; SET ROLE views_ola;
SELECT action, object, what, to_value, needs FROM dpmix.apply(:'before', reason => 'again', allow => '{facades}');
SELECT dpmix.policy('views_test') = :'before' AS same;
PREPARE people_of(text) AS SELECT round(count(*), -1) AS people, round(avg(cost)) AS cost FROM people WHERE sex = $1;
SET ROLE views_ana; EXECUTE people_of('f'); SET ROLE views_ola;
CREATE OR REPLACE VIEW curated AS SELECT v.patient, p.sex, sum(v.cost) * 100 AS cost, max(v.cost) * 1000 AS wide, max(v.ward) AS word, date '2020-01-01' AS day, count(*) AS n, 1 AS one
    FROM visit v JOIN patient p ON p.id = v.patient WHERE v.cost > 50 GROUP BY v.patient, p.sex;
SELECT attname FROM pg_attribute WHERE attrelid = 'people'::regclass AND attnum > 7;
SET ROLE views_ana; EXECUTE people_of('f'); SELECT plain('SELECT round(avg(one)) FROM people'); SET ROLE views_ola;
SELECT FROM dpmix.declare('curated', '{"cost": [0, 50]}');
SET ROLE views_ana; EXECUTE people_of('f'); SET ROLE views_ola;
ALTER VIEW curated RENAME cost TO price;
SELECT column_name, lower, upper FROM dpmix.declare('curated') WHERE lower IS NOT NULL ORDER BY 1;
SELECT attname FROM pg_attribute WHERE attrelid = 'people'::regclass AND attnum = 3;
-- A load that swaps views, as dbt does; planning a question holds no lock on the view or its tables.
CREATE VIEW curated_new AS SELECT v.patient, p.sex, sum(v.cost) AS price, max(v.id) AS visit FROM visit v JOIN patient p ON p.id = v.patient GROUP BY v.patient, p.sex;
BEGIN; ALTER VIEW curated RENAME TO curated_backup; ALTER VIEW curated_new RENAME TO curated; COMMIT;
DROP VIEW curated_backup CASCADE;
SET ROLE views_ana; SELECT plain('SELECT round(count(*), -1), round(avg(price) - 0.2), count(visit) > 0 FROM people');
PREPARE by_person AS SELECT count(*) FROM (SELECT patient, max(price) AS m FROM people GROUP BY patient) AS one WHERE m > 1 AND EXISTS (SELECT FROM people p WHERE p.patient = one.patient AND p.price > (SELECT 3));
BEGIN; EXPLAIN (COSTS OFF) EXECUTE by_person;
SELECT relation::regclass AS held, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('curated'::regclass, 'visit'::regclass, 'patient'::regclass); COMMIT; SET ROLE views_ola;
DROP VIEW curated;
SET ROLE views_ana; SELECT plain('SELECT count(*) FROM people'); SET ROLE views_ola;
-- A facade that takes the name is none that it stands for.
SELECT dpmix.expose('visit', 'views_test.curated');
SET ROLE views_ana; SELECT plain('SELECT count(*) FROM people'), plain('SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM people'', 1) AS t(n bigint)'); SET ROLE views_ola;
SELECT dpmix.hide('curated');
-- Another role's view under the name is none; a table below that was not granted is asked by nobody through it.
RESET ROLE;
SET client_min_messages = error; GRANT CREATE ON SCHEMA views_test TO views_ben; GRANT SELECT ON visit, patient TO views_ben; SET client_min_messages = warning;
SET ROLE views_ben;
CREATE VIEW views_test.curated AS SELECT patient, 'f'::text AS sex, cost AS price FROM views_test.visit;
SET ROLE views_ana; SELECT plain('SELECT count(*) FROM people WHERE sex = ''f'''), plain('SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM people'', 1) AS t(n bigint)');
SET ROLE views_ben; DROP VIEW views_test.curated; SET ROLE views_ola;
CREATE VIEW curated AS SELECT v.patient, 'f'::text AS sex, l.price FROM line l JOIN visit v ON v.id = l.visit;
SET ROLE views_ana; SELECT plain('SELECT count(*) FROM people'); SET ROLE views_ola;
CREATE OR REPLACE VIEW curated AS SELECT patient, 'f'::text AS sex, cost * 2 AS price FROM visit;
SET ROLE views_ana; SELECT plain('SELECT round(count(*), -1), round(avg(price) - 0.2) FROM people'), plain('SELECT count(wide) FROM people'); SET ROLE views_ola;
-- A view that reads its own facade ends somewhere.
CREATE OR REPLACE VIEW curated AS SELECT patient, sex, price FROM people;
SET ROLE views_ana; SELECT plain('SELECT count(*) FROM people'), plain('SELECT n FROM dpmix.query(''SELECT dp_count(*) FROM people'', 1) AS t(n bigint)'); SET ROLE views_ola;
SELECT dpmix.grant_access('costs', 'views_ana'), has_table_privilege('views_ana', 'plain_costs', 'SELECT') AS seen;
SELECT dpmix.revoke_access('costs', 'views_ana'), has_table_privilege('views_ana', 'plain_costs', 'SELECT') AS seen;
SELECT dpmix.hide('plain_costs');
RESET ROLE;
SET client_min_messages = error;
DROP SCHEMA views_ana CASCADE;
DROP SCHEMA views_test CASCADE;
DROP OWNED BY views_ola, views_ana, views_ben, views_group;
DROP ROLE views_ola, views_ana, views_ben, views_group;
