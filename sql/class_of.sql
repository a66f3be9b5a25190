-- The number of a label's class: as array_position, for every type that can be a label.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA class_of_test;
SET search_path = class_of_test, public;
CREATE TYPE grade AS ENUM ('low', 'middle', 'high');

SELECT v, dpmix.class_of(v, '{a,b,"",ä,b,NULL}'::text[]) FROM unnest('{a,b,"",ä,c,NULL,A," a"}'::text[]) WITH ORDINALITY AS t(v, n) ORDER BY n;

-- Each of many categories, some of them twice, and what is none: constant, and not known to be
CREATE FUNCTION agree(type regtype, sample text) RETURNS TABLE (of_type regtype, constant bigint, varying bigint, rows bigint, classes bigint) LANGUAGE plpgsql AS $$
DECLARE
    categories text;
    query text := 'SELECT %L::regtype, count(*) FILTER (WHERE dpmix.class_of(v, %L::%s[]) IS NOT DISTINCT FROM array_position(%2$L::%3$s[], v) - 1),
        count(*) FILTER (WHERE dpmix.class_of(v, c) IS NOT DISTINCT FROM array_position(c, v) - 1), count(*), count(DISTINCT array_position(c, v))
        FROM (SELECT (%4$s)::%3$s AS v FROM generate_series(1, 400) i UNION ALL SELECT NULL) t, (SELECT %2$L::%3$s[] AS c OFFSET 0) o';
BEGIN
    EXECUTE format('SELECT array_agg(((%s)::%s)::text)::text FROM generate_series(1, 300, 2) i', sample, type) INTO categories;
    RETURN QUERY EXECUTE format(query, type, categories, type, sample);
END $$;
SELECT a.* FROM (VALUES ('text', 'md5((i % 350)::text)'), ('varchar', '''v'' || i % 350'), ('bpchar', '(i % 350) || ''  '''), ('name', '''n'' || i'), ('"char"', 'chr(40 + i % 50)'),
    ('boolean', 'i % 2 = 0'), ('smallint', 'i - 150'), ('integer', 'i * 1000003 % 1009'), ('bigint', 'i * 10000000000'), ('numeric', '(i % 30) * 1.10'),
    ('date', 'date ''2000-01-01'' + i'), ('uuid', 'md5(i::text)'), ('grade', '(ARRAY[''low'', ''middle'', ''high''])[1 + i % 3]')) t(type, sample),
    LATERAL agree(type::regtype, sample) a;

-- Refusals
\set VERBOSITY terse
SELECT dpmix.class_of('{}'::json, ARRAY['{}'::json]);
SELECT dpmix.class_of('1'::text, ARRAY[1]);
SELECT dpmix.class_of(1, NULL) IS NULL AS without_categories, dpmix.class_of(1, '{}') IS NULL AS none;

DROP SCHEMA class_of_test CASCADE;
