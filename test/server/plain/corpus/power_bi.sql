-- Power BI and Power Query, through Npgsql: navigator, import, DirectQuery. How to read this: ../corpus.test.sh.

-- free: Npgsql loads the types
SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid
FROM (SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind, elemtyp.oid AS elemtypoid
      FROM (SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, typelem, CASE WHEN proc.proname = 'array_recv' THEN 'a' ELSE typ.typtype END AS typtype, cls.relkind
            FROM pg_type AS typ LEFT JOIN pg_class AS cls ON cls.oid = typ.typrelid LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive) AS typ
      LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = typ.typelem) AS t
JOIN pg_namespace AS ns ON ns.oid = t.typnamespace
WHERE t.typtype IN ('b', 'r', 'm', 'e', 'd') OR (t.typtype = 'c' AND t.relkind = 'c') OR t.typtype = 'a' ORDER BY t.typtype, t.oid LIMIT 50;

-- free: a connection returns to the pool
DISCARD ALL;

-- free: character sets
select character_set_name from INFORMATION_SCHEMA.character_sets;

-- free: the navigator's tables
select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE from INFORMATION_SCHEMA.tables where TABLE_SCHEMA not in ('information_schema', 'pg_catalog') order by TABLE_SCHEMA, TABLE_NAME;
-- shows: ^private\|cps\|VIEW$

-- free: the columns of a table
select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, case when (data_type like '%unsigned%') then DATA_TYPE || ' unsigned' else DATA_TYPE end as DATA_TYPE
from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'private' and TABLE_NAME = 'cps' order by TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION;
-- shows: ^hours\|6\|YES\|integer$

-- free: keys that refer to others
select pkcol.COLUMN_NAME as PK_COLUMN_NAME, fkcol.TABLE_SCHEMA as FK_TABLE_SCHEMA, fkcol.TABLE_NAME as FK_TABLE_NAME, fkcol.COLUMN_NAME as FK_COLUMN_NAME
from (select distinct constraint_catalog, constraint_schema, unique_constraint_schema, constraint_name, unique_constraint_name from INFORMATION_SCHEMA.referential_constraints) fkcon
inner join INFORMATION_SCHEMA.key_column_usage fkcol on fkcon.constraint_schema = fkcol.constraint_schema and fkcon.constraint_name = fkcol.constraint_name
inner join INFORMATION_SCHEMA.key_column_usage pkcol on fkcon.unique_constraint_schema = pkcol.constraint_schema and fkcon.unique_constraint_name = pkcol.constraint_name
where pkcol.TABLE_SCHEMA = 'private' and pkcol.TABLE_NAME = 'cps';

-- free: the primary key
select i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME as INDEX_NAME, ii.COLUMN_NAME, ii.ORDINAL_POSITION, case when i.CONSTRAINT_TYPE = 'PRIMARY KEY' then 'Y' else 'N' end as PRIMARY_KEY
from INFORMATION_SCHEMA.table_constraints i inner join INFORMATION_SCHEMA.key_column_usage ii on i.CONSTRAINT_SCHEMA = ii.CONSTRAINT_SCHEMA and i.CONSTRAINT_NAME = ii.CONSTRAINT_NAME
  and i.TABLE_SCHEMA = ii.TABLE_SCHEMA and i.TABLE_NAME = ii.TABLE_NAME
where i.TABLE_SCHEMA = 'private' and i.TABLE_NAME = 'cps' and i.CONSTRAINT_TYPE in ('PRIMARY KEY', 'UNIQUE');

-- free: preview of the rows
select "$Table"."id" as "id", "$Table"."region" as "region", "$Table"."wage" as "wage", "$Table"."note" as "note" from "private"."cps" "$Table" limit 1000;

-- free: import of the rows
select "$Table"."id" as "id", "$Table"."region" as "region", "$Table"."wage" as "wage" from "private"."cps" "$Table";

-- free: the schema of a table
select * from (select "$Table"."region" as "region", "$Table"."wage" as "wage" from "private"."cps" "$Table") "_" limit 0;

-- answered: number of rows in the query editor
select count(1) as "$Item" from "private"."cps" "$Table";

-- answered: table grouped in Power Query
select "rows"."region" as "region", count(1) as "Count", avg("rows"."wage") as "Average" from (
  select "_"."region", "_"."wage" from "private"."cps" "_"
) "rows" group by "region";

-- answered: grouped after a filter on rows
select "rows"."sex" as "sex", sum("rows"."hours") as "Hours" from (
  select "_"."sex", "_"."hours" from (select "_"."id", "_"."sex", "_"."hours", "_"."region" from "private"."cps" "_" where "_"."region" = 'west') "_" where "_"."hours" > 10
) "rows" group by "sex";

-- answered: a column added and grouped by
select "rows"."full" as "full", count(1) as "Count" from (
  select "_"."hours" as "hours", case when "_"."hours" >= 35 then 'yes' else 'no' end as "full" from "private"."cps" "_"
) "rows" group by "full";

-- answered: a visual of DirectQuery
select "basetable0"."c2", "basetable0"."a0" from (
  select "t0"."region" as "c2", sum(cast("t0"."wage" as double precision)) as "a0" from (
    (select "_"."id" as "id", "_"."region" as "region", "_"."sex" as "sex", "_"."wage" as "wage", "_"."day" as "day" from "private"."cps" "_")
  ) "t0" group by "t0"."region"
) "basetable0" where not ("basetable0"."a0" is null) limit 1000001;

-- answered: a card of DirectQuery
select "basetable0"."a0" from (
  select count(*) as "a0" from ((select "$Table"."region" as "region", "$Table"."wage" as "wage" from "private"."cps" "$Table")) "basetable1"
) "basetable0" where not ("basetable0"."a0" is null);

-- answered: top rows of a visual
select "rows"."c2" as "c2", "rows"."a0" as "a0" from (
  select "t0"."region" as "c2", avg("t0"."wage") as "a0" from "private"."cps" "t0" where "t0"."sex" in ('F') group by "t0"."region"
) "rows" order by "rows"."a0" desc nulls last, "rows"."c2" limit 501;

-- answered: a slicer of dates
select "_"."sex" as "sex", avg("_"."wage") as "a0" from "private"."cps" "_" where "_"."day" >= date '2026-04-01' and "_"."day" < date '2026-10-01' group by "_"."sex";

-- free: members of a slicer
select "_"."region" from (select "rows"."region" as "region" from (select "_"."region" from "private"."cps" "_") "rows" group by "region") "_" order by "_"."region" limit 101;
-- shows: ^west$

-- free: distinct members
select distinct "_"."sex" from "private"."cps" "_" order by "_"."sex";

-- refused: column profile with least and greatest
select count(distinct "rows"."wage") as "distinct", min("rows"."wage") as "min", max("rows"."wage") as "max" from "private"."cps" "rows";

-- answered: a matrix with its total
select "rows"."region" as "region", "rows"."a0" as "a0" from (select "_"."region", count(1) as "a0" from "private"."cps" "_" group by "_"."region") "rows"
union all
select null, sum("t"."a0") from (select "_"."region", count(1) as "a0" from "private"."cps" "_" group by "_"."region") "t";

-- answered: two measures of different filters
select sum(case when "_"."employed" then 1 else 0 end) as "a0", count(1) as "a1", count(distinct "_"."region") as "a2" from "private"."cps" "_";

-- answered: grand totals by ROLLUP
select "_"."region", "_"."sex", count(1) as "a0" from "private"."cps" "_" group by rollup("_"."region", "_"."sex");

-- answered 2: tables of two visuals in one request
select "_"."region", count(1) from "private"."cps" "_" where "_"."education" > 15 group by "_"."region";
select "_"."sex", count(1) from "private"."cps" "_" where "_"."education" > 15 group by "_"."sex";
