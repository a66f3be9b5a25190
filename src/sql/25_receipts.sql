-- What each charge leaves for outsiders, and whether the record still agrees with it.

CREATE FUNCTION dpmix_internal.receipt_hash(receipt text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(receipt || e'\n', 'UTF8')), 'hex');
COMMENT ON FUNCTION dpmix_internal.receipt_hash(text) IS 'what sha256sum prints for the receipt and a last end of line';

-- Each receipt beside the charge that it is of and the receipt before it on the same account.
CREATE FUNCTION dpmix_internal.verified_receipts(of_relation regclass)
    RETURNS TABLE (account text, charges bigint, head_charge bigint, head text, problems text[])
    LANGUAGE sql STABLE ROWS 10
    BEGIN ATOMIC
    WITH account AS (
        SELECT DISTINCT a.account FROM dpmix_internal.table_account a
        WHERE a.table_id = ANY ((SELECT dpmix_internal.audited_tables(of_relation))::bigint[])),
    charge AS MATERIALIZED (
        SELECT n.account AS counts_on, g.*, coalesce(l.line, '{}') AS line,
               dpmix_internal.receipt_hash(g.receipt) AS hash
        FROM account n
        JOIN dpmix_internal.table_account a ON a.account = n.account
        JOIN dpmix.charge g ON g.table_id = a.table_id
        CROSS JOIN LATERAL (
            SELECT pg_catalog.jsonb_object_agg(pg_catalog.split_part(x, '=', 1),
                                               pg_catalog.substr(x, pg_catalog.strpos(x, '=') + 1)) AS line
            FROM pg_catalog.string_to_table(g.receipt, e'\n') x) l),
    chained AS (
        SELECT c.*, coalesce(c.line ->> 'encoding', 'UTF8')::name AS encoding,
               coalesce(pg_catalog.lag(c.hash) OVER (PARTITION BY c.line ->> 'account' ORDER BY c.id),
                             'none') AS previous
        FROM charge c),
    checked AS (
        SELECT c.counts_on, c.id,
               CASE WHEN c.receipt IS NULL OR c.salt IS NULL THEN 'has no receipt'
                    WHEN c.line ->> 'charge' IS DISTINCT FROM c.id::text THEN 'has the receipt of another charge'
                    WHEN c.line ->> 'previous' IS DISTINCT FROM c.previous
                    THEN 'has a receipt that does not follow the one before: that one was changed, or a charge is '
                         'missing'
                    WHEN pg_catalog.pg_char_to_encoding(c.encoding) < 0 THEN 'has a receipt of no known encoding'
                    WHEN c.line ->> 'statement' IS DISTINCT FROM pg_catalog.encode(pg_catalog.sha256(
                             c.salt || pg_catalog.convert_to(c.parameters::text, c.encoding)), 'hex')
                    THEN 'has parameters that its receipt does not commit to'
                    WHEN (c.line ->> 'epsilon', c.line ->> 'delta', c.line ->> 'cost', c.line ->> 'cost_delta')
                         IS DISTINCT FROM (c.epsilon::text, c.delta::text, c.cost::text, c.cost_delta::text)
                    THEN 'costs something else than its receipt says'
                    WHEN c.line ->> 'blocks' IS DISTINCT FROM c.blocks::text
                    THEN 'was paid by other blocks than its receipt says'
                    WHEN (c.line ->> 'kind', c.line ->> 'mechanism') IS DISTINCT FROM (c.kind, c.mechanism)
                    THEN 'is of another kind or mechanism than its receipt says'
                    WHEN c.line ->> 'at' IS DISTINCT FROM pg_catalog.to_char(
                             c.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                    THEN 'was made at another time than its receipt says'
               END AS problem
        FROM chained c)
    SELECT coalesce('population ' || q.name, t.relation::text, 'record ' || n.account),
           (SELECT pg_catalog.count(*) FROM charge c WHERE c.counts_on = n.account), h.id, h.hash,
           ARRAY(SELECT pg_catalog.format('charge %s %s', k.id, k.problem) FROM checked k
                 WHERE k.counts_on = n.account AND k.problem IS NOT NULL ORDER BY k.id LIMIT 10)
    FROM account n
    LEFT JOIN dpmix.population q ON q.id = n.account
    LEFT JOIN dpmix_internal.known_table t ON t.id = n.account
    LEFT JOIN LATERAL (SELECT c.id, c.hash FROM charge c WHERE c.counts_on = n.account ORDER BY c.id DESC LIMIT 1) h
           ON true
    ORDER BY 1;
    END;
REVOKE EXECUTE ON FUNCTION dpmix_internal.verified_receipts(regclass) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.verified_receipts(regclass) IS 'dpmix.verify_receipts(), of the viewer';

CREATE FUNCTION dpmix.receipt(id bigint, OUT receipt text, OUT salt bytea)
    LANGUAGE c STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_receipt';
COMMENT ON FUNCTION dpmix.receipt(bigint) IS
    E'what a charge leaves for outsiders: lines key=value in a fixed order. Each has the hash of the receipt before it '
    'on the same budget. psql -AtXc ''SELECT receipt FROM dpmix.receipt(7)'' | sha256sum prints its own. Free.\n'
    'id: of dpmix.ledger\n'
    'receipt: ledger (cluster and database), charge, account, previous, statement, encoding, neighbours, accountant, '
    'renyi_order, epsilon, delta, cost, cost_delta, blocks, kind, mechanism, noise (of each statistic its '
    'sensitivity/scale, as far as recorded), version, at (UTC); those that do not apply are left out. No number of rows '
    'is in it\n'
    'salt: opens the line statement, which is sha256(salt || convert_to(parameters::text, encoding)) of dpmix.ledger, '
    'encoding being UTF8 where there is no such line: who has the receipt alone cannot guess what was asked\n'
    'Errors: PV006 no such charge, or none that dpmix.ledger shows to the caller.\n'
    'See also: dpmix.verify_receipts, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.verify_receipts(relation regclass DEFAULT NULL)
    RETURNS TABLE (account text, charges bigint, head_charge bigint, head text, problems text[])
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 100000 AS 'MODULE_PATHNAME', 'dpmix_verify_receipts';
COMMENT ON FUNCTION dpmix.verify_receipts(regclass) IS
    E'whether charges are still what their receipts say, and the receipts a chain. A row for each budget of tables '
    'that the caller owns or audits. It finds a row that was changed or taken away by hand, but not somebody who may '
    'write everything and writes all later receipts again: against that, keep the head outside, signed. Reads every '
    'charge of these budgets. Free.\n'
    'relation: NULL: all\n'
    'account: the table, or the population whose budget it is\n'
    'charges, head_charge: how many, and the newest of them\n'
    'head: hash of its receipt\n'
    'problems: what does not agree, the first ten; empty: all does\n'
    'See also: dpmix.receipt, docs/guide/ledger.md.';
