-- Times in plain SQL: at an epsilon at which noise is next to nothing, answers are those of the rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET TimeZone = 'Europe/Berlin';
SET IntervalStyle = 'postgres';
CREATE SCHEMA plain_times_private;
CREATE TABLE plain_times (id int PRIMARY KEY, day date NOT NULL, ts timestamp NOT NULL, tz timestamptz NOT NULL, born date NOT NULL, done timestamp NOT NULL, stay interval NOT NULL, tm time NOT NULL);
INSERT INTO plain_times SELECT i, date '2024-01-01' + i % 700, timestamp '2024-01-01' + i * interval '5 hours', timestamptz '2024-01-01 00:00+00' + i * interval '5 hours', date '1950-01-01' + (i * 7) % 20000,
    timestamp '2024-01-01' + i * interval '5 hours' + i % 40 * interval '1 hour', i % 600 * interval '1 minute', time '00:00' + i % 1440 * interval '1 minute' FROM generate_series(1, 3000) AS i;
SELECT dpmix.protect('plain_times', 1e7, .01, privacy_unit => 'id', accountant => 'basic');
SELECT count(*) FROM dpmix.declare('plain_times', '{"day": ["2024-01-01", "2025-12-31"], "ts": ["2024-01-01", "2025-12-31"], "tz": ["2024-01-01 00:00+00", "2025-12-31 00:00+00"],
    "done": ["2024-01-01", "2025-12-31"], "born": ["1950-01-01", "2006-12-31"], "stay": ["0", "10 hours"]}');
SELECT dpmix.expose('plain_times', 'plain_times_private.plain_times', default_epsilon => 1e5, max_epsilon_per_query => 1e5);

-- The same statement over rows and over the facade: equal counts, numbers within a thousandth of the given size, times
-- within a minute
CREATE FUNCTION asked(statement text, size float8, private boolean) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', CASE WHEN private THEN 'plain_times_private, public' ELSE 'public' END, true);
    RETURN QUERY EXECUTE format('SELECT to_jsonb(q) FROM (%s) AS q', statement);
END $$;
CREATE FUNCTION differing(statement text, size float8 DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    mine jsonb[] := ARRAY(SELECT asked(statement, size, true));
    plain jsonb[] := ARRAY(SELECT asked(statement, size, false));
BEGIN
    IF cardinality(mine) <> cardinality(plain) THEN RETURN format('%s: %s rows for %s', statement, cardinality(mine), cardinality(plain)); END IF;
    RETURN (SELECT statement || ': ' || string_agg(format('%s for %s', a.value, b.value), '; ')
            FROM unnest(mine, plain) AS r(m, p), jsonb_each_text(m) AS a JOIN jsonb_each_text(p) AS b USING (key)
            WHERE CASE WHEN a.value IS NOT DISTINCT FROM b.value THEN false
                       WHEN a.value ~ '^-?[0-9.]+$' AND b.value ~ '^-?[0-9.]+$' THEN abs(a.value::numeric - b.value::numeric) > size / 1000
                       WHEN a.value ~ '^[0-9]{4}-.*[T:]' THEN abs(extract(epoch FROM a.value::timestamptz - b.value::timestamptz)) > 60 * size
                       WHEN a.value ~ '(:|day)' THEN abs(extract(epoch FROM a.value::interval - b.value::interval)) > 60 * size
                       ELSE true END);
EXCEPTION WHEN OTHERS THEN RETURN statement || ': ' || SQLSTATE || ' ' || SQLERRM;
END $$;
\pset format unaligned
SELECT statement, wrong FROM (VALUES
    (1, 'SELECT count(*) FROM plain_times WHERE extract(year FROM ts) = 2024'),
    (1, 'SELECT count(*) FROM plain_times WHERE date_trunc(''month'', ts) = ''2024-03-01'''),
    (1, 'SELECT count(*) FROM plain_times WHERE extract(dow FROM day) IN (0, 6) AND extract(hour FROM ts) BETWEEN 9 AND 17'),
    (1, 'SELECT count(*) FROM plain_times WHERE tz::date = ''2024-03-31'' OR tz::date = ''2024-10-27'''),
    (1, 'SELECT extract(month FROM ts) AS m, count(*) FILTER (WHERE extract(year FROM ts) = 2024) AS a, count(*) FILTER (WHERE extract(year FROM ts) = 2025) AS b FROM plain_times GROUP BY 1 ORDER BY 1'),
    (100, 'SELECT avg(done - ts) AS a, avg(extract(epoch FROM done - ts) / 3600) AS h FROM plain_times'),
    (1, 'SELECT avg(stay) AS a, avg(extract(epoch FROM stay)) / 60 AS m, avg(least(greatest(done - ts, ''0''), ''2 days'')) AS l FROM plain_times'),
    (100000, 'SELECT sum(stay) AS s, sum(done - ts) AS d FROM plain_times'),
    (100, 'SELECT avg(ts::date - day) AS a, avg(day - born) AS b, avg(date_trunc(''month'', ts)::date - day) AS c FROM plain_times'),
    (1, 'SELECT count(*) FROM plain_times WHERE ts < day + interval ''7 days'''),
    (1, 'SELECT count(*) FROM plain_times WHERE ts BETWEEN day AND day + 30 AND done - ts > interval ''90 minutes'' AND tz > ts'),
    (10, 'SELECT avg(extract(year FROM age(date ''2025-01-01'', born))) AS a, avg(extract(year FROM age(born))) AS b FROM plain_times'),
    (1, 'SELECT count(*) FILTER (WHERE ts + stay < done) FROM plain_times WHERE to_timestamp(id * 100) > ''1970-01-01 05:00+00'' AND justify_hours(stay) < ''9 hours'''),
    (1, 'SELECT count(*) FROM plain_times WHERE tm BETWEEN ''09:00'' AND ''17:00'' AND age(ts) > interval ''1 month'''),
    (1, 'SELECT to_char(ts, ''YYYY-MM'') AS m, count(*) FROM plain_times WHERE ts < ''2025-09-17'' GROUP BY 1 ORDER BY 1'),
    (1, 'SELECT to_char(tz, ''Dy'') AS d, count(*) FROM plain_times GROUP BY 1 ORDER BY 1'),
    (1, 'SELECT extract(year FROM day) * 100 + extract(month FROM day) AS ym, count(*) FROM plain_times WHERE day < ''2025-12-01'' GROUP BY 1 ORDER BY 1'),
    (1, 'SELECT extract(dow FROM tz)::int AS d, extract(hour FROM tz)::int AS h, count(*) FROM plain_times GROUP BY 1, 2 ORDER BY 1, 2'),
    (10000, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY ts) AS a, percentile_disc(0.5) WITHIN GROUP (ORDER BY tz) AS b, percentile_cont(0.5) WITHIN GROUP (ORDER BY stay) AS c FROM plain_times'),
    (1, 'SELECT percentile_disc(0.01) WITHIN GROUP (ORDER BY day) >= ''2024-01-05'' AS a, percentile_disc(0.99) WITHIN GROUP (ORDER BY day) <= ''2025-11-30'' AS b FROM plain_times'),
    (1, 'SELECT avg(tm) AS a, percentile_disc(0.5) WITHIN GROUP (ORDER BY tm) < ''13:00'' AS b, count(DISTINCT tm) AS n FROM plain_times'),
    (1, 'SELECT extract(month FROM ts) AS m, count(*) FROM plain_times WHERE extract(year FROM tz) = 2025 AND ts < ''2025-09-17'' AND ts > ''2025-01-02'' GROUP BY 1 ORDER BY 1'))
    AS s(size, statement), LATERAL differing(statement, size) AS d(wrong) WHERE wrong IS NOT NULL;
-- What narrows bounds
SELECT statistic, sensitivity FROM dpmix.preview($$
    SELECT dp_sum(extract(epoch FROM done - ts)), dp_sum(extract(epoch FROM done - ts)) FILTER (WHERE done < '2024-01-31'), dp_sum(extract(year FROM tz)), dp_sum(day - date '2024-01-01')
    FROM plain_times WHERE ts BETWEEN '2024-01-01 12:00' AND '2024-02-01' AND done < '2024-03-01' AND tz < '2025-01-01' AND day < timestamp '2024-02-01 06:00'$$, 1);
-- What is left out
SELECT min(day) FROM plain_times_private.plain_times;
SELECT count(*) FROM plain_times_private.plain_times WHERE ts + stay * 2 < done;
SELECT stay, count(*) FROM plain_times_private.plain_times GROUP BY 1;
RESET TimeZone;
RESET IntervalStyle;
DROP FUNCTION asked, differing;
DROP TABLE plain_times CASCADE;
