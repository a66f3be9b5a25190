-- What a role reads of the record. A view over tables of dpmix shows, in the plans of whoever reads it, how many
-- rows of everybody's it went through. So a view that others may read is made of functions alone: each returns,
-- unrecorded, what is in a view of dpmix_internal that nobody may read, whose row type it returns. Those views
-- reach rows by index, from the viewer's own roles, tables and grants on.

CREATE FUNCTION dpmix_internal.viewer() RETURNS oid
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_viewer';
COMMENT ON FUNCTION dpmix_internal.viewer() IS 'for whom the record is read: who called the function that reads it';
CREATE FUNCTION dpmix_internal.viewer_is_superuser() RETURNS boolean
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_viewer_is_superuser';
COMMENT ON FUNCTION dpmix_internal.viewer_is_superuser() IS 'whether dpmix_internal.viewer() is a superuser';
REVOKE EXECUTE ON FUNCTION dpmix_internal.viewer(), dpmix_internal.viewer_is_superuser() FROM PUBLIC;

CREATE INDEX ON dpmix.protected_table ((coalesce(account, id)));
CREATE INDEX ON dpmix.population (owner);
CREATE INDEX ON dpmix.access (role);
CREATE INDEX ON dpmix.auditor (role);
CREATE INDEX ON dpmix.charge (table_id, id);
CREATE INDEX ON dpmix.charge (table_id, at);
CREATE INDEX ON dpmix.charge (role_number, at);
-- Other tables of a join: few charges name any.
CREATE INDEX ON dpmix.charge USING gin ((parameters -> 'table_ids')) WITH (fastupdate = off)
    WHERE parameters ? 'table_ids';
CREATE INDEX ON dpmix.release (table_id);
CREATE INDEX ON dpmix.release (maker);

CREATE VIEW dpmix_internal.own_role AS
    SELECT r.oid, r.rolname FROM pg_catalog.pg_roles r
    WHERE pg_catalog.pg_has_role(dpmix_internal.viewer(), r.oid, 'USAGE');
COMMENT ON VIEW dpmix_internal.own_role IS 'roles whose rights the viewer has';

CREATE VIEW dpmix_internal.own_number AS
    SELECT b.number FROM dpmix_internal.bound_role b
    WHERE b.oid = ANY (ARRAY(SELECT o.oid FROM dpmix_internal.own_role o));
COMMENT ON VIEW dpmix_internal.own_number IS 'numbers of these roles in the record';

-- A table is recognised as the functions do: by oid and name together.
CREATE VIEW dpmix_internal.known_table AS
    SELECT p.id, p.relation::regclass AS relation, p.active, p.accountant, p.renyi_order, c.relowner AS owner,
           coalesce(p.account, p.id) AS account, q.name AS population
    FROM dpmix.protected_table p
    JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name
    LEFT JOIN dpmix.population q ON q.id = p.account;
COMMENT ON VIEW dpmix_internal.known_table IS 'tables that exist and have a record';

CREATE VIEW dpmix_internal.known_grant AS
    SELECT a.table_id, a.role, b.rolname, a.epsilon, a.share, a.min_epsilon, a.max_charges_per_minute, a.id,
           a.confined
    FROM dpmix.access a JOIN dpmix_internal.bound_role b ON b.number = a.role;
COMMENT ON VIEW dpmix_internal.known_grant IS 'grants of roles that exist here';

CREATE VIEW dpmix_internal.own_grant AS
    SELECT a.table_id, a.role, a.id FROM dpmix.access a
    WHERE a.role = ANY (ARRAY(SELECT o.number FROM dpmix_internal.own_number o)) AND NOT a.confined;
COMMENT ON VIEW dpmix_internal.own_grant IS 'those of the viewer''s roles, but for grants on views';

CREATE VIEW dpmix_internal.seen_table AS
    SELECT t.*, s.owned, s.owned OR t.active AND s.audits AS audited, s.holds AS held
    FROM (SELECT m.id, bool_or(m.owned) AS owned, bool_or(m.audits) AS audits, bool_or(m.holds) AS holds
          FROM (SELECT p.id, true AS owned, false AS audits, false AS holds
                FROM pg_catalog.pg_shdepend d
                CROSS JOIN LATERAL (SELECT r.id FROM dpmix.protected_table r WHERE r.relation = d.objid OFFSET 0) p
                WHERE d.refclassid = 'pg_catalog.pg_authid'::regclass
                  AND d.refobjid = ANY (ARRAY(SELECT o.oid FROM dpmix_internal.own_role o))
                  AND d.classid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0 AND d.deptype = 'o'
                  AND d.dbid = (SELECT b.oid FROM pg_catalog.pg_database b
                                WHERE b.datname = pg_catalog.current_database())
                UNION ALL  -- PostgreSQL notes no dependency on the role that made the cluster, 10
                SELECT p.id, pg_catalog.pg_has_role(dpmix_internal.viewer(), c.relowner, 'USAGE'), false, false
                FROM dpmix.protected_table p JOIN pg_catalog.pg_class c ON c.oid = p.relation
                WHERE pg_catalog.pg_has_role(dpmix_internal.viewer(), 10::oid, 'USAGE')
                UNION ALL
                SELECT a.table_id, false, true, false FROM dpmix.auditor a
                WHERE a.role = ANY (ARRAY(SELECT o.number FROM dpmix_internal.own_number o))
                UNION ALL
                SELECT g.table_id, false, false, true FROM dpmix_internal.own_grant g) m
          GROUP BY m.id) s
    CROSS JOIN LATERAL (SELECT * FROM dpmix_internal.known_table k WHERE k.id = s.id OFFSET 0) t
    WHERE s.owned OR s.holds OR t.active;
COMMENT ON VIEW dpmix_internal.seen_table IS
    'tables that the viewer owns (owned), of whose record it sees all (audited), or of which it has a grant (held), '
    'which is in force while the table is active';

-- The tables of the record, for superusers with those that were dropped.
CREATE VIEW dpmix_internal.seen_record AS
    SELECT t.id, t.account, t.audited FROM dpmix_internal.seen_table t
    WHERE NOT dpmix_internal.viewer_is_superuser()
    UNION ALL
    SELECT a.table_id, a.account, true FROM dpmix_internal.table_account a
    WHERE dpmix_internal.viewer_is_superuser();
COMMENT ON VIEW dpmix_internal.seen_record IS
    'records that the viewer sees something of: of all that there ever were, where it is a superuser';

CREATE VIEW dpmix_internal.vacant_name AS
    SELECT p.id, p.schema_name, format('%I.%I', p.schema_name, p.table_name) AS name,
           coalesce(p.account, p.id) AS account, q.name AS population, o.owned
    FROM dpmix.protected_table p LEFT JOIN dpmix.population q ON q.id = p.account
    CROSS JOIN LATERAL (
        SELECT dpmix_internal.viewer_is_superuser()
               OR p.owner = ANY (ARRAY(SELECT n.number FROM dpmix_internal.own_number n)) AS owned) o
    WHERE p.waiting
      AND (o.owned OR EXISTS (
          SELECT FROM dpmix.auditor a
          WHERE a.table_id = p.id AND a.role = ANY (ARRAY(SELECT n.number FROM dpmix_internal.own_number n))));
COMMENT ON VIEW dpmix_internal.vacant_name IS
    'names that wait for a table, of records that the viewer owns (owned) or audits';
CREATE FUNCTION dpmix_internal.vacant_names() RETURNS SETOF dpmix_internal.vacant_name
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.vacant_names() IS 'rows of dpmix_internal.vacant_name';

CREATE FUNCTION dpmix_internal.audited_tables(relation regclass) RETURNS bigint[]
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_audited_tables';
REVOKE EXECUTE ON FUNCTION dpmix_internal.audited_tables(regclass) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.audited_tables(regclass) IS
    'numbers of the records of which the viewer sees all; where relation is not NULL, of this table''s alone. A '
    'function, as it is planned once for all charges that a session asks for';

CREATE FUNCTION dpmix_internal.spent(accounts bigint[])
    RETURNS TABLE (account bigint, table_id bigint, granted_number bigint, charges bigint, epsilon numeric,
                   delta numeric, cost numeric, cost_delta numeric)
    LANGUAGE sql STABLE ROWS 100
    BEGIN ATOMIC
    SELECT n.account, t.*
    FROM dpmix_internal.charge_total t
    CROSS JOIN LATERAL (SELECT a.account FROM dpmix_internal.table_account a WHERE a.table_id = t.table_id OFFSET 0) n
    WHERE t.table_id = ANY (ARRAY(SELECT a.table_id FROM dpmix_internal.table_account a
                                  WHERE a.account = ANY (accounts)));
    END;
REVOKE EXECUTE ON FUNCTION dpmix_internal.spent(bigint[]) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.spent(bigint[]) IS 'the sums of charge_total for each table of some accounts';
