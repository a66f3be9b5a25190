-- Running totals: what each row adds is paid for once, for all steps. docs/guide/counters.md.

CREATE TABLE dpmix.counter (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL,
    owner       bigint      NOT NULL,  -- dpmix.role_number.id
    table_id    bigint      NOT NULL,
    query       text        NOT NULL,
    params      text[],
    period      bigint      NOT NULL,  -- in blocks
    grace       bigint      NOT NULL,  -- microseconds
    steps       integer     NOT NULL,  -- that blocks pay for
    epsilon     float8      NOT NULL,  -- of all steps, for one block
    delta       float8      NOT NULL,
    time_zone   text        NOT NULL,  -- settings of the session that made it
    search_path text        NOT NULL,
    date_style  text        NOT NULL,
    columns     text[]      NOT NULL,  -- dp_count and dp_sum
    statistics  integer[]   NOT NULL,  -- of each column
    units       float8[]    NOT NULL,  -- what a stored number of each column is worth
    deviations  float8[]    NOT NULL,  -- of the noise of each statistic, in such numbers
    groups      text[]      NOT NULL,  -- keys, as JSON
    form        text        NOT NULL,  -- what must stay the same from step to step
    created     timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    UNIQUE (name, owner)
);
COMMENT ON TABLE dpmix.counter IS 'running totals: what they count, and with which noise';

CREATE TABLE dpmix.counter_step (
    counter_id    bigint      NOT NULL,
    step          integer     NOT NULL,
    through_block bigint      NOT NULL,  -- the last block that it has
    until         text        NOT NULL,  -- the first value of the block column behind it
    charge_id     bigint      NOT NULL,
    made_at       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    noisy         numeric[]   NOT NULL,  -- weighted sums of 64ths with noise: group by group, each statistic
    PRIMARY KEY (counter_id, step)
);
COMMENT ON TABLE dpmix.counter_step IS 'what each step of a counter measured, with its noise';

-- A step that is not on record would be drawn anew, and blocks have paid for one.
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON dpmix.counter_step
    FOR EACH STATEMENT EXECUTE FUNCTION dpmix_internal.refuse_change();
ALTER TABLE dpmix.counter_step ENABLE ALWAYS TRIGGER append_only;
CREATE FUNCTION dpmix_internal.keep_step() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM dpmix.counter c WHERE c.id = OLD.counter_id) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'counter_step is append-only'
        USING ERRCODE = 'PV002',
              DETAIL = 'Steps stay as long as their counter.',
              HINT = 'dpmix.drop_counter() forgets a counter with its steps.';
END $$;
REVOKE EXECUTE ON FUNCTION dpmix_internal.keep_step() FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.keep_step() IS 'trigger of dpmix.counter_step: steps stay as long as their counter';
CREATE TRIGGER keep_step BEFORE DELETE ON dpmix.counter_step
    FOR EACH ROW EXECUTE FUNCTION dpmix_internal.keep_step();
ALTER TABLE dpmix.counter_step ENABLE ALWAYS TRIGGER keep_step;

DO $$
BEGIN
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.counter', '');
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.counter_step', '');
    PERFORM pg_catalog.pg_extension_config_dump(pg_catalog.pg_get_serial_sequence('dpmix.counter', 'id')::regclass, '');
END $$;

CREATE FUNCTION dpmix_internal.block_number(value "any", first bigint, width bigint) RETURNS bigint
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_block_number';
COMMENT ON FUNCTION dpmix_internal.block_number("any", bigint, bigint) IS
    'the block of a value of a block column, as dpmix.block_column has first and width; NULL: it is in none';

CREATE FUNCTION dpmix.create_counter(name text, query text, period text, horizon text, epsilon float8, delta float8,
                                     reserve boolean DEFAULT true, grace interval DEFAULT NULL,
                                     params text[] DEFAULT NULL)
    RETURNS TABLE (name text, steps integer, epsilon float8, delta float8, charge_share float8, error float8)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'dpmix_create_counter';
COMMENT ON FUNCTION dpmix.create_counter(text, text, text, text, float8, float8, boolean, interval, text[]) IS
    E'begins running totals of a table with blocks, for dpmix.run_counter. Free: a block pays when it enters a total, '
    'once for all steps. Needs access; its maker owns it and pays. Settings TimeZone, search_path and DateStyle of '
    'the session are kept with it.\n'
    'name: a new one among the caller''s, 1 to 100 characters in up to 200 bytes\n'
    'query: one SELECT over one table with blocks, of group keys with declared values, dp_count and dp_sum. No '
    'condition on the block column, HAVING, ORDER BY, LIMIT or expression over answers; no table of accountant basic. '
    'Where privacy units may have several rows, max_rows_per_unit of each in each block count\n'
    'period: from one step to the next, a multiple of the width of blocks: an interval, or a number\n'
    'horizon: how long it is to run: 1 to 10000 periods. The noise grows with its logarithm\n'
    'epsilon, delta: of all steps together, for one block\n'
    'reserve: true, the only choice: a block pays for all steps when it enters, and nothing later\n'
    'grace: how long after its end a block waits for late rows; NULL: it does not\n'
    'params: texts of $1, $2, ... in the query\n'
    'steps: how many there will be, at most\n'
    'charge_share: share of a block''s budget that it pays, 0 to 1 and above\n'
    'error: half the width of the 95% interval of the last total of the first counted column\n'
    'Errors: PV002 a query that is none of a counter; PV003 keys that are not declared; PV005 a name that is taken, or '
    'a bad name, period, horizon, guarantee, grace or reserve => false; PV004 on a standby; PV006 no access.\n'
    'See also: dpmix.run_counter, dpmix.counter, docs/guide/counters.md, docs/proofs/counters.md.';

CREATE FUNCTION dpmix.run_counter(name text, until text DEFAULT NULL)
    RETURNS integer LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_run_counter';
COMMENT ON FUNCTION dpmix.run_counter(text, text) IS
    E'makes the next step of a counter, with the rights of who made it: all periods that have closed since its last '
    'step enter the total, and pay. One step at most; without a closed period none. What is measured is stored in a '
    'transaction of its own, whatever becomes of the caller''s. A step that fails after its charge is not stored: its '
    'blocks pay again at the next one. Call it once a period, by pg_cron or any other clock. For its maker, members '
    'of that role and superusers. Returns the number of the step, NULL without one.\n'
    'until: where the step ends, a value of the block column that it does not have any more; whole periods alone '
    'enter. Needed for blocks of whole numbers; NULL: the clock, less grace\n'
    'Errors: PV001 a block cannot pay; 55000 all steps are made, the query means something else by now, it is not '
    'committed, or its owner is gone; PV005 until; PV006 no such counter, or not yours; PV004 on a standby, or the '
    'step failed after its charge.\n'
    'See also: dpmix.counter, docs/guide/counters.md.';

CREATE FUNCTION dpmix.counter(name text, after_step integer DEFAULT 0, to_step integer DEFAULT NULL)
    RETURNS TABLE (step integer, until text, keys jsonb, value text, total float8, low float8, high float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_counter';
COMMENT ON FUNCTION dpmix.counter(text, integer, integer) IS
    E'the totals of a counter at its stored steps, from what was released. Free. For its maker, members of that role, '
    'the owner of its table and superusers.\n'
    'after_step: the step after which the total begins; 0: from the first block\n'
    'to_step: the last step that is told; NULL: the last one that is stored\n'
    'step: number of the step\n'
    'until: value of the block column before which the total ends\n'
    'keys: the group\n'
    'value: name of the counted column\n'
    'total: of the steps after after_step up to this one; may be below 0 by noise\n'
    'low, high: ends of the 95% interval of its noise\n'
    'Errors: PV005 no such steps; PV006 no such counter, or not yours.\n'
    'See also: dpmix.run_counter, docs/guide/counters.md.';

CREATE FUNCTION dpmix.drop_counter(name text)
    RETURNS void LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_drop_counter';
COMMENT ON FUNCTION dpmix.drop_counter(text) IS
    E'forgets a counter and its steps; waits for a step to end. What was charged stays. For its maker, members of that '
    'role and superusers.\n'
    'Errors: PV006 no such counter, or not yours; PV005 name is NULL; PV004 on a standby.';

CREATE INDEX ON dpmix.counter (owner);
CREATE INDEX ON dpmix.counter (table_id);

-- Whose they are, and who may look.
CREATE VIEW dpmix_internal.known_counter AS
    SELECT k.*, o.name AS owner_name,
           k.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
           OR dpmix_internal.viewer_is_superuser() AS owned
    FROM dpmix.counter k JOIN dpmix_internal.named_role o ON o.number = k.owner
    WHERE k.id = ANY (ARRAY(
        SELECT c.id FROM dpmix.counter c
        WHERE c.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL
        SELECT c.id FROM dpmix.counter c
        WHERE c.table_id = ANY (ARRAY(SELECT o.id FROM dpmix_internal.seen_table o WHERE o.owned))
        UNION ALL
        SELECT c.id FROM dpmix.counter c WHERE dpmix_internal.viewer_is_superuser()));
COMMENT ON VIEW dpmix_internal.known_counter IS
    'counters that the viewer sees: those of its roles (owned), and those about tables that it owns';
CREATE VIEW dpmix_internal.seen_counter AS
    SELECT k.name, k.owner_name AS owner, t.relation, k.query, k.params, k.epsilon, k.delta, k.steps, s.made, s.until,
           k.created
    FROM dpmix_internal.known_counter k
    LEFT JOIN LATERAL (SELECT c.relation FROM dpmix_internal.known_table c WHERE c.id = k.table_id OFFSET 0) t ON true
    LEFT JOIN LATERAL (SELECT l.step AS made, l.until FROM dpmix.counter_step l
                       WHERE l.counter_id = k.id ORDER BY l.step DESC LIMIT 1) s ON true;
COMMENT ON VIEW dpmix_internal.seen_counter IS 'dpmix.counters, of the viewer';
CREATE FUNCTION dpmix_internal.counters() RETURNS SETOF dpmix_internal.seen_counter
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.counters() IS 'rows of dpmix.counters';
CREATE VIEW dpmix.counters AS SELECT * FROM dpmix_internal.counters();
COMMENT ON VIEW dpmix.counters IS
    E'counters of the current user''s roles and about tables that they own.\n'
    'See also: dpmix.create_counter, dpmix.counter, docs/guide/counters.md.';
COMMENT ON COLUMN dpmix.counters.name IS 'name of the counter';
COMMENT ON COLUMN dpmix.counters.owner IS 'role that made it, which pays';
COMMENT ON COLUMN dpmix.counters.relation IS 'the table that it counts; NULL: it is not protected any more';
COMMENT ON COLUMN dpmix.counters.query IS 'what it counts';
COMMENT ON COLUMN dpmix.counters.params IS 'texts of $1, $2, ... in the query';
COMMENT ON COLUMN dpmix.counters.epsilon IS 'of all steps together, for one block';
COMMENT ON COLUMN dpmix.counters.delta IS 'of all steps together, for one block';
COMMENT ON COLUMN dpmix.counters.steps IS 'how many there will be, at most';
COMMENT ON COLUMN dpmix.counters.made IS 'how many are stored; NULL: none';
COMMENT ON COLUMN dpmix.counters.until IS 'value of the block column before which the last total ends';
COMMENT ON COLUMN dpmix.counters.created IS 'server''s clock';

GRANT SELECT ON dpmix.counters TO PUBLIC;
