-- Groups that nobody declared: those with many units come back, empty ones never; what is charged.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE found (person int NOT NULL, city text, code numeric, grade int, wage float8);
-- 40 cities of 100 people, 500 of one; 0.0 and 0.00 are one code.
INSERT INTO found
SELECT i, 'city ' || i % 40, CASE i % 3 WHEN 0 THEN 1.50 WHEN 1 THEN 1.5 ELSE -0.00 END, i % 4, i % 100
FROM generate_series(1, 4000) i;
INSERT INTO found SELECT 10000 + i, 'hamlet ' || i, i, NULL, 1 FROM generate_series(1, 500) i;
INSERT INTO found VALUES (20000, NULL, NULL, NULL, NULL);
SELECT dpmix.protect('found', epsilon => 1e7, delta => .49, accountant => 'basic');
SELECT dpmix.set_bounds('found', 'wage', 0, 100);
SELECT dpmix.set_categories('found', 'grade', '{0,1,2,9}');

-- At this epsilon noise is next to nothing, and groups of two units or more always come (but for e^-10000); one of one
-- unit comes with the delta of the search, 1e-12.
SELECT count(*), bool_and(city LIKE 'city %'), bool_and(n = 100), bool_and(abs(sum - wage) < 1) AS sums
FROM dpmix.query('SELECT city, dp_count(*), dp_sum(wage) FROM found GROUP BY city', epsilon => 1e5, delta => 2e-12, keys => 'discover')
  AS t(city text, n bigint, sum float8)
JOIN (SELECT city, sum(wage) AS wage FROM found GROUP BY 1) plain USING (city);
-- In the order of the keys, whatever that of the rows.
SELECT array_agg(city) = array_agg(city ORDER BY city COLLATE "C") AS sorted
FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(city text, n bigint);
-- Equal keys are one group, in one form: nothing of a row shows but its group.
SELECT * FROM dpmix.query('SELECT code, dp_count(*) FROM found GROUP BY code', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(code numeric, n bigint);
-- A group of one unit: with delta = .1, so 500 of them 50 times on average; 4 and 120 are 9 deviations away.
SELECT count(*) FILTER (WHERE city LIKE 'city %'), count(*) FILTER (WHERE city LIKE 'hamlet %') BETWEEN 4 AND 120 AS a_tenth
FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1e5, delta => .1, mechanism => 'laplace', keys => 'discover')
  AS t(city text, n bigint);
-- Gaussian noise, and noise that is cut off: the noisy number of units itself decides, and no less than its threshold
-- is shown. Of the hamlets' 500 units none passes it but with a probability of 500 x 5e-13; the cities' 100 do but for
-- e^-100.
SELECT p.mechanism, candidates, (SELECT array_agg(city LIKE 'city %' AND n >= (candidates -> 0 ->> 'half_kept_from')::int) = array_fill(true, '{40}')
  FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 2, delta => 1e-12, mechanism => m, keys => 'discover') AS t(city text, n bigint)) AS cities
FROM unnest('{gaussian,truncated_laplace}'::text[]) m, dpmix.preview('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 2, delta => 1e-12, mechanism => m, keys => 'discover') p
WHERE statistic = 'groups found';
-- Where the number of units is no answer it has noise of its own, or coins decide.
SELECT m, statistic, p.mechanism, epsilon < 2 AS shared FROM unnest('{gaussian,truncated_laplace}'::text[]) WITH ORDINALITY m(m, o),
  dpmix.preview('SELECT city, dp_sum(wage) FROM found GROUP BY city', epsilon => 2, delta => 1e-12, mechanism => m, keys => 'discover') p ORDER BY o, statistic;
-- Keys that are shown alike come in no order of theirs: not in the same one twice, but for 1 of 14! times.
CREATE TABLE alike (x float8);
INSERT INTO alike SELECT 1 + k * 1e-12 FROM generate_series(1, 14) k, generate_series(1, 100 + k);
SELECT dpmix.protect('alike', epsilon => 1e7, delta => .49);
CREATE FUNCTION counts_of_alike() RETURNS bigint[] LANGUAGE sql AS $$
  SELECT array_agg(n) FROM dpmix.query('SELECT (x * 1.0)::float4, dp_count(*) FROM alike GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(x float4, n bigint) $$;
SELECT cardinality(a), a <> b AS other_order, (SELECT array_agg(n ORDER BY n) FROM unnest(a) n) = (SELECT array_agg(n ORDER BY n) FROM unnest(b) n) AS same_groups
FROM (SELECT counts_of_alike() AS a, counts_of_alike() AS b) calls;
DROP FUNCTION counts_of_alike;
DROP TABLE alike;
-- Declared categories beside: combinations that are found, of declared values only. Expressions, buckets, conditions.
SELECT count(*), count(DISTINCT grade), bool_and(n = 100) FROM dpmix.query('SELECT city, grade, dp_count(*) FROM found WHERE city < ''city 2'' GROUP BY 1, 2',
  epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(city text, grade int, n bigint);
SELECT * FROM dpmix.query('SELECT person / 1000, dp_count(*) FROM found WHERE person < 10000 GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover')
  AS t(thousand int, n bigint);
SELECT * FROM dpmix.query('SELECT wage >= 50, left(city, 4), dp_count(*) FROM found WHERE person < 10000 GROUP BY 1, 2', epsilon => 1e5, delta => 2e-12, keys => 'discover')
  AS t(high boolean, kind text, n bigint);
SELECT * FROM dpmix.query('SELECT width_bucket(wage, 0, 100, 2), dp_count(*) FROM found WHERE person < 10000 GROUP BY 1', epsilon => 1e5, delta => 2e-12, keys => 'discover')
  AS t(half int, n bigint);
-- No group at all is an answer; what the caller makes of released rows comes after.
SELECT count(*) FROM dpmix.query('SELECT city, dp_count(*) FROM found WHERE city = ''nowhere'' GROUP BY city', epsilon => 1, delta => 1e-6, keys => 'discover') AS t(city text, n bigint);
SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city ORDER BY 1 DESC LIMIT 2', epsilon => 1e5, delta => 2e-12, keys => 'discover') AS t(city text, n bigint);

-- The preview has the search as one statistic more: the same epsilon as each of two, half of delta.
SELECT output_column, statistic, mechanism, sensitivity, round(epsilon::numeric, 6) AS epsilon, round(delta::numeric, 12) AS delta, noise_stddev IS NULL AS no_noise, candidates
FROM dpmix.preview('SELECT city, dp_count(*), dp_sum(wage) FROM found GROUP BY city', epsilon => 3, delta => 2e-6, mechanism => 'optimal', keys => 'discover')
WHERE statistic = 'groups found';
SELECT delta FROM dpmix.preview('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1, delta => 2e-6, mechanism => 'laplace', keys => 'discover')
WHERE statistic = 'groups found';
-- It is charged, and its record priced again.
SELECT epsilon, delta, mechanism, parameters -> 'groups' AS groups, parameters -> 'found_by' AS found_by, parameters -> 'shown_from' AS shown_from FROM dpmix.charge
WHERE parameters ->> 'query' LIKE '%nowhere%';

-- Units with several rows: a city is found by its people, not by their rows.
CREATE TABLE visits (person int, city text);
INSERT INTO visits SELECT i, 'city ' || c FROM generate_series(1, 300) i, generate_series(1, 3) c;
INSERT INTO visits SELECT 1, 'lair' FROM generate_series(1, 1000);
SELECT dpmix.protect('visits', epsilon => 1e7, delta => .1, privacy_unit => 'person', max_rows_per_unit => 2000, adjacency => 'replace');
SELECT city, n BETWEEN 290 AND 310 AS all_of_them
FROM dpmix.query('SELECT city, dp_count(*) FROM visits GROUP BY city', epsilon => 1e5, delta => 1e-9, mechanism => 'laplace', keys => 'discover', max_groups => 4) AS t(city text, n bigint);
-- The lair's 1000 rows are one person's: Gaussian noise of the number of people decides, not of rows.
SELECT city, n BETWEEN 280 AND 320 AS all_of_them
FROM dpmix.query('SELECT city, dp_count(*) FROM visits GROUP BY city', epsilon => 1e5, delta => 1e-9, mechanism => 'gaussian', keys => 'discover', max_groups => 4) AS t(city text, n bigint);
SELECT meaning LIKE '%matches the record%' AS priced_again FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charge)) WHERE item = 'cost';
SELECT city, n BETWEEN 290 AND 310 AS all_of_them
FROM dpmix.query('SELECT city, dp_count_distinct(person) FROM visits GROUP BY city', epsilon => 1e4, delta => 1e-9, mechanism => 'optimal', keys => 'discover', max_groups => 4) AS t(city text, n bigint);
SELECT meaning LIKE '%matches the record%' AS priced_again FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charge)) WHERE item = 'cost';
SELECT statistic, sensitivity, mechanism FROM dpmix.preview('SELECT city, dp_count_distinct(person) FROM visits GROUP BY city', epsilon => 1, delta => 1e-6, keys => 'discover', max_groups => 4);
SELECT sensitivity, mechanism FROM dpmix.preview('SELECT city, dp_count(*) FROM visits GROUP BY city', epsilon => 1, delta => 1e-6, keys => 'discover', max_groups => 4)
WHERE statistic = 'groups found';
SELECT meaning LIKE '%matches the record%' AS priced_again FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.charge)) WHERE item = 'cost';
-- Sampled rows are grouped by expressions as others are.
SELECT kind, n BETWEEN 890 AND 910 AS nearly
FROM dpmix.query('SELECT left(city, 4), dp_count(*) FROM visits WHERE city > ''d'' OR person > 1 GROUP BY 1', epsilon => 1e5, delta => 1e-9, mechanism => 'laplace',
  keys => 'discover', max_groups => 2) AS t(kind text, n bigint);

-- Keys of every type, of sampled units and in parallel: as plain SQL has them.
CREATE TYPE found_mood AS ENUM ('low', 'high');
CREATE TABLE kinds (person int, i2 int2, i8 int8, f4 float4, f8 float8, n numeric, v varchar(5), c char(4), b boolean, d date,
                    t timestamp, z timestamptz, id uuid, m found_mood, long text);
INSERT INTO kinds
SELECT i % 200, i % 2, i % 2, i % 2, CASE i % 3 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN -0.0 ELSE 0 END, i % 2, 'v' || i % 2, 'c' || i % 2, i % 2 = 0,
       date '2020-01-01' + i % 2, CASE i % 2 WHEN 0 THEN 'infinity' ELSE timestamp '2020-01-01' END, '2020-01-01 00:00+00',
       md5((i % 2)::text)::uuid, (ARRAY['low', 'high'])[i % 2 + 1]::found_mood, repeat(md5((i % 2)::text), 100)
FROM generate_series(1, 2000) i;
SELECT dpmix.protect('kinds', epsilon => 1e7, delta => .1, privacy_unit => 'person', max_rows_per_unit => 20);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION found_by(key text, type text, OUT groups bigint, OUT same boolean) LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE format('SELECT count(*), bool_and(p.n = r.n) AND count(*) = count(p.n) FROM dpmix.query(%L, 1e5, 1e-9, keys => ''discover'', max_groups => 2)
                  AS r(k %s, n bigint) LEFT JOIN (SELECT %s AS k, count(*) AS n FROM kinds GROUP BY 1) p USING (k)',
                 format('SELECT %s, dp_count(*) FROM kinds GROUP BY 1', key), type, key) INTO groups, same;
END $body$;
SELECT k, (found_by(k, t)).* FROM (VALUES
  ('i2', 'int2'), ('i8', 'int8'), ('f4', 'float4'), ('f8', 'float8'), ('n', 'numeric'), ('v', 'varchar'), ('c', 'char(4)'), ('b', 'boolean'),
  ('d', 'date'), ('t', 'timestamp'), ('z', 'timestamptz'), ('id', 'uuid'), ('m', 'found_mood'), ('long', 'text'), ('i2 + i8', 'int8'),
  ('f8 * 2', 'float8'), ('n / 2', 'numeric'), ('upper(v)', 'text'), ('i2::int8', 'int8'), ('i8::numeric', 'numeric'), ('v::text', 'text'), ('c::text', 'text'), ('i2 IN (1, 3)', 'boolean')) keys(k, t);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Refused, before a charge.
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE statement;
  RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $body$;
SELECT refusal($$SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1, keys => 'discover') AS t(city text, n bigint)$$);
-- Keys that could be too long together, for the row that holds them.
SELECT refusal(format($$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM found GROUP BY %s', epsilon => 1, delta => 1e-6, keys => 'discover') AS t(n bigint)$$,
                      string_agg('lower(city) || ''''' || i || '''''', ', '))) FROM generate_series(1, 60) i;
SELECT refusal($$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM found', epsilon => 1, delta => 1e-6, keys => 'discover') AS t(n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1, delta => 1e-6, keys => 'found') AS t(city text, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM visits GROUP BY city', epsilon => 1e-6, delta => 1e-6, mechanism => 'laplace', keys => 'discover', max_groups => 2000) AS t(city text, n bigint)$$);
SELECT refusal($$SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 1, delta => 1e-6, keys => 'declared') AS t(city text, n bigint)$$);
-- Rows that would be too wide to be sorted, which only a row would tell.
SELECT refusal(format($$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM found GROUP BY %s', epsilon => 1, delta => 1e-6, keys => 'discover') AS t(n bigint)$$,
                      string_agg('person + ' || i, ', '))) FROM generate_series(1, 832) i;
DO $body$ BEGIN EXECUTE (SELECT format('CREATE TABLE wide (%s)', string_agg('c' || i || ' int', ', ')) FROM generate_series(1, 1000) i); END $body$;
SELECT dpmix.protect('wide', 1, 1e-6), dpmix.set_bounds('wide', 'c1', 0, 1);
SELECT refusal(format($$SELECT * FROM dpmix.query('SELECT dp_count(%s) FROM wide GROUP BY %s', epsilon => .1, delta => 1e-7, keys => 'discover') AS t(n bigint)$$,
                      string_agg('c' || i, ' + '), string_agg('c1 + ' || i, ', ') FILTER (WHERE i <= 700))) FROM generate_series(1, 1000) i;
SELECT count(*) AS charges FROM dpmix.charge JOIN dpmix_internal.known_table k ON k.id = table_id WHERE k.relation = 'wide'::regclass;
DROP TABLE wide;
SELECT dpmix.set_budget('found', 1, .49, 'less than was asked for');
SELECT refusal($$SELECT * FROM dpmix.query('SELECT city, dp_count(*) FROM found GROUP BY city', epsilon => 5, delta => 1e-6, keys => 'discover') AS t(city text, n bigint)$$);
DROP FUNCTION refusal, found_by;
DROP TABLE visits, found, kinds;
DROP TYPE found_mood;
