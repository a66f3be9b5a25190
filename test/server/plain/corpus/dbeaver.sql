-- DBeaver: connection, navigator, data editor, calc and grouping panels. How to read this: ../corpus.test.sh.

-- free: settings of a connection
SET extra_float_digits = 3;
SET application_name = 'DBeaver 24.2.0 - Main <postgres>';
SELECT current_schema(), session_user;
SHOW search_path;

-- free: the server's encoding and the databases
SELECT db.oid, db.datname, db.datallowconn, db.encoding FROM pg_catalog.pg_database db WHERE 1 = 1 AND datallowconn AND NOT datistemplate ORDER BY db.datname;
-- shows: postgres

-- free: schemas of the navigator
SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname;
-- shows: private

-- free: relations of a schema, with everything that the catalog says of them
SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE c.relnamespace = 'private'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c');
-- shows: cps

-- free: columns with defaults and comments
SELECT c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON a.attrelid = c.oid
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
LEFT OUTER JOIN pg_catalog.pg_description dsc ON c.oid = dsc.objoid AND a.attnum = dsc.objsubid
LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.oid = 'private.cps'::regclass ORDER BY a.attnum;
-- shows: ^cps\|[0-9]+\|wage

-- free: the view's source
SELECT pg_catalog.pg_get_viewdef('private.cps'::regclass, true);

-- free: rules, triggers and constraints
SELECT r.oid, r.*, c.oid FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class WHERE c.oid = 'private.cps'::regclass;
SELECT * FROM pg_catalog.pg_constraint WHERE conrelid = 'private.cps'::regclass;
SELECT t.oid, t.tgname FROM pg_catalog.pg_trigger t WHERE t.tgrelid = 'private.cps'::regclass;

-- free: sizes on disk
SELECT c.oid, pg_catalog.pg_total_relation_size(c.oid) AS total_rel_size, pg_catalog.pg_relation_size(c.oid) AS rel_size FROM pg_class c WHERE c.oid = 'private.cps'::regclass;
-- shows: \|0\|0$

-- free: the data editor
SELECT * FROM private.cps LIMIT 200;

-- free: the data editor with its alias and a sorting
SELECT x.* FROM private.cps x ORDER BY x.wage DESC;

-- refused: the data editor with a filter
SELECT x.* FROM private.cps x WHERE x.region = 'west' AND wage > 2000;

-- answered: row count of the data editor
SELECT count(*) FROM private.cps;

-- answered: row count of a filtered data editor
SELECT count(*) FROM private.cps x WHERE x.region = 'west' AND wage > 2000;

-- answered: row count of a query
SELECT COUNT(*) FROM (
SELECT * FROM private.cps
) dbvrcnt;

-- free: values of a column for a filter
SELECT region FROM private.cps GROUP BY region ORDER BY region LIMIT 200;
-- shows: ^midwest$

-- answered: values of a column with their counts
SELECT region, count(*) AS count FROM private.cps GROUP BY region ORDER BY 2 DESC LIMIT 200;

-- answered: values of a column that nobody declared, with their counts
SELECT note, count(*) AS count FROM private.cps GROUP BY note ORDER BY 2 DESC LIMIT 200;

-- answered: the grouping panel
SELECT region, sex, COUNT(*) FROM (
SELECT * FROM private.cps
) "_" GROUP BY region, sex ORDER BY COUNT(*) DESC;

-- answered: the grouping panel with an average
SELECT employed, AVG(wage), STDDEV(wage) FROM (SELECT x.* FROM private.cps x WHERE x.sex = 'F') "_" GROUP BY employed;

-- refused: the grouping panel with extremes
SELECT employed, MIN(wage), MAX(wage) FROM (SELECT * FROM private.cps) "_" GROUP BY employed;

-- refused: a list of values
SELECT region, string_agg(note, ', ') FROM private.cps GROUP BY region;

-- refused: rows as an array
SELECT array_agg(wage ORDER BY wage) FROM private.cps;

-- refused: rows as JSON
SELECT json_agg(c) FROM private.cps c;

-- free: rows as JSON, one each
SELECT to_json(c) FROM private.cps c LIMIT 10;

-- refused: a cell is edited
UPDATE private.cps SET wage = 1 WHERE id = 1;

-- free: the plan of a query
EXPLAIN (FORMAT JSON, ANALYZE false, VERBOSE true, COSTS true) SELECT region, avg(wage) FROM private.cps GROUP BY region;

-- answered: the plan of a query, with its run
EXPLAIN (FORMAT XML, ANALYZE, VERBOSE, COSTS, BUFFERS, TIMING) SELECT sex, avg(wage) FROM private.cps GROUP BY sex;

-- answered: a script with a parameter
PREPARE dbeaver_1 (text) AS SELECT sex, count(*) FROM private.cps WHERE region = $1 GROUP BY sex;
EXECUTE dbeaver_1('west');
DEALLOCATE dbeaver_1;

-- answered: export of a query's answer
COPY (SELECT region, count(*) AS n FROM private.cps WHERE education > 12 GROUP BY region ORDER BY region) TO STDOUT WITH (FORMAT csv, HEADER);
-- shows: ^region,n$
