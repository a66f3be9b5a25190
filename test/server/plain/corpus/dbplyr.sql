-- What R's dbplyr 2.3 sent over RPostgreSQL, recorded: clients/dbplyr_client.R, whose role has these settings. How to
-- read this: ../corpus.test.sh.

-- free: settings of its role
SET dpmix.rows = 'empty'; SET dpmix.keys = 'declared'; SET dpmix.bounds_for_min_max = on;

-- free: its driver begins
set datestyle to ISO;

-- free: columns of a table
SELECT * FROM "private"."cps" AS "q01" WHERE 0=1;

-- free: of each column
select attnotnull from pg_attribute where attrelid='private.cps'::regclass and attnum='1';
-- shows: ^f$

-- free: printing
SELECT * FROM "private"."cps" LIMIT 11;

-- free: head
SELECT * FROM "private"."cps" LIMIT 6;

-- free: glimpse
SELECT * FROM "private"."cps" LIMIT 26;

-- free: a filter is printed
SELECT * FROM "private"."cps" WHERE ("education" >= 12.0) LIMIT 11;

-- free: head of a filter with a new column
SELECT *, "wage" * 52.0 AS "yearly" FROM "private"."cps" WHERE ("employed") LIMIT 6;

-- answered: count
SELECT "region", COUNT(*) AS "n" FROM "private"."cps" GROUP BY "region";

-- answered: tally
SELECT COUNT(*) AS "n" FROM "private"."cps";

-- answered: summarise
SELECT "sex", AVG("wage") AS "wage", COUNT(*) AS "people" FROM "private"."cps" WHERE ("education" >= 12.0) GROUP BY "sex" ORDER BY "sex";

-- answered: of a new column
SELECT "region", AVG("yearly") AS "yearly" FROM ( SELECT *, "wage" * 52.0 AS "yearly" FROM "private"."cps" ) "q01" GROUP BY "region";

-- answered: case_when
SELECT "level", COUNT(*) AS "n" FROM (
  SELECT *, CASE WHEN ("education" >= 16.0) THEN 'university' WHEN ("education" >= 12.0) THEN 'school' ELSE 'less' END AS "level" FROM "private"."cps"
) "q01" GROUP BY "level";

-- free: distinct
SELECT DISTINCT "region" FROM "private"."cps";
-- shows: ^south$

-- free: distinct of a filter
SELECT DISTINCT "region" FROM "private"."cps" WHERE ("employed");
-- shows: ^south$

-- free: min and max
SELECT MIN("wage") AS "low", MAX("wage") AS "high" FROM "private"."cps";
-- shows: ^0\|2500$

-- answered: HAVING
SELECT "region", COUNT(*) AS "n" FROM "private"."cps" GROUP BY "region" HAVING (COUNT(*) > 10.0);

-- answered: a share of all
SELECT *, "n" / SUM("n") OVER () AS "share" FROM ( SELECT "region", COUNT(*) AS "n" FROM "private"."cps" GROUP BY "region" ) "q01";

-- free: copy_to makes a temporary table
CREATE TEMPORARY TABLE "areas" ("region" TEXT, "zone" TEXT);
INSERT INTO "areas" VALUES ('northeast', 'east'), ('south', 'east'), ('midwest', 'west'), ('west', 'west');
CREATE UNIQUE INDEX "areas_region" ON "areas" ("region");
SELECT * FROM "areas" AS "q02" WHERE 0=1;

-- answered: which is joined before the summary
SELECT "zone", COUNT(*) AS "n" FROM (
  SELECT "cps".*, "zone" FROM "private"."cps" AS "cps" INNER JOIN "areas" ON ("cps"."region" = "areas"."region")
) "q01" GROUP BY "zone" ORDER BY "zone";
-- shows: ^east\|

-- answered: or after it
SELECT "LHS".*, "zone" FROM (
  SELECT "region", COUNT(*) AS "n" FROM "private"."cps" GROUP BY "region"
) "LHS" INNER JOIN "areas" ON ("LHS"."region" = "areas"."region");

-- answered: compute keeps an answer
CREATE TEMPORARY TABLE "kept" AS SELECT "sex", COUNT(*) AS "n" FROM "private"."cps" GROUP BY "sex";
ANALYZE "kept";
SELECT * FROM "kept";
