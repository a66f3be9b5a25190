-- What is easily forgotten or written otherwise: the error names it, and what to write.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE hinted (id int PRIMARY KEY, region text, wage float8, age int, day date, at timestamp, flag boolean);
INSERT INTO hinted SELECT i, (ARRAY['north', 'south'])[i % 2 + 1], i, i % 90, date '2020-01-01' + i, timestamp '2020-01-01' + i * interval '1 hour', true
    FROM generate_series(1, 1000) AS i;
CREATE VIEW hinted_view AS SELECT * FROM hinted;
CREATE MATERIALIZED VIEW hinted_copy AS SELECT * FROM hinted;
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || SQLERRM || E'\n    ' || concat_ws(' / ', nullif(detail, ''), hint);
END $$;
CREATE FUNCTION asked(query text, more text = '') RETURNS text LANGUAGE sql AS $$
    SELECT said(format('SELECT FROM dpmix.preview(%L, epsilon => 1 %s)', query, more)) $$;
\pset format unaligned
\pset tuples_only on
-- Arguments without a default
SELECT said($$SELECT dpmix.protect('hinted', 2)$$);
SELECT said($$SELECT dpmix.protect('hinted', delta => 1e-6)$$);
SELECT said($$SELECT dpmix.protect('hinted_view', 2, 1e-6)$$);
SELECT said($$SELECT dpmix.protect('hinted_copy', 2, 1e-6)$$);
SELECT dpmix.protect('hinted', 1e7, 1e-6, privacy_unit => 'id');
SELECT said($$SELECT dpmix.set_budget('hinted', 40, 1e-6)$$);
SELECT said($$SELECT dpmix.set_budget('hinted', 40, reason => 'more')$$);
SELECT said($$SELECT FROM dpmix.query('SELECT dp_count(*) FROM hinted') AS t(n bigint)$$);
SELECT said($$SELECT dpmix.query_json('SELECT dp_count(*) FROM hinted')$$);
SELECT said($$SELECT FROM dpmix.preview('SELECT dp_count(*) FROM hinted')$$);
-- Bounds of texts
SELECT dpmix.set_bounds('hinted', 'wage', '0', '2500');
SELECT dpmix.set_bounds('hinted', 'day', '2020-01-01', '2025-01-01');
SELECT dpmix.set_bounds('hinted', 'at', '2020-01-01 00:00', '2025-01-01 12:00');
SELECT column_name, lower, upper FROM dpmix.column_domain d JOIN dpmix.protected_table p ON p.id = d.table_id WHERE p.table_name = 'hinted' ORDER BY 1;
SELECT said($$SELECT dpmix.set_bounds('hinted', 'day', '2020-01-01', 'soon')$$);
SELECT said($$SELECT dpmix.set_bounds('hinted', 'day', 'infinity', '2020-01-01')$$);
SELECT said($$SELECT dpmix.set_bounds('hinted', 'age', 'zero', '100')$$);
SELECT said($$SELECT dpmix.set_bounds('hinted', 'region', 'a', 'b')$$);
SELECT dpmix.set_categories('hinted', 'region', '{north,south}');
-- The columns of an answer
SELECT said($$SELECT dpmix.query('SELECT region, dp_count(*) AS n, dp_avg(wage) AS "Mean" FROM hinted GROUP BY region', 1)$$);
SELECT said($$SELECT FROM dpmix.query('SELECT region, dp_count(*) AS n FROM hinted GROUP BY region', 1) AS t(n int)$$);
-- Aggregates
SELECT asked('SELECT ' || a || ' FROM hinted') FROM unnest('{count(*),count(DISTINCT region),sum(wage),min(wage),max(wage),"corr(wage, age)",array_agg(wage),
    bool_or(flag),"mode() WITHIN GROUP (ORDER BY region)","percentile_cont(0.5) WITHIN GROUP (ORDER BY wage)",json_agg(wage)}'::text[]) AS a;
SELECT asked('SELECT ' || a || ' FROM hinted') FROM unnest('{dp_avg(region),dp_sum(flag),"dp_quantile(region, 0.5)",dp_avg(*),nosuch(region),dp_avg(region = ''west'')}'::text[]) AS a;
SELECT asked('SELECT dp_avg((region = ''south'')::int) FROM hinted');
-- After what PostgreSQL's analysis changes in place.
SELECT asked('SELECT ' || a) FROM unnest(ARRAY['dp_count(*) FILTER (WHERE region IS NULL), dp_avg(region) FROM hinted', 'dp_count(*) FROM hinted AS a JOIN hinted AS b ON true WHERE a.region @> b.flag',
    'dp_count(*) FROM hinted WHERE region IS NULL OR region @> flag']) AS a;
-- Keys
SELECT asked('SELECT wage, dp_count(*) FROM hinted GROUP BY wage');
SELECT asked('SELECT id, dp_count(*) FROM hinted GROUP BY id');
SELECT asked($$SELECT to_char(day, 'YYYY-MM'), dp_count(*) FROM hinted GROUP BY 1$$);
SELECT asked($$SELECT date_trunc('month', day::timestamp), dp_count(*) FROM hinted GROUP BY 1$$);
-- Parameters
SELECT asked('SELECT dp_count(*) FROM hinted WHERE age > $1 AND age < $2');
SELECT asked('SELECT dp_count(*) FROM hinted WHERE age > $1 AND age < $2', ', params => ARRAY[''1'']');
SELECT asked('SELECT dp_count(*) FROM hinted WHERE age > $1', ', params => ARRAY[''1'', ''2'']');
-- A name where a row type belongs
SELECT said($$SELECT FROM dpmix.cda('hinted', columns => '{wage}', label => 'region', rows => 10, epsilon => 1, delta => 1e-7)$$);
SELECT said($$SELECT FROM dpmix.preview($p$SELECT * FROM dpmix.cda('hinted', columns => '{wage}', label => 'region', rows => 10, epsilon => 1, delta => 1e-7)$p$)$$);
SELECT said($$SELECT FROM dpmix.preview($p$SELECT * FROM dpmix.cda(NULL::hinted, columns => '{wage}', label => 'region', rows => 10, epsilon => 1, delta => 1e-7)$p$)$$);
-- JSON: the order of the columns, and values of parameters
SELECT dpmix.query_json('SELECT region AS z, dp_count(*) AS n, dp_count(*) > 1 AS a FROM hinted WHERE age > $1 AND region = $2 AND flag = $3 GROUP BY region', 1e5,
    json_params => '[1, "north", true]');
SELECT dpmix.query_json('SELECT dp_count(*) AS n FROM hinted WHERE age > $1', 1e5, json_params => '[null]');
SELECT said($$SELECT dpmix.query_json('SELECT dp_count(*) AS n FROM hinted', 1, json_params => '{"a": 1}')$$);
SELECT said($$SELECT dpmix.query_json('SELECT dp_count(*) AS n FROM hinted WHERE age > $1', 1, params => '{1}', json_params => '[1]')$$);
-- Time: what begins with the caller's statement or transaction, and no row
SELECT asked('SELECT dp_count(*) FROM hinted WHERE ' || c) FROM unnest(ARRAY['day > now() - interval ''30 days''', 'at > now() - interval ''30 days''', 'current_date > day',
    'day BETWEEN current_date - 30 AND current_date', 'day >= date_trunc(''month'', current_timestamp)', 'at < localtimestamp',
    'age > extract(year FROM now()) - 2000', 'day > clock_timestamp()', 'day > now() - age * interval ''1 day''', 'region = current_user', 'at::timestamptz > now()']) AS c;
SELECT dpmix.query_json('SELECT dp_count(*) FILTER (WHERE day > now()) AS later, dp_count(*) FILTER (WHERE day > statement_timestamp() - interval ''200 years'') AS before FROM hinted', 1e5);
BEGIN;
SELECT pg_sleep(0.01);
SELECT bool_and(began = now()) AS transaction, bool_and(stated = statement_timestamp()) AS statement, bool_and(today = current_date) AS today
    FROM dpmix.query('SELECT now() AS began, statement_timestamp() AS stated, current_date AS today, dp_count(*) FROM hinted', 0.1) AS t(began timestamptz, stated timestamptz, today date, n bigint);
COMMIT;
SET TimeZone = 'Asia/Tokyo';
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM hinted WHERE at < $1::timestamptz - interval ''1 hour''', 1e5, params => '{2020-01-02 00:00+09}') AS t(n bigint);
SET TimeZone = 'UTC';
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM hinted WHERE at < $1::timestamptz - interval ''1 hour''', 1e5, params => '{2020-01-02 00:00+09}') AS t(n bigint);
RESET TimeZone;
-- SELECT on the table itself: a HINT for those with access, and for nobody else
CREATE ROLE regress_hinted;
CREATE TABLE hinted_other (x int);
SET SESSION AUTHORIZATION regress_hinted;
SELECT count(*) FROM hinted;
RESET SESSION AUTHORIZATION;
SELECT dpmix.grant_access('hinted', 'regress_hinted', epsilon => 0.5);
SET SESSION AUTHORIZATION regress_hinted;
SELECT count(*) FROM hinted;
SELECT said('SELECT region, avg(wage) FROM hinted GROUP BY region');
SELECT said('UPDATE hinted SET age = 1 WHERE id = 3');
SELECT said('SELECT count(*) FROM hinted_other');
PREPARE hinted_plan AS SELECT count(*) FROM hinted;
EXECUTE hinted_plan;
RESET SESSION AUTHORIZATION;
SELECT dpmix.expose('hinted', 'private.hinted');
GRANT SELECT (region) ON hinted TO regress_hinted;
SET SESSION AUTHORIZATION regress_hinted;
SELECT said('SELECT wage FROM hinted');
SELECT count(region) FROM hinted;
SELECT count(*) FROM hinted_view;
RESET SESSION AUTHORIZATION;
REVOKE SELECT (region) ON hinted FROM regress_hinted;
SELECT dpmix.hide('private.hinted');
DROP TABLE hinted_other;
-- Caps
SET SESSION AUTHORIZATION regress_hinted;
SELECT said($$SELECT FROM dpmix.query('SELECT dp_count(*) FROM hinted', 1) AS t(n bigint)$$);
SELECT * FROM dpmix.query('SELECT dp_count(*) > -1e6 FROM hinted', 0.5) AS t(n boolean);
SELECT said($$SELECT FROM dpmix.query('SELECT dp_count(*) FROM hinted', 1e-3) AS t(n bigint)$$);
RESET SESSION AUTHORIZATION;
DROP TABLE hinted CASCADE;
DROP FUNCTION said, asked;
DROP OWNED BY regress_hinted;
DROP ROLE regress_hinted;
