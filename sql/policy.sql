-- policy(), apply(): what owners said as one document, and back.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE ROLE regress_policy_owner;
CREATE ROLE regress_policy_other;
CREATE ROLE "regress policy Ana";
CREATE ROLE regress_policy_officer;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_policy_owner', current_database()); END $$;
SET ROLE regress_policy_owner;
CREATE SCHEMA ward;
CREATE SCHEMA ward_results;
SET search_path = ward;

-- Each kind of object.
CREATE TYPE level AS ENUM ('low', 'high');
CREATE DOMAIN percent AS int;
CREATE TABLE patient (id int PRIMARY KEY, born date, sex text, level level, share percent, temperature float8, url text,
    seen timestamptz, wait interval, "At" timestamp);
CREATE TABLE visit (id bigint PRIMARY KEY, patient int NOT NULL, day date, cost numeric, ward text);
CREATE TABLE line (visit bigint, n int, code text);
CREATE TABLE code (code text PRIMARY KEY, chapter text);
CREATE TABLE log (id int, day date);
CREATE TABLE "Tenants" (id int, tenant text, at timestamptz);
CREATE TABLE labelled (x int, answer boolean);
SELECT dpmix.create_population('regress patients', 2, 1e-6);
SELECT dpmix.protect('patient', population => 'regress patients', privacy_unit => 'id'),
       dpmix.protect('visit', population => 'regress patients', privacy_unit => 'patient', max_rows_per_unit => 20,
                     guard_unit => true),
       dpmix.protect('line', population => 'regress patients', unit_through => 'visit', link => '{visit}',
                     max_rows_per_unit => 50),
       dpmix.protect('log', 1, 1e-6, accountant => 'gdp', blocks => 'day', width => '7 days', blocks_from => '2026-01-01'),
       dpmix.protect('"Tenants"', 1, 0, accountant => 'basic', blocks => 'tenant'),
       dpmix.protect('labelled', 1, 1e-6, adjacency => 'label', label => 'answer');
SELECT FROM dpmix.declare('patient', '{"born": ["1900-01-01", "9999-12-31"], "sex": {"categories": ["f", "m"], "other": true},
    "share": [0, 100], "temperature": {"bounds": [30, 45.5], "nan_is_middle": true}, "url": {"bounds": [0, 200]},
    "seen": ["2020-01-01 12:00:00.5+02", "2030-01-01 00:00+00"], "wait": ["0", "36 hours"],
    "At": ["2020-01-01 10:00", "2021-01-01"]}');
SELECT FROM dpmix.declare('visit', '{"cost": {"bounds": [0, 1e5], "categories": [1.50, 2]}, "ward": ["surgery", "a b"],
    "day": {"categories": ["2024-01-01", "2024-01-02"]}, "id": {"categories": [1, 2]}}');
SELECT FROM dpmix.declare('"Tenants"', '{"tenant": ["b", "a"]}');
SELECT dpmix.set_time_quantum('patient', 'seen', '1 hour'), dpmix.set_memory('visit', '7 days', 'table');
SELECT dpmix.expose('visit', 'ward_results.visit', default_epsilon => .1, default_delta => 1e-9, max_epsilon_per_query => 1,
                    comments => true, intervals => true), dpmix.expose('visit', 'ward_results."Visit"');
SELECT dpmix.grant_access('visit', '"regress policy Ana"', 1, max_charges_per_minute => NULL),
       dpmix.grant_access('patient', '"regress policy Ana"'),
       dpmix.grant_audit('visit', 'regress_policy_officer');
SELECT dpmix.declare_public('code');
COMMENT ON TABLE visit IS 'visits since 2020';
COMMENT ON COLUMN visit.cost IS 'in euro';
SELECT name FROM dpmix.create_schedule('nightly', $$SELECT dpmix.query('SELECT ward, dp_count(*) AS n FROM visit GROUP BY ward', 0.1, 1e-9)$$, '1 day', '2040-01-01 02:00+00', 'ward_results.nightly',
    grant_to => '{regress_policy_officer}', latest => 'ward_results.nightly_now');
SELECT dpmix.set_schedule_active('nightly', false);
SELECT jsonb_pretty(dpmix.policy('ward')) AS policy;

-- The same text under all settings; names of other schemas are whole; nothing is charged.
CREATE TABLE ward_results.kept AS SELECT dpmix.policy('ward') AS p;
SET datestyle = 'German'; SET intervalstyle = 'iso_8601'; SET timezone = 'Asia/Kolkata'; SET search_path = public;
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;
RESET datestyle; RESET intervalstyle; RESET timezone; SET search_path = ward;
SELECT jsonb_object_keys(dpmix.policy() -> 'tables') AS tables, dpmix.policy() ? 'schema' AS has_schema;
SELECT dpmix.policy('ward_results');
SELECT count(*) FROM dpmix.ledger;
SET ROLE regress_policy_other;
SELECT dpmix.policy(), dpmix.policy('ward');
SET ROLE regress_policy_owner;

-- Applied, it changes nothing; nor does the same in other words.
SELECT * FROM dpmix.apply((SELECT p FROM ward_results.kept));
SELECT * FROM dpmix.apply((SELECT p FROM ward_results.kept), dry_run => true, prune => true);
SELECT * FROM dpmix.apply(dpmix.policy(), prune => true);
SET datestyle = 'German';
SELECT * FROM dpmix.apply($${"schema": "ward", "tables": {
    "log": {"protect": {"epsilon": "1", "delta": 1e-6, "accountant": "gdp", "blocks": "day", "width": "168 hours",
                        "blocks_from": "2026-01-01 00:00", "guard_unit": false, "adjacency": "add_remove"}},
    "ward.patient": {"declare": {"wait": ["00:00", "1.5 days"], "born": ["1900/01/01", "9999-12-31 00:00"], "share": ["0.0", 100]},
                     "grant_access": {"regress policy Ana": {"min_epsilon": 0.0001, "max_charges_per_minute": 600, "epsilon": null}},
                     "set_time_quantum": {"seen": "60 min"}},
    "visit": {"set_memory": {"keep": "168 hours", "scope": "table"},
              "expose": {"ward_results.\"Visit\"": {"default_epsilon": null, "comments": false}}}},
    "create_population": {"regress patients": {"epsilon": 2.0, "delta": 1e-6, "unit_type": "int4"}},
    "create_schedule": {"nightly": {"call": "SELECT dpmix.query('SELECT ward, dp_count(*) AS n FROM visit GROUP BY ward', 0.1, 1e-9)",
        "period": "24 hours", "start": "2040-01-01 03:00+01", "result_table": "ward_results.nightly"}}}$$);
RESET datestyle;
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;

CREATE TABLE counted AS SELECT i FROM generate_series(1, 1000) i;
CREATE TABLE unseen (i int);
ANALYZE counted;
-- What is tighter goes through, what is looser needs a word. A dry run changes nothing.
SELECT l.n, c.* FROM ward_results.kept, (VALUES
    (1, '{create_population,"regress patients",epsilon}'::text[], '1.5'::jsonb),
    (2, '{create_population,"regress patients",delta}', '2e-6'),
    (3, '{tables,log,protect,epsilon}', '1.25'),
    (4, '{tables,visit,grant_access,"regress policy Ana"}', '{"epsilon": 0.5, "min_epsilon": 0.01, "max_charges_per_minute": 60}'),
    (5, '{tables,visit,grant_access,"regress policy Ana"}', '{"min_epsilon": 0, "max_charges_per_minute": null}'),
    (6, '{tables,patient,grant_access,"regress policy Ana"}', '{"max_charges_per_minute": null}'),
    (7, '{tables,patient,grant_access,"regress policy Ana"}', '{"max_charges_per_minute": 601}'),
    (8, '{tables,line,grant_access}', '{"regress policy Ana": {"epsilon": 0.1}}'),
    (9, '{tables,line,grant_audit}', '["regress_policy_officer"]'),
    (10, '{tables,visit,expose,ward_results.visit}', '{"max_epsilon_per_query": 2, "default_epsilon": 0.2}'),
    (11, '{tables,visit,expose,ward_results.visit}', '{"max_epsilon_per_query": 0.5, "comments": true}'),
    (12, '{tables,visit,expose,"ward_results.\"Visit\""}', '{"comments": true}'),
    (13, '{tables,line,expose}', '{"ward_results.line": {}}'),
    (14, '{tables,line,set_memory}', '{"keep": "1 day"}'),
    (15, '{tables,line,set_memory}', '{"scope": "table"}'),
    (16, '{tables,visit,set_memory}', '{"keep": "7 days"}'),
    (17, '{declare_public}', '["code", "ward_results.kept"]'),
    (18, '{create_schedule,nightly,period}', '"2 days"'),
    (19, '{set_schedule_active,nightly}', 'true'),
    (20, '{tables,line,protect,max_rows_per_unit}', '60'),
    (21, '{tables,patient,declare,share}', '{"bounds": [0, 50], "categories": [1]}'),
    (22, '{tables,patient,set_time_quantum,seen}', '"2 hours"'),
    (23, '{tables,visit,comment}', '"visits"'),
    (24, '{tables,visit,comments,ward}', '"where"'),
    (25, '{tables,labelled}', '{"protect": null}'),
    (26, '{create_population,more}', '{"epsilon": 1, "delta": 1e-7, "accountant": "gdp"}'),
    (27, '{create_population,more}', '{"epsilon": 20.5, "delta": 1e-7}'),
    (28, '{tables,counted}', '{"protect": {"epsilon": 20, "delta": 1e-3}}'),
    (29, '{tables,counted}', '{"protect": {"epsilon": 20, "delta": 1.1e-3}}'),
    (30, '{tables,counted}', '{"protect": {"epsilon": 21, "delta": 1e-6}}'),
    (31, '{tables,unseen}', '{"protect": {"epsilon": 1, "delta": 0.4}, "grant_access": {"regress policy Ana": {}}}'),
    (32, '{tables,unseen}', '{"protect": {"population": "regress patients", "privacy_unit": "i"}, "grant_audit": ["regress_policy_officer"],
        "grant_access": {"regress policy Ana": {}}, "expose": {"ward_results.unseen": {}}, "set_memory": {"scope": "table"}}')) AS l(n, path, value)
    CROSS JOIN LATERAL dpmix.apply(jsonb_set(p, path, value), dry_run => true) c
ORDER BY l.n, c.what;
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;

-- Without the word, without a reason, with another word.
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'));
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'), reason => 'why');
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'), reason => 'why',
                          allow => '{grants}');
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'), allow => '{budget}');
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'), reason => E' \n',
                          allow => '{budget}');
SELECT * FROM dpmix.apply((SELECT p FROM ward_results.kept), reason => 'why', allow => '{budget,everything,NULL}');
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;
SELECT * FROM dpmix.apply(jsonb_set((SELECT p FROM ward_results.kept), '{tables,log,protect,epsilon}', '2'), reason => 'a new study',
                          allow => '{budget}');
SELECT * FROM dpmix.apply((SELECT p FROM ward_results.kept));
SELECT epsilon, reason, role FROM dpmix.budget_history WHERE relation = 'log'::regclass ORDER BY at;

-- What never changes; all of it is named, and nothing else was done.
SELECT * FROM dpmix.apply('{"schema": "ward", "create_population": {"new": {"epsilon": 1, "delta": 1e-6},
    "regress patients": {"accountant": "gdp", "unit_type": "text"}}, "tables": {
    "patient": {"protect": {"epsilon": 1, "delta": 1e-6, "privacy_unit": "id"}, "comment": "never"},
    "visit": {"protect": {"population": "new", "privacy_unit": "id", "adjacency": "replace", "max_rows_per_unit": 30}},
    "line": {"protect": {"population": "regress patients", "unit_through": "patient", "link": ["n"], "target_key": ["born"]}},
    "log": {"protect": {"epsilon": 1, "delta": 1e-6, "blocks": "day", "blocks_from": "2026-01-02"}},
    "\"Tenants\"": {"protect": {"epsilon": 1, "delta": 0, "accountant": "basic", "blocks": "at"}},
    "labelled": {"protect": {"epsilon": 1, "delta": 1e-6, "adjacency": "label", "label": "x"}}}}', dry_run => true);
-- No policy; names that are not there; both at once; what a function refuses; who is not the owner.
SELECT * FROM dpmix.apply('[]');
SELECT * FROM dpmix.apply(NULL);
SELECT * FROM dpmix.apply('{"tabels": {}, "schema": 1, "declare_public": {}, "create_population": {"q": {"epsilom": 1}, "r": []},
    "tables": {"patient": {"protect": {"relation": "visit"}}, "ward.visit": {"protect": null, "declare": {}, "hide": 1, "grant_audit": {}},
               "a.b.c": {}, "no name": {}, "ward.log": [], "ward.code": {"expose": {"x": {"replace": true}}, "grant_access": {"ana": {"role": "x"}}},
               "ward.Code": {"protect": {"unit_through": "x y"}}}}');
SELECT * FROM dpmix.apply('{"tables": {"ward.nothing": {}, "ward.visits": {"protect": {"unit_through": "ward.x"}, "grant_access": {"nobody": {}, "Regress_Policy_Other": {}},
    "grant_audit": ["somebody"]}}, "declare_public": ["nowhere.x", "ward.code"], "create_schedule": {"x": {"grant_to": ["anybody"]}}}');
SELECT * FROM dpmix.apply('{"schema": "ward", "tables": {"visit": {"comment": "new", "declare": {"nothing": [0, 1]}}}}', dry_run => true);
SELECT * FROM dpmix.apply('{"schema": "ward", "tables": {"code": {"grant_access": {"regress_policy_officer": {}}}}}');
SELECT * FROM dpmix.apply('{"schema": "ward", "tables": {"visit": {"declare": {"cost": {"bounds": [1, 2], "nan_is_middle": 1}}}}}');
SELECT * FROM dpmix.apply('{"schema": "ward", "tables": {"visit": {"declare": {"id": {"categories": [1], "nan_is_middle": true}}}}}');
GRANT USAGE ON SCHEMA ward TO regress_policy_other;
SET ROLE regress_policy_other;
SELECT * FROM dpmix.apply((SELECT jsonb_build_object('schema', 'ward', 'tables', jsonb_build_object('log', '{"protect": {"epsilon": 1, "delta": 1e-6}}'::jsonb))));
SET ROLE regress_policy_owner;
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;

-- What is absent stays, but for prune; protections stay always.
SET client_min_messages = notice;
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(p - 'declare_public' - 'create_schedule' #- '{tables,visit,grant_audit}'
    #- '{tables,visit,expose,ward_results.visit}' #- '{tables,patient,grant_access}' #- '{tables,log}');
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(p - 'declare_public' - 'create_schedule' #- '{tables,visit,grant_audit}'
    #- '{tables,visit,expose,ward_results.visit}' #- '{tables,patient,grant_access}' #- '{tables,log}', prune => true);
SET client_min_messages = warning;
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(p, reason => 'back', allow => '{grants,facades,public}');
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;

-- A protection ends, and resumes under no larger budget. Its grants are new.
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(jsonb_set(p, '{tables,log}', '{"protect": null}'),
    reason => 'over', allow => '{protection}');
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(jsonb_set(p, '{tables,log}', '{"protect": null}'));
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(jsonb_set(jsonb_set(p, '{tables,log,protect,epsilon}', '3'),
    '{tables,log,grant_access}', '{"regress policy Ana": {}}'), dry_run => true);
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(p);
SELECT dpmix.policy('ward') = p AS same FROM ward_results.kept;

-- A table joins a population; a schedule is replaced.
CREATE TABLE late (person int NOT NULL);
SELECT dpmix.protect('late', 2, 1e-6, privacy_unit => 'person');
SELECT action, object, what, needs FROM dpmix.apply('{"schema": "ward", "tables": {"late": {"protect":
    {"population": "regress patients", "privacy_unit": "person"}}}}', reason => 'the same people', allow => '{budget}');
SELECT action, object, what, needs FROM ward_results.kept, dpmix.apply(jsonb_set(p, '{create_schedule,nightly,call}',
    to_jsonb($$SELECT dpmix.query('SELECT ward, dp_count(*) AS n FROM visit GROUP BY ward', 0.2, 1e-9)$$::text)),
    reason => 'more precise', allow => '{schedules}');
SELECT epsilon, active, time_zone = current_setting('timezone') AS here FROM dpmix.schedules WHERE name = 'nightly';
SELECT s.search_path FROM ward_results.kept, LATERAL jsonb_to_record(dpmix.policy('ward') #> '{create_schedule,nightly}') AS s(search_path text);

-- The same for a schema of the same tables: names without a schema are of that of the document.
CREATE SCHEMA ward2;
CREATE TABLE ward2.patient (LIKE patient INCLUDING ALL);
CREATE TABLE ward2.visit (LIKE visit INCLUDING ALL);
CREATE TABLE ward2.line (LIKE line INCLUDING ALL);
CREATE TABLE ward2.code (LIKE code INCLUDING ALL);
CREATE TABLE ward2.log (LIKE log INCLUDING ALL);
CREATE TABLE ward2."Tenants" (LIKE "Tenants" INCLUDING ALL);
CREATE TABLE ward2.labelled (LIKE labelled INCLUDING ALL);
SET search_path = pg_catalog;
CREATE TABLE ward_results.second AS SELECT jsonb_set(p - 'create_schedule' - 'set_schedule_active' #- '{tables,visit,expose}', '{schema}', '"ward2"') AS p
    FROM ward_results.kept;
SELECT action, object, what, needs FROM ward_results.second, dpmix.apply(p);
SELECT action, object, what, needs FROM ward_results.second, dpmix.apply(p, reason => 'its codes are public', allow => '{public,grants}');
SELECT dpmix.policy('ward2') = p AS same FROM ward_results.second;
SELECT * FROM ward_results.second, dpmix.apply(p, dry_run => true, prune => true);

-- What is said of a vacant name stays as it is until a table takes it: the same changes nothing, and no change is made.
DROP TABLE ward2.log, ward2."Tenants";
SELECT * FROM ward_results.second, dpmix.apply(p);
SELECT * FROM ward_results.second, dpmix.apply(jsonb_set(jsonb_set(p, '{tables,log,protect,epsilon}', '0.5'), '{tables,"\"Tenants\"",declare,tenant}', '["c"]'), dry_run => true);
SELECT * FROM ward_results.second, dpmix.apply(jsonb_set(p, '{tables,log}', '{"protect": null}'), reason => 'gone', allow => '{protection}');
CREATE TABLE ward2.log (day text);
SELECT * FROM ward_results.second, dpmix.apply(jsonb_set(p, '{tables,log,protect,epsilon}', '0.5'));

RESET ROLE;
SET client_min_messages = error;
SELECT count(dpmix.drop_schedule(name)::text) FROM dpmix.schedules WHERE name = 'nightly';
DROP SCHEMA ward, ward2, ward_results CASCADE;
