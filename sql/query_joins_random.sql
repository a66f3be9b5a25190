-- Random joins of random tables, against what docs/proofs/query_joins.md claims of those that are let in: a
-- protected row meets at most one row of the public tables, or the joined rows of a privacy unit depend
-- on that unit's rows alone.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA random_joins;
SET search_path = random_joins;
SELECT setseed(.5);
CREATE FUNCTION few() RETURNS int LANGUAGE sql VOLATILE AS $$ SELECT CASE WHEN random() < .85 THEN floor(random() * 5)::int END $$;
CREATE TABLE p (id int PRIMARY KEY, u int, x int, y int, z int);
CREATE TABLE q (id int PRIMARY KEY, u int, x int, y int, z int);
CREATE TABLE a (k int UNIQUE, l int, m int, v int, w int, UNIQUE (l, m));
CREATE TABLE b (k int UNIQUE, l int, m int, v int, w int, UNIQUE (m, l));
INSERT INTO p SELECT i, few(), few(), few(), few() FROM generate_series(1, 15) AS i;
INSERT INTO q SELECT i, few(), few(), few(), few() FROM generate_series(1, 15) AS i;
INSERT INTO a SELECT few(), few(), few(), few(), few() FROM generate_series(1, 60) ON CONFLICT DO NOTHING;
INSERT INTO b SELECT few(), few(), few(), few(), few() FROM generate_series(1, 60) ON CONFLICT DO NOTHING;
SELECT dpmix.protect('p', 10, 1e-6), dpmix.declare_public('a'), dpmix.declare_public('b');

CREATE FUNCTION one_of(texts text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT texts[1 + floor(random() * cardinality(texts))::int] $$;
CREATE FUNCTION operand(tables text[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    t text := one_of(tables);
BEGIN
    RETURN CASE WHEN random() < .1 THEN '2' ELSE t || '.' || one_of(CASE WHEN t IN ('p', 'q') THEN '{u,u,x,y,z}' ELSE '{k,k,l,m,v,w}'::text[] END) END;
END $$;
-- Up to three conditions over these tables, mostly equalities and mostly under AND.
CREATE FUNCTION condition(tables text[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    result text := operand(tables) || ' = ' || operand(tables);
BEGIN
    FOR i IN 1 .. floor(random() * 3)::int LOOP
        result := result || one_of(ARRAY[' AND ', ' AND ', ' AND ', ' OR ']) || operand(tables) || one_of(ARRAY[' = ', ' = ', ' = ', ' < ', ' IS NOT NULL AND 1 = ']) || operand(tables);
    END LOOP;
    RETURN result;
END $$;
CREATE FUNCTION random_from(first text, second text, third text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    kind text := one_of(ARRAY['JOIN', 'LEFT JOIN']);
    other text := one_of(ARRAY['JOIN', 'LEFT JOIN', 'LEFT JOIN']);
    result text;
BEGIN
    result := CASE floor(random() * 7)
        WHEN 0 THEN format('%s %s %s ON %s', first, kind, second, condition(ARRAY[first, second]))
        WHEN 6 THEN format('%s %s %s ON %s', second, kind, first, condition(ARRAY[first, second]))
        WHEN 1 THEN format('%s %s %s ON %s %s %s ON %s', first, kind, second, condition(ARRAY[first, second]), other, third, condition(ARRAY[first, second, third]))
        WHEN 2 THEN format('%s %s (%s %s %s ON %s) ON %s', first, kind, second, other, third, condition(ARRAY[second, third]), condition(ARRAY[first, second, third]))
        WHEN 3 THEN format('(%s %s %s ON %s) JOIN %s ON %s', second, other, third, condition(ARRAY[second, third]), first, condition(ARRAY[first, second, third]))
        WHEN 4 THEN format('%s, %s %s %s ON %s', first, second, other, third, condition(ARRAY[second, third]))
        ELSE format('%s, %s, %s', second, first, third) END;
    IF random() < .6 OR result NOT LIKE '%JOIN%' THEN
        result := result || ' WHERE ' || condition(CASE WHEN result ~ (third || ' ON|, ' || third || '$') THEN ARRAY[first, second, third] ELSE ARRAY[first, second] END);
    END IF;
    RETURN result;
END $$;
CREATE FUNCTION is_let_in(clause text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM dpmix.preview('SELECT dp_count(*) FROM ' || clause, 1);
    RETURN true;
EXCEPTION
    WHEN SQLSTATE 'PV002' THEN RETURN false;
END $$;

-- Units are rows: one joined row each.
CREATE TABLE attempts (clause text, let_in boolean);
INSERT INTO attempts SELECT clause, is_let_in(clause) FROM (SELECT random_from('p', 'a', 'b') AS clause FROM generate_series(1, 350)) AS t;
SELECT count(*) FILTER (WHERE let_in) > 25, count(*) FILTER (WHERE clause LIKE '%LEFT%' AND let_in) > 10, count(*) FILTER (WHERE NOT let_in) > 100 FROM attempts;
DO $$
DECLARE
    attempt record;
    most int;
    without boolean;
    multiplied int := 0;
BEGIN
    FOR attempt IN SELECT * FROM attempts LOOP
        EXECUTE format('SELECT max(n), bool_or(id IS NULL) FROM (SELECT p.id, count(*) AS n FROM %s) t', attempt.clause || ' GROUP BY p.id') INTO most, without;
        IF attempt.let_in AND (most > 1 OR without) THEN
            RAISE WARNING '% rows of one, without one %: %', most, without, attempt.clause;
        END IF;
        multiplied := multiplied + (most > 1)::int;
    END LOOP;
    IF multiplied < 60 THEN
        RAISE WARNING 'only % of the random joins multiply rows at all', multiplied;
    END IF;
END $$;

-- Units are the values of u: the joined rows of one do not change when all other units go.
SELECT dpmix.unprotect('p');
SELECT dpmix.protect('p', 10, 1e-6, privacy_unit => 'u', max_rows_per_unit => 5), dpmix.protect('q', 10, 1e-6, privacy_unit => 'u', max_rows_per_unit => 5);
CREATE SCHEMA random_unit;
CREATE VIEW random_unit.p AS SELECT * FROM p WHERE u = current_setting('random_joins.unit')::int;
CREATE VIEW random_unit.q AS SELECT * FROM q WHERE u = current_setting('random_joins.unit')::int;
TRUNCATE attempts;
INSERT INTO attempts SELECT clause, is_let_in(clause) FROM (SELECT CASE i % 2 WHEN 0 THEN random_from('p', 'q', 'a') ELSE random_from('p', 'a', 'q') END AS clause
                                                            FROM generate_series(1, 350) AS i) AS t;
SELECT count(*) FILTER (WHERE let_in) > 25, count(*) FILTER (WHERE clause LIKE '%LEFT%' AND let_in) > 10, count(*) FILTER (WHERE NOT let_in) > 100 FROM attempts;
DO $$
DECLARE
    attempt record;
    items text;
    statement text;
    rows_of text;
    alone text;
    dependent int := 0;
    differs boolean;
BEGIN
    FOR attempt IN SELECT * FROM attempts LOOP
        items := concat_ws(', ', 'p', CASE WHEN attempt.clause ~ '\mq\M' THEN 'q' END, CASE WHEN attempt.clause ~ '\ma\M' THEN 'a' END);
        statement := format('SELECT string_agg(row(%s)::text, '' '' ORDER BY row(%s)::text) FROM (SELECT %s FROM %s) t WHERE (p).u = $1', items, items, items, attempt.clause);
        differs := false;
        FOR unit IN 0 .. 4 LOOP
            PERFORM set_config('random_joins.unit', unit::text, false);
            PERFORM set_config('search_path', 'random_joins', false);
            EXECUTE statement INTO rows_of USING unit;
            PERFORM set_config('search_path', 'random_unit, random_joins', false);
            EXECUTE statement INTO alone USING unit;
            differs := differs OR rows_of IS DISTINCT FROM alone;
        END LOOP;
        IF attempt.let_in AND differs THEN
            RAISE WARNING 'rows of a unit depend on others: %', attempt.clause;
        END IF;
        dependent := dependent + differs::int;
    END LOOP;
    PERFORM set_config('search_path', 'random_joins', false);
    IF dependent < 60 THEN
        RAISE WARNING 'only % of the random joins mix units at all', dependent;
    END IF;
END $$;
