-- Blocks of a column of categories, such as tenants: each declared category has a budget of its own.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA tenancy;
SET search_path = tenancy, public;
CREATE TABLE orders (id serial PRIMARY KEY, tenant text, amount integer);
INSERT INTO orders (tenant, amount) SELECT (ARRAY['acme', 'bolt', 'cog', 'stray'])[1 + i % 4], i % 100 FROM generate_series(0, 3999) i;
INSERT INTO orders (tenant, amount) VALUES (NULL, 1);
SELECT dpmix.protect('orders', 1, 1e-6, blocks => 'tenant', width => '2');
SELECT dpmix.protect('orders', 1, 1e-6, adjacency => 'replace', blocks => 'tenant');
CREATE FUNCTION asked(condition text, epsilon float8 DEFAULT .1, every boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; before bigint := (SELECT max(id) FROM dpmix.charge); paid text;
BEGIN
    EXECUTE format('SELECT n FROM dpmix.query(%L, %L, mechanism => ''laplace'', all_blocks => %L) AS t(n bigint)',
                   'SELECT dp_count(*) AS n FROM tenancy.orders WHERE ' || condition, epsilon, every) INTO n;
    SELECT blocks INTO paid FROM dpmix.charge WHERE relation = 'tenancy.orders' AND id > coalesce(before, 0);
    RETURN format('about %s of %s', round(n / 1000.0), coalesce(paid, 'none, free'));
EXCEPTION WHEN OTHERS THEN RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;
-- No category is declared yet: nothing is in a block.
SELECT asked('tenant = ''acme''');
SELECT dpmix.set_categories('orders', 'tenant', '{acme,bolt}');
SELECT asked('tenant = ''acme'''), asked('tenant <> ''acme'''), asked('tenant IN (''bolt'', ''cog'')'), asked('tenant LIKE ''b%'' AND amount >= 0');
SELECT asked('tenant = ''cog'''), asked('tenant = ''acme'' OR tenant = ''bolt'''), asked('tenant IS NULL');
-- Of categories of which nothing is said: all, or none.
SELECT asked('amount >= 0'), asked('amount >= 0 OR tenant = ''acme'''), asked('amount >= 0', .1, true);
-- New categories come behind the others.
SELECT dpmix.set_categories('orders', 'tenant', '{bolt,acme,cog}');
SELECT dpmix.set_categories('orders', 'tenant', '{acme}');
SELECT dpmix.set_categories('orders', 'tenant', '{acme,bolt,cog}');
SELECT asked('tenant = ''cog''', .5), asked('tenant <> ''acme''', .1), asked('true', .05, true);
-- One is spent, the others are not.
SELECT asked('tenant = ''cog''', .5), asked('tenant = ''bolt''', .2);
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('orders');
-- What shows budgets names them.
SELECT c.value FROM dpmix.charge g, dpmix.explain_charge(g.id) c WHERE g.relation = 'tenancy.orders' AND c.item IN ('paid by', 'and by') ORDER BY g.id DESC LIMIT 2;
SELECT substring(caution FROM 'block.*fullest') FROM dpmix.forecast('orders');
SELECT dpmix.budget_svg('orders') LIKE '%Budgets of the blocks of tenancy.orders%' AS drawn, dpmix.report('orders') LIKE '%each category%block 1 (bolt), the fullest%' AS reported;
SELECT block_column, charges FROM dpmix.budget WHERE relation = 'orders'::regclass;
-- Rows keep theirs, declared or not.
UPDATE orders SET tenant = 'bolt' WHERE tenant = 'acme';
UPDATE orders SET tenant = NULL WHERE tenant = 'acme';
UPDATE orders SET tenant = 'acme' WHERE tenant = 'stray';
UPDATE orders SET tenant = tenant, amount = 5 WHERE tenant = 'acme';
UPDATE orders SET tenant = 'cog' WHERE tenant IS NULL;
-- Models name them as an array.
SELECT dpmix.set_bounds('orders', 'amount', 0, 100);
SELECT components FROM dpmix.release_gmm('tenancy_one', 'orders', '{amount}', .1, 1e-8, blocks => '{bolt}', components => 1);
SELECT blocks FROM dpmix.charge WHERE relation = 'tenancy.orders' ORDER BY id DESC LIMIT 1;
SELECT components FROM dpmix.release_gmm('tenancy_two', 'orders', '{amount}', .1, 1e-8, blocks => '{bolt,stray}', components => 1);
SELECT components FROM dpmix.release_gmm('tenancy_two', 'orders', '{amount}', .1, 1e-8, blocks => '{}', components => 1);
-- The numbers last as long as the charges.
SELECT dpmix.unprotect('orders');
SELECT dpmix.protect('orders', 1, 1e-6, adjacency => 'replace', blocks => 'tenant');
SELECT asked('tenant = ''cog''', .5), asked('tenant = ''bolt''', .05);
SELECT dpmix.set_categories('orders', 'tenant', '{cog,bolt,acme}');
-- Enums, and tables that were never charged.
CREATE TYPE ward AS ENUM ('north', 'south');
CREATE TABLE beds (ward ward, flag boolean);
SELECT dpmix.protect('beds', 10, 1e-6, blocks => 'ward');
SELECT dpmix.set_categories('beds', 'ward', '{south,north}');
SELECT dpmix.unprotect('beds');
SELECT dpmix.protect('beds', 10, 1e-6, blocks => 'flag');
SELECT dpmix.set_categories('beds', 'flag', '{true,false}');
SELECT count(*) FROM dpmix.query('SELECT flag, dp_count(*) FROM beds WHERE flag GROUP BY flag', 1) AS t(flag boolean, n bigint);
SELECT blocks FROM dpmix.charge WHERE relation = 'tenancy.beds';
SELECT * FROM dpmix.create_counter('beds', 'SELECT dp_count(*) FROM beds', '1', '10', 1, 1e-7);
CREATE TABLE halls (area float8);
SELECT dpmix.protect('halls', 10, 1e-6, blocks => 'area');
RESET search_path;
