-- Expressions over rows: at a large epsilon what plain SQL gives, wherever that has a value; and no row
-- makes one raise. Each row is a group of its own, so that every value is looked at.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET extra_float_digits = 0;
ALTER SYSTEM SET dpmix.row_memory = '1GB';  -- for texts that may have any length, however deep in an expression
SELECT pg_reload_conf(), pg_sleep(.3) \g /dev/null
CREATE TYPE expression_mood AS ENUM ('low', 'middle', 'high');
CREATE TABLE expression_rows (
    id int PRIMARY KEY, a int, b int, s smallint, l bigint, x float8, y float8, r real, n numeric, t text, v varchar(12), c char(5),
    d date, e date, m timestamp, flag boolean, mood expression_mood);
INSERT INTO expression_rows VALUES
    (1, 7, 3, 2, 40, 1.5, -2.25, 0.5, 12.75, 'Anna', 'green', 'ab', '2001-02-03', '2011-12-13', '2001-02-03 04:05', true, 'low'),
    (2, -7, 2, -3, 5, 0.25, 8, 1.5, -3.5, 'berta', 'Red', 'b', '1999-12-31', '2000-01-01', '1999-12-31', false, 'high'),
    (3, 0, 0, 0, 0, 0, 0, 0, 0, '', '', '', '2000-01-01', '2000-01-01', '2000-01-01', true, 'middle'),
    (4, 12, -5, 4, -8, 100, 0.5, -2, 99.5, 'Größe', 'ÄÖÜ', 'é', '2024-02-29', '1970-01-01', '2024-02-29 23:59:59', NULL, NULL),
    (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (6, 1, NULL, 1, NULL, 'NaN', 2, 'NaN', 'NaN', ' x ', '%', '_', 'infinity', '2000-01-01', 'infinity', false, 'low'),
    (7, NULL, 2, NULL, 3, 'Infinity', '-Infinity', 'Infinity', 'Infinity', 'a%b\c', 'a_b', 'a', '-infinity', 'infinity', '-infinity', true, 'high'),
    (8, 2147483647, -2147483648, 32767, 9007199254740992, 1.7e308, -1.7e308, 3e38, 1e15, 'ab ab', 'ab', 'ab', '5874897-12-31',
     '4713-01-01 BC', '294276-12-31 23:59', false, 'middle'),
    (9, -2147483648, -1, -32768, -9007199254740992, 5e-324, -5e-324, 1e-45, 1e-3, repeat('ab', 3000), 'x', 'x', '4713-01-01 BC',
     '5874897-12-31', '4713-01-01 BC', true, 'low'),
    (10, 3, 3, 3, 3, -0.0, 3, -1.25, 3, 'naïve', 'NAÏVE', 'ß', '2000-02-29', '2001-02-28', '2000-02-29 12:00', NULL, 'high'),
    (11, 100, 7, 10, 1000, 2.5, -3.5, 2.5, 2.5, E'tab\tnew\nline', 'trim  ', 'z', '2010-10-10', '2010-10-11', '2010-10-10 10:10', true, 'middle'),
    (12, -1, 1, -1, 1, -2.5, 3.5, -0.5, -2.5, '\', '\\', '\', '1900-01-01', '2100-01-01', '1900-01-01', false, 'low');

-- A copy for each few answers: budgets end at 1e7
CREATE SEQUENCE expression_copies;
CREATE FUNCTION renew() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    copy text := 'expression_copy_' || nextval('expression_copies');
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS expression_copy_%s', currval('expression_copies') - 1);
    EXECUTE format('CREATE TABLE %I AS TABLE expression_rows', copy);
    PERFORM dpmix.protect(copy::regclass, epsilon => 1e7, delta => 0, accountant => 'basic');
    PERFORM dpmix.set_categories(copy::regclass, 'id', (SELECT array_agg(id::text ORDER BY id) FROM expression_rows));
    RETURN copy;
END $$;

-- The value of an expression in each row, cut off at +-1000; raised: plain SQL has none, or none within float8
CREATE FUNCTION plain(expression text, OUT id int, OUT value float8, OUT raised boolean) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
    FOR id IN SELECT r.id FROM expression_rows AS r ORDER BY 1 LOOP
        BEGIN
            EXECUTE format('SELECT least(greatest((%1$s)::float8, -1000), 1000) FROM expression_rows WHERE id = $1', expression) INTO value USING id;
            raised := false;
        EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
            value := NULL;
            raised := true;
        END;
        RETURN NEXT;
    END LOOP;
END $$;

-- What is wrong with the answers about a number; NULL: nothing
CREATE FUNCTION disagreement(expression text, copy text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT id, dp_sum(least(greatest(%s, -1000), 1000)) FROM %I GROUP BY id', expression, copy);
    wrong text;
BEGIN
    BEGIN
        PERFORM FROM dpmix.preview(query, 1);  -- reads no row
    EXCEPTION WHEN data_exception THEN
        RETURN NULL;  -- a constant in it has no value
    END;
    SELECT string_agg(format('row %s: %s instead of %s', p.id, q.value, p.value), '; ' ORDER BY p.id) INTO wrong
    FROM plain(expression) AS p JOIN dpmix.query(query, 9e5) AS q(id int, value float8) USING (id)
    WHERE NOT p.raised AND abs(coalesce(p.value, 0) - q.value) > .05;
    RETURN expression || ': ' || wrong;
EXCEPTION WHEN OTHERS THEN
    RETURN expression || ': ' || SQLSTATE || ' ' || SQLERRM;
END $$;

-- Random expressions of the list. Divisions of numeric stay out of what jumps (floor, %, comparisons): they are rounded
-- elsewhere.
CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS
    'SELECT choices[1 + floor(random() * cardinality(choices))::int]';
CREATE FUNCTION a_text(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF depth <= 0 OR random() < .2 THEN RETURN pick('t', 'v', 't', 'v', 'c::text', '''ab''', ''' x'''); END IF;
    RETURN CASE floor(random() * 11)::int
        WHEN 0 THEN format('lower(%s)', a_text(depth - 1))
        WHEN 1 THEN format('upper(%s)', a_text(depth - 1))
        WHEN 2 THEN format('left(%s, %s)', a_text(depth - 1), pick('0', '1', '3', '-1', '-2'))
        WHEN 3 THEN format('right(%s, %s)', a_text(depth - 1), pick('0', '1', '3', '-1', '-2'))
        WHEN 4 THEN format('substring(%s from %s for %s)', a_text(depth - 1), pick('1', '0', '-1', '2', '100'), pick('0', '1', '2', '100'))
        WHEN 5 THEN format('substr(%s, %s)', a_text(depth - 1), pick('1', '0', '-3', '2'))
        WHEN 6 THEN format('btrim(%s)', a_text(depth - 1))
        WHEN 7 THEN format('ltrim(%s, %s)', a_text(depth - 1), pick('''ab''', '''G''', ''''''))
        WHEN 8 THEN format('(%s || %s)', a_text(depth - 1), a_text(depth - 1))
        WHEN 9 THEN format('coalesce(%s, %s)', a_text(depth - 1), a_text(depth - 1))
        ELSE format('CASE WHEN %s THEN %s ELSE %s END', a_condition(depth - 1), a_text(depth - 1), a_text(depth - 1))
    END;
END $$;
CREATE FUNCTION a_date(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF depth <= 0 OR random() < .4 THEN RETURN pick('d', 'e', 'm::date', '''2000-03-01''::date'); END IF;
    RETURN CASE floor(random() * 5)::int
        WHEN 0 THEN format('(%s + %s)', a_date(depth - 1), pick('a', '1', '-40', 's'))
        WHEN 1 THEN format('(%s - %s)', a_date(depth - 1), pick('b', '1', '-40', '1000000'))
        WHEN 2 THEN format('greatest(%s, %s)', a_date(depth - 1), a_date(depth - 1))
        WHEN 3 THEN format('coalesce(%s, %s)', a_date(depth - 1), a_date(depth - 1))
        ELSE format('CASE WHEN %s THEN %s ELSE %s END', a_condition(depth - 1), a_date(depth - 1), a_date(depth - 1))
    END;
END $$;
CREATE FUNCTION a_number(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF depth <= 0 OR random() < .1 THEN
        RETURN pick('a', 'b', 's', 'l', 'x', 'y', 'r', 'n', '2', '0', '-3', '0.5', '1.25', '7::bigint', '1.5::float8', 'NULL::int', '10');
    END IF;
    RETURN CASE floor(random() * 22)::int
        WHEN 0 THEN format('(%s + %s)', a_number(depth - 1), a_number(depth - 1))
        WHEN 1 THEN format('(%s - %s)', a_number(depth - 1), a_number(depth - 1))
        WHEN 2 THEN format('(%s * %s)', a_number(depth - 1), a_number(depth - 1))
        WHEN 3 THEN format('(%s / %s)', a_number(depth - 1), a_number(depth - 1))
        WHEN 4 THEN format('(%s / %s)', pick('a', 'b', 's', 'l', '17'), pick('a', 'b', 's', 'l', '5', '0'))
        WHEN 5 THEN format('(%s %% %s)', pick('a', 'b', 's', 'l', 'n', '17'), pick('a', 'b', 's', 'l', '5', '2.5'))
        WHEN 6 THEN format('(- %s)', a_number(depth - 1))
        WHEN 7 THEN format('abs(%s)', a_number(depth - 1))
        WHEN 8 THEN format('%s(%s)', pick('floor', 'ceil', 'round', 'trunc', 'sign'), pick('x', 'y', 'n', 'a', 'x * 2', 'y - a', 'n + 1.5', 'x + a'))
        WHEN 9 THEN format('sqrt(%s)', a_number(depth - 1))
        WHEN 10 THEN format('%s(%s)', pick('ln', 'log', 'exp'), a_number(depth - 1))
        WHEN 11 THEN format('(%s ^ %s)', pick('x', 'a', 'y', '2', 'n'), pick('2', '3', '0', '-1', '0.5', 'b'))
        WHEN 12 THEN format('%s(%s, %s)', pick('greatest', 'least'), a_number(depth - 1), a_number(depth - 1))
        WHEN 13 THEN format('coalesce(%s, %s)', a_number(depth - 1), a_number(depth - 1))
        WHEN 14 THEN format('nullif(%s, %s)', pick('a', 'b', 'x', 'n', 's + 1'), pick('3', 'a', '1.5', 'b'))
        WHEN 15 THEN format('CASE WHEN %s THEN %s ELSE %s END', a_condition(depth - 1), a_number(depth - 1), a_number(depth - 1))
        WHEN 16 THEN format('CASE %s WHEN %s THEN %s WHEN 3 THEN %s END', pick('a', 'b', 's * 1', 'x'), pick('7', 'b', '0'), a_number(depth - 1), a_number(depth - 1))
        WHEN 17 THEN format('%s(%s)', pick('length', 'char_length', 'octet_length'), a_text(depth - 1))
        WHEN 18 THEN format('(%s - %s)', a_date(depth - 1), a_date(depth - 1))
        WHEN 19 THEN format('(%s)::int', a_condition(depth - 1))
        WHEN 20 THEN format('(%s)::%s', pick('a', 'b', 's', 'x', 'y', 'n', 'x + 1', 'a * 2'), pick('int', 'bigint', 'float8', 'numeric'))
        ELSE format('round(%s::numeric, %s)', pick('n', 'a', 's', 'x'), pick('0', '1', '-1'))
    END;
END $$;
CREATE FUNCTION a_condition(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF depth <= 0 THEN RETURN pick('flag', 'a > 3', 'x <= 1.5', 't = ''''', 'mood = ''low''', 'd < e'); END IF;
    RETURN CASE floor(random() * 14)::int
        WHEN 0 THEN format('(%s %s %s)', pick('a', 'b', 's', 'l', 'x', 'n', 'a + 1', 'x * 2', 's - b', 'n + 1', 'a % 3'), pick('<', '<=', '=', '<>', '>', '>='),
                           pick('a', 'b', '3', '1.5', 'y', 'n', 'b * 2', 'a / 2', 'x - 1'))
        WHEN 1 THEN format('(%s %s %s)', a_text(depth - 1), pick('<', '<=', '=', '<>', '>', '>='), a_text(depth - 1))
        WHEN 2 THEN format('(%s %s %s)', a_date(depth - 1), pick('<', '<=', '=', '<>', '>', '>='), a_date(depth - 1))
        WHEN 3 THEN format('(%s AND %s)', a_condition(depth - 1), a_condition(depth - 1))
        WHEN 4 THEN format('(%s OR %s)', a_condition(depth - 1), a_condition(depth - 1))
        WHEN 5 THEN format('(NOT %s)', a_condition(depth - 1))
        WHEN 6 THEN format('(%s IS %s)', a_condition(depth - 1), pick('TRUE', 'NOT TRUE', 'UNKNOWN', 'NULL', 'NOT NULL'))
        WHEN 7 THEN format('(%s IS DISTINCT FROM %s)', pick('a', 'b + 1', 'x', 'n', 's * 2'), pick('a', '3', 'y', '1.5', 'b - 1'))
        WHEN 8 THEN format('(%s BETWEEN %s %s AND %s)', pick('a', 'x', 'a + b', 'n'), pick('', 'SYMMETRIC'), pick('1', 'b', '-3'), pick('10', 'a', '5.5'))
        WHEN 9 THEN format('(%s %s (%s, 3, %s))', pick('a', 'x + 1', 's * b', 'n'), pick('IN', 'NOT IN'), pick('7', '1.5', 'NULL'), pick('0', '-1'))
        WHEN 10 THEN format('(%s %s %s)', a_text(depth - 1), pick('LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE'), pick('''a%''', '''%\%b%''', '''_''', '''''', '''%Ö%''', '''%'''))
        WHEN 11 THEN format('starts_with(%s, %s)', a_text(depth - 1), a_text(depth - 1))
        WHEN 12 THEN format('(strpos(%s, %s) %s)', a_text(depth - 1), a_text(depth - 1), pick('> 0', '= 1', '< 3'))
        ELSE format('(%s IS %s NULL)', pick('a / b', 'x', 't || v', 'd + a', 'sqrt(y)'), pick('', 'NOT'))
    END;
END $$;

-- Any errors of random expressions
CREATE TABLE expression_faults (fault text);
CREATE PROCEDURE try_random(expressions int) LANGUAGE plpgsql AS $$
DECLARE
    copy text;
BEGIN
    FOR i IN 0 .. expressions - 1 LOOP
        IF i % 10 = 0 THEN
            copy := renew();
            COMMIT;  -- answers wait for the table's protection
        END IF;
        INSERT INTO expression_faults SELECT disagreement(CASE WHEN i % 3 = 0 THEN format('(%s)::int', a_condition(3)) ELSE a_number(3) END, copy);
    END LOOP;
END $$;
SELECT setseed(.25);
CALL try_random(300);
SELECT count(*) AS tried, count(fault) AS wrong, string_agg(fault, E'\n') FROM expression_faults;

-- Each construct by itself
TRUNCATE expression_faults;
CREATE PROCEDURE try_each(pattern text, VARIADIC expressions text[]) LANGUAGE plpgsql AS $$
DECLARE
    copy text;
BEGIN
    FOR i IN 1 .. cardinality(expressions) LOOP
        IF i % 10 = 1 THEN
            copy := renew();
            COMMIT;
        END IF;
        INSERT INTO expression_faults SELECT disagreement(format(pattern, expressions[i]), copy);
    END LOOP;
END $$;
CALL try_each('%s',
    'a', 's', 'l', 'x', 'r', 'n', '+a', '-s', '@ b', 'a + s + l', 'a * 1000000000', 'a / b', 's / s', 'l / a', 'n / 4', 'a / 2.0', 'a % b', 'mod(l, 7)', 'div(n, 2)', 'n % 2.5', '5 % b', 'x ^ 2', 'pow(a, 2)',
    'power(n, 2)', '|/ x', '||/ x', 'cbrt(y)', 'sqrt(n)', 'ln(n + 4)', 'log(x)', 'log10(n)', 'log(2, l)', 'exp(b)', 'exp(r)', 'sign(x)', 'sign(n)', 'ceiling(y)', 'round(n)', 'round(x)', 'round(n, 1)', 'trunc(n, -1)',
    'trunc(y)', 'floor(-x)', 'n::int', 'x::smallint', 'r::bigint', 'l::real', 'n::float8', 'flag::int', 'length(c)', 'character_length(t || v)', 'octet_length(c)', 'strpos(v, ''e'')', 'position(''b'' in t)',
    'd - e', '(d + 30) - d', '(7 + e) - ''2000-01-01''', 'd - ''2000-01-01''::date', 'm::date - d', 'greatest(a, b, 3)', 'least(x, n, a)', 'greatest(d, e) - e', 'coalesce(n, a, 5)', 'nullif(a, 7)', 'nullif(x * 2, 3)',
    'CASE WHEN a > b THEN x WHEN flag THEN n ELSE s END', 'CASE mood WHEN ''low'' THEN 1 WHEN ''high'' THEN a END', 'CASE a + 1 WHEN 8 THEN CASE b WHEN 3 THEN 10 END WHEN 1 THEN l END', 'CASE t WHEN v THEN 1 ELSE 2 END',
    'CASE WHEN b <> 0 THEN a / b END', 'CASE WHEN a IN (1, 7) THEN 1.5 END');
CALL try_each('(%s)::int',
    'flag', 'NOT flag', 'flag IS NOT FALSE', 'a + 1 > b AND flag OR x < 2', 'a BETWEEN 1 AND 10', 'x BETWEEN SYMMETRIC 5 AND n', 'a + b IN (10, NULL, 5)', 'a * 1.0 NOT IN (7, 12)', 'n = ANY (''{12.75,0}'')',
    'x + 0 > ALL (''{1,2.5}''::float8[])', 'a + 1 = ANY (NULL::int[])', 's * 2 <> ALL (''{}'')', 'a + 1 IS DISTINCT FROM b', 'n IS NOT DISTINCT FROM x', 'a / b IS NULL', 'l > 9007199254740991', 'l + 1 > 5', 'n > x', 'n + 1 > x',
    'mood > ''low''', 'mood IN (''low'', ''high'')', 'coalesce(mood, ''middle'') = ''middle''', 'greatest(mood, ''middle'') = ''high''', 'd > e', 'd + a > e', 'd - 1 = ANY (''{1999-12-30,2001-02-02}'')', 'd < ''2001-01-01''::timestamp',
    'm > ''2001-01-01''', 'm::date = d', 'coalesce(d, e) >= ''2000-01-01''', 't = v', 't < v', 'lower(t) = ''anna''', 'upper(v) = ''GREEN''', 't || v LIKE ''A%n''', 't NOT LIKE ''%a''', 't ILIKE ''B_RT%''', 'v ILIKE ''äö%''', 'c LIKE ''a%''',
    'c = ''ab''', 'c || ''!'' = ''ab!''', 't LIKE ''a#%b%'' ESCAPE ''#''', 't LIKE NULL', 'starts_with(t, ''A'')', 't ^@ ''b''', 'left(t, 1) = ''A''', 'right(t, -1) = ''nna''', 'substr(t, 2, 2) = ''nn''', 'substring(t from 3) = ''na''',
    'btrim(v) = ''trim''', 'ltrim(t) = ''x ''', 'rtrim(v, ''en'') = ''gr''', 'trim(both ''a'' from t) = ''b ab''', 'coalesce(t, v) = ''''', 'nullif(t, '''') IS NULL', 'greatest(t, v) = t', 'CASE WHEN flag THEN t ELSE v END = ''Anna''',
    't < ''b'' COLLATE "C"', 'lower(t COLLATE "C") = ''anna''', 'x = ''NaN''', 'n = ''Infinity''', 'x + 1 = ''NaN''', 'a IN (1, b)', 'length(t) > 3 AND length(v) BETWEEN 1 AND 5', 'a::bool', '(a > 3)::int + (b > 2)::int = 2');
SELECT count(*) AS tried, count(fault) AS wrong, string_agg(fault, E'\n') FROM expression_faults;

-- Bounds: of columns where they are summed, not in conditions; of expressions, from those
CREATE TABLE expression_bounds (id int, age int, wage float8, amount numeric, born date, code varchar(10), ends date);
INSERT INTO expression_bounds VALUES (1, 30, 100, 5, '1990-01-01', 'abc', '2100-01-01'), (2, 150, 9e9, 1e300, '2050-01-01', NULL, NULL), (3, -5, 'NaN', NULL, '-infinity', 'x', NULL),
    (4, 0, 'Infinity', 'NaN', NULL, '', 'infinity'), (5, NULL, NULL, -1, 'infinity', 'abcdefghij', NULL), (6, NULL, NULL, 0, NULL, NULL, NULL);
SELECT dpmix.protect('expression_bounds', epsilon => 1e7, delta => 0, accountant => 'basic');
SELECT dpmix.set_bounds('expression_bounds', 'age', -.5, 100.5), dpmix.set_bounds('expression_bounds', 'wage', 0, 1000), dpmix.set_bounds('expression_bounds', 'amount', 1, 10),
       dpmix.set_bounds('expression_bounds', 'born', date '1980-01-01', date '2000-01-01');
\pset format unaligned
SELECT statistic, sensitivity FROM dpmix.preview($$
    SELECT dp_sum(wage * 52), dp_avg(age + 1), dp_sum(age * age), dp_sum((age > 100)::int), dp_sum(wage / age), dp_sum(age / 7), dp_sum(age % 10), dp_sum(1 / amount), dp_avg(date '2000-01-01' - born), dp_sum(length(code)),
           dp_sum(CASE WHEN age > 120 THEN 5 WHEN age < 0 THEN age END), dp_sum(coalesce(nullif(age, 150), -3)), dp_sum(greatest(least(amount, 4), 2)), dp_sum(1), dp_sum(0 * age), dp_sum(-age)
    FROM expression_bounds$$, 1);
CREATE FUNCTION clamped(x numeric, lower numeric, upper numeric) RETURNS numeric LANGUAGE sql AS
    $$SELECT CASE WHEN x <> 'NaN' THEN least(greatest(x, lower), upper) END$$;
SELECT bool_and(abs(noisy - exact) < 1e-3 * (1 + abs(exact))) AS same, count(*), string_agg(format('%s: %s, %s', name, noisy, exact), '; ') FILTER (WHERE NOT abs(noisy - exact) < 1e-3 * (1 + abs(exact)))
FROM (SELECT r.key AS name, r.value::float8 AS noisy, e.value::float8 AS exact
      FROM dpmix.query($$
          SELECT dp_sum(wage * 52), dp_avg(age + 1), dp_sum(age * age), dp_sum((age > 100)::int), dp_sum(wage / age), dp_sum(age / 7), dp_sum(age % 10), dp_sum(1 / amount), dp_avg(date '2000-01-01' - born), dp_sum(length(code)),
                 dp_sum(CASE WHEN age > 120 THEN 5 WHEN age < 0 THEN age END), dp_sum(coalesce(nullif(age, 150), -3)), dp_sum(greatest(least(amount, 4), 2)), dp_sum(1), dp_count(1 / age), dp_avg(100 / age), dp_avg(1 / amount)
          FROM expression_bounds$$, 9e6)
          AS t(a float8, b float8, c float8, d float8, e float8, f float8, g float8, h float8, i float8, j float8, k float8, l float8, m float8, n float8, o bigint, p float8, q float8), to_jsonb(t) AS document, jsonb_each_text(document) AS r
      JOIN (SELECT e.* FROM (
          SELECT sum(w * 52) AS a, avg(y + 1) AS b, sum(y * y) AS c, sum((age > 100)::int) AS d, sum(w / nullif(y, 0)) AS e, sum(div(y, 7)) AS f, sum(y % 10) AS g, sum(1 / m) AS h, avg(10957 - o) AS i, sum(length(code)) AS j,
                 sum(CASE WHEN age > 120 THEN 5 WHEN age < 0 THEN y END) AS k, sum(coalesce(CASE WHEN age <> 150 THEN y END, -3)) AS l, sum(greatest(least(m, 4), 2)) FILTER (WHERE amount IS DISTINCT FROM 'NaN') + 4 AS m, count(*) AS n,
                 count(*) FILTER (WHERE age <> 0) AS o, avg(div(100, nullif(y, 0))) AS p, avg(1 / m) AS q
          FROM (SELECT *, clamped(age, 0, 100) AS y, clamped(wage::text::numeric, 0, 1000) AS w, clamped(amount, 1, 10) AS m,
                       CASE WHEN born IS NOT NULL THEN least(greatest(born, '1980-01-01'), '2000-01-01') END - date '1970-01-01' AS o FROM expression_bounds) AS b) AS x, to_jsonb(x) AS document, jsonb_each_text(document) AS e) AS e USING (key)) AS both_ways;

\echo -- Bounds that cannot be told: why, and what to write
CREATE FUNCTION told(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    PERFORM FROM dpmix.preview(format('SELECT dp_sum(%s) FROM expression_bounds', expression), 1);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n    ', SQLSTATE || ' ' || SQLERRM, detail, hint);
END $$;
SELECT expression || E'\n    ' || told(expression) FROM unnest(ARRAY['id + 1', 'wage / (amount - 1)', '1 / wage', 'wage / greatest(age, 1)', 'ln(wage)', 'ln(greatest(wage, 1))', 'exp(wage)', 'wage ^ 300', 'length(code || ''x'')',
    'length(code::text || id)', 'octet_length(code)', 'ends - born', 'least(ends, ''2030-01-01'') - born', 'greatest(least(id, 9), 1)', 'greatest(id, 1)', 'sqrt(wage - 5)', 'id % 7', '(code = ''x'')::int',
    'CASE WHEN id > 3 THEN age END', 'CASE id WHEN 3 THEN age ELSE id END', 'coalesce(id, 3)', 'nullif(age, id)', 'round(amount, 2)']) AS expression;

\echo -- Rows of any values: never an error
CREATE TABLE expression_hostile AS TABLE expression_rows;
INSERT INTO expression_hostile (id, a, b, s, l, x, y, r, n, t, v, c, d, e, m) VALUES
    (21, -2147483648, -1, -32768, -9223372036854775808, -1.7976931348623157e308, 2.2250738585072014e-308, -3.4e38, -1e5000, repeat('Ä%_\', 1000000), repeat('\', 12), '%%%%%', '4714-11-24 BC', '5874897-12-31', '4714-11-24 BC'),
    (22, 2147483647, 2147483647, 32767, 9223372036854775807, 1.7976931348623157e308, -0.0, 1e-45, 1e-5000, repeat('x', 5000000), '____________', '\\\\\', '-infinity', '-infinity', '294276-12-31 23:59:59.999999'),
    (23, 0, 0, 0, 0, 'NaN', '-Infinity', '-Infinity', '-Infinity', E'\u0130\u0149\ufb03\u1e9e', E'\u0390\ufffd', E'\u0345', 'infinity', 'infinity', '-infinity');
SELECT dpmix.protect('expression_hostile', epsilon => 1e7, delta => 0, accountant => 'basic');
CREATE FUNCTION failure(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT dp_count(%1$s), dp_sum(least(greatest(%1$s, -1), 1)) FROM expression_hostile', expression);
BEGIN
    BEGIN
        PERFORM FROM dpmix.preview(query, 1);
    EXCEPTION WHEN data_exception THEN
        RETURN NULL;  -- a constant in it has no value
    END;
    PERFORM FROM dpmix.query(query, 1) AS q(n bigint, s float8);
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN expression || ': ' || SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT setseed(.75);
SELECT count(*) AS tried, string_agg(failure(expression), E'\n') AS failures
FROM (SELECT CASE WHEN i % 3 = 0 THEN format('(%s)::int', a_condition(3)) ELSE a_number(3) END AS expression FROM generate_series(1, 200) AS i OFFSET 0) AS random_ones;
DROP TABLE expression_rows, expression_bounds, expression_hostile, expression_faults;
DROP FUNCTION renew, plain, disagreement, pick, a_text, a_date, a_number, a_condition, clamped, told, failure;
DROP PROCEDURE try_random, try_each;
DROP SEQUENCE expression_copies;
DROP TYPE expression_mood CASCADE;
ALTER SYSTEM RESET dpmix.row_memory;
SELECT pg_reload_conf() \g /dev/null
