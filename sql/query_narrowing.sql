-- WHERE narrows what is public: which groups come back, and how wide bounds are.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA IF NOT EXISTS private;
CREATE TABLE narrowed (id int PRIMARY KEY, region text NOT NULL, day date NOT NULL, ts timestamp NOT NULL, cost float8, tag text, age int);
INSERT INTO narrowed SELECT i, (ARRAY['north', 'south', 'east', 'west'])[1 + i % 4], date '2024-01-01' + i % 730, timestamp '2024-01-01' + make_interval(hours => i % 17000),
    i % 10000, 'tag ' || i % 50, i % 90 FROM generate_series(1, 20000) AS i;
SELECT dpmix.protect('narrowed', 1e7, .1, accountant => 'basic') \g /dev/null
SELECT FROM dpmix.declare('narrowed', '{"region": ["north", "south", "east", "west"], "day": ["2024-01-01", "2025-12-31"], "ts": ["2024-01-01", "2025-12-31"],
    "cost": [0, 10000], "age": [0, 89]}') \g /dev/null
SELECT dpmix.expose('narrowed', default_epsilon => 100) \g /dev/null
CREATE FUNCTION charges_of_narrowed() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM dpmix.charge WHERE relation = 'public.narrowed' $$;

-- Groups.
SELECT region, count(*) > 4000 AS many FROM private.narrowed WHERE region IN ('north', 'west') GROUP BY region;
SELECT count(*) FROM (SELECT day, count(*) FROM private.narrowed WHERE day BETWEEN '2024-03-01' AND '2024-03-07' GROUP BY day) AS s;
SELECT count(*) FROM (SELECT date_trunc('minute', ts), count(*) FROM private.narrowed WHERE ts >= '2024-03-01 10:00' AND ts < '2024-03-01 11:00' GROUP BY 1) AS s;
SELECT count(*) FROM (SELECT day, extract(year FROM day), extract(quarter FROM day), extract(month FROM day), count(*) FROM private.narrowed GROUP BY 1, 2, 3, 4) AS s;
SELECT count(*) FROM (SELECT extract(month FROM ts), count(*) FROM private.narrowed WHERE ts::date IN ('2024-02-29', '2025-12-30') GROUP BY 1) AS s;
SELECT tag, abs(count(*) - 400) < 3 AS about FROM private.narrowed WHERE tag IN ('tag 7', 'tag 8') GROUP BY tag;
SELECT floor(cost / 2500) * 2500 AS bin, count(*) > 0 AS some FROM private.narrowed GROUP BY 1;
SELECT count(*) FROM (SELECT region, age, count(*) FROM private.narrowed WHERE region = 'east' OR age < 3 GROUP BY 1, 2) AS s;
-- None: free.
SELECT charges_of_narrowed() AS before \gset
SELECT region, count(*) FROM private.narrowed WHERE region = 'north' AND region = 'south' GROUP BY region;
SELECT day, count(*) FROM private.narrowed WHERE age > 5 AND age < 3 GROUP BY day;
SELECT age, count(*) FROM private.narrowed WHERE date_trunc('month', day) = '2024-01-01' AND day > '2025-01-01' GROUP BY age;
SELECT age, count(*) FROM private.narrowed WHERE ts + interval '7 days' < '2024-03-01' AND extract(epoch FROM ts) > 1709251200 GROUP BY age;
SELECT age, count(*) FROM private.narrowed WHERE extract(month FROM day) = 3 AND day > '2024-07-01' AND day + 3 < '2024-08-01' GROUP BY age;
SELECT age, count(*) FROM private.narrowed WHERE extract(dow FROM ts) = 3 AND ts::date = '2024-02-27' GROUP BY age;
-- Without keys, or without those of a grouping set, it is one row, as of no row.
SELECT count(*), count(cost), sum(cost), avg(cost), count(DISTINCT region) FROM private.narrowed WHERE region = 'north' AND region = 'south';
SELECT count(*) FROM private.narrowed WHERE age > 5 AND age < 3 HAVING count(*) > 0;
SET dpmix.delta = 1e-9;
SELECT region, count(*), grouping(region), avg(cost) FROM private.narrowed WHERE age > 5 AND age < 3 GROUP BY ROLLUP (region);
RESET dpmix.delta;
SELECT * FROM dpmix.query('SELECT dp_high(dp_count(*)), dp_histogram(cost, ARRAY[0, 10, 20]), dp_high(dp_sum(cost)) FROM narrowed
    WHERE day = ''2024-01-01'' AND day > ''2025-01-01''', 1) AS t(high float8, histogram bigint[], high_sum float8);
SELECT charges_of_narrowed() = :before AS free;
-- Not where a row is left: the last moments, infinite times, NULL, a clock that is changed.
CREATE TABLE in_berlin (id int PRIMARY KEY, ts timestamp, tz timestamptz, day date);
INSERT INTO in_berlin SELECT i, 'infinity', 'infinity', 'infinity' FROM generate_series(1, 50) AS i;
INSERT INTO in_berlin SELECT 100 + i, '2024-02-28 23:59:59.999999', '2024-10-27 00:30+00', '2024-02-29' FROM generate_series(1, 60) AS i;
INSERT INTO in_berlin SELECT 200 + i FROM generate_series(1, 70) AS i;
SELECT dpmix.protect('in_berlin', 1e6, 0, accountant => 'basic') \g /dev/null
SET TimeZone = 'Europe/Berlin';
SELECT condition, q.n FROM unnest(ARRAY['ts + interval ''1 day'' < ''2024-03-01'' AND date_trunc(''month'', ts) = ''2024-02-01''', 'extract(year FROM ts) > 2024 OR ts IS NULL', 'extract(month FROM ts) IS NULL',
    'ts > ''2024-03-01''', 'extract(hour FROM tz) = 2 AND tz >= ''2024-10-27 00:00+00'' AND tz < ''2024-10-27 01:00+00''', 'tz::timestamp > ''2024-10-27 02:00'' AND tz < ''2024-10-27 00:45+00''',
    'day + 1 = ''2024-03-01'' AND extract(doy FROM day) = 60', 'day::timestamptz + interval ''1 month'' > ''2024-03-28'' AND day < ''2024-03-01''']) AS condition,
    LATERAL dpmix.query('SELECT dp_count(*) FROM in_berlin WHERE ' || condition, 1000) AS q(n bigint);
RESET TimeZone;
DROP TABLE in_berlin;
-- All is checked as for a charge.
CREATE TABLE poor (id int PRIMARY KEY, region text NOT NULL);
SELECT dpmix.protect('poor', .5, 0, accountant => 'basic') \g /dev/null
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM poor WHERE region = ''n'' AND region = ''s''', 1) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM poor WHERE region = ''n'' AND region = ''s''', .5) AS t(n bigint);
EXPLAIN (COSTS off) SELECT region, count(*) FROM private.narrowed WHERE region = 'north' GROUP BY region;
-- Bounds: the noise of a sum of values up to 100 is a hundredth. A FILTER narrows its own aggregate.
SELECT output_column, round(wide.noise_stddev / narrow.noise_stddev) AS times FROM
    dpmix.preview('SELECT dp_sum(cost) FROM narrowed', 1) AS wide JOIN
    dpmix.preview('SELECT dp_sum(cost) FROM narrowed WHERE cost < 100', 1) AS narrow USING (output_column);
SELECT output_column, sensitivity FROM dpmix.preview('SELECT dp_sum(cost) FILTER (WHERE cost BETWEEN 10 AND 50) AS a, dp_sum(cost * 2) FILTER (WHERE cost <= 300) AS b,
    dp_sum(age) FILTER (WHERE age < 18) AS c, dp_sum(cost) FILTER (WHERE cost < 100 OR age > 3) AS d FROM narrowed', 1);
SELECT abs(m - 49.5) < 1 AS about FROM dpmix.query('SELECT dp_median(cost) FROM narrowed WHERE cost < 100', 100) AS t(m float8);
-- One group is one cell: a row that changes moves it once, as without GROUP BY.
CREATE TABLE replaced (id int PRIMARY KEY, region text NOT NULL, cost float8 NOT NULL);
SELECT dpmix.protect('replaced', 10, .1, adjacency => 'replace') \g /dev/null
SELECT FROM dpmix.declare('replaced', '{"region": ["north", "south"], "cost": [50, 100]}') \g /dev/null
SELECT groups, output_column, sensitivity, mechanism FROM
    (VALUES ('one', 'WHERE region = ''north'' GROUP BY region'), ('none', 'WHERE region = ''north'''), ('two', 'GROUP BY region')) AS asked(groups, text),
    dpmix.preview('SELECT dp_count(*) AS n, dp_sum(cost - 50) AS s FROM replaced ' || text, 1, 1e-6, 'gaussian') ORDER BY 1, 2;
SELECT count(DISTINCT noise_stddev) AS of_count_and_sum FROM
    (VALUES ('WHERE region = ''north'' GROUP BY region'), ('WHERE region = ''north''')) AS asked(text),
    dpmix.preview('SELECT dp_avg(cost) AS n FROM replaced ' || text, 1, 1e-6, 'gaussian');
-- Public tables: the combinations that occur in rows of which conditions choose.
CREATE TABLE shops (id int PRIMARY KEY, city text NOT NULL, country text NOT NULL, size int);
INSERT INTO shops VALUES (1, 'Ulm', 'DE', 3), (2, 'Kiel', 'DE', 8), (3, 'Nice', 'FR', 8), (4, 'Nice', 'FR', NULL);
CREATE TABLE no_shops (LIKE shops INCLUDING ALL);
SELECT dpmix.declare_public('shops'), dpmix.declare_public('no_shops') \g /dev/null
CREATE TABLE sales (id int PRIMARY KEY, shop int NOT NULL, day date NOT NULL);
INSERT INTO sales SELECT i, i % 4 + 1, date '2025-01-01' + i % 10 FROM generate_series(1, 100) AS i;
SELECT dpmix.protect('sales', 1e7, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.expose('sales', default_epsilon => 100) \g /dev/null
SELECT country, city, count(*) FROM private.sales AS v JOIN shops AS s ON s.id = v.shop GROUP BY 1, 2 ORDER BY 1, 2;
SELECT city, count(*) FROM private.sales AS v JOIN shops AS s ON s.id = v.shop WHERE country = 'DE' GROUP BY 1 ORDER BY 1;
SELECT v.shop, city, count(*) FROM private.sales AS v JOIN shops AS s ON s.id = v.shop WHERE v.shop > 2 GROUP BY 1, 2 ORDER BY 1;
SELECT coalesce(city, 'small') AS city, count(*) FROM private.sales AS v LEFT JOIN shops AS s ON s.id = v.shop AND size > 5 GROUP BY 1 ORDER BY 1;
SELECT coalesce(city, 'small') AS city, count(*) FROM private.sales AS v LEFT JOIN shops AS s ON s.id = v.shop WHERE size > 5 GROUP BY 1 ORDER BY 1;
SELECT city, count(*) FROM private.sales AS v JOIN no_shops AS s ON s.id = v.shop GROUP BY 1;
SELECT city, size, count(*) FROM private.sales AS v JOIN shops AS s ON s.id = v.shop WHERE country = 'IT' GROUP BY 1, 2;
-- Conditions on what is grouped by, as it stands.
SELECT floor(cost / 1000) * 1000 AS bin, count(*) > 0 AS some FROM private.narrowed WHERE floor(cost / 1000) * 1000 BETWEEN 2000 AND 3000 GROUP BY 1;
SELECT count(*) FROM (SELECT region, floor(cost / 1000), count(*) FROM private.narrowed WHERE region = 'north' OR floor(cost / 1000) = 2 GROUP BY 1, 2) AS s;
-- A constant of more digits than a double has: the last row is in bucket 2, and 0.3 is not.
CREATE TABLE digits (id int PRIMARY KEY, n numeric NOT NULL, scaled numeric(20, 19) NOT NULL, cents numeric(6, 2) NOT NULL);
INSERT INTO digits VALUES (1, 0.1, 0.1, 12.5), (2, 0.3000000000000000001, 0.3000000000000000001, 24.99);
SELECT dpmix.protect('digits', 1e7, .1, accountant => 'basic') \g /dev/null
SELECT FROM dpmix.declare('digits', '{"n": [0, 1], "scaled": [0, 1], "cents": [0, 100]}') \g /dev/null
SELECT dpmix.expose('digits', default_epsilon => 100) \g /dev/null
SELECT width_bucket(n, 0, 0.6000000000000000002, 2), count(*) FROM private.digits WHERE n <= 0.3000000000000000001 GROUP BY 1 HAVING count(*) > 0;
SELECT width_bucket(scaled, 0, 0.6000000000000000002, 2), count(*) FROM private.digits WHERE scaled <= 0.3000000000000000001 GROUP BY 1 HAVING count(*) > 0;
SELECT width_bucket(scaled, 0.6000000000000000002, 0, 2), count(*) FROM private.digits WHERE scaled < 0.3000000000000000002 GROUP BY 1 HAVING count(*) > 0;
SELECT width_bucket(cents, 0, 100, 4), count(*) FROM private.digits WHERE cents < 50 GROUP BY 1;
SELECT floor(cents / 25) * 25 AS bin, count(*) FROM private.digits WHERE cents < 50 AND cents > 24.98 GROUP BY 1;
