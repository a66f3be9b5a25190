-- Tableau by ODBC: connection, discovery, worksheets, filters, extracts. How to read this: ../corpus.test.sh.

-- free: settings of the driver
SET DateStyle = 'ISO';
SET extra_float_digits = 2;
SHOW transaction_isolation;
SHOW max_identifier_length;
SELECT oid, typbasetype FROM pg_type WHERE typname = 'lo';

-- free: temporary tables are tried
BEGIN;
CREATE LOCAL TEMPORARY TABLE "#Tableau_1_1_Connect" ("COL" INTEGER) ON COMMIT PRESERVE ROWS;
DROP TABLE "#Tableau_1_1_Connect";
COMMIT;

-- free: what kind of server this is
SELECT CAST(SUM(1) AS BIGINT) FROM (SELECT 1 AS "COL") AS "CHECKTABLE" HAVING COUNT(1) > 0;

-- free: schemas of the data source
SELECT NULL, NULL, nspname FROM pg_catalog.pg_namespace n WHERE nspname NOT LIKE 'pg!_%' ESCAPE '!' AND nspname <> 'information_schema' ORDER BY nspname;
-- shows: private

-- free: tables of a schema, by the driver
SELECT relname, nspname, relkind FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND nspname LIKE 'private' AND relname NOT LIKE 'pg!_%' ESCAPE '!' AND n.oid = relnamespace ORDER BY nspname, relname;
-- shows: ^cps\|private\|v$

-- free: columns, by the driver
SELECT n.nspname, c.relname, a.attname, a.atttypid, t.typname, a.attnum, a.attlen, a.atttypmod, a.attnotnull, c.relhasrules, c.relkind, c.oid,
       pg_get_expr(d.adbin, d.adrelid), CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE 0 END, t.typtypmod, 0, attidentity
FROM (((pg_catalog.pg_class c INNER JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND c.relname LIKE 'cps' AND n.nspname LIKE 'private')
  INNER JOIN pg_catalog.pg_attribute a ON (NOT a.attisdropped) AND a.attnum > 0 AND a.attrelid = c.oid)
  INNER JOIN pg_catalog.pg_type t ON t.oid = a.atttypid) LEFT OUTER JOIN pg_attrdef d ON a.atthasdef AND d.adrelid = a.attrelid AND d.adnum = a.attnum
ORDER BY n.nspname, c.relname, attnum;
-- shows: private\|cps\|wage\|701\|float8

-- free: types of the columns
SELECT "cps"."id" AS "id", "cps"."region" AS "region", "cps"."wage" AS "wage", "cps"."day" AS "day" FROM "private"."cps" "cps" LIMIT 0;

-- free: types of custom SQL
SELECT * FROM (SELECT region, avg(wage) AS wage FROM private.cps GROUP BY region) "Custom SQL Query" LIMIT 0;

-- free: preview of rows in the data source
SELECT "cps"."id" AS "id", "cps"."region" AS "region", "cps"."wage" AS "wage" FROM "private"."cps" "cps" LIMIT 100;

-- refused: an extract of the whole table
BEGIN;
DECLARE "SQL_CUR0x7f01" CURSOR FOR SELECT "cps"."id" AS "id", "cps"."note" AS "note", "cps"."wage" AS "wage" FROM "private"."cps" "cps";
FETCH 2048 IN "SQL_CUR0x7f01";
ROLLBACK;

-- answered: a bar for each region
SELECT "cps"."region" AS "region", SUM("cps"."wage") AS "sum:wage:ok" FROM "private"."cps" "cps" GROUP BY 1;

-- answered: the same through a cursor of the driver
BEGIN;
DECLARE "SQL_CUR0x7f02" CURSOR WITH HOLD FOR SELECT "cps"."sex" AS "sex", AVG("cps"."wage") AS "avg:wage:ok" FROM "private"."cps" "cps" GROUP BY 1;
FETCH 2048 IN "SQL_CUR0x7f02";
COMMIT;
CLOSE "SQL_CUR0x7f02";

-- answered: a scrolling cursor, read in parts, within a savepoint
BEGIN;
SAVEPOINT _EXEC_SVP_0x7f03;
DECLARE "SQL_CUR0x7f03" SCROLL CURSOR FOR SELECT "cps"."region" AS "region", COUNT(1) AS "cnt:ok" FROM "private"."cps" "cps" WHERE "cps"."employed" GROUP BY 1 ORDER BY 1;
FETCH 2 IN "SQL_CUR0x7f03";
FETCH 2 IN "SQL_CUR0x7f03";
FETCH ABSOLUTE 1 IN "SQL_CUR0x7f03";
RELEASE _EXEC_SVP_0x7f03;
COMMIT;

-- answered: number of records
SELECT COUNT(1) AS "cnt:cps:ok" FROM "private"."cps" "cps" HAVING (COUNT(1) > 0);

-- answered: is there any row
SELECT 1 AS "one" FROM "private"."cps" "cps" WHERE ("cps"."region" = 'west') HAVING (COUNT(1) > 0);

-- answered: months of a date
SELECT DATE_TRUNC('MONTH', CAST("cps"."day" AS TIMESTAMP)) AS "tmn:day:ok", SUM("cps"."hours") AS "sum:hours:ok" FROM "private"."cps" "cps" GROUP BY 1;

-- answered: years and quarters as numbers
SELECT CAST(TRUNC(EXTRACT(YEAR FROM "cps"."day")) AS INTEGER) AS "yr:day:ok", CAST(TRUNC(EXTRACT(QUARTER FROM "cps"."day")) AS INTEGER) AS "qr:day:ok", COUNT(1) AS "cnt:ok"
FROM "private"."cps" "cps" GROUP BY 1, 2;
-- shows: ^2026\|4\|

-- answered: days as dates
SELECT CAST("cps"."day" AS DATE) AS "day", COUNT(1) AS "cnt:ok" FROM "private"."cps" "cps" WHERE "cps"."day" >= DATE '2026-05-01' AND "cps"."day" < DATE '2026-05-08' GROUP BY 1;

-- answered: a filter by set
SELECT "cps"."sex" AS "sex", AVG(CAST("cps"."hours" AS DOUBLE PRECISION)) AS "avg:hours:ok" FROM "private"."cps" "cps"
WHERE (("cps"."region" IN ('midwest', 'south')) AND ("cps"."employed" = TRUE)) GROUP BY 1;

-- answered: a relative date filter
SELECT COUNT(1) AS "cnt:ok" FROM "private"."cps" "cps"
WHERE (("cps"."seen" >= (DATE_TRUNC('MONTH', CAST(CURRENT_DATE AS TIMESTAMP)) + -2 * INTERVAL '1 MONTH')) AND ("cps"."seen" < (DATE_TRUNC('MONTH', CAST(CURRENT_DATE AS TIMESTAMP)) + INTERVAL '1 MONTH')));

-- answered: a month of a worksheet as a filter
SELECT "cps"."region" AS "region", COUNT(1) AS "cnt:ok" FROM "private"."cps" "cps"
WHERE (DATE_TRUNC('MONTH', CAST("cps"."day" AS TIMESTAMP)) = (TIMESTAMP '2026-03-01 00:00:00.000')) GROUP BY 1;

-- answered: years and weekdays as filters
SELECT CAST(TRUNC(EXTRACT(MONTH FROM "cps"."day")) AS INTEGER) AS "mn:day:ok", COUNT(1) AS "cnt:ok" FROM "private"."cps" "cps"
WHERE ((CAST(TRUNC(EXTRACT(YEAR FROM "cps"."day")) AS INTEGER) = 2026) AND ((1 + CAST(EXTRACT(DOW FROM "cps"."day") AS INTEGER)) IN (1, 7))) GROUP BY 1;

-- answered: a calculated field of days between two dates
SELECT AVG(CAST((CAST("cps"."seen" AS DATE) - "cps"."day") AS DOUBLE PRECISION)) AS "avg:calculation:ok" FROM "private"."cps" "cps";

-- free: members of a dimension for a quick filter
SELECT "cps"."region" AS "region" FROM "private"."cps" "cps" GROUP BY 1 ORDER BY 1 ASC NULLS FIRST;
-- shows: ^northeast$

-- refused: the range of a measure for a quick filter
SELECT MIN("cps"."wage") AS "lower", MAX("cps"."wage") AS "upper" FROM "private"."cps" "cps" HAVING COUNT(1) > 0;

-- refused: the range of dates
SELECT MIN("cps"."day") AS "TEMP(lower)", MAX("cps"."day") AS "TEMP(upper)", COUNT(1) AS "cnt" FROM "private"."cps" "cps" HAVING (COUNT(1) > 0);

-- answered: calculated field
SELECT (CASE WHEN ("cps"."hours" >= 35) THEN 'full' ELSE 'part' END) AS "Calculation_1", AVG("cps"."wage") AS "avg:wage:ok" FROM "private"."cps" "cps" GROUP BY 1;

-- answered: deviation and variance of the sample
SELECT "cps"."region" AS "region", STDDEV_SAMP("cps"."wage") AS "std:wage:ok", VAR_SAMP("cps"."wage") AS "var:wage:ok" FROM "private"."cps" "cps" GROUP BY 1;

-- answered: count of distinct members
SELECT COUNT(DISTINCT "cps"."region") AS "ctd:region:ok" FROM "private"."cps" "cps" HAVING (COUNT(1) > 0);

-- answered: median
SELECT "cps"."sex" AS "sex", PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "cps"."wage") AS "med:wage:ok" FROM "private"."cps" "cps" GROUP BY 1;

-- answered: custom SQL
SELECT "Custom SQL Query"."region" AS "region", SUM("Custom SQL Query"."hours") AS "sum:hours:ok" FROM (
  SELECT region, hours, wage FROM private.cps WHERE wage > 100
) "Custom SQL Query" GROUP BY 1;

-- answered: a level of detail, joined to the view's own level
SELECT "t0"."region" AS "region", "t0"."n" AS "n", "t1"."total" AS "total" FROM (
  SELECT "cps"."region" AS "region", COUNT(1) AS "n" FROM "private"."cps" "cps" GROUP BY 1
) "t0" CROSS JOIN (SELECT SUM("t2"."n") AS "total" FROM (SELECT "cps"."region" AS "region", COUNT(1) AS "n" FROM "private"."cps" "cps" GROUP BY 1) "t2") "t1";

-- answered: top two by a sum, in HAVING's way
SELECT "cps"."region" AS "region", SUM("cps"."wage") AS "$__alias__0" FROM "private"."cps" "cps" GROUP BY 1 ORDER BY 2 DESC, 1 ASC LIMIT 2;

-- answered 2: rows that are joined to a top-n filter
SELECT "cps"."region" AS "region", AVG("cps"."wage") AS "avg:wage:ok" FROM "private"."cps" "cps" INNER JOIN (
  SELECT "cps"."region" AS "region", SUM("cps"."wage") AS "x" FROM "private"."cps" "cps" GROUP BY 1 ORDER BY 2 DESC LIMIT 2
) "t0" ON ("cps"."region" IS NOT DISTINCT FROM "t0"."region") GROUP BY 1;

-- answered: a temporary table of an answer
CREATE LOCAL TEMPORARY TABLE "#Tableau_2_1_Group" ON COMMIT PRESERVE ROWS AS SELECT "cps"."region" AS "region", COUNT(1) AS "n" FROM "private"."cps" "cps" GROUP BY 1;
SELECT COUNT(*) FROM "#Tableau_2_1_Group";
-- shows: ^5$
