\echo Use "CREATE EXTENSION dpmix" to load this file. \quit

-- Two schemas: dpmix holds what users call and read, and the catalog's tables; dpmix_internal what these
-- are made of. A schema that somebody made beforehand is theirs: they could drop the ledger, or put
-- functions beside ours for rows to be passed to. Only dpmix may be there: CREATE EXTENSION has just made
-- it, or a restored dump.
DO $$
DECLARE
    taken text;
BEGIN
    SELECT n.nspname INTO taken FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles o ON o.oid = n.nspowner
    WHERE n.nspname = 'dpmix_internal'
       OR n.nspname = 'dpmix'
          AND (NOT o.rolsuper
               OR EXISTS (SELECT FROM pg_catalog.pg_depend d
                          WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
                            AND d.refobjid = n.oid
                            AND d.classid <> 'pg_catalog.pg_extension'::pg_catalog.regclass))
    ORDER BY n.nspname LIMIT 1;
    IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'schema % is there already, and belongs to somebody else or is not empty', taken
            USING ERRCODE = 'PV004', DETAIL = 'The ledger of a database must be its superuser''s alone.',
                  HINT = pg_catalog.format('DROP SCHEMA %s; CREATE EXTENSION makes its own.', taken);
    END IF;
END $$;

CREATE SCHEMA dpmix_internal;
COMMENT ON SCHEMA dpmix_internal IS 'what the functions, types and views of dpmix are made of; nobody needs to call it';

-- What installation grants: the schemas and what stands in them to everyone, except the catalog's tables,
-- which nobody may touch but through the functions. Everyone needs dpmix_internal where a name in it is
-- read: in the views that owners make of dpmix.partial_sql, on the workers of a Citus cluster.
GRANT USAGE ON SCHEMA dpmix, dpmix_internal TO PUBLIC;
