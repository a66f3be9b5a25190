-- 0.2.0 to 0.3.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/upgrade.test.sh).

-- The accountant gdp.
ALTER TABLE dpmix.protected_table DROP CONSTRAINT protected_table_accountant_check;
ALTER TABLE dpmix.protected_table ADD CHECK (accountant IN ('basic', 'renyi', 'gdp'));
COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text) IS
    'puts a table under a privacy budget: epsilon 1e-6 to 1e7, delta 0 to below .5 (above 0 unless the accountant is '
    'basic); adjacency add_remove, replace or label; accountant renyi, gdp (more answers with Gaussian noise, that is '
    'with a delta; fewer without) or basic (sums of epsilon and delta). Earlier charges under the same '
    'name resume. PV005: invalid parameter, protected already, shares rows with a protected table';

-- Sums kept, so that nothing needs to read a million charges again.
-- Sums of dpmix.charge up to a charge, so that nothing needs to read a million rows again. Written by
-- the ledger worker while nobody else writes charges; an account (a table and a grant) has a row for
-- each time it had changed. Without any the sums are those of all charges.
CREATE TABLE dpmix.ledger_checkpoint (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    through    bigint  NOT NULL,   -- all charges up to this id are in the sums
    table_id   bigint  NOT NULL,
    granted_to name,
    charges    bigint  NOT NULL,
    epsilon    numeric NOT NULL,
    delta      numeric NOT NULL,
    cost       numeric NOT NULL,
    cost_delta numeric NOT NULL
);
CREATE INDEX ON dpmix.ledger_checkpoint (through);
CREATE INDEX ON dpmix.ledger_checkpoint (table_id, granted_to, through DESC);
COMMENT ON TABLE dpmix.ledger_checkpoint IS 'sums of dpmix.charge, by account, up to some charge';

CREATE VIEW dpmix.charge_total AS
    SELECT a.table_id, a.granted_to, sum(a.charges)::bigint AS charges, sum(a.epsilon) AS epsilon,
           sum(a.delta) AS delta, sum(a.cost) AS cost, sum(a.cost_delta) AS cost_delta
    FROM (SELECT * FROM (
              SELECT DISTINCT ON (table_id, granted_to)
                     table_id, granted_to, charges, epsilon, delta, cost, cost_delta
              FROM dpmix.ledger_checkpoint ORDER BY table_id, granted_to, through DESC) known
          UNION ALL
          SELECT table_id, granted_to, 1, epsilon, delta, cost, cost_delta FROM dpmix.charge
          WHERE id > (SELECT coalesce(max(through), 0) FROM dpmix.ledger_checkpoint)) a
    GROUP BY a.table_id, a.granted_to;
COMMENT ON VIEW dpmix.charge_total IS
    'sums of dpmix.charge for each account: a table and the grant through which it was charged (NULL: '
    'its owner and superusers)';

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON dpmix.ledger_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION dpmix.refuse_change();
SELECT pg_catalog.pg_extension_config_dump('dpmix.ledger_checkpoint', '');
SELECT pg_catalog.pg_extension_config_dump('dpmix.ledger_checkpoint_id_seq', '');

-- What was read of these tables is believed, by backends and the ledger worker, until it changes.
CREATE FUNCTION dpmix.announce_change() RETURNS trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_announce_change';
REVOKE EXECUTE ON FUNCTION dpmix.announce_change() FROM PUBLIC;
COMMENT ON FUNCTION dpmix.announce_change() IS 'trigger of the tables that backends and the ledger worker keep in mind';

-- When the cluster's control file was made: the stamp knows a copy that was given the same inode.
-- When the cluster's control file was made: the stamp knows a copy that was given the same inode. And
-- which record it belongs to: it knows one that was restored into a new extension of the same database.
ALTER TABLE dpmix.ledger_stamp ADD COLUMN control_birth numeric;
ALTER TABLE dpmix.ledger_stamp ADD COLUMN record oid;

-- The record is kept and followed also under session_replication_role = replica.
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['protected_table', 'budget_change', 'access'] LOOP
        EXECUTE format('CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON dpmix.%I '
                       'FOR EACH ROW EXECUTE FUNCTION dpmix.announce_change()', t);
        EXECUTE format('ALTER TABLE dpmix.%I ENABLE ALWAYS TRIGGER announce', t);
    END LOOP;
END $$;
    FOREACH t IN ARRAY ARRAY['charge', 'budget_change', 'ledger_checkpoint', 'ledger_stamp'] LOOP
        EXECUTE format('ALTER TABLE dpmix.%I ENABLE ALWAYS TRIGGER append_only', t);
    END LOOP;
END $$;
ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS;
ALTER EVENT TRIGGER dpmix_follow_drop ENABLE ALWAYS;

-- DROP EXTENSION forgets the record, and says so.
CREATE FUNCTION dpmix.announce_drop() RETURNS event_trigger LANGUAGE c
    AS 'MODULE_PATHNAME', 'dpmix_announce_drop';
COMMENT ON FUNCTION dpmix.announce_drop() IS
    'event trigger: warns that the record of all charges goes with the extension';
CREATE EVENT TRIGGER dpmix_announce_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED')
    EXECUTE FUNCTION dpmix.announce_drop();
ALTER EVENT TRIGGER dpmix_announce_drop ENABLE ALWAYS;

-- pg_restore with several jobs fills the catalog's tables in any order.
ALTER TABLE dpmix.budget_change DROP CONSTRAINT budget_change_table_id_fkey;
ALTER TABLE dpmix.column_domain DROP CONSTRAINT column_domain_table_id_fkey;
ALTER TABLE dpmix.access DROP CONSTRAINT access_table_id_fkey;
ALTER TABLE dpmix.release DROP CONSTRAINT release_table_id_fkey;
-- They read the catalog with the newest snapshot, which a parallel plan forbids its leader too.
ALTER FUNCTION dpmix.gmm(text) PARALLEL UNSAFE;
ALTER FUNCTION dpmix.gmm_sample(anyelement, text, bigint) PARALLEL UNSAFE;
ALTER FUNCTION dpmix.gmm_kl(text, text) PARALLEL UNSAFE;
