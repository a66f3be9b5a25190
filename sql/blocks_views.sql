-- What one sees of blocks: what each has spent, whoever looks, and what is said of it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
SET dpmix.memory_keep = 0;
CREATE ROLE regress_blocks_owner; CREATE ROLE regress_blocks_reader; CREATE ROLE regress_blocks_other;
CREATE SCHEMA blocks_views AUTHORIZATION regress_blocks_owner;
GRANT USAGE ON SCHEMA blocks_views TO PUBLIC;
SET search_path = blocks_views;
SET ROLE regress_blocks_owner;
CREATE TABLE seen (person integer, day date, at timestamptz, n bigint);
INSERT INTO seen SELECT i % 100, date '2026-01-01' + i / 100, timestamptz '2026-01-01 00:00+00' + i * interval '10 minutes', i
    FROM generate_series(0, 999) i;
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = notice;
SELECT dpmix.protect('seen', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.unprotect('seen');
SELECT dpmix.protect('seen', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01', privacy_unit => 'person');
SELECT dpmix.unprotect('seen');
SET client_min_messages = warning;
SELECT dpmix.protect('seen', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01');
SELECT dpmix.grant_access('seen', 'regress_blocks_reader', 2);
-- Nothing was charged: no block is listed, whatever rows there are.
SELECT * FROM dpmix.blocks('seen');
SELECT epsilon_spent, charges, share_spent, block_column, least_share_spent FROM dpmix.budget WHERE relation = 'seen'::regclass;
SELECT limited_by, charges_left, caution FROM dpmix.forecast('seen');
CREATE FUNCTION ask(days text, epsilon float8, delta float8 = 0) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT abs(n) < 1e6 FROM dpmix.query('SELECT dp_count(*) FROM seen WHERE day ' || days, epsilon, delta) AS t(n bigint));
END $$;
SELECT ask('BETWEEN ''2026-01-02'' AND ''2026-01-04''', .5), ask('BETWEEN ''2026-01-04'' AND ''2026-01-05''', .25),
       ask('= ''2026-01-09''', .25), ask('= ''2026-01-09''', .25), ask('= ''2026-01-10''', .5), ask('< ''1990-01-01''', .5);
SELECT * FROM dpmix.blocks('seen');
SELECT epsilon_spent, epsilon_remaining, charges, epsilon_declared, share_spent, population, block_column, least_share_spent
    FROM dpmix.budget WHERE relation = 'seen'::regclass;
-- Caps of grants are sums over charges, and so are the lines of the ledger.
SELECT role, charges, epsilon_declared FROM dpmix.role_budget WHERE relation = 'seen'::regclass ORDER BY role;
SELECT epsilon, blocks FROM dpmix.ledger WHERE relation = 'blocks_views.seen' ORDER BY id;
SELECT epsilon_after, total_epsilon, blocks FROM dpmix.audit WHERE relation = 'blocks_views.seen' ORDER BY id;
SELECT e.item, e.value, e.meaning FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger WHERE epsilon = .25)) e
    WHERE item IN ('paid by', 'before', 'after', 'share spent', 'admitted');
SELECT l.epsilon, e.item, e.value FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE e.item IN ('paid by', 'and by', 'before') ORDER BY l.id, e.item DESC;
SELECT count(*) FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE e.value ~ 'DOES NOT MATCH';
SELECT charges, share_spent, limited_by, charges_left, caution FROM dpmix.forecast('seen');
-- What fits in the blocks that a call names.
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM seen WHERE day = ''2026-01-04''', .125);
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM seen WHERE day = ''2026-01-05''', .125);
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM seen WHERE day BETWEEN ''2026-01-04'' AND ''2026-01-05''', .125);
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM seen WHERE day = ''2026-01-07''', .125);
-- A smaller budget: what was spent stays, and nothing more fits where it is spent.
SELECT dpmix.set_budget('seen', .5, 1e-6, 'less');
SELECT first_block, share_spent FROM dpmix.blocks('seen');
SELECT ask('= ''2026-01-05''', .25), ask('= ''2026-01-05''', .125);
SELECT ask('= ''2026-01-04''', .01);
SELECT dpmix.set_budget('seen', 1, 1e-6, 'as before');
-- Roles with access see the same, others nothing.
RESET ROLE;
SET ROLE regress_blocks_reader;
SELECT count(*), sum(charges), max(share_spent) FROM dpmix.blocks('seen');
SELECT share_spent, block_column FROM dpmix.budget WHERE relation = 'seen'::regclass;
SELECT count(*) FROM dpmix_internal.fullest_block('seen');
SELECT dpmix.budget_svg('seen') ~ 'Budgets of the blocks of blocks_views.seen';
RESET ROLE;
SET ROLE regress_blocks_other;
SELECT * FROM dpmix.blocks('seen');
SELECT * FROM dpmix_internal.fullest_block('seen');
SELECT count(*) FROM dpmix.budget;
SELECT dpmix.budget_svg('seen');
RESET ROLE;
SET ROLE regress_blocks_owner;
-- The session's settings do not matter to what is said of dates.
SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'German';
SELECT first_block, from_value, to_value FROM dpmix.blocks('seen');
RESET TimeZone; RESET DateStyle;
-- Pictures and reports.
SELECT (regexp_matches(dpmix.budget_svg('seen'), '<title>([^<]* spent, [^<]*)</title>', 'g'))[1];
SELECT regexp_replace(regexp_replace(l, '&[^;]*;', '?', 'g'), '<[^>]*>', '', 'g') FROM regexp_split_to_table(dpmix.report('seen'), '\n') l
    WHERE l ~ 'within one block|in several blocks|the fullest|is deleted and inserted' AND l !~ 'Take this';
-- A table of timestamps under gdp: Gaussian noise alone is promised more than group privacy.
SELECT dpmix.unprotect('seen');
CREATE TABLE hours AS SELECT at, n FROM seen;
SELECT dpmix.protect('hours', 1, 1e-6, accountant => 'gdp', blocks => 'at', width => '6 hours', blocks_from => '2026-01-01');
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM hours WHERE at >= ''2026-01-01 06:00+00'' AND at < ''2026-01-02 06:00+00''', .5, 1e-7, mechanism => 'gaussian') t(n bigint);
SELECT * FROM dpmix.blocks('hours');
SELECT first_block, last_block, from_value, to_value, charges FROM dpmix.blocks('hours');
SELECT regexp_replace(regexp_replace(l, '&[^;]*;', '?', 'g'), '<[^>]*>', '', 'g') FROM regexp_split_to_table(dpmix.report('hours'), '\n') l
    WHERE l ~ 'within one block|in several blocks';
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM hours WHERE at >= ''2026-01-01 06:00+00'' AND at < ''2026-01-02 06:00+00''', .1, mechanism => 'laplace') t(n bigint);
SELECT regexp_replace(regexp_replace(l, '&[^;]*;', '?', 'g'), '<[^>]*>', '', 'g') FROM regexp_split_to_table(dpmix.report('hours'), '\n') l
    WHERE l ~ 'in several blocks';
SELECT l.mechanism, e.item, e.value FROM dpmix.ledger l, dpmix.explain_charge(l.id) e WHERE l.relation = 'blocks_views.hours' AND e.item = 'paid by' ORDER BY l.id;
SELECT * FROM dpmix.blocks('pg_class');
CREATE TABLE plain (x integer);
SELECT dpmix.protect('plain', 1, 1e-6);
SELECT * FROM dpmix.blocks('plain');
SELECT * FROM dpmix.blocks(NULL);
SELECT block_column, least_share_spent FROM dpmix.budget WHERE relation = 'plain'::regclass;
-- Whole numbers, and all of them.
CREATE TABLE numbers AS SELECT i AS n, i % 7 AS x FROM generate_series(-10, 99) i;
SELECT dpmix.protect('numbers', 1, 1e-6, accountant => 'basic', blocks => 'n', width => '10');
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM numbers', .25, all_blocks => true) t(n bigint);
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM numbers WHERE n >= 95', .25) t(n bigint);
SELECT first_block, last_block, from_value, to_value, epsilon_declared, charges FROM dpmix.blocks('numbers');
SELECT dpmix.budget_svg('numbers') ~ '</svg>';
SELECT count(*) FROM dpmix.explain_charge((SELECT max(id) FROM dpmix.ledger));
-- BETWEEN is an AND of its own within WHERE's.
SELECT calls_left FROM dpmix.preview('SELECT dp_count(*) FROM numbers WHERE n BETWEEN 0 AND 9 AND x > 3', .25);
-- No blocks in a population.
SELECT dpmix.create_population('regress_blocks', 1, 1e-6, 'basic');
CREATE TABLE member (person integer NOT NULL UNIQUE, day date);
SELECT dpmix.protect('member', population => 'regress_blocks', privacy_unit => 'person', blocks => 'day');
SELECT dpmix.protect('member', 1, 1e-6, accountant => 'basic', privacy_unit => 'person', blocks => 'day');
SELECT dpmix.join_population('member', 'regress_blocks');
SELECT block_column, population FROM dpmix.budget WHERE relation = 'member'::regclass;
