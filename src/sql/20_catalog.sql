-- The catalog. Nobody holds rights on these tables: they are read and written by the functions.
-- Rows name a table by oid (which object it is) and by qualified name (survives a dump); the event
-- triggers of 22_owner.sql see where the two part. No foreign keys: pg_restore with several jobs
-- fills these tables in any order.

CREATE FUNCTION dpmix_internal.cluster() RETURNS bigint LANGUAGE c STABLE PARALLEL SAFE
    AS 'MODULE_PATHNAME', 'dpmix_cluster';
COMMENT ON FUNCTION dpmix_internal.cluster() IS 'the bits of the cluster''s system identifier';

-- A role as the record knows it. In the cluster where a number was bound the oid decides: a role of
-- another oid is another role, whatever its name. A role has a row for each name that it was seen under;
-- its number is the least. (Rows that were made at the same time may both be used for a while.)
CREATE TABLE dpmix.role_number (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role_oid  oid    NOT NULL,   -- 0: nobody, for ever
    role_name name   NOT NULL,
    cluster   bigint NOT NULL    -- dpmix_internal.cluster(), whose oid it is
);
CREATE INDEX ON dpmix.role_number (role_oid);
COMMENT ON TABLE dpmix.role_number IS
    'roles that the record speaks of; dpmix.adopt_ledger() binds their numbers in another cluster, by name, once';

CREATE VIEW dpmix_internal.bound_role AS
    SELECT n.id AS number, r.oid, r.rolname
    FROM dpmix.role_number n JOIN pg_catalog.pg_roles r ON r.oid = n.role_oid
    WHERE n.cluster = dpmix_internal.cluster();
COMMENT ON VIEW dpmix_internal.bound_role IS 'whose numbers these are, of roles that exist here';

CREATE VIEW dpmix_internal.named_role AS
    SELECT n.id AS number, coalesce(b.rolname, l.role_name) AS name, l.first
    FROM dpmix.role_number n LEFT JOIN dpmix_internal.bound_role b ON b.number = n.id
    CROSS JOIN LATERAL (SELECT min(m.id) AS first, (array_agg(m.role_name ORDER BY m.id DESC))[1] AS role_name
                        FROM dpmix.role_number m
                        WHERE m.id = n.id
                           OR m.role_oid = n.role_oid AND m.cluster = n.cluster AND n.role_oid <> 0) l;
COMMENT ON VIEW dpmix_internal.named_role IS
    'names of roles: today''s where they are here, else the last; first: the number of the role itself';

-- A record belongs to a name and its owner. The table of that name comes and goes: one that leaves
-- its name leaves the record behind, vacant, with all that was declared. The next table of the owner
-- that takes the name is attached.
CREATE TABLE dpmix.protected_table (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation          oid     NOT NULL,           -- the table that is attached; 0: none, the name is vacant
    schema_name       name    NOT NULL,
    table_name        name    NOT NULL,
    active            boolean NOT NULL DEFAULT true,  -- false: unprotected; charges stay on record
    adjacency         text    NOT NULL CHECK (adjacency IN ('add_remove', 'replace', 'label')),
    accountant        text    NOT NULL CHECK (accountant IN ('basic', 'renyi', 'gdp', 'gaussian')),
    renyi_order       float8  CHECK (renyi_order > 1),   -- fixed when the table is first protected
    privacy_unit      name,                       -- NULL: a row
    max_rows_per_unit integer NOT NULL DEFAULT 1 CHECK (max_rows_per_unit > 0),
    label             name,
    account           bigint,                     -- dpmix.population.id, or another record's, which it was joined
                                                  -- with; NULL: the record has an account of its own
    owner             bigint  NOT NULL,           -- dpmix.role_number.id
    unit_through      bigint,                     -- the id of a record: a row is of the unit of that table's row whose
                                                  -- key it names; NULL: it has no such link
    through_relation  oid,                        -- the table that had that record; 0: it was dropped
    link              name[],                     -- the columns that name the key
    link_attnums      smallint[],
    target_key        name[],                     -- the key's columns, in the same order
    target_attnums    smallint[],
    waiting           boolean NOT NULL DEFAULT false,  -- its table was protected when it left the name: the next one of
                                                  -- the owner that takes the name, and fits, is protected in its place
    column_types      jsonb,                      -- the columns of the table that it has, or had last
    guard_unit        boolean NOT NULL DEFAULT false,  -- no UPDATE gives a row to another unit
    strict            boolean NOT NULL DEFAULT false,  -- no table is protected that others may read
    CHECK (NOT (waiting AND (active OR relation <> 0))),
    CHECK (num_nonnulls(unit_through, through_relation, link, link_attnums, target_key, target_attnums) IN (0, 6)),
    CHECK (unit_through IS NULL OR privacy_unit IS NULL AND label IS NULL AND account IS NOT NULL),
    CHECK ((accountant = 'renyi') = (renyi_order IS NOT NULL)),
    CHECK ((adjacency = 'label') = (label IS NOT NULL)),
    UNIQUE (schema_name, table_name)
);
CREATE INDEX ON dpmix.protected_table (relation);
CREATE INDEX ON dpmix.protected_table (id) WHERE waiting;
COMMENT ON TABLE dpmix.protected_table IS
    'records of tables under a privacy budget, by name; a row outlives unprotect(), RENAME and DROP, so that charges '
    'resume';

-- Rows that were protected or charged stay those of the record under whose name they were, wherever they are
-- now. A row of this goes when its table is dropped, or back under the name.
CREATE TABLE dpmix.departed_table (
    relation    oid    NOT NULL,
    schema_name name   NOT NULL,   -- its name today
    table_name  name   NOT NULL,
    table_id    bigint NOT NULL    -- the record that it left
);
CREATE INDEX ON dpmix.departed_table (relation);
COMMENT ON TABLE dpmix.departed_table IS 'tables that left the name of their record, or the table that has it';

-- One budget for all tables about the same people. Numbered with the tables, so that a number names one
-- account: a table's own, or a population's.
CREATE TABLE dpmix.population (
    id          bigint  PRIMARY KEY DEFAULT pg_catalog.nextval('dpmix.protected_table_id_seq'),
    name        name    NOT NULL UNIQUE,
    accountant  text    NOT NULL CHECK (accountant IN ('basic', 'renyi', 'gdp', 'gaussian')),
    renyi_order float8  CHECK (renyi_order > 1),
    adjacency   text    CHECK (adjacency IN ('add_remove', 'replace')),  -- that of its first table; NULL: none yet
    unit_type   regtype,           -- NULL: that of its first table
    owner       bigint  NOT NULL,  -- dpmix.role_number.id
    first_value bigint,            -- of block 0, in microseconds since 2000-01-01 (UTC); NULL: one budget for ever
    width       bigint,            -- of a block, in microseconds; below 0: so many months of the calendar
    CHECK ((accountant = 'renyi') = (renyi_order IS NOT NULL)),
    CHECK ((first_value IS NULL) = (width IS NULL) AND width <> 0)
);
COMMENT ON TABLE dpmix.population IS 'accounts that several tables about the same units share';

-- Whose budget a table's charges count against. So a charge moves with its table.
CREATE VIEW dpmix_internal.table_account AS
    SELECT p.id AS table_id, coalesce(p.account, p.id) AS account FROM dpmix.protected_table p;
COMMENT ON VIEW dpmix_internal.table_account IS 'the account of each table: its population''s, or its own';

-- The newest row of an account is its budget. Append-only: who changed it, when, why.
CREATE TABLE dpmix.budget_change (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id bigint      NOT NULL,   -- or the population's id
    epsilon  numeric     NOT NULL CHECK (epsilon > 0),
    delta    numeric     NOT NULL CHECK (delta >= 0 AND delta < 1),
    reason   text        NOT NULL,
    role     name        NOT NULL,
    at       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    weak     boolean     NOT NULL DEFAULT false   -- who set it stated that it knows that it protects few
);
CREATE INDEX ON dpmix.budget_change (table_id, id);
COMMENT ON TABLE dpmix.budget_change IS 'every budget a table or population ever had; the newest row holds';

CREATE TABLE dpmix.column_domain (
    table_id    bigint   NOT NULL,
    column_name name     NOT NULL,
    attnum      smallint NOT NULL,
    lower       float8,           -- dates: days, timestamps: seconds, both since 2000-01-01; texts: characters
    upper       float8,
    categories  text[],
    other       text,             -- what other values show as, which are one group; NULL: they are in none
    quantum     bigint CHECK (quantum > 0),   -- microseconds, to which constants in time are rounded
    nan_is_middle boolean NOT NULL DEFAULT false,   -- in queries NaN is the middle of the bounds, not missing
    by_column   name,             -- another column: rows in which it has one of these categories have these bounds,
    by_category text[],           -- which lower and upper are the widest of; NULL: all rows have the same
    by_lower    float8[],
    by_upper    float8[],
    at_least     name,            -- a column that this one is never below, in rows that have both
    sum_of       name[],          -- columns that this one is the sum of
    present_with name,            -- a column that is missing in the rows in which this one is
    PRIMARY KEY (table_id, column_name),
    CHECK (num_nonnulls(by_column, by_category, by_lower, by_upper) IN (0, 4)),
    CHECK (by_column IS NULL OR lower IS NOT NULL AND NOT nan_is_middle
           AND cardinality(by_category) = cardinality(by_lower) AND cardinality(by_lower) = cardinality(by_upper)),
    CHECK (num_nonnulls(at_least, sum_of) < 2 AND cardinality(sum_of) > 1),
    CHECK ((lower IS NULL) = (upper IS NULL)),
    CHECK (lower < upper),
    CHECK (lower IS NOT NULL OR NOT nan_is_middle)
);
COMMENT ON TABLE dpmix.column_domain IS
    'what the owner states as public about a column: bounds, categories, time quantum';

CREATE TABLE dpmix.access (
    table_id bigint NOT NULL,
    role     bigint NOT NULL,               -- dpmix.role_number.id
    epsilon  numeric CHECK (epsilon > 0),   -- cap on the sum of epsilon charged through this grant
    share    numeric CHECK (share > 0 AND share <= 1),   -- of the budget, that these charges may come to alone
    min_epsilon            numeric NOT NULL CHECK (min_epsilon >= 0),    -- that a charge asks at least
    max_charges_per_minute integer CHECK (max_charges_per_minute > 0),  -- NULL: any number
    confined boolean NOT NULL DEFAULT false,   -- to texts that name the table through views of dpmix.granted_view
    -- The id of this very grant: one that is taken back and given again does not see what was paid before.
    id       uuid   NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
    PRIMARY KEY (table_id, role)
);
COMMENT ON TABLE dpmix.access IS 'roles that may query, model and synthesise a protected table';

-- A grant on a view is one on each table below it, confined to such views. It belongs to the view's name: the view of
-- that name counts whose owner has the rights of the table's.
CREATE TABLE dpmix.granted_view (
    table_id    bigint NOT NULL,
    role        bigint NOT NULL,   -- of dpmix.access
    schema_name name   NOT NULL,
    view_name   name   NOT NULL,
    PRIMARY KEY (table_id, role, schema_name, view_name)
);
COMMENT ON TABLE dpmix.granted_view IS 'views through which confined roles may ask a protected table';

-- Read by views and reports alone: nothing that charges looks here.
CREATE TABLE dpmix.auditor (
    table_id bigint NOT NULL,
    role     bigint NOT NULL,               -- dpmix.role_number.id
    PRIMARY KEY (table_id, role)
);
COMMENT ON TABLE dpmix.auditor IS 'roles that may read the record of a protected table';

-- What was spent. Written by the ledger worker alone, in its own committed transactions.
CREATE TABLE dpmix.charge (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_id   bigint      NOT NULL,
    relation   text        NOT NULL,      -- qualified name at the time
    role       name        NOT NULL,      -- current_user of the call
    granted_to name,                      -- whose grant_access gave the right; NULL: owner, superuser
    at         timestamptz NOT NULL,
    kind       text        NOT NULL,      -- query, gmm, cda, compare, counter
    mechanism  text        NOT NULL,
    epsilon    numeric     NOT NULL,
    delta      numeric     NOT NULL,
    cost       numeric     NOT NULL,      -- `renyi`: rho at the table's order; `gdp`, `gaussian`: mu^2; `basic`: 0
    cost_delta numeric     NOT NULL,      -- delta added to that arm; `basic`: 0
    parameters jsonb       NOT NULL,
    release    text,
    blocks     int8multirange,            -- NULL: the table as a whole
    role_number bigint,                   -- dpmix.role_number.id of role, who may read the charge
    granted_number bigint,                -- dpmix.role_number.id of granted_to, under whose cap it counts
    salt       bytea,                     -- opens the line "statement" of the receipt
    receipt    text                       -- for outsiders; each has the hash of the account's one before
);
COMMENT ON TABLE dpmix.charge IS 'append-only record of everything released about protected tables';

-- Whose charge a grant was shown an answer of, where the owner lets memory answer everybody alike: it
-- counts against the cap of that grant, once, as if it had been charged through it.
CREATE TABLE dpmix.sight (
    table_id       bigint      NOT NULL,
    granted_number bigint      NOT NULL,
    charge_id      bigint      NOT NULL,
    epsilon        numeric     NOT NULL,
    at             timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (table_id, granted_number, charge_id)
);
COMMENT ON TABLE dpmix.sight IS 'first sights through a grant of what was charged through another';

CREATE VIEW dpmix_internal.seen_total AS
    SELECT coalesce(a.account, s.table_id) AS account, s.granted_number, sum(s.epsilon) AS epsilon,
           coalesce(sum(c.delta), 0) AS delta, coalesce(sum(c.cost), 0) AS cost,
           coalesce(sum(c.cost_delta), 0) AS cost_delta
    FROM dpmix.sight s LEFT JOIN dpmix.charge c ON c.id = s.charge_id
    LEFT JOIN dpmix_internal.table_account a ON a.table_id = s.table_id
    GROUP BY 1, 2;
COMMENT ON VIEW dpmix_internal.seen_total IS 'sums of dpmix.sight for each account and grant';

-- Sums of dpmix.charge up to a charge, so that nothing needs to read a million rows again. Written by
-- the ledger worker while nobody else writes charges; a table and a grant have a row for each time
-- their sums had changed. Without any the sums are those of all charges.
CREATE TABLE dpmix.ledger_checkpoint (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    through    bigint  NOT NULL,   -- all charges up to this id are in the sums
    table_id   bigint  NOT NULL,
    granted_number bigint,
    charges    bigint  NOT NULL,
    epsilon    numeric NOT NULL,
    delta      numeric NOT NULL,
    cost       numeric NOT NULL,
    cost_delta numeric NOT NULL
);
CREATE INDEX ON dpmix.ledger_checkpoint (through);
CREATE INDEX ON dpmix.ledger_checkpoint (table_id, granted_number, through DESC);
COMMENT ON TABLE dpmix.ledger_checkpoint IS 'sums of dpmix.charge, by table and grant, up to some charge';

CREATE VIEW dpmix_internal.charge_total AS
    SELECT a.table_id, a.granted_number, sum(a.charges)::bigint AS charges, sum(a.epsilon) AS epsilon,
           sum(a.delta) AS delta, sum(a.cost) AS cost, sum(a.cost_delta) AS cost_delta
    FROM (SELECT * FROM (
              SELECT DISTINCT ON (table_id, granted_number)
                     table_id, granted_number, charges, epsilon, delta, cost, cost_delta
              FROM dpmix.ledger_checkpoint ORDER BY table_id, granted_number, through DESC) known
          UNION ALL
          SELECT table_id, granted_number, 1, epsilon, delta, cost, cost_delta FROM dpmix.charge
          -- The upper bound is for the planner, which then expects few.
          WHERE id > (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint)
            AND id <= 9223372036854775807) a
    GROUP BY a.table_id, a.granted_number;
COMMENT ON VIEW dpmix_internal.charge_total IS
    'sums of dpmix.charge for each table and the grant through which it was charged (NULL: its owner and '
    'superusers)';

CREATE VIEW dpmix_internal.account_total AS
    SELECT coalesce(a.account, t.table_id) AS account, t.granted_number, sum(t.charges)::bigint AS charges,
           sum(t.epsilon) AS epsilon, sum(t.delta) AS delta, sum(t.cost) AS cost, sum(t.cost_delta) AS cost_delta
    FROM dpmix_internal.charge_total t
    LEFT JOIN dpmix_internal.table_account a ON a.table_id = t.table_id
    GROUP BY 1, 2;
COMMENT ON VIEW dpmix_internal.account_total IS 'the sums of charge_total for each account and grant';

-- A join is on record with its first table alone, so a table of a population counts as charged with any of them.
CREATE FUNCTION dpmix_internal.is_charged(table_id bigint) RETURNS boolean LANGUAGE sql STABLE
    BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM dpmix.charge g WHERE g.table_id = ANY (ARRAY(
        SELECT a.table_id FROM dpmix_internal.table_account a
        WHERE a.account = (SELECT b.account FROM dpmix_internal.table_account b WHERE b.table_id = $1))));
    END;
REVOKE EXECUTE ON FUNCTION dpmix_internal.is_charged(bigint) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.is_charged(bigint) IS 'whether anything was charged to the account of a table';

-- Identifier and name together: in a restored database the identifiers are those of other tables.
CREATE VIEW dpmix_internal.budgeted_table AS
    SELECT t.relation, t.active, t.account, t.id
    FROM (SELECT p.relation, p.schema_name, p.table_name, p.active, coalesce(p.account, p.id) AS account, p.id
          FROM dpmix.protected_table p WHERE p.active OR dpmix_internal.is_charged(p.id)
          UNION ALL
          SELECT d.relation, d.schema_name, d.table_name, false, a.account, d.table_id
          FROM dpmix.departed_table d JOIN dpmix_internal.table_account a ON a.table_id = d.table_id) t
    JOIN pg_catalog.pg_class c ON c.oid = t.relation AND c.relname = t.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = t.schema_name;
COMMENT ON VIEW dpmix_internal.budgeted_table IS
    'tables whose rows have a budget or were charged, also under another name, with its account and record (id); '
    'active: protected now';

-- Where the ledger lives; a copy of the database elsewhere does not match the newest row.
CREATE TABLE dpmix.ledger_stamp (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at                timestamptz NOT NULL,
    role              name    NOT NULL,
    reason            text    NOT NULL,
    system_identifier numeric NOT NULL,
    timeline          bigint  NOT NULL,
    database          oid     NOT NULL,
    control_inode     numeric NOT NULL,
    machine_id        text    NOT NULL,
    control_birth     numeric,              -- ns; NULL: unknown to the file system
    record            oid                   -- dpmix.charge
);
COMMENT ON TABLE dpmix.ledger_stamp IS
    'identity of the cluster that charges; on a mismatch charges stop until dpmix.adopt_ledger()';

-- Models and what is known of other releases. Post-processing: reading them is free.
CREATE TABLE dpmix.release (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL,
    table_id    bigint      NOT NULL,
    kind        text        NOT NULL,
    maker       bigint      NOT NULL,  -- dpmix.role_number.id
    at          timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    charge_id   bigint      NOT NULL,
    method      text        NOT NULL,
    epsilon     float8      NOT NULL,
    delta       float8      NOT NULL,
    features    name[]      NOT NULL,
    lower       float8[]    NOT NULL, -- the features' bounds at the time
    upper       float8[]    NOT NULL,
    label       name,
    labels      text[],               -- of each component, or class; NULL without a label
    source      text,                 -- that the rows were made by; NULL: they are those of the table
    weights     float8[]    NOT NULL, -- K
    means       float8[]    NOT NULL, -- K x d
    covariances float8[]    NOT NULL, -- K x d x d
    row_counts  float8[]    NOT NULL, -- noisy rows per component, or class
    -- NULL until the model is stored
    feature_types regtype[],          -- of the features' columns, below domains
    adjacency     text,
    covariance    text,               -- full, diagonal, shared
    objective     text,
    dimensions    integer,            -- of the space in which components were looked for
    count_stddev  float8,             -- of the noise in row_counts
    quality       text,               -- which components to distrust, and why
    -- of a tree, a regression or a cube; NULL of a mixture
    model         float8[],           -- as the core packs it
    texts         text[],             -- of a tree: categories of all features, one after the other; of a regression:
                                      -- what was asked; of a cube: measures, values of keys
    UNIQUE (name, maker)
);
COMMENT ON TABLE dpmix.release IS 'stored private models';

CREATE FUNCTION dpmix_internal.refuse_change() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME
        USING ERRCODE = 'PV002',
              DETAIL = format('%s was asked for.', TG_OP),
              HINT = 'What was charged or recorded stays on record.';
END $$;
REVOKE EXECUTE ON FUNCTION dpmix_internal.refuse_change() FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.refuse_change() IS 'trigger of the append-only tables';

-- What was released about a population was about this table too, and so it is with records that were joined:
-- they move together.
CREATE FUNCTION dpmix_internal.refuse_leaving() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.account = (SELECT p.account FROM dpmix.protected_table p WHERE p.id = OLD.account) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a record stays in its account'
        USING ERRCODE = 'PV002',
              DETAIL = format('%s was asked for.', TG_OP),
              HINT = 'What was released about the account was about this table too.';
END $$;
REVOKE EXECUTE ON FUNCTION dpmix_internal.refuse_leaving() FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.refuse_leaving() IS 'trigger of dpmix.protected_table';

DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['charge', 'sight', 'budget_change', 'ledger_checkpoint', 'ledger_stamp'] LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON dpmix.%I '
                       'FOR EACH STATEMENT EXECUTE FUNCTION dpmix_internal.refuse_change()', t);
        -- also under session_replication_role = replica
        EXECUTE format('ALTER TABLE dpmix.%I ENABLE ALWAYS TRIGGER append_only', t);
    END LOOP;
    -- Its rows change, but charges need them to be about something.
    CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON dpmix.protected_table
        FOR EACH STATEMENT EXECUTE FUNCTION dpmix_internal.refuse_change();
    ALTER TABLE dpmix.protected_table ENABLE ALWAYS TRIGGER append_only;
    CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON dpmix.population
        FOR EACH STATEMENT EXECUTE FUNCTION dpmix_internal.refuse_change();
    ALTER TABLE dpmix.population ENABLE ALWAYS TRIGGER append_only;
    CREATE TRIGGER never_leaves BEFORE UPDATE OF account ON dpmix.protected_table FOR EACH ROW
        WHEN (OLD.account IS NOT NULL AND NEW.account IS DISTINCT FROM OLD.account)
        EXECUTE FUNCTION dpmix_internal.refuse_leaving();
    ALTER TABLE dpmix.protected_table ENABLE ALWAYS TRIGGER never_leaves;
    FOREACH t IN ARRAY ARRAY['role_number', 'protected_table', 'departed_table', 'population', 'budget_change',
                             'column_domain', 'access', 'granted_view', 'auditor', 'charge', 'sight', 'ledger_checkpoint',
                             'ledger_stamp', 'release'] LOOP
        PERFORM pg_catalog.pg_extension_config_dump(format('dpmix.%I', t)::regclass, '');
    END LOOP;
    FOREACH t IN ARRAY ARRAY['role_number', 'protected_table', 'budget_change', 'charge', 'ledger_checkpoint',
                             'ledger_stamp', 'release'] LOOP
        PERFORM pg_catalog.pg_extension_config_dump(
            pg_catalog.pg_get_serial_sequence(format('dpmix.%I', t), 'id')::regclass, '');
    END LOOP;
END $$;

-- What was read of these tables is believed, by backends and the ledger worker, until it changes.
CREATE FUNCTION dpmix_internal.announce_change() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_announce_change';
REVOKE EXECUTE ON FUNCTION dpmix_internal.announce_change() FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.announce_change() IS
    'trigger of the tables that backends and the ledger worker keep in mind';

DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['protected_table', 'population', 'budget_change', 'access'] LOOP
        EXECUTE format('CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON dpmix.%I '
                       'FOR EACH ROW EXECUTE FUNCTION dpmix_internal.announce_change()', t);
        EXECUTE format('ALTER TABLE dpmix.%I ENABLE ALWAYS TRIGGER announce', t);
    END LOOP;
END $$;
