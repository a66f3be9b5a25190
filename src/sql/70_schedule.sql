-- Scheduled releases: a call, when it is due, and what became of each time. Run by dpmix's clock (the setting
-- dpmix.run_due), pg_cron or any other; docs/guide/schedules.md.

CREATE TABLE dpmix.schedule (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text        NOT NULL,
    owner         bigint      NOT NULL,  -- dpmix.role_number.id
    kind          text        NOT NULL,
    call          text        NOT NULL,  -- of the release, as its maker wrote it
    table_ids     bigint[]    NOT NULL,  -- protected tables that pay as of its creation, and those charged since
    period        interval    NOT NULL,
    start         timestamptz NOT NULL,  -- period n is due at start + n * period, in time_zone
    first_period  bigint      NOT NULL,
    time_zone     text        NOT NULL,  -- settings of the session that made it
    search_path   text        NOT NULL,
    date_style    text        NOT NULL,
    epsilon       float8      NOT NULL,  -- of a period
    delta         float8      NOT NULL,
    active        boolean     NOT NULL DEFAULT true,
    created       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    result_schema name,                  -- where released rows go; NULL for models
    result_table  name,
    columns       name[],
    types         regtype[],
    UNIQUE (name, owner)
);
COMMENT ON TABLE dpmix.schedule IS 'calls of releases that are made again and again';

CREATE TABLE dpmix.schedule_run (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule_id   bigint      NOT NULL,
    period        bigint      NOT NULL,
    due           timestamptz NOT NULL,
    attempt       integer     NOT NULL,  -- 0: none was made
    state         text        NOT NULL CHECK (state IN ('running', 'stored', 'failed', 'spent', 'skipped')),
    role          name        NOT NULL,  -- current_user of the call
    charges_after bigint      NOT NULL,  -- newest charge when the attempt began
    charge_ids    bigint[]    NOT NULL DEFAULT '{}',
    started       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished      timestamptz,
    sqlstate      text,
    message       text,
    detail        text,
    hint          text,
    UNIQUE (schedule_id, period, attempt)
);
CREATE INDEX ON dpmix.schedule_run (schedule_id) WHERE state = 'running';
COMMENT ON TABLE dpmix.schedule_run IS
    'attempts at the periods of schedules, recorded before they charge';

DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['schedule', 'schedule_run'] LOOP
        PERFORM pg_catalog.pg_extension_config_dump(format('dpmix.%I', t)::regclass, '');
        PERFORM pg_catalog.pg_extension_config_dump(
            pg_catalog.pg_get_serial_sequence(format('dpmix.%I', t), 'id')::regclass, '');
    END LOOP;
END $$;

CREATE FUNCTION dpmix.create_schedule(name text, call text, period interval, start timestamptz DEFAULT NULL,
                                      result_table text DEFAULT NULL, periods integer DEFAULT NULL,
                                      grant_to name[] DEFAULT NULL, latest text DEFAULT NULL)
    RETURNS TABLE (name text, first_due timestamptz, next_due timestamptz, epsilon float8, delta float8,
                   charge_share float8, periods_left float8, runs_out_at timestamptz)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'dpmix_create_schedule';
COMMENT ON FUNCTION dpmix.create_schedule(text, text, interval, timestamptz, text, integer, name[], text) IS
    E'keeps the call of a release, for dpmix.run_schedule. Free. Needs access; its maker owns it, pays, and owns what '
    'is stored. Settings TimeZone, search_path and DateStyle of the session are kept with it, others are '
    'PostgreSQL''s defaults. Nothing is set aside: other releases spend from the same budget.\n'
    'name: a new one among the caller''s, 1 to 100 characters in up to 200 bytes\n'
    'call: one SELECT of dpmix.query, dpmix.release_gmm, dpmix.release_tree, dpmix.release_regression, '
    'dpmix.release_cube, dpmix.cda, dpmix.synthesize or dpmix.compare_private, with nothing around it and constants as '
    'arguments, as dpmix.preview takes it: SELECT dpmix.release_tree(''visits'', ''visits'', ''{age}'', 1, 1e-6). A '
    'model is stored under the name in the call and the due time. Up to 1 MiB. $due in the text of a query is when the '
    'period is due, a timestamptz; blocks => ''period'' of the others, but for cubes, is what lies between the last due '
    'time and this one\n'
    'period: 1 minute to 10 years; period n, from 0, is due at start + n * period in the session''s time zone\n'
    'start: within a thousand years; NULL: now. Of a start in the past the first period is the first due from now on\n'
    'result_table: of calls that make rows: the table that they are appended to after a column due, made here unless '
    'the caller has one that fits\n'
    'periods: how many must fit the budget and the caller''s cap now, 1 or more; NULL: any number\n'
    'grant_to: roles that may read released rows: SELECT on result_table and latest, and USAGE on their schemas where '
    'it is missing; of calls that make rows. NULL: the owner decides, by GRANT\n'
    'latest: a view of the rows of the newest period, made or replaced here: a name for dashboards; of calls that make '
    'rows. NULL: none\n'
    'first_due, next_due: when the first two periods are due\n'
    'epsilon, delta: charged for a period\n'
    'charge_share: share of the whole budget that a period takes, 0 to 1 and above\n'
    'periods_left: how many fit the budget and the caller''s cap if nothing else is charged; infinity: all that will '
    'ever come, as of a table with blocks, none of which they name too often\n'
    'runs_out_at: when the first period is due that does not fit; NULL: beyond the calendar\n'
    'Errors: PV005 a name that is taken, or a bad name, call, calendar or number of periods; PV001 fewer than periods '
    'fit; 55000 a result_table that does not fit or is another role''s; PV004 on a standby; PV006 no access; '
    'what the release itself refuses.\n'
    'See also: dpmix.schedules, docs/guide/schedules.md, docs/proofs/schedule.md.';

CREATE PROCEDURE dpmix.run_schedule(name text, at timestamptz DEFAULT NULL, retry boolean DEFAULT false)
    LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_run_schedule';
COMMENT ON PROCEDURE dpmix.run_schedule(text, timestamptz, boolean) IS
    E'makes the release of the latest period that is due, unless it is stored, with the rights of the schedule''s '
    'owner; older ones are skipped, and a paused schedule makes none. Succeeds when there is nothing left to do, else '
    'raises what went wrong, on record in dpmix.schedule_runs. What failed before its charge is free and tried again '
    'by the next call; a period that was charged and whose release was not stored is spent, and run again only with '
    'retry. Commits, so it cannot be called in a transaction block or function. For the owner, members of that role '
    'and superusers.\n'
    'at: stands in for the clock, also for where blocks end, for those with the rights of the owner of each protected '
    'table that pays or has paid; NULL: the clock\n'
    'retry: true: run a spent period again, for a new charge\n'
    'Errors: PV006 no such schedule, not yours, or at is not for you; 55000 the latest period is spent, or the owner '
    'is gone; PV005 a name that is NULL, an infinite at; 25001 in a transaction block; PV004 on a standby; those of '
    'the release.\n'
    'See also: docs/guide/schedules.md, docs/proofs/schedule.md.';

CREATE FUNCTION dpmix.set_schedule_active(name text, active boolean)
    RETURNS void LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_set_schedule_active';
COMMENT ON FUNCTION dpmix.set_schedule_active(text, boolean) IS
    E'pauses or resumes a schedule; waits for a run to end. For its owner, members of that role and superusers.\n'
    'active: false: pause\n'
    'Errors: PV006 no such schedule, or not yours; PV005 an argument is NULL; PV004 on a standby.';

CREATE FUNCTION dpmix.drop_schedule(name text)
    RETURNS void LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_drop_schedule';
COMMENT ON FUNCTION dpmix.drop_schedule(text) IS
    E'forgets a schedule and its history; waits for a run to end. What was released and charged stays. For its owner, '
    'members of that role and superusers.\n'
    'Errors: PV006 no such schedule, or not yours; PV005 name is NULL; PV004 on a standby.';

CREATE FUNCTION dpmix_internal.schedule_outlook(schedule bigint, OUT next_due timestamptz, OUT charge_share float8,
                                       OUT periods_left float8, OUT runs_out_at timestamptz)
    RETURNS record LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_schedule_outlook';
COMMENT ON FUNCTION dpmix_internal.schedule_outlook(bigint) IS
    E'what dpmix.schedules says of the future of a schedule. Free. Without a price, as after access was revoked, all '
    'but next_due are NULL; all are where there is no such schedule, or it is not yours.\n'
    'schedule: its number: the view asks with it\n'
    'next_due, charge_share, periods_left, runs_out_at: as in dpmix.schedules';

CREATE INDEX ON dpmix.schedule (owner);
CREATE INDEX ON dpmix.schedule USING gin (table_ids) WITH (fastupdate = off);

-- Whose they are, and who may look.
CREATE VIEW dpmix_internal.known_schedule AS
    SELECT s.*, o.name AS owner_name,
           s.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
           OR dpmix_internal.viewer_is_superuser() AS owned
    FROM dpmix.schedule s JOIN dpmix_internal.named_role o ON o.number = s.owner
    WHERE s.id = ANY (ARRAY(
        SELECT k.id FROM dpmix.schedule k
        WHERE k.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL
        SELECT k.id FROM dpmix.schedule k
        WHERE k.table_ids && ARRAY(SELECT t.id FROM dpmix_internal.seen_table t WHERE t.owned)
        UNION ALL
        SELECT k.id FROM dpmix.schedule k WHERE dpmix_internal.viewer_is_superuser()));
COMMENT ON VIEW dpmix_internal.known_schedule IS
    'schedules that the viewer sees: those of its roles (owned), and those about tables that it owns';

CREATE VIEW dpmix_internal.seen_schedule AS
    SELECT s.id, s.name, s.owner_name AS owner, s.kind, s.call, s.period, s.start, s.time_zone, s.active,
           CASE WHEN s.result_table IS NOT NULL
                THEN format('%I.%I', s.result_schema, s.result_table) END AS result_table,
           s.epsilon, s.delta,
           r.due AS last_due, r.state AS last_state, CASE WHEN s.owned THEN r.message END AS last_error
    FROM dpmix_internal.known_schedule s
    LEFT JOIN LATERAL (SELECT l.due, l.state, l.message FROM dpmix.schedule_run l
                       WHERE l.schedule_id = s.id AND l.attempt > 0
                       ORDER BY l.period DESC, l.attempt DESC LIMIT 1) r ON true;
COMMENT ON VIEW dpmix_internal.seen_schedule IS 'dpmix.schedules, of the viewer, without prices';
CREATE FUNCTION dpmix_internal.schedules() RETURNS SETOF dpmix_internal.seen_schedule
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.schedules() IS 'rows of dpmix.schedules, without prices';
CREATE VIEW dpmix.schedules AS
    SELECT s.name, s.owner, s.kind, s.call, s.period, s.start, s.time_zone, s.active, s.result_table,
           o.next_due, s.epsilon, s.delta, o.charge_share, o.periods_left, o.runs_out_at,
           s.last_due, s.last_state, s.last_error
    FROM dpmix_internal.schedules() s CROSS JOIN LATERAL dpmix_internal.schedule_outlook(s.id) o;
COMMENT ON VIEW dpmix.schedules IS
    E'schedules of the current user''s roles and about tables that they own. Each row is priced as its preview is: '
    'some milliseconds, of a table with blocks some tens.\n'
    'See also: dpmix.create_schedule, docs/guide/schedules.md.';
COMMENT ON COLUMN dpmix.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpmix.schedules.owner IS 'role that made it, which pays and owns what is stored';
COMMENT ON COLUMN dpmix.schedules.kind IS 'query, gmm, tree, regression, cube, cda, synthesize or compare';
COMMENT ON COLUMN dpmix.schedules.call IS 'the call that makes its release, as it was written';
COMMENT ON COLUMN dpmix.schedules.period IS 'from one period to the next, in the calendar of time_zone';
COMMENT ON COLUMN dpmix.schedules.start IS 'when period 0 is, or would have been, due';
COMMENT ON COLUMN dpmix.schedules.time_zone IS 'in which periods are counted';
COMMENT ON COLUMN dpmix.schedules.active IS 'false: paused';
COMMENT ON COLUMN dpmix.schedules.result_table IS
    'where released rows go; NULL for models and cubes, which are in dpmix.releases';
COMMENT ON COLUMN dpmix.schedules.next_due IS
    'due time of the period that runs next: in the past when it is late or to be tried again; NULL: none can run';
COMMENT ON COLUMN dpmix.schedules.epsilon IS 'charged for a period';
COMMENT ON COLUMN dpmix.schedules.delta IS 'charged for a period';
COMMENT ON COLUMN dpmix.schedules.charge_share IS 'share of the whole budget that a period takes, 0 to 1 and above';
COMMENT ON COLUMN dpmix.schedules.periods_left IS
    'how many periods fit the budget and the owner''s cap now, if nothing else is charged; infinity: all that will '
    'ever come; NULL: refused now, as without access';
COMMENT ON COLUMN dpmix.schedules.runs_out_at IS
    'when the first period is due that does not fit; NULL: beyond the calendar';
COMMENT ON COLUMN dpmix.schedules.last_due IS 'due time of the last period that was attempted';
COMMENT ON COLUMN dpmix.schedules.last_state IS 'what became of it, as in dpmix.schedule_runs';
COMMENT ON COLUMN dpmix.schedules.last_error IS
    'what went wrong, if anything; NULL for who has not the rights of the schedule''s owner';

CREATE VIEW dpmix_internal.seen_schedule_run AS
    SELECT r.id, s.name, r.period, r.due, r.attempt, r.state, r.role, r.charge_ids, r.started, r.finished,
           r.sqlstate, CASE WHEN s.owned THEN r.message END AS message,
           CASE WHEN s.owned THEN r.detail END AS detail, CASE WHEN s.owned THEN r.hint END AS hint
    FROM dpmix_internal.known_schedule s
    CROSS JOIN LATERAL (SELECT * FROM dpmix.schedule_run a WHERE a.schedule_id = s.id OFFSET 0) r;
COMMENT ON VIEW dpmix_internal.seen_schedule_run IS 'dpmix.schedule_runs, of the viewer';
CREATE FUNCTION dpmix_internal.schedule_runs() RETURNS SETOF dpmix_internal.seen_schedule_run
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 1000 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.schedule_runs() IS 'rows of dpmix.schedule_runs';
CREATE VIEW dpmix.schedule_runs AS SELECT * FROM dpmix_internal.schedule_runs();
COMMENT ON VIEW dpmix.schedule_runs IS
    E'what became of each period of the schedules in dpmix.schedules: a row for each attempt.\n'
    'See also: dpmix.run_schedule, docs/guide/schedules.md.';
COMMENT ON COLUMN dpmix.schedule_runs.id IS
    'number of the attempt: schedule_run in the parameters of its charges in dpmix.ledger';
COMMENT ON COLUMN dpmix.schedule_runs.name IS 'name of the schedule';
COMMENT ON COLUMN dpmix.schedule_runs.period IS 'number of the period, 0 being due at the start';
COMMENT ON COLUMN dpmix.schedule_runs.due IS 'when it was due';
COMMENT ON COLUMN dpmix.schedule_runs.attempt IS 'first, second ... attempt at the period; 0: skipped';
COMMENT ON COLUMN dpmix.schedule_runs.state IS
    'stored; failed: not charged, the next call tries again; spent: charged but not stored, and not run again without '
    'retry; skipped: a later one was due as well (the newest 1000 are recorded); running: under way, or its end is '
    'found out by the next call';
COMMENT ON COLUMN dpmix.schedule_runs.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.schedule_runs.charge_ids IS 'its charges in dpmix.ledger, one for each protected table';
COMMENT ON COLUMN dpmix.schedule_runs.started IS 'server''s clock';
COMMENT ON COLUMN dpmix.schedule_runs.finished IS
    'server''s clock; of an attempt that was cut off, when that was found out';
COMMENT ON COLUMN dpmix.schedule_runs.sqlstate IS 'of the error, NULL without';
COMMENT ON COLUMN dpmix.schedule_runs.message IS
    'of the error, as detail and hint: for who has the rights of the schedule''s owner, since it may quote what was '
    'released';
COMMENT ON COLUMN dpmix.schedule_runs.detail IS 'of the error';
COMMENT ON COLUMN dpmix.schedule_runs.hint IS 'of the error';

GRANT SELECT ON dpmix.schedules, dpmix.schedule_runs TO PUBLIC;
