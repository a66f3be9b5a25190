-- Plain SQL over facades: at an epsilon at which noise is next to nothing, answers are those of the rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE plain_owner;
CREATE ROLE plain_analyst;
GRANT CREATE ON SCHEMA public TO plain_owner, plain_analyst;
CREATE SCHEMA plain_private AUTHORIZATION plain_owner;
GRANT USAGE ON SCHEMA plain_private TO plain_analyst;
SET ROLE plain_owner;
CREATE TABLE plain_wages (id int PRIMARY KEY, region text, wage float8, education int, big bigint, price numeric, feel real, small smallint,
                          ok boolean, day date, at timestamp, zoned timestamptz, note text);
INSERT INTO plain_wages SELECT i, (ARRAY['north', 'south', 'west'])[1 + i % 3], i % 100, i % 20, i, i % 50, i % 7, i % 5, i % 2 = 0,
    date '2026-01-01' + i % 100, timestamp '2026-01-01' + i * interval '1 hour', timestamptz '2026-01-01 00:00+00' + i * interval '1 hour', 'note'
    FROM generate_series(1, 600) AS i;
CREATE TABLE plain_areas (region text PRIMARY KEY, area int);
INSERT INTO plain_areas VALUES ('north', 1), ('south', 2), ('west', 3);
GRANT SELECT ON plain_areas TO plain_analyst;
SELECT dpmix.protect('plain_wages', 1e7, .01, accountant => 'basic');
SELECT dpmix.set_bounds('plain_wages', 'wage', 0, 100), dpmix.set_bounds('plain_wages', 'education', 0, 20), dpmix.set_bounds('plain_wages', 'big', 0, 600),
       dpmix.set_bounds('plain_wages', 'price', 0, 50), dpmix.set_bounds('plain_wages', 'feel', 0, 7), dpmix.set_bounds('plain_wages', 'small', 0, 5),
       dpmix.set_categories('plain_wages', 'region', '{north,south,west}');
SELECT dpmix.declare_public('plain_areas');
SELECT dpmix.grant_access('plain_wages', 'plain_analyst');
SELECT dpmix.expose('plain_wages', 'plain_private.wages', default_epsilon => 1e4, max_epsilon_per_query => 2e4);
GRANT SELECT ON plain_private.wages TO plain_analyst;
SELECT regr_r2(education, wage) AS r2, regr_sxx(education, wage) AS sxx, regr_syy(education, wage) AS syy, regr_sxy(education, wage) AS sxy, regr_avgx(education, wage) AS avgx, regr_avgy(education, wage) AS avgy
    FROM plain_wages WHERE ok \gset
RESET ROLE;
CREATE FUNCTION plain_charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge WHERE relation = ''public.plain_wages''';
SET ROLE plain_analyst;
SET search_path = plain_private, public;
-- Types are those of PostgreSQL's own aggregates.
SELECT pg_typeof(count(*)) AS count, pg_typeof(sum(education)) AS sum_int, pg_typeof(sum(big)) AS sum_bigint, pg_typeof(sum(price)) AS sum_numeric, pg_typeof(sum(feel)) AS sum_real,
       pg_typeof(sum(small)) AS sum_smallint, pg_typeof(avg(education)) AS avg_int, pg_typeof(avg(wage)) AS avg_float8, pg_typeof(var_samp(education)) AS var_int, pg_typeof(stddev(wage)) AS stddev_float8,
       pg_typeof(percentile_disc(0.5) WITHIN GROUP (ORDER BY education)) AS disc_int, pg_typeof(percentile_cont(0.5) WITHIN GROUP (ORDER BY wage)) AS cont, pg_typeof(count(DISTINCT region)) AS distinct_texts
    FROM wages;
SELECT count(*), count(wage), count(*) FILTER (WHERE ok) AS ok, sum(education), sum(small), count(DISTINCT region) FROM wages;
SELECT round(avg(wage)) AS avg, round(var_pop(wage)) AS var, abs(var_samp(wage) - var_pop(wage) * 600 / 599) < .01 AS samp, abs(stddev(wage) - sqrt(variance(wage))) < .01 AS stddev,
       round(avg(education), 1) AS avg_int, round(avg(price)) AS avg_numeric, round(stddev_pop(education), 2) AS stddev_int FROM wages;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY education) AS median, round(percentile_cont(0.9) WITHIN GROUP (ORDER BY wage)) AS p90,
       percentile_disc(0.25) WITHIN GROUP (ORDER BY education DESC) AS p75 FROM wages;
SELECT percentile_disc(ARRAY[0.1, NULL, 0.5]) WITHIN GROUP (ORDER BY education DESC) AS tenths, array_length(percentile_cont('{0.5,0.9}'::float8[]) WITHIN GROUP (ORDER BY wage), 1) AS two,
       pg_typeof(percentile_cont(ARRAY[.5]) WITHIN GROUP (ORDER BY education)) AS cont, sum(education ORDER BY wage), count(wage ORDER BY region DESC), round(avg(price ORDER BY id)) AS avg FROM wages;
PREPARE two_shares(float8) AS SELECT percentile_disc(ARRAY[0.25, $1]) WITHIN GROUP (ORDER BY education) FROM wages;
EXECUTE two_shares(0.5);
-- What there is of y and x besides the line, as PostgreSQL computes it of the same rows.
SELECT abs(regr_r2(education, wage) - :r2) < .001 AS r2, abs(regr_sxx(education, wage) / :sxx - 1) < .001 AS sxx, abs(regr_syy(education, wage) / :syy - 1) < .001 AS syy,
       abs(regr_sxy(education, wage) - :sxy) < .001 * :sxx AS sxy, round(regr_avgx(education, wage)) = round(:avgx) AS avgx, round(regr_avgy(education, wage)) = round(:avgy) AS avgy,
       dpmix.dp_low(regr_avgx(education, wage)) <= :avgx + .1 AS low FROM wages WHERE ok;
SELECT region, regr_sxx(wage, education), regr_sxy(education, wage) FROM wages WHERE education > 19 AND NOT ok GROUP BY region ORDER BY region;
PREPARE upper_share(float8) AS SELECT percentile_cont($1) WITHIN GROUP (ORDER BY education DESC) >= 14 AS high FROM wages;
EXECUTE upper_share(0.25);
SELECT dpmix.dp_count(*), dpmix.dp_low(count(*)) <= count(*) AS low, dpmix.dp_high(avg(education), 0.9) >= avg(education) AS high, dpmix.dp_histogram(wage, '{0,50,100}') FROM wages;
-- Above the aggregates everything is PostgreSQL's.
SELECT region, count(*), rank() OVER (ORDER BY region DESC), GROUPING(region), sum(count(*)) OVER () AS total FROM wages WHERE education >= 10 GROUP BY region HAVING count(*) > 1 ORDER BY 1 LIMIT 2;
SELECT region || '!' AS r, to_char(count(*), 'FM000') AS n, CASE WHEN count(*) > 100 THEN 'many' END AS c, ARRAY[count(*), 1] AS a FROM wages GROUP BY region ORDER BY r DESC;
SELECT region, (SELECT area FROM plain_areas AS a WHERE a.region = w.region), (SELECT count(w.wage)) FROM wages AS w GROUP BY region ORDER BY 1;
SELECT a.area, n FROM plain_areas AS a LEFT JOIN (SELECT region, count(*) AS n FROM wages WHERE region <> 'west' GROUP BY region) AS s USING (region) ORDER BY 1;
SELECT region, count(*) FROM wages GROUP BY region UNION ALL SELECT 'all', count(*) FROM wages ORDER BY 1;
SELECT n FROM (SELECT count(*) AS n FROM wages WHERE ok) AS s WHERE n > 5;
SELECT 1 AS one FROM wages HAVING count(*) > 5;
SELECT upper(region), count(*) FROM wages GROUP BY upper(region) ORDER BY 1;
-- Rows in sub-selects and WITH, as tools wrap them.
SELECT virtual_table.region AS "R", count(*) AS "C" FROM (SELECT region, wage * 2 AS twice FROM wages WHERE education > 3) AS virtual_table WHERE twice > 20 GROUP BY virtual_table.region ORDER BY "C" DESC, 1 LIMIT 100;
WITH source AS (SELECT * FROM wages), renamed AS (SELECT region AS r, wage AS w FROM source WHERE ok) SELECT r, count(*), round(avg(w)) FROM renamed GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (WITH inner_one AS (SELECT education + 1 AS e FROM wages) SELECT e * 2 AS f FROM inner_one) AS s WHERE f > 20;
SELECT w.region, count(*) FROM wages AS w JOIN plain_areas AS a USING (region) WHERE a.area > 1 GROUP BY 1 ORDER BY 1;
SELECT a.area, count(*) FROM wages AS w LEFT JOIN plain_areas AS a ON a.region = w.region GROUP BY 1 ORDER BY 1;
SELECT d.area, count(*) FROM (SELECT region AS r, education FROM wages) AS w JOIN (SELECT region, area FROM plain_areas) AS d ON w.r = d.region WHERE education > 3 GROUP BY 1 ORDER BY 1;
SELECT a.area, count(*) FROM wages AS w LEFT JOIN (SELECT region, area FROM plain_areas) AS a ON a.region = w.region GROUP BY 1 ORDER BY 1;
SELECT k, count(*) FROM (SELECT 'all' AS k, wage FROM wages) AS s GROUP BY k;
CREATE VIEW public.plain_rows AS SELECT region AS r, wage AS w FROM wages WHERE education > 2;
SELECT r, count(*) FROM plain_rows GROUP BY r ORDER BY r;
-- Public values are free, and so is what reads no row.
SELECT plain_charges() AS before \gset
SELECT DISTINCT region FROM wages ORDER BY 1;
SELECT region FROM wages WHERE region <> 'west' GROUP BY region ORDER BY 1;
SELECT * FROM wages LIMIT 0;
SELECT true FROM wages WHERE 1 <> 1 LIMIT 0;
SELECT count(*), sum(wage) FROM wages WHERE false;
SELECT region, count(*) FROM wages GROUP BY region LIMIT 0;
SELECT 1 AS one FROM wages HAVING true;
EXPLAIN (COSTS OFF) SELECT region, count(*) FROM wages GROUP BY region;
SELECT plain_charges() - :before AS charges;
-- One execution, one charge; equal parts share it.
SELECT plain_charges() AS before \gset
CREATE VIEW public.plain_groups AS SELECT region, count(*) AS n FROM wages GROUP BY region;
SELECT a.n - b.n AS zero FROM plain_groups AS a JOIN plain_groups AS b USING (region);
SELECT (SELECT count(*) FROM wages) - (SELECT count(*) FROM wages) AS zero;
SELECT i, (SELECT count(*) FROM wages) AS n FROM generate_series(1, 3) AS i;
SELECT plain_charges() - :before AS three;
SELECT plain_charges() AS before \gset
PREPARE asked(int) AS SELECT count(*) FROM wages WHERE education > $1 + 1;
EXECUTE asked(3);
EXECUTE asked(8);
SET plan_cache_mode = force_generic_plan;
EXECUTE asked(3);
EXECUTE asked(NULL);
RESET plan_cache_mode;
BEGIN;
DECLARE c CURSOR FOR SELECT region, count(*) FROM wages GROUP BY region;
SELECT plain_charges() - :before AS four;
FETCH 1 FROM c;
FETCH 2 FROM c;
DECLARE h CURSOR WITH HOLD FOR SELECT count(*) FROM wages;
COMMIT;
FETCH h;
CREATE TEMP TABLE made AS SELECT region, count(*) FROM wages GROUP BY region;
INSERT INTO made SELECT 'all', count(*) FROM wages;
COPY (SELECT count(*) FROM wages) TO STDOUT;
CREATE MATERIALIZED VIEW public.plain_kept AS SELECT * FROM plain_groups;
REFRESH MATERIALIZED VIEW public.plain_kept;
DO $$ DECLARE least int := 10; n bigint; BEGIN SELECT count(*) INTO n FROM wages WHERE education >= least; RAISE WARNING '%', n; END $$;
DO $$ DECLARE line text; BEGIN FOR line IN EXPLAIN ANALYZE SELECT count(*) FROM wages LOOP IF line LIKE 'Private%' THEN RAISE WARNING '%', line; END IF; END LOOP; END $$;
SELECT plain_charges() - :before AS thirteen;
-- Values of the session travel as parameters.
SELECT count(*) FROM wages WHERE at < now() AND zoned > now() - interval '100 years' AND day <= current_date + 36500 AND note <> current_user::text;
SET TimeZone = 'Asia/Tokyo';
SELECT count(*) FROM wages WHERE at < '2026-01-05 00:00+00'::timestamptz;
RESET TimeZone;
-- Settings.
SET dpmix.epsilon = 3e4;
SELECT count(*) FROM wages;
SET dpmix.epsilon = 'much';
SET dpmix.epsilom = 1;
SET dpmix.epsilon = 5000;
SET client_min_messages = notice;
SELECT count(*) FROM wages;
SET dpmix.error = 3;
SELECT count(*) FROM wages WHERE false;
SET dpmix.dry_run = on;
SELECT sum(education) FROM wages;
RESET dpmix.error;
SELECT region, avg(wage), count(*) FROM wages GROUP BY region;
RESET dpmix.dry_run;
SET client_min_messages = warning;
SET dpmix.error = 1;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY wage) FROM wages;
RESET dpmix.error;
SET dpmix.keys = 'discover';
SET dpmix.delta = 1e-6;
SELECT note, count(*) FROM wages GROUP BY note;
SELECT DISTINCT note FROM wages WHERE wage > 3;
RESET dpmix.keys;
RESET dpmix.delta;
RESET dpmix.epsilon;
-- Tools look at columns before they ask.
SET client_min_messages = notice;
SELECT plain_charges() AS before \gset
SELECT * FROM wages LIMIT 1;
SET client_min_messages = warning;
SELECT id, upper(region) AS r FROM (SELECT * FROM wages) AS virtual_table ORDER BY 1 LIMIT 1000;
WITH w AS (SELECT region, wage FROM wages) SELECT * FROM w;
SELECT plain_charges() - :before AS none;
-- A condition asks whether rows meet it, a constant how many there are; other rows beside them would look like all.
SELECT * FROM wages WHERE wage > 10;
SELECT * FROM (SELECT * FROM wages WHERE ok) AS s LIMIT 1;
SELECT 1 AS one FROM wages LIMIT 1;
SELECT * FROM wages CROSS JOIN plain_areas;
SELECT id FROM wages UNION ALL SELECT 1;
SELECT generate_series(1, 2), id FROM wages;
SELECT id FROM wages FOR UPDATE;
SELECT id, (SELECT 1) AS s FROM wages;
CREATE TEMP TABLE plain_copy AS SELECT * FROM wages;
COPY (SELECT * FROM wages) TO STDOUT;
BEGIN;
DECLARE plain_cursor CURSOR FOR SELECT * FROM wages;
FETCH plain_cursor;
ROLLBACK;
-- For readers who want no rows, conditions of a look choose none; nothing else is answered by that.
SET dpmix.rows = 'empty';
SET client_min_messages = notice;
SELECT id, wage FROM wages WHERE wage > 10 LIMIT 1;
SET client_min_messages = warning;
SELECT * FROM (SELECT * FROM wages WHERE ok) AS s WHERE wage > 3 ORDER BY wage LIMIT 1;
SELECT 1 AS one FROM wages WHERE wage > 10;
SELECT EXISTS (SELECT id FROM wages WHERE wage > 10) AS any;
SELECT id FROM wages WHERE id IN (SELECT id FROM wages WHERE wage > 10);
SELECT s.id FROM (SELECT id FROM wages WHERE ok) AS s JOIN plain_areas ON true;
SELECT DISTINCT note FROM wages WHERE wage > 3;
CREATE TEMP TABLE plain_copy AS SELECT id FROM wages WHERE wage > 10;
SET dpmix.rows = 'none';
RESET dpmix.rows;
SET dpmix.keys = 'declared';
SET client_min_messages = notice;
SELECT DISTINCT region FROM (SELECT * FROM wages WHERE wage > 3) AS virtual_table LIMIT 10;
SET client_min_messages = warning;
SELECT DISTINCT region FROM wages WHERE region <> 'north' AND wage > 3;
SELECT DISTINCT note FROM wages WHERE wage > 3;
RESET dpmix.keys;
SELECT DISTINCT region FROM wages WHERE wage > 3;
SELECT plain_charges() - :before AS none;
-- Refused before a charge, with what to write instead.
SELECT plain_charges() AS before \gset
SELECT DISTINCT note FROM wages;
SELECT DISTINCT region FROM wages WHERE wage > 3;
SELECT DISTINCT ON (region) region FROM wages;
SELECT max(wage) FROM wages;
SELECT bool_or(ok) FROM wages;
SELECT string_agg(region, ',') FROM wages;
SELECT mode() WITHIN GROUP (ORDER BY region) FROM wages;
SELECT rank(3) WITHIN GROUP (ORDER BY wage) FROM wages;
SELECT sum(DISTINCT wage) FROM wages;
SELECT percentile_cont('{{.1, .9}}'::float8[]) WITHIN GROUP (ORDER BY wage) FROM wages;
SELECT percentile_cont(NULL::float8[]) WITHIN GROUP (ORDER BY wage) FROM wages;
SELECT percentile_cont(ARRAY[.5, 2]) WITHIN GROUP (ORDER BY wage) FROM wages;
SELECT regr_avgx(DISTINCT wage, education), regr_avgy(wage, education) FROM wages;
SELECT percentile_disc(.1) WITHIN GROUP (ORDER BY region) FROM wages;
SELECT region, count(DISTINCT region) FROM wages GROUP BY ROLLUP (region);
SELECT count(*) FROM (SELECT * FROM wages LIMIT 10) AS s;
SELECT count(*) FROM (SELECT * FROM wages UNION ALL SELECT * FROM wages) AS s;
SELECT count(*) FROM (SELECT DISTINCT wage, id FROM wages) AS s;
SELECT count(*) FROM (SELECT rank() OVER (ORDER BY wage) FROM wages) AS s;
SELECT region, (SELECT count(*) FROM wages AS w WHERE w.region > a.region) FROM plain_areas AS a;
SELECT x.* FROM plain_areas AS a, LATERAL (SELECT count(*) FROM wages AS w WHERE w.region > a.region) AS x;
SELECT region, (SELECT count(*) FROM (SELECT region FROM wages AS w WHERE w.region = a.region) AS x) FROM plain_areas AS a;
SELECT x.n FROM plain_areas AS a, LATERAL (SELECT count(*) AS n FROM (SELECT region FROM wages AS w WHERE w.region = a.region) AS y) AS x;
SELECT count(*) FROM wages AS w JOIN (SELECT region, count(*) FROM wages GROUP BY 1) AS s USING (region);
SELECT count(w) FROM wages AS w;
SELECT count(*) FROM wages AS w WHERE w IS NOT NULL;
SELECT count(*) FROM wages WHERE random() < .5;
SELECT count(*) FROM wages WHERE to_char(at, 'TMMonth') = 'May';
SELECT count(*) FROM plain_areas AS a, LATERAL (SELECT * FROM wages AS w WHERE w.region = a.region) AS s;
SELECT count(*) FROM (SELECT * FROM wages FOR UPDATE) AS s;
SELECT count(*) FROM (SELECT generate_series(1, education) FROM wages) AS s;
WITH i AS (INSERT INTO made SELECT region, 1 FROM wages RETURNING *) SELECT count(*) FROM i;
SELECT count(*) FROM wages AS w LEFT JOIN (SELECT region FROM plain_areas WHERE area > 1) AS a ON a.region = w.region;
SELECT count(*) FROM (SELECT w.region FROM wages AS w, plain_areas AS a WHERE w.region = a.region) AS s JOIN plain_areas AS b ON b.region = s.region;
SELECT DISTINCT rank() OVER () FROM wages;
SELECT dpmix.dp_low(abs(count(*))) FROM wages;
CREATE AGGREGATE public.plain_total(float8) (SFUNC = float8pl, STYPE = float8);
SELECT plain_total(wage) FROM wages;
SELECT count(*), (SELECT note FROM wages LIMIT 1) FROM wages;
SELECT dpmix.dp_low(3::bigint), count(*) FROM wages;
SELECT count(*) FROM wages w, wages v;
SELECT region, count(*) FROM wages GROUP BY region FOR UPDATE;
SELECT sum(wage) FROM wages GROUP BY wage;
-- What PostgreSQL inlines comes after dpmix has looked.
CREATE FUNCTION public.plain_inlined() RETURNS TABLE (n bigint) LANGUAGE sql STABLE AS 'SELECT count(*) FROM plain_private.wages';
SELECT n FROM plain_inlined();
SELECT plain_charges() - :before AS none;
ALTER FUNCTION plain_inlined() VOLATILE;
SELECT n FROM plain_inlined();
-- Who sees the facade is asked as of any view: of each that stands in a statement.
RESET ROLE;
REVOKE SELECT ON plain_private.wages FROM plain_analyst;
SET ROLE plain_analyst;
SELECT count(*) FROM wages;
SELECT DISTINCT region FROM wages;
SELECT r, count(*) FROM plain_rows GROUP BY r;
SELECT count(*) FROM (SELECT 1 FROM wages) AS s;
WITH w AS (SELECT * FROM wages) SELECT count(*) FROM w;
RESET ROLE;
GRANT SELECT ON plain_private.wages TO plain_analyst;
REVOKE SELECT ON plain_areas FROM plain_analyst;
SET ROLE plain_analyst;
SELECT a.area, count(*) FROM wages AS w JOIN plain_areas AS a USING (region) GROUP BY 1;
-- A view's own check is against its owner; who asks pays, and needs access.
RESET ROLE;
CREATE ROLE plain_other;
GRANT USAGE ON SCHEMA plain_private TO plain_other;
GRANT SELECT ON plain_rows TO plain_other;
SET ROLE plain_other;
SELECT count(*) FROM plain_rows;
SELECT count(*) FROM wages;
RESET ROLE;
DROP OWNED BY plain_analyst, plain_other;
RESET search_path;
SET ROLE plain_owner;
SELECT dpmix.unprotect('plain_wages');
RESET ROLE;
DROP OWNED BY plain_owner CASCADE;
DROP FUNCTION plain_charges;
DROP ROLE plain_owner, plain_analyst, plain_other;
