-- Apache Superset: connection, datasets, SQL Lab, charts, native filters. How to read this: ../corpus.test.sh.

-- free: SQLAlchemy's first questions
SELECT pg_catalog.version();
SELECT current_schema();
SHOW standard_conforming_strings;

-- free: schemas
SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\_%' ORDER BY nspname;
-- shows: ^private$

-- free: views of a schema
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['v']) AND pg_catalog.pg_class.relpersistence != 't'
  AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) IS NOT NULL AND pg_catalog.pg_namespace.nspname = 'private';
-- shows: ^cps$

-- free: metadata of a virtual dataset
SELECT * FROM (SELECT region, wage, day FROM private.cps WHERE employed) AS virtual_table LIMIT 0;

-- free: SQL Lab's preview of a table
SELECT id AS id, region AS region, wage AS wage, note AS note FROM private.cps LIMIT 100;

-- free: select everything in SQL Lab
SELECT * FROM private.cps LIMIT 1001;

-- free: SQL Lab estimates a query's cost
EXPLAIN SELECT region, avg(wage) FROM private.cps GROUP BY region;

-- answered: bar chart
SELECT region AS region, AVG(wage) AS "AVG(wage)" FROM private.cps GROUP BY region ORDER BY "AVG(wage)" DESC LIMIT 10000;

-- answered: a ratio, as a metric
SELECT region AS region, SUM(wage) / COUNT(*) AS "wage per head", COUNT(*) / (COUNT(*) - COUNT(*)) AS nothing FROM private.cps GROUP BY region LIMIT 10000;

-- answered: a native filter that is a list of another table
SELECT region AS region, COUNT(*) AS count FROM private.cps WHERE region IN (SELECT region FROM regions WHERE name LIKE 'The%th') GROUP BY region LIMIT 10000;
-- shows: ^south\|

-- answered: big number
SELECT COUNT(*) AS count FROM private.cps WHERE day >= TO_DATE('2026-01-01', 'YYYY-MM-DD') AND day < TO_DATE('2026-07-01', 'YYYY-MM-DD') LIMIT 50000;

-- answered: line chart by day
SELECT DATE_TRUNC('day', day) AS day, COUNT(*) AS count FROM private.cps
WHERE day >= TO_DATE('2026-02-01', 'YYYY-MM-DD') AND day < TO_DATE('2026-03-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('day', day) ORDER BY count DESC LIMIT 1000;

-- answered: line chart by month of a time stamp
SELECT DATE_TRUNC('month', seen) AS __timestamp, SUM(wage) AS "SUM(wage)" FROM private.cps
WHERE seen >= TO_TIMESTAMP('2026-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND seen < TO_TIMESTAMP('2027-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
GROUP BY DATE_TRUNC('month', seen) ORDER BY "SUM(wage)" DESC LIMIT 50000;

-- answered: several lines
SELECT DATE_TRUNC('quarter', seen) AS __timestamp, sex AS sex, AVG(hours) AS "AVG(hours)" FROM private.cps
GROUP BY DATE_TRUNC('quarter', seen), sex ORDER BY "AVG(hours)" DESC LIMIT 10000;

-- answered 2: a limit on the number of series joins rows to a summary of them
SELECT DATE_TRUNC('month', seen) AS __timestamp, region AS region, sum(wage) AS "SUM(wage)" FROM private.cps JOIN (
  SELECT region AS region__, sum(wage) AS mme_inner__ FROM private.cps GROUP BY region ORDER BY mme_inner__ DESC LIMIT 2
) AS anon_1 ON region = region__ GROUP BY DATE_TRUNC('month', seen), region ORDER BY "SUM(wage)" DESC LIMIT 10000;

-- answered: the same in two steps, the second with the names of the first
SELECT DATE_TRUNC('month', seen) AS __timestamp, region AS region, sum(wage) AS "SUM(wage)" FROM private.cps
WHERE region = 'west' OR region = 'south' GROUP BY DATE_TRUNC('month', seen), region ORDER BY "SUM(wage)" DESC LIMIT 10000;

-- answered: series and a time range that native filters chose
SELECT DATE_TRUNC('week', day) AS __timestamp, region AS region, COUNT(*) AS count FROM private.cps
WHERE day >= TO_DATE('2026-02-03', 'YYYY-MM-DD') AND day < TO_DATE('2026-04-20', 'YYYY-MM-DD') AND region IN ('south', 'west', 'midwest')
GROUP BY DATE_TRUNC('week', day), region ORDER BY count DESC LIMIT 10000;

-- answered: a histogram, as newer versions bin
SELECT FLOOR((wage - 100) / 240) * 240 + 100 AS wage, COUNT(*) AS count FROM private.cps WHERE wage >= 100 AND wage <= 2400
GROUP BY FLOOR((wage - 100) / 240) * 240 + 100 ORDER BY 1 LIMIT 10000;

-- answered: pie chart of a virtual dataset
SELECT region AS region, COUNT(*) AS count FROM (
  SELECT region, sex, wage FROM private.cps WHERE education >= 12
) AS virtual_table GROUP BY region ORDER BY count DESC LIMIT 100;

-- answered: virtual dataset that renames and computes
SELECT level AS level, AVG(yearly) AS "AVG(yearly)" FROM (
  SELECT CASE WHEN education >= 16 THEN 'university' WHEN education >= 12 THEN 'school' ELSE 'less' END AS level, wage * 52 AS yearly FROM private.cps
) AS virtual_table GROUP BY level ORDER BY "AVG(yearly)" DESC LIMIT 1000;

-- answered: virtual dataset within a virtual dataset
SELECT sex AS sex, COUNT(*) AS count FROM (
  SELECT * FROM (SELECT sex, hours FROM private.cps WHERE employed) AS inner_table WHERE hours > 20
) AS virtual_table GROUP BY sex LIMIT 100;

-- answered: pivot table
SELECT region AS region, sex AS sex, AVG(wage) AS "AVG(wage)", COUNT(*) AS count FROM private.cps GROUP BY region, sex ORDER BY "AVG(wage)" DESC LIMIT 50000;

-- answered: custom metric, a share
SELECT region AS region, SUM(CASE WHEN employed THEN 1 ELSE 0 END)::float / COUNT(*) AS employment FROM private.cps GROUP BY region ORDER BY employment DESC LIMIT 1000;

-- answered: having on a metric
SELECT region AS region, COUNT(*) AS count FROM private.cps GROUP BY region HAVING ((COUNT(*) > 10)) ORDER BY count DESC LIMIT 1000;

-- answered: distinct values as a metric
SELECT COUNT(DISTINCT sex) AS "COUNT_DISTINCT(sex)" FROM private.cps LIMIT 50000;

-- refused: MAX as a metric
SELECT region AS region, MAX(wage) AS "MAX(wage)" FROM private.cps GROUP BY region ORDER BY "MAX(wage)" DESC LIMIT 10000;

-- free: values of a native filter
SELECT region AS region FROM private.cps GROUP BY region LIMIT 1000;
-- shows: ^south$

-- free: distinct values of a filter box
SELECT DISTINCT sex AS sex FROM private.cps LIMIT 10000;
-- shows: ^F$

-- refused: the range of a numerical filter
SELECT MIN(wage) AS min, MAX(wage) AS max FROM private.cps LIMIT 1;

-- free: box plot over raw values
SELECT region, wage FROM private.cps ORDER BY wage DESC LIMIT 10000;

-- answered: histogram in buckets of the database
SELECT width_bucket(wage, 0, 2500, 10) AS bucket, COUNT(*) AS count FROM private.cps GROUP BY width_bucket(wage, 0, 2500, 10) ORDER BY bucket LIMIT 100;

-- answered: row count of a chart's table
SELECT COUNT(*) AS rowcount FROM (SELECT region AS region, AVG(wage) AS "AVG(wage)" FROM private.cps GROUP BY region LIMIT 1000) AS rowcount_qry LIMIT 50000;

-- answered: contribution of each group
SELECT region, count(*) AS n, 100.0 * count(*) / SUM(count(*)) OVER () AS percent FROM private.cps GROUP BY region ORDER BY n DESC;

-- answered: a time comparison, shifted by a month
SELECT DATE_TRUNC('month', seen) AS __timestamp, COUNT(*) AS count FROM private.cps
WHERE seen >= TO_TIMESTAMP('2026-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') - INTERVAL '1 month' AND seen < TO_TIMESTAMP('2026-09-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') - INTERVAL '1 month'
GROUP BY DATE_TRUNC('month', seen) LIMIT 50000;

-- answered: template with a time range of Jinja
SELECT sex, avg(wage) AS wage FROM private.cps WHERE day >= '2026-01-01' AND day < '2027-01-01' AND region IN ('west') GROUP BY sex LIMIT 1001;

-- answered: SQL Lab stores an answer
CREATE TEMPORARY TABLE tmp_superset_1 AS SELECT region, avg(wage) AS wage FROM private.cps GROUP BY region;
SELECT count(*) FROM tmp_superset_1;
-- shows: ^5$

-- answered: a virtual column of text in time
SELECT to_char(seen, 'YYYY-MM') AS month, count(*) AS count FROM private.cps GROUP BY to_char(seen, 'YYYY-MM') ORDER BY month LIMIT 1000;
-- shows: ^2026-06\|

-- answered: a filter on a truncated time, and year over year by FILTER
SELECT extract(month FROM day) AS month, count(*) FILTER (WHERE extract(year FROM day) = 2026) AS this_year FROM private.cps
WHERE date_trunc('quarter', seen) >= '2026-04-01' GROUP BY extract(month FROM day) ORDER BY 1 LIMIT 50;
