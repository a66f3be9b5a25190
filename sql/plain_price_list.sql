-- Query 9 of TPC-H as it stands, over protected line items and public prices, parts, suppliers, orders and nations:
-- expressions of columns of all of them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE price_owner;
CREATE ROLE price_analyst;
CREATE SCHEMA price_private AUTHORIZATION price_owner;
GRANT USAGE ON SCHEMA price_private TO price_analyst;
CREATE SCHEMA prices AUTHORIZATION price_owner;
GRANT USAGE ON SCHEMA prices TO price_analyst;
SET ROLE price_owner;
SET search_path = prices;
CREATE TABLE nation (n_nationkey int PRIMARY KEY, n_name text NOT NULL);
CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_nationkey int NOT NULL);
CREATE TABLE part (p_partkey int PRIMARY KEY, p_name text NOT NULL);
CREATE TABLE partsupp (ps_partkey int, ps_suppkey int, ps_supplycost numeric(15, 2) NOT NULL, PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE orders (o_orderkey int PRIMARY KEY, o_orderdate date NOT NULL);
CREATE TABLE lineitem (l_id int PRIMARY KEY, l_orderkey int NOT NULL, l_partkey int, l_suppkey int, l_quantity numeric(15, 2), l_extendedprice numeric(15, 2), l_discount numeric(15, 2));
INSERT INTO nation SELECT i, 'nation ' || i FROM generate_series(0, 2) AS i;
INSERT INTO supplier SELECT i, i % 3 FROM generate_series(1, 20) AS i;
INSERT INTO part SELECT i, CASE WHEN i % 3 = 0 THEN 'green ' ELSE 'red ' END || i FROM generate_series(1, 40) AS i;
INSERT INTO partsupp SELECT p, s, (p + s) % 50 FROM generate_series(1, 40) AS p, generate_series(1, 20) AS s;
INSERT INTO orders SELECT i, date '1995-01-01' + i FROM generate_series(1, 1000) AS i;
INSERT INTO lineitem SELECT i, 1 + i % 1000, 1 + i * 7 % 40, 1 + i * 3 % 20, 1 + i % 50, i % 1000, (i % 11) / 100.0 FROM generate_series(1, 4000) AS i;
SELECT dpmix.declare_public(t) FROM unnest('{nation,supplier,part,partsupp,orders}'::regclass[]) AS t;
GRANT SELECT ON nation, supplier, part, partsupp, orders TO price_analyst;
SELECT dpmix.protect('lineitem', 1e7, .1, privacy_unit => 'l_orderkey', max_rows_per_unit => 4);
SELECT FROM dpmix.declare('lineitem', '{"l_quantity": [0, 50], "l_extendedprice": [0, 1000], "l_discount": [0, 0.1]}');
SELECT dpmix.grant_access('lineitem', 'price_analyst');
SELECT dpmix.expose('lineitem', 'price_private.lineitem', default_epsilon => 1e6, default_delta => 1e-9);
CREATE FUNCTION profit(lineitem text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT format($q$
    select nation, o_year, sum(amount) as sum_profit
    from (
        select n_name as nation, extract(year from o_orderdate) as o_year,
            l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
        from part, supplier, %s, partsupp, orders, nation
        where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey
            and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%%green%%'
    ) as profit
    group by nation, o_year order by nation, o_year desc $q$, lineitem) $$;
SELECT format('CREATE TABLE exact AS %s', profit('prices.lineitem')) \gexec
GRANT SELECT ON exact TO price_analyst;
SET ROLE price_analyst;
SELECT format('CREATE TEMP TABLE noisy AS %s', prices.profit('price_private.lineitem')) \gexec
SELECT count(*) AS groups, count(*) FILTER (WHERE abs(n.sum_profit - e.sum_profit) < 500) AS close, round(min(e.sum_profit)) AS least FROM noisy AS n JOIN prices.exact AS e USING (nation, o_year);
RESET ROLE;
RESET search_path;
DROP OWNED BY price_analyst;
SET ROLE price_owner;
SELECT dpmix.unprotect('prices.lineitem');
RESET ROLE;
DROP OWNED BY price_owner CASCADE;
DROP ROLE price_owner, price_analyst;
