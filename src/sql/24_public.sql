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
    E'states that everything in a table is public, now and later, so that private queries may join it; who joins it still needs SELECT '
    'on it. For its owner and superusers.\n'
    'relation: an ordinary or partitioned table without row-level security\n'
    'Errors: PV005 another kind of relation, or one that shares rows with a protected or charged table; PV006 no such table; 42501 '
    'not the owner.\n'
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
