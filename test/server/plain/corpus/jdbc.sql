-- pgjdbc's metadata calls, and what tools on top of it ask. How to read this: ../corpus.test.sh.

-- free: settings of a connection
SET extra_float_digits = 3;
SET application_name = 'PostgreSQL JDBC Driver';
SHOW TRANSACTION ISOLATION LEVEL;

-- free: isValid
SELECT 1;

-- free: getSchemas
SELECT nspname AS table_schem, current_database() AS table_catalog FROM pg_catalog.pg_namespace
WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1])
  AND (nspname !~ '^pg_toast_temp_' OR nspname = replace((pg_catalog.current_schemas(true))[1], 'pg_temp_', 'pg_toast_temp_')) ORDER BY table_schem;
-- shows: ^private\|

-- free: getTables
SELECT current_database() AS table_cat, n.nspname AS table_schem, c.relname AS table_name,
       CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'
         WHEN true THEN 'SYSTEM VIEW'
         WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' END
       END AS table_type, d.description AS remarks
FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass)
WHERE c.relnamespace = n.oid AND n.nspname LIKE 'private' AND c.relname LIKE '%' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY table_type, table_schem, table_name;
-- shows: \|private\|cps\|VIEW

-- free: getColumns
SELECT * FROM (
  SELECT current_database() AS current_database, n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull, a.atttypmod, a.attlen, t.typtypmod,
         row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') AS attidentity, nullif(a.attgenerated, '') AS attgenerated,
         pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc, dsc.description, t.typbasetype, t.typtype
  FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (a.attrelid = c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
       LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid = def.adrelid AND a.attnum = def.adnum) LEFT JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
  WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'private' AND c.relname LIKE 'cps'
) c WHERE true ORDER BY nspname, c.relname, attnum;
-- shows: \|private\|cps\|wage\|701

-- free: getPrimaryKeys
SELECT result.table_schem, result.table_name, result.column_name, result.key_seq, result.pk_name
FROM (SELECT n.nspname AS table_schem, ct.relname AS table_name, a.attname AS column_name, (information_schema._pg_expandarray(i.indkey)).n AS key_seq, ci.relname AS pk_name,
             information_schema._pg_expandarray(i.indkey) AS keys, a.attnum AS a_attnum
      FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
           JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
      WHERE true AND n.nspname = 'private' AND ct.relname = 'cps' AND i.indisprimary) result
WHERE result.a_attnum = (result.keys).x ORDER BY result.table_name, result.pk_name, result.key_seq;

-- free: getIndexInfo
SELECT n.nspname, ct.relname, i.indisunique, ci.relname AS index_name, ci.reltuples AS cardinality, ci.relpages AS pages
FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
WHERE n.nspname = 'private' AND ct.relname = 'cps';

-- free: getTablePrivileges
SELECT n.nspname, c.relname, r.rolname, c.relacl FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_roles r
WHERE c.relnamespace = n.oid AND c.relowner = r.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname = 'private' AND c.relname = 'cps' ORDER BY nspname, relname;
-- shows: private\|cps\|olga

-- free: getTypeInfo
SELECT t.typname, t.oid FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON (t.typnamespace = n.oid)
WHERE n.nspname <> 'pg_toast' AND (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid)) ORDER BY 1 LIMIT 20;

-- free: where a result's column comes from
SELECT c.oid, a.attnum, a.attname, c.relname, n.nspname, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull), a.attidentity <> '' OR pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (c.oid = a.attrelid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
     LEFT JOIN pg_catalog.pg_attrdef d ON (d.adrelid = a.attrelid AND d.adnum = a.attnum)
     JOIN (SELECT 'private.cps'::regclass::oid AS oid, 5 AS attnum) vals ON (c.oid = vals.oid AND a.attnum = vals.attnum);
-- shows: \|5\|wage\|cps\|private

-- free: a result set without rows, for its metadata
SELECT * FROM private.cps WHERE 1 = 0;

-- answered: a batch reader's count
SELECT COUNT(*) AS "ROW_COUNT" FROM private.cps;

-- answered 8: a prepared statement, past the switch to a generic plan
PREPARE s_1 (text, int4) AS SELECT avg(wage) FROM private.cps WHERE region = $1 AND education > $2;
EXECUTE s_1('west', 10); EXECUTE s_1('west', 11); EXECUTE s_1('west', 12); EXECUTE s_1('west', 13);
EXECUTE s_1('south', 10); EXECUTE s_1('south', 11); EXECUTE s_1('south', 12); EXECUTE s_1('south', 13);
DEALLOCATE s_1;

-- answered: fetch size within a transaction
BEGIN;
DECLARE c_1 CURSOR FOR SELECT region, sex, avg(wage) FROM private.cps GROUP BY region, sex;
FETCH FORWARD 3 FROM c_1;
FETCH FORWARD 3 FROM c_1;
FETCH FORWARD 3 FROM c_1;
COMMIT;

-- answered: Spark pushes an aggregate down
SELECT "region", SUM("wage"), COUNT("wage") FROM private.cps WHERE ("education" IS NOT NULL) AND ("education" > 8) GROUP BY "region";

-- refused: Spark reads a partition
SELECT "id", "wage" FROM private.cps WHERE "id" < 1000 OR "id" IS NULL;

-- free: Spark asks for a schema
SELECT * FROM (SELECT region, avg(wage) AS wage FROM private.cps GROUP BY region) SPARK_GEN_SUBQ_0 WHERE 1=0;

-- refused: least and greatest of a partition column
SELECT MIN("id"), MAX("id") FROM private.cps;
