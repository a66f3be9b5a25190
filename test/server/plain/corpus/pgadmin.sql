-- pgAdmin 4: browser tree, properties, statistics, query tool, dashboard. How to read this: ../corpus.test.sh.

-- free: settings of a connection
SET DateStyle = ISO;
SET client_min_messages = notice;
SELECT set_config('bytea_output', 'hex', false) FROM pg_show_all_settings() WHERE name = 'bytea_output';
SET client_encoding = 'UTF8';

-- free: who is connected
SELECT roles.oid AS id, roles.rolname AS name, roles.rolsuper AS is_superuser, roles.rolcreaterole AS can_create_role, roles.rolcreatedb AS can_create_db
FROM pg_catalog.pg_roles AS roles WHERE rolname = current_user;
-- shows: \|ana\|f

-- free: views of the browser tree
SELECT c.oid, c.xmin, c.relname AS name, c.reltablespace AS spcoid, pg_catalog.pg_get_userbyid(c.relowner) AS viewowner, description
FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = c.oid AND des.objsubid = 0 AND des.classoid = 'pg_class'::regclass)
WHERE (EXISTS (SELECT r.rulename FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid AND bpchar(r.ev_type) = '1'::bpchar) OR c.relkind = 'v')
  AND c.relnamespace = 'private'::regnamespace ORDER BY c.relname;
-- shows: \|cps\|

-- free: properties of the view
SELECT c.oid, c.relname AS name, c.relacl, nsp.nspname AS schema, pg_catalog.pg_get_viewdef(c.oid, true) AS definition,
       substring(pg_catalog.array_to_string(c.reloptions, ',') FROM 'security_barrier=([a-z|0-9]*)')::boolean AS security_barrier
FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_namespace nsp ON nsp.oid = c.relnamespace
WHERE c.oid = 'private.cps'::regclass;
-- shows: \|cps\|

-- free: columns of the browser tree
SELECT att.attname AS name, att.atttypid, att.attlen, att.attnum, att.attndims, att.atttypmod, att.attnotnull, att.atthasdef,
       pg_catalog.format_type(ty.oid, att.atttypmod) AS typname, (SELECT COUNT(1) FROM pg_catalog.pg_type t2 WHERE t2.typname = ty.typname) > 1 AS isdup
FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid = atttypid WHERE att.attrelid = 'private.cps'::regclass AND att.attnum > 0 AND att.attisdropped IS FALSE ORDER BY att.attnum;
-- shows: ^wage\|701

-- free: privileges
SELECT 'relacl' AS deftype, COALESCE(gt.rolname, 'PUBLIC') AS grantee, g.rolname AS grantor, pg_catalog.array_agg(privilege_type) AS privileges
FROM (SELECT (d).grantee, (d).grantor, (d).privilege_type FROM (SELECT pg_catalog.aclexplode(relacl) AS d FROM pg_catalog.pg_class WHERE oid = 'private.cps'::regclass) a) d
LEFT JOIN pg_catalog.pg_roles g ON d.grantor = g.oid LEFT JOIN pg_catalog.pg_roles gt ON d.grantee = gt.oid GROUP BY g.rolname, gt.rolname;
-- shows: ana

-- free: statistics of the view are nothing
SELECT seq_scan, seq_tup_read, n_live_tup, n_tup_ins FROM pg_catalog.pg_stat_all_tables WHERE relid = 'private.cps'::regclass;
SELECT attname, null_frac, avg_width, n_distinct, most_common_vals, histogram_bounds FROM pg_catalog.pg_stats WHERE schemaname = 'private' AND tablename = 'cps';
SELECT reltuples::bigint FROM pg_catalog.pg_class WHERE oid = 'private.cps'::regclass;

-- free: statistics of the table behind are not shown to those who can't read it
SELECT attname, most_common_vals, histogram_bounds FROM pg_catalog.pg_stats WHERE schemaname = 'public' AND tablename = 'cps';

-- free: view all rows
SELECT * FROM private.cps;

-- free: view the first hundred rows
SELECT * FROM private.cps ORDER BY id ASC LIMIT 100;

-- free: view the last hundred rows
SELECT * FROM private.cps ORDER BY id DESC LIMIT 100;

-- refused: view filtered rows
SELECT * FROM private.cps WHERE region = 'west';

-- answered: count rows
SELECT COUNT(*) FROM private.cps;

-- answered: the query tool within a transaction that is rolled back
BEGIN;
SELECT region, count(*) FROM private.cps WHERE sex = 'F' GROUP BY region;
ROLLBACK;

-- answered: a graph of the query tool
SELECT extract(month FROM day) AS month, avg(wage) AS wage FROM private.cps GROUP BY 1 ORDER BY 1;
-- shows: ^12\|

-- answered: a macro with every aggregate
SELECT sex, count(*), count(wage), sum(hours), avg(wage), var_pop(wage), stddev_pop(wage), var_samp(wage), stddev_samp(wage) FROM private.cps GROUP BY sex;

-- free: explain
EXPLAIN (FORMAT JSON, COSTS ON, VERBOSE OFF, BUFFERS OFF, TIMING OFF, SUMMARY OFF) SELECT sex, count(*) FROM private.cps GROUP BY sex;

-- answered: explain analyze
EXPLAIN (ANALYZE, FORMAT JSON, COSTS ON, BUFFERS ON, TIMING ON, SUMMARY ON) SELECT region, avg(hours) FROM private.cps GROUP BY region;

-- answered: a server-side cursor of the query tool
BEGIN;
DECLARE "CURSOR:1234567" CURSOR WITHOUT HOLD FOR SELECT education, count(*) FROM private.cps GROUP BY education ORDER BY education;
FETCH FORWARD 10 FROM "CURSOR:1234567";
FETCH FORWARD 100 FROM "CURSOR:1234567";
CLOSE "CURSOR:1234567";
COMMIT;

-- free: a cursor that is never read
BEGIN;
DECLARE unread CURSOR FOR SELECT region, count(*) FROM private.cps GROUP BY region;
COMMIT;

-- free: the dashboard's sessions
SELECT pid, datname, usename, application_name, state, query FROM pg_catalog.pg_stat_activity WHERE datname = current_database() ORDER BY pid;

-- answered: correlation of two columns
SELECT corr(wage, hours) FROM private.cps;

-- refused: an exact sample of a row through a function of the row
SELECT row_to_json(c.*) FROM private.cps AS c WHERE c.id = 1;

-- answered: an ad-hoc report with a WITH clause
WITH base AS (SELECT region, sex, wage FROM private.cps WHERE employed), summary AS (SELECT region, avg(wage) AS wage, count(*) AS n FROM base GROUP BY region)
SELECT region, wage, rank() OVER (ORDER BY wage DESC) FROM summary WHERE n > 5;

-- answered: a query with FILTER
SELECT count(*) FILTER (WHERE sex = 'F') AS women, count(*) FILTER (WHERE sex = 'M') AS men, avg(wage) FILTER (WHERE employed) AS wage FROM private.cps;
