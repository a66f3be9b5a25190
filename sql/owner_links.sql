-- Links: tables whose rows name a row of another table, and with it whose they are.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
LOAD 'dpmix';
\set SHOW_CONTEXT never
CREATE SCHEMA links;
SET search_path = links;

CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN format('%s %s | %s%s', state, message, detail, CASE WHEN hint = '' THEN ' (no hint)' END);
END $$;

CREATE TABLE customer (c_custkey int PRIMARY KEY, segment text);
CREATE TABLE orders (o_orderkey bigint PRIMARY KEY, o_custkey int, priority text, code text UNIQUE, early int,
                     late int, doubled int GENERATED ALWAYS AS (early * 2) STORED);
CREATE UNIQUE INDEX ON orders (early) WHERE early > 0;
CREATE UNIQUE INDEX ON orders ((late + 1));
CREATE UNIQUE INDEX backwards ON orders (code text_pattern_ops, early);
ALTER TABLE orders ADD CONSTRAINT deferred UNIQUE (late) DEFERRABLE;
CREATE TABLE lineitem (l_orderkey int, l_linenumber smallint, quantity float8, l_code text, l_price numeric,
                       tags text[], PRIMARY KEY (l_orderkey, l_linenumber));
CREATE TABLE shipment (s_line int, s_order bigint, weight float8, shipped date);
CREATE TABLE loose (l_orderkey int, x int);
CREATE TABLE parted (id int, o_custkey int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE other (id int PRIMARY KEY, o_custkey int);
INSERT INTO customer SELECT i, 's' || i % 3 FROM generate_series(1, 100) i;
INSERT INTO orders (o_orderkey, o_custkey, priority, code, early, late)
    SELECT i, 1 + i % 100, 'p' || i % 2, 'c' || i, i, i FROM generate_series(1, 400) i;
INSERT INTO lineitem SELECT i, n, n, 'c' || i, n FROM generate_series(1, 400) i, generate_series(1, 4) n;
INSERT INTO shipment SELECT n, i, n, '2020-01-01' FROM generate_series(1, 400) i, generate_series(1, 4) n;

SELECT dpmix.create_population('shop', 4, 1e-6), dpmix.create_population('mart', 4, 1e-6);
SET client_min_messages = warning;
SELECT dpmix.protect('customer', population => 'shop', privacy_unit => 'c_custkey');
SELECT dpmix.protect('other', population => 'mart', privacy_unit => 'o_custkey', max_rows_per_unit => 5);

-- What does not say whose row it is; nothing of it is on record.
SELECT refused(format('SELECT dpmix.protect(''lineitem'', %s)', terms)) FROM unnest(ARRAY[
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'''
]) AS terms;
SELECT dpmix.protect('orders', population => 'shop', privacy_unit => 'o_custkey', max_rows_per_unit => 10);
SELECT refused(format('SELECT dpmix.protect(''lineitem'', %s)', terms)) FROM unnest(ARRAY[
    '1, 1e-6, unit_through => ''orders'', link => ''{l_orderkey}''',
    'population => ''shop'', unit_through => ''orders''',
    'population => ''shop'', link => ''{l_orderkey}''',
    'population => ''shop'', target_key => ''{o_orderkey}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{NULL}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey,l_orderkey}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{nothing}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{ctid}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', target_key => ''{nothing}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey,l_linenumber}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_code}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_price}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{tags}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', target_key => ''{early}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', target_key => ''{late}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', target_key => ''{doubled}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_code,l_orderkey}'', '
        'target_key => ''{code,early}''',
    'population => ''shop'', unit_through => ''lineitem'', link => ''{l_orderkey}''',
    'population => ''shop'', unit_through => ''other'', link => ''{l_orderkey}''',
    'population => ''shop'', unit_through => ''loose'', link => ''{l_orderkey}''',
    'population => ''shop'', unit_through => 1, link => ''{l_orderkey}''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', privacy_unit => ''l_orderkey''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', blocks => ''l_orderkey''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', adjacency => ''replace''',
    'population => ''shop'', unit_through => ''orders'', link => ''{l_orderkey}'', max_rows_per_unit => 0'
]) AS terms;
SELECT dpmix.protect('parted', population => 'shop', privacy_unit => 'o_custkey', max_rows_per_unit => 5);
SELECT refused('SELECT dpmix.protect(''loose'', population => ''shop'', unit_through => ''parted'', link => ''{x}'', '
               'target_key => ''{o_custkey}'')');
SELECT count(*) FROM dpmix.protected_table WHERE schema_name = 'links' AND table_name IN ('lineitem', 'loose');

-- A chain, with a key of two columns, in another order than its index has; whole numbers of any width.
RESET client_min_messages;
SELECT dpmix.protect('lineitem', population => 'shop', unit_through => 'orders', link => '{l_orderkey}',
                     target_key => '{o_orderkey}', max_rows_per_unit => 200);
SELECT dpmix.protect('shipment', population => 'shop', unit_through => 'lineitem', link => '{s_line,s_order}',
                     target_key => '{l_linenumber,l_orderkey}', max_rows_per_unit => 200, guard_unit => true);
SELECT table_name, unit_through::regclass, link, link_attnums, target_key, target_attnums FROM (
    SELECT p.table_name, t.relation AS unit_through, p.link, p.link_attnums, p.target_key, p.target_attnums
    FROM dpmix.protected_table p JOIN dpmix.protected_table t ON t.id = p.unit_through
    WHERE p.schema_name = 'links' ORDER BY p.id) p;
SELECT refused('UPDATE shipment SET s_order = s_order + 1'), refused('UPDATE shipment SET s_line = NULL'),
       refused('UPDATE shipment SET s_order = s_order, weight = 2');
UPDATE lineitem SET l_orderkey = l_orderkey WHERE l_orderkey = 1;
UPDATE orders SET o_orderkey = o_orderkey WHERE o_orderkey = 1;
UPDATE orders SET priority = 'p0' WHERE o_orderkey = 1;
SELECT p.table_name, count(u.table_id) FROM dpmix.protected_table p LEFT JOIN dpmix.unit_update u ON u.table_id = p.id
WHERE p.schema_name = 'links' GROUP BY 1 ORDER BY 1;

-- Neighbours: where all rows of one unit go, also those that are found through links, nobody else's change hands. The
-- numbers of check() are exact; rows that name nothing stay nobody's, and those of a NULL unit.
SET client_min_messages = error;
INSERT INTO orders (o_orderkey, o_custkey) SELECT i, NULL FROM generate_series(401, 420) i;
INSERT INTO lineitem SELECT i, 1, 1 FROM generate_series(411, 440) i;
INSERT INTO shipment SELECT n, i, n, NULL FROM generate_series(401, 450) i, generate_series(1, 2) n;
INSERT INTO shipment VALUES (NULL, 1), (1, NULL);
CREATE FUNCTION counted(OUT units bigint, OUT most bigint, OUT rows bigint, OUT nobody bigint) LANGUAGE sql AS $$
    SELECT max(exact_number) FILTER (WHERE finding = 'units'),
           max(exact_number) FILTER (WHERE finding = 'rows of a unit, most'),
           max(exact_number) FILTER (WHERE finding = 'rows'),
           max(exact_number) FILTER (WHERE finding = 'rows without a unit')
    FROM dpmix.check('links.shipment')
$$;
CREATE FUNCTION without(unit int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE before record; after record; gone bigint; rest bigint;
BEGIN
    SELECT * INTO before FROM counted();
    CREATE TEMP TABLE hers ON COMMIT DROP AS SELECT o_orderkey AS o FROM orders WHERE o_custkey = unit;
    DELETE FROM shipment s USING lineitem l, hers h
        WHERE s.s_order = l.l_orderkey AND s.s_line = l.l_linenumber AND l.l_orderkey = h.o;
    GET DIAGNOSTICS gone = ROW_COUNT;
    SELECT * INTO after FROM counted();
    -- Her lines and orders follow, whether nobody's rows name them or not.
    DELETE FROM lineitem l USING hers h WHERE l.l_orderkey = h.o;
    DELETE FROM orders o USING hers h WHERE o.o_orderkey = h.o;
    SELECT c.nobody INTO rest FROM counted() c;
    RAISE EXCEPTION USING MESSAGE = format('%s rows of %s gone: %s unit, %s rows less; nobody has %s more, then %s',
        gone, unit, before.units - after.units, before.rows - after.rows, after.nobody - before.nobody,
        rest - after.nobody);
EXCEPTION WHEN raise_exception THEN RETURN SQLERRM;
END $$;
SELECT * FROM counted();
SELECT without(unit) FROM unnest('{1,2,50,91,100}'::int[]) unit;
-- The target goes alone, or comes back with another unit: its rows' rows are nobody's, or hers.
BEGIN;
DELETE FROM orders WHERE o_custkey = 50;
SELECT * FROM counted();
ROLLBACK;
BEGIN;
UPDATE orders SET o_custkey = 51 WHERE o_custkey = 50;
SELECT * FROM counted();
ROLLBACK;
-- What was charged row by row does not become a person's.
CREATE TABLE charged (l_orderkey int);
SELECT dpmix.protect('charged', 4, 1e-6);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM charged', .1) AS t(n bigint);
SELECT dpmix.unprotect('charged');
SELECT refused('SELECT dpmix.protect(''charged'', population => ''shop'', unit_through => ''orders'', '
               'link => ''{l_orderkey}'')');

-- Links never lead round.
SET client_min_messages = warning;
SELECT dpmix.unprotect('orders');
SELECT refused('SELECT dpmix.protect(''orders'', population => ''shop'', unit_through => ''shipment'', '
               'link => ''{o_orderkey}'', target_key => ''{s_order}'')');
CREATE UNIQUE INDEX ON shipment (s_order, s_line);
SELECT refused('SELECT dpmix.protect(''orders'', population => ''shop'', unit_through => ''shipment'', '
               'link => ''{o_orderkey,early}'', target_key => ''{s_order,s_line}'')');
SELECT dpmix.protect('orders', population => 'shop', privacy_unit => 'o_custkey', max_rows_per_unit => 10);

-- Queries and what is made of them go through links; no other release takes the rows for units: each is refused before
-- a charge.
SELECT dpmix.set_bounds('lineitem', 'quantity', 0, 10), dpmix.set_bounds('shipment', 'weight', 0, 10),
       dpmix.set_categories('lineitem', 'l_code', '{c1,c2}'), dpmix.set_max_rows_per_unit('lineitem', 100);
SELECT refused('SELECT dpmix.set_max_rows_per_unit(''lineitem'', 0)');
SELECT dpmix.expose('lineitem', 'links.lines', default_epsilon => .1, default_delta => 1e-9);
SELECT refused(ask) FROM unnest(ARRAY[
    $$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM lineitem', .1) AS t(n bigint)$$,
    $$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM shipment', .1) AS t(n bigint)$$,
    $$SELECT * FROM dpmix.query('SELECT dp_count(*) FROM orders JOIN lineitem ON o_orderkey = l_orderkey', .1)
      AS t(n bigint)$$,
    $$SELECT * FROM dpmix.query_json('SELECT dp_count(*) FROM lineitem', .1)$$,
    $$SELECT * FROM dpmix.preview('SELECT dp_count(*) FROM lineitem', .1)$$,
    $$SELECT count(*) FROM lines$$,
    $$SELECT dpmix.release_tree('m', 'lineitem', '{quantity,l_code}', .1, 1e-9)$$,
    $$SELECT dpmix.release_regression('m', 'lineitem', 'quantity', '{l_code}', .1, 1e-9)$$,
    $$SELECT dpmix.release_gmm('m', 'lineitem', '{quantity}', .1, 1e-9)$$,
    $$SELECT dpmix.release_cube('m', 'lineitem', '{l_code}', '{quantity}', .1, 1e-9)$$,
    $$SELECT * FROM dpmix.synthesize(NULL::lineitem, 100, .1, 1e-9, '{quantity,l_code}')$$,
    $$SELECT * FROM dpmix.cda(NULL::lineitem, '{quantity}', 100, .1, 1e-9, label => 'l_code')$$,
    $$SELECT * FROM dpmix.compare('lineitem', 'lineitem')$$,
    $$SELECT * FROM dpmix.compare_private('lineitem', 'lineitem', .1, 1e-9)$$,
    $$SELECT * FROM dpmix.suggest_bounds('lineitem', 'quantity', .1)$$,
    $$SELECT * FROM dpmix.suggest_categories('lineitem', 'l_code', .1, 1e-9)$$,
    $$SELECT * FROM dpmix.suggest_unit_bounds('lineitem', .1)$$,
    $$SELECT dpmix.create_counter('c', 'SELECT dp_count(*) FROM lineitem', '1 day', '10 days', .1, 1e-9)$$,
    $$SELECT * FROM dpmix.partial('SELECT dp_count(*) FROM lineitem') AS t(n bigint)$$
]) ask;
SELECT count(*) FROM dpmix.charge WHERE relation LIKE 'links.%';

-- A charge to the population fixes them, and with another link earlier charges do not resume.
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM customer', .1) AS t(n bigint);
SELECT dpmix.unprotect('lineitem');
SELECT refused(format('SELECT dpmix.protect(''lineitem'', population => ''shop'', %s)', terms)) FROM unnest(ARRAY[
    'privacy_unit => ''l_orderkey''',
    'unit_through => ''customer'', link => ''{l_orderkey}''',
    'unit_through => ''orders'', link => ''{l_code}'', target_key => ''{code}''',
    'unit_through => ''orders'', link => ''{l_orderkey}'', target_key => ''{o_orderkey}'', max_rows_per_unit => 7'
]) terms;
SELECT dpmix.unprotect('orders');
SELECT refused('SELECT dpmix.protect(''orders'', population => ''shop'', unit_through => ''customer'', '
               'link => ''{o_custkey}'')');
SELECT dpmix.protect('orders', population => 'shop', privacy_unit => 'o_custkey', max_rows_per_unit => 10);

DROP SCHEMA links CASCADE;
