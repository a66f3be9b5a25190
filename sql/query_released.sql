-- What a query makes of released values. At this epsilon counts come back exact, but for one in e^10000 runs.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TYPE released_mood AS ENUM ('low', 'high');
CREATE TABLE released_sales (id int PRIMARY KEY, region text COLLATE "C" NOT NULL, mood released_mood NOT NULL, price float8, code text COLLATE "POSIX" NOT NULL);
INSERT INTO released_sales  -- 40 rows in north, 30 in south, 30 in east, none in west
SELECT i, CASE WHEN i <= 40 THEN 'north' WHEN i <= 70 THEN 'south' ELSE 'east' END, CASE WHEN i % 2 = 0 THEN 'low' ELSE 'high' END::released_mood, 10, 'c'
FROM generate_series(1, 100) AS i;
SELECT dpmix.protect('released_sales', epsilon => 1e7, delta => 0, accountant => 'basic');
SELECT dpmix.set_categories('released_sales', 'region', '{north,south,east,west}');
SELECT dpmix.set_categories('released_sales', 'mood', '{high,low}');
SELECT dpmix.set_categories('released_sales', 'code', '{c}');
SELECT dpmix.set_bounds('released_sales', 'price', 0, 100);
CREATE ROLE regress_released_analyst;
SELECT dpmix.grant_access('released_sales', 'regress_released_analyst');
CREATE SCHEMA released_traps AUTHORIZATION regress_released_analyst;
SET SESSION AUTHORIZATION regress_released_analyst;
CREATE FUNCTION pg_temp.regions(rest text, params text[] = '{}') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(region || coalesce(n::text, ''), ' ') FROM dpmix.query('SELECT region, dp_count(*) AS n FROM released_sales GROUP BY region ' || rest, 1e5, params => params)
        AS t(region text, n bigint) $$;
\pset null (null)

-- Arithmetic and functions
SELECT region, twice, text, size, round(mean) AS mean, whole, lesser, list, other, days, log, all_true
FROM dpmix.query($$
    SELECT region, 2 * dp_count(*) AS twice, region || ': ' || dp_count(*), CASE WHEN dp_count(*) > 35 THEN 'large' WHEN region = 'west' THEN 'none' ELSE 'small' END,
           dp_sum(price) / dp_count(*), dp_count(*)::int % 7, least(dp_count(*), 35, NULL), ARRAY[dp_count(*), length(region)],
           coalesce(nullif(region, 'east'), 'EAST'), make_interval(days => dp_count(*)::int), round(log((dp_count(*) + 1)::numeric), 2),
           (dp_high(dp_count(*)) - dp_low(dp_count(*)) < 1) AND dp_count(*) IN (0, 30, 40) AND dp_count(*) BETWEEN 0 AND 40
    FROM released_sales GROUP BY region $$, 1e5)
    AS t(region text, twice bigint, text text, size text, mean float8, whole int, lesser bigint, list bigint[], other text, days interval, log numeric, all_true boolean);
SELECT * FROM dpmix.query('SELECT mood, mood = ''low'' AS low, CASE mood WHEN ''high'' THEN dp_count(*) ELSE -dp_count(*) END AS n, ARRAY[mood, ''low''] AS pair
    FROM released_sales GROUP BY mood', 1e5) AS t(mood released_mood, low boolean, n bigint, pair released_mood[]);
SELECT * FROM dpmix.query('SELECT 1, ''x'', NULL, dp_count(*) + $1::numeric, $2::date - date ''2020-01-01'' FROM released_sales', 1e5, params => '{.5,2020-03-01}')
    AS t(one int, x text, nothing text, n numeric, days int);
-- What a query returns is checked against the list before the charge
SELECT * FROM dpmix.query('SELECT dp_count(*) / 2 AS half, dp_count(*) / 2.0 AS rest, dp_count(*)::text AS text FROM released_sales', 1) AS t(half int, rest float8, text text);

-- No value is NULL, and takes no other with it
SELECT * FROM dpmix.query($$
    SELECT region, dp_count(*) AS n, 10 / dp_count(*) AS share, (1000 * dp_count(*))::smallint AS over, sqrt(dp_count(*) - 35) AS root, (region || dp_count(*))::int AS number,
           exp(18 * dp_count(*)::float8) > 1 AS power, length(lpad('x', dp_count(*)::int * 100000000)) AS long, ('-Infinity'::numeric / (dp_count(*) - 30))::int AS inf,
           ln(dp_count(*)::numeric - 30) IS NULL AS log, timestamp '2020-01-01' + dp_count(*) * interval '9000 years' AS date, chr(dp_count(*)::int) AS chr,
           (timestamp '2020-01-01', dp_count(*) * interval '9000 years') OVERLAPS (timestamp '2020-01-01', interval '1 day') AS common, substring('abc', 2, dp_count(*)::int - 35) AS part
    FROM released_sales GROUP BY region $$, 1e5)
    AS t(region text, n bigint, share bigint, over smallint, root float8, number int, power boolean, long int, inf int, log boolean, date timestamp, chr text, common boolean, part text);
-- Other errors remain errors
SET statement_timeout = '200ms';
SELECT n FROM dpmix.query('SELECT length(factorial(30000 + dp_count(*))::text) FROM released_sales', 1e5) AS t(n int);
RESET statement_timeout;

-- HAVING: aggregates that are not returned are statistics too; what is NULL or has no value is not true
SELECT * FROM dpmix.query('SELECT region FROM released_sales GROUP BY region HAVING dp_count(*) > 25 AND region <> ''east''', 1e5) AS t(region text);
SELECT * FROM dpmix.query('SELECT region, dp_count(*) FROM released_sales GROUP BY region HAVING 100 / dp_count(*) < 3', 1e5) AS t(region text, n bigint);
SELECT * FROM dpmix.query('SELECT region, dp_count(*) FROM released_sales GROUP BY region HAVING nullif(dp_count(*), 0) > $1', 1e5, params => '{30}') AS t(region text, n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM released_sales HAVING dp_count(price) > 1000', 1e5) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM released_sales HAVING $1', 1e5, params => '{NULL}') AS t(n bigint);
SELECT output_column, statistic, expected_error IS NULL AS derived
FROM dpmix.preview('SELECT region, 2 * dp_avg(price) AS double, dp_count(*) AS n FROM released_sales GROUP BY region HAVING dp_count(*) > 10 AND dp_count(price) > dp_sum(price) ORDER BY dp_sum(price), n, -dp_count(*)', 1);

-- ORDER BY: where values are equal the order of the groups stays
SELECT rest, pg_temp.regions(rest) FROM unnest(ARRAY[
    'ORDER BY dp_count(*)', 'ORDER BY n', 'ORDER BY 2 DESC', 'ORDER BY n DESC, region', 'ORDER BY region COLLATE "C" DESC', 'ORDER BY 10 / dp_count(*) DESC NULLS LAST, region',
    'ORDER BY 100 / dp_count(*)', 'ORDER BY 100 / dp_count(*) DESC', 'ORDER BY 100 / dp_count(*) NULLS FIRST', 'ORDER BY dp_count(*) > 30 DESC, length(region) + dp_count(*) USING >',
    'ORDER BY 1000000 * dp_count(*)::int DESC', 'ORDER BY (1000000000 * dp_count(*)::int) NULLS FIRST, n', 'ORDER BY 1 + NULL', 'ORDER BY ARRAY[dp_count(*) % 20, 1], 1',
    'HAVING dp_count(price) < 40 ORDER BY dp_sum(price) DESC']) AS rest;
SELECT string_agg(n::text, ' ') FROM dpmix.query('SELECT dp_count(*) FROM released_sales GROUP BY region ORDER BY region', 1e5) AS t(n bigint);
SELECT string_agg(mood || region, ' ') FROM dpmix.query('SELECT region, mood FROM released_sales GROUP BY region, mood ORDER BY mood DESC, dp_count(*)', 1e5) AS t(region text, mood released_mood);

-- LIMIT, OFFSET, FETCH
SELECT rest, params, pg_temp.regions(rest, params)
FROM (VALUES ('LIMIT 2', '{}'::text[]), ('LIMIT 0', '{}'), ('OFFSET 3', '{}'), ('LIMIT 1 OFFSET 1', '{}'), ('LIMIT NULL OFFSET NULL', '{}'), ('LIMIT $1 OFFSET $2', '{2,1}'),
             ('LIMIT $1 OFFSET $2', '{NULL,1}'), ('LIMIT ALL', '{}'), ('OFFSET 9', '{}'), ('LIMIT 1.4 + 0.2', '{}'), ('LIMIT 9223372036854775807 OFFSET 1', '{}'),
             ('ORDER BY n LIMIT 2', '{}'), ('ORDER BY n DESC LIMIT 2 OFFSET 1', '{}'), ('HAVING dp_count(*) < 40 LIMIT 2', '{}'), ('FETCH FIRST ROW ONLY', '{}'),
             ('ORDER BY n FETCH FIRST 2 ROWS WITH TIES', '{}'), ('ORDER BY n OFFSET 1 FETCH FIRST ROW WITH TIES', '{}'), ('ORDER BY n, region FETCH FIRST 2 ROWS WITH TIES', '{}'),
             ('ORDER BY n DESC FETCH FIRST 0 ROWS WITH TIES', '{}'), ('ORDER BY n DESC OFFSET 1 FETCH FIRST 9 ROWS WITH TIES', '{}')) AS c(rest, params);

-- JSON: the same answers, named by the query
SELECT query_json FROM dpmix.query_json($$
    SELECT region, mood, dp_count(*) AS n, round(dp_avg(price)) AS mean, dp_count(*) / 4.0 AS quarter, 1 / dp_count(*) AS share, dp_count(*) > 15 AS large,
           'NaN'::float8 + dp_count(*) AS nan, ARRAY[dp_count(*), NULL] AS list, date '2020-01-01' + dp_count(*)::int AS day, 'a"b' AS "q""k"
    FROM released_sales WHERE price > $1 GROUP BY region, mood HAVING dp_count(*) > 0 ORDER BY n DESC, region DESC LIMIT 2 $$, 1e5, params => '{1}');
RESET SESSION AUTHORIZATION;
CREATE FUNCTION released_traps.json(released_mood) RETURNS json LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'a cast ran as %', current_user; END$$;
CREATE CAST (released_mood AS json) WITH FUNCTION released_traps.json(released_mood);
SET SESSION AUTHORIZATION regress_released_analyst;
SELECT dpmix.query_json('SELECT mood, ARRAY[mood, ''low'', NULL] AS moods, ARRAY[ARRAY[1.5, dp_count(*)]] AS numbers FROM released_sales GROUP BY mood', 1e5);
SELECT dpmix.query_json('SELECT dp_count(*), dp_count(*) AS again FROM released_sales', 1e5);
SELECT dpmix.query_json('SELECT FROM released_sales GROUP BY region HAVING dp_count(*) = 30', 1e5);
SELECT count(*) FROM dpmix.query_json('SELECT dp_count(*) FROM released_sales GROUP BY region', 1e5);
SELECT sum((row ->> 'n')::int) AS total FROM dpmix.query_json('SELECT dp_count(*) AS n FROM released_sales GROUP BY region', 1e5) AS row;

-- Random expressions: each value is what plain SQL makes of the row's own noisy counts, or NULL where that has none
CREATE FUNCTION pg_temp.some(kind text, depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    forms text[] := CASE WHEN depth = 0 THEN CASE kind WHEN 'i' THEN '{[n],[n],[p],"(3 + 0 * [n])","([n] - 30)"}' WHEN 'f' THEN '{[l],"[n]::float8","([l] - 35)"}'
            WHEN 't' THEN '{[r],"(''k'' || [r])","[n]::text"}' ELSE '{"[n] > 30","[r] < ''o''","nullif([n], 30) > 5"}' END
        ELSE CASE kind WHEN 'i' THEN '{"(i + i)","(i - i)","(i * i)","(i / i)","(i % i)",abs(i),"(- i)",length(t),"CASE WHEN b THEN i ELSE i END","coalesce(nullif(i, i), i)","least(i, i)",
                i::smallint::bigint,t::bigint,"(ARRAY[i, i])[2]","CASE i WHEN i THEN i END",f::bigint,"(b)::int::bigint","strpos(t, t)","gcd(i, i)"}'
            WHEN 'f' THEN '{i::float8,"(f / f)","(f * f)",sqrt(f),exp(f),ln(f),"power(f, f)",round(f),"greatest(f, f)","atan2(f, f)"}'
            WHEN 't' THEN '{"(t || t)",upper(t),i::text,"lpad(t, (i)::int % 60)","substr(t, (i)::int, (i)::int)","repeat(t, (i)::int % 40)","CASE WHEN b THEN t END","split_part(t, t, 2)"}'
            ELSE '{"(i < i)","(f >= f)","(t = t)","(b AND b)","(b OR b)","(NOT b)","(i IS NULL)","(i IN (i, 3))","(t LIKE ''n%'')","(i BETWEEN i AND i)","(b IS TRUE)","(i IS DISTINCT FROM i)"}' END END;
    form text := forms[1 + floor(random() * cardinality(forms))::int];
    made text := '';
    part text;
BEGIN
    FOR part IN SELECT m[1] FROM regexp_matches(form, '\[[a-z]\]|''[^'']*''|[a-zA-Z_][a-zA-Z_0-9]*|.', 'g') AS m LOOP
        made := made || CASE WHEN part IN ('i', 'f', 't', 'b') THEN pg_temp.some(part, depth - 1) ELSE part END;
    END LOOP;
    RETURN made;
END $$;
CREATE FUNCTION pg_temp.plain(form text, released json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    value text;
BEGIN
    EXECUTE 'SELECT (' || regexp_replace(form, '\[([nplr])\]', '\1', 'g') || ')::text FROM (SELECT $1 AS n, $2 AS p, $3 AS l, $4 AS r) AS x'
        INTO value USING (released ->> 'n')::bigint, (released ->> 'p')::bigint, (released ->> 'l')::float8, released ->> 'r';
    RETURN value;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END $$;
SELECT setseed(0.5);
CREATE TEMP TABLE random_forms AS SELECT k, pg_temp.some((ARRAY['i', 'f', 't', 'b'])[1 + k % 4], 1 + k % 3) AS form FROM generate_series(1, 400) AS k;
CREATE TEMP TABLE random_values AS
SELECT k, form, q ->> 'x' AS got, pg_temp.plain(form, q) AS plain
FROM random_forms, LATERAL dpmix.query_json('SELECT region AS r, dp_count(*) AS n, dp_count(price) AS p, dp_low(dp_count(*)) AS l, ('
    || replace(replace(replace(replace(form, '[n]', 'dp_count(*)'), '[p]', 'dp_count(price)'), '[l]', 'dp_low(dp_count(*))'), '[r]', 'region') || ')::text AS x
    FROM released_sales GROUP BY region', 1) AS q;
SELECT count(*) AS values, count(DISTINCT k) AS expressions, count(plain) > 800 AS most, count(*) - count(plain) > 50 AS nulls, bool_and(got IS NOT DISTINCT FROM plain) AS equal FROM random_values;
SELECT form, got, plain FROM random_values WHERE got IS DISTINCT FROM plain LIMIT 10;

-- Refused before the charge
CREATE FUNCTION released_traps.own(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'saw %', $1; END$$;
CREATE FUNCTION released_traps.less(bigint, bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'saw %', $1; END$$;
CREATE OPERATOR released_traps.<<< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = released_traps.less);
CREATE OPERATOR released_traps.+ (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = int8pl);
CREATE OPERATOR released_traps.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = released_traps.less);
RESET SESSION AUTHORIZATION;
CREATE OPERATOR CLASS released_traps.odd_order FOR TYPE bigint USING btree AS OPERATOR 1 released_traps.<<<, FUNCTION 1 btint8cmp(bigint, bigint);
SET SESSION AUTHORIZATION regress_released_analyst;
CREATE DOMAIN released_traps.positive AS bigint CHECK (VALUE > 1000);
CREATE TYPE released_traps.pair AS (a bigint, b bigint);
CREATE FUNCTION released_traps.cast(bigint) RETURNS released_mood LANGUAGE sql IMMUTABLE AS 'SELECT ''low''::released_mood';
SET search_path = public, released_traps;
CREATE FUNCTION pg_temp.outcome(query text, params text[] = '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM FROM dpmix.query_json(query, 1, params => params);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN SQLSTATE LIKE 'PV%' AND (detail = '' OR hint = '') THEN ' (NO DETAIL OR HINT)' ELSE '' END;
END $$;
SELECT count(*) AS charges FROM dpmix.ledger \gset
\pset format unaligned
\pset tuples_only on
SELECT item || E'\n    ' || pg_temp.outcome('SELECT ' || item || ' AS x, dp_count(*) AS n FROM released_sales GROUP BY region, mood, code') FROM unnest(ARRAY[
    'own(dp_count(*))', 'dp_count(*) <<< 3', 'dp_count(*) OPERATOR(released_traps.+) dp_count(price)', 'released_traps.cast(dp_count(*))', 'dp_count(*)::released_traps.positive', '(dp_count(*), 1)::released_traps.pair',
    'ROW(dp_count(*), region)', '(region, mood) < (''a'', ''low'')', 'random() * dp_count(*)', 'dp_count(*) + extract(epoch FROM clock_timestamp())', 'to_char(dp_count(*), ''9'')', 'dp_count(*)::text::timestamptz',
    'pg_sleep(dp_count(*))', 'nextval(region)', 'region::regclass', 'set_config(''work_mem'', ''1MB'', false) || dp_count(*)', 'current_user || region', 'current_role || dp_count(*)::text',
    'pg_typeof(dp_count(*))', 'json_build_object(region, 1)', 'price', 'max(price)', 'count(*)', 'region || id', '(SELECT region)', 'dp_count(*) OVER ()', 'generate_series(1, dp_count(*))',
    'unnest(ARRAY[dp_count(*)])', 'region < mood::text', 'region COLLATE "C" < region COLLATE "POSIX"', 'dp_count(*) IN (SELECT 1)', 'EXISTS (SELECT 1)', 'released_sales', 'ctid',
    'dp_sum(dp_count(*))', 'dp_low(abs(dp_count(*)))', 'xmlelement(name a, region)', 'region || date ''2020-01-01''', 'region < code', 'least(region, code)', 'region IN (code, ''a'')', 'CASE WHEN dp_count(*) > 0 THEN 1 / 0 END', '$1']) AS item;
SELECT rest || E'\n    ' || pg_temp.outcome('SELECT region, dp_count(*) AS n FROM released_sales GROUP BY region ' || rest, params) FROM (VALUES
    ('HAVING own(dp_count(*)) > 1', '{}'::text[]), ('HAVING random() > .5', '{}'), ('HAVING dp_count(*)', '{}'), ('HAVING max(price) > 1', '{}'), ('HAVING price > 1', '{}'), ('HAVING EXISTS (SELECT 1)', '{}'),
    ('ORDER BY own(dp_count(*))', '{}'), ('ORDER BY random()', '{}'), ('ORDER BY dp_count(*) USING <<<', '{}'), ('ORDER BY (SELECT 1)', '{}'), ('ORDER BY dp_count(*) USING OPERATOR(released_traps.<)', '{}'), ('ORDER BY max(price)', '{}'),
    ('ORDER BY id', '{}'), ('ORDER BY 3', '{}'), ('ORDER BY point(1, dp_count(*))', '{}'), ('LIMIT -1', '{}'), ('OFFSET -1', '{}'), ('LIMIT $1', '{-3}'), ('LIMIT $1', '{x}'), ('LIMIT random()', '{}'),
    ('LIMIT dp_count(*)', '{}'), ('LIMIT (SELECT 1)', '{}'), ('LIMIT extract(year FROM clock_timestamp())::int', '{}'), ('LIMIT 99999999999999999999', '{}'), ('FETCH FIRST 1 ROW WITH TIES', '{}'),
    ('ORDER BY n FETCH FIRST (NULL) ROWS WITH TIES', '{}'), ('FOR UPDATE', '{}')) AS c(rest, params);
SELECT pg_temp.outcome('SELECT dp_count(*) AS n FROM released_sales GROUP BY region, code ORDER BY region || code');
SELECT pg_temp.outcome('SELECT price, dp_count(*) AS n FROM released_sales GROUP BY id');
SELECT pg_temp.outcome('SELECT dp_count(*) AS n FROM released_sales GROUP BY id ORDER BY price');
SELECT pg_temp.outcome('SELECT DISTINCT region, dp_count(*) FROM released_sales GROUP BY region');
SELECT pg_temp.outcome('SELECT dp_count(*), dp_count(*) FROM released_sales');
SELECT pg_temp.outcome('SELECT dp_count(*) AS "é", 1 AS "é" FROM released_sales');
SELECT pg_temp.outcome('SELECT ARRAY[' || string_agg(format('dp_low(dp_count(*), .%s1)', to_char(i, 'FM0000')), ',') || '] FROM released_sales') FROM generate_series(1, 1665) AS i;
SELECT pg_temp.outcome('SELECT ' || string_agg(format('dp_count(*) AS c%s', i), ',') || ' FROM released_sales ORDER BY 1') FROM generate_series(1, 1664) AS i;
SELECT count(*) - :charges AS charges FROM dpmix.ledger;
\pset tuples_only off
-- A function that its owner may not call is found out before the charge too
RESET SESSION AUTHORIZATION;
REVOKE EXECUTE ON FUNCTION sqrt(float8) FROM PUBLIC;
SET SESSION AUTHORIZATION regress_released_analyst;
SELECT pg_temp.outcome('SELECT sqrt(dp_count(*)) FROM released_sales');
SELECT count(*) - :charges AS charges FROM dpmix.ledger;
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION sqrt(float8) TO PUBLIC;
-- Nested too deep for the stack: no value
SELECT count(*) AS rows, count(x) AS values FROM dpmix.query($$SELECT repeat('[', dp_count(*)::int * 100000 + 1)::jsonb, dp_count(*) FROM released_sales WHERE id <= 40$$, 1e5) AS t(x jsonb, n bigint);

DISCARD TEMP;
DROP TABLE released_sales;
DROP SCHEMA released_traps CASCADE;
DROP TYPE released_mood;
DROP ROLE regress_released_analyst;
