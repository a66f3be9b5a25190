-- Statements over layers, asked with next to no noise, beside plain SQL. Where numbers of many joined rows are wide, it
-- may be seen; of less of it the same difference is not left.
CREATE EXTENSION dpmix;
CREATE TYPE answer AS (key text, numbers float8[]);
CREATE TABLE asked (n serial, place text, statement text, keys int, verdict text, exact answer[], private answer[]);
CREATE FUNCTION answer_of(said json, keys int) RETURNS answer LANGUAGE sql AS $$
    SELECT coalesce(string_agg(coalesce(value, 'NULL'), '') FILTER (WHERE n <= keys), ''),
           array_agg(coalesce(value::float8, 0) ORDER BY n) FILTER (WHERE n > keys)
    FROM json_each_text(said) WITH ORDINALITY t(name, value, n)
$$;
-- Groups that are not alike: the first number of each is its count, so that those without a row may be missing.
CREATE FUNCTION differing(private answer[], exact answer[]) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM unnest(private) p FULL JOIN unnest(exact) e ON e.key = p.key
    WHERE p IS NULL AND e.numbers[1] > 0
       OR (SELECT max(abs(coalesce(x, 0) - coalesce(y, 0)) - 1e-6 * abs(coalesce(y, 0)))
           FROM unnest(p.numbers, e.numbers) t(x, y)) > .4
$$;
CREATE FUNCTION private_answer(question text, keys int, epsilon float8) RETURNS answer[] LANGUAGE sql AS $$
    SELECT array_agg(answer_of(q, keys))
    FROM dpmix.query_json(regexp_replace(question, '\{(\w+)\}', 'dp_\1', 'g'), epsilon,
                          mechanism => 'laplace') q
$$;
CREATE FUNCTION is_alike(private answer[], question text, keys int, exact answer[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT CASE WHEN differing(private, exact) = 0 THEN true
                ELSE differing(private_answer(question, keys, 4e5), exact) = 0 END
$$;
CREATE FUNCTION compare(question text, keys int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place text := current_schema;
    exact answer[];
    private answer[];
BEGIN
    BEGIN
        private := private_answer(question, keys, 1e5);
    EXCEPTION WHEN OTHERS THEN
        INSERT INTO asked (place, statement, keys, verdict) VALUES (place, question, keys, SQLSTATE || ' ' || SQLERRM);
        RETURN;
    END;
    PERFORM set_config('search_path', format('%s_own, %1$s, public', place), true);
    EXECUTE format('SELECT array_agg(answer_of(row_to_json(q), %s)) FROM (%s) q', keys,
                   regexp_replace(question, '[{}]', '', 'g')) INTO exact;
    PERFORM set_config('search_path', place || ', public', true);
    INSERT INTO asked (place, statement, keys, verdict, exact, private)
    VALUES (place, question, keys, CASE WHEN is_alike(private, question, keys, exact) THEN 'equal' ELSE 'different' END,
            exact, private);
END $$;
-- The same rows in other places.
CREATE FUNCTION shuffle(place text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{p,q,w,l,m,k,b,d}'::text[] LOOP
        EXECUTE format('CREATE TEMP TABLE moved AS SELECT * FROM %I.%I; DELETE FROM %1$I.%2$I; '
                       'INSERT INTO %1$I.%2$I SELECT * FROM moved ORDER BY random(); DROP TABLE moved', place, name);
    END LOOP;
END $$;
-- Of statements that were answered: whether they still are, alike.
CREATE FUNCTION ask_again(place text, most int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one asked;
BEGIN
    PERFORM set_config('search_path', place || ', public', true);
    FOR one IN SELECT * FROM asked a WHERE a.place = ask_again.place AND verdict = 'equal'
               ORDER BY random() LIMIT most LOOP
        INSERT INTO asked (place, statement, keys, verdict)
        SELECT one.place, one.statement, one.keys, CASE WHEN is_alike(private_answer(one.statement, one.keys, 1e5),
                   one.statement, one.keys, one.exact) THEN 'equal again' ELSE 'different again' END;
    END LOOP;
END $$;
-- How far one unit moves them: what was asked before it changed, and how far each number may go.
CREATE TABLE moved (place text, change text, statement text, number int, by float8, together float8, allowed float8);
CREATE FUNCTION remember(question text, keys int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO asked (place, statement, keys, verdict, private)
    VALUES (current_schema, question, keys, 'remembered', private_answer(question, keys, 5e4));
EXCEPTION WHEN OTHERS THEN
    INSERT INTO asked (place, statement, keys, verdict)
    VALUES (current_schema, question, keys, SQLSTATE || ' ' || SQLERRM);
END $$;
CREATE FUNCTION ask_moved(place text, change text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one asked;
BEGIN
    PERFORM set_config('search_path', place || ', public', true);
    FOR one IN SELECT * FROM asked a WHERE a.place = ask_moved.place AND verdict = 'remembered' LOOP
        INSERT INTO moved
        SELECT one.place, change, one.statement, number, m.by, m.together, p.sensitivity
        FROM (SELECT n AS number, max(abs(coalesce(x, 0) - coalesce(y, 0))) AS by,
                     sum(abs(coalesce(x, 0) - coalesce(y, 0))) AS together
              FROM (SELECT coalesce(a.numbers, array_fill(0::float8, ARRAY[cardinality(b.numbers)])) AS before,
                           coalesce(b.numbers, array_fill(0::float8, ARRAY[cardinality(a.numbers)])) AS after
                    FROM unnest(one.private) a FULL JOIN unnest(private_answer(one.statement, one.keys, 5e4)) b
                         ON a.key = b.key) groups, unnest(before, after) WITH ORDINALITY t(x, y, n) GROUP BY n) m
             JOIN (SELECT CASE output_column WHEN 'n' THEN 1 ELSE 2 + substr(output_column, 2)::int END AS number,
                          max(sensitivity) AS sensitivity
                   FROM dpmix.preview(regexp_replace(one.statement, '\{(\w+)\}', 'dp_\1', 'g'), 5e4,
                                      mechanism => 'laplace', details => true)
                   WHERE output_column ~ '^(n|s\d)$' GROUP BY 1) p USING (number);
    END LOOP;
END $$;
