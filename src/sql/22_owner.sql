-- What a table's owner declares. Everyone may call these; they ask for ownership themselves.

CREATE FUNCTION dpmix.protect(relation regclass, epsilon float8, delta float8,
                              privacy_unit name DEFAULT NULL, max_rows_per_unit integer DEFAULT 1,
                              adjacency text DEFAULT 'add_remove', label name DEFAULT NULL,
                              accountant text DEFAULT 'renyi')
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_protect';
COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text) IS
    E'puts a table under a privacy budget for its whole life. Earlier charges under the same name resume, with the '
    'same adjacency, accountant and privacy unit. Warns of roles that hold SELECT on the table, and of foreign keys, '
    'exclusion constraints, partial and expression indexes that show others something of its rows. Only its owner and '
    'superusers may call it, in a transaction that commits before the first charge.\n'
    'relation: an ordinary or partitioned table, all of whose rows are stored here\n'
    'epsilon, delta: the total that everything ever released about the table may reveal; epsilon 1e-6 to 1e7, delta 0 '
    'to below 0.5, above 0 for the accountants renyi and gdp\n'
    'privacy_unit: the column that says whose row it is, stored, of a built-in scalar type with an order or an enum; '
    'NULL: each row is a unit, as a NOTICE says. Rows in which it is NULL are used by no release\n'
    'max_rows_per_unit: 1 to 1000000; of a unit with more rows each query uses so many, chosen at random, anew each '
    'time, and its noise covers them all. Where it is 1 and privacy_unit is NOT NULL under a valid, immediate, '
    'non-partial unique index, nothing is sampled; this is looked up at each charge. Other tables take queries only\n'
    'adjacency: what neighbours differ in: add_remove, one unit present or absent; replace, one unit''s rows changed '
    'to others, so that the number of units is public; label, the label of one row, while every other column is '
    'public, so that none may be derived from the label, and a unit has one row. Tables under label take '
    'dpmix.release_gmm, dpmix.cda and comparisons, not queries\n'
    'label: the private column, for adjacency label alone\n'
    'accountant: how charges add up: renyi; gdp, for more answers with Gaussian noise (with a delta) and fewer '
    'without; basic, the plain sums of epsilon and delta. It cannot change once the table was charged\n'
    'Errors: PV005 a value out of range, a relation or column that does not suit, a table that is protected already, '
    'has other terms on record or shares rows with a protected, charged or public one; PV006 no such table; 42501 not '
    'the owner.\n'
    'See also: dpmix.set_bounds, dpmix.set_categories, dpmix.grant_access, dpmix.charges_admitted, '
    'docs/guide/ledger.md, docs/proofs/accounting.md.';

CREATE FUNCTION dpmix.unprotect(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_unprotect';
COMMENT ON FUNCTION dpmix.unprotect(regclass) IS
    E'ends releases about a table and forgets who had access; its charges stay on record and resume with the next '
    'dpmix.protect().\n'
    'Errors: PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.set_budget(relation regclass, epsilon float8, delta float8, reason text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_budget';
COMMENT ON FUNCTION dpmix.set_budget(regclass, float8, float8, text) IS
    E'gives a table a new total budget, on record in dpmix.budget_history with its reason. It may be below what was '
    'spent; the guarantee is that of the largest budget ever set. For the owner and superusers.\n'
    'epsilon, delta: ranges as for dpmix.protect()\n'
    'reason: any text that is not blank\n'
    'Errors: PV005 out of range, or no reason; PV006 not protected; 42501 not the owner.\n'
    'See also: docs/guide/ledger.md.';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower float8, upper float8)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, float8, float8) IS
    E'states public bounds of a numeric, date or timestamp column, to which values are clamped. State them from what '
    'the column means, not from its rows: min and max are private. For the owner and superusers.\n'
    'lower, upper: finite, lower < upper, in the units of the column; dates in days, timestamps in seconds, both '
    'since 2000-01-01\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower date, upper date)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds_date';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, date, date) IS
    E'states public bounds of a date or timestamp column, from the beginning of these days.\n'
    'lower, upper: finite, lower < upper\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower timestamptz,
                                 upper timestamptz)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds_timestamptz';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, timestamptz, timestamptz) IS
    E'states public bounds of a date or timestamp column, in the session''s time zone where the column has none.\n'
    'lower, upper: finite, lower < upper\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.set_categories(relation regclass, column_name name, categories text[])
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_categories';
COMMENT ON FUNCTION dpmix.set_categories(regclass, name, text[]) IS
    E'states the public values of a column, by which rows may be grouped and classified. Other values join no group. '
    'For the owner and superusers.\n'
    'categories: 1 to 10000 values of the column''s type as text, distinct, none NULL, in the order in which groups '
    'come back\n'
    'Errors: PV005 no such column, another type, or no list of its values; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.grant_access(relation regclass, role regrole, epsilon float8 DEFAULT NULL,
                                   min_epsilon float8 DEFAULT 1e-4, max_charges_per_minute integer DEFAULT 600)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_grant_access';
COMMENT ON FUNCTION dpmix.grant_access(regclass, regrole, float8, float8, integer) IS
    E'lets a role and its members query, model and synthesise a table, and spend its budget. Granting again states '
    'all of the terms anew. For the owner and superusers.\n'
    'epsilon: cap on the sum of epsilon charged through this grant, 1e-6 to 1e7; NULL: none. A cap is policy among '
    'analysts, not proof: the table''s budget is one for all\n'
    'min_epsilon: the epsilon that one charge asks at least, 0 to 1e7, so that the ledger does not grow by charges that '
    'answer nothing; 0: any. Less is PV005\n'
    'max_charges_per_minute: how many charges are admitted through this grant within 60 seconds, 1 to 1000000; NULL: any '
    'number. More are PV004. The default lets a dashboard ask for 100 numbers every ten seconds\n'
    'Errors: PV005 a value out of range, or no such role; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.role_budget, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.revoke_access(relation regclass, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_revoke_access';
COMMENT ON FUNCTION dpmix.revoke_access(regclass, regrole) IS
    E'takes back what dpmix.grant_access() gave; what was charged stays charged. A NOTICE says so where the role had '
    'no grant of its own. For the owner and superusers.\n'
    'Errors: PV005 no such role; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.adopt_ledger(reason text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_adopt_ledger';
COMMENT ON FUNCTION dpmix.adopt_ledger(text) IS
    E'continues the ledger in this restored, copied or promoted database, on record in dpmix.ledger_adoptions. Says '
    'how many charges it found, and warns of charges or tables that are missing. The other copy must charge no more: '
    'both together would overspend. For superusers, and the database owner if it has the rights of the '
    'owners of all protected tables.\n'
    'reason: any text that is not blank\n'
    'Errors: PV004 on a standby; PV005 no reason; 42501 not the owner of the database, or no rights of a table''s owner.\n'
    'See also: docs/guide/ledger.md.';

-- Public tables -----------------------------------------------------------------------------------

-- Tables whose content is public, by their owner's word: what a private query may join a protected
-- table with. A row is recognised by oid and name together, as in dpmix.protected_table; it goes when
-- the table is dropped.
CREATE TABLE dpmix.public_table (
    relation    oid  NOT NULL,
    schema_name name NOT NULL,
    table_name  name NOT NULL,
    role        name NOT NULL,
    at          timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (schema_name, table_name)
);
COMMENT ON TABLE dpmix.public_table IS 'tables declared public by their owners';

DO $$
BEGIN
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.public_table'::regclass, '');
END $$;

CREATE FUNCTION dpmix.declare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_declare_public';
COMMENT ON FUNCTION dpmix.declare_public(regclass) IS
    E'states that everything in a table is public, now and later, so that private queries may join it; who joins it '
    'still needs SELECT on it. For its owner and superusers.\n'
    'relation: an ordinary or partitioned table without row-level security\n'
    'Errors: PV005 another kind of relation, or one that shares rows with a protected or charged table; PV006 no such '
    'table; 42501 not the owner.\n'
    'See also: dpmix.public_tables, docs/guide/query.md.';

CREATE FUNCTION dpmix.undeclare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_undeclare_public';
COMMENT ON FUNCTION dpmix.undeclare_public(regclass) IS
    E'takes dpmix.declare_public() back, for queries from now on. For the table''s owner and superusers.\n'
    'Errors: PV006 not declared public; 42501 not the owner.';

CREATE VIEW dpmix.public_tables AS
    SELECT p.relation::regclass AS relation, p.role, p.at
    FROM dpmix.public_table p
    JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name;
COMMENT ON VIEW dpmix.public_tables IS 'tables that private queries may join a protected table with';
COMMENT ON COLUMN dpmix.public_tables.relation IS 'the table';
COMMENT ON COLUMN dpmix.public_tables.role IS 'current_user who declared it public';
COMMENT ON COLUMN dpmix.public_tables.at IS 'server''s clock when it was declared';
GRANT SELECT ON dpmix.public_tables TO PUBLIC;

-- What follows DDL --------------------------------------------------------------------------------

-- The catalog follows DDL: renames of schemas, tables and columns, drops, changed types; and a
-- partition tree never gets two budgets.
CREATE FUNCTION dpmix_internal.follow_ddl() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_ddl';
COMMENT ON FUNCTION dpmix_internal.follow_ddl() IS 'event trigger: keeps the catalog in step with ALTER. PV002: '
    'an attachment would put one protected table inside another';
CREATE FUNCTION dpmix_internal.follow_drop() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_drop';
COMMENT ON FUNCTION dpmix_internal.follow_drop() IS
    'event trigger: ends the protection of dropped tables; charges stay';

CREATE EVENT TRIGGER dpmix_follow_ddl ON ddl_command_end EXECUTE FUNCTION dpmix_internal.follow_ddl();
CREATE EVENT TRIGGER dpmix_follow_drop ON sql_drop EXECUTE FUNCTION dpmix_internal.follow_drop();

-- Also under session_replication_role = replica: a rename that is not followed would lose a record.
ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS;
ALTER EVENT TRIGGER dpmix_follow_drop ENABLE ALWAYS;

CREATE FUNCTION dpmix_internal.announce_drop() RETURNS event_trigger LANGUAGE c
    AS 'MODULE_PATHNAME', 'dpmix_announce_drop';
COMMENT ON FUNCTION dpmix_internal.announce_drop() IS
    'event trigger: warns that the record of all charges goes with the extension';
CREATE EVENT TRIGGER dpmix_announce_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED')
    EXECUTE FUNCTION dpmix_internal.announce_drop();
ALTER EVENT TRIGGER dpmix_announce_drop ENABLE ALWAYS;
