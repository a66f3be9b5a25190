-- The books of soak.test.sh, kept apart from dpmix: what clients were answered, what the ledger
-- recorded, and what may be. seen.violation is empty when all is well; it is computed from the
-- rows alone, by other formulas than the library's.
CREATE SCHEMA seen;
CREATE TABLE seen.answer (token text, charge bigint);    -- charge: the id that came with it, if one did
CREATE TABLE seen.visible (charge bigint);               -- ids that somebody read before a crash
CREATE TABLE seen.budget (relation text, accountant text, epsilon numeric, delta numeric);
CREATE TABLE seen.cap (relation text, role text, epsilon numeric);
CREATE TABLE seen.charge AS
    SELECT c.*, substring(parameters->>'query' FROM 'c[0-9]+-[0-9]+') AS token FROM dpmix.charge c;

-- The upper tail of the normal distribution, by Simpson's rule.
CREATE FUNCTION seen.tail(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT sum(CASE WHEN i IN (0, 4000) THEN 1 WHEN i % 2 = 1 THEN 4 ELSE 2 END
               * exp(greatest(-700, -.5 * (x + i * .005) ^ 2))) * .005 / 3 / sqrt(2 * pi())
    FROM generate_series(0, 4000) i
$$;
-- delta at epsilon of Gaussian noise with that mu^2.
CREATE FUNCTION seen.delta_of_gdp(mu2 float8, epsilon float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN mu2 = 0 THEN 0
           ELSE seen.tail(epsilon / sqrt(mu2) - sqrt(mu2) / 2)
                - exp(epsilon) * seen.tail(epsilon / sqrt(mu2) + sqrt(mu2) / 2) END
$$;
-- What the sum of Renyi profiles at that order may be.
CREATE FUNCTION seen.renyi_total(a numeric, epsilon numeric, delta numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT epsilon + ln(a / (a - 1)) + (ln(delta / 2) + ln(a)) / (a - 1)
$$;

CREATE VIEW seen.total AS
    SELECT b.*, coalesce(sum(c.epsilon), 0) AS spent, coalesce(sum(c.delta), 0) AS spent_delta,
           coalesce(sum(c.cost), 0) AS cost, coalesce(sum(c.cost_delta), 0) AS cost_delta,
           (SELECT max(p.renyi_order)::text::numeric FROM dpmix.protected_table p
            WHERE format('%s.%s', p.schema_name, p.table_name) = b.relation) AS renyi_order
    FROM seen.budget b LEFT JOIN seen.charge c USING (relation)
    GROUP BY b.relation, b.accountant, b.epsilon, b.delta;

CREATE VIEW seen.sums AS
    SELECT table_id, granted_number, count(*) AS charges, sum(epsilon) AS epsilon, sum(delta) AS delta,
           sum(cost) AS cost, sum(cost_delta) AS cost_delta
    FROM seen.charge GROUP BY 1, 2;
CREATE VIEW seen.charge_total AS
    SELECT table_id, granted_number, charges, epsilon, delta, cost, cost_delta FROM dpmix_internal.charge_total;

CREATE VIEW seen.violation AS
    SELECT 'answered but not charged' AS what, a.token AS which FROM seen.answer a
    WHERE NOT EXISTS (SELECT FROM seen.charge c WHERE c.token = a.token AND c.id = coalesce(a.charge, c.id))
    UNION ALL
    SELECT 'answered twice', token FROM seen.answer GROUP BY token HAVING count(*) > 1
    UNION ALL
    SELECT 'charged twice', coalesce(token, 'without a token') FROM seen.charge GROUP BY token HAVING count(*) > 1 OR token IS NULL
    UNION ALL
    SELECT 'two charges of one id', id::text FROM seen.charge GROUP BY id HAVING count(*) > 1
    UNION ALL
    SELECT 'read, then gone', v.charge::text FROM seen.visible v
    WHERE NOT EXISTS (SELECT FROM seen.charge c WHERE c.id = v.charge)
    UNION ALL
    SELECT 'over the budget', relation FROM seen.total
    WHERE CASE accountant
          WHEN 'basic' THEN spent > epsilon OR spent_delta > delta
          WHEN 'renyi' THEN NOT (spent <= epsilon AND spent_delta <= delta / 4
                OR cost <= seen.renyi_total(renyi_order, epsilon, delta) * (1 + 1e-12) AND cost_delta <= delta / 4)
          WHEN 'gdp' THEN NOT (spent <= epsilon AND spent_delta <= delta / 4
                OR seen.delta_of_gdp(cost::float8, epsilon::float8) <= delta::float8 / 2 * (1 + 1e-9) AND cost_delta <= delta / 4)
          ELSE NOT (spent <= epsilon AND spent_delta <= delta / 20
                OR seen.delta_of_gdp(cost::float8, epsilon::float8) <= delta::float8 * .9 * (1 + 1e-9) AND cost_delta <= delta / 20)
          END
    UNION ALL
    SELECT 'charged nothing', id::text FROM seen.charge JOIN seen.budget USING (relation)
    WHERE seen.charge.epsilon <= 0 OR accountant <> 'basic' AND cost <= 0
    UNION ALL
    SELECT 'over the cap', format('%s of %s', relation, role) FROM seen.cap k
    WHERE epsilon < (SELECT sum(c.epsilon) FROM seen.charge c WHERE c.relation = k.relation AND c.granted_to = k.role)
    UNION ALL
    SELECT 'charged to nobody it may be', id::text FROM seen.charge c
    WHERE role <> 'postgres' AND NOT EXISTS (SELECT FROM seen.cap k WHERE k.relation = c.relation AND k.role = c.granted_to AND k.role = c.role)
    UNION ALL
    SELECT 'the balance differs from the rows', t.relation FROM seen.total t
    JOIN dpmix.budget b ON format('public.%s', b.relation) = t.relation
    WHERE b.charges <> (SELECT count(*) FROM seen.charge c WHERE c.relation = t.relation)
       OR t.accountant = 'basic' AND b.epsilon_spent::numeric <> t.spent
       OR b.epsilon_spent > b.epsilon
    UNION ALL
    SELECT 'the sums differ from the rows', format('%s %s', table_id, granted_number)
    FROM ((SELECT * FROM seen.sums EXCEPT SELECT * FROM seen.charge_total)
          UNION ALL (SELECT * FROM seen.charge_total EXCEPT SELECT * FROM seen.sums)) d;
