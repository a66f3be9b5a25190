-- Loaded by tests of dpmix.query: asks a text whose columns are not known beforehand, and tells all that
-- came of it, also what it was charged.
CREATE TYPE asked AS (state text, message text, detail text, hint text, charges bigint, answers jsonb);

CREATE FUNCTION charged() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge';

-- Whoever declares the wrong columns is told the right ones, before the charge.
CREATE FUNCTION columns_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE format('SELECT FROM %s AS t(none pg_lsn)', call);
    RAISE 'answered without its columns';
EXCEPTION WHEN SQLSTATE 'PV005' THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    IF hint NOT LIKE 'Write AS t(%' THEN RAISE; END IF;
    RETURN (SELECT string_agg('c' || n || ' ' || regexp_replace(item, '^("([^"]|"")*"|[^" ]*) ', ''), ', ' ORDER BY n)
            FROM regexp_split_to_table(substring(hint FROM 'AS t\((.*)\)'), ', ') WITH ORDINALITY AS s(item, n));
END $$;

CREATE FUNCTION query_call(query text, epsilon float8, delta float8 = 0, mechanism text = 'auto', params text[] = '{}',
                           keys text = 'declared', max_groups int = NULL) RETURNS text LANGUAGE sql AS $$
    SELECT format('dpmix.query(%L, %L, %L, %L, %L, %L, %L)', query, epsilon, delta, mechanism, params, keys, max_groups) $$;

CREATE FUNCTION ask(query text, epsilon float8, delta float8 = 0, mechanism text = 'auto', params text[] = '{}',
                    keys text = 'declared', max_groups int = NULL) RETURNS asked LANGUAGE plpgsql AS $$
DECLARE
    call text := query_call(query, epsilon, delta, mechanism, params, keys, max_groups);
    before bigint := charged();
    result asked;
BEGIN
    BEGIN
        EXECUTE format('SELECT coalesce(jsonb_agg(t), ''[]'') FROM %s AS t(%s)', call, columns_of(call)) INTO result.answers;
        result.state := 'answered';
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS result.detail = PG_EXCEPTION_DETAIL, result.hint = PG_EXCEPTION_HINT;
        result.state := SQLSTATE;
        result.message := SQLERRM;
    END;
    result.charges := charged() - before;
    RETURN result;
END $$;
