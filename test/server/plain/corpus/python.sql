-- psycopg, SQLAlchemy's reflection and pandas. How to read this: ../corpus.test.sh.

-- free: psycopg begins and ends
BEGIN;
COMMIT;

-- free: information about a type
SELECT typname AS name, oid, typarray AS array_oid, oid::regtype::text AS regtype, typdelim AS delimiter FROM pg_type t WHERE t.oid = to_regtype('hstore') ORDER BY t.oid;

-- free: hstore is looked for
SELECT t.oid, typarray FROM pg_type t JOIN pg_namespace ns ON typnamespace = ns.oid WHERE typname = 'hstore';

-- free: has_table
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relname = 'cps' AND pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_namespace.nspname = 'private';
-- shows: ^cps$

-- free: reflected columns
SELECT pg_catalog.pg_attribute.attname AS name, pg_catalog.format_type(pg_catalog.pg_attribute.atttypid, pg_catalog.pg_attribute.atttypmod) AS format_type,
       (SELECT pg_catalog.pg_get_expr(pg_catalog.pg_attrdef.adbin, pg_catalog.pg_attrdef.adrelid) FROM pg_catalog.pg_attrdef
        WHERE pg_catalog.pg_attrdef.adrelid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attrdef.adnum = pg_catalog.pg_attribute.attnum AND pg_catalog.pg_attribute.atthasdef) AS "default",
       pg_catalog.pg_attribute.attnotnull AS not_null, pg_catalog.pg_class.relname AS table_name
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_attribute ON pg_catalog.pg_class.oid = pg_catalog.pg_attribute.attrelid AND pg_catalog.pg_attribute.attnum > 0 AND NOT pg_catalog.pg_attribute.attisdropped
WHERE pg_catalog.pg_class.oid = 'private.cps'::regclass ORDER BY pg_catalog.pg_attribute.attnum;
-- shows: ^wage\|double precision

-- free: reflected enums and domains
SELECT t.typname, pg_catalog.pg_type_is_visible(t.oid), n.nspname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype IN ('e', 'd') ORDER BY 3, 1 LIMIT 5;

-- free: read_sql_table
SELECT private.cps.id, private.cps.region, private.cps.wage, private.cps.note FROM private.cps;

-- answered: a query of the ORM
SELECT private.cps.region AS private_cps_region, avg(private.cps.wage) AS avg_1 FROM private.cps WHERE private.cps.education >= 12 GROUP BY private.cps.region ORDER BY private.cps.region;

-- answered: the ORM's count
SELECT count(*) AS count_1 FROM (SELECT cps_1.id AS cps_1_id, cps_1.wage AS cps_1_wage FROM private.cps AS cps_1 WHERE cps_1.employed IS true) AS anon_1;

-- answered: a named cursor
BEGIN;
DECLARE "rows" CURSOR WITHOUT HOLD FOR SELECT region, count(*) FROM private.cps WHERE education >= 10 GROUP BY region;
FETCH FORWARD 2 FROM "rows";
FETCH FORWARD 2 FROM "rows";
CLOSE "rows";
COMMIT;

-- answered: a statement prepared by the server, with texts as unknown
PREPARE _pg3_0 AS SELECT region, avg(wage) FROM private.cps WHERE day >= $1 AND sex = $2 AND education = ANY ($3) GROUP BY region;
EXECUTE _pg3_0('2026-02-01', 'F', '{10,12,16}');
DEALLOCATE ALL;

-- answered: Ibis wraps every step
SELECT * FROM (SELECT "t1"."region", AVG("t1"."wage") AS "wage" FROM (SELECT "t0"."region", "t0"."wage", "t0"."hours" FROM "private"."cps" AS "t0" WHERE "t0"."hours" > 5) AS "t1" GROUP BY 1) AS "t2" ORDER BY "t2"."region" ASC LIMIT 1000;

-- answered: great_expectations counts missing values
SELECT sum(CASE WHEN (private.cps.wage IS NULL) THEN 1 ELSE 0 END) AS "column_values.null.count", count(*) AS "table.row_count" FROM private.cps;

-- refused: great_expectations looks for rows that break a rule
SELECT private.cps.id, private.cps.wage FROM private.cps WHERE private.cps.wage < 0 LIMIT 20;

-- answered: dbt's model over a source
with source as (select * from "private"."cps"), renamed as (select region, sex as gender, wage, hours from source where employed)
select gender, avg(wage) as wage, count(*) as people from renamed group by gender;

-- answered: dbt stores a model
begin;
create temporary table "wages__dbt_tmp" as (with source as (select * from "private"."cps") select region, avg(wage) as wage from source where sex = 'F' group by region);
commit;
select count(*) from "wages__dbt_tmp";
-- shows: ^5$

-- refused: dbt's test that values are unique
select count(*) as failures, count(*) != 0 as should_warn from (select id as unique_field, count(*) as n_records from "private"."cps" where id is not null group by id having count(*) > 1) dbt_internal_test;

-- answered: dbt's test of accepted values, over declared ones
with all_values as (select region as value_field, count(*) as n_records from "private"."cps" group by region)
select count(*) as failures from (select * from all_values where value_field not in ('northeast', 'midwest', 'south', 'west')) dbt_internal_test;
-- shows: ^0$

-- answered: dbt's test that nothing is missing
select count(*) as failures from (select count(*) as n from "private"."cps" where wage is null) t;

-- answered: a loader copies an answer out
COPY (SELECT sex, avg(hours) AS hours FROM private.cps WHERE region = 'south' GROUP BY sex) TO STDOUT;
