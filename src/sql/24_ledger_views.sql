-- Balances and history, for those they concern. What a charge says of itself is dpmix.ledger, cheap
-- for each row; what all charges up to it add up to is dpmix.audit, which reads every charge.

CREATE FUNCTION dpmix_internal.epsilon_spent(accountant text, budget_epsilon numeric, budget_delta numeric,
                                    renyi_order float8, epsilon numeric, delta numeric, cost numeric,
                                    cost_delta numeric)
    RETURNS numeric LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_epsilon_spent';
COMMENT ON FUNCTION dpmix_internal.epsilon_spent(text, numeric, numeric, float8, numeric, numeric, numeric, numeric) IS
    E'what sums of charges prove: the least epsilon at the budget''s delta, never above the sum of epsilon.\n'
    'accountant: basic, renyi, gdp or gaussian\n'
    'budget_epsilon, budget_delta: the budget\n'
    'renyi_order: of a table under renyi; NULL for the others\n'
    'epsilon, delta, cost, cost_delta: sums over charges of the columns of dpmix.ledger\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.budget, docs/proofs/accounting.md.';

CREATE FUNCTION dpmix_internal.share_spent(accountant text, budget_epsilon numeric, budget_delta numeric,
                                  renyi_order float8, epsilon numeric, delta numeric, cost numeric,
                                  cost_delta numeric)
    RETURNS float8 LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_share_spent';
COMMENT ON FUNCTION dpmix_internal.share_spent(text, numeric, numeric, float8, numeric, numeric, numeric, numeric) IS
    E'how much of what the accountant allows the sums of charges have used, by the rule that has used the least: 0 to '
    '1, above 1 when the budget was lowered. Arguments as for dpmix_internal.epsilon_spent().\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.budget.';

CREATE VIEW dpmix_internal.seen_budget AS
    WITH seen AS MATERIALIZED (
        SELECT t.*, k.column_name AS block_column,
               k.column_name IS NOT NULL OR EXISTS (SELECT FROM dpmix.population q WHERE q.id = t.account
                                                    AND q.width IS NOT NULL) AS by_block
        FROM dpmix_internal.seen_table t
        LEFT JOIN LATERAL (SELECT b.column_name FROM dpmix.block_column b WHERE b.table_id = t.id OFFSET 0) k ON true
        WHERE t.active),
    total AS MATERIALIZED (SELECT * FROM dpmix_internal.spent(ARRAY(SELECT t.account FROM seen t)))
    SELECT t.relation, t.accountant, b.epsilon, b.delta, e.epsilon_spent,
           greatest(b.epsilon - e.epsilon_spent, 0) AS epsilon_remaining,
           coalesce(n.charges, 0) AS charges,
           coalesce(s.epsilon, 0) AS epsilon_declared, coalesce(s.delta, 0) AS delta_declared,
           dpmix_internal.share_spent(t.accountant, b.epsilon, b.delta, t.renyi_order, coalesce(s.epsilon, 0),
                             coalesce(s.delta, 0), coalesce(s.cost, 0), coalesce(s.cost_delta, 0)) AS share_spent,
           t.population, t.block_column, s.least_share_spent
    FROM seen t
    CROSS JOIN LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = t.account
                        ORDER BY h.id DESC LIMIT 1) b
    LEFT JOIN (SELECT c.account, sum(c.epsilon) AS epsilon, sum(c.delta) AS delta, sum(c.cost) AS cost,
                      sum(c.cost_delta) AS cost_delta
               FROM total c GROUP BY c.account) a
           ON a.account = t.account AND NOT t.by_block
    LEFT JOIN LATERAL dpmix_internal.fullest_block(CASE WHEN t.by_block THEN t.relation END) f ON true
    CROSS JOIN LATERAL (SELECT coalesce(f.epsilon, a.epsilon) AS epsilon, coalesce(f.delta, a.delta) AS delta,
                               coalesce(f.cost, a.cost) AS cost, coalesce(f.cost_delta, a.cost_delta) AS cost_delta,
                               f.least_share_spent) s
    LEFT JOIN (SELECT c.table_id, sum(c.charges)::bigint AS charges
               FROM total c GROUP BY c.table_id) n ON n.table_id = t.id
    CROSS JOIN LATERAL (
        SELECT dpmix_internal.epsilon_spent(t.accountant, b.epsilon, b.delta, t.renyi_order, coalesce(s.epsilon, 0),
                                   coalesce(s.delta, 0), coalesce(s.cost, 0), coalesce(s.cost_delta, 0))
               AS epsilon_spent) e;
COMMENT ON VIEW dpmix_internal.seen_budget IS 'dpmix.budget, of the viewer';
CREATE FUNCTION dpmix_internal.budgets() RETURNS SETOF dpmix_internal.seen_budget
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.budgets() IS 'rows of dpmix.budget';
CREATE VIEW dpmix.budget AS SELECT * FROM dpmix_internal.budgets();
COMMENT ON VIEW dpmix.budget IS
    E'budget of each protected table that the current user owns, audits or has access to, as of the query''s snapshot. '
    'epsilon_spent is a gauge, not the filter: what is admitted is decided at the charge. Tables of one '
    'population share a budget: their rows differ in relation and charges only. Of a table with blocks the budget is '
    'that of each block, and what is spent is that of the fullest one; so it is of a table of a population with blocks, '
    'whose rows are in one block that is always read where no column says in which they are.\n'
    'See also: dpmix.populations, dpmix.blocks, docs/guide/ledger.md, docs/guide/populations.md, docs/guide/blocks.md.';
COMMENT ON COLUMN dpmix.budget.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.budget.accountant IS
    'how charges add up: basic, renyi, gdp or gaussian; fixed once the table was charged';
COMMENT ON COLUMN dpmix.budget.epsilon IS 'the budget, as the owner set it last';
COMMENT ON COLUMN dpmix.budget.delta IS 'the budget, as the owner set it last';
COMMENT ON COLUMN dpmix.budget.epsilon_spent IS
    'least epsilon that the charges so far prove at the budget''s delta';
COMMENT ON COLUMN dpmix.budget.epsilon_remaining IS 'epsilon - epsilon_spent, 0 or more';
COMMENT ON COLUMN dpmix.budget.charges IS 'number of charges on record with this table; a join is with its first';
COMMENT ON COLUMN dpmix.budget.epsilon_declared IS 'sum of epsilon of all charges; of a population, of all its tables';
COMMENT ON COLUMN dpmix.budget.delta_declared IS 'sum of delta of all charges; of a population, of all its tables';
COMMENT ON COLUMN dpmix.budget.share_spent IS
    'how much of what the accountant allows is used, in epsilon or delta, whichever is nearer its end: at 1 nothing '
    'more is admitted';
COMMENT ON COLUMN dpmix.budget.population IS 'whose budget it is; NULL: the table''s own';
COMMENT ON COLUMN dpmix.budget.block_column IS
    'column that puts rows into blocks; NULL: the table has none. All but charges is then about the fullest block';
COMMENT ON COLUMN dpmix.budget.least_share_spent IS
    'share_spent of the emptiest of the blocks that were charged; 0 without any, NULL without blocks';

CREATE VIEW dpmix_internal.seen_population AS
    SELECT q.name, o.name AS owner, q.unit_type, q.adjacency, q.accountant, b.epsilon, b.delta,
           ARRAY(SELECT t.relation FROM dpmix_internal.known_table t
                 WHERE t.account = q.id AND t.active ORDER BY t.id) AS tables,
           coalesce(s.charges, 0) AS charges,
           dpmix_internal.epsilon_spent(q.accountant, b.epsilon, b.delta, q.renyi_order, coalesce(s.epsilon, 0),
                               coalesce(s.delta, 0), coalesce(s.cost, 0), coalesce(s.cost_delta, 0)) AS epsilon_spent,
           dpmix_internal.share_spent(q.accountant, b.epsilon, b.delta, q.renyi_order, coalesce(s.epsilon, 0),
                             coalesce(s.delta, 0), coalesce(s.cost, 0), coalesce(s.cost_delta, 0)) AS share_spent,
           dpmix_internal.width_text(q.width) AS width, k.blocks_from, k.from_value AS now_from, k.to_value AS now_to,
           k.share_spent_now, k.share_spent_always
    FROM dpmix.population q
    JOIN dpmix_internal.named_role o ON o.number = q.owner
    CROSS JOIN LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = q.id
                        ORDER BY h.id DESC LIMIT 1) b
    LEFT JOIN LATERAL dpmix_internal.population_blocks(q.id) k ON q.width IS NOT NULL
    CROSS JOIN LATERAL (SELECT sum(c.charges)::bigint AS charges, coalesce(k.epsilon, sum(c.epsilon)) AS epsilon,
                               coalesce(k.delta, sum(c.delta)) AS delta, coalesce(k.cost, sum(c.cost)) AS cost,
                               coalesce(k.cost_delta, sum(c.cost_delta)) AS cost_delta
                        FROM dpmix_internal.spent(ARRAY[q.id]) c) s
    WHERE q.id = ANY (ARRAY(
        SELECT o.id FROM dpmix.population o
        WHERE o.owner = ANY (ARRAY(SELECT x.number FROM dpmix_internal.own_number x))
        UNION ALL SELECT t.account FROM dpmix_internal.seen_table t WHERE t.owned
        UNION ALL SELECT o.id FROM dpmix.population o WHERE dpmix_internal.viewer_is_superuser()));
COMMENT ON VIEW dpmix_internal.seen_population IS 'dpmix.populations, of the viewer';
CREATE FUNCTION dpmix_internal.populations() RETURNS SETOF dpmix_internal.seen_population
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.populations() IS 'rows of dpmix.populations';
CREATE VIEW dpmix.populations AS SELECT * FROM dpmix_internal.populations();
COMMENT ON VIEW dpmix.populations IS
    E'budgets that several tables about the same people share, for their owners, owners of their tables, and '
    'superusers.\n'
    'See also: dpmix.create_population, dpmix.budget, docs/guide/populations.md.';
COMMENT ON COLUMN dpmix.populations.name IS 'its name';
COMMENT ON COLUMN dpmix.populations.owner IS 'role that created it';
COMMENT ON COLUMN dpmix.populations.unit_type IS 'type of the privacy units of its tables; NULL: it has none yet';
COMMENT ON COLUMN dpmix.populations.adjacency IS 'of all its tables; NULL: it has none yet';
COMMENT ON COLUMN dpmix.populations.accountant IS 'how charges add up: basic, renyi, gdp or gaussian';
COMMENT ON COLUMN dpmix.populations.epsilon IS 'the budget, as it was set last';
COMMENT ON COLUMN dpmix.populations.delta IS 'the budget, as it was set last';
COMMENT ON COLUMN dpmix.populations.tables IS 'its tables that are protected now';
COMMENT ON COLUMN dpmix.populations.charges IS 'number of charges, also of tables that are no longer protected';
COMMENT ON COLUMN dpmix.populations.epsilon_spent IS 'as in dpmix.budget';
COMMENT ON COLUMN dpmix.populations.share_spent IS 'as in dpmix.budget; with blocks, of the fullest';
COMMENT ON COLUMN dpmix.populations.width IS
    'of a block: each person and block has the whole budget; NULL: the population has one budget for ever';
COMMENT ON COLUMN dpmix.populations.blocks_from IS 'where block 0 begins, in UTC';
COMMENT ON COLUMN dpmix.populations.now_from IS 'where the block of now begins';
COMMENT ON COLUMN dpmix.populations.now_to IS 'where it ends, and the next one begins with a budget of its own';
COMMENT ON COLUMN dpmix.populations.share_spent_now IS 'share_spent of the block of now';
COMMENT ON COLUMN dpmix.populations.share_spent_always IS
    'share_spent of what is in no block: tables without a time column, which each release that reads them pays. It never '
    'renews';

CREATE VIEW dpmix_internal.seen_role_budget AS
    WITH seen AS MATERIALIZED (
        SELECT t.*, EXISTS (SELECT FROM dpmix.block_column k WHERE k.table_id = t.id)
                    OR EXISTS (SELECT FROM dpmix.population q WHERE q.id = t.account AND q.width IS NOT NULL) AS by_block
        FROM dpmix_internal.seen_table t WHERE t.active),
    total AS MATERIALIZED (
        SELECT s.*, r.first FROM dpmix_internal.spent(ARRAY(SELECT t.account FROM seen t)) s
        LEFT JOIN dpmix_internal.named_role r ON r.number = s.granted_number),
    sights AS MATERIALIZED (
        SELECT n.account, r.first, sum(i.epsilon) AS epsilon, sum(g.delta) AS delta, sum(g.cost) AS cost,
               sum(g.cost_delta) AS cost_delta
        FROM dpmix.sight i JOIN dpmix_internal.named_role r ON r.number = i.granted_number
        LEFT JOIN dpmix.charge g ON g.id = i.charge_id
        CROSS JOIN LATERAL (SELECT a.account FROM dpmix_internal.table_account a WHERE a.table_id = i.table_id
                            OFFSET 0) n
        WHERE i.table_id = ANY (ARRAY(SELECT a.table_id FROM dpmix_internal.table_account a
                                      WHERE a.account = ANY (ARRAY(SELECT t.account FROM seen t))))
        GROUP BY 1, 2)
    SELECT t.relation, w.name AS role, g.epsilon AS epsilon_cap, s.epsilon AS epsilon_declared,
           CASE WHEN g.epsilon > s.epsilon THEN g.epsilon - s.epsilon
                WHEN g.epsilon IS NOT NULL THEN 0 END AS cap_remaining,
           coalesce(c.charges, 0) AS charges, coalesce(c.delta, 0) AS delta_declared,
           u.first IS NULL OR g.role IS NOT NULL AS active, g.min_epsilon, g.max_charges_per_minute,
           g.share AS share_cap,
           CASE WHEN NOT t.by_block
                THEN dpmix_internal.share_spent(t.accountant, b.epsilon, b.delta, t.renyi_order, s.epsilon, s.delta, s.cost,
                                       s.cost_delta) END AS share_spent
    FROM seen t
    CROSS JOIN LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = t.account
                        ORDER BY h.id DESC LIMIT 1) b
    JOIN (SELECT DISTINCT m.table_id, r.first
          FROM (SELECT o.table_id, o.role FROM dpmix_internal.own_grant o
                UNION SELECT a.table_id, a.role FROM dpmix.access a
                      WHERE a.table_id = ANY (ARRAY(SELECT t.id FROM seen t WHERE t.audited))
                UNION SELECT c.table_id, c.granted_number FROM total c
                      WHERE c.table_id = ANY (ARRAY(SELECT t.id FROM seen t WHERE t.audited))) m
          LEFT JOIN dpmix_internal.named_role r ON r.number = m.role) u ON u.table_id = t.id
    LEFT JOIN dpmix_internal.named_role w ON w.number = u.first
    LEFT JOIN (SELECT c.account, c.first, sum(c.charges)::bigint AS charges, sum(c.epsilon) AS epsilon,
                      sum(c.delta) AS delta, sum(c.cost) AS cost, sum(c.cost_delta) AS cost_delta
               FROM total c GROUP BY 1, 2) c ON c.account = t.account AND c.first IS NOT DISTINCT FROM u.first
    LEFT JOIN sights i ON i.account = t.account AND i.first = u.first
    LEFT JOIN LATERAL (SELECT k.* FROM dpmix_internal.bound_role f JOIN dpmix_internal.bound_role s ON s.oid = f.oid
                       JOIN dpmix_internal.known_grant k ON k.table_id = t.id AND k.role = s.number
                       WHERE f.number = u.first ORDER BY k.role LIMIT 1) g ON true
    CROSS JOIN LATERAL (SELECT coalesce(c.epsilon, 0) + coalesce(i.epsilon, 0) AS epsilon,
                               coalesce(c.delta, 0) + coalesce(i.delta, 0) AS delta,
                               coalesce(c.cost, 0) + coalesce(i.cost, 0) AS cost,
                               coalesce(c.cost_delta, 0) + coalesce(i.cost_delta, 0) AS cost_delta) s;
COMMENT ON VIEW dpmix_internal.seen_role_budget IS 'dpmix.role_budget, of the viewer';
CREATE FUNCTION dpmix_internal.role_budgets() RETURNS SETOF dpmix_internal.seen_role_budget
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.role_budgets() IS 'rows of dpmix.role_budget';
CREATE VIEW dpmix.role_budget AS SELECT * FROM dpmix_internal.role_budgets();
COMMENT ON VIEW dpmix.role_budget IS
    'what was charged through each grant: owners and auditors see every role that has a grant or ever charged, others '
    'the grants '
    'they hold. Caps are policy: the table''s own budget, dpmix.budget, may end sooner. A role''s charges to tables of '
    'one population count together, under the cap of each.';
COMMENT ON COLUMN dpmix.role_budget.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.role_budget.role IS 'role of the grant; NULL: the owner and superusers, who need none';
COMMENT ON COLUMN dpmix.role_budget.epsilon_cap IS 'cap on the sum of epsilon; NULL: none';
COMMENT ON COLUMN dpmix.role_budget.epsilon_declared IS
    'sum of epsilon charged through the grant, and of the charges of others whose answers memory showed; of a '
    'population, through all that the role has there';
COMMENT ON COLUMN dpmix.role_budget.cap_remaining IS 'what the cap leaves; NULL: there is none';
COMMENT ON COLUMN dpmix.role_budget.charges IS 'number of these charges';
COMMENT ON COLUMN dpmix.role_budget.delta_declared IS 'sum of delta of these charges';
COMMENT ON COLUMN dpmix.role_budget.active IS
    'whether the grant is in force; false: revoked, or of a role that was dropped';
COMMENT ON COLUMN dpmix.role_budget.min_epsilon IS 'epsilon that a charge asks at least; 0: any';
COMMENT ON COLUMN dpmix.role_budget.max_charges_per_minute IS 'charges admitted within 60 seconds; NULL: any number';
COMMENT ON COLUMN dpmix.role_budget.share_cap IS
    'share of the budget that these charges may take by themselves; NULL: no limit';
COMMENT ON COLUMN dpmix.role_budget.share_spent IS
    'how much they take of what the accountant allows, as in dpmix.budget; NULL: the table has blocks, each of which '
    'counts by itself';

-- Parameters are constants where it is planned: what is NULL leaves no condition. A table's charges are read for
-- those who audit it; others find theirs by role, whatever else there is (+ 0 keeps the planner from it).
CREATE FUNCTION dpmix_internal.charges_seen(of_relation regclass, since timestamptz, until timestamptz, of_id bigint)
    RETURNS TABLE (id bigint, relation text, role name, granted_to name, at timestamptz, kind text, mechanism text,
                   epsilon numeric, delta numeric, cost numeric, cost_delta numeric, parameters jsonb, release text,
                   statistics jsonb, adjacency text, accountant text, renyi_order float8, relation_now regclass,
                   still_protected boolean, blocks int8multirange)
    LANGUAGE sql STABLE ROWS 1000
    BEGIN ATOMIC
    SELECT g.id, g.relation, g.role, g.granted_to, g.at, g.kind, g.mechanism, g.epsilon, g.delta,
           g.cost, g.cost_delta, g.parameters, g.release,
           g.parameters -> 'statistics', p.adjacency, p.accountant, p.renyi_order,
           t.relation, coalesce(t.active, false), g.blocks
    FROM dpmix.charge g
    LEFT JOIN dpmix.protected_table p ON p.id = g.table_id
    LEFT JOIN dpmix_internal.known_table t ON t.id = g.table_id
    WHERE (g.table_id = ANY ((SELECT dpmix_internal.audited_tables(of_relation))::bigint[])
           -- Roles go by number: a new role of an old name reads nothing of it.
           OR g.role_number = ANY (ARRAY(SELECT o.number FROM dpmix_internal.own_number o))
           -- A join of several tables of a population is one charge; the others are named in it.
           OR (g.parameters ? 'table_ids' AND g.parameters -> 'table_ids' @> ANY (ARRAY(
               SELECT pg_catalog.to_jsonb(i) FROM pg_catalog.unnest(dpmix_internal.audited_tables(NULL)) i))))
      AND (of_relation IS NULL
           OR g.table_id + 0 = (SELECT k.id FROM dpmix_internal.known_table k WHERE k.relation = of_relation))
      AND (since IS NULL OR g.at >= since) AND (until IS NULL OR g.at < until) AND (of_id IS NULL OR g.id = of_id);
    END;
REVOKE EXECUTE ON FUNCTION dpmix_internal.charges_seen(regclass, timestamptz, timestamptz, bigint) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.charges_seen(regclass, timestamptz, timestamptz, bigint) IS
    'dpmix.charges(), of the viewer';
CREATE VIEW dpmix_internal.seen_charge AS SELECT * FROM dpmix_internal.charges_seen(NULL, NULL, NULL, NULL);
COMMENT ON VIEW dpmix_internal.seen_charge IS 'dpmix.ledger, of the viewer';
CREATE FUNCTION dpmix.charges(relation regclass DEFAULT NULL, since timestamptz DEFAULT NULL,
                              until timestamptz DEFAULT NULL, id bigint DEFAULT NULL)
    RETURNS SETOF dpmix_internal.seen_charge
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 1000 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_charges';
COMMENT ON FUNCTION dpmix.charges(regclass, timestamptz, timestamptz, bigint) IS
    E'rows of dpmix.ledger that an index finds: a condition on the view reads all that the caller sees first. Free.\n'
    'relation: its relation_now; NULL: any\n'
    'since, until: of its at, the end excluded; NULL: any\n'
    'id: of the charge; NULL: any\n'
    'See also: dpmix.ledger, docs/guide/ledger.md.';
CREATE FUNCTION dpmix_internal.ledger() RETURNS SETOF dpmix_internal.seen_charge
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 1000 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.ledger() IS 'rows of dpmix.ledger';
CREATE VIEW dpmix.ledger AS SELECT * FROM dpmix_internal.ledger();
COMMENT ON VIEW dpmix.ledger IS
    E'charges, in the order of id, which is that of commit: all of the tables that the current user owns or audits, '
    'elsewhere those of its own roles; for superusers all. Nothing in it depends on rows. All of them are read, whatever '
    'condition there is: dpmix.charges() finds a few among many.\n'
    'See also: dpmix.charges, dpmix.audit, dpmix.explain_charge, docs/guide/ledger.md.';
COMMENT ON COLUMN dpmix.ledger.id IS 'number of the charge, growing in the order of commit; some numbers are left out';
COMMENT ON COLUMN dpmix.ledger.relation IS 'qualified name of the table at the time';
COMMENT ON COLUMN dpmix.ledger.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.ledger.granted_to IS 'role whose grant gave the right; NULL: owner or superuser';
COMMENT ON COLUMN dpmix.ledger.at IS 'server''s clock when the charge was written';
COMMENT ON COLUMN dpmix.ledger.kind IS 'query, cube, gmm, tree, regression, cda, compare or counter';
COMMENT ON COLUMN dpmix.ledger.mechanism IS 'family of the noise; poisson_mixing for cda';
COMMENT ON COLUMN dpmix.ledger.epsilon IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.ledger.delta IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.ledger.cost IS
    'what the accountant adds up besides: renyi: rho at renyi_order; gdp, gaussian: mu^2; basic: 0';
COMMENT ON COLUMN dpmix.ledger.cost_delta IS 'delta that goes with cost';
COMMENT ON COLUMN dpmix.ledger.parameters IS
    'what was asked and the noise that it got, from public numbers alone';
COMMENT ON COLUMN dpmix.ledger.release IS 'name of the stored release, if any';
COMMENT ON COLUMN dpmix.ledger.statistics IS
    'each noisy statistic with its sensitivity and the scale of its noise, as far as recorded';
COMMENT ON COLUMN dpmix.ledger.adjacency IS 'who is a neighbour of whom: fixed once a table was charged';
COMMENT ON COLUMN dpmix.ledger.accountant IS 'how charges add up: fixed once a table was charged';
COMMENT ON COLUMN dpmix.ledger.renyi_order IS 'order at which renyi counts: fixed once a table was charged';
COMMENT ON COLUMN dpmix.ledger.relation_now IS 'the table today; NULL: dropped';
COMMENT ON COLUMN dpmix.ledger.still_protected IS 'whether releases about the table are still possible';
COMMENT ON COLUMN dpmix.ledger.blocks IS
    'blocks that paid, each of them all of it: dpmix.blocks; -1: none, as none was read; -2: what is in no block of a '
    'population with blocks; NULL: the table as a whole';

CREATE VIEW dpmix_internal.seen_audit AS
    WITH seen AS MATERIALIZED (SELECT * FROM dpmix_internal.seen_record)
    SELECT l.*, s.number, s.epsilon_after, s.delta_after, s.cost_after, s.cost_delta_after,
           CASE WHEN l.blocks IS NULL
                THEN dpmix_internal.epsilon_spent(l.accountant, b.epsilon, b.delta, l.renyi_order, s.epsilon_after,
                                         s.delta_after, s.cost_after, s.cost_delta_after) END AS total_epsilon,
           b.delta AS total_delta, b.epsilon AS budget_epsilon
    FROM dpmix_internal.seen_charge l
    JOIN (SELECT g.id, g.table_id, a.account, row_number() OVER so_far AS number,
                 sum(g.epsilon) OVER so_far AS epsilon_after, sum(g.delta) OVER so_far AS delta_after,
                 sum(g.cost) OVER so_far AS cost_after, sum(g.cost_delta) OVER so_far AS cost_delta_after
          FROM (SELECT a.* FROM dpmix_internal.table_account a
                WHERE a.account = ANY (ARRAY(SELECT t.account FROM seen t)) OFFSET 0) a
          JOIN dpmix.charge g ON g.table_id = a.table_id
          WINDOW so_far AS (PARTITION BY a.account ORDER BY g.id ROWS UNBOUNDED PRECEDING)) s
      ON s.id = l.id
    LEFT JOIN (SELECT DISTINCT ON (h.table_id) h.table_id, h.epsilon, h.delta
               FROM dpmix.budget_change h WHERE h.table_id = ANY (ARRAY(SELECT t.account FROM seen t))
               ORDER BY h.table_id, h.id DESC) b ON b.table_id = s.account
    -- Totals tell what others spent: for those who see the table's budget.
    WHERE s.table_id IN (SELECT t.id FROM seen t);
COMMENT ON VIEW dpmix_internal.seen_audit IS 'dpmix.audit, of the viewer';
CREATE FUNCTION dpmix_internal.audit() RETURNS SETOF dpmix_internal.seen_audit
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 1000 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.audit() IS 'rows of dpmix.audit';
CREATE VIEW dpmix.audit AS SELECT * FROM dpmix_internal.audit();
COMMENT ON VIEW dpmix.audit IS
    E'the rows of dpmix.ledger with what all charges of their table (of its population, if it is in one now) up to '
    'each add up to, for its owner and auditors, those who '
    'still have access, and superusers. Reads every charge: for an export, not for one row.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON COLUMN dpmix.audit.id IS 'number of the charge, growing in the order of commit; some numbers are left out';
COMMENT ON COLUMN dpmix.audit.relation IS 'qualified name of the table at the time';
COMMENT ON COLUMN dpmix.audit.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.audit.granted_to IS 'role whose grant gave the right; NULL: owner or superuser';
COMMENT ON COLUMN dpmix.audit.at IS 'server''s clock when the charge was written';
COMMENT ON COLUMN dpmix.audit.kind IS 'query, cube, gmm, tree, regression, cda, compare or counter';
COMMENT ON COLUMN dpmix.audit.mechanism IS 'family of the noise; poisson_mixing for cda';
COMMENT ON COLUMN dpmix.audit.epsilon IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.audit.delta IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.audit.cost IS
    'what the accountant adds up besides: renyi: rho at renyi_order; gdp, gaussian: mu^2; basic: 0';
COMMENT ON COLUMN dpmix.audit.cost_delta IS 'delta that goes with cost';
COMMENT ON COLUMN dpmix.audit.parameters IS
    'what was asked and the noise that it got, from public numbers alone';
COMMENT ON COLUMN dpmix.audit.release IS 'name of the stored release, if any';
COMMENT ON COLUMN dpmix.audit.statistics IS
    'each noisy statistic with its sensitivity and the scale of its noise, as far as recorded';
COMMENT ON COLUMN dpmix.audit.adjacency IS 'who is a neighbour of whom: fixed once a table was charged';
COMMENT ON COLUMN dpmix.audit.accountant IS 'how charges add up: fixed once a table was charged';
COMMENT ON COLUMN dpmix.audit.renyi_order IS 'order at which renyi counts: fixed once a table was charged';
COMMENT ON COLUMN dpmix.audit.relation_now IS 'the table today; NULL: dropped';
COMMENT ON COLUMN dpmix.audit.still_protected IS 'whether releases about the table are still possible';
COMMENT ON COLUMN dpmix.audit.blocks IS
    'blocks that paid, each of them all of it: dpmix.blocks; -1: none, as none was read; -2: what is in no block of a '
    'population with blocks; NULL: the table as a whole';
COMMENT ON COLUMN dpmix.audit.number IS 'n-th charge of its table, or of its population';
COMMENT ON COLUMN dpmix.audit.epsilon_after IS 'sum of epsilon of these charges up to this one';
COMMENT ON COLUMN dpmix.audit.delta_after IS 'sum of delta of these charges up to this one';
COMMENT ON COLUMN dpmix.audit.cost_after IS 'sum of cost of these charges up to this one';
COMMENT ON COLUMN dpmix.audit.cost_delta_after IS 'sum of cost_delta of these charges up to this one';
COMMENT ON COLUMN dpmix.audit.total_epsilon IS
    'composed total after this charge: the least epsilon proved, at total_delta, for all charges up to it. NULL: it '
    'was charged to blocks, which have a total each: dpmix.explain_charge';
COMMENT ON COLUMN dpmix.audit.total_delta IS 'delta of the table''s newest budget';
COMMENT ON COLUMN dpmix.audit.budget_epsilon IS 'epsilon of the table''s newest budget';

CREATE VIEW dpmix_internal.seen_budget_change AS
    SELECT h.id, t.relation, h.epsilon, h.delta, h.reason, h.role, h.at,
           CASE WHEN h.table_id = t.account THEN t.population END AS population
    FROM dpmix_internal.seen_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.budget_change b WHERE b.table_id IN (t.id, t.account) OFFSET 0) h
    WHERE t.audited OR t.active;
COMMENT ON VIEW dpmix_internal.seen_budget_change IS 'dpmix.budget_history, of the viewer';
CREATE FUNCTION dpmix_internal.budget_history() RETURNS SETOF dpmix_internal.seen_budget_change
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.budget_history() IS 'rows of dpmix.budget_history';
CREATE VIEW dpmix.budget_history AS SELECT * FROM dpmix_internal.budget_history();
COMMENT ON VIEW dpmix.budget_history IS
    'every budget that tables which the current user owns, audits or has access to ever had: who set it, when, why. '
    'The newest holds; of a table in a population, that of the population, which has a row for each of its tables';
COMMENT ON COLUMN dpmix.budget_history.id IS 'number of the change, growing; the largest of a table holds';
COMMENT ON COLUMN dpmix.budget_history.relation IS 'the table today';
COMMENT ON COLUMN dpmix.budget_history.epsilon IS 'the budget that was set';
COMMENT ON COLUMN dpmix.budget_history.delta IS 'the budget that was set';
COMMENT ON COLUMN dpmix.budget_history.reason IS 'reason given to dpmix.set_budget(), or protect';
COMMENT ON COLUMN dpmix.budget_history.role IS 'current_user who set it';
COMMENT ON COLUMN dpmix.budget_history.at IS
    'server''s clock when it was set; in force from the commit of that transaction';
COMMENT ON COLUMN dpmix.budget_history.population IS
    'whose budget was set; NULL: the table''s own, which ends when the table joins a population';

CREATE VIEW dpmix_internal.seen_adoption AS
    SELECT s.id, s.at, s.role, s.reason, s.system_identifier, s.timeline, s.database
    FROM dpmix.ledger_stamp s
    WHERE (SELECT pg_catalog.pg_has_role(dpmix_internal.viewer(), d.datdba, 'USAGE') FROM pg_catalog.pg_database d
           WHERE d.datname = pg_catalog.current_database());
COMMENT ON VIEW dpmix_internal.seen_adoption IS 'dpmix.ledger_adoptions, of the viewer';
CREATE FUNCTION dpmix_internal.ledger_adoptions() RETURNS SETOF dpmix_internal.seen_adoption
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.ledger_adoptions() IS 'rows of dpmix.ledger_adoptions';
CREATE VIEW dpmix.ledger_adoptions AS SELECT * FROM dpmix_internal.ledger_adoptions();
COMMENT ON VIEW dpmix.ledger_adoptions IS
    'where the ledger was kept and who took it there: a row for its beginning and for each '
    'dpmix.adopt_ledger(). For the database owner and superusers';
COMMENT ON COLUMN dpmix.ledger_adoptions.id IS 'number of the adoption, growing; the largest holds';
COMMENT ON COLUMN dpmix.ledger_adoptions.at IS 'server''s clock at the time';
COMMENT ON COLUMN dpmix.ledger_adoptions.role IS 'current_user who adopted or began it';
COMMENT ON COLUMN dpmix.ledger_adoptions.reason IS 'reason given to dpmix.adopt_ledger(), or how it began';
COMMENT ON COLUMN dpmix.ledger_adoptions.system_identifier IS 'of the cluster, as in pg_control_system()';
COMMENT ON COLUMN dpmix.ledger_adoptions.timeline IS 'of the cluster''s log: a promotion begins a new one';
COMMENT ON COLUMN dpmix.ledger_adoptions.database IS 'oid of the database in that cluster';

CREATE FUNCTION dpmix.explain_charge(id bigint, OUT item text, OUT value text, OUT meaning text)
    RETURNS SETOF record LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'dpmix_explain_charge';
COMMENT ON FUNCTION dpmix.explain_charge(bigint) IS
    E'how a charge was computed and which rule admitted it, computed again from its record; says so where the two '
    'differ.\n'
    'id: of dpmix.ledger\n'
    'item, value, meaning: one number or rule a row, as text\n'
    'Errors: PV006 no such charge, or none that dpmix.ledger shows to the caller.\n'
    'See also: docs/guide/ledger.md.';

GRANT SELECT ON dpmix.budget, dpmix.populations, dpmix.role_budget, dpmix.ledger, dpmix.audit, dpmix.budget_history,
                dpmix.ledger_adoptions TO PUBLIC;
