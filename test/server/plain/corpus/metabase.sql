-- Metabase: sync, scans of values, fingerprints, questions, models, dashboards. How to read this: ../corpus.test.sh.

-- free: server and time zone of a new connection
SELECT version(), current_setting('server_version_num')::int, current_setting('TimeZone');

-- free: the session's report time zone
SET SESSION TIMEZONE TO 'UTC';

-- free: which tables the role may select
WITH privileges AS (
  SELECT n.nspname AS schema, c.relname AS table,
         pg_catalog.has_any_column_privilege(current_user, c.oid, 'select') AS "select",
         pg_catalog.has_any_column_privilege(current_user, c.oid, 'update') AS "update",
         pg_catalog.has_table_privilege(current_user, c.oid, 'delete') AS "delete"
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
    AND pg_catalog.has_schema_privilege(current_user, n.oid, 'usage'))
SELECT * FROM privileges WHERE "select" OR "update" OR "delete";
-- shows: private\|cps\|t\|f\|f

-- free: tables of the sync
SELECT n.nspname AS "schema", c.relname AS "name",
       CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' END AS "type",
       d.description, stat.n_live_tup AS estimated_row_count
FROM pg_catalog.pg_class c
     INNER JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid
     LEFT JOIN pg_catalog.pg_description d ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
     LEFT JOIN pg_stat_user_tables stat ON n.nspname = stat.schemaname AND c.relname = stat.relname
WHERE n.nspname = 'private' AND c.relkind IN ('r', 'p', 'v', 'f', 'm') ORDER BY 1, 2;
-- shows: private\|cps\|VIEW

-- free: whether a table can be read
SELECT TRUE AS "_" FROM "private"."cps" WHERE 1 <> 1 LIMIT 0;

-- free: columns of the sync
SELECT c.column_name AS "name", CASE WHEN c.udt_schema IN ('public', 'pg_catalog') THEN format('%s', c.udt_name) END AS "database-type",
       c.ordinal_position - 1 AS "database-position", c.table_schema, c.table_name,
       pk.column_name IS NOT NULL AS "pk?", c.is_nullable = 'YES' AS "nullable"
FROM information_schema.columns c LEFT JOIN (
  SELECT tc.table_schema, tc.table_name, kc.column_name FROM information_schema.table_constraints tc
  JOIN information_schema.key_column_usage kc USING (constraint_name, table_schema, table_name) WHERE tc.constraint_type = 'PRIMARY KEY'
) pk ON c.table_schema = pk.table_schema AND c.table_name = pk.table_name AND c.column_name = pk.column_name
WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND c.table_schema IN ('private') AND c.table_name IN ('cps')
ORDER BY c.table_schema, c.table_name, c.ordinal_position;
-- shows: ^wage\|float8\|4\|private\|cps

-- free: foreign keys of the sync
SELECT fn.nspname, fc.relname, fa.attname, pn.nspname, pc.relname, pa.attname
FROM pg_constraint k JOIN pg_class fc ON fc.oid = k.conrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace
     JOIN pg_attribute fa ON fa.attrelid = fc.oid JOIN pg_class pc ON pc.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = pc.relnamespace
     JOIN pg_attribute pa ON pa.attrelid = pc.oid
WHERE k.contype = 'f'::"char" AND fa.attnum = ANY (k.conkey) AND pa.attnum = ANY (k.confkey) AND fn.nspname IN ('private') ORDER BY 1, 2;

-- free: values of a column with categories, for a filter
SELECT "private"."cps"."region" AS "region" FROM "private"."cps" GROUP BY "private"."cps"."region" ORDER BY "private"."cps"."region" ASC LIMIT 1000;
-- shows: ^midwest

-- free: values of a boolean
SELECT "private"."cps"."employed" AS "employed" FROM "private"."cps" GROUP BY "private"."cps"."employed" ORDER BY "private"."cps"."employed" ASC LIMIT 1000;

-- free: values of a whole number with bounds
SELECT "private"."cps"."education" AS "education" FROM "private"."cps" GROUP BY "private"."cps"."education" ORDER BY "private"."cps"."education" ASC LIMIT 1000;
-- shows: ^20$

-- answered: values of a text that nobody declared
SELECT "private"."cps"."note" AS "note" FROM "private"."cps" GROUP BY "private"."cps"."note" ORDER BY "private"."cps"."note" ASC LIMIT 1000;

-- free: the fingerprint of texts, from a sample of rows
SELECT SUBSTRING("private"."cps"."note", 1, 1234) AS "substring13", "private"."cps"."wage" AS "wage" FROM "private"."cps" LIMIT 10000;

-- free: browsing the rows of a table
SELECT "private"."cps"."id" AS "id", "private"."cps"."region" AS "region", "private"."cps"."wage" AS "wage", "private"."cps"."note" AS "note"
FROM "private"."cps" LIMIT 2000;

-- refused: one row, by its key
SELECT "private"."cps"."id" AS "id", "private"."cps"."wage" AS "wage" FROM "private"."cps" WHERE "private"."cps"."id" = 17 LIMIT 1;

-- answered: number of rows
SELECT COUNT(*) AS "count" FROM "private"."cps";

-- answered: distinct values of a column
SELECT COUNT(DISTINCT "private"."cps"."region") AS "count" FROM "private"."cps";

-- answered: distinct values of a column without categories
SELECT COUNT(DISTINCT "private"."cps"."note") AS "count" FROM "private"."cps";

-- answered: average by group
SELECT "private"."cps"."region" AS "region", AVG("private"."cps"."wage") AS "avg" FROM "private"."cps"
GROUP BY "private"."cps"."region" ORDER BY "private"."cps"."region" ASC;
-- shows: ^northeast\|[0-9.]+$

-- answered: a sum, sorted by its size
SELECT "private"."cps"."sex" AS "sex", SUM("private"."cps"."hours") AS "sum" FROM "private"."cps"
WHERE "private"."cps"."region" = 'west' GROUP BY "private"."cps"."sex" ORDER BY "sum" DESC, "private"."cps"."sex" ASC LIMIT 5;

-- answered: rows by month of a date
SELECT CAST(DATE_TRUNC('month', "private"."cps"."day") AS date) AS "day", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY CAST(DATE_TRUNC('month', "private"."cps"."day") AS date) ORDER BY CAST(DATE_TRUNC('month', "private"."cps"."day") AS date) ASC;
-- shows: ^2026-03-01\|

-- answered: rows by week, which begins on Sunday
SELECT CAST((CAST(DATE_TRUNC('week', (CAST("private"."cps"."day" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS date) AS "day",
       COUNT(*) AS "count" FROM "private"."cps"
GROUP BY CAST((CAST(DATE_TRUNC('week', (CAST("private"."cps"."day" AS timestamp) + INTERVAL '1 day')) AS timestamp) + INTERVAL '-1 day') AS date)
ORDER BY 1 ASC;

-- answered: rows by day of a time
SELECT CAST("private"."cps"."seen" AS date) AS "seen", COUNT(*) AS "count" FROM "private"."cps"
WHERE "private"."cps"."seen" >= CAST('2026-03-01' AS date) AND "private"."cps"."seen" < CAST('2026-04-01' AS date)
GROUP BY CAST("private"."cps"."seen" AS date) ORDER BY CAST("private"."cps"."seen" AS date) ASC;
-- shows: ^2026-03-31\|

-- answered: rows by month in the report's time zone
SELECT DATE_TRUNC('month', ("private"."cps"."seen" AT TIME ZONE 'America/New_York')) AS "seen", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY DATE_TRUNC('month', ("private"."cps"."seen" AT TIME ZONE 'America/New_York')) ORDER BY 1 ASC;

-- answered: the last twelve months of a time
SELECT DATE_TRUNC('month', "private"."cps"."seen") AS "seen", AVG("private"."cps"."wage") AS "avg" FROM "private"."cps"
WHERE "private"."cps"."seen" >= DATE_TRUNC('month', (NOW() + INTERVAL '-12 month')) AND "private"."cps"."seen" < DATE_TRUNC('month', NOW())
GROUP BY DATE_TRUNC('month', "private"."cps"."seen") ORDER BY DATE_TRUNC('month', "private"."cps"."seen") ASC;

-- answered: rows between two dates
SELECT COUNT(*) AS "count" FROM "private"."cps"
WHERE "private"."cps"."day" >= DATE '2026-03-01' AND "private"."cps"."day" < DATE '2026-06-01';

-- answered: month of the year
SELECT CAST(EXTRACT(month FROM "private"."cps"."day") AS integer) AS "day", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY CAST(EXTRACT(month FROM "private"."cps"."day") AS integer) ORDER BY CAST(EXTRACT(month FROM "private"."cps"."day") AS integer) ASC;
-- shows: ^12\|

-- answered: hour of the day
SELECT CAST(EXTRACT(hour FROM "private"."cps"."seen") AS integer) AS "seen", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY CAST(EXTRACT(hour FROM "private"."cps"."seen") AS integer) ORDER BY 1 ASC;
-- shows: ^23\|

-- answered: bins of a number
SELECT FLOOR(("private"."cps"."wage" / 250.0)) * 250.0 AS "wage", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY FLOOR(("private"."cps"."wage" / 250.0)) * 250.0 ORDER BY FLOOR(("private"."cps"."wage" / 250.0)) * 250.0 ASC;
-- shows: ^2250\|

-- answered: bins of a whole number, from a minimum on
SELECT (FLOOR((("private"."cps"."education" - 5.0) / 5.0)) * 5.0) + 5.0 AS "education", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY (FLOOR((("private"."cps"."education" - 5.0) / 5.0)) * 5.0) + 5.0 ORDER BY 1 ASC;

-- answered: a count with a condition, and a share
SELECT "private"."cps"."sex" AS "sex", SUM(CASE WHEN "private"."cps"."wage" > 1000 THEN 1 ELSE 0.0 END) AS "count_where",
       CAST(SUM(CASE WHEN "private"."cps"."employed" THEN 1 ELSE 0.0 END) AS DOUBLE PRECISION) / NULLIF(CAST(COUNT(*) AS DOUBLE PRECISION), 0.0) AS "share"
FROM "private"."cps" GROUP BY "private"."cps"."sex" ORDER BY "private"."cps"."sex" ASC;

-- answered: an expression of two answers
SELECT "private"."cps"."region" AS "region", CAST(SUM("private"."cps"."wage") AS DOUBLE PRECISION) / NULLIF(CAST(SUM("private"."cps"."hours") AS DOUBLE PRECISION), 0.0) AS "expression"
FROM "private"."cps" GROUP BY "private"."cps"."region" ORDER BY "expression" DESC;

-- answered: median and percentile
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY "private"."cps"."wage") AS "median", PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "private"."cps"."wage") AS "percentile"
FROM "private"."cps";

-- answered: deviation and variance
SELECT STDDEV_POP("private"."cps"."wage") AS "stddev", VAR_POP("private"."cps"."wage") AS "var" FROM "private"."cps" WHERE "private"."cps"."employed" = TRUE;

-- answered: a running total by month
SELECT DATE_TRUNC('month', "private"."cps"."seen") AS "seen",
       SUM(COUNT(*)) OVER (ORDER BY DATE_TRUNC('month', "private"."cps"."seen") ASC ROWS UNBOUNDED PRECEDING) AS "count"
FROM "private"."cps" GROUP BY DATE_TRUNC('month', "private"."cps"."seen") ORDER BY DATE_TRUNC('month', "private"."cps"."seen") ASC;

-- refused: least and greatest
SELECT MIN("private"."cps"."wage") AS "min", MAX("private"."cps"."wage") AS "max" FROM "private"."cps";

-- answered: filters of every kind
SELECT COUNT(*) AS "count" FROM "private"."cps"
WHERE ("private"."cps"."region" IN ('west', 'south')) AND (LOWER("private"."cps"."note") LIKE '%visit%')
  AND ("private"."cps"."wage" BETWEEN 100 AND 2000) AND ("private"."cps"."education" IS NOT NULL)
  AND (("private"."cps"."sex" <> 'M') OR ("private"."cps"."sex" IS NULL));

-- answered: a question about a model
SELECT "source"."region" AS "region", AVG("source"."wage") AS "avg" FROM (
  SELECT "private"."cps"."region" AS "region", "private"."cps"."wage" AS "wage", "private"."cps"."hours" AS "hours" FROM "private"."cps" WHERE "private"."cps"."employed" = TRUE
) AS "source" GROUP BY "source"."region" ORDER BY "source"."region" ASC;

-- answered: a custom column in a nested question
SELECT "source"."weekly" AS "weekly", COUNT(*) AS "count" FROM (
  SELECT "private"."cps"."hours" AS "hours", CASE WHEN "private"."cps"."hours" >= 35 THEN 'full time' ELSE 'part time' END AS "weekly" FROM "private"."cps"
) AS "source" GROUP BY "source"."weekly" ORDER BY "source"."weekly" ASC;
-- shows: full time\|

-- answered: a filter on a summary
SELECT "source"."region" AS "region", "source"."avg" AS "avg" FROM (
  SELECT "private"."cps"."region" AS "region", AVG("private"."cps"."wage") AS "avg" FROM "private"."cps" GROUP BY "private"."cps"."region"
) AS "source" WHERE "source"."avg" > 10 ORDER BY "source"."region" ASC LIMIT 1048575;

-- answered: a pivot table's cells
SELECT "private"."cps"."region" AS "region", "private"."cps"."sex" AS "sex", ABS(0) AS "pivot-grouping", COUNT(*) AS "count" FROM "private"."cps"
GROUP BY "private"."cps"."region", "private"."cps"."sex", ABS(0) ORDER BY "private"."cps"."region" ASC, "private"."cps"."sex" ASC, ABS(0) ASC;

-- answered: a join to a public table of names
SELECT "Regions"."name" AS "Regions__name", COUNT(*) AS "count" FROM "private"."cps"
LEFT JOIN "public"."regions" AS "Regions" ON "private"."cps"."region" = "Regions"."region"
GROUP BY "Regions"."name" ORDER BY "Regions"."name" ASC;
-- shows: The West\|

-- answered: a native question with a variable and the comment that Metabase puts before it
-- Metabase:: userID: 1 queryType: native queryHash: 5c2b1f
SELECT region, count(*) FROM private.cps WHERE sex = 'F' AND education >= 12 GROUP BY region ORDER BY count(*) DESC;

-- answered: a filter on a day in the report's time zone
SELECT COUNT(*) AS "count" FROM "private"."cps" WHERE CAST(("private"."cps"."seen" AT TIME ZONE 'America/New_York') AS date) BETWEEN date '2026-03-01' AND date '2026-03-07';

-- answered: hours of a day by CASE
SELECT CASE WHEN extract(hour FROM "private"."cps"."seen") < 12 THEN 'morning' ELSE 'later' END AS "part", COUNT(*) AS "count" FROM "private"."cps" GROUP BY 1 ORDER BY 1;

-- answered: age in days as of today
SELECT AVG(EXTRACT(day FROM now() - "private"."cps"."seen")) AS "avg" FROM "private"."cps";
