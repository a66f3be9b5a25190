-- psql's own commands, and how people type at its prompt. How to read this: ../corpus.test.sh.

-- free: relations of a schema
\d private.*
-- shows: View "private.cps"

-- free: a relation
\d private.cps
-- shows: wage +\| double precision|wage\|double precision

-- free: a relation, with all details
\d+ private.cps
-- shows: View definition

-- free: tables
\dt private.*

-- free: views
\dv private.*
-- shows: private\|cps\|view

-- free: views, with sizes
\dv+ private.*

-- free: privileges
\dp private.cps
-- shows: ana=r/

-- free: schemas
\dn+
-- shows: private

-- free: functions of the extension
\df dpmix.expose
-- shows: expose

-- free: objects of the extension
\dx dpmix
-- shows: dpmix

-- free: descriptions
\dd private.*

-- free: the source of the view
\sv private.cps
-- shows: CREATE OR REPLACE VIEW private.cps

-- free: types of a query's columns
SELECT region, count(*), sum(hours), avg(hours), avg(wage), sum(wage) FROM private.cps GROUP BY region \gdesc
-- shows: ^avg\|numeric$

-- free: what everybody types first
TABLE private.cps;

-- free: and what comes next
SELECT * FROM private.cps LIMIT 5;

-- answered: the first question of the guide
SELECT region, avg(wage) FROM private.cps GROUP BY region;

-- answered: a cross table
SELECT region, sex, count(*) FROM private.cps GROUP BY region, sex ORDER BY region, sex \crosstabview
-- shows: ^region\|F\|M$

-- answered: into variables
SELECT count(*) AS people FROM private.cps WHERE wage > 500 \gset
\echo :people
-- shows: ^-?[0-9]+$

-- answered: one statement in place of another
SELECT 'SELECT count(*) FROM private.cps WHERE sex = ''F''' \gexec

-- answered: a copy to the client
\copy (SELECT sex, avg(wage) FROM private.cps GROUP BY sex ORDER BY sex) TO STDOUT
-- shows: ^F

-- refused: a copy of the view
\copy private.cps TO STDOUT

-- answered: row by row from the server
\set FETCH_COUNT 1
SELECT employed, count(*) FROM private.cps GROUP BY employed ORDER BY employed;
\unset FETCH_COUNT
-- shows: ^t\|

-- answered: the end of the year, by an interval
SELECT count(*) FROM private.cps WHERE day > date '2026-12-31' - interval '30 days';

-- answered: everything above the groups
SELECT upper(region) AS name, to_char(avg(wage), 'FM9990.00') AS wage, repeat('*', greatest(0, count(*)::int / 100)) AS bar
FROM private.cps GROUP BY region HAVING count(*) > 1 ORDER BY avg(wage) DESC NULLS LAST FETCH FIRST 3 ROWS ONLY;

-- answered: from a sub-select in an expression
SELECT name, (SELECT count(*) FROM private.cps WHERE sex = 'M') AS men FROM public.regions ORDER BY name LIMIT 1;

-- answered: released groups joined to a table
SELECT r.name, round(c.wage::numeric, 2) FROM (SELECT region, avg(wage) AS wage FROM private.cps GROUP BY region) c JOIN public.regions r USING (region) ORDER BY 1;
-- shows: ^The West\|

-- answered 2: two levels of one table
SELECT 'all' AS what, count(*) FROM private.cps UNION ALL SELECT sex, count(*) FROM private.cps GROUP BY sex;

-- refused: a sub-select of rows
SELECT name FROM public.regions r WHERE EXISTS (SELECT FROM private.cps c WHERE c.region = r.region AND c.wage > 2400);

-- answered 2: a comparison of rows with their average
SELECT count(*) FROM private.cps WHERE wage > (SELECT avg(wage) FROM private.cps);

-- refused: a window over rows
SELECT id, rank() OVER (ORDER BY wage DESC) FROM private.cps LIMIT 3;

-- answered: a lateral join
SELECT r.name, n FROM public.regions r, LATERAL (SELECT count(*) AS n FROM private.cps c WHERE c.region = r.region) x;

-- refused: a division that rows could make fail
SELECT count(*) FROM private.cps WHERE ('x' || note)::int > 0;

-- refused: a function of the user's own over rows
CREATE FUNCTION pg_temp.spy(float8) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$;
SELECT count(*) FROM private.cps WHERE pg_temp.spy(wage);

-- refused: the table itself
SELECT region, avg(wage) FROM public.cps GROUP BY region;

-- answered: in PL/pgSQL
DO $$
DECLARE people bigint; least int := 12;
BEGIN
  SELECT count(*) INTO people FROM private.cps WHERE education >= least;
  RAISE NOTICE 'people: %', people;
END $$;
-- shows: people: -?[0-9]+

-- answered: a view of the analyst's own
CREATE TEMPORARY VIEW wages AS SELECT region, avg(wage) AS wage FROM private.cps WHERE education >= 12 GROUP BY region;
SELECT * FROM wages WHERE region = 'west';
-- shows: ^west\|

-- free: a question about nothing
SELECT count(*) FROM private.cps WHERE false;

-- free: none of the rows
SELECT * FROM private.cps LIMIT 0;
