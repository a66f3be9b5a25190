-- Times over rows: at a large epsilon what plain SQL gives, in any time zone, wherever that has a value; no row makes
-- one raise; and bounds hold every value. Each row is a group of its own, so that every value is looked at.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET extra_float_digits = 0;
-- Changes of clocks, leap days, ends of years and months, BC. From 100 on: the ends of the types, and what is infinite
CREATE TABLE times_rows (id int PRIMARY KEY, d date, e date, m timestamp, n timestamp, z timestamptz, y timestamptz, t time, u time, i interval, a int);
INSERT INTO times_rows SELECT row_number() OVER (), m::date, n::date, m, n, m AT TIME ZONE 'UTC', n AT TIME ZONE 'UTC', m::time, n::time, n - m, row_number() OVER () - 5
FROM (VALUES ('2024-03-31 02:30', '2024-10-27 02:30'), ('2024-03-31 01:00', '2024-03-31 00:59:59'), ('2024-10-27 00:30', '2024-10-27 01:30:00.000001'), ('2024-02-29 12:00', '2023-02-28'),
    ('2023-12-31 23:59:59.999999', '2024-01-01'), ('2024-01-01', '2023-12-31 23:30'), ('2020-12-31 10:00', '2021-01-03 13:14:15.5'), ('1970-01-01', '2000-01-01'), ('2011-12-30 09:59', '2011-12-31 10:01'),
    ('1999-12-31 15:30', '2001-01-01 08:15'), ('1844-12-31 12:00', '1844-12-30 12:00'), ('0044-03-15 10:11:12 BC', '0001-01-01'), ('1867-10-18 01:02:03', '1867-10-19 05:00'), ('2024-05-31 23:59', '2024-04-30 00:01')) AS v(a, b),
    LATERAL (SELECT a::timestamp, b::timestamp) AS w(m, n);
INSERT INTO times_rows (id) VALUES (50);
INSERT INTO times_rows VALUES (100, 'infinity', '2024-01-01', 'infinity', '2024-01-01', 'infinity', '2024-01-01', '24:00', '0:00', '100000000 years', 3),
    (101, '-infinity', 'infinity', '-infinity', 'infinity', '-infinity', 'infinity', '0:00', '24:00', '-100000000 years -10 days +3 hours', 0),
    (102, '5874897-12-31', '4714-11-24 BC', '294276-12-31 23:59:59.999999', '4714-11-24 BC', '294276-12-31 23:59:59.999999+00', '4714-11-24 00:00+00 BC', '12:00', '1:00', '12 months -366 days', 2147483647),
    (103, '4714-11-24 BC', '5874897-12-31', '4714-11-24 BC', '294276-12-31 23:59:59.999999', '4714-11-24 00:00+00 BC', '294276-12-31 23:59:59.999999+00', '1:00', '12:00', '0', -2147483648),
    (104, '294277-01-01', '294276-12-31', '294276-12-25', '294276-12-01', '294276-12-25', '294276-12-31', '0:00:01', '13:00', '3 days', 40000),
    (105, '4714-12-31 BC', '4714-11-25 BC', '4714-12-30 23:00 BC', '4714-11-24 10:00 BC', '4714-11-24 02:00+00 BC', '4714-11-24 14:00+00 BC', '0:00:01', '13:00', '1 month 40 days', -40000);

CREATE SEQUENCE times_copies;
CREATE FUNCTION renew(condition text, declared jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    copy text := 'times_copy_' || nextval('times_copies');
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS times_copy_%s', currval('times_copies') - 1);
    EXECUTE format('CREATE TABLE %I AS SELECT * FROM times_rows WHERE %s', copy, condition);
    PERFORM dpmix.protect(copy::regclass, epsilon => 1e7, delta => 0, accountant => 'basic');
    PERFORM dpmix.declare(copy::regclass, declared);
    EXECUTE format('SELECT dpmix.set_categories(%L, ''id'', array_agg(id::text ORDER BY id)) FROM %I', copy, copy);
    RETURN copy;
END $$;

-- The value of an expression in each row; raised: plain SQL has none
CREATE FUNCTION plain(copy text, expression text) RETURNS TABLE (id int, value float8, raised boolean) LANGUAGE plpgsql AS $$
DECLARE
    ids int[];
    numbers float8[];
BEGIN
    BEGIN
        EXECUTE format('SELECT array_agg(id), array_agg((%s)::float8) FROM %I', expression, copy) INTO ids, numbers;
        RETURN QUERY SELECT i, v, false FROM ROWS FROM (unnest(ids), unnest(numbers)) AS x(i, v);
        RETURN;
    EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN NULL;
    END;
    FOR id IN EXECUTE format('SELECT id FROM %I', copy) LOOP
        BEGIN
            EXECUTE format('SELECT (%s)::float8 FROM %I WHERE id = $1', expression, copy) INTO value USING id;
            raised := false;
        EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
            value := NULL;
            raised := true;
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- What is wrong with the answers about some numbers, asked together; the reach of each is by what its bounds are told.
-- Rows at the ends of the types need no value, but raise no error (since PostgreSQL 17 intervals are infinite there).
CREATE TABLE times_tried (zone text, expression text, compared int, wrong text);
CREATE FUNCTION compare(expressions text[], copy text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT id, %s FROM %I GROUP BY id', (SELECT string_agg(format('dp_sum(%s) AS c%s', e, n), ', ') FROM unnest(expressions) WITH ORDINALITY AS x(e, n)), copy);
    answer jsonb;
    reach float8[];
BEGIN
    SELECT array_agg((SELECT max(sensitivity) FROM dpmix.preview(format('SELECT dp_sum(%s) FROM %I', e, copy), 9e6))) INTO reach FROM unnest(expressions) AS e;
    SELECT jsonb_agg(q) INTO answer FROM dpmix.query_json(query, 9e6) AS q;
    INSERT INTO times_tried
        SELECT current_setting('TimeZone'), e, count(*) FILTER (WHERE NOT raised),
            string_agg(format('row %s: %s instead of %s', p.id, mine, value), '; ' ORDER BY p.id)
                FILTER (WHERE NOT raised AND NOT abs(coalesce(nullif(value, 'NaN'), 0) - mine) <= 2e-4 * reach[n] AND NOT (p.id BETWEEN 100 AND 199 AND (value = 'NaN' OR abs(mine) <= 2e-4 * reach[n])))
        FROM unnest(expressions) WITH ORDINALITY AS x(e, n), LATERAL plain(copy, e) AS p,
            LATERAL (SELECT (q ->> ('c' || n))::float8 AS mine FROM jsonb_array_elements(answer) AS q WHERE (q ->> 'id')::int = p.id) AS a
        GROUP BY n, e;
EXCEPTION WHEN OTHERS THEN
    INSERT INTO times_tried VALUES (current_setting('TimeZone'), array_to_string(expressions, ', '), 0, SQLSTATE || ' ' || SQLERRM);
END $$;
CREATE PROCEDURE try_all(expressions text[], condition text, declared jsonb, at_once int DEFAULT 20) LANGUAGE plpgsql AS $$
DECLARE
    copy text;
BEGIN
    FOR i IN 0 .. (cardinality(expressions) - 1) / at_once LOOP
        copy := renew(condition, declared);
        COMMIT;  -- answers wait for the table's protection
        PERFORM compare(expressions[i * at_once + 1 : (i + 1) * at_once], copy);
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE try_zones(zones text[], expressions text[], condition text, declared jsonb) LANGUAGE plpgsql AS $$
DECLARE
    zone text;
BEGIN
    FOREACH zone IN ARRAY zones LOOP
        PERFORM set_config('TimeZone', zone, false);
        CALL try_all(expressions, condition, declared);
    END LOOP;
    PERFORM set_config('TimeZone', 'UTC', false);
END $$;
-- Large values of columns without bounds are looked at modulo a number.
CREATE FUNCTION small(expressions text[]) RETURNS text[] LANGUAGE sql AS
    $$SELECT array_agg(format('(%s)::numeric %% 997', e) ORDER BY n) FROM unnest(expressions) WITH ORDINALITY AS x(e, n)$$;
CREATE FUNCTION conditions(expressions text[]) RETURNS text[] LANGUAGE sql AS
    $$SELECT array_agg(format('(%s)::int', e) ORDER BY n) FROM unnest(expressions) WITH ORDINALITY AS x(e, n)$$;
CREATE VIEW verdict AS SELECT count(DISTINCT expression) AS expressions, count(DISTINCT zone) AS zones, count(*) AS tried, count(wrong) AS wrong, sum(compared) > 10 * count(*) AS compared,
    left(string_agg(format('%s: %s: %s', zone, expression, wrong), E'\n') FILTER (WHERE wrong IS NOT NULL), 5000) AS examples FROM times_tried;
\pset format unaligned

\echo -- Fields, units and casts, in zones of all kinds
CREATE FUNCTION fields(types text[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(e ORDER BY e) FROM (
        SELECT format('extract(%s FROM %s)', f, c) FROM unnest('{year,isoyear,decade,century,millennium,quarter,month,week,day,doy,dow,isodow,epoch,julian}'::text[]) AS f, unnest(types) AS c
        UNION ALL SELECT format('extract(%s FROM %s)', f, c) FROM unnest('{hour,minute,second,milliseconds,microseconds}'::text[]) AS f, unnest(types) AS c WHERE c <> 'd'
        UNION ALL SELECT format('date_part(''%s'', %s)', f, c) FROM unnest('{years,mon,Dow,epoch,ISOYEAR}'::text[]) AS f, unnest(types) AS c
        UNION ALL SELECT format('extract(epoch FROM date_trunc(''%s'', %s))', u, c)
            FROM unnest('{hour,day,week,month,quarter,year,decade,century,millennium,minute}'::text[]) AS u, unnest(types) AS c
        UNION ALL SELECT format('%s::date - date ''2000-01-01''', c) FROM unnest(types) AS c
        UNION ALL SELECT format('extract(epoch FROM %s::%s)', c, t) FROM unnest('{timestamp,timestamptz}'::text[]) AS t, unnest(types) AS c) AS x(e) $$;
CALL try_zones('{UTC,Europe/Berlin,America/New_York,America/St_Johns,Australia/Lord_Howe,Pacific/Apia,Asia/Kathmandu,Asia/Manila,America/Juneau,Pacific/Kiritimati,Africa/Monrovia,AAA+15BBB-15,AAA+167BBB-167}',
    small(fields('{d,m,z}')), 'true', '{}');
SELECT * FROM verdict;
TRUNCATE times_tried;

\echo -- Everything else, by itself
CREATE FUNCTION numbers_of_times() RETURNS text[] LANGUAGE sql AS $$ SELECT
    '{extract(epoch FROM m - n),extract(epoch FROM z - y),extract(day FROM m - n),"date_part(''hour'', z - y)",extract(minute FROM m - n),extract(second FROM n - m),extract(year FROM m - n),d - e,m::date - e,d - (e + a),
        "extract(year FROM age(m, n))","extract(month FROM age(m, n))","extract(day FROM age(m, n))","extract(epoch FROM age(m, n))","extract(hour FROM age(n, m))","extract(year FROM age(z, y))","extract(epoch FROM age(z, y))",
        "extract(year FROM age(d, e))","extract(year FROM age(date ''2025-01-01'', d))","extract(decade FROM age(n, m))","extract(century FROM age(n, m))","extract(millennium FROM age(n, m))","extract(quarter FROM age(n, m))",
        extract(epoch FROM t),extract(hour FROM t),extract(minute FROM t - u),extract(epoch FROM t - u),extract(hour FROM t - u),extract(epoch FROM t + interval ''5 hours 30 minutes''),extract(epoch FROM t - interval ''2 days 25 hours''),
        extract(hour FROM t::interval),extract(epoch FROM i),extract(month FROM i),extract(day FROM i),extract(hour FROM i),"date_part(''epoch'', i)",extract(microseconds FROM i),extract(hour FROM justify_days(i)),"extract(epoch FROM greatest(i, interval ''1 hour''))",
        extract(epoch FROM m::time),extract(epoch FROM z::time),extract(epoch FROM d + t),extract(epoch FROM t + d),extract(epoch FROM d + time ''12:34''),
        "extract(epoch FROM date_trunc(''day'', z, ''Asia/Kathmandu''))","extract(epoch FROM date_trunc(''week'', z, ''America/Juneau''))","(date_trunc(''month'', m) + interval ''1 month'')::date - m::date",
        extract(year FROM d) * 100 + extract(month FROM d),extract(epoch FROM interval ''1 day'' + m)}'::text[]
    || (SELECT array_agg(format('extract(epoch FROM %s %s interval ''%s'')', c, o, i)) FROM unnest('{d,m,z}'::text[]) AS c, unnest('{+,-}'::text[]) AS o,
        unnest('{1 month,3 years -1 month,7 days,36 hours,1 month 1 day 5 hours,-1 month -6 days -1 hour,100000 days,0}'::text[]) AS i)
    || (SELECT array_agg(format('extract(epoch FROM date_bin(''%s'', %s, %L))', i, c, o)) FROM unnest('{m,z}'::text[]) AS c, unnest('{2024-01-01,2100-01-01,0001-01-01 BC}'::text[]) AS o,
        unnest('{15 minutes,7 days,1 day 1 second}'::text[]) AS i)
    || (SELECT array_agg(format('extract(epoch FROM %s AT TIME ZONE ''%s'')', c, o)) FROM unnest('{m,z,(m + interval ''1 day'')}'::text[]) AS c,
        unnest('{Europe/Berlin,America/St_Johns,EST,+05:30,Pacific/Apia,AAA+15BBB-15}'::text[]) AS o) $$;
-- Times moved by intervals of the row, and made of seconds; hours and days that become days and months
CREATE FUNCTION moved_times() RETURNS text[] LANGUAGE sql AS $$ SELECT
    '{extract(epoch FROM t + i),extract(epoch FROM t - i),extract(epoch FROM m + (z - y)),"extract(epoch FROM n - age(m, n))","extract(day FROM z + greatest(i, interval ''1 hour''))",extract(epoch FROM m + t::interval),
        extract(epoch FROM to_timestamp(a)),extract(hour FROM to_timestamp(a * 3600.5)),"extract(epoch FROM date_trunc(''day'', to_timestamp(a / 3.0)))",to_timestamp(a * 100000)::date - d,extract(epoch FROM to_timestamp(extract(epoch FROM z))),
        extract(epoch FROM to_timestamp(1e6 * a * a * a)),extract(epoch FROM justify_hours(t - u)),"extract(month FROM justify_days(age(m, n)))","extract(epoch FROM justify_hours(age(m, n)))"}'::text[]
    || (SELECT array_agg(format('extract(epoch FROM %s)', e)) FROM unnest('{m + i,m - i,n + i,z + i,z - i,d + i,d - i,i + d,i + m,i + z}'::text[]) AS e)
    || (SELECT array_agg(format('extract(%s FROM %s(%s))', f, j, i)) FROM unnest('{epoch,year,month,day,hour,minute}'::text[]) AS f, unnest('{justify_hours,justify_days,justify_interval}'::text[]) AS j, unnest('{i,m - n}'::text[]) AS i
        WHERE (j <> 'justify_hours' OR f <> 'month' AND f <> 'year') AND (f, j, i) <> ('hour', 'justify_days', 'i'))
    || conditions('{m + i > n,z - i < y,d + i = m,t + i < u,to_timestamp(a) < z,to_timestamp(a * 86400) >= ''1970-01-05'',justify_interval(m - n) > ''1 month'',justify_days(i) < justify_hours(i)}') $$;
CREATE FUNCTION conditions_on_times() RETURNS text[] LANGUAGE sql AS $$ SELECT conditions(
    '{m < d + interval ''7 days'',m < e,m >= d,z < d,d <= z,m = z,z <> m,z::date = e,"z::date IN (''2024-03-31'', ''2024-10-27'')",d = z::date,m < n - interval ''1 month'',z > m::timestamptz,t < u,t BETWEEN ''09:00'' AND ''17:00'',
        m::time < ''12:00'',z::time >= t,i > ''1 day'',i < interval ''0'',m - n < interval ''2 hours'',"age(m, n) > ''1 year''",i = m - n,"i IN (''1 day'', ''0'')",t = u,"t IN (''12:00'', ''23:59:00'')",isfinite(m),isfinite(d),isfinite(z),isfinite(i),m IS NULL,
        extract(year FROM m) = 2024,extract(year FROM z) > 294275,"extract(dow FROM d) IN (0, 6)","date_trunc(''month'', m) = ''2024-03-01''","date_trunc(''month'', z) <= ''2024-03-01''","date_trunc(''day'', d) = z",
        CASE WHEN extract(hour FROM m) < 12 THEN d ELSE e END < m,"coalesce(m - n, interval ''1 hour'') > ''1 hour''","nullif(t, ''12:00'') IS NULL","greatest(t, u) = t","(m, n) OVERLAPS (d, e)","(m, m) OVERLAPS (n - interval ''1 day'', n + interval ''1 day'')","(z, y) OVERLAPS (y, y)","(t, u) OVERLAPS (time ''9:00'', time ''17:00'')",m BETWEEN n AND n + interval ''1 year'',z IS DISTINCT FROM y}'::text[]
    || (SELECT array_agg(format('to_char(%s, ''%s'') %s', c, p, r)) FROM unnest('{m,z,d}'::text[]) AS c,
        (VALUES ('YYYY-MM', '= ''2024-03'''), ('YYYY-MM-DD HH24:MI:SS.US', '>= ''2024'''), ('Mon YYYY', '= ''Mar 2024'''), ('FMDay', '= ''Sunday'''), ('IYYY-"W"IW', 'LIKE ''2020-W5%'''), ('Q', '= ''1'''),
            ('HH12:MI AM', '< ''06'''), ('DY, DD.MM.YY', '> ''M'''), ('FMMonth FMDD', '< ''L'''), ('DDD', '> ''100'''), ('D', 'IN (''1'', ''7'')'), ('WW', '= ''53'''), ('CC', '> ''20'''), ('yyyymmdd', '< ''2''')) AS v(p, r))) $$;
CALL try_zones('{Europe/Berlin,America/St_Johns}', small(numbers_of_times() || moved_times()) || conditions_on_times(), 'true', '{}');
SELECT * FROM verdict;
TRUNCATE times_tried;

\echo -- Bounds: no value that allowed columns make is cut off
INSERT INTO times_rows SELECT 200 + s, x::date, y::date, x, y, x AT TIME ZONE 'UTC', y AT TIME ZONE 'UTC', x::time, y::time, (s - 15) * interval '1 month 3 days 5 hours 7 minutes', s
FROM generate_series(0, 29) AS s, LATERAL (SELECT timestamp '2023-02-26' + s * interval '20 days 2 hours 30 minutes' AS x, timestamp '2024-10-28' - s * interval '15 days 90 minutes' AS y) AS v;
INSERT INTO times_rows VALUES (230, '2023-02-26', '2024-10-29', '2023-02-26', '2024-10-29', '2023-02-26 00:00+00', '2024-10-29 00:00+00', '0:00', '24:00', NULL, 0),
    (231, '2024-10-29', '2023-02-26', '2024-10-29', '2023-02-26', '2024-10-29 00:00+00', '2023-02-26 00:00+00', '24:00', '0:00', NULL, 30),
    (232, '2024-02-29', '2024-03-31', '2024-02-29 23:59', '2024-03-31 02:30', '2024-10-27 00:59+00', '2024-10-27 01:00+00', '24:00', '0:00', NULL, 30);
CREATE FUNCTION without_intervals(expressions text[]) RETURNS text[] LANGUAGE sql AS $$SELECT array_agg(e) FROM unnest(expressions) AS e WHERE e !~ '\mi\M'$$;
CALL try_zones('{Europe/Berlin,Australia/Lord_Howe,Pacific/Apia}', fields('{d,m,z}') || without_intervals(numbers_of_times()) || moved_times() || conditions_on_times(), 'id >= 200',
    '{"d": ["2023-02-26", "2024-10-29"], "e": ["2023-02-26", "2024-10-29"], "m": ["2023-02-26", "2024-10-29"], "n": ["2023-02-26", "2024-10-29"], "z": ["2023-02-26 00:00+00", "2024-10-29 00:00+00"], "y": ["2023-02-26 00:00+00", "2024-10-29 00:00+00"], "a": [0, 30], "i": ["-520 days", "490 days"]}');
SELECT * FROM verdict;
DROP FUNCTION renew, plain(text, text), compare, small, conditions, fields, numbers_of_times, moved_times, conditions_on_times, without_intervals;
DROP PROCEDURE try_zones, try_all;
DROP VIEW verdict;
DROP TABLE times_rows, times_tried;
