-- Schedules of tables with blocks: what each period reads follows from when it is due, and a block that no period names
-- too often is never spent.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'Europe/Berlin';
CREATE TABLE nights (at timestamptz, value float8, page text);
SELECT dpmix.protect('nights', 1, 1e-6, accountant => 'basic', blocks => 'at', blocks_from => '2026-01-01'),
       dpmix.set_bounds('nights', 'value', 0, 100), dpmix.set_categories('nights', 'page', '{a,b}');
CREATE TABLE days (day date, value float8, page text);
SELECT dpmix.protect('days', 1, 1e-6, accountant => 'basic', blocks => 'day', blocks_from => '2026-01-01'),
       dpmix.set_bounds('days', 'value', 0, 100), dpmix.set_categories('days', 'page', '{a,b}');
CREATE TABLE unblocked (value float8);
SELECT dpmix.protect('unblocked', 1, 1e-6, accountant => 'basic'), dpmix.set_bounds('unblocked', 'value', 0, 100);
-- How many periods would fit, and when the first would not: of a schedule that is dropped again.
CREATE FUNCTION of_call(call text, period interval, start timestamptz, OUT periods_left float8, OUT ends boolean) LANGUAGE plpgsql AS $$
BEGIN
    SELECT c.periods_left, c.runs_out_at IS NOT NULL INTO periods_left, ends FROM dpmix.create_schedule('s', call, period, start, CASE WHEN call NOT LIKE '%release_%' THEN 's' END) c;
    PERFORM dpmix.drop_schedule('s');
    DROP TABLE IF EXISTS s;
END $$;
CREATE FUNCTION left_of(source text, epsilon float8, period interval = '1 day', start timestamptz = '2040-01-01 02:00', params text[] = '{}') RETURNS float8 LANGUAGE sql AS $$
    SELECT periods_left FROM of_call(format('SELECT dpmix.query(%L, %s, params => %L)', 'SELECT dp_count(*) AS n FROM ' || source, epsilon, params), period, start) $$;

-- Whole days once, also at two in the morning; days that are cut, twice.
SELECT left_of('days WHERE day >= ($due - interval ''1 day'')::date AND day < $due::date', 1);
SELECT left_of('days WHERE day = $due::date - 1', 1);
SELECT left_of('days WHERE page = ''a'' AND day BETWEEN $DUE::date - 1 AND $due::date - 1', 1);
SELECT left_of('days WHERE day >= date_trunc(''day'', $due::timestamp) - interval ''1 day'' AND day < $due::date', 1);
SELECT left_of('nights WHERE at >= $due - interval ''1 day'' AND at < $due', 1);
SELECT left_of('nights WHERE at >= $due - interval ''1 day'' AND at < $due', .5);
SELECT left_of('nights WHERE at >= date_trunc(''day'', $due, ''UTC'') - interval ''24 hours'' AND at < date_trunc(''day'', $due, ''UTC'')', 1);
SELECT left_of('nights WHERE at >= $due - interval ''24 hours'' AND at < $due', 1, '24 hours', '2040-01-01 00:00+00');
-- Windows: a day is named by as many periods as they are long; a month to date by 31, from the first to the last.
SELECT left_of('days WHERE day >= $due::date - 7 AND day < $due::date', .142), left_of('days WHERE day >= $due::date - 7 AND day < $due::date', .143);
SELECT left_of('days WHERE day >= date_trunc(''month'', $due::timestamp) AND day <= $due::date', .032), left_of('days WHERE day >= date_trunc(''month'', $due::timestamp) AND day <= $due::date', .033);
-- On the first of a month there is nothing to read here, and the first block pays.
SELECT left_of('days WHERE day >= date_trunc(''month'', $due::timestamp) AND day < $due::date', .033), left_of('days WHERE day >= date_trunc(''month'', $due::timestamp) AND day < $due::date', .034);
SELECT left_of('days WHERE day >= date_trunc(''month'', $due::timestamp - interval ''1 month'') AND day < date_trunc(''month'', $due::timestamp)', 1, '1 month', '2040-01-31 02:00');
SELECT left_of('days WHERE day >= $due::date - 1', .5), left_of('days WHERE day >= $due::date - 1', .4), left_of('days WHERE day >= $due::date - 1', .3);
-- Short periods go on where they are lengths of time.
SELECT left_of('nights WHERE at >= $due - interval ''1 hour'' AND at < $due', .04, '1 hour', '2040-01-01 00:00+00'), left_of('nights WHERE at >= $due - interval ''1 hour'' AND at < $due', .05, '1 hour', '2040-01-01 00:00+00');
SELECT left_of('nights WHERE at >= date_trunc(''hour'', $due) - interval ''1 hour'' AND at < date_trunc(''hour'', $due)', .04, '1 hour', '2040-01-01 00:00+00') < 1e6 AS not_known;
-- What does not move for ever ends: the same days each time, and whatever else decides on the blocks.
SELECT left_of('days WHERE day >= ''2026-01-01'' AND day < ''2026-02-01''', .25);
SELECT left_of('days WHERE day = $due::date - 1 AND day < ''2050-01-01''', .25);
SELECT left_of('days WHERE day = $due::date - 1 AND $due < ''2050-01-01''', .25);
SELECT left_of('days WHERE day >= ''2026-01-01'' AND day < $due::date', .25);
SELECT left_of('days WHERE day = $due::date - 1 AND (page = ''a'' OR $due > ''2050-01-01'')', 1);
SELECT left_of('days WHERE day IN ($due::date - 1, $due::date - 2)', .25);
SELECT left_of('days WHERE day = $due::date - 1 - extract(year FROM $due)::int + 2040', .25);
SELECT left_of('days WHERE day >= date_trunc(''century'', $due::timestamp) AND day < $due::date', .25);
SELECT left_of('days WHERE day >= current_date - 1 AND day < current_date', .25);
SELECT left_of('unblocked', .25);
-- Where $due stands for nothing; parameters besides it.
SELECT left_of('days WHERE day = $due::date - 1 AND page = $1', 1, params => '{a}');
SELECT left_of('days WHERE day = $due::date - 1 AND page = ''$due'' /* $due */', 1);
SELECT left_of('days WHERE day = $dues', 1);
SELECT left_of('days WHERE day = $due::date - 1 AND page = $2', 1, params => '{a}');
SELECT left_of('days', 1);
SELECT * FROM of_call($$SELECT dpmix.query('SELECT dp_count(*) AS n FROM days', 0.25, all_blocks => true)$$, '1 day', '2040-01-01');
-- Models and synthetic tables: a range, or what lies between two due times.
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'days', '{value}', 1, 1e-7, components => 1, blocks => 'period')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'nights', '{value}', 1, 1e-7, components => 1, blocks => 'period')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT * FROM dpmix.cda(NULL::nights, '{value}', 10, 0.5, 1e-7, blocks => 'period')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT * FROM dpmix.cda(NULL::days, '{value}', 10, 0.25, 1e-7, blocks => '[2026-01-01,2026-02-01)')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'days', '{value}', 0.25, 1e-7, components => 1, blocks => '[2026-01-01,)')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'days', '{value}', 1, 1e-7, components => 1)$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'unblocked', '{value}', 1, 1e-7, components => 1, blocks => 'period')$$, '1 week', '2040-01-01 02:00');
SELECT * FROM of_call($$SELECT dpmix.release_gmm('s', 'days', '{value}', 1, 1e-7, components => 1, blocks => 'period')$$, '1 minute', '2040-01-01 02:00');
-- What others have charged counts, and so does a cap.
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) AS n FROM days', 1, all_blocks => true) AS t(n bigint);
SELECT left_of('days WHERE day = $due::date - 1', 1);
SET TimeZone = 'UTC';
SELECT left_of('days WHERE day >= $due::date - 1 AND day < $due::date', 1, start => now() - interval '1 minute');
SET TimeZone = 'Europe/Berlin';
CREATE ROLE sched_capped;
SELECT dpmix.grant_access('days', 'sched_capped', 5.5);
GRANT CREATE ON SCHEMA public TO sched_capped;
SET ROLE sched_capped;
SELECT left_of('days WHERE day = $due::date - 1', 1);
RESET ROLE;
-- Periods that are asked for fit where all do; the view says the same.
SELECT periods_left, runs_out_at FROM dpmix.create_schedule('kept', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM days WHERE day = $due::date - 1', 1)$$, '1 day', '2040-01-01 02:00', 'kept', periods => 100000);
SELECT name, next_due, charge_share, periods_left, runs_out_at FROM dpmix.schedules WHERE name = 'kept';
SELECT dpmix.drop_schedule('kept');
