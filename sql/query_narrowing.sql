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
SELECT charges_of_narrowed() = :before AS free;
EXPLAIN (COSTS off) SELECT region, count(*) FROM private.narrowed WHERE region = 'north' GROUP BY region;
-- Bounds: the noise of a sum of values up to 100 is a hundredth. A FILTER narrows its own aggregate.
SELECT output_column, round(wide.noise_stddev / narrow.noise_stddev) AS times FROM
    dpmix.preview('SELECT dp_sum(cost) FROM narrowed', 1) AS wide JOIN
    dpmix.preview('SELECT dp_sum(cost) FROM narrowed WHERE cost < 100', 1) AS narrow USING (output_column);
SELECT output_column, sensitivity FROM dpmix.preview('SELECT dp_sum(cost) FILTER (WHERE cost BETWEEN 10 AND 50) AS a, dp_sum(cost * 2) FILTER (WHERE cost <= 300) AS b,
    dp_sum(age) FILTER (WHERE age < 18) AS c, dp_sum(cost) FILTER (WHERE cost < 100 OR age > 3) AS d FROM narrowed', 1);
SELECT abs(m - 49.5) < 1 AS about FROM dpmix.query('SELECT dp_median(cost) FROM narrowed WHERE cost < 100', 100) AS t(m float8);
