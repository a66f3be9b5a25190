-- Constants that are rounded to the time quantum of a column, before the query is checked and priced.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET TimeZone = 'UTC';
CREATE TABLE clicks (id int PRIMARY KEY, day date, at timestamp, seen timestamptz, n int);
INSERT INTO clicks SELECT i, date '2026-01-01' + i % 50, timestamp '2026-01-01' + i * interval '1 hour', timestamptz '2026-01-01 UTC' + i * interval '1 hour', i FROM generate_series(1, 1200) AS i;
SELECT dpmix.protect('clicks', 1e7, 1e-6, accountant => 'basic');
-- Which are valid
SELECT dpmix.set_time_quantum('clicks', 'seen', '1 month');
SELECT dpmix.set_time_quantum('clicks', 'seen', '0');
SELECT dpmix.set_time_quantum('clicks', 'seen', '-1 hour');
SELECT dpmix.set_time_quantum('clicks', 'seen', '1 day -25 hours');
SELECT dpmix.set_time_quantum('clicks', 'seen', '10001 days');
SELECT dpmix.set_time_quantum('clicks', 'day', '1 hour');
SELECT dpmix.set_time_quantum('clicks', 'n', '1 hour');
SELECT dpmix.set_time_quantum('clicks', 'nothing', '1 hour');
SELECT dpmix.set_time_quantum('pg_class', 'relname', '1 hour');
SELECT dpmix.set_time_quantum('clicks', 'seen', '6 hours'), dpmix.set_time_quantum('clicks', 'at', '1 hour 30 minutes'), dpmix.set_time_quantum('clicks', 'day', '7 days');
SELECT column_name, time_quantum FROM dpmix.columns WHERE relation = 'clicks'::regclass;
SELECT item, value FROM dpmix.describe('clicks') WHERE item IN ('seen', 'day');
SELECT dpmix.report('clicks') LIKE '%rounded down to <span class="t">06:00:00%' AS reported;
-- What is rounded, and that the answer is about the rounded window: the noise is far below 1
SET client_min_messages = notice;
\set VERBOSITY terse
CREATE FUNCTION pg_temp.rows_where(condition text) RETURNS bigint LANGUAGE sql AS
    $$ SELECT n FROM dpmix.query('SELECT dp_count(*) FROM clicks WHERE ' || condition, 100) AS t(n bigint) $$;
SELECT pg_temp.rows_where($$seen >= '2026-01-05 11:59:59' AND seen < '2026-01-07 05:00'$$),
    (SELECT count(*) FROM clicks WHERE seen >= '2026-01-05 06:00' AND seen < '2026-01-07') AS exact;
SELECT pg_temp.rows_where($$seen BETWEEN '2026-01-05 11:59:59+02' AND '2026-01-07 05:00+02'$$),
    (SELECT count(*) FROM clicks WHERE seen BETWEEN '2026-01-05 06:00' AND '2026-01-07') AS exact;
SELECT pg_temp.rows_where($$'2026-01-05 11:59:59' > seen$$), (SELECT count(*) FROM clicks WHERE seen < '2026-01-05 06:00') AS exact;
SELECT pg_temp.rows_where($$seen = '2026-01-05 11:59:59'$$) AS one;
SELECT pg_temp.rows_where($$at <= '2026-01-05 11:59:59'$$), (SELECT count(*) FROM clicks WHERE at <= '2026-01-05 10:30') AS exact;
SELECT pg_temp.rows_where($$at > date '2026-01-05'$$), (SELECT count(*) FROM clicks WHERE at > date '2026-01-05') AS exact;
SELECT pg_temp.rows_where($$day >= '2026-01-05'$$), (SELECT count(*) FROM clicks WHERE day >= '2026-01-03') AS exact;
SELECT pg_temp.rows_where($$day < timestamp '2026-01-12 10:00'$$), (SELECT count(*) FROM clicks WHERE day < '2026-01-10') AS exact;
SELECT pg_temp.rows_where($$day < timestamptz '2026-01-12 10:00+10'$$), (SELECT count(*) FROM clicks WHERE day < '2026-01-10') AS exact;
SELECT pg_temp.rows_where($$day >= '1999-12-30'$$) AS before_2000;
SELECT * FROM dpmix.query($$SELECT dp_count(*) FILTER (WHERE seen < '2026-01-05 11:59:59'), dp_count(*) FILTER (WHERE NOT (seen < '2026-01-05 11:59:59')) FROM clicks$$, 200) AS t(a bigint, b bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM clicks WHERE seen < $1', 100, params => '{2026-01-05 11:59:59}') AS t(n bigint);
-- What is not
SELECT pg_temp.rows_where($$seen >= '2026-01-05 12:00'$$), pg_temp.rows_where($$seen <> '2026-01-05 11:59:59'$$),
    pg_temp.rows_where($$seen < 'infinity'$$), pg_temp.rows_where($$seen IN ('2026-01-05 11:00', '2026-01-05 12:01')$$), pg_temp.rows_where($$seen >= '4713-01-01 BC'$$);
-- preview tells, too
SELECT count(*) FROM dpmix.preview($$SELECT dp_count(*) FROM clicks WHERE seen < '2026-01-05 11:59:59'$$, 1);
-- It follows the column, and is taken back
ALTER TABLE clicks RENAME seen TO moment;
SELECT column_name, time_quantum FROM dpmix.columns WHERE relation = 'clicks'::regclass AND time_quantum IS NOT NULL ORDER BY 1;
SELECT dpmix.set_time_quantum('clicks', 'moment', NULL);
SELECT pg_temp.rows_where($$moment < '2026-01-05 11:30'$$);
ALTER TABLE clicks ALTER at TYPE timestamptz;
SELECT pg_temp.rows_where($$at < '2026-01-05 11:30'$$);
