-- What a plain SELECT computes with an answer: a value that does not exist is NULL, as in dpmix.query, and an error
-- above the answer says what is kept.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE values_owner;
CREATE ROLE values_analyst;
CREATE SCHEMA values_private AUTHORIZATION values_owner;
GRANT USAGE, CREATE ON SCHEMA values_private TO values_analyst;
GRANT CREATE ON SCHEMA public TO values_owner;
SET ROLE values_owner;
CREATE TABLE values_visits (id int PRIMARY KEY, region text NOT NULL, qty int NOT NULL);
INSERT INTO values_visits SELECT i, (ARRAY['north', 'south'])[1 + i % 2], i % 7 FROM generate_series(1, 600) AS i;
SELECT dpmix.protect('values_visits', 1e7, .01, accountant => 'basic');
SELECT FROM dpmix.declare('values_visits', '{"region": ["north", "south", "west"], "qty": [0, 6]}');
SELECT dpmix.set_memory('values_visits', keep => '1 hour');
SELECT dpmix.grant_access('values_visits', 'values_analyst');
SELECT dpmix.expose('values_visits', 'values_private.visits', default_epsilon => 1e4);
RESET ROLE;
CREATE FUNCTION values_charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge WHERE relation = ''public.values_visits''';
CREATE FUNCTION values_private.ratio(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN $1 / $2; END';
CREATE FUNCTION values_private.complaint(bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RAISE ''% of them'', $1; END';
CREATE FUNCTION values_private.denied(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1';
REVOKE EXECUTE ON FUNCTION values_private.denied FROM PUBLIC;
SET ROLE values_analyst;
SET search_path = values_private, public;
-- No value: a division by zero, a logarithm, what is out of range, or no text of a type; of functions of the analyst's
-- own, too.
SELECT region, sum(qty) / count(*) AS mean, (sum(qty) / nullif(count(*), 0))::numeric(10, 2) AS typed FROM visits GROUP BY region ORDER BY region;
SELECT region, ln(count(*) - 1000), sqrt(-count(*)), (count(*) * 1000000)::int, (region || count(*))::int, ratio(count(*), count(*) - count(*)), ratio(count(*), 100) FROM visits GROUP BY region ORDER BY region;
SELECT region, to_char(count(*), 'FM000'), chr(-1 - count(*)::int), repeat(region, count(*)::int * 1000000) FROM visits GROUP BY region ORDER BY region;
CREATE TEMP TABLE made AS SELECT (sum(qty) / count(*))::numeric(10, 2) AS mean, (region || 'x')::varchar(9) COLLATE "C" AS name FROM visits GROUP BY region;
SELECT attname, format_type(atttypid, atttypmod), attcollation::regcollation FROM pg_attribute WHERE attrelid = 'made'::regclass AND attnum > 0;
-- In HAVING it is not true; in ORDER BY, a window, a CASE and an array it is NULL, and branches that are not taken are
-- not computed.
SELECT region FROM visits GROUP BY region HAVING count(*) / (count(*) - 300) >= 0;
SELECT region FROM visits GROUP BY region HAVING (count(*) / nullif(count(*) - 300, 0)) IS NULL OR count(*) = 0 ORDER BY 1 / (count(*) - 300), region;
SELECT region, rank() OVER (ORDER BY 1 / (count(*) - 300), region), sum(1 / (count(*) - 300)) OVER () AS total FROM visits GROUP BY region ORDER BY region;
SELECT region, CASE WHEN count(*) > 0 THEN 900 / count(*) ELSE -1 END AS safe, CASE count(*) WHEN 300 THEN 300 / (count(*) - 300) ELSE 2 END AS failing,
       CASE count(*) WHEN 300 THEN (SELECT max(i) FROM generate_series(1, 3) AS i) / (count(*) - 300) ELSE 2 END AS with_subselect FROM visits GROUP BY region ORDER BY region;
SELECT region, ARRAY[count(*), 1 / count(*)] AS both, (ARRAY[count(*)]::text[])[1] AS one, ROW(region, 1 / count(*)) AS pair, generate_series(1, 6 / (count(*) / 100)) AS n FROM visits GROUP BY region ORDER BY region, n;
PREPARE shared(int) AS SELECT region, count(*) / $1 AS share, $1 AS by FROM visits GROUP BY region ORDER BY region;
EXECUTE shared(0);
EXECUTE shared(100);
SELECT region, round(100 * count(*) / sum(count(*)) OVER (), 1) AS percent, count(*) / (sum(count(*)) OVER () - 600) AS none, sum(1 / (count(*) - 300)) OVER (ORDER BY region) AS part,
       (SELECT count(*) FROM visits) / count(*) AS times, count(*) / (SELECT count(*) - 600 FROM visits) AS nothing FROM visits GROUP BY region ORDER BY region;
SELECT region, CASE WHEN count(*) < 0 THEN (SELECT count(*) FILTER (WHERE qty = 1) FROM visits) / count(*) END AS untaken FROM visits GROUP BY region ORDER BY region;
SELECT region FROM visits GROUP BY region HAVING 2 * count(*) >= (SELECT count(*) FROM visits) AND region IN (SELECT unnest('{north,east}'::text[]));
SELECT DISTINCT 1 / (count(*) - count(*)) AS nothing FROM visits GROUP BY region;
SELECT n, (SELECT count(*) / v.n FROM visits) AS counted FROM (VALUES (100), (NULL)) AS v(n);
EXPLAIN (VERBOSE, COSTS OFF, FORMAT YAML) SELECT ln(count(*))::numeric(6, 2) AS l FROM visits HAVING ln(count(*)) > 0 \g (tuples_only=on format=unaligned) | grep -E 'value_or_null'
-- Free and charged once each, whatever failed.
SELECT values_charges() AS charges;
-- What fails whatever the answer is, or may not be called, fails before a charge.
SELECT values_charges() AS before \gset
SELECT count(*) FILTER (WHERE qty = 2) + 1 / 0 AS never FROM visits;
SELECT denied(count(*) FILTER (WHERE qty = 2)) FROM visits;
SELECT values_charges() - :before AS none;
-- An error above the answer, or one that is no value's: asked again, put right, the statement is free.
SELECT 1 / (n - n) FROM (SELECT count(*) FILTER (WHERE qty = 3) AS n FROM visits) AS s;
SELECT complaint(count(*) FILTER (WHERE qty = 3)) FROM visits;
SELECT values_charges() - :before AS one;
SELECT 1 / nullif(n - n, 0) AS nothing FROM (SELECT count(*) FILTER (WHERE qty = 3) AS n FROM visits) AS s;
SELECT 1 / (n - n) FROM dpmix.query('SELECT dp_count(*) FROM public.values_visits WHERE qty = 4', 1e4) AS s(n bigint);
SELECT values_charges() - :before AS two;
-- It says so where that is true alone.
SET dpmix.max_age = 0;
SELECT 1 / (n - n) FROM (SELECT count(*) FILTER (WHERE qty = 3) AS n FROM visits) AS s;
RESET dpmix.max_age;
RESET ROLE;
SET ROLE values_owner;
SELECT dpmix.set_memory('public.values_visits', keep => '0');
RESET ROLE;
SET ROLE values_analyst;
SELECT 1 / (n - n) FROM (SELECT count(*) FILTER (WHERE qty = 5) AS n FROM visits) AS s;
SELECT 1 / 0 AS ordinary;
-- Nobody writes an expression.
SELECT '{CONST}'::dpmix_internal.expression;
SELECT dpmix_internal.value_or_null(NULL, 1, 2);
RESET ROLE;
RESET search_path;
DROP OWNED BY values_analyst;
SET ROLE values_owner;
SELECT dpmix.unprotect('values_visits');
RESET ROLE;
DROP OWNED BY values_owner CASCADE;
DROP FUNCTION values_charges;
DROP ROLE values_owner, values_analyst;
