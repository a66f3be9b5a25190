-- Schedules: what they take and refuse, who sees them, when they are due. No noise value is printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'Europe/Berlin';
CREATE ROLE sched_owner;
CREATE ROLE sched_analyst;
CREATE ROLE sched_member;
CREATE ROLE sched_stranger;
GRANT sched_analyst TO sched_member;
CREATE SCHEMA sched AUTHORIZATION sched_owner;
GRANT USAGE ON SCHEMA sched TO PUBLIC;
GRANT CREATE ON SCHEMA sched TO sched_analyst;
SET search_path = sched;
SET ROLE sched_owner;
CREATE TABLE people (age integer, wage float8, sex text);
INSERT INTO people SELECT 20 + i % 50, i, (ARRAY['f', 'm'])[1 + i % 2] FROM generate_series(1, 200) i;
SELECT dpmix.protect('people', epsilon => 10, delta => 1e-4, accountant => 'basic');
SELECT dpmix.set_bounds('people', 'age', 0, 100), dpmix.set_bounds('people', 'wage', 0, 200),
       dpmix.set_categories('people', 'sex', '{f,m}'), dpmix.grant_access('people', 'sched_analyst', 2);

-- What is asked for is priced and fits, or is refused; nothing is charged.
SET ROLE sched_analyst;
SELECT name, first_due, next_due, epsilon, delta, charge_share, periods_left, runs_out_at
FROM dpmix.create_schedule('nightly', $$SELECT dpmix.query('SELECT sex, dp_count(*) AS n, dp_avg(wage) AS wage FROM people GROUP BY sex', 0.5)$$, '1 day', '2040-03-24 02:30', 'sched.nightly');
SELECT first_due, next_due, epsilon, delta, periods_left, runs_out_at FROM dpmix.create_schedule('monthly', $$SELECT dpmix.release_gmm('monthly', 'people', '{age,wage}', 1, 1e-6, label => 'sex', covariance => 'shared')$$, '1 month', '2040-01-31', periods => 2);
SELECT first_due, next_due, epsilon, periods_left FROM dpmix.create_schedule('weekly', $$SELECT * FROM dpmix.cda(NULL::sched.people, '{age}', 10, 0.25, 1e-6)$$, '1 week', '2040-01-01 00:00+00', 'weekly');
SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_userbyid(relowner)
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE attrelid IN ('nightly'::regclass, 'weekly'::regclass) AND attnum > 0 ORDER BY relname, attnum;
SELECT dpmix.create_schedule('nightly', $$SELECT dpmix.release_gmm('nightly', 'people', '{age}', 1, 1e-6)$$, '1 day');
-- A table that is there and fits may be shared.
SELECT runs_out_at FROM dpmix.create_schedule('again', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM people', 0.5)$$, '1 day', '2040-06-01', 'nightly');
\set query '$$SELECT dpmix.query(\'SELECT dp_count(*) AS n FROM people\', 0.5)$$'
SELECT dpmix.create_schedule('more', :query, '1 day', result_table => 'made', periods => 5);
SELECT dpmix.create_schedule('more', :query, '1 day', result_table => 'made', periods => 0);
SELECT dpmix.create_schedule('', :query, '1 day', result_table => 'made');
SELECT dpmix.create_schedule(repeat('x', 101), :query, '1 day', result_table => 'made');
SELECT dpmix.create_schedule(NULL, :query, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', NULL, '1 day');
SELECT dpmix.create_schedule('bad', :query, '1 second', result_table => 'made');
SELECT dpmix.create_schedule('bad', :query, '11 years', result_table => 'made');
SELECT dpmix.create_schedule('bad', :query, '1 month -1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', :query, '1 day', 'infinity', result_table => 'made');
-- One call of a release, with nothing around it and constants as arguments.
SELECT dpmix.create_schedule('bad', 'SELECT dp_count(*) FROM people', '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', 'SELECT 1', '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.drop_release('x')$$, '1 day', result_table => 'made');
CREATE FUNCTION pg_temp.refusal(call text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM dpmix.create_schedule('bad', call, '1 day', result_table => 'made');
    RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' / ', SQLSTATE, SQLERRM, nullif(detail, ''), hint);
END $f$;
SELECT DISTINCT pg_temp.refusal(call) FROM unnest(ARRAY[
    $$SELECT age FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$,
    $$SELECT age AS wage, wage AS age, sex FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$,
    $$SELECT *, 1 FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$,
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6) WHERE age > 3$$,
    $$SELECT DISTINCT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$,
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6) ORDER BY 1$$,
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6) LIMIT 1$$,
    $$SELECT count(*) FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$,
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6) AS r(a, w, s)$$,
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6) WITH ORDINALITY$$,
    $$SELECT (dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)).age$$,
    $$WITH w AS (SELECT 1) SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-6)$$]) AS call;
SELECT pg_temp.refusal(call) FROM unnest(ARRAY[
    $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, random(), 1e-6)$$,
    $$SELECT * FROM dpmix.cda('people', '{age}', 10, 1, 1e-6)$$,
    $$SELECT * FROM dpmix.cda(NULL::integer, '{age}', 10, 1, 1e-6)$$,
    $$SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM people GROUP BY sex', 1) AS t(s text)$$,
    $$SELECT * FROM dpmix.query('SELECT sex, dp_count(*) FROM people GROUP BY sex', 1) AS t(s text, n integer)$$,
    $$SELECT dpmix.release_gmm(NULL, 'people', '{age}', 1, 1e-6)$$]) AS call;
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people')$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 0.5)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 0.5, relation => 'people')$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 'infinity')$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', -1)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 1, max_groups => 1.5)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 1)$$, '1 day', result_table => 'pg_temp.made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 1)$$, '1 day', result_table => '');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 1)$$, '1 day', result_table => 'a.b.c.d');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'a..b', '{age}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) FROM people', 1)$$ || repeat(' ', 1100000), '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT dp_count(*) AS due FROM people', 1)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.query('SELECT max(age) FROM people', 1)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'people', 'age', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'people', '{age,NULL}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'people', '{sex}', 1, 1e-6)$$, '1 day');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'people', '{age}', 1, 1e-6)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.cda(NULL::nobody, '{age}', 10, 1, 1e-6)$$, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT * FROM dpmix.cda(NULL::people, '{age}', 0, 1, 1e-6)$$, '1 day', result_table => 'made');
SET ROLE sched_stranger;
SELECT dpmix.create_schedule('bad', :query, '1 day', result_table => 'made');
SELECT dpmix.create_schedule('bad', $$SELECT dpmix.release_gmm('bad', 'people', '{age}', 1, 1e-6)$$, '1 day');
RESET ROLE;
SELECT count(*) AS charges, to_regclass('made') AS made FROM dpmix.charge WHERE relation = 'sched.people';

-- Who sees what is to come.
SET ROLE sched_owner;
SELECT name, owner, kind, result_table, active, next_due, periods_left, runs_out_at, last_state FROM dpmix.schedules ORDER BY name;
SET ROLE sched_member;
SELECT name, period, start, time_zone, epsilon, delta, periods_left FROM dpmix.schedules ORDER BY name;
SET ROLE sched_stranger;
SELECT count(*) FROM dpmix.schedules;
SELECT count(*) FROM dpmix.schedule_runs;
CALL dpmix.run_schedule('nightly');
SELECT dpmix.drop_schedule('nightly');
SELECT dpmix.set_schedule_active('nightly', false);
-- Nothing of others', nor of what is not there.
SELECT DISTINCT o FROM generate_series(-1, 9) i, dpmix_internal.schedule_outlook(i) o;
CALL dpmix.run_schedule(repeat('x', 1000));
SELECT * FROM dpmix.schedule;

-- Nothing is due before its time, and only the owner of the table sets the clock.
SET ROLE sched_analyst;
CALL dpmix.run_schedule('nightly');
CALL dpmix.run_schedule('nightly', at => '2040-03-28 03:00');
CALL dpmix.run_schedule('no such');
CALL dpmix.run_schedule(NULL, retry => NULL);
BEGIN;
CALL dpmix.run_schedule('nightly');
ROLLBACK;
DO $$ BEGIN CALL dpmix.run_schedule('nightly'); EXCEPTION WHEN active_sql_transaction THEN RAISE WARNING '%', SQLERRM; END $$;
SELECT dpmix.drop_schedule(NULL);
SELECT dpmix.set_schedule_active('nightly', NULL);

-- As the table's owner and of the analyst's role at once.
RESET ROLE;
GRANT sched_owner, sched_analyst TO sched_member;
SET ROLE sched_member;
CALL dpmix.run_schedule('nightly', at => '2040-03-24 02:29:59.999999');
SELECT count(*) FROM dpmix.schedule_runs;
CALL dpmix.run_schedule('nightly', at => 'infinity');
CALL dpmix.run_schedule('nightly', at => '2040-03-24 02:30');
CALL dpmix.run_schedule('nightly', at => '2040-03-25 03:29');
SELECT dpmix.set_schedule_active('nightly', false);
SET client_min_messages = notice;
CALL dpmix.run_schedule('nightly', at => '2040-03-25 03:30');
SET client_min_messages = warning;
SELECT dpmix.set_schedule_active('nightly', true);
CALL dpmix.run_schedule('nightly', at => '2040-03-28 12:00');
-- A clock that was set back changes nothing.
CALL dpmix.run_schedule('nightly', at => '2040-03-26 12:00', retry => true);
SELECT name, period, due, attempt, state, role, cardinality(charge_ids) AS charges, finished >= started AS ended, message FROM dpmix.schedule_runs ORDER BY id;
SELECT due, sex, n IS NOT NULL AS n, wage IS NOT NULL AS wage FROM nightly ORDER BY due, sex;
CALL dpmix.run_schedule('monthly', at => '2040-02-29');
RESET ROLE;
SELECT name, maker, epsilon FROM dpmix.releases WHERE name LIKE 'monthly %' ORDER BY name;
SELECT g.kind, g.role, g.granted_to, g.epsilon, g.parameters -> 'schedule_run' = to_jsonb(r.id) AS tagged
FROM dpmix.charge g JOIN dpmix.schedule_run r ON g.id = ANY (r.charge_ids) ORDER BY g.id;
-- The cap of the grant is used up: what does not fit is refused before it is charged, and tried again.
SET ROLE sched_member;
CALL dpmix.run_schedule('weekly', at => '2040-01-01 00:00+00');
CALL dpmix.run_schedule('weekly', at => '2040-01-02 00:00+00');
SELECT name, attempt, state, charge_ids, sqlstate, message FROM dpmix.schedule_runs WHERE name = 'weekly' ORDER BY id;
SELECT name, next_due, periods_left, runs_out_at, last_due, last_state, last_error FROM dpmix.schedules ORDER BY name;
SET ROLE sched_owner;
SELECT dpmix.grant_access('people', 'sched_analyst', 3);
SET ROLE sched_member;
SET client_min_messages = error;  -- noise decides on whether it warns of noise
CALL dpmix.run_schedule('weekly', at => '2040-01-02 00:00+00');
SET client_min_messages = warning;
SELECT attempt, state, cardinality(charge_ids) AS charges, message FROM dpmix.schedule_runs WHERE name = 'weekly' ORDER BY id;
SELECT due, count(*), count(age), count(wage), count(sex) FROM weekly GROUP BY due;

-- Without access nothing is charged, and the price is not known.
SET ROLE sched_owner;
SELECT dpmix.revoke_access('people', 'sched_analyst');
RESET ROLE;
REVOKE sched_owner FROM sched_member;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
SELECT state, sqlstate, charge_ids FROM dpmix.schedule_runs WHERE name = 'nightly' AND attempt > 0 ORDER BY id DESC LIMIT 1;
SET ROLE sched_analyst;
SELECT name, charge_share, periods_left, runs_out_at FROM dpmix.schedules WHERE name = 'nightly';

-- A result table that its owner changed is refused before a charge.
SET ROLE sched_owner;
SELECT dpmix.grant_access('people', 'sched_analyst');
SET ROLE sched_analyst;
CREATE RULE twice AS ON INSERT TO nightly DO ALSO SELECT 1;
RESET ROLE;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
SET ROLE sched_analyst;
DROP RULE twice ON nightly;
ALTER TABLE nightly ALTER n TYPE float8;
RESET ROLE;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
ALTER TABLE nightly ALTER n TYPE bigint;
ALTER TABLE nightly OWNER TO sched_owner;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
ALTER TABLE nightly OWNER TO sched_analyst;
ALTER TABLE nightly RENAME COLUMN wage TO pay;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
ALTER TABLE nightly RENAME COLUMN pay TO wage;
ALTER TABLE nightly RENAME TO elsewhere;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
ALTER TABLE elsewhere RENAME TO nightly;
ALTER TABLE nightly SET UNLOGGED;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
ALTER TABLE nightly SET LOGGED;
CALL dpmix.run_schedule('nightly', at => '2040-05-01');
SELECT attempt, state, cardinality(charge_ids) AS charges FROM dpmix.schedule_runs
WHERE name = 'nightly' AND due = '2040-04-30 02:30+02' ORDER BY id;

-- A role has so many schedules as a superuser allows, 100 unless said otherwise.
SHOW dpmix.max_schedules_per_role;
SELECT count(*) AS schedules_of_analyst FROM dpmix.schedule s JOIN dpmix_internal.bound_role b ON b.number = s.owner WHERE b.rolname = 'sched_analyst' \gset
SET dpmix.max_schedules_per_role = :schedules_of_analyst;
SET ROLE sched_analyst;
SELECT name FROM dpmix.create_schedule('one_more', $$SELECT dpmix.query('SELECT sex, dp_count(*) AS n FROM people GROUP BY sex', 0.25)$$, '1 day', '2041-01-01', 'one_more');
SET dpmix.max_schedules_per_role = 1000;
RESET ROLE;
RESET dpmix.max_schedules_per_role;

-- Dropped, its rows stay; the table may serve another that fits.
SET ROLE sched_analyst;
SELECT dpmix.drop_schedule('nightly');
SELECT dpmix.drop_schedule('nightly');
SELECT count(DISTINCT due) FROM nightly;
SELECT name, epsilon FROM dpmix.create_schedule('cheaper', $$SELECT dpmix.query('SELECT sex, dp_count(*) AS n, dp_avg(wage) AS wage FROM people GROUP BY sex', 0.25)$$, '1 day', '2041-01-01', 'nightly');
RESET ROLE;
-- A role made anew under an old name does not own what the old one made; superusers still see and drop it.
DROP OWNED BY sched_analyst;
DROP ROLE sched_analyst;
CREATE ROLE sched_analyst;
SET ROLE sched_analyst;
SELECT count(*) FROM dpmix.schedules;
SELECT dpmix.drop_schedule('cheaper');
RESET ROLE;
CALL dpmix.run_schedule('cheaper');
SELECT name, owner, periods_left FROM dpmix.schedules ORDER BY name;
SELECT dpmix.drop_schedule(name) FROM dpmix.schedules;
SELECT count(*) FROM dpmix.schedule_run;
SELECT dpmix.drop_release(name) FROM dpmix.release WHERE name LIKE 'monthly %';
DROP SCHEMA sched CASCADE;
DROP ROLE sched_owner, sched_analyst, sched_member, sched_stranger;
