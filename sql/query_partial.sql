-- The exact states behind a private query, as plain SQL: with the caller's own rights, and no others.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE partial_owner;
CREATE ROLE partial_ana;     -- access, no SELECT
CREATE ROLE partial_reader;  -- access, SELECT
CREATE ROLE partial_column;  -- access, SELECT on some columns
CREATE ROLE partial_other;   -- SELECT, no access
CREATE SCHEMA partial_test AUTHORIZATION partial_owner;
GRANT USAGE ON SCHEMA partial_test TO PUBLIC;
GRANT CREATE ON SCHEMA partial_test TO partial_ana;
SET search_path = partial_test, public;
SET ROLE partial_owner;

CREATE FUNCTION refusal(statement text, OUT code text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
        detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;

CREATE TABLE pay (id int PRIMARY KEY, region text, wage numeric, age int NOT NULL, day date, seen timestamp) PARTITION BY RANGE (id);
CREATE TABLE pay_1 PARTITION OF pay FOR VALUES FROM (1) TO (61);
CREATE TABLE pay_2 PARTITION OF pay FOR VALUES FROM (61) TO (1000);
INSERT INTO pay SELECT i, (ARRAY['north', 'south', 'up\x', 'else', NULL])[i % 5 + 1], CASE WHEN i % 7 = 0 THEN 'NaN' WHEN i % 11 = 0 THEN 9e9 ELSE i * 1.5 END, 20 + i % 50,
    date '2024-01-01' + i, timestamp '2024-03-01' + i * interval '7 hours' FROM generate_series(1, 120) i;
SELECT dpmix.protect('pay', 1e7, 1e-6), dpmix.set_bounds('pay', 'wage', 0, 200), dpmix.set_bounds('pay', 'age', 18, 90), dpmix.set_bounds('pay', 'day', date '2024-01-01', date '2024-06-30'),
       dpmix.set_bounds('pay', 'seen', timestamp '2024-03-01', timestamp '2024-04-30'), dpmix.set_categories('pay', 'region', '{south,north,"up\\x",empty}') \g /dev/null
SELECT dpmix.grant_access('pay', r) FROM unnest('{partial_ana,partial_reader,partial_column}'::regrole[]) r \g /dev/null
GRANT SELECT ON pay TO partial_reader, partial_other;
GRANT SELECT (region, age) ON pay TO partial_column;

-- The text: names qualified, constants exact, undeclared categories left out
SELECT dpmix.partial_sql('SELECT region, dp_count(*), dp_avg(wage) FROM pay WHERE age > $1 GROUP BY region', '{30}') AS text \gset
SELECT :'text' ~ '^SELECT' AS select, :'text' ~ 'FROM partial_test\.pay' AS from, :'text' ~ 'dpmix_internal\.lattice_sum\(dpmix_internal\.to_float8\(wage\)' AS sum, :'text' ~ 'IS NOT NULL' AS declared;
SET search_path = public;
SET DateStyle = 'SQL, DMY';
SET extra_float_digits = -10;
SET IntervalStyle = 'iso_8601';
SELECT dpmix.partial_sql('SELECT date_trunc(''month'', day) AS month, dp_sum(wage / 3) FROM partial_test.pay WHERE day > ''02/03/2024'' AND wage < 1.1::float8 / 3 GROUP BY 1') AS elsewhere \gset
RESET ALL;
SET client_min_messages = warning;
SET search_path = partial_test, public;
SELECT dpmix.partial_sql('SELECT date_trunc(''month'', day) AS month, dp_sum(wage / 3) FROM pay WHERE day > ''2024-03-02'' AND wage < 1.1::float8 / 3 GROUP BY 1') = :'elsewhere' AS same_text;

-- As a view and as a function, the same; merged over partitions, those of the whole
CREATE FUNCTION make_view(name text, query text) RETURNS void LANGUAGE plpgsql AS 'BEGIN EXECUTE format(''CREATE VIEW %I AS %s'', name, query); END';
SELECT make_view('states', :'text') \g /dev/null
SELECT * FROM states ORDER BY region;
SELECT * FROM dpmix.partial('SELECT region, dp_count(*), dp_avg(wage) FROM pay WHERE age > $1 GROUP BY region', '{30}')
    AS t(region text, rows bigint, sum_wage dpmix.exact_state) ORDER BY region;
SELECT make_view('states_' || n, replace(:'text', 'partial_test.pay', 'partial_test.pay_' || n)) FROM generate_series(1, 2) n \g /dev/null
SELECT region, m.rows = s.rows AS rows, m.sum = s.sum_wage::text AS sum
  FROM (SELECT region, dpmix.merge(rows) AS rows, dpmix.merge(sum_wage)::text AS sum FROM (TABLE states_1 UNION ALL TABLE states_2) t GROUP BY region) m
  JOIN states s USING (region) ORDER BY region;

-- Each kind of statistic and of key has a column; what is computed once is one column; HAVING, ORDER BY and LIMIT are
-- of released rows
CREATE TABLE offices (region text PRIMARY KEY, size int);
INSERT INTO offices VALUES ('north', 3), ('south', 5);
SELECT dpmix.declare_public('offices') \g /dev/null
CREATE TABLE texts (n serial, query text);
INSERT INTO texts (query) VALUES
    ('SELECT dp_count(*) FROM pay'),
    ('SELECT dp_count(wage), dp_sum(wage), dp_avg(wage), dp_var(wage), dp_stddev(wage) FROM pay'),
    ('SELECT dp_count_distinct(region), dp_count(region) FILTER (WHERE age > 40), dp_count(region) FILTER (WHERE age > 50) FROM pay'),
    ('SELECT region, dp_median(wage), dp_quantile(wage, .9), dp_histogram(wage, ''{0,1,2.5,Infinity}'') FROM pay GROUP BY region HAVING dp_count(*) > 3 ORDER BY 2 LIMIT 1'),
    ('SELECT age / 10 AS decade, date_trunc(''month'', seen), age > 50 AS old, dp_count(*) FROM pay GROUP BY 1, 2, 3'),
    ('SELECT width_bucket(wage, 0, 200, 4), dp_sum(age) FROM pay GROUP BY 1'),
    ('SELECT dp_count(*) FROM pay GROUP BY upper(region), CASE WHEN age > 30 THEN ''a'' ELSE ''b'' END'),
    ('SELECT region, dp_avg(age * least(greatest(size, 0), 9)) FROM pay JOIN offices USING (region) GROUP BY region'),
    ('SELECT o.region AS region, dp_sum(age) AS region, dp_sum(-age) AS "Größe" FROM pay p LEFT JOIN offices AS o ON o.region = p.region AND o.size > 2 WHERE p.region LIKE ''%o%'' GROUP BY o.region'),
    ('SELECT dp_sum(coalesce(nullif(wage, 999), 7) + abs(age)), dp_sum((age > 30)::int) FROM pay WHERE region IN (''north'', ''south'') OR day BETWEEN ''2024-02-01'' AND ''2024-03-01''');
SELECT make_view('view_' || n, dpmix.partial_sql(query)) FROM texts ORDER BY n \g /dev/null
SELECT c.relname AS view, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relname LIKE 'view\_%' AND relnamespace = 'partial_test'::regnamespace
 GROUP BY c.oid ORDER BY substr(c.relname, 6)::int;
SELECT * FROM view_1;
SELECT (dpmix.numbers(squares_wage))[1], (dpmix.numbers(squares_wage))[2] FROM view_2;
SELECT decade, count(*), sum(rows) FROM view_5 GROUP BY decade ORDER BY decade;
SELECT region, (dpmix.numbers(sum_expression))[1] FROM view_8 ORDER BY region;

-- A view of states is computed in parallel
CREATE FUNCTION plan_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP plan := plan || line || E'\n'; END LOOP;
    RETURN plan;
END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT n, plan_of('TABLE view_' || n) ~ 'Gather' AS parallel FROM texts ORDER BY n;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Refused: what dpmix.query refuses, and rows that would be drawn
SELECT r.* FROM (VALUES
    ($$SELECT dpmix.partial_sql('SELECT wage FROM pay')$$), ($$SELECT dpmix.partial_sql('SELECT dp_count(*) FROM pay, pay AS p')$$), ($$SELECT dpmix.partial_sql(NULL)$$),
    ($$SELECT dpmix.partial_sql('SELECT dp_sum(id) FROM pay')$$), ($$SELECT dpmix.partial('SELECT dp_count(*) FROM pay')$$),
    ($$SELECT * FROM dpmix.partial('SELECT region, dp_avg(wage) FROM pay GROUP BY region') AS t(region text, wage float8)$$)) s(statement), refusal(statement) r;
CREATE TABLE visits (who int NOT NULL, cost float8);
SELECT dpmix.protect('visits', 1, 1e-6, privacy_unit => 'who', max_rows_per_unit => 3) \g /dev/null
SELECT r.* FROM refusal($$SELECT dpmix.partial_sql('SELECT dp_count(*) FROM visits')$$) r;

-- Neither charges
SELECT count(*) AS charges FROM dpmix.ledger WHERE relation LIKE 'partial_test%';

-- They are what dpmix.query adds noise to: none to speak of here
SELECT region, q.rows = s.rows AS rows, q.sum BETWEEN 0.999 * s.sum AND 1.001 * s.sum AS sum
  FROM dpmix.query('SELECT region, dp_count(*), dp_sum(wage) FROM pay WHERE age > 30 GROUP BY region', 1e6) AS q(region text, rows bigint, sum float8)
  JOIN (SELECT region, rows, 100 * (dpmix.numbers(sum_wage))[1] + (dpmix.numbers(sum_wage))[2] * 100 / 2 ^ 30 AS sum FROM states) s USING (region) ORDER BY region;

-- Access without SELECT sees the text, not the sums: in no way
RESET ROLE;
CREATE FUNCTION caught(role regrole, statement text, OUT code text, OUT message text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL ROLE %s', role);
    EXECUTE statement;
    RESET ROLE;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    code := SQLSTATE;
    message := SQLERRM;
END $$;
\set count 'SELECT * FROM dpmix.partial(''SELECT dp_count(*) FROM partial_test.pay'') AS t(rows bigint)'
\set wage 'SELECT * FROM dpmix.partial(''SELECT dp_sum(wage) FROM partial_test.pay'') AS t(s dpmix.exact_state)'
\set age 'SELECT * FROM dpmix.partial(''SELECT region, dp_sum(age) FROM partial_test.pay GROUP BY region'') AS t(region text, s dpmix.exact_state)'
SELECT role, r1.message AS rows, r2.message AS wage, r3.message AS age, r4.message AS text
  FROM unnest('{partial_owner,partial_reader,partial_column,partial_ana,partial_other}'::regrole[]) role,
       caught(role, :'count') r1, caught(role, :'wage') r2, caught(role, :'age') r3,
       caught(role, 'SELECT dpmix.partial_sql(''SELECT dp_count(*) FROM partial_test.pay'')') r4;
-- Through a view, a definer's function, a child, a table, EXPLAIN, a prepared plan
SET ROLE partial_ana;
CREATE VIEW ana_view AS SELECT * FROM dpmix.partial('SELECT dp_count(*) FROM partial_test.pay') AS t(rows bigint);
SELECT make_view('ana_text', dpmix.partial_sql('SELECT dp_count(*) FROM partial_test.pay')) \g /dev/null
CREATE FUNCTION ana_definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS :'count';
GRANT EXECUTE ON FUNCTION ana_definer() TO PUBLIC;
GRANT SELECT ON ana_view, ana_text TO PUBLIC;
RESET ROLE;
SELECT what, role, r.message FROM (VALUES ('view', 'TABLE partial_test.ana_view'), ('its text as a view', 'TABLE partial_test.ana_text'), ('definer', 'SELECT partial_test.ana_definer()'),
    ('child', 'SELECT * FROM dpmix.partial(''SELECT dp_count(*) FROM partial_test.pay_1'') AS t(rows bigint)'),
    ('explain', 'EXPLAIN ANALYZE ' || :'count'), ('table', 'CREATE TEMP TABLE c AS ' || :'count'), ('owner''s view', 'TABLE partial_test.states')) s(what, statement),
    unnest('{partial_ana,partial_owner}'::regrole[]) role, caught(role, statement) r;
DROP TABLE c;
-- What the owner lends is lent: a definer's function of the owner, a view granted to the analyst
SET ROLE partial_owner;
CREATE FUNCTION lent() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS :'count';
RESET ROLE;
SELECT message FROM caught('partial_ana', 'SELECT partial_test.lent()');
-- A plan made with rights is not run without them
SET ROLE partial_reader;
PREPARE again AS :count;
EXECUTE again;
RESET ROLE;
SET ROLE partial_ana;
EXECUTE again;
RESET ROLE;
-- Inside of a private query nothing of it runs
SELECT caught.* FROM (VALUES ('SELECT rows FROM dpmix.partial(''SELECT dp_count(*) FROM partial_test.pay'') AS t(rows bigint)'),
    ('SELECT dp_count(*) FROM partial_test.pay WHERE id = (SELECT rows FROM dpmix.partial(''SELECT dp_count(*) FROM partial_test.pay'') AS t(rows bigint))'),
    ('SELECT dp_count(*) FROM partial_test.pay WHERE dpmix.partial_sql(''SELECT dp_count(*) FROM partial_test.pay'') = ''''::text'),
    ('SELECT dpmix.merge(id) FROM partial_test.pay'), ('SELECT dp_count(*) + dpmix.merge(age) FROM partial_test.pay'),
    ('SELECT dp_count(*) FROM partial_test.states')) q(query),
    caught('partial_owner', format('SELECT * FROM dpmix.query(%L, .1) AS t(n bigint)', query));

-- Row-level security: over the rows that the caller sees
ALTER TABLE partial_test.pay ENABLE ROW LEVEL SECURITY;
CREATE POLICY north ON partial_test.pay TO partial_reader USING (region = 'north');
SET ROLE partial_reader;
:count;
SELECT rows = (SELECT count(*) FROM partial_test.pay) AS those_seen FROM (:count) t;
RESET ROLE;
SET ROLE partial_owner;
SELECT rows = (SELECT count(*) FROM partial_test.pay) AS all_rows FROM (:count) t;
RESET ROLE;

DROP SCHEMA partial_test CASCADE;
DROP ROLE partial_owner, partial_ana, partial_reader, partial_column, partial_other;
