-- Expressions over rows: at a large epsilon what plain SQL gives, wherever that has a value; and no row
-- makes one raise. Each row is a group of its own, so that every value is looked at.
CREATE EXTENSION IF NOT EXISTS dpmix;
SET client_min_messages = warning;
SET extra_float_digits = 0;
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

-- Random expressions of the list. Divisions of numeric stay out of what jumps (floor, %, comparisons): they are rounded elsewhere.
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
