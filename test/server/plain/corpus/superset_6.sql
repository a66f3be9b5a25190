-- What Apache Superset 6.1 (SQLAlchemy 1.4, psycopg2) sent, recorded: clients/superset_client.py, whose role has these
-- settings. How to read this: ../corpus.test.sh.

-- free: settings of its role
SET dpmix.rows = 'empty'; SET dpmix.keys = 'declared'; SET dpmix.bounds_for_min_max = on;

-- free: metadata 1
select pg_catalog.version();

-- free: metadata 2
select current_schema();

-- free: metadata 3
show transaction isolation level;

-- free: metadata 4
show standard_conforming_strings;

-- free: metadata 5
SELECT 1;

-- free: metadata 6
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname;

-- free: metadata 7
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'private' AND
  c.relkind in ('r', 'p');

-- free: metadata 8
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'private' AND
  c.relkind = 'f';

-- free: metadata 9
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'private' AND
  c.relkind IN ('v', 'm');

-- free: metadata 10
SELECT c.oid FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE (n.nspname
  = 'private') AND c.relname = 'cps' AND c.relkind in ('r', 'v', 'm', 'f', 'p');

-- free: metadata 11
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), ( SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid)
  FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef ) AS DEFAULT,
  a.attnotnull, a.attrelid as table_oid, pgd.description as comment, a.attgenerated as generated, (SELECT
  json_build_object( 'always', a.attidentity = 'a', 'start', s.seqstart, 'increment', s.seqincrement, 'minvalue',
  s.seqmin, 'maxvalue', s.seqmax, 'cache', s.seqcache, 'cycle', s.seqcycle) FROM pg_catalog.pg_sequence s JOIN
  pg_catalog.pg_class c on s.seqrelid = c."oid" WHERE c.relkind = 'S' AND a.attidentity != '' AND s.seqrelid =
  pg_catalog.pg_get_serial_sequence( a.attrelid::regclass::text, a.attname )::regclass::oid ) as identity_options FROM
  pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_description pgd ON ( pgd.objoid = a.attrelid AND pgd.objsubid =
  a.attnum) WHERE a.attrelid = 'private.cps'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;

-- free: metadata 12
SELECT t.typname as "name", pg_catalog.format_type(t.typbasetype, t.typtypmod) as "attype", not t.typnotnull as
  "nullable", t.typdefault as "default", pg_catalog.pg_type_is_visible(t.oid) as "visible", n.nspname as "schema" FROM
  pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'd';

-- free: metadata 13
SELECT t.typname as "name", pg_catalog.pg_type_is_visible(t.oid) as "visible", n.nspname as "schema", e.enumlabel as
  "label" FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace LEFT JOIN
  pg_catalog.pg_enum e ON t.oid = e.enumtypid WHERE t.typtype = 'e' ORDER BY "schema", "name", e.oid;

-- free: metadata 14
SELECT a.attname FROM pg_attribute a JOIN ( SELECT unnest(ix.indkey) attnum, generate_subscripts(ix.indkey, 1) ord
  FROM pg_index ix WHERE ix.indrelid = 'private.cps'::regclass AND ix.indisprimary ) k ON a.attnum=k.attnum WHERE
  a.attrelid = 'private.cps'::regclass ORDER BY k.ord;

-- free: metadata 15
SELECT conname FROM pg_catalog.pg_constraint r WHERE r.conrelid = 'private.cps'::regclass AND r.contype = 'p' ORDER BY
  1;

-- free: metadata 16
SELECT r.conname, pg_catalog.pg_get_constraintdef(r.oid, true) as condef, n.nspname as conschema FROM
  pg_catalog.pg_constraint r, pg_namespace n, pg_class c WHERE r.conrelid = 'private.cps'::regclass AND r.contype =
  'f' AND c.oid = confrelid AND n.oid = c.relnamespace ORDER BY 1;

-- free: metadata 17
SELECT i.relname as relname, ix.indisunique, ix.indexprs, a.attname, a.attnum, c.conrelid, ix.indkey::varchar,
  ix.indoption::varchar, i.reloptions, am.amname, pg_get_expr(ix.indpred, ix.indrelid), ix.indnkeyatts as indnkeyatts
  FROM pg_class t join pg_index ix on t.oid = ix.indrelid join pg_class i on i.oid = ix.indexrelid left outer join
  pg_attribute a on t.oid = a.attrelid and a.attnum = ANY(ix.indkey) left outer join pg_constraint c on (ix.indrelid =
  c.conrelid and ix.indexrelid = c.conindid and c.contype in ('p', 'u', 'x')) left outer join pg_am am on i.relam =
  am.oid WHERE t.relkind IN ('r', 'v', 'f', 'm', 'p') and t.oid = 'private.cps'::regclass and ix.indisprimary = 'f'
  ORDER BY t.relname, i.relname;

-- free: metadata 18
SELECT pgd.description as table_comment FROM pg_catalog.pg_description pgd WHERE pgd.objsubid = 0 AND pgd.objoid =
  'private.cps'::regclass;

-- free: metadata 19
SELECT cons.conname as name, cons.conkey as key, a.attnum as col_num, a.attname as col_name FROM
  pg_catalog.pg_constraint cons join pg_attribute a on cons.conrelid = a.attrelid AND a.attnum = ANY(cons.conkey)
  WHERE cons.conrelid = 'private.cps'::regclass AND cons.contype = 'u';

-- free: metadata 20
SELECT cons.conname as name, pg_get_constraintdef(cons.oid) as src FROM pg_catalog.pg_constraint cons WHERE
  cons.conrelid = 'private.cps'::regclass AND cons.contype = 'c';

-- free: metadata 21
select relname from pg_class c join pg_namespace n on n.oid=c.relnamespace where n.nspname='private' and relname='cps';

-- free: metadata 22
set search_path = "private";

-- free: a look 1
SELECT region, sex, wage, day, wage * 52 AS yearly FROM private.cps WHERE education >= 12 LIMIT 1;

-- answered: a chart 2
SELECT COUNT(*) AS "COUNT(*)" FROM private.cps LIMIT 50000;

-- free: a look 3
SELECT id AS id, region AS region, sex AS sex, education AS education, wage AS wage, hours AS hours, employed AS
  employed, day AS day, seen AS seen, note AS note FROM private.cps ORDER BY id ASC LIMIT 1000;

-- free: values of a filter 4
SELECT DISTINCT region AS column_values FROM private.cps LIMIT 10000;

-- answered: virtual dataset 5
SELECT COUNT(*) AS "COUNT(*)" FROM ( SELECT region, sex, wage, day, wage * 52 AS yearly FROM private.cps WHERE
  education >= 12 ) AS virtual_table LIMIT 50000;

-- free: samples of a virtual dataset 6
SELECT region AS region, sex AS sex, wage AS wage, day AS day, yearly AS yearly FROM ( SELECT region, sex, wage, day,
  wage * 52 AS yearly FROM private.cps WHERE education >= 12 ) AS virtual_table ORDER BY region ASC LIMIT 1000;

-- free: virtual dataset 7
SELECT DISTINCT region AS column_values FROM (SELECT region, sex, wage, day, wage * 52 AS yearly FROM private.cps
  WHERE education >= 12 ) AS virtual_table LIMIT 10000;

-- free: a look 8
SELECT * FROM private.cps LIMIT 1001;

-- answered: a chart 9
SELECT region, AVG(wage) AS wage FROM private.cps GROUP BY region LIMIT 1001;

-- answered: a chart 10
SELECT COUNT(*) AS "COUNT(*)" FROM private.cps LIMIT 1000;

-- answered: a chart 11
SELECT COUNT(*) AS "COUNT(*)" FROM private.cps WHERE day >= TO_DATE('2026-01-01', 'YYYY-MM-DD') AND day <
  TO_DATE('2026-07-01', 'YYYY-MM-DD') LIMIT 1000;

-- answered: a chart 12
SELECT region AS region, AVG(wage) AS "AVG(wage)" FROM private.cps GROUP BY region ORDER BY "AVG(wage)" DESC LIMIT
  1000;

-- answered: a chart 13
SELECT sex AS sex, COUNT(*) AS "COUNT(*)" FROM private.cps WHERE region IN ('west', 'south') GROUP BY sex LIMIT 1000;

-- answered: a chart 14
SELECT DATE_TRUNC('MONTH', day) AS day, sex AS sex, SUM(wage) AS "SUM(wage)" FROM private.cps GROUP BY
  DATE_TRUNC('MONTH', day), sex LIMIT 1000;

-- answered: a chart 15
SELECT DATE_TRUNC('WEEK', day) AS day, COUNT(*) AS "COUNT(*)" FROM private.cps WHERE day >= TO_DATE('2026-01-01',
  'YYYY-MM-DD') AND day < TO_DATE('2026-07-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('WEEK', day) LIMIT 1000;

-- answered: a chart 16
SELECT region AS region, sex AS sex, AVG(hours) AS "AVG(hours)", COUNT(*) AS "COUNT(*)" FROM private.cps GROUP BY
  region, sex LIMIT 1000;

-- answered: a chart 17
SELECT region AS region, CAST(SUM(CASE WHEN employed THEN 1 ELSE 0 END) AS DOUBLE PRECISION) / COUNT(*) AS "SUM(CASE
  WHEN employed THEN 1 ELSE 0 END)::float / COUNT(*)" FROM private.cps GROUP BY region LIMIT 1000;

-- answered: a chart 18
SELECT region AS region, COUNT(*) AS "COUNT(*)" FROM private.cps WHERE ( hours > 5 ) GROUP BY region HAVING ( COUNT(*)
  > 10 ) LIMIT 1000;

-- answered: a chart 19
SELECT COUNT(DISTINCT sex) AS "COUNT_DISTINCT(sex)" FROM private.cps LIMIT 1000;

-- free: a look 20
SELECT region AS region FROM private.cps GROUP BY region LIMIT 1000;

-- answered 2: a chart 21
SELECT DATE_TRUNC('MONTH', day) AS day, region AS region, SUM(wage) AS "SUM(wage)" FROM private.cps JOIN ( SELECT
  region AS region__, SUM(wage) AS mme_inner__ FROM private.cps GROUP BY region ORDER BY SUM(wage) DESC LIMIT 2 ) AS
  series_limit ON region = region__ GROUP BY DATE_TRUNC('MONTH', day), region LIMIT 1000;

-- free: a look 22
SELECT region AS region, wage AS wage FROM private.cps LIMIT 1000;

-- free: a look 23
SELECT MIN(wage) AS "MIN(wage)", MAX(wage) AS "MAX(wage)" FROM private.cps LIMIT 1000;

-- answered: a chart 24
SELECT FLOOR(( wage - 100 ) / 480) * 480 + 100 AS bin, COUNT(*) AS "COUNT(*)" FROM private.cps WHERE wage >= 100 AND
  wage <= 2400 GROUP BY FLOOR(( wage - 100 ) / 480) * 480 + 100 LIMIT 1000;

-- answered: virtual dataset 25
SELECT region AS region, AVG(yearly) AS "AVG(yearly)" FROM ( SELECT region, sex, wage, day, wage * 52 AS yearly FROM
  private.cps WHERE education >= 12 ) AS virtual_table GROUP BY region LIMIT 1000;

-- answered: virtual dataset 26
SELECT DATE_TRUNC('MONTH', day) AS day, COUNT(*) AS "COUNT(*)" FROM ( SELECT region, sex, wage, day, wage * 52 AS
  yearly FROM private.cps WHERE education >= 12 ) AS virtual_table GROUP BY DATE_TRUNC('MONTH', day) LIMIT 1000;

-- answered: virtual dataset 27
SELECT region AS region, sex AS sex, COUNT(*) AS "COUNT(*)" FROM ( SELECT region, sex, wage, day, wage * 52 AS yearly
  FROM private.cps WHERE education >= 12 ) AS virtual_table WHERE day >= TO_DATE('2026-01-01', 'YYYY-MM-DD') AND day <
  TO_DATE('2026-07-01', 'YYYY-MM-DD') GROUP BY region, sex LIMIT 1000;

