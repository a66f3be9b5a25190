\echo Use "CREATE EXTENSION dpmix" to load this file. \quit

-- A schema that somebody made beforehand is theirs: they could drop the ledger, or put functions beside
-- ours for rows to be passed to.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles o ON o.oid = n.nspowner
               WHERE n.nspname = 'dpmix' AND NOT o.rolsuper)
       OR EXISTS (SELECT FROM pg_catalog.pg_depend d
                  WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
                    AND d.refobjid = 'dpmix'::pg_catalog.regnamespace
                    AND d.classid <> 'pg_catalog.pg_extension'::pg_catalog.regclass) THEN
        RAISE EXCEPTION 'schema dpmix is there already, and belongs to somebody else or is not empty'
            USING ERRCODE = 'PV004', DETAIL = 'The ledger of a database must be its superuser''s alone.',
                  HINT = 'DROP SCHEMA dpmix; CREATE EXTENSION makes its own.';
    END IF;
END $$;

-- What installation grants: the schema and what stands in it to everyone, except the catalog's
-- tables, which nobody may touch but through the functions.
GRANT USAGE ON SCHEMA dpmix TO PUBLIC;
