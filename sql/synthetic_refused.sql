-- dpmix.cda: rows that are no good never raise, calls that are no good cost nothing.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;

CREATE TYPE cda_size AS ENUM ('s', 'm', 'l');
CREATE DOMAIN cda_known AS text CHECK (value <> 'unknown');
CREATE TABLE cda_poor (
    age integer, height float8, free float8, size cda_size, shade text, state cda_known, spot point, extra json,
    at timestamp, wide text, label text
);
SELECT dpmix.protect('cda_poor', 1e6, 1e-2);
SELECT dpmix.set_bounds('cda_poor', 'age', 0, 100), dpmix.set_bounds('cda_poor', 'height', 0, 2),
       dpmix.set_categories('cda_poor', 'size', '{s,m,l}'), dpmix.set_categories('cda_poor', 'state', '{known,unknown}'),
       dpmix.set_categories('cda_poor', 'at', '{2024-01-01 10:00:00,2024-01-01 11:00:00}'),
       dpmix.set_categories('cda_poor', 'wide', ARRAY(SELECT i::text FROM generate_series(1, 4095) AS i)),
       dpmix.set_categories('cda_poor', 'label', '{a,b,none}');
-- Bounds that are none.
SELECT dpmix.set_bounds('cda_poor', 'free', 1, 1);

-- Says what came out, and whether all of it is as declared.
CREATE FUNCTION cda_made(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    made text;
BEGIN
    EXECUTE format($q$
        SELECT concat_ws(', ', string_agg(label || ': ' || n, ', ' ORDER BY label), CASE WHEN NOT bool_and(good) THEN 'bad rows' END)
        FROM (SELECT coalesce(label, 'NULL') AS label, count(*) AS n,
                     bool_and((age BETWEEN 0 AND 100 AND height BETWEEN 0 AND 2 AND size IS NOT NULL AND num_nulls(free, shade, state, wide) = 4) IS true) AS good
              FROM dpmix.cda(%s) GROUP BY 1) AS t $q$, call) INTO made;
    RETURN made;
END $$;
-- An empty table; all is NULL; rows and classes of every size. (Which classes are said to be all noise
-- depends on the noise; sql/synthetic.sql looks at the warning.)
SET client_min_messages = error;
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 7, 1, 1e-6, label => 'label'$$);
INSERT INTO cda_poor SELECT FROM generate_series(1, 1000);
INSERT INTO cda_poor (label) SELECT (ARRAY['a', 'b', 'other', NULL])[i % 4 + 1] FROM generate_series(1, 1000) AS i;
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 7, 1, 1e-6, label => 'label'$$);
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 1, 1000, 1e-6, demix => 'per_class'$$);
-- Class a: 3 records, b: 2000, none: none. One undeclared, NULL or NaN value and a record is in no class.
INSERT INTO cda_poor (age, height, size, label) SELECT 20, 1, 'm', 'a' FROM generate_series(1, 3);
INSERT INTO cda_poor (age, height, size, label) SELECT 20, 1, 'm', 'b' FROM generate_series(1, 2000);
SELECT dpmix.set_categories('cda_poor', 'size', '{s,m}');
INSERT INTO cda_poor (age, height, size, label)
SELECT 90, h::float8, s::cda_size, l
FROM (VALUES ('1', 'l', 'b'), ('1', NULL, 'b'), ('NaN', 'm', 'b'), (NULL, 'm', 'b'), ('1', 'm', NULL), ('1', 'm', 'undeclared')) AS t(h, s, l), generate_series(1, 1000);
SELECT cda_made(format($$NULL::cda_poor, '{age,height,size}', %s, 1000, 1e-6, label => 'label', mix => %s, demix => %L$$, rows, mix, demix)) AS made, rows, mix, demix
FROM (VALUES (3, 1, 'none'), (3, 10000, 'per_class'), (100, 4, 'tied'), (1001, 500, 'per_class'), (1000, 10000, 'none'), (5000, 4, 'none')) AS t(rows, mix, demix);
SELECT label, abs(avg(age) - 20) < 3 AS age, avg((size = 'm')::int) > .9 AS size
FROM dpmix.cda(NULL::cda_poor, '{age,height,size}', 3000, 20000, 1e-6, label => 'label', mix => 100) WHERE label = 'b' GROUP BY label;
-- Clipped values that are infinite or too large.
INSERT INTO cda_poor (age, height, size, label) VALUES (2147483647, 'Infinity', 's', 'a'), (-2147483648, '-Infinity', 's', 'a');
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 300, 1000, 1e-6, label => 'label', clip => 1e-9$$);
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 300, 1000, 1e-6, label => 'label', clip => 5e-324, mix => 10$$);
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 300, 1000, 1e-6, label => 'label', clip => NULL, class_rows => NULL$$);
-- An epsilon that is too small to be of use: rows all the same.
SELECT cda_made($$NULL::cda_poor, '{age,height,size}', 300, 1e-4, 1e-9, demix => 'per_class'$$);
SET client_min_messages = warning;

-- Refusals: nothing is charged.
CREATE TABLE cda_poor_charges AS SELECT charges, epsilon_spent FROM dpmix.budget WHERE relation = 'cda_poor'::regclass;
CREATE TABLE cda_open (LIKE cda_poor);
CREATE VIEW cda_view AS SELECT * FROM cda_poor;
CREATE MATERIALIZED VIEW cda_stored AS SELECT * FROM cda_open;
CREATE TYPE cda_pair AS (age integer, height float8);
CREATE DOMAIN cda_row AS cda_poor;
CREATE TABLE cda_parts (age integer, label text) PARTITION BY LIST (label);
CREATE TABLE cda_part PARTITION OF cda_parts FOR VALUES IN ('a');
SELECT dpmix.protect('cda_parts', 10, 1e-3), dpmix.set_bounds('cda_parts', 'age', 0, 100);
CREATE FUNCTION cda_refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text; hint text;
BEGIN
    EXECUTE format('SELECT count(*) FROM dpmix.cda(%s)', call);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', SQLSTATE, message, CASE WHEN detail = '' OR hint = '' THEN '(no detail or hint)' END);
END $$;
SELECT cda_refusal(arguments) AS refusal, arguments
FROM unnest(ARRAY[
    $$NULL::cda_poor, '{}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{shade}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{free}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{at}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{spot}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{extra}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{state}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{wide,age,size}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{wide}', 100, 1, 1e-6, label => 'label', demix => 'per_class'$$,
    $$NULL::cda_poor, '{age,wide}', 100, 1, 1e-6, demix => 'tied'$$,
    $$NULL::cda_poor, '{size,label}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{size,size}', 100, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'shade'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'spot'$$,
    $$NULL::cda_poor, '{age}', 2, 1, 1e-6, label => 'label'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', clip => 0$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', clip => -.5$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', clip => 1.0000001$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', clip => 'NaN'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', clip => 'Infinity'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', class_rows => 'all'$$,
    $$NULL::cda_poor, '{age}', 100, 1, 1e-6, label => 'label', class_rows => ''$$,
    $$NULL::cda_open, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_view, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_stored, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_part, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_pair, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_row, '{age}', 100, 1, 1e-6$$,
    $$NULL::cda_poor[], '{age}', 100, 1, 1e-6$$,
    $$NULL::pg_class, '{relpages}', 100, 1, 1e-6$$,
    $$NULL::record, '{age}', 100, 1, 1e-6$$,
    $$NULL, '{age}', 100, 1, 1e-6$$]) WITH ORDINALITY AS t(arguments, n) ORDER BY n;
SELECT b.charges = c.charges AND b.epsilon_spent = c.epsilon_spent AS unchanged FROM dpmix.budget AS b, cda_poor_charges AS c
WHERE b.relation = 'cda_poor'::regclass;

-- Where demixing ends: 2048 coordinates, one for each number and category; raw rows may have 4096.
SELECT dpmix.set_categories('cda_poor', 'wide', ARRAY(SELECT i::text FROM generate_series(1, 2047) AS i));
SELECT mu > 0 AS fits FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_poor, '{wide,age}', 100, 1, 1e-6, label => 'label', demix => 'tied')$$);
SELECT mu > 0 AS fits FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_poor, '{wide,age,height}', 100, 1, 1e-6, label => 'label')$$);
SELECT mu > 0 AS fits FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_poor, '{wide,age,height}', 100, 1, 1e-6, label => 'label', demix => 'tied')$$);
SELECT mu > 0 AS fits FROM dpmix.preview($$
    SELECT * FROM dpmix.cda(NULL::cda_poor, '{wide,age,size}', 100, 1, 1e-6, demix => 'per_class')$$);

SELECT dpmix.unprotect('cda_poor'), dpmix.unprotect('cda_parts');
DROP FUNCTION cda_made(text), cda_refusal(text);
DROP DOMAIN cda_row;
DROP VIEW cda_view;
DROP MATERIALIZED VIEW cda_stored;
DROP TABLE cda_poor, cda_open, cda_poor_charges, cda_parts;
DROP TYPE cda_pair, cda_size;
DROP DOMAIN cda_known;
