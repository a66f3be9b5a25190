-- Grafana's PostgreSQL data source: health, query builder, macros as they arrive, alerts, variables. How to read this:
-- ../corpus.test.sh.

-- free: health of the data source
SELECT 1;

-- free: version, in the settings
SELECT current_setting('server_version_num')::int / 100 AS version;

-- free: TimescaleDB is looked for
SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'timescaledb';

-- free: tables in the query builder
SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS "table" FROM information_schema.tables
WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_cache') ORDER BY CASE WHEN quote_ident(table_schema) = 'public' THEN 0 ELSE 1 END, 1;
-- shows: ^private\.cps$

-- free: columns in the query builder
SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns
WHERE CASE WHEN array_length(parse_ident('private.cps'), 1) = 2
      THEN quote_ident(table_schema) = (parse_ident('private.cps'))[1] AND quote_ident(table_name) = (parse_ident('private.cps'))[2]
      ELSE quote_ident(table_name) = 'private.cps' END;
-- shows: ^seen\|timestamp with time zone$

-- free: columns of time
SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_schema = 'private' AND table_name = 'cps'
  AND data_type IN ('timestamp without time zone', 'timestamp with time zone', 'date') ORDER BY ordinal_position;
-- shows: ^day$

-- free: values of a dashboard variable
SELECT DISTINCT region FROM private.cps;
-- shows: ^west$

-- free: values of a variable, with its text
SELECT DISTINCT region AS __value, region AS __text FROM private.cps ORDER BY 1;

-- answered: values of a variable that nobody declared
SELECT DISTINCT note FROM private.cps;

-- answered: a count in time, cut by date_trunc
SELECT date_trunc('day', seen) AS "time", count(*) AS "people" FROM private.cps
WHERE seen BETWEEN '2026-03-01T00:00:00Z' AND '2026-03-31T23:59:59Z' GROUP BY 1 ORDER BY 1;

-- answered: a metric column and the time filter
SELECT date_trunc('month', seen) AS "time", region AS metric, avg(wage) AS wage FROM private.cps
WHERE seen BETWEEN '2026-01-01T00:00:00.000Z' AND '2026-12-31T23:59:59.999Z' GROUP BY 1, 2 ORDER BY 1, 2;

-- answered: the time group by seconds since 1970
SELECT floor(extract(epoch from seen) / 86400) * 86400 AS "time", count(*) AS "people" FROM private.cps
WHERE seen BETWEEN '2026-01-01T00:00:00Z' AND '2026-01-31T00:00:00Z' GROUP BY 1 ORDER BY 1;

-- refused: a time group of too many seconds
SELECT floor(extract(epoch from seen) / 5) * 5 AS "time", count(*) AS "people" FROM private.cps
WHERE seen BETWEEN '2026-01-01T00:00:00Z' AND '2026-01-31T00:00:00Z' GROUP BY 1 ORDER BY 1;

-- refused: the time series of single rows
SELECT seen AS "time", wage FROM private.cps WHERE seen BETWEEN '2026-01-01T00:00:00Z' AND '2026-01-31T00:00:00Z' ORDER BY 1;

-- answered: stat panel
SELECT count(*) FROM private.cps WHERE seen BETWEEN '2026-01-01T00:00:00Z' AND '2026-06-30T00:00:00Z';

-- answered: gauge, a share in percent
SELECT 100.0 * avg(employed::int) AS employed FROM private.cps;

-- answered: bar gauge by group
SELECT region, avg(hours) AS hours FROM private.cps GROUP BY region;

-- answered: table panel with a filter by variable
SELECT sex, count(*) AS people, avg(wage) AS wage, stddev(wage) AS deviation FROM private.cps WHERE region IN ('west', 'south') GROUP BY sex ORDER BY sex;

-- answered: the last hours, by the server's clock
SELECT count(*) FROM private.cps WHERE seen > now() - interval '6 hours';

-- answered: the last days, by a date
SELECT count(*) FROM private.cps WHERE day >= current_date - 7;

-- answered: alert rule
SELECT avg(wage) AS value FROM private.cps WHERE seen >= to_timestamp(1767225600) AND seen < to_timestamp(1782864000) HAVING count(*) > 1;

-- answered: percentiles
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY wage) AS p50, percentile_disc(0.95) WITHIN GROUP (ORDER BY wage) AS p95 FROM private.cps;

-- answered: two queries of one panel
SELECT 'west' AS metric, count(*) FROM private.cps WHERE region = 'west';

-- answered: heatmap of days and hours
SELECT extract(dow FROM seen) AS dow, extract(hour FROM seen) AS hour, count(*) FROM private.cps GROUP BY 1, 2 ORDER BY 1, 2;

-- answered: histogram panel
SELECT floor(wage / 100) AS bucket, count(*) FROM private.cps GROUP BY bucket ORDER BY bucket;

-- refused: annotations from rows
SELECT seen AS time, note AS text, region AS tags FROM private.cps WHERE seen BETWEEN '2026-01-01T00:00:00Z' AND '2026-01-31T00:00:00Z';

-- answered: gaps filled by a series of months
SELECT m AS "time", coalesce(p.n, 0) AS people
FROM generate_series('2026-01-01'::timestamptz, '2026-12-01'::timestamptz, '1 month') AS m
LEFT JOIN (SELECT date_trunc('month', seen) AS month, count(*) AS n FROM private.cps GROUP BY 1) AS p ON p.month = m ORDER BY 1;
-- shows: ^2026-12-01

-- answered: difference to the month before
SELECT date_trunc('month', seen) AS "time", count(*) - lag(count(*)) OVER (ORDER BY date_trunc('month', seen)) AS change FROM private.cps GROUP BY 1 ORDER BY 1;

-- free: the query inspector's plan
EXPLAIN SELECT date_trunc('month', seen), count(*) FROM private.cps GROUP BY 1;
