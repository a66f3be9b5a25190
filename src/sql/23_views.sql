-- Balances and history, for those they concern. An active table is recognised as the functions do:
-- by oid and name together.

CREATE FUNCTION dpmix.epsilon_spent(accountant text, budget_epsilon numeric, budget_delta numeric,
                                    renyi_order float8, epsilon numeric, delta numeric, cost numeric,
                                    cost_delta numeric)
    RETURNS numeric LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_epsilon_spent';
COMMENT ON FUNCTION dpmix.epsilon_spent(text, numeric, numeric, float8, numeric, numeric, numeric, numeric) IS
    'what sums of charges prove: the least epsilon at the budget''s delta, at most the sum of epsilon. PV005';

CREATE VIEW dpmix.budget WITH (security_barrier) AS
    SELECT t.relation, t.accountant, t.epsilon, t.delta, s.epsilon_spent,
           greatest(t.epsilon - s.epsilon_spent, 0) AS epsilon_remaining, s.charges
    FROM (SELECT p.id, p.relation::regclass AS relation, p.accountant, p.renyi_order, b.epsilon, b.delta
          FROM dpmix.protected_table p
          JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name
          JOIN LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h WHERE h.table_id = p.id
                        ORDER BY h.id DESC LIMIT 1) b ON true
          WHERE p.active
            AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
                 OR EXISTS (SELECT FROM dpmix.access a
                            JOIN pg_catalog.pg_roles r ON r.oid = a.role_oid AND r.rolname = a.role
                            WHERE a.table_id = p.id AND pg_catalog.pg_has_role(r.oid, 'USAGE')))) t
    CROSS JOIN LATERAL (
        SELECT dpmix.epsilon_spent(t.accountant, t.epsilon, t.delta, t.renyi_order,
                                   coalesce(sum(g.epsilon), 0), coalesce(sum(g.delta), 0),
                                   coalesce(sum(g.cost), 0), coalesce(sum(g.cost_delta), 0)) AS epsilon_spent,
               count(*) AS charges
        FROM dpmix.charge g WHERE g.table_id = t.id) s;
COMMENT ON VIEW dpmix.budget IS
    'budget of each protected table that the current user owns or has access to, as of the query''s '
    'snapshot. epsilon_spent is a gauge, not the filter: what is admitted is decided at the charge';

CREATE VIEW dpmix.ledger WITH (security_barrier) AS
    SELECT g.id, g.relation, g.role, g.granted_to, g.at, g.kind, g.mechanism, g.epsilon, g.delta,
           g.cost, g.cost_delta, g.parameters, g.release
    FROM dpmix.charge g
    LEFT JOIN dpmix.protected_table p ON p.id = g.table_id
    LEFT JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    LEFT JOIN pg_catalog.pg_roles r ON r.rolname = g.role
    WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE')
       OR pg_catalog.pg_has_role(r.oid, 'USAGE')
       OR (SELECT u.rolsuper FROM pg_catalog.pg_roles u WHERE u.rolname = current_user);
COMMENT ON VIEW dpmix.ledger IS
    'charges: all of the tables that the current user owns, elsewhere those of its own roles';

GRANT SELECT ON dpmix.budget, dpmix.ledger TO PUBLIC;
