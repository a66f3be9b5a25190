-- dp_low and dp_high of expressions over several answers.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE measured (region text, ill boolean, cost float8, weight int, visits int);
INSERT INTO measured SELECT CASE WHEN i <= 3000 THEN 'north' ELSE 'south' END, i % 5 = 0, i % 100, 1 + i % 9, i % 4 FROM generate_series(1, 4000) AS i;
SELECT dpmix.protect('measured', 1e7, 1e-3, accountant => 'basic');
SELECT FROM dpmix.declare('measured', '{"cost": [0, 100], "weight": [0, 10], "visits": [0, 4], "region": ["north", "south", "nobody"]}');
-- In a group of 3000: whether the interval holds the answer, is where the exact number is, and is narrow. It is right
-- where the exact number is within as many widths of it as the noise never goes: one of a Gaussian interval is four
-- deviations, six of a Laplace one are 36 of its means.
CREATE FUNCTION pg_temp.interval_of(expression text, epsilon float8 = 10, mechanism text = 'gaussian') RETURNS text LANGUAGE plpgsql AS $$
DECLARE made record; exact numeric; laplace boolean := mechanism = 'laplace'; around float8;
BEGIN
    EXECUTE format('SELECT * FROM dpmix.query(%L, %s, %s, mechanism => %L) AS t(value float8, low float8, high float8)',
        format('SELECT (%s)::float8, dp_low(%1$s), dp_high(%1$s) FROM measured WHERE region = ''north''', expression), epsilon, CASE WHEN laplace THEN 0 ELSE 1e-9 END, mechanism) INTO made;
    around := CASE WHEN laplace THEN 6 ELSE 1 END * (made.high - made.low);
    EXECUTE 'SELECT ' || replace(replace(replace(expression, 'dp_var', 'var_pop'), 'dp_stddev', 'stddev_pop'), 'dp_', '') || ' FROM measured WHERE region = ''north''' INTO exact;
    RETURN concat_ws(' ', CASE WHEN made.value BETWEEN made.low AND made.high THEN 'held' ELSE 'NOT held: ' || made::text END,
        CASE WHEN exact BETWEEN made.low - around AND made.high + around THEN 'right' ELSE format('NOT right: %s of %s', made, exact) END,
        CASE WHEN made.high - made.low < .2 * abs(exact) THEN 'narrow' ELSE format('NOT narrow: %s', made) END);
END $$;
SELECT expression, pg_temp.interval_of(expression) FROM unnest(ARRAY[
    '100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)', 'dp_sum(cost) / dp_sum(weight)', 'dp_sum(cost) - 5 * dp_sum(weight)', 'dp_sum(cost * weight) / dp_sum(weight)',
    'dp_sum(cost) / NULLIF(dp_count(*), 0)', 'dp_avg(cost) * 12', '(dp_sum(cost) - dp_sum(weight)) / (dp_count(*) - dp_count(*) FILTER (WHERE ill))', 'dp_avg(cost) FILTER (WHERE ill) + dp_avg(weight)',
    'round((dp_sum(cost) / dp_count(*))::numeric, 2)', 'sqrt(dp_var(cost) * 2)', '-dp_count(*) + 5', 'COALESCE(dp_sum(cost), 0) / 7', 'dp_count(*) * dp_avg(cost)',
    '(dp_sum(cost) / dp_count(*))::real', 'dp_sum(cost)::bigint / dp_count(*)', 'CASE WHEN dp_count(*) > 1 THEN dp_sum(cost) / (dp_count(*) - 1) END', 'dp_stddev(cost) / dp_avg(cost)']) AS expression;
-- Without delta.
SELECT pg_temp.interval_of('100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)', 3, 'laplace'), pg_temp.interval_of('dp_avg(cost) * 12', 10, 'laplace');
-- Narrower than the box of both intervals: the joint law. Where the divisor may be nothing, every number.
SELECT high - low < .9 * (high_sum / low_count - low_sum / high_count) AS joint
    FROM dpmix.query('SELECT dp_low(dp_sum(cost) / dp_count(*)), dp_high(dp_sum(cost) / dp_count(*)), dp_low(dp_sum(cost), .95), dp_high(dp_sum(cost)), dp_low(dp_count(*)), dp_high(dp_count(*)) FROM measured', 1, 1e-9, 'gaussian')
    AS t(low float8, high float8, low_sum float8, high_sum float8, low_count float8, high_count float8);
SELECT * FROM dpmix.query('SELECT region, dp_low(dp_sum(cost) / dp_count(*), .999999999), dp_high(dp_sum(cost) / dp_count(*), .999999999) FROM measured WHERE region = ''nobody'' GROUP BY region', 1, 1e-9) AS t(region text, low float8, high float8);
-- The level; both ends are one interval, and cost nothing.
SELECT high - low < high_99 - low_99 AS wider FROM dpmix.query('SELECT dp_low(dp_sum(cost) / dp_count(*)), dp_high(dp_sum(cost) / dp_count(*)), dp_low(dp_sum(cost) / dp_count(*), .99), dp_high(dp_sum(cost) / dp_count(*), .99) FROM measured', 1, 1e-9)
    AS t(low float8, high float8, low_99 float8, high_99 float8);
SELECT output_column, statistic, interval_95 IS NULL AS unknown FROM dpmix.preview('SELECT dp_low(dp_sum(cost) / dp_count(*)) AS low, dp_sum(cost) AS total FROM measured', 1, 1e-9);
-- Of totals of grouping sets, whose answers agree.
SELECT bool_and(value BETWEEN low AND high AND high - low < .2 * value) FROM dpmix.query('SELECT region, 100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*), dp_low(100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*)), dp_high(100.0 * dp_count(*) FILTER (WHERE ill) / dp_count(*))
    FROM measured WHERE region <> ''nobody'' GROUP BY ROLLUP (region)', 20, 1e-9) AS t(region text, value numeric, low float8, high float8);
-- Refused before the charge.
SELECT count(*) AS before FROM dpmix.charge \gset
SELECT FROM dpmix.query('SELECT dp_low(abs(dp_count(*))) FROM measured', 1) AS t(low float8);
SELECT FROM dpmix.query('SELECT dp_low(dp_count(*) + dp_low(dp_count(*))) FROM measured', 1) AS t(low float8);
SELECT FROM dpmix.query('SELECT dp_low(dp_count(*) + visits) FROM measured GROUP BY visits', 1) AS t(low float8);
SELECT FROM dpmix.query('SELECT dp_low(dp_count(*) + 1, 1) FROM measured', 1) AS t(low float8);
SELECT count(*) - :before AS charges FROM dpmix.charge;
DROP TABLE measured;
