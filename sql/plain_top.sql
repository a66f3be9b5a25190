-- Plain SQL that joins rows with results on a group key, as tools choose the largest groups: only these groups come
-- back, as PostgreSQL has them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE top_owner;
CREATE ROLE top_analyst;
CREATE SCHEMA top_private AUTHORIZATION top_owner;
GRANT USAGE, CREATE ON SCHEMA top_private TO top_analyst;
GRANT CREATE ON SCHEMA public TO top_owner;
SET ROLE top_owner;
CREATE TABLE top_sales (id int PRIMARY KEY, town varchar(20), shop int NOT NULL, qty int NOT NULL, day date NOT NULL);
INSERT INTO top_sales SELECT i, CASE WHEN i % 19 > 0 THEN 'town' || i % 7 % 4 END, i % 3, i % 5, date '2026-01-01' + i % 60 FROM generate_series(1, 900) AS i;
SELECT dpmix.protect('top_sales', 1e7, .01, accountant => 'basic');
SELECT FROM dpmix.declare('top_sales', '{"town": ["town0", "town1", "town2", "town3"], "shop": [0, 2], "qty": [0, 4], "day": ["2026-01-01", "2026-03-01"]}');
SELECT dpmix.grant_access('top_sales', 'top_analyst');
SELECT dpmix.expose('top_sales', 'top_private.sales', default_epsilon => 1e4);
CREATE TABLE top_favourites (town text, rank int);
INSERT INTO top_favourites VALUES ('town3', 1), ('town3', 2), ('town1', 3), ('nowhere', 4);
GRANT SELECT ON top_favourites TO top_analyst;
RESET ROLE;
CREATE FUNCTION top_charges() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM dpmix.charge WHERE relation = 'public.top_sales' $$;
-- Each statement over the facade, as the analyst, and over the rows, as their owner: the same rows.
CREATE TABLE top_statements (n int GENERATED ALWAYS AS IDENTITY, text text);
INSERT INTO top_statements (text) VALUES
    ('SELECT date_trunc(''month'', day::timestamp) AS m, town, sum(qty) FROM sales JOIN (SELECT town AS town__, sum(qty) AS mme FROM sales GROUP BY town ORDER BY mme DESC LIMIT 2) AS anon_1 ON town = town__ GROUP BY 1, town'),
    ('SELECT town, avg(qty)::numeric(6, 1) FROM sales INNER JOIN (SELECT town AS t, sum(qty) AS x FROM sales GROUP BY 1 ORDER BY 2 DESC LIMIT 2) AS t0 ON town IS NOT DISTINCT FROM t0.t GROUP BY 1'),
    ('WITH top AS (SELECT shop, count(*) AS n FROM sales GROUP BY shop ORDER BY n DESC, shop LIMIT 2) SELECT s.shop, town, count(*), (SELECT min(n) FROM top) AS least FROM sales AS s JOIN top ON top.shop = s.shop WHERE qty > 0 GROUP BY 1, 2'),
    ('WITH top AS (SELECT shop, town FROM sales GROUP BY shop, town HAVING count(*) > 60) SELECT s.shop, s.town, count(*) FROM sales AS s, top WHERE top.shop = s.shop AND s.town = top.town GROUP BY s.shop, s.town'),
    ('SELECT virtual.town, count(*) FROM (SELECT * FROM sales WHERE qty < 4) AS virtual JOIN (SELECT DISTINCT town FROM favourites) AS f ON f.town = virtual.town GROUP BY virtual.town HAVING count(*) > 1'),
    ('SELECT town, count(*) FROM sales JOIN (SELECT town AS t FROM favourites GROUP BY town ORDER BY min(rank) LIMIT 1) AS f ON t = town JOIN (SELECT max(shop) AS last FROM sales_shops) AS l ON last = shop GROUP BY town, shop'),
    ('SELECT shop, count(*) FROM sales JOIN (SELECT max(rank) - 2 AS one FROM favourites) AS f ON one = shop GROUP BY shop');
CREATE FUNCTION top_rows(statement text, VARIADIC names text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    FOR i IN 1 .. array_length(names, 1) BY 2 LOOP
        statement := regexp_replace(statement, '\m' || names[i] || '\M', names[i + 1], 'g');
    END LOOP;
    EXECUTE format('SELECT string_agg(t::text, '' '' ORDER BY t::text) FROM (%s) AS t', statement) INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
GRANT SELECT ON top_statements TO top_analyst, top_owner;
SET ROLE top_analyst;
CREATE TEMP TABLE plain AS SELECT n, top_rows(text, 'sales', 'top_private.sales', 'favourites', 'top_favourites', 'sales_shops', '(VALUES (1), (2)) AS v(shop)') AS rows FROM top_statements;
GRANT SELECT ON plain TO PUBLIC;
RESET ROLE;
SET ROLE top_owner;
SELECT n, p.rows, CASE WHEN p.rows IS DISTINCT FROM r.rows THEN r.rows END AS but
    FROM plain AS p JOIN (SELECT n, top_rows(text, 'sales', 'top_sales', 'favourites', 'top_favourites', 'sales_shops', '(VALUES (1), (2)) AS v(shop)') AS rows FROM top_statements) AS r USING (n) ORDER BY n;
RESET ROLE;
SET ROLE top_analyst;
SET search_path = top_private, public;
-- A view of the results, which asks with the rights of its owner.
CREATE VIEW largest AS SELECT town, count(*) AS n FROM sales GROUP BY town ORDER BY n DESC LIMIT 1;
SELECT town, count(*) FROM sales JOIN largest USING (town) GROUP BY town;
EXPLAIN (COSTS OFF) SELECT town, count(*) FROM sales JOIN largest USING (town) GROUP BY town;
-- Refused, and free: what would be other rows than these groups'.
SELECT top_charges() AS before \gset
SELECT town, count(*) FROM sales JOIN (SELECT town, shop FROM sales GROUP BY town, shop LIMIT 2) AS s USING (town) GROUP BY town;
SELECT town, n, count(*) FROM sales JOIN largest USING (town) GROUP BY town, n;
SELECT sales.town, count(*) FROM sales LEFT JOIN largest USING (town) GROUP BY sales.town;
SELECT sales.town, count(*) FROM sales JOIN largest ON largest.town >= sales.town GROUP BY sales.town;
SELECT count(*) FROM sales JOIN largest USING (town);
SELECT town, count(*) FROM sales JOIN largest USING (town) GROUP BY ROLLUP (town);
SELECT town, count(*) FROM sales JOIN (SELECT town FROM top_favourites LIMIT 3) AS f USING (town) GROUP BY town;
SELECT town, count(*) FROM sales JOIN (SELECT town FROM top_favourites UNION ALL SELECT 'town2') AS f USING (town) GROUP BY town;
SELECT town, count(*) FROM sales JOIN (SELECT DISTINCT ON (town) town, rank FROM top_favourites) AS f USING (town) GROUP BY town;
SELECT top_charges() - :before AS none;
RESET ROLE;
RESET search_path;
DROP OWNED BY top_analyst;
SET ROLE top_owner;
SELECT dpmix.unprotect('top_sales');
RESET ROLE;
DROP OWNED BY top_owner CASCADE;
DROP FUNCTION top_charges, top_rows;
DROP TABLE top_statements;
DROP ROLE top_owner, top_analyst;
