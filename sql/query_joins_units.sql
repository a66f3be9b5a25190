-- Joins of protected tables on their privacy unit: what is answered, what it costs, what is refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE ROLE regress_units_owner;
CREATE ROLE regress_units_other;
CREATE ROLE regress_units_reader;
GRANT USAGE, CREATE ON SCHEMA public TO regress_units_owner, regress_units_other;
-- 200 people with one row each, visits of some of them (up to 4), jobs of others (none or one), public prices of a kind
-- of visit
CREATE TABLE shared_people (pid int PRIMARY KEY, age int, sex text);
INSERT INTO shared_people SELECT i, i % 80, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 200) AS i;
CREATE TABLE shared_visits (pid bigint, kind int, cost float8);
INSERT INTO shared_visits SELECT i, j, 10 FROM generate_series(1, 150) AS i, generate_series(1, 4) AS j WHERE j <= i % 5;
INSERT INTO shared_visits SELECT NULL, 1, 10 FROM generate_series(1, 50);
CREATE TABLE shared_jobs (pid int NOT NULL UNIQUE, pay float8);
INSERT INTO shared_jobs SELECT i, 10 - i % 20 FROM generate_series(101, 250) AS i;
CREATE TABLE shared_prices (kind int, price float8);
INSERT INTO shared_prices SELECT i, j FROM generate_series(1, 4) AS i, generate_series(1, 5) AS j;
CREATE TABLE shared_other (pid int PRIMARY KEY, x float8);
INSERT INTO shared_other SELECT i, i FROM generate_series(1, 200) AS i;
CREATE TABLE shared_changed (LIKE shared_jobs INCLUDING ALL);
CREATE TABLE shared_changes (LIKE shared_jobs INCLUDING ALL);
CREATE TABLE shared_rows (pid int PRIMARY KEY, x float8);
CREATE TABLE shared_parts (pid int PRIMARY KEY, x float8) PARTITION BY RANGE (pid);
CREATE TABLE shared_part PARTITION OF shared_parts FOR VALUES FROM (0) TO (1000);
INSERT INTO shared_parts SELECT i, i FROM generate_series(51, 250) AS i;
ALTER TABLE shared_people OWNER TO regress_units_owner;
ALTER TABLE shared_visits OWNER TO regress_units_owner;
ALTER TABLE shared_jobs OWNER TO regress_units_owner;
ALTER TABLE shared_other OWNER TO regress_units_other;
CREATE FUNCTION guard(relation text, unit text, most int, adjacency text DEFAULT 'add_remove', budget float8 DEFAULT 1e7, accountant text DEFAULT 'basic')
RETURNS void LANGUAGE sql AS $$
    SELECT dpmix.protect(relation::regclass, epsilon => budget, delta => 1e-6, privacy_unit => unit, max_rows_per_unit => most, adjacency => adjacency, accountant => accountant);
    SELECT dpmix.grant_access(relation::regclass, 'regress_units_reader');
$$;
SELECT guard('shared_people', 'pid', 1), guard('shared_visits', 'pid', 3), guard('shared_jobs', 'pid', 1), guard('shared_other', 'pid', 1),
       guard('shared_changed', 'pid', 1, 'replace'), guard('shared_changes', 'pid', 1, 'replace'), guard('shared_rows', NULL, 1), guard('shared_parts', 'pid', 1);
SELECT dpmix.set_bounds('shared_people', 'age', 0, 80), dpmix.set_categories('shared_people', 'sex', '{F,M}'), dpmix.set_bounds('shared_visits', 'cost', 0, 10),
       dpmix.set_bounds('shared_jobs', 'pay', -10, 10), dpmix.set_bounds('shared_changed', 'pay', -10, 10), dpmix.declare_public('shared_prices'), dpmix.set_bounds('shared_other', 'x', 0, 200);
GRANT SELECT ON shared_prices TO regress_units_reader;
CREATE FUNCTION join_outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM FROM dpmix.preview(query, 1);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN SQLSTATE LIKE 'PV%' AND (detail = '' OR hint = '') THEN ' (NO DETAIL OR HINT)' ELSE '' END;
END $$;
CREATE FUNCTION join_outcomes(queries text[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format(E'SELECT dp_count(*) FROM %s\n    %s', q, join_outcome('SELECT dp_count(*) FROM ' || q)) FROM unnest(queries) WITH ORDINALITY AS u(q, n) ORDER BY n
$$;
CREATE FUNCTION answer(query text, epsilon float8 DEFAULT 1e5) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s %s', t.n, round(t.x::numeric, 1)) FROM dpmix.query(query, epsilon) AS t(n bigint, x float8)
$$;
CREATE FUNCTION sensitivities(query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(statistic || ' ' || round(sensitivity::numeric, 6), ', ') FROM dpmix.preview(query, 1)
$$;

SET ROLE regress_units_reader;
-- One row each: exact, and no row of a unit is ever two
SELECT answer('SELECT dp_count(*), dp_sum(pay) FROM shared_people JOIN shared_jobs USING (pid)') = (SELECT '100 50.0');
SELECT answer('SELECT dp_count(pay), dp_sum(age) FROM shared_people p LEFT JOIN shared_jobs j ON j.pid = p.pid');
SELECT answer('SELECT dp_count(*), dp_sum(x) FROM shared_other o, shared_people p, shared_jobs j WHERE p.pid = o.pid AND j.pid = p.pid AND sex = ''F''');
SELECT answer('SELECT dp_count(*), dp_sum(age) FROM shared_people p JOIN shared_parts q ON q.pid = p.pid AND q.x > 100');
RESET ROLE;
SELECT count(*) || ' ' || sum(pay) FROM shared_people JOIN shared_jobs USING (pid);
SELECT count(pay) || ' ' || sum(age) FROM shared_people p LEFT JOIN shared_jobs j ON j.pid = p.pid;
SELECT count(*) || ' ' || sum(x) FROM shared_other o, shared_people p, shared_jobs j WHERE p.pid = o.pid AND j.pid = p.pid AND sex = 'F';
SELECT count(*) || ' ' || sum(age) FROM shared_people p JOIN shared_parts q ON q.pid = p.pid AND q.x > 100;
-- Several rows: at most three of each person, nobody's rows left out, whatever multiplies them
SET ROLE regress_units_reader;
SELECT answer('SELECT dp_count(*), dp_sum(cost) FROM shared_visits');
SELECT answer('SELECT dp_count(*), dp_sum(cost) FROM shared_visits v JOIN shared_people p ON p.pid = v.pid');
SELECT answer('SELECT dp_count(*), dp_sum(cost) FROM shared_people p JOIN shared_visits v ON p.pid = v.pid JOIN shared_prices USING (kind)');
SELECT answer('SELECT dp_count(*), dp_sum(cost) FROM shared_visits CROSS JOIN shared_prices');
SELECT answer('SELECT dp_count(*), dp_sum(age) FROM shared_people p LEFT JOIN shared_visits v ON p.pid = v.pid AND v.kind > 1');
RESET ROLE;
SELECT sum(least(n, 3)) || ' ' || 10 * sum(least(n, 3)) FROM (SELECT count(*) AS n FROM shared_visits WHERE pid IS NOT NULL GROUP BY pid) t;
SELECT 3 * count(DISTINCT pid) || ' ' || 30 * count(DISTINCT pid) FROM shared_visits;
SELECT sum(least(greatest(n, 1), 3)) || ' ' || sum(age * least(greatest(n, 1), 3)) FROM (SELECT age, count(v.pid) AS n FROM shared_people p LEFT JOIN shared_visits v ON p.pid = v.pid AND v.kind > 1 GROUP BY p.pid, age) t;
-- Units are counted once, however many rows the join gives them
SET ROLE regress_units_reader;
SELECT answer('SELECT dp_count_distinct(p.pid), dp_sum(cost) FROM shared_people p JOIN shared_visits v ON p.pid = v.pid') = '120 2700.0';
SELECT answer('SELECT dp_count_distinct(p.pid), dp_sum(pay) FROM shared_people p JOIN shared_jobs j ON p.pid = j.pid');
RESET ROLE;
SELECT count(DISTINCT v.pid) FROM shared_people p JOIN shared_visits v ON p.pid = v.pid;

-- How far a unit moves them: one row; as many as sampling leaves; and where a unit that leaves one table leaves NULLs
-- behind, a row changes
SET ROLE regress_units_reader;
SELECT sensitivities('SELECT dp_sum(pay) FROM shared_people JOIN shared_jobs USING (pid)');
SELECT sensitivities('SELECT dp_sum(pay) FROM shared_people LEFT JOIN shared_jobs USING (pid)');
SELECT sensitivities('SELECT dp_count(*), dp_sum(cost) FROM shared_people JOIN shared_visits v USING (pid)');
SELECT sensitivities('SELECT dp_sum(a.pay) FROM shared_changed a JOIN shared_changes USING (pid)');
SELECT sensitivities('SELECT sex, dp_sum(age) FROM shared_people LEFT JOIN shared_jobs USING (pid) GROUP BY sex');
RESET ROLE;

-- Both are charged, the same; a refusal that can be foreseen costs neither
SELECT relation, count(*), count(DISTINCT parameters ->> 'query'), sum(epsilon) = 1e5 * count(*) FROM dpmix.ledger
WHERE relation LIKE 'public.shared%' GROUP BY relation ORDER BY relation;
CREATE TABLE shared_poor (LIKE shared_people INCLUDING ALL);
SELECT guard('shared_poor', 'pid', 1, budget => 2, accountant => 'renyi');
CREATE FUNCTION spent() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format('%s %s', relation, charges), ', ' ORDER BY relation::text) FROM dpmix.budget WHERE relation::text IN ('shared_people', 'shared_poor')
$$;
CREATE FUNCTION paid(query text, epsilon float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM answer(query, epsilon);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || SQLERRM || ': ' || hint;
END $$;
SELECT spent();
SET ROLE regress_units_reader;
SELECT paid('SELECT dp_count(*), dp_sum(a.age) FROM shared_people a JOIN shared_poor b USING (pid)', 3);
SELECT paid('SELECT dp_count(*), dp_sum(b.age) FROM shared_poor b JOIN shared_people a USING (pid)', 3);
SELECT min(calls_left) FROM dpmix.preview('SELECT dp_count(*) FROM shared_people a JOIN shared_poor b USING (pid)', 3);
RESET ROLE;
SELECT spent();
SET ROLE regress_units_reader;
SELECT paid('SELECT dp_count(*), dp_sum(a.age) FROM shared_people a JOIN shared_poor b USING (pid)', 1);
RESET ROLE;
SELECT spent();
SELECT relation, mechanism, epsilon, delta, cost > 0 FROM dpmix.ledger WHERE relation IN ('public.shared_poor', 'public.shared_people') AND epsilon < 10 ORDER BY id;
-- A cap of the grant on one of them refuses too, before either is charged
SELECT dpmix.grant_access('shared_poor', 'regress_units_reader', 1.1);
SET ROLE regress_units_reader;
SELECT paid('SELECT dp_count(*), dp_sum(a.age) FROM shared_people a JOIN shared_poor b USING (pid)', 0.5) LIKE 'PV001 %';
RESET ROLE;
SELECT spent();
-- Each charge is explained by its own record
SELECT l.relation, e.item, e.value FROM dpmix.ledger l, dpmix.explain_charge(l.id) e
WHERE l.relation = 'public.shared_poor' AND e.item IN ('own profile', 'cost');

-- Not on the unit, not of one unit, not of one relation of neighbours
SET ROLE regress_units_reader;
SELECT join_outcomes('{
    shared_people p CROSS JOIN shared_jobs j,
    shared_people p JOIN shared_jobs j ON p.age = j.pid,
    shared_people p JOIN shared_jobs j ON p.pid = j.pid OR p.age = 1,
    shared_people p JOIN shared_jobs j ON p.pid <= j.pid,
    shared_people p LEFT JOIN shared_jobs j ON p.age = j.pid WHERE p.pid = 3,
    shared_people p JOIN shared_rows r ON p.pid = r.pid,
    shared_people p JOIN shared_changed j ON p.pid = j.pid,
    shared_changes p LEFT JOIN shared_changed j ON p.pid = j.pid,
    shared_changes p JOIN shared_changed j ON p.pid = j.pid,
    shared_prices s LEFT JOIN shared_jobs j ON s.kind = j.pid,
    (shared_prices s LEFT JOIN shared_jobs j ON s.kind = j.pid) JOIN shared_people p ON p.pid = s.kind,
    shared_people p JOIN shared_visits v ON p.pid = v.pid JOIN shared_visits w ON w.pid = v.pid,
    shared_people p JOIN shared_jobs j USING (pid) JOIN shared_prices s ON s.kind = j.pid,
    shared_people p JOIN shared_jobs j ON p.pid = j.pid JOIN shared_people q ON q.pid = j.pid}');
SELECT join_outcome('SELECT dp_count(*) FROM shared_people p JOIN shared_jobs j ON p.pid = j.pid JOIN shared_visits v ON v.pid = j.pid');
RESET ROLE;
REVOKE ALL ON shared_prices FROM regress_units_reader;
SELECT dpmix.revoke_access('shared_jobs', 'regress_units_reader');
SET ROLE regress_units_reader;
SELECT join_outcomes('{shared_people p JOIN shared_jobs j ON p.pid = j.pid, shared_jobs j JOIN shared_people p ON p.pid = j.pid}');
RESET ROLE;

-- Tables of several owners are planned with the rights of one: no code of the others runs
SET ROLE regress_units_other;
CREATE FUNCTION spring() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE WARNING 'a trap was sprung as %', current_user;
    RETURN 1;
END $$;
CREATE TABLE shared_trap (pid int, x int);
CREATE UNIQUE INDEX unit_trap_key ON shared_trap (pid);
SELECT dpmix.declare_public('shared_trap');
GRANT SELECT ON shared_trap TO regress_units_reader;
RESET ROLE;
\c -
SET client_min_messages = error;
SET ROLE regress_units_other;
CREATE INDEX ON shared_trap ((x + spring()));
RESET ROLE;
\c -
SET client_min_messages = warning;
SET ROLE regress_units_reader;
SELECT join_outcomes('{shared_people p JOIN shared_trap t ON t.pid = p.pid, shared_people p JOIN shared_other o ON o.pid = p.pid}');
RESET ROLE;
SET ROLE regress_units_other;
SET client_min_messages = error;
ALTER TABLE shared_other ADD CHECK (x >= spring());
RESET ROLE;
\c -
SET constraint_exclusion = on;
SET ROLE regress_units_reader;
SELECT join_outcomes('{shared_people p JOIN shared_other o ON o.pid = p.pid WHERE o.x > 7}');
SET constraint_exclusion = partition;
SELECT join_outcomes('{shared_people p JOIN shared_other o ON o.pid = p.pid WHERE o.x > 7}');
RESET ROLE;
DROP FUNCTION join_outcome(text), join_outcomes(text[]);
SET client_min_messages = error;
DROP OWNED BY regress_units_owner, regress_units_other, regress_units_reader CASCADE;
DROP ROLE regress_units_owner, regress_units_other, regress_units_reader;
