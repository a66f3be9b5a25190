-- What the ledger and the catalog say, made for people to read.

-- Forecast ----------------------------------------------------------------------------------------

-- When a budget runs out. A gauge for those who see the budget; nothing is decided by it.

CREATE FUNCTION dpmix.forecast(
    INOUT relation regclass, IN past interval DEFAULT '30 days', IN at timestamptz DEFAULT NULL,
    OUT since timestamptz, OUT charges bigint, OUT share_spent float8, OUT share_per_day float8,
    OUT epsilon_per_day float8, OUT limited_by text, OUT charges_left bigint, OUT days_left float8,
    OUT runs_out_at timestamptz, OUT caution text)
    RETURNS record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_forecast';
COMMENT ON FUNCTION dpmix.forecast(regclass, interval, timestamptz) IS
    E'when the budget of a table runs out if its charges go on as in the past span, by what its accountant admits. '
    'For those who see the table in dpmix.budget. Free; nothing is decided by it.\n'
    'past: the span, above 0, up to 100 years\n'
    'at: as of an earlier moment, for the owner and auditors; NULL: now\n'
    'since: where the span begins, not before the table was protected; for others than the owner and auditors at their '
    'own last charge before the span, else where the table was protected, as dpmix.audit shows them no other totals\n'
    'charges: made in the span\n'
    'share_spent: as in dpmix.budget. Of a table with blocks all is about the fullest one, which caution names\n'
    'share_per_day: what the span took each day of the sum that will end the budget, as a share of what that may come '
    'to\n'
    'epsilon_per_day: sum of epsilon as declared, a day\n'
    'limited_by: the sum that will end the budget, a column of dpmix.ledger; NULL without charges in the span\n'
    'charges_left: how many charges of the average size fit; NULL without charges in the span\n'
    'days_left: NULL where the budget does not run out at this pace\n'
    'runs_out_at: NULL there too, and beyond 1000 years\n'
    'caution: why not to rely on it; of fewer than 10 charges, or of less than 3 days, first that it is too early to '
    'say; NULL: nothing known\n'
    'Errors: PV005 past out of range, or at in the future or before the table was protected; PV006 no such budget, or '
    'not yours to see; 42501 at for others than the owner and auditors.\n'
    'See also: docs/guide/ledger.md#when-the-budget-runs-out.';

-- Pictures ----------------------------------------------------------------------------------------

-- Pictures of what is known anyway, as SVG documents: nothing here reads a protected table.

CREATE FUNCTION dpmix.budget_svg(relation regclass) RETURNS text
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_budget_svg';
COMMENT ON FUNCTION dpmix.budget_svg(regclass) IS
    E'picture of a table''s privacy budget: the composed total over time (UTC), stacked by the role that was charged, '
    'below the budget and its changes. The owner and auditors see all roles; others with access see their own, and '
    'the rest as '
    'one, at the times of their own charges, as in dpmix.audit. A standalone SVG document in ASCII of bounded size: '
    'six roles in colours, the rest together; at most 300 steps. Of a table with blocks: what each block has spent, by '
    'all roles together. Free.\n'
    'Errors: PV006 not protected, or no access; PV005 NULL.\n'
    'See also: docs/guide/pictures.md.';

CREATE FUNCTION dpmix_internal.interval_svg_add(state internal, label text, answer float8, low float8, high float8)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix_internal.interval_svg_add(internal, text, float8, float8, float8) IS
    'transition function of dpmix.interval_svg';
CREATE FUNCTION dpmix_internal.interval_svg_add(state internal, label text, answer float8, low float8, high float8,
                                                title text)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix_internal.interval_svg_add(internal, text, float8, float8, float8, text) IS
    'transition function of dpmix.interval_svg with a title';
CREATE FUNCTION dpmix_internal.interval_svg_draw(state internal) RETURNS text
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_draw';
COMMENT ON FUNCTION dpmix_internal.interval_svg_draw(internal) IS 'final function of dpmix.interval_svg';

-- No COMBINEFUNC: rows are drawn in the order they come in.
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8) (
    SFUNC = dpmix_internal.interval_svg_add, STYPE = internal, SSPACE = 8192,
    FINALFUNC = dpmix_internal.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8) IS
    E'picture of answers and their intervals, one row for each input row, in their order (ORDER BY within the call): '
    'a dot for the answer, a bar from low to high. A standalone SVG document in ASCII. The first 300 rows are drawn, '
    'the others counted. Draws what it is given and reads nothing else: free. No value raises.\n'
    'label: cut to what fits\n'
    'answer, low, high: NULL and NaN leave gaps, infinite ends are arrows\n'
    'See also: dpmix.query, docs/guide/pictures.md.';
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8, title text) (
    SFUNC = dpmix_internal.interval_svg_add, STYPE = internal, SSPACE = 8192,
    FINALFUNC = dpmix_internal.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8, text) IS
    E'the same under a title.\n'
    'title: of the rows the first that is not NULL';

CREATE FUNCTION dpmix.dashboard(title text, pictures text[]) RETURNS text
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_dashboard';
COMMENT ON FUNCTION dpmix.dashboard(text, text[]) IS
    E'a page of pictures as one HTML file in ASCII, for a browser, on wide and narrow screens, light and dark: without '
    'scripts, links, or anything that is loaded from elsewhere. Shows what it is given and reads nothing else: free.\n'
    'title: its heading\n'
    'pictures: 1 to 100 SVG documents, as dpmix.interval_svg, dpmix.budget_svg and dpmix.draw return them\n'
    'Errors: PV005 a NULL, no picture, or a text that is no SVG document.\n'
    'See also: dpmix.interval_svg, dpmix.draw, docs/guide/pictures.md.';

-- Report ------------------------------------------------------------------------------------------

-- A page for the owner, of what the ledger and the catalog say of a table.

CREATE FUNCTION dpmix.report(relation regclass DEFAULT NULL, newest integer DEFAULT 300,
                             at timestamptz DEFAULT NULL, population name DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_report';
COMMENT ON FUNCTION dpmix.report(regclass, integer, timestamptz, name) IS
    E'a static HTML page about a protected table, or all tables of a population, for its owner, auditors and superusers: the guarantee in words, '
    'what is left '
    'and how long it lasts, who used what, what was released at what cost, stored models, schedules, declarations, '
    'history of the budget. One file in ASCII, without scripts or links. Times are in the session''s time zone. Free; '
    'reads no row of the table. It holds the query texts of all roles.\n'
    'relation: a table that is protected, or was; NULL with a population\n'
    'newest: how many releases are listed one by one, 0 to 10000; older ones are summed by month\n'
    'at: as of an earlier moment; NULL: now. Access, bounds and categories are always those of today\n'
    'population: in place of relation, whose tables; for its owner, superusers, and those who own or audit all of its '
    'protected tables\n'
    'Errors: PV005 newest out of range, at in the future or before the table was protected, or both a table and a '
    'population, or neither; PV006 never protected, or no such population of yours; '
    '42501 neither the owner nor an auditor.\n'
    'See also: dpmix.grant_audit, dpmix.forecast, dpmix.budget_svg, docs/guide/report.md.';

-- Metrics -----------------------------------------------------------------------------------------

-- Numbers for monitoring: what views show the caller, in one form.

CREATE FUNCTION dpmix_internal.ledger_ready() RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_ledger_ready';
COMMENT ON FUNCTION dpmix_internal.ledger_ready() IS
    'false where no charge is admitted: on a standby, or in a restored, copied or promoted database that nobody has '
    'adopted';

CREATE VIEW dpmix_internal.watched_schedule AS
    SELECT s.name, o.name AS owner, s.active, extract(epoch FROM s.period)::float8 AS period,
           extract(epoch FROM coalesce(r.last_stored, greatest(s.created, s.start)))::float8 AS last_stored,
           r.failed, r.spent
    FROM dpmix.schedule s JOIN dpmix_internal.named_role o ON o.number = s.owner
    CROSS JOIN LATERAL (SELECT max(a.due) FILTER (WHERE a.state = 'stored') AS last_stored,
                               count(*) FILTER (WHERE a.state = 'failed') AS failed,
                               count(*) FILTER (WHERE a.state = 'spent') AS spent
                        FROM dpmix.schedule_run a WHERE a.schedule_id = s.id) r
    WHERE s.id = ANY (ARRAY(
        SELECT k.id FROM dpmix.schedule k
        WHERE k.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL
        SELECT k.id FROM dpmix.schedule k
        WHERE k.table_ids && ARRAY(SELECT t.id FROM dpmix_internal.seen_table t WHERE t.audited)));
COMMENT ON VIEW dpmix_internal.watched_schedule IS
    'for dpmix.metrics: schedules of the viewer''s roles, and about tables that it owns or audits';
CREATE FUNCTION dpmix_internal.watched_schedules() RETURNS SETOF dpmix_internal.watched_schedule
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.watched_schedules() IS 'rows of dpmix_internal.watched_schedule';

CREATE FUNCTION dpmix.metrics(OUT name text, OUT labels jsonb, OUT value float8)
    RETURNS SETOF record LANGUAGE sql VOLATILE PARALLEL UNSAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
    WITH budget AS MATERIALIZED (
        SELECT jsonb_build_object('relation', b.relation::text) AS labels, b.* FROM dpmix.budget b),
    grants AS MATERIALIZED (
        SELECT jsonb_build_object('relation', r.relation::text, 'role', coalesce(r.role, '')) AS labels, r.*
        FROM dpmix.role_budget r),
    schedule AS MATERIALIZED (
        SELECT jsonb_build_object('schedule', s.name, 'owner', s.owner) AS labels, s.*
        FROM dpmix_internal.watched_schedules() s)
    SELECT 'dpmix_server_info', jsonb_build_object('version', e.extversion), 1
        FROM pg_extension e WHERE e.extname = 'dpmix'
    UNION ALL SELECT 'dpmix_server_ledger_ready', '{}', dpmix_internal.ledger_ready()::int4
    -- Who may not read statistics sees processes without their type.
    UNION ALL SELECT 'dpmix_server_worker_slots', '{}', current_setting('max_worker_processes')::int4
    UNION ALL SELECT 'dpmix_server_worker_slots_used', '{}', count(a.pid) FROM pg_stat_activity a
        WHERE a.backend_type NOT IN (
            'client backend', 'autovacuum launcher', 'autovacuum worker', 'walsender', 'walreceiver', 'walwriter',
            'background writer', 'checkpointer', 'startup', 'archiver', 'walsummarizer', 'slotsync worker', 'io worker')
        HAVING pg_has_role('pg_read_all_stats', 'USAGE')
    UNION ALL SELECT m.name, b.labels, m.value FROM budget b
        CROSS JOIN LATERAL (VALUES
            ('dpmix_table_budget_epsilon', b.epsilon::float8), ('dpmix_table_budget_delta', b.delta::float8),
            ('dpmix_table_epsilon_spent', b.epsilon_spent::float8), ('dpmix_table_share_spent', b.share_spent),
            ('dpmix_table_epsilon_declared', b.epsilon_declared::float8),
            ('dpmix_table_delta_declared', b.delta_declared::float8),
            ('dpmix_table_charges_total', b.charges::float8)) AS m(name, value)
    UNION ALL SELECT m.name, b.labels, m.value FROM budget b
        CROSS JOIN LATERAL dpmix_internal.block_of_now(b.relation) n
        CROSS JOIN LATERAL (VALUES
            ('dpmix_table_block_of_now_share_spent', n.share_spent),
            ('dpmix_table_next_block_seconds',
             CASE WHEN isfinite(n.to_value::timestamp) THEN extract(epoch FROM n.to_value::timestamp) END::float8)) AS m(name, value)
        WHERE m.value IS NOT NULL AND n.from_value IS NOT NULL
    UNION ALL SELECT 'dpmix_table_vacant', jsonb_build_object('relation', v.name), 1
        FROM dpmix_internal.vacant_names() v
    UNION ALL SELECT m.name, g.labels, m.value FROM grants g
        CROSS JOIN LATERAL (VALUES
            ('dpmix_role_epsilon_declared', g.epsilon_declared::float8),
            ('dpmix_role_charges_total', g.charges::float8),
            ('dpmix_role_epsilon_cap', coalesce(g.epsilon_cap::float8, 'Infinity'))) AS m(name, value)
    UNION ALL SELECT m.name, s.labels, m.value FROM schedule s
        CROSS JOIN LATERAL (VALUES
            ('dpmix_schedule_active', s.active::int4::float8), ('dpmix_schedule_period_seconds', s.period),
            ('dpmix_schedule_last_stored_seconds', s.last_stored),
            ('dpmix_schedule_failed_total', s.failed::float8),
            ('dpmix_schedule_spent_total', s.spent::float8)) AS m(name, value)
$$;
COMMENT ON FUNCTION dpmix.metrics() IS
    E'numbers for a monitoring system, of what dpmix.budget and dpmix.role_budget show the caller, and of schedules '
    'that '
    'it owns or about tables that it owns or audits. Give the monitoring role dpmix.grant_audit() on each table, and '
    'pg_monitor. Public numbers only; free; no row of a table is read.\n'
    'name: as Prometheus writes it; _total: only grows\n'
    'labels: relation, role ('''': the owner and superusers), schedule, owner or version\n'
    'value: dpmix_table_vacant is 1 while a name waits for a table that suits; epsilon, a share of 1, a number, or seconds; '
    'dpmix_table_next_block_seconds is when the next block begins, since 1970, of tables whose blocks follow the clock. '
    'dpmix_server_ledger_ready is 0 where no charge is admitted; '
    'dpmix_server_worker_slots_used is for roles of pg_read_all_stats; dpmix_schedule_last_stored_seconds is when the '
    'last '
    'stored period was due, since 1970; before the first, when the schedule was made or starts\n'
    'See also: dpmix.grant_audit, docs/operating.md.';
