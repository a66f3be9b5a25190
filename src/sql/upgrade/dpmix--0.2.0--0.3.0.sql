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
-- What a call would take, and how many such calls still fit.
DROP FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer);
CREATE FUNCTION dpmix.preview(
    query text, epsilon float8, delta float8 = 0, mechanism text = 'auto',
    params text[] = '{}', keys text = 'declared', max_groups integer = NULL)
    RETURNS TABLE (output_column text, statistic text, mechanism text, sensitivity float8,
                   epsilon float8, delta float8, noise_stddev float8, expected_error float8,
                   interval_95 float8, candidates jsonb, charge_cost float8, charge_delta float8,
                   charge_share float8, calls_left bigint)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_preview';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer) IS
    'The noise that dpmix.query would add, one row for each noisy statistic, in the units of the column; free, reads no row, '
    'needs access. epsilon, delta: what that statistic alone guarantees. expected_error: mean absolute error; interval_95: half '
    'width of the 95% interval of the noise, exact; what clamping to the bounds does to an answer is not in it; both NULL where '
    'the output is a ratio. candidates: the mechanisms that could answer, each with the expected_error of this statistic, the '
    'epsilon and delta charged, the share of the budget (budget_share), and why it was chosen or not (verdict). Of the whole call, '
    'the same in each row: charge_cost and charge_delta, what the accountant adds up (basic: epsilon and delta); charge_share, the '
    'part of the whole budget that this is; calls_left, how many such calls and nothing else would still be admitted to the '
    'caller now, by the budget and the cap of its grant. Errors as dpmix.query';

CREATE FUNCTION dpmix.preview_gmm(name text, relation regclass, features name[], epsilon float8, delta float8,
                                  label name = NULL, components integer = NULL, covariance text = 'full',
                                  objective text = 'balanced', method text = NULL, dimensions integer = NULL)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_gmm' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    'what dpmix.release_gmm would charge and add as noise, for the same arguments; free, reads no row, stores nothing, needs access. '
    'mu: the Gaussian noise is mu-GDP; count_stddev: of the noise in each component''s number of rows; the rest as in dpmix.preview. '
    'Errors as dpmix.release_gmm';

CREATE FUNCTION dpmix.preview_cda(row_type anyelement, features name[], label name, rows bigint,
                                  epsilon float8, delta float8, mix integer DEFAULT NULL,
                                  demix text DEFAULT 'none')
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_cda(anyelement, name[], name, bigint, float8, float8, integer, text) IS
    'what dpmix.cda would charge and add as noise, for the same arguments; free, reads no row, needs access. '
    'mu: all rows together reveal no more than Gaussian noise that is mu-GDP; count_stddev: of the noise in '
    'each class''s number of records; the rest as in dpmix.preview. Errors as dpmix.cda';

CREATE FUNCTION dpmix.charges_admitted(epsilon_total float8, delta_total float8, accountant text,
                                       mechanism text, epsilon float8, delta float8,
                                       statistics int DEFAULT 1, lattice_steps bigint DEFAULT 1)
    RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    AS 'MODULE_PATHNAME', 'dpmix_charges_admitted';
COMMENT ON FUNCTION dpmix.charges_admitted(float8, float8, text, text, float8, float8, int, bigint) IS
'How many queries (epsilon, delta) of a mechanism, or auto, a table with the budget (epsilon_total, delta_total) and this accountant admits, one after the other and nothing else; at most 2^63 - 1. statistics: 1..1000 noisy statistics in each query, alike and without GROUP BY (an average has two). lattice_steps: how many steps of its lattice a row moves a statistic, 1 for a count; under renyi, laplace costs a little less for sums, of many steps. Budget: 1e-6..1e7, delta 0 (basic) to below 0.5; epsilon and delta as dpmix.query. Else PV005.';
