-- Group keys with public values: categories, bounds, buckets, conditions; what is refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE keyed (region text, urban boolean, age int, wage float8, born date, seen timestamp,
                    zoned timestamptz, size numeric);
INSERT INTO keyed
SELECT CASE WHEN i % 5 = 4 THEN NULL ELSE (ARRAY['north', 'south', 'east', 'west'])[i % 5 + 1] END,
       CASE WHEN i % 7 = 0 THEN NULL ELSE i % 2 = 0 END,
       CASE WHEN i % 11 = 0 THEN NULL ELSE i % 130 - 5 END,
       CASE WHEN i % 13 = 0 THEN 'NaN'::float8 WHEN i % 13 = 1 THEN 'infinity' ELSE i % 200 - 50 END,
       CASE WHEN i % 17 = 0 THEN NULL WHEN i % 17 = 1 THEN 'infinity' ELSE date '2019-12-01' + i % 900 END,
       CASE WHEN i % 19 = 0 THEN '-infinity' ELSE timestamp '2021-03-01' + i * interval '37 minutes' END,
       timestamptz '2021-03-20 00:00+00' + i * interval '11 hours',
       CASE WHEN i % 23 = 0 THEN 'NaN'::numeric ELSE i % 50 END
FROM generate_series(1, 3000) i;
SELECT dpmix.protect('keyed', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_categories('keyed', 'region', '{south,north,east}');
SELECT dpmix.set_bounds('keyed', 'age', 0, 99);
SELECT dpmix.set_bounds('keyed', 'wage', 0, 120);
SELECT dpmix.set_bounds('keyed', 'born', '2020-01-01'::date, '2021-12-31'::date);
SELECT dpmix.set_bounds('keyed', 'seen', '2021-03-02'::timestamptz, '2021-04-15'::timestamptz);
SELECT dpmix.set_bounds('keyed', 'zoned', '2021-03-20 00:00+00'::timestamptz, '2021-04-10 00:00+00'::timestamptz);

-- At this epsilon noise is 0: released groups are those of plain SQL, and the public ones without rows.
CREATE FUNCTION released(key text, type text) RETURNS TABLE (k text, n bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT k::text, n FROM dpmix.query(%L, epsilon => 1e5) AS t(k %s, n bigint) WHERE k IS NOT NULL',
    format('SELECT %s, dp_count(*) FROM keyed GROUP BY 1', key), type);
END $$;
-- Whether it is so of the groups but NULL; where tells the rows that are in a group; extra how many groups have none.
CREATE FUNCTION as_plain(key text, type text, where_ text, extra int DEFAULT 0) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  same boolean;
BEGIN
  EXECUTE format(
    'WITH released AS (SELECT * FROM released(%L, %L)),
          plain AS (SELECT (%s)::%s::text AS k, count(*) AS n FROM keyed WHERE (%s) AND (%s) IS NOT NULL GROUP BY 1)
     SELECT (SELECT count(*) = count(DISTINCT k) AND count(k) = count(*) FROM released)
        AND (SELECT count(*) FILTER (WHERE p.k IS NULL AND r.n <> 0) = 0
                AND count(*) FILTER (WHERE p.k IS NULL) = %s
                AND count(*) FILTER (WHERE r.k IS NULL OR p.n <> r.n) = 0
             FROM released r FULL JOIN plain p USING (k))', key, type, key, type, where_, key, extra) INTO same;
  RETURN same;
END $$;

SELECT as_plain('region', 'text', $$region IN ('south', 'north', 'east')$$);
SELECT as_plain('urban', 'boolean', 'true');
SELECT as_plain('age', 'int', 'age BETWEEN 0 AND 99');
-- A column that is cast has its type in the query.
SELECT as_plain('age::bigint', 'bigint', 'age BETWEEN 0 AND 99');
SELECT as_plain('age::numeric', 'numeric', 'age BETWEEN 0 AND 99');
SELECT as_plain('region::varchar', 'varchar', $$region IN ('south', 'north', 'east')$$);
SELECT as_plain('age / 10', 'int', 'age / 10 BETWEEN 0 AND 9');
SELECT as_plain('age >= 30', 'boolean', 'true');
SELECT as_plain('region = ''north'' AND urban', 'boolean', 'true');
SELECT as_plain('upper(region)', 'text', $$region IN ('south', 'north', 'east')$$);
SELECT as_plain('CASE WHEN wage < 10 THEN ''low'' WHEN wage < 80 THEN ''middle'' END', 'text', 'true');
SELECT as_plain('floor(wage / 10)', 'float8', 'floor(wage / 10) BETWEEN 0 AND 12');
SELECT as_plain('born', 'date', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('extract(year FROM born)', 'numeric', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('date_part(''month'', born)', 'float8', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('date_trunc(''month'', born::timestamp)', 'timestamp', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('extract(hour FROM seen)', 'numeric', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$);
SELECT as_plain('extract(isodow FROM seen)', 'numeric', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$);
SELECT as_plain('date_trunc(''day'', seen)', 'timestamp', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$, 1);
SELECT as_plain('width_bucket(wage, 0, 100, 4)', 'int', $$wage <> 'NaN'$$);
SELECT as_plain('width_bucket(size, 10, 40, 3)', 'int', $$size <> 'NaN'$$);
SELECT as_plain('width_bucket(age, ARRAY[0, 18, 65])', 'int', 'true');
-- What is computed of a bucket, as BI tools write it.
SELECT as_plain('CAST(extract(month FROM born) AS integer)', 'int', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('CAST(trunc(extract(year FROM born)) AS integer) + 1', 'int', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('-2 * extract(dow FROM seen)::int', 'int', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$);
SELECT as_plain('extract(quarter FROM born) / 2', 'numeric', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('date_trunc(''month'', born)::date', 'date', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('date_trunc(''month'', born::timestamp) + interval ''1 month''', 'timestamp', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('CAST(CAST(date_trunc(''week'', (CAST(born AS timestamp) + interval ''1 day'')) AS timestamp) + interval ''-1 day'' AS date)', 'date', $$born BETWEEN '2020-01-01' AND '2021-12-31'$$);
SELECT as_plain('floor(extract(epoch FROM seen) / 21600) * 21600', 'numeric', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$, 1);
SELECT as_plain('to_timestamp(floor(extract(epoch FROM zoned) / 86400) * 86400)', 'timestamptz', $$zoned BETWEEN '2021-03-20 00:00+00' AND '2021-04-10 00:00+00'$$, 1);
SELECT as_plain('date_trunc(''day'', to_timestamp(age * 3600))', 'timestamptz', 'age BETWEEN 0 AND 99');
SELECT as_plain('to_timestamp(age * 21600.5)::date', 'date', 'age BETWEEN 0 AND 99');
SELECT as_plain('extract(dow FROM to_timestamp(age * 200000))', 'numeric', 'age BETWEEN 0 AND 99');
SELECT as_plain('date_bin(''6 hours'', seen, ''2021-01-01'')', 'timestamp', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$, 1);
SELECT as_plain('seen::date', 'date', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$, 1);
SELECT as_plain('CAST(zoned AT TIME ZONE ''Asia/Tokyo'' AS date)', 'date', $$zoned BETWEEN '2021-03-20 00:00+00' AND '2021-04-10 00:00+00'$$);
SELECT as_plain('date_trunc(''month'', seen::date)::date', 'date', $$seen BETWEEN '2021-03-02' AND '2021-04-15'$$);
SELECT as_plain('date_trunc(''day'', zoned AT TIME ZONE ''Asia/Tokyo'')', 'timestamp', $$zoned BETWEEN '2021-03-20 00:00+00' AND '2021-04-10 00:00+00'$$);
SELECT as_plain('date_trunc(''day'', zoned, ''Asia/Tokyo'')', 'timestamptz', $$zoned BETWEEN '2021-03-20 00:00+00' AND '2021-04-10 00:00+00'$$);
-- A timestamptz is cut in the session's time zone, over a change of clocks.
SET timezone = 'Europe/Berlin';
SELECT as_plain('date_trunc(''day'', zoned)', 'timestamptz', $$zoned BETWEEN '2021-03-20 00:00+00' AND '2021-04-10 00:00+00'$$, 1);
RESET timezone;

-- Several keys: their product, empty ones too, the first slowest.
SELECT r, b, n = (SELECT count(*) FROM keyed WHERE (region, CASE WHEN wage <> 'NaN' THEN width_bucket(wage, 0, 100, 1) END) IS NOT DISTINCT FROM (r, b) AND wage IS DISTINCT FROM 'NaN') AS exact
FROM dpmix.query($$SELECT region, width_bucket(wage, 0, 100, 1), dp_count(*) FROM keyed GROUP BY 1, 2$$, epsilon => 1e5)
  AS t(r text, b int, n bigint);
-- A key that is not returned.
SELECT count(*) FROM dpmix.query($$SELECT dp_count(*) FROM keyed GROUP BY age / 10$$, epsilon => 1) AS t(n bigint);

CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE statement;
  RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $body$;
-- What has no public values.
SELECT refusal($$SELECT * FROM dpmix.query('SELECT size, dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k numeric, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT wage * 2, dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k float8, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT floor(size), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k numeric, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT date_trunc(''second'', seen), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k timestamp, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT extract(epoch FROM seen), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k numeric, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT extract(epoch FROM seen)::int, dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT extract(month FROM born)::int / 0, dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT extract(month FROM born)::int * age, dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT date_trunc(''fortnight'', seen), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k timestamp, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT date_trunc(region, seen), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k timestamp, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT width_bucket(wage, 5, 5, 3), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT width_bucket(wage, 0, 10, 1000000), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT width_bucket(wage, 0, age, 3), dp_count(*) FROM keyed GROUP BY 1', epsilon => 1) AS t(k int, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT age, born, dp_count(*) FROM keyed GROUP BY 1, 2, extract(hour FROM seen)', epsilon => 1) AS t(k int, d date, n bigint)$$);
SELECT charges FROM dpmix.budget WHERE relation = 'keyed'::regclass;
DROP FUNCTION released, as_plain, refusal;
DROP TABLE keyed;
-- NaN of any type is in no bucket.
CREATE TABLE keyed_reals (x real);
INSERT INTO keyed_reals SELECT CASE WHEN i % 2 = 0 THEN 'NaN'::real ELSE i END FROM generate_series(1, 100) i;
SELECT dpmix.protect('keyed_reals', epsilon => 1e7, delta => 1e-3);
SELECT b, n FROM dpmix.query($$SELECT width_bucket(x, '{0,40}'::real[]), dp_count(*) FROM keyed_reals GROUP BY 1$$, epsilon => 1e6) AS t(b int, n bigint);

-- What NULL makes of a key is public too: of a condition, CASE, coalesce, of several columns.
CREATE TABLE keyed_missing (v int, r text, d date, s timestamp);
INSERT INTO keyed_missing SELECT CASE WHEN i % 4 = 0 THEN NULL ELSE i END, CASE WHEN i % 5 = 0 THEN NULL ELSE 'a' END,
       CASE WHEN i % 10 = 0 THEN date '500000-01-01' WHEN i % 10 = 1 THEN 'infinity' ELSE date '2020-01-01' + i END,
       CASE WHEN i % 10 = 0 THEN timestamp '294276-12-31 23:59:59.999999' WHEN i % 10 = 1 THEN '4714-11-24 BC' WHEN i % 10 = 2 THEN '-infinity' ELSE '2020-01-01' END
FROM generate_series(1, 100) i;
SELECT dpmix.protect('keyed_missing', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_bounds('keyed_missing', 'v', 0, 99);
SELECT dpmix.set_categories('keyed_missing', 'r', '{a,b}');
SELECT dpmix.set_bounds('keyed_missing', 'd', -1e300, 1e300);
SELECT dpmix.set_bounds('keyed_missing', 's', -1e300, 1e300);
CREATE FUNCTION missing_groups(key text) RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  RETURN (SELECT string_agg(concat(o ->> 'k', ' ', o ->> 'n'), ', ' ORDER BY i)
          FROM dpmix.query_json(format('SELECT %s AS k, dp_count(*) AS n FROM keyed_missing GROUP BY 1', key), epsilon => 1e5) WITH ORDINALITY AS t(o, i));
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $body$;
SELECT key, missing_groups(key) FROM unnest(ARRAY['v IS NULL', 'v >= 65', 'r IS NOT NULL', 'coalesce(r, ''none'')', 'coalesce(v >= 65, false)',
  'CASE WHEN v >= 65 THEN ''old'' WHEN v IS NULL THEN ''?'' ELSE ''young'' END', 'CASE WHEN v IS NULL THEN r ELSE coalesce(upper(r), ''NONE'') END',
  'coalesce(v, -1) / 50']) AS key;
-- Casts in time raise on extreme rows: buckets do without; bounds beyond all times are those of the type.
SELECT '500000-01-01'::date::timestamp;
SELECT key, missing_groups(key) FROM unnest(ARRAY['width_bucket(d::timestamp, ''{2020-01-01,2020-02-01}''::timestamp[])',
  'width_bucket(d::timestamptz, ''{2020-01-01,2020-02-01}''::timestamptz[])', 'width_bucket(d, ''{2020-01-01,2020-02-01}''::date[])']) AS key;
SELECT count(*) AS centuries, sum(n) FILTER (WHERE c = 21) AS n21, sum(n) FILTER (WHERE c = 5000) AS n5000, sum(n) FILTER (WHERE c = 5001) AS n5001, sum(n)
FROM dpmix.query('SELECT extract(century FROM d), dp_count(*) FROM keyed_missing GROUP BY 1', epsilon => 1e5) AS t(c numeric, n bigint);
SELECT count(*) AS centuries, sum(n) FILTER (WHERE c = -48) AS first, sum(n) FILTER (WHERE c = 21) AS n21, sum(n) FILTER (WHERE c = 2943) AS last, sum(n)
FROM dpmix.query('SELECT extract(century FROM s), dp_count(*) FROM keyed_missing GROUP BY 1', epsilon => 1e5) AS t(c numeric, n bigint);
DROP FUNCTION missing_groups;
DROP TABLE keyed_missing;
