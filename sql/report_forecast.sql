-- When a budget runs out: against the ledger itself, against rows at a steady pace, and who may ask.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE forecast_owner; CREATE ROLE forecast_analyst; CREATE ROLE forecast_stranger;
CREATE SCHEMA forecast_test AUTHORIZATION forecast_owner;
GRANT USAGE ON SCHEMA forecast_test TO PUBLIC;
SET ROLE forecast_owner;
CREATE TABLE forecast_test.of_basic (x int);
CREATE TABLE forecast_test.of_renyi (x int);
CREATE TABLE forecast_test.of_gdp (x int);
SELECT dpmix.protect('forecast_test.of_basic', 4, 1e-6, accountant => 'basic'),
       dpmix.protect('forecast_test.of_renyi', 4, 1e-6, accountant => 'renyi'),
       dpmix.protect('forecast_test.of_gdp', 4, 1e-6, accountant => 'gdp');
SELECT dpmix.grant_access('forecast_test.of_renyi', 'forecast_analyst');

-- Never charged: no pace.
SELECT relation, since <= clock_timestamp() AS since, charges, share_spent, share_per_day, epsilon_per_day, limited_by, charges_left,
       days_left, runs_out_at, caution
FROM dpmix.forecast('forecast_test.of_renyi');

-- The charges that are left are those that the ledger admits: asks until it refuses.
CREATE FUNCTION forecast_test.until_refused(relation text, epsilon float8, delta float8) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    admitted int := 0;
BEGIN
    LOOP
        BEGIN
            PERFORM FROM dpmix.query(format('SELECT dp_count(*) FROM %s', relation), epsilon, delta, 'gaussian') AS t(n bigint);
        EXCEPTION WHEN SQLSTATE 'PV001' THEN
            RETURN admitted;
        END;
        admitted := admitted + 1;
    END LOOP;
END $$;
DO $$
BEGIN
    FOR i IN 1 .. 5 LOOP
        PERFORM FROM dpmix.query('SELECT dp_count(*) FROM forecast_test.of_basic', .5, 1e-9, 'gaussian') AS t(n bigint);
        PERFORM FROM dpmix.query('SELECT dp_count(*) FROM forecast_test.of_renyi', .5, 1e-9, 'gaussian') AS t(n bigint);
        PERFORM FROM dpmix.query('SELECT dp_count(*) FROM forecast_test.of_gdp', .5, 1e-9, 'gaussian') AS t(n bigint);
    END LOOP;
END $$;
SELECT relation, charges, limited_by, charges_left > 2 AS some_left, days_left > 0 AS later, runs_out_at > now() AS ends,
       abs(share_spent + share_per_day * days_left - 1) < 1e-9 AS linear, caution
FROM unnest('{forecast_test.of_basic,forecast_test.of_renyi,forecast_test.of_gdp}'::regclass[]) t, dpmix.forecast(t);
SELECT f.charges_left = forecast_test.until_refused('forecast_test.of_basic', .5, 1e-9) FROM dpmix.forecast('forecast_test.of_basic') f;
SELECT f.charges_left = forecast_test.until_refused('forecast_test.of_renyi', .5, 1e-9) FROM dpmix.forecast('forecast_test.of_renyi') f;
SELECT f.charges_left = forecast_test.until_refused('forecast_test.of_gdp', .5, 1e-9) FROM dpmix.forecast('forecast_test.of_gdp') f;
SELECT relation, charges_left, days_left < 1 AS soon, caution
FROM unnest('{forecast_test.of_basic,forecast_test.of_renyi,forecast_test.of_gdp}'::regclass[]) t, dpmix.forecast(t);
RESET ROLE;

-- A charge an hour since January, as rows; the end is within an hour of where the rule of the accountant is broken.
CREATE TABLE forecast_test.hourly_basic (x int);
CREATE TABLE forecast_test.hourly_renyi (x int);
CREATE TABLE forecast_test.hourly_gdp (x int);
ALTER TABLE forecast_test.hourly_basic OWNER TO forecast_owner;
ALTER TABLE forecast_test.hourly_renyi OWNER TO forecast_owner;
ALTER TABLE forecast_test.hourly_gdp OWNER TO forecast_owner;
SELECT dpmix.protect('forecast_test.hourly_basic', 4, 1e-6, accountant => 'basic'),
       dpmix.protect('forecast_test.hourly_renyi', 4, 1e-6, accountant => 'renyi'),
       dpmix.protect('forecast_test.hourly_gdp', 4, 1e-6, accountant => 'gdp');
CREATE VIEW forecast_test.hourly AS
    SELECT p.*, p.relation::regclass AS name FROM dpmix.protected_table p WHERE p.schema_name = 'forecast_test' AND p.table_name LIKE 'hourly%';
INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role, at)
SELECT id, 4, 1e-6, 'as from the beginning', 'forecast_owner', '2026-01-01 00:00+00' FROM forecast_test.hourly;
INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters)
SELECT h.id, 'hourly', 'forecast_owner', timestamptz '2026-01-01 00:00+00' + n * interval '1 hour', 'query', 'gaussian', .025, 1e-10,
       CASE h.accountant WHEN 'basic' THEN 0 ELSE .001 END, CASE h.accountant WHEN 'basic' THEN 0 ELSE 1e-12 END, '{}'
FROM forecast_test.hourly h, generate_series(1, 72) n ORDER BY n, h.id;
CREATE FUNCTION forecast_test.refused_after(accountant text, renyi_order float8) RETURNS bigint LANGUAGE sql AS $$
    SELECT min(n) - 1 FROM generate_series(1, 20000) n
    WHERE dpmix_internal.share_spent(accountant, 4, 1e-6, renyi_order, n * .025, n * 1e-10, n * .001, n * 1e-12) > 1 $$;
SELECT f.relation, f.since, f.charges, round(f.epsilon_per_day::numeric, 6) AS epsilon_per_day, f.limited_by,
       abs(72 + f.days_left * 24 - r.admitted) <= 1 AS days_left, 72 + f.charges_left = r.admitted AS charges_left,
       abs(extract(epoch FROM f.runs_out_at - timestamptz '2026-01-04 00:00+00') - f.days_left * 86400) < .01 AS runs_out_at,
       f.share_spent = b.share_spent AS as_in_budget, f.caution
FROM forecast_test.hourly h JOIN dpmix.budget b ON b.relation = h.name,
     dpmix.forecast(h.name, past => '2 days', at => '2026-01-04 00:00+00') f,
     forecast_test.refused_after(h.accountant, h.renyi_order) AS r(admitted) ORDER BY 1;
-- As of an earlier moment; from a longer span, which is cut where the table was not protected.
SELECT f.since, f.charges, 36 + f.charges_left = r.admitted AS charges_left, f.caution
FROM forecast_test.hourly h, dpmix.forecast(h.name, at => '2026-01-02 12:00+00') f, forecast_test.refused_after(h.accountant, h.renyi_order) AS r(admitted)
WHERE h.accountant = 'gdp';
-- A pause: no pace, and what was spent remains.
SELECT charges, share_spent > .4 AS spent, limited_by, days_left, runs_out_at, caution
FROM dpmix.forecast('forecast_test.hourly_basic', '1 hour', '2026-01-10 00:00+00');
-- Checkpoints change nothing.
CREATE TEMP TABLE before AS SELECT f.* FROM forecast_test.hourly h, dpmix.forecast(h.name, '2 days', '2026-01-03 11:30+00') f;
INSERT INTO dpmix.ledger_checkpoint (through, table_id, granted_number, charges, epsilon, delta, cost, cost_delta)
SELECT (SELECT max(id) FROM dpmix.charge), t.* FROM dpmix_internal.charge_total t;
SELECT count(*) FROM (SELECT * FROM before EXCEPT
                      SELECT f.* FROM forecast_test.hourly h, dpmix.forecast(h.name, '2 days', '2026-01-03 11:30+00') f) d;
-- A changed budget counts at once.
SET ROLE forecast_owner;
SELECT dpmix.set_budget('forecast_test.hourly_basic', 1, 1e-6, 'less');
SELECT share_spent, charges_left, limited_by FROM dpmix.forecast('forecast_test.hourly_basic', '90 years');
SELECT caution FROM dpmix.forecast('forecast_test.hourly_basic', '90 years');

-- Who may ask: those who see it in dpmix.budget.
SET ROLE forecast_analyst;
SELECT relation, charges > 5 AS charges FROM dpmix.forecast('forecast_test.of_renyi');
SELECT count(*) FROM dpmix.budget b, dpmix.forecast(b.relation);
SELECT * FROM dpmix.forecast('forecast_test.of_gdp');
SELECT * FROM dpmix.forecast('forecast_test.of_renyi', at => now() - interval '1 minute');
SET ROLE forecast_stranger;
SELECT * FROM dpmix.forecast('forecast_test.of_renyi');
RESET ROLE;

-- When others were charged, and each time for how much, is not told by any span: two tables that differ in that alone.
CREATE TABLE forecast_test.world_1 (x int);
CREATE TABLE forecast_test.world_2 (x int);
ALTER TABLE forecast_test.world_1 OWNER TO forecast_owner;
ALTER TABLE forecast_test.world_2 OWNER TO forecast_owner;
SELECT dpmix.protect(w, 4, 1e-6, accountant => 'renyi') IS NOT NULL, dpmix.grant_access(w, 'forecast_analyst') IS NOT NULL
FROM unnest('{forecast_test.world_1,forecast_test.world_2}'::regclass[]) w;
CREATE TEMP TABLE worlds AS SELECT p.id, p.relation::regclass AS name, p.table_name, (date_trunc('day', now() AT TIME ZONE 'UTC') - interval '100 days') AT TIME ZONE 'UTC' AS start
FROM dpmix.protected_table p WHERE p.schema_name = 'forecast_test' AND p.table_name LIKE 'world%';
GRANT SELECT ON worlds TO PUBLIC;
INSERT INTO dpmix.budget_change (table_id, epsilon, delta, reason, role, at) SELECT id, 4, 1e-6, 'as from the beginning', 'forecast_owner', start FROM worlds;
INSERT INTO dpmix.role_number (role_oid, role_name, cluster)
SELECT oid, rolname, dpmix_internal.cluster() FROM pg_roles WHERE rolname LIKE 'forecast\_%';
INSERT INTO dpmix.charge (table_id, relation, role, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, role_number)
SELECT w.id, w.table_name, c.role, w.start + c.day * interval '24 hours', 'query', 'gaussian', c.epsilon, 1e-10, c.epsilon * c.epsilon / 4, 1e-12, '{}',
       (SELECT max(b.number) FROM dpmix_internal.bound_role b WHERE b.rolname = c.role)
FROM worlds w JOIN (VALUES
    ('world_1', 5, 'forecast_owner', .01), ('world_2', 7, 'forecast_owner', .01), ('world_1', 10, 'forecast_analyst', .02), ('world_2', 10, 'forecast_analyst', .02),
    ('world_1', 20, 'forecast_owner', .01), ('world_1', 21, 'forecast_owner', .03), ('world_2', 50, 'forecast_stranger', .03), ('world_2', 59, 'forecast_owner', .01),
    ('world_1', 60, 'forecast_analyst', .02), ('world_2', 60, 'forecast_analyst', .02),
    ('world_1', 70, 'forecast_owner', .02), ('world_1', 99, 'forecast_owner', .04), ('world_2', 98, 'forecast_owner', .04), ('world_2', 99.5, 'forecast_owner', .02)
) c (world, day, role, epsilon) ON c.world = w.table_name ORDER BY c.day, w.id;
CREATE TEMP VIEW told WITH (security_invoker) AS
    SELECT w.table_name, s.past, f.* FROM worlds w,
           unnest('{1 second,6 hours,18 hours,5 days,35 days,41 days,45 days,78 days,85 days,94 days,1 year}'::interval[]) s(past), dpmix.forecast(w.name, s.past) f;
GRANT SELECT ON told TO PUBLIC;
CREATE TEMP VIEW differences WITH (security_invoker) AS
    SELECT x.past FROM (SELECT * FROM told WHERE table_name = 'world_1') x FULL JOIN (SELECT * FROM told WHERE table_name = 'world_2') y USING (past)
    WHERE (x.since, x.charges, x.share_spent, x.limited_by, x.charges_left, x.caution) IS DISTINCT FROM (y.since, y.charges, y.share_spent, y.limited_by, y.charges_left, y.caution)
       OR NOT coalesce(abs(x.share_per_day / y.share_per_day - 1) < 1e-3 AND abs(x.epsilon_per_day / y.epsilon_per_day - 1) < 1e-3 AND abs(x.days_left / y.days_left - 1) < 1e-3, false);
GRANT SELECT ON differences TO PUBLIC;
SET ROLE forecast_owner;
SELECT count(*) > 5 AS owner_sees FROM differences;
SET ROLE forecast_analyst;
SELECT past, extract(day FROM t.since - w.start) AS since, charges, limited_by FROM told t JOIN worlds w USING (table_name) WHERE table_name = 'world_1' ORDER BY past;
SELECT past, caution FROM told t WHERE table_name = 'world_1' AND past IN ('18 hours', '1 year') ORDER BY past;
SELECT count(*) FROM differences;
SET ROLE forecast_owner;
SELECT * FROM dpmix.forecast('pg_class');

-- Parameters.
SELECT * FROM dpmix.forecast(NULL);
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', '0 days');
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', '-1 day');
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', '101 years');
SELECT * FROM dpmix.forecast('forecast_test.hourly_gdp', '1 month -29 days', '2026-03-15 00:00+00');
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', NULL);
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', at => 'infinity');
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', at => '2001-01-01 00:00+00');
SELECT * FROM dpmix.forecast('forecast_test.of_gdp', '100 years', '4713-02-01 00:00+00 BC');
RESET ROLE;

DROP VIEW differences, told;
DROP TABLE worlds;
DROP SCHEMA forecast_test CASCADE;
DROP ROLE forecast_owner, forecast_analyst, forecast_stranger;
