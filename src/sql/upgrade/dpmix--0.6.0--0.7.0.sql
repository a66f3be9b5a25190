-- 0.6.0 to 0.7.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/install/upgrade.test.sh).

COMMENT ON AGGREGATE dpmix.lattice_sum(float8, float8, float8, float8, float8) IS
    E'exact count and sum of round((x - origin) / step), clamped to [low, high], equal for any order of rows. NULL and NaN are '
    'missing, infinities are clamped. dpmix.rows and dpmix.total read the state.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low <= high integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';
COMMENT ON AGGREGATE dpmix.class_moments(integer, float8[], float8[]) IS
    E'exact count, sum and products, for each class 0..K-1, of the rows seen from a public frame: clamped to its box, whitened, '
    'clipped to its radius, rounded toward zero to 1/resolution of it. A row with a NULL, a NaN or another class contributes nothing. '
    'dpmix.rows reads the counts.\n'
    'x: d numbers, under version 2 m\n'
    'frame: version 1, K, d, diagonal 0|1, resolution (to 2^20), lower[d], upper[d], then per class radius, centre[d], map (d*d row '
    'by row, or d when diagonal). Version 2 looks at rows of m >= d elements through a projection: after resolution come m, lower[m], '
    'upper[m], centre[m], map[d*m], and the rest sees map (x - centre), x clamped to that box\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.class_distances(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by distance from the class''s centre, as seen from a public frame. Bin i of edges + '
    '1 holds the rows above edge i-1, up to edge i. A row with a NULL, a NaN or another class is not counted.\n'
    'frame: that of dpmix.class_moments, then 1 to 1000 ascending edges: squared distances in steps of 1/resolution of the radius, '
    'whole numbers\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.feature_sample(float8[], float8[]) IS
    E'a sample of the distinct rows, as placed by the first class of a public frame: those of the least hash, each with its exact '
    'number of rows; the same for any order of rows. A row with a NULL or a NaN is not counted.\n'
    'frame: that of dpmix.class_moments, then limit (1 to 65536, at most 2^20 / d) and salt (an integer to 2^53)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.class_clusters(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by the component of a public mixture to which they most likely belong. A row with a '
    'NULL, a NaN or another class is not counted.\n'
    'frame: that of dpmix.class_moments with a class for each component, then 0 | 1 (ignored), a log weight and a tightness for each '
    'component (log density = log weight - tightness |map (x - centre)|^2 / 2), then K (1 to 1000)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.soft_moments(float8[], float8[]) IS
    E'exact count, sum and products, for each component 0..K-1 of a public mixture, of rows as dpmix.class_moments places them, each '
    'counted by its share in the component: a whole number from 0 to 2^20, all of a row''s together at most 2^20. Shares are '
    'proportional to exp(log weight - tightness / 2 * |map (x - centre)|^2), rounded down; hard: all to the largest, the first of '
    'equals. A row with a NULL or a NaN contributes nothing.\n'
    'frame: that of dpmix.class_moments with a class for each component, then: hard 0|1, log weight[K], tightness[K], and nothing '
    'more or a second frame of as many classes and features, which densities are seen from instead of the first\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.cells(float8[], float8[]) IS
    E'exact number of rows by cell of a grid, for each of V views. The first axes coordinates of a placed row, from -radius to radius, '
    'are cut into side parts each; the first coordinate counts slowest. A row is in one cell of every view; one with a NULL or a NaN '
    'is not counted.\n'
    'frame: that of dpmix.class_moments with a class for each view, then: axes (1..d), side (at least 1; V * side^axes at most 2^20)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
COMMENT ON AGGREGATE dpmix.cell_counts(float8, float8[]) IS
    E'exact number of rows in each cell of x, one class. What lies beyond is in the outermost cells; NULL and NaN are in none.\n'
    'cut: {lower, limit, cells}: 1 to 2^20 cells of equal width from lower to limit, each with its lower end and without its upper '
    'one, up to the rounding of (x - lower) * cells / (limit - lower), which is monotone\n'
    'Errors: PV005 an invalid or varying cut.';
COMMENT ON AGGREGATE dpmix.edge_counts(float8, float8[]) IS
    E'exact number of rows with edges[i] <= x < edges[i+1], for each i, one class. What lies beyond them, NULL and NaN are in no cell.\n'
    'edges: 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV005 invalid or varying edges.';
COMMENT ON AGGREGATE dpmix.lattice_squares(float8, float8, float8, float8, float8) IS
    E'exact count and sum of k = round((x - origin) / step), clamped to [low, high], and sum of 2 k^2 - high^2, divided by the least '
    'power of two that leaves at most 2^30, each rounded to an integer; equal for any order of rows. NULL and NaN are missing, '
    'infinities are clamped. dpmix.rows, dpmix.total and dpmix.squares read the state.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low = -high, integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';
COMMENT ON AGGREGATE dpmix.numbers_seen(integer, integer) IS
    E'which of the numbers 0 .. size - 1 occur, one bit for each; bit_count() of it is how many. NULL and other numbers are missing. '
    'Equal for any order of rows, but for zero bytes at the end.\n'
    'size: 1 to 2^24\n'
    'Errors: PV005 size out of range.';
COMMENT ON FUNCTION dpmix.class_number(anyarray, anyelement) IS
    E'position of value in the array, counted from 0, the first of equal ones; NULL when it is not there or NULL. Takes as long for a '
    'thousand categories as for ten.\n'
    'Errors: PV005 a type without a hash function.';
COMMENT ON FUNCTION dpmix.row_vector("any") IS
    E'1 to 100 float8 values as an array, several times faster than ARRAY[...]; NULL when one of them is NULL.\n'
    'Errors: PV005 an argument of another type.';
COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text) IS
    E'puts a table under a privacy budget for its whole life. Earlier charges under the same name resume, with the same adjacency, '
    'accountant and privacy unit. Warns of roles that hold SELECT on the table. Only its owner and superusers may call it, in a '
    'transaction that commits before the first charge.\n'
    'relation: an ordinary or partitioned table, all of whose rows are stored here\n'
    'epsilon, delta: the total that everything ever released about the table may reveal; epsilon 1e-6 to 1e7, delta 0 to below 0.5, '
    'above 0 for the accountants renyi and gdp\n'
    'privacy_unit: the column that says whose row it is, stored, of a built-in scalar type with an order or an enum; NULL: each row '
    'is a unit. Rows in which it is NULL are used by no release\n'
    'max_rows_per_unit: 1 to 1000000; of a unit with more rows each query uses so many, chosen at random, anew each time, and its '
    'noise covers them all. Where it is 1 and privacy_unit is NOT NULL under a valid, immediate, non-partial unique index, nothing is '
    'sampled; this is looked up at each charge. Other tables take queries only\n'
    'adjacency: what neighbours differ in: add_remove, one unit present or absent; replace, one unit''s rows changed to others, so '
    'that the number of units is public; label, the label of one row, while every other column is public, so that none may be derived '
    'from the label, and a unit has one row. Tables under label take dpmix.release_gmm, dpmix.cda and comparisons, not queries\n'
    'label: the private column, for adjacency label alone\n'
    'accountant: how charges add up: renyi; gdp, for more answers with Gaussian noise (with a delta) and fewer without; basic, the '
    'plain sums of epsilon and delta. It cannot change once the table was charged\n'
    'Errors: PV005 a value out of range, a relation or column that does not suit, a table that is protected already, has other terms '
    'on record or shares rows with a protected, charged or public one; PV006 no such table; 42501 not the owner.\n'
    'See also: dpmix.set_bounds, dpmix.set_categories, dpmix.grant_access, dpmix.charges_admitted, docs/guide/ledger.md, '
    'docs/proofs/accounting.md.';
COMMENT ON FUNCTION dpmix.unprotect(regclass) IS
    E'ends releases about a table; its charges stay on record and resume with the next dpmix.protect().\n'
    'Errors: PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.set_budget(regclass, float8, float8, text) IS
    E'gives a table a new total budget, on record in dpmix.budget_history with its reason. It may be below what was spent; the '
    'guarantee is that of the largest budget ever set. For the owner and superusers.\n'
    'epsilon, delta: ranges as for dpmix.protect()\n'
    'reason: any text that is not blank\n'
    'Errors: PV005 out of range, or no reason; PV006 not protected; 42501 not the owner.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, float8, float8) IS
    E'states public bounds of a numeric, date or timestamp column, to which values are clamped. State them from what the column means, '
    'not from its rows: min and max are private. For the owner and superusers.\n'
    'lower, upper: finite, lower < upper, in the units of the column; dates in days, timestamps in seconds, both since 2000-01-01\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, date, date) IS
    E'states public bounds of a date or timestamp column, from the beginning of these days.\n'
    'lower, upper: finite, lower < upper\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, timestamptz, timestamptz) IS
    E'states public bounds of a date or timestamp column, in the session''s time zone where the column has none.\n'
    'lower, upper: finite, lower < upper\n'
    'Errors: PV005 no such column, another type, or no interval; PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.set_categories(regclass, name, text[]) IS
    E'states the public values of a column, by which rows may be grouped and classified. Other values join no group. For the owner and '
    'superusers.\n'
    'categories: 1 to 10000 values of the column''s type as text, distinct, none NULL, in the order in which groups come back\n'
    'Errors: PV005 no such column, another type, or no list of its values; PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.grant_access(regclass, regrole, float8) IS
    E'lets a role and its members query, model and synthesise a table, and spend its budget. Granting again changes the cap. For the '
    'owner and superusers.\n'
    'epsilon: cap on the sum of epsilon charged through this grant, 1e-6 to 1e7; NULL: none. A cap is policy among analysts, not '
    'proof: the table''s budget is one for all\n'
    'Errors: PV005 cap out of range, or no such role; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.role_budget, docs/guide/ledger.md.';
COMMENT ON FUNCTION dpmix.revoke_access(regclass, regrole) IS
    E'takes back what dpmix.grant_access() gave; what was charged stays charged. A NOTICE says so where the role had no grant of its '
    'own. For the owner and superusers.\n'
    'Errors: PV005 no such role; PV006 not protected; 42501 not the owner.';
COMMENT ON FUNCTION dpmix.adopt_ledger(text) IS
    E'continues the ledger in this restored, copied or promoted database, on record in dpmix.ledger_adoptions. Says how many charges '
    'it found, and warns of charges or tables that are missing. The other copy must charge no more: both together would overspend. '
    'For the database owner and superusers.\n'
    'reason: any text that is not blank\n'
    'Errors: PV004 on a standby; PV005 no reason; 42501 not the owner of the database.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON FUNCTION dpmix.epsilon_spent(text, numeric, numeric, float8, numeric, numeric, numeric, numeric) IS
    E'what sums of charges prove: the least epsilon at the budget''s delta, never above the sum of epsilon.\n'
    'accountant: basic, renyi or gdp\n'
    'budget_epsilon, budget_delta: the budget\n'
    'renyi_order: of a table under renyi; NULL for the others\n'
    'epsilon, delta, cost, cost_delta: sums over charges of the columns of dpmix.ledger\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.budget, docs/proofs/accounting.md.';
COMMENT ON FUNCTION dpmix.share_spent(text, numeric, numeric, float8, numeric, numeric, numeric, numeric) IS
    E'how much of what the accountant allows the sums of charges have used, by the rule that has used the least: 0 to 1, above 1 when '
    'the budget was lowered. Arguments as for dpmix.epsilon_spent().\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.budget.';
COMMENT ON VIEW dpmix.budget IS
    E'budget of each protected table that the current user owns or has access to, as of the query''s snapshot. epsilon_spent is a '
    'gauge, not the filter: what is admitted is decided at the charge.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON VIEW dpmix.role_budget IS
    'what was spent through each grant: owners see every role that has a grant or ever charged, others the grants they hold. Caps are '
    'policy: the table''s own budget, dpmix.budget, may end sooner.';
COMMENT ON VIEW dpmix.ledger IS
    E'charges, in the order of id, which is that of commit: all of the tables that the current user owns, elsewhere those of its own '
    'roles; for superusers all. Nothing in it depends on rows.\n'
    'See also: dpmix.audit, dpmix.explain_charge, docs/guide/ledger.md.';
COMMENT ON VIEW dpmix.audit IS
    E'the rows of dpmix.ledger with what all charges of their table up to each add up to, for its owner, those who still have access, '
    'and superusers. Reads every charge: for an export, not for one row.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON COLUMN dpmix.audit.id IS 'number of the charge, growing in the order of commit; some numbers are left out';
COMMENT ON COLUMN dpmix.audit.relation IS 'qualified name of the table at the time';
COMMENT ON COLUMN dpmix.audit.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.audit.granted_to IS 'role whose grant gave the right; NULL: owner or superuser';
COMMENT ON COLUMN dpmix.audit.at IS 'server''s clock when the charge was written';
COMMENT ON COLUMN dpmix.audit.kind IS 'query, gmm, cda or compare';
COMMENT ON COLUMN dpmix.audit.mechanism IS 'family of the noise; poisson_mixing for cda';
COMMENT ON COLUMN dpmix.audit.epsilon IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.audit.delta IS 'guarantee of the whole release, as declared';
COMMENT ON COLUMN dpmix.audit.cost IS
    'what the accountant adds up besides: renyi: rho at renyi_order; gdp: mu^2; basic: 0';
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
COMMENT ON FUNCTION dpmix.explain_charge(bigint) IS
    E'how a charge was computed and which rule admitted it, computed again from its record; says so where the two differ.\n'
    'id: of dpmix.ledger\n'
    'item, value, meaning: one number or rule a row, as text\n'
    'Errors: PV006 no such charge, or none that dpmix.ledger shows to the caller.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON FUNCTION dpmix.declare_public(regclass) IS
    E'states that everything in a table is public, now and later, so that private queries may join it; who joins it still needs SELECT '
    'on it. For its owner and superusers.\n'
    'relation: an ordinary or partitioned table without row-level security\n'
    'Errors: PV005 another kind of relation, or one that shares rows with a protected or charged table; PV006 no such table; 42501 '
    'not the owner.\n'
    'See also: dpmix.public_tables, docs/guide/query.md.';
COMMENT ON FUNCTION dpmix.undeclare_public(regclass) IS
    E'takes dpmix.declare_public() back, for queries from now on. For the table''s owner and superusers.\n'
    'Errors: PV006 not declared public; 42501 not the owner.';
-- States of several databases: their statistics as plain SQL, and what adds them up. Exact and
-- noise-free, as in 10_stats.sql.

CREATE AGGREGATE dpmix.merge(dpmix.sum_state) (
    SFUNC = dpmix.sum_state_combine, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.sum_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.sum_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.squares_state) (
    SFUNC = dpmix.squares_state_combine, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.squares_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.squares_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.moment_state) (
    SFUNC = dpmix.moment_state_combine, STYPE = dpmix.moment_state, INITCOND = '()',
    COMBINEFUNC = dpmix.moment_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.moment_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.count_state) (
    SFUNC = dpmix.count_state_combine, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.count_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.sample_state) (
    SFUNC = dpmix.sample_state_combine, STYPE = dpmix.sample_state, INITCOND = '()',
    COMBINEFUNC = dpmix.sample_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.sample_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(bytea) (
    SFUNC = dpmix.numbers_seen_combine, STYPE = bytea, INITCOND = '',
    COMBINEFUNC = dpmix.numbers_seen_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(bytea) IS
    'the union of sets of dpmix.numbers_seen, in any order. A set does not say which categories its numbers stand for: they must be '
    'declared alike, in the same order, in every database. NULL is skipped; of nothing, the empty set.';

CREATE AGGREGATE dpmix.merge(bigint) (
    SFUNC = pg_catalog.int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = pg_catalog.int8pl, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(bigint) IS
    E'the sum of counts, as bigint. NULL is skipped; of nothing, 0.\n'
    'Errors: 22003 beyond the range of bigint.';

CREATE FUNCTION dpmix.partial_sql(query text, params text[] = '{}') RETURNS text
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial_sql';
COMMENT ON FUNCTION dpmix.partial_sql(text, text[]) IS
    E'a plain SELECT of the exact statistics, WITHOUT NOISE, that dpmix.query would compute for this text over the rows of this database: '
    'the keys of each group that has rows, then one state for each statistic, which dpmix.merge adds up over several databases. It is for '
    'a view of the owner''s: whoever runs it needs SELECT on the table as for any other SELECT, and sees exact numbers. Reads no row, '
    'charges nothing, needs access as dpmix.query does. Bounds and categories are those of now. To be read where pg_catalog comes first '
    'in search_path and standard_conforming_strings is on, as they are by default.\n'
    'query: as for dpmix.query, without rows drawn from those of a privacy unit\n'
    'params: $1, $2, ... of the query as texts, put into the SELECT as constants\n'
    'Errors: as dpmix.query; PV002 too where a privacy unit may have several rows.\n'
    'See also: docs/guide/scale.md.';

CREATE FUNCTION dpmix.partial(query text, params text[] = '{}') RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial';
COMMENT ON FUNCTION dpmix.partial(text, text[]) IS
    E'what the SELECT of dpmix.partial_sql returns: EXACT statistics WITHOUT NOISE, not private. Runs with the caller''s own rights: for '
    'those who have SELECT on all that the query reads, over the rows that they see. Charges nothing.\n'
    'query, params: as for dpmix.partial_sql\n'
    'Errors: as dpmix.partial_sql; PV005, with the list to write, when the column definition list does not fit; 42501 no SELECT.\n'
    'See also: docs/guide/scale.md.';
-- The forms of the statistics aggregates that Citus computes on shards, each once and in place.
--
-- Citus runs an aggregate that has a combine function inside its own worker_partial_agg, which looks the
-- transition function up again for every row. One that has none it sends to the shards as it stands,
-- if it knows by the name how to join the results: those of array_agg, whoever made it, it
-- concatenates. So these return arrays of one state each, which dpmix.joined_states merges. The last
-- argument tells those of equal arguments apart; nobody reads it.

CREATE FUNCTION dpmix.state_array(anyelement) RETURNS anyarray
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_array';
COMMENT ON FUNCTION dpmix.state_array(anyelement) IS 'final function of dpmix.array_agg: an array of one element, the state';

CREATE FUNCTION dpmix.joined_states(anyarray) RETURNS anyelement
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_joined_states';
COMMENT ON FUNCTION dpmix.joined_states(anyarray) IS
    E'all states of an array, of one of dpmix''s types or sets of dpmix.numbers_seen, merged as by dpmix.merge; that of no row where there '
    'is none.\n'
    'Errors: PV005 another type, or states of different lattices, frames, cuts or edges; XX001 a corrupt state.';

-- Numbers -----------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.sum_state_add(state dpmix.sum_state, x float8, origin float8, step float8, low float8, high float8, kind dpmix.sum_state)
    RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_add';
COMMENT ON FUNCTION dpmix.sum_state_add(dpmix.sum_state, float8, float8, float8, float8, float8, dpmix.sum_state) IS
    'transition function of dpmix.array_agg as dpmix.lattice_sum';
CREATE AGGREGATE dpmix.array_agg(x float8, origin float8, step float8, low float8, high float8, kind dpmix.sum_state) (
    SFUNC = dpmix.sum_state_add, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8, float8, float8, float8, float8, dpmix.sum_state) IS
    'dpmix.lattice_sum(x, origin, step, low, high) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.squares_state_add(state dpmix.squares_state, x float8, origin float8, step float8, low float8, high float8, kind dpmix.squares_state)
    RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_add';
COMMENT ON FUNCTION dpmix.squares_state_add(dpmix.squares_state, float8, float8, float8, float8, float8, dpmix.squares_state) IS
    'transition function of dpmix.array_agg as dpmix.lattice_squares';
CREATE AGGREGATE dpmix.array_agg(x float8, origin float8, step float8, low float8, high float8, kind dpmix.squares_state) (
    SFUNC = dpmix.squares_state_add, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8, float8, float8, float8, float8, dpmix.squares_state) IS
    'dpmix.lattice_squares(x, origin, step, low, high) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.numbers_seen_add(seen bytea, number integer, size integer, kind bytea) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_add';
COMMENT ON FUNCTION dpmix.numbers_seen_add(bytea, integer, integer, bytea) IS 'transition function of dpmix.array_agg as dpmix.numbers_seen';
CREATE AGGREGATE dpmix.array_agg(number integer, size integer, kind bytea) (
    SFUNC = dpmix.numbers_seen_add, STYPE = bytea, INITCOND = '',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(integer, integer, bytea) IS
    'dpmix.numbers_seen(number, size) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.cell_counts_add(state dpmix.count_state, x float8, cut float8[], kind dpmix.count_state) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cell_counts_add';
COMMENT ON FUNCTION dpmix.cell_counts_add(dpmix.count_state, float8, float8[], dpmix.count_state) IS
    'transition function of dpmix.array_agg as dpmix.cell_counts';
CREATE AGGREGATE dpmix.array_agg(x float8, cut float8[], kind dpmix.count_state) (
    SFUNC = dpmix.cell_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8, float8[], dpmix.count_state) IS
    'dpmix.cell_counts(x, cut) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.edge_counts_add(state dpmix.count_state, x float8, edges float8[], kind dpmix.count_state[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add';
COMMENT ON FUNCTION dpmix.edge_counts_add(dpmix.count_state, float8, float8[], dpmix.count_state[]) IS
    'transition function of dpmix.array_agg as dpmix.edge_counts';
CREATE AGGREGATE dpmix.array_agg(x float8, edges float8[], kind dpmix.count_state[]) (
    SFUNC = dpmix.edge_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8, float8[], dpmix.count_state[]) IS
    'dpmix.edge_counts(x, edges) in an array, for the shards of a distributed table';

-- Rows of a model ---------------------------------------------------------------------------------

CREATE FUNCTION dpmix.moment_state_add(state dpmix.moment_state, class integer, x float8[], frame float8[], kind dpmix.moment_state)
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_add';
COMMENT ON FUNCTION dpmix.moment_state_add(dpmix.moment_state, integer, float8[], float8[], dpmix.moment_state) IS
    'transition function of dpmix.array_agg as dpmix.class_moments';
CREATE AGGREGATE dpmix.array_agg(class integer, x float8[], frame float8[], kind dpmix.moment_state) (
    SFUNC = dpmix.moment_state_add, STYPE = dpmix.moment_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(integer, float8[], float8[], dpmix.moment_state) IS
    'dpmix.class_moments(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.class_distances_add(state dpmix.count_state, class integer, x float8[], frame float8[], kind dpmix.count_state)
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_distances_add';
COMMENT ON FUNCTION dpmix.class_distances_add(dpmix.count_state, integer, float8[], float8[], dpmix.count_state) IS
    'transition function of dpmix.array_agg as dpmix.class_distances';
CREATE AGGREGATE dpmix.array_agg(class integer, x float8[], frame float8[], kind dpmix.count_state) (
    SFUNC = dpmix.class_distances_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(integer, float8[], float8[], dpmix.count_state) IS
    'dpmix.class_distances(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.class_clusters_add(state dpmix.count_state, class integer, x float8[], frame float8[], kind dpmix.count_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_clusters_add';
COMMENT ON FUNCTION dpmix.class_clusters_add(dpmix.count_state, integer, float8[], float8[], dpmix.count_state[]) IS
    'transition function of dpmix.array_agg as dpmix.class_clusters';
CREATE AGGREGATE dpmix.array_agg(class integer, x float8[], frame float8[], kind dpmix.count_state[]) (
    SFUNC = dpmix.class_clusters_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(integer, float8[], float8[], dpmix.count_state[]) IS
    'dpmix.class_clusters(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.soft_moments_add(state dpmix.moment_state, x float8[], frame float8[], kind dpmix.moment_state)
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_soft_moments_add';
COMMENT ON FUNCTION dpmix.soft_moments_add(dpmix.moment_state, float8[], float8[], dpmix.moment_state) IS
    'transition function of dpmix.array_agg as dpmix.soft_moments';
CREATE AGGREGATE dpmix.array_agg(x float8[], frame float8[], kind dpmix.moment_state) (
    SFUNC = dpmix.soft_moments_add, STYPE = dpmix.moment_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8[], float8[], dpmix.moment_state) IS
    'dpmix.soft_moments(x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.cells_add(state dpmix.count_state, x float8[], frame float8[], kind dpmix.count_state) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cells_add';
COMMENT ON FUNCTION dpmix.cells_add(dpmix.count_state, float8[], float8[], dpmix.count_state) IS
    'transition function of dpmix.array_agg as dpmix.cells';
CREATE AGGREGATE dpmix.array_agg(x float8[], frame float8[], kind dpmix.count_state) (
    SFUNC = dpmix.cells_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8[], float8[], dpmix.count_state) IS
    'dpmix.cells(x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix.feature_sample_add(state dpmix.sample_state, x float8[], frame float8[], kind dpmix.sample_state)
    RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_feature_sample_add';
COMMENT ON FUNCTION dpmix.feature_sample_add(dpmix.sample_state, float8[], float8[], dpmix.sample_state) IS
    'transition function of dpmix.array_agg as dpmix.feature_sample';
CREATE AGGREGATE dpmix.array_agg(x float8[], frame float8[], kind dpmix.sample_state) (
    SFUNC = dpmix.feature_sample_add, STYPE = dpmix.sample_state, INITCOND = '()',
    FINALFUNC = dpmix.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.array_agg(float8[], float8[], dpmix.sample_state) IS
    'dpmix.feature_sample(x, frame) in an array, for the shards of a distributed table';
COMMENT ON TYPE dpmix.calibration IS
    'noise for one statistic, in the units of the statistic.';
COMMENT ON COLUMN dpmix.calibration.mechanism IS 'family of the noise';
COMMENT ON COLUMN dpmix.calibration.scale IS
    'standard deviation of gaussian, of one component of multi_gaussian and of one of the three pieces of quasi_gaussian; mean absolute value '
    'of laplace; distance over which the density of staircase, truncated_laplace, tulap and optimal falls by e';
COMMENT ON COLUMN dpmix.calibration.components IS 'K of multi_gaussian, whose centres are -K..K times the sensitivity; else NULL';
COMMENT ON COLUMN dpmix.calibration.expected_abs IS 'mean absolute value of the noise';
COMMENT ON COLUMN dpmix.calibration.variance IS 'of the noise';
COMMENT ON COLUMN dpmix.calibration.delta_certified IS 'a proved bound on delta over all shifts up to the sensitivity';
COMMENT ON COLUMN dpmix.calibration.support IS 'the largest |noise|; NULL: unbounded';
COMMENT ON FUNCTION dpmix.calibrate(text, float8, float8, float8, int) IS
    E'the least noise of a mechanism that is (epsilon, delta)-differentially private when one privacy unit moves the statistic by at '
    'most sensitivity. All sessions of the server share the calibrations made last.\n'
    'mechanism: gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal; auto: the least '
    'expected_abs, without the mixtures quasi_gaussian and multi_gaussian, which optimal undercuts, but multi_gaussian where '
    'components are given. staircase, truncated_laplace, tulap and optimal are those of the lattice of sensitivity / 2^20\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 0 to 0.5; ignored by laplace and staircase, at least 1e-300 for the others; auto with 0 takes one of the former\n'
    'sensitivity: above 0, in the units of the statistic\n'
    'components: of multi_gaussian, 1 to 1000; NULL: the number of least expected_abs\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.calibration, dpmix.delta_of, docs/guide/noise.md.';
COMMENT ON FUNCTION dpmix.delta_of(text, float8, float8, float8, int, float8, float8, float8) IS
    E'the least delta for which noise of this mechanism and scale is (epsilon, delta)-differentially private.\n'
    'mechanism: as for dpmix.calibrate(), but auto and optimal, which has more parameters. staircase, truncated_laplace and tulap are '
    'laws on the lattice of sensitivity / 2^20 and fall by e over a distance of scale, 1e-7 to 1e6 sensitivities; staircase with its '
    'landing of least expected_abs; laplace is the continuous law\n'
    'epsilon: 1e-6 to 1e7\n'
    'scale: above 0, as in dpmix.calibration; of multi_gaussian and quasi_gaussian 1e-5 to 1e9 sensitivities\n'
    'components: of multi_gaussian, required there, 1 to 1000\n'
    'shift: NULL: a proved bound on the supremum over all shifts of the statistic from 0 to sensitivity; else the value at that shift\n'
    'weight_epsilon: 0 to 1e7, NULL: epsilon. Component k of multi_gaussian has a weight proportional to exp(-weight_epsilon |k|), '
    'the centre of quasi_gaussian the weight exp(weight_epsilon)\n'
    'cutoff: the largest |noise| of truncated_laplace and tulap, required there; dpmix.calibrate() calls it support\n'
    'Errors: PV005 a value out of range, or one that is missing.\n'
    'See also: docs/guide/noise.md.';
COMMENT ON FUNCTION dpmix.noise(text, float8, float8, float8, int, int) IS
    E'samples of the noise that releases add, calibrated as by dpmix.calibrate() and rounded to multiples of sensitivity / 2^20 by the '
    'same exact sampler.\n'
    'draws: 1 to 10000000\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/noise.md.';
COMMENT ON FUNCTION dpmix.noise_interval(text, float8, float8, float8, float8, int) IS
    E'half the width of the interval around a noisy answer that covers the exact one with probability level: the least width of that '
    'probability under the exact distribution of the noise of dpmix.noise(). Only the noise is in it, not the bias of clamping values '
    'to their bounds. Other arguments as for dpmix.calibrate().\n'
    'level: above 0, below 1\n'
    'Errors: PV005 a value out of range.\n'
    'See also: dpmix.dp_low, dpmix.preview.';
COMMENT ON FUNCTION dpmix.published_scale(text, float8, float8, float8) IS
    E'for comparison only, NOT for use: the scale that the paper on quasi_gaussian gives (its sigma_1 and sigma_2), where '
    'dpmix.calibrate() gives the least certified one. No release uses it.\n'
    'mechanism: quasi_gaussian\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 1e-300 to 0.5\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/noise.md.';
COMMENT ON FUNCTION dpmix.charges_admitted(float8, float8, text, text, float8, float8, int, bigint) IS
    E'how many queries of (epsilon, delta) a fresh table with the budget (epsilon_total, delta_total) admits, one after the other and '
    'nothing else, at most 2^63 - 1: what to know before dpmix.protect(), and to compare accountants.\n'
    'epsilon_total, delta_total: as for dpmix.protect()\n'
    'accountant: basic, renyi or gdp\n'
    'mechanism: as for dpmix.query()\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 0 to 0.5\n'
    'statistics: noisy statistics in each query, 1 to 1000, alike and without GROUP BY; an average has two\n'
    'lattice_steps: by how many steps of its lattice a row moves a statistic; 1 for a count. Under renyi, laplace costs a little less '
    'for sums, of many steps\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/guide/ledger.md.';
COMMENT ON FUNCTION dpmix.query(text, float8, float8, text, text[], text, integer) IS
    E'private answers to one SELECT over a protected table, or a join. Charges epsilon and delta, the totals over all columns and '
    'groups, to each protected table in it, durably, before it reads a row. Without HAVING and LIMIT every group of public values '
    'comes back, empty ones too, in the order of their declarations; counts may be negative. Expressions over keys and answers cost '
    'nothing, and are NULL where they have no value. It needs a column definition list: SELECT * FROM dpmix.query(...) AS t(region '
    'text, n bigint).\n'
    'query: group keys and dp_count, dp_count_distinct, dp_sum, dp_avg, dp_var, dp_stddev, dp_quantile, dp_median, dp_histogram, with '
    'WHERE, FILTER, GROUP BY, HAVING, ORDER BY and LIMIT; dp_low and dp_high of these are the ends of their noise intervals\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: 0 to 0.5, above 0 for mechanisms and keys that need one; not charged where only laplace or staircase noise is drawn\n'
    'mechanism: gaussian, multi_gaussian, quasi_gaussian, laplace, staircase, truncated_laplace, tulap, optimal; auto: the least '
    'expected error that costs the table no more than the Gaussian would\n'
    'params: a text or NULL for each of $1, $2, ... of the query, which decides their types\n'
    'keys: declared; discover: any keys, and of their groups those that enough units are found in, in the order of the keys. This '
    'needs a delta and takes a share of epsilon and delta\n'
    'max_groups: where a privacy unit may have several rows: of each unit rows of at most so many groups count, 1 to 1000000, and of '
    'each group an equal share of max_rows_per_unit, rounded up; less noise for each group, above all with a delta. NULL: no limit\n'
    'Errors: PV001 budget exhausted; PV002 query not allowed; PV003 bounds or categories missing; PV004 ledger unavailable; PV005 '
    'invalid parameter or column list; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.query_json, docs/guide/query.md, docs/guide/query_expressions.md, docs/guide/query_keys.md, docs/guide/query_quantiles.md, '
    'docs/proofs/query.md.';
COMMENT ON FUNCTION dpmix.preview(text, float8, float8, text, text[], text, integer) IS
    E'the noise that dpmix.query() would add with the same arguments, and what it would take from the budget: one row for each noisy '
    'statistic. Free; reads no row; needs access.\n'
    'output_column: all columns that use the statistic, also within expressions, and HAVING and ORDER BY where these do\n'
    'statistic: what is counted or summed; groups found: the share that keys => discover takes\n'
    'mechanism: family of the noise\n'
    'sensitivity: the change that the noise is calibrated to, in the units of the column: of one number, but for laplace of all '
    'together in L1, for gaussian in L2; staircase divides a change into pieces\n'
    'epsilon, delta: what that statistic alone guarantees; a call of its own for it, at these, adds the same noise\n'
    'noise_stddev: of the noise, in the units of the column\n'
    'expected_error: mean absolute error; NULL where the output is a ratio, whose error depends on the private count, and where no '
    'column is the statistic itself\n'
    'interval_95: half the width of the 95% interval of the noise, from its exact law; what clamping to the bounds does is not in it. '
    'NULL as expected_error\n'
    'candidates: an array, for each mechanism that could answer: expected_error of this row''s statistic (null where nothing was '
    'calibrated), the epsilon and delta charged, budget_share, the part of the table''s budget that this is, and verdict: chosen, or '
    'why not\n'
    'charge_cost, charge_delta: of the whole call, what the accountant adds up: the Renyi divergence at the table''s order, or mu^2 '
    'under gdp, and the delta beside it; under basic epsilon and delta\n'
    'charge_share: of the whole call, the part of the whole budget that this is; under renyi and gdp it may exceed 1 where only the '
    'sum of epsilon can admit the call, and be infinite where the budget has no room for such costs\n'
    'calls_left: how many such calls, one after the other and nothing else, would be admitted to the caller now, by the newest sums '
    'of the ledger, the budget as the caller''s transaction sees it and the cap of its grant; 0 when not even one, at most 2^63 - 1\n'
    'Errors: as dpmix.query().\n'
    'See also: docs/guide/query.md.';
COMMENT ON AGGREGATE dpmix.dp_count(*) IS
    E'noisy number of rows; may be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query().';
COMMENT ON AGGREGATE dpmix.dp_count("any") IS
    E'noisy number of rows where x is neither NULL nor NaN; may be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query().';
COMMENT ON AGGREGATE dpmix.dp_sum(float8) IS
    E'noisy sum of x, each clamped to its bounds, in its units. NULL and NaN add nothing. x: a column with declared bounds, or an '
    'expression whose bounds follow from those of its columns.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_sum(bigint) IS
    E'noisy sum of x, each clamped to its bounds, in its units. NULL and NaN add nothing. x: a column with declared bounds, or an '
    'expression whose bounds follow from those of its columns.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_sum(numeric) IS
    E'noisy sum of x, each clamped to its bounds, in its units. NULL and NaN add nothing. x: a column with declared bounds, or an '
    'expression whose bounds follow from those of its columns.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_avg(float8) IS
    E'noisy average of x, each clamped to its bounds, without NULL and NaN: the middle of the bounds plus a noisy centred sum over a '
    'noisy count. Always within the bounds, their middle for an empty group. x as for dpmix.dp_sum.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_avg(bigint) IS
    E'noisy average of x, each clamped to its bounds, without NULL and NaN: the middle of the bounds plus a noisy centred sum over a '
    'noisy count. Always within the bounds, their middle for an empty group. x as for dpmix.dp_sum.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_avg(numeric) IS
    E'noisy average of x, each clamped to its bounds, without NULL and NaN: the middle of the bounds plus a noisy centred sum over a '
    'noisy count. Always within the bounds, their middle for an empty group. x as for dpmix.dp_sum.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON FUNCTION dpmix.dp_low(bigint, float8) IS
    E'lower end of the noise interval of a dp_* aggregate, in its units, as in dp_low(dp_count(*), 0.9): the answer without noise lies '
    'between dp_low and dp_high with probability at least level, over the exact law of the noise, for each answer by itself. The '
    'interval always holds the noisy answer itself. What clamping to the bounds moved, and rounding to the lattice (at most 2^-31 of '
    'the larger bound a row), is not in it. Costs nothing beyond the aggregate. Ends of counts may be negative; those of averages '
    'stay within the bounds.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_low(float8, float8) IS
    E'lower end of the noise interval of a dp_* aggregate, in its units, as in dp_low(dp_count(*), 0.9): the answer without noise lies '
    'between dp_low and dp_high with probability at least level, over the exact law of the noise, for each answer by itself. The '
    'interval always holds the noisy answer itself. What clamping to the bounds moved, and rounding to the lattice (at most 2^-31 of '
    'the larger bound a row), is not in it. Costs nothing beyond the aggregate. Ends of counts may be negative; those of averages '
    'stay within the bounds.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high(bigint, float8) IS
    E'upper end of the noise interval of a dp_* aggregate, in its units: see dpmix.dp_low. Costs nothing beyond the aggregate.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high(float8, float8) IS
    E'upper end of the noise interval of a dp_* aggregate, in its units: see dpmix.dp_low. Costs nothing beyond the aggregate.\n'
    'answer: one of the aggregates\n'
    'level: a constant or $n, above 0, below 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON AGGREGATE dpmix.dp_var(float8) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_var(bigint) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_var(numeric) IS
    E'noisy population variance (var_pop) of x, each clamped to its bounds, without NULL and NaN, from a noisy count, centred sum and '
    'sum of centred squares. Between 0 and a quarter of the squared range of the bounds, half of that for an empty group; never NULL. '
    'x as for dpmix.dp_sum. dpmix.dp_avg of the same x beside it costs nothing more.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_stddev(float8) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_stddev(bigint) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_stddev(numeric) IS
    E'noisy population standard deviation (stddev_pop) of x, in its units: the root of dpmix.dp_var.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_count_distinct("any") IS
    E'noisy number of declared categories of x that occur; other values and NULL are none of them. Where x is the privacy unit, the '
    'number of units that have a row. May be negative.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no categories.';
COMMENT ON AGGREGATE dpmix.dp_quantile(float8, float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON AGGREGATE dpmix.dp_quantile(bigint, float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON AGGREGATE dpmix.dp_quantile(numeric, float8) IS
    E'noisy quantile of x, each clamped to its bounds, without NULL and NaN: the least value that at least p of the rows do not '
    'exceed, as percentile_disc, to a cell of the bounds (one of 4096, fewer for many groups; of whole numbers each has its own, if '
    'there are no more). Always within the bounds, their middle for an empty group. Quantiles of one column cost what one does.\n'
    'x: as for dpmix.dp_sum\n'
    'p: a constant from 0 to 1\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds; PV005 p out of range.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON AGGREGATE dpmix.dp_median(float8) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_median(bigint) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_median(numeric) IS
    E'noisy median of x: dpmix.dp_quantile of 0.5.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV003 no bounds.';
COMMENT ON AGGREGATE dpmix.dp_histogram(float8, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON AGGREGATE dpmix.dp_histogram(bigint, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON AGGREGATE dpmix.dp_histogram(numeric, float8[]) IS
    E'noisy number of rows with edges[i] <= x < edges[i+1], for each i: one number less than there are edges. What lies beyond them, '
    'NULL and NaN are in no cell. Numbers may be negative.\n'
    'x: a number; it needs no bounds\n'
    'edges: a constant, 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 edges.\n'
    'See also: docs/guide/query_quantiles.md.';
COMMENT ON FUNCTION dpmix.dp_low(bigint[], float8) IS
    E'lower ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.dp_high(bigint[], float8) IS
    E'upper ends of the noise intervals of the numbers of dpmix.dp_histogram, each by itself at the level.\n'
    'Errors: PV002 outside of the text of dpmix.query(); PV005 level out of range.';
COMMENT ON FUNCTION dpmix.query_json(text, float8, float8, text, text[], text, integer) IS
    E'the answers of dpmix.query(), charged alike, as one JSON object for each row: the names of the query''s columns are its keys, '
    'and no column definition list is needed. Numbers are JSON numbers, but NaN and infinities are strings; arrays are arrays, dates '
    'and the rest text, as to_jsonb writes them. Of a row too long for one object (256 MB) only what has a fixed length of at most 8 '
    'bytes comes back, the rest as null. Arguments as for dpmix.query().\n'
    'Errors: as dpmix.query(); PV005 also when two columns have one name.';
COMMENT ON TYPE dpmix.release_summary IS
    'what dpmix.release_gmm() made.';
COMMENT ON COLUMN dpmix.release_summary.name IS 'of the model';
COMMENT ON COLUMN dpmix.release_summary.relation IS 'the modelled table';
COMMENT ON COLUMN dpmix.release_summary.method IS 'mechanism that made it, as in dpmix.release_gmm()';
COMMENT ON COLUMN dpmix.release_summary.components IS 'number of components';
COMMENT ON COLUMN dpmix.release_summary.dimensions IS
    'in which components were looked for: those of the features, unless fewer were asked for';
COMMENT ON COLUMN dpmix.release_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.release_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.release_summary.count_stddev IS
    'standard deviation of the noise in each component''s number of rows, at most';
COMMENT ON COLUMN dpmix.release_summary.row_counts IS 'noisy rows of each component';
COMMENT ON COLUMN dpmix.release_summary.quality IS
    'which components to distrust, and why: too few rows for a mean, or to carry a covariance (at epsilon 1 under about a hundred)';
COMMENT ON FUNCTION dpmix.release_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    E'stores a private Gaussian mixture of a protected table under a new name. Charges (epsilon, delta) once, before a row is read; '
    'all passes over the rows see one snapshot. A ROLLBACK, an error or a cancel undoes the model, not the charge. Needs access; what '
    'one does with the model is free.\n'
    'name: 1 to 200 characters. One that ends as a schedule''s releases do ( 2026-12-01 02:00:00+01) is for the owner of the schedule that '
    'it begins with\n'
    'features: 1 to 100 columns with declared bounds. A row in which one of them is missing, or the label none of its categories, is '
    'in no component\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: a column with declared categories: one component for each of them. NULL: as many as components says. Under adjacency '
    'label the declared one\n'
    'components: 1 to 100, without a label; NULL: chosen privately\n'
    'covariance: full or diagonal\n'
    'objective: balanced, or forward_kl, narrower components where noise dominates\n'
    'method: staged or one_shot with a label, em or kmeans without, label_only under adjacency label; NULL: the best there is\n'
    'dimensions: below the number of features: components are looked for along so many private principal components, for half of the '
    'budget (under adjacency label for nothing). NULL: of all features\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories; PV004 ledger; PV005 parameter, or a '
    'name that is taken; PV006 not protected, or no access.\n'
    'See also: dpmix.preview_gmm, dpmix.releases, docs/guide/mixtures.md, docs/proofs/mixture_projected.md.';
COMMENT ON FUNCTION dpmix.preview_gmm(text, regclass, name[], float8, float8, name, integer, text, text, text, integer) IS
    E'what dpmix.release_gmm() would charge and add as noise, for the same arguments. One row; free; reads no row of the table, stores '
    'nothing, needs access.\n'
    'mechanism: family of the noise\n'
    'epsilon, delta: what would be charged\n'
    'mu: all its passes together are mu-GDP\n'
    'count_stddev: of the noise in each component''s number of rows, at most\n'
    'charge_cost, charge_delta, charge_share, calls_left: as in dpmix.preview()\n'
    'Errors: as dpmix.release_gmm().';
COMMENT ON FUNCTION dpmix.gmm(text) IS
    E'the components of a stored mixture. Free, for its maker, the table''s owner and roles with access to the table.\n'
    'component, label: from 1, in the order of the label''s categories; label is NULL without one\n'
    'weight: weights sum to 1\n'
    'mean, covariance: d numbers, and d x d, in the order and units of the features (dates: days, timestamps: seconds, both since '
    '2000-01-01)\n'
    'Errors: PV005 no such release; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';
COMMENT ON FUNCTION dpmix.gmm_sample(anyelement, text, bigint) IS
    E'rows drawn from a stored mixture, as rows of the table in row_type: SELECT * FROM dpmix.gmm_sample(NULL::patients, ''model'', '
    '20000). Features are clamped to their bounds and rounded to the column''s type. Free.\n'
    'row_type: NULL of any row type that has the features'' columns. A feature goes into a column of its kind: numbers into numbers, '
    'dates and timestamps (in UTC) into either, booleans into booleans. The label is left out where the row type has no column for '
    'it; other columns are NULL\n'
    'rows: 1 to 10^9\n'
    'Errors: PV005 no such release, or a feature''s column is missing or cannot hold the values; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';
COMMENT ON FUNCTION dpmix.gmm_kl(text, text) IS
    E'Kullback-Leibler divergence of two stored mixtures, in nats, of a from b. With the same labels: of the laws of label and '
    'features together, in closed form. Else of the laws of the features alone, estimated: dpmix.gmm_kl_estimate(), which tells the '
    'error too. Free.\n'
    'Errors: PV005 no such release, or features differ; PV006 no access.';
COMMENT ON FUNCTION dpmix.drop_release(text) IS
    E'forgets a stored model; what it cost stays charged. For its maker, the table''s owner and superusers.\n'
    'Errors: PV005 no such release; PV006 somebody else''s.';
COMMENT ON FUNCTION dpmix.gmm_log_density(text, float8[]) IS
    E'natural logarithm of a stored mixture''s density of the features at x. NULL when x holds a NULL or NaN, -Infinity at an infinite '
    'x. The model is loaded once per query. Free.\n'
    'x: one number for each feature, in the order and units of dpmix.releases (dates: days, timestamps: seconds, since 2000-01-01; '
    'dpmix.to_float8 converts)\n'
    'Errors: PV005 no such release, or another length of x; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';
COMMENT ON FUNCTION dpmix.gmm_posterior(text, float8[]) IS
    'probability of each component of a stored mixture given the features x, in the order of dpmix.gmm(): sums to 1. NULL when x '
    'holds a NULL or NaN, or is infinitely far from all components. x and errors as dpmix.gmm_log_density(). Free.';
COMMENT ON FUNCTION dpmix.gmm_classify(text, float8[]) IS
    'label of the component of a stored mixture that is most likely given the features x, or its number where there are no labels. '
    'NULL where dpmix.gmm_posterior() is. x and errors as dpmix.gmm_log_density(). Free.';
COMMENT ON FUNCTION dpmix.gmm_kl_estimate(text, text, integer) IS
    E'Kullback-Leibler divergence of two stored mixtures as laws of the features alone, of a from b, whatever their labels and '
    'components: by Monte Carlo, half of the points drawn from each, the same draws every time. Free.\n'
    'draws: 1000 to 10^8\n'
    'kl: in nats\n'
    'error_bound_95: half the width of a 95% interval by the central limit theorem, not proved\n'
    'Errors: PV005 draws out of range, no such release, or features differ; PV006 no access.';
COMMENT ON FUNCTION dpmix.gmm_marginal(text, name, integer, float8[]) IS
    E'density of one feature under each component of a stored mixture, times its weight, for plotting. Free.\n'
    'points: 2 to 100000, equally far apart where the components are, within the bounds\n'
    'at: the points themselves instead\n'
    'label, component: as in dpmix.gmm()\n'
    'x: in the units of the feature (dates: days, timestamps: seconds, since 2000-01-01)\n'
    'density: per unit of x\n'
    'Errors: PV005 a value out of range, no such release or feature; PV006 no access.\n'
    'See also: dpmix.gmm_svg.';
COMMENT ON FUNCTION dpmix.gmm_svg(text, name) IS
    E'picture of what dpmix.gmm_marginal() tells: a curve for each component (the 20 heaviest), all together in grey, dates as dates. '
    'A standalone SVG document in ASCII. A component too narrow for the scale of the others is cut off at the top, and a note says '
    'so. Free.\n'
    'Errors: PV005 no such release or feature; PV006 no access.\n'
    'See also: docs/guide/mixtures.md.';
COMMENT ON FUNCTION dpmix.gmm_published(regclass, name[], float8, float8, name, text, float8) IS
    E'for comparison only, NOT PRIVATE unless its column private says so, never charged, never stored: one draw of the published '
    'mixture mechanism (Liu, Scaglione, Peisert, Algorithm 1) or of what it is compared with. For the table''s owner and superusers; '
    'a protected table with bounds and categories and at most 100000 complete rows; rows with a missing feature or label are skipped.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'method: published; record, its variant for one row''s features; iid_laplace, iid_gaussian, private for one row more or less; '
    'coloured_gaussian, r1smg\n'
    'clip: of method record: the largest norm of a row''s features, in their units\n'
    'Errors: PV003 no bounds or categories; PV005 parameter, too many rows, or a class with too few or constant ones; PV006 not '
    'protected; 42501 not the owner.\n'
    'See also: docs/proofs/published_gmm.md.';
COMMENT ON FUNCTION dpmix.cda(anyelement, name[], name, bigint, float8, float8, integer, text, text, float8) IS
    E'private synthetic rows of a protected table, each the mean of some random records of one class, plus noise (DP-CDA with Poisson '
    'mixing). Charges (epsilon, delta) once, before a row is read; a ROLLBACK does not undo it. Values beyond the bounds are clamped; '
    'a record with a NULL, a NaN or an undeclared value in a feature or the label is in no row. A WARNING, made of public numbers and '
    'noisy counts, says in how many classes noise hides what rows shall show.\n'
    'row_type: NULL::the_table; columns that are neither features nor label are NULL\n'
    'features: columns with declared bounds, booleans, and columns with declared categories alone, of which each row gets one, in the '
    'shares that its class has; at most 4096 coordinates: numbers, booleans and categories of all together\n'
    'label: a column with declared categories, each a class; NULL: one class; under adjacency label the declared one\n'
    'rows: 1 to 10^9 over all classes, at least one for each where they are balanced\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'mix: how many records a row is the mean of, on average, 1 to 10000: each joins with probability mix over the noisy number of the '
    'class''s records; in a class with fewer, all. NULL: chosen from public numbers and noisy counts. Without demixing, for each '
    'class the least that brings the noise of a value down to 0.2 of half the bounds'' width, about the spread of a class, or near '
    'the least there can be. With it, what leaves most of the spread to be seen: 0.505 mu N / sqrt(T) for N records and T rows of an '
    'average class, under per_class at most a quarter of a class''s own records\n'
    'demix: none; per_class or tied (one shape for all classes) stretch rows back to the spread that averaging took. It sees released '
    'rows only, so it is free; at most 2048 coordinates\n'
    'class_rows: balanced, as many rows of each class (differing by one at most), or proportional, in the shares of the noisy counts, '
    'where a class may get none\n'
    'clip: above 0, at most 1: records farther from the middle of all bounds than this share of the distance of a corner are moved '
    'toward it, and the noise is as much less; means are drawn to the middle and shares to equal ones\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories; PV004 ledger; PV005 parameter; '
    'PV006 not protected, or no access.\n'
    'See also: dpmix.preview_cda, dpmix.cda_progress, dpmix.compare, docs/guide/synthetic_tables.md, docs/proofs/synthetic.md, '
    'docs/proofs/synthetic_records.md, docs/proofs/synthetic_demix.md.';
COMMENT ON FUNCTION dpmix.preview_cda(anyelement, name[], name, bigint, float8, float8, integer, text, text, float8) IS
    E'what dpmix.cda() would charge, and how noisy its counts would be, for the same arguments. One row; free; reads no row; needs '
    'access.\n'
    'mechanism: poisson_mixing\n'
    'epsilon, delta: what would be charged\n'
    'mu: all rows together reveal no more than Gaussian noise that is mu-GDP, but for delta / 16. With accountant basic and adjacency '
    'add_remove that holds only at two epsilons, just below and above the call''s own, and elsewhere rows may reveal more; counts and '
    'rows together are (epsilon, delta)-private all the same\n'
    'count_stddev: of the noise in each class''s number of records\n'
    'charge_cost, charge_delta, charge_share, calls_left: as in dpmix.preview()\n'
    'Errors: as dpmix.cda().';
COMMENT ON FUNCTION dpmix.cda_epsilon(bigint, int, bigint, float8, float8, float8, text, text, text) IS
    E'the epsilon at delta of rows_per_class synthetic rows of one class (for a record that changes its label, of each of two such '
    'classes), each the mean of mix of class_rows records, plus Gaussian noise on each coordinate: a proved bound, free. The noise of '
    'a release and its class counts are not in it: see dpmix.preview_cda().\n'
    'class_rows: records of the class, 1 to 2^53\n'
    'mix: 1 to 2^31 - 1\n'
    'rows_per_class: 1 to 2^30\n'
    'clip: largest norm of a record, 1e-150 to 1e150; for pld at most 30 mix scale unless all records join\n'
    'scale: standard deviation of the noise, in the units of the norm, 1e-150 to 1e150\n'
    'delta: 1e-20 to 0.5\n'
    'adjacency: add_remove, replace or label\n'
    'sampler: poisson, each record joins a row with probability mix / class_rows and the sum is divided by mix, as dpmix.cda() does; '
    'without_replacement, exactly mix records, where class_rows counts the record that may leave, and mix is less\n'
    'accountant: pld, within 0.5% (up to 10^5 rows; 1% at 10^6) of the epsilon of the worst tables, or, where a record is replaced '
    'without replacement, of the least pair of laws that covers them all; rdp, the best of many Renyi orders, never less; published, '
    'for comparison only and NOT a guarantee: Theorem 1 of the DP-CDA paper for N = class_rows records, T = rows_per_class rows and '
    'the same noise on labels, whatever the sampler and adjacency; nothing is charged by it\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/proofs/synthetic_epsilon.md.';
COMMENT ON FUNCTION dpmix.compare(regclass, regclass, name, name[]) IS
    E'NOT PRIVATE: exact measures of how alike a protected table and a synthetic one are, for the owner''s eyes; '
    'dpmix.compare_private() makes one to show. Never charged, never stored; a NOTICE and the column private say so. For the owner of '
    'relation and superusers, with SELECT on synthetic. Rows are read as everywhere: values beyond bounds are clamped, a missing one '
    'leaves its column''s count.\n'
    'label: a column with declared categories\n'
    'features: columns with bounds or declared categories, or boolean; NULL: all such columns of both tables, but those that are NULL '
    'in all synthetic rows\n'
    'measure: rows, complete_rows; accuracy, the share of the real rows that a classifier gets right (a Gaussian for each class, '
    'learnt from the real and from the synthetic rows), or, without a label, log_density, the mean of the real rows, in nats; '
    'accuracy_of_largest_class, class_total_variation, class_share; mean, stddev, quantile, ks_distance, total_variation (of numbers '
    'on 20 equal cells between the bounds), share; correlation, its largest and mean absolute difference\n'
    'column_name, other_column, category: what the measure is of; of a quantile, category says which\n'
    'real_value, synthetic_value: in the units of the column; dates are days, timestamps seconds since 2000-01-01\n'
    'difference: synthetic_value - real_value, or a distance\n'
    'private: always false\n'
    'Errors: PV003 bounds or categories missing; PV005 parameter; PV006 not protected; 42501 not the owner, or no SELECT on '
    'synthetic.\n'
    'See also: docs/guide/comparisons.md, docs/proofs/comparison.md.';
COMMENT ON FUNCTION dpmix.compare_private(regclass, regclass, float8, float8, name, name[]) IS
    E'the measures of dpmix.compare() from noisy statistics of the protected table, without rows and quantile. Charges (epsilon, '
    'delta) once, before any row of it is read. Needs access to relation and SELECT on synthetic, which is read exactly, as the '
    'caller, before, and alone decides which columns features => NULL stands for. Shares of the budget (mu^2): 4 what the classifier '
    'gets right, 3 means, deviations and correlations, 2 distributions, 1 class counts; what is not asked is left to the others.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: under adjacency label the declared one; what other columns alone tell has no noise there\n'
    'real_value: NULL for accuracy and log_density: nothing is learnt from real rows\n'
    'error_bound_95: noise moves real_value (of a distance: difference; of accuracy and log_density: synthetic_value) by no more in '
    '95 of 100 calls, as simulated, not proved\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories; PV004 ledger; PV005 parameter, or '
    'no complete synthetic row; PV006 not protected, or no access; 42501 no SELECT on synthetic.\n'
    'See also: dpmix.preview_compare, docs/guide/comparisons.md, docs/proofs/comparison.md.';
COMMENT ON FUNCTION dpmix.preview_compare(regclass, regclass, float8, float8, name, name[]) IS
    E'what dpmix.compare_private() would charge and add as noise, for the same arguments. One row; free; reads no row of relation (of '
    'synthetic, where features is NULL, to see which columns hold values); needs access.\n'
    'mechanism: family of the noise\n'
    'epsilon, delta: what would be charged\n'
    'mu: all its statistics together are mu-GDP\n'
    'count_stddev: of the noise in the number of rows that the classifier gets right; without one in each class count, else in the '
    'number of rows\n'
    'charge_cost, charge_delta, charge_share, calls_left: as in dpmix.preview()\n'
    'Errors: as dpmix.compare_private().';
COMMENT ON FUNCTION dpmix.running_cda() IS
    'the rows of dpmix.cda_progress, which says what they are.';
COMMENT ON VIEW dpmix.cda_progress IS
    'calls of dpmix.cda() that run in this database now: those of the current user''s roles, all of tables that it owns, and all for '
    'superusers and members of pg_read_all_stats. Of more than 32 calls some are not shown.';
-- Scheduled releases: a recipe, when it is due, and what became of each time. Called by pg_cron or any
-- other clock; docs/guide/schedules.md.

CREATE TABLE dpmix.schedule (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text        NOT NULL UNIQUE,
    owner         name        NOT NULL,
    owner_oid     oid         NOT NULL,  -- so that a new role under an old name does not own it
    kind          text        NOT NULL CHECK (kind IN ('query', 'gmm', 'cda')),
    spec          jsonb       NOT NULL,
    table_ids     bigint[]    NOT NULL,  -- protected tables that pay as of its creation, and those charged since
    period        interval    NOT NULL,
    start         timestamptz NOT NULL,  -- period n is due at start + n * period, in time_zone
    first_period  bigint      NOT NULL,
    time_zone     text        NOT NULL,  -- settings of the session that made it
    search_path   text        NOT NULL,
    date_style    text        NOT NULL,
    epsilon       float8      NOT NULL,  -- of a period
    delta         float8      NOT NULL,
    active        boolean     NOT NULL DEFAULT true,
    created       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    result_schema name,                  -- where released rows go; NULL for gmm
    result_table  name,
    columns       name[],
    types         regtype[]
);
COMMENT ON TABLE dpmix.schedule IS 'recipes of releases that are made again and again';

CREATE TABLE dpmix.schedule_run (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule_id   bigint      NOT NULL,
    period        bigint      NOT NULL,
    due           timestamptz NOT NULL,
    attempt       integer     NOT NULL,  -- 0: none was made
    state         text        NOT NULL CHECK (state IN ('running', 'stored', 'failed', 'spent', 'skipped')),
    role          name        NOT NULL,  -- current_user of the call
    charges_after bigint      NOT NULL,  -- newest charge when the attempt began
    charge_ids    bigint[]    NOT NULL DEFAULT '{}',
    started       timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    finished      timestamptz,
    sqlstate      text,
    message       text,
    detail        text,
    hint          text,
    UNIQUE (schedule_id, period, attempt)
);
CREATE INDEX ON dpmix.schedule_run (schedule_id) WHERE state = 'running';
COMMENT ON TABLE dpmix.schedule_run IS
    'attempts at the periods of schedules, recorded before they charge';

DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['schedule', 'schedule_run'] LOOP
        PERFORM pg_catalog.pg_extension_config_dump(format('dpmix.%I', t)::regclass, '');
        PERFORM pg_catalog.pg_extension_config_dump(
            pg_catalog.pg_get_serial_sequence(format('dpmix.%I', t), 'id')::regclass, '');
    END LOOP;
END $$;

CREATE FUNCTION dpmix.create_schedule(name text, kind text, spec jsonb, period interval, start timestamptz DEFAULT NULL,
                                      periods integer DEFAULT NULL)
    RETURNS TABLE (name text, first_due timestamptz, next_due timestamptz, epsilon float8, delta float8,
                   charge_share float8, periods_left bigint, runs_out_at timestamptz)
    LANGUAGE c VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'dpmix_create_schedule';
COMMENT ON FUNCTION dpmix.create_schedule(text, text, jsonb, interval, timestamptz, integer) IS
    E'keeps a recipe of a release, for dpmix.run_schedule. Free. Needs access; its maker owns it, pays, and owns what is stored. Settings '
    'TimeZone, search_path and DateStyle of the session are kept with it, others are PostgreSQL''s defaults. Nothing is set aside: other '
    'releases spend from the same budget.\n'
    'name: a new one, 1 to 100 characters in up to 200 bytes\n'
    'kind: query, gmm or cda\n'
    'spec: the arguments of dpmix.query, dpmix.release_gmm (without name) or dpmix.cda (relation instead of row_type) by name. For query '
    'and cda also into: the table that released rows are appended to after a column due, made here unless the caller has one that fits. Up to 1 MiB\n'
    'period: 1 minute to 10 years; period n, from 0, is due at start + n * period in the session''s time zone\n'
    'start: within a thousand years; NULL: now. Of a start in the past the first period is the first due from now on\n'
    'periods: how many must fit the budget and the caller''s cap now, 1 or more; NULL: any number\n'
    'first_due, next_due: when the first two periods are due\n'
    'epsilon, delta: charged for a period\n'
    'charge_share: share of the whole budget that a period takes, 0 to 1 and above\n'
    'periods_left: how many fit the budget and the caller''s cap if nothing else is charged\n'
    'runs_out_at: when the first period is due that does not fit; NULL: beyond the calendar\n'
    'Errors: PV005 a name that is taken, or a bad name, kind, spec, calendar or number of periods; PV001 fewer than periods fit; 55000 a '
    'table into that does not fit or is another role''s; PV004 on a standby; PV006 no access; what the release itself refuses.\n'
    'See also: dpmix.schedules, docs/guide/schedules.md, docs/proofs/schedule.md.';

CREATE PROCEDURE dpmix.run_schedule(name text, at timestamptz DEFAULT NULL, retry boolean DEFAULT false)
    LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_run_schedule';
COMMENT ON PROCEDURE dpmix.run_schedule(text, timestamptz, boolean) IS
    E'makes the release of the latest period that is due, unless it is stored, with the rights of the schedule''s owner; older ones are '
    'skipped, and a paused schedule makes none. Succeeds when there is nothing left to do, else raises what went wrong, on record in '
    'dpmix.schedule_runs. What failed before its charge is free and tried again by the next call; a period that was charged and whose '
    'release was not stored is spent, and run again only with retry. Commits, so it cannot be called in a transaction block or function. For the owner, members of that role and '
    'superusers.\n'
    'at: stands in for the clock, for those with the rights of the owner of each protected table that pays or has paid; NULL: the clock\n'
    'retry: true: run a spent period again, for a new charge\n'
    'Errors: PV006 no such schedule, not yours, or at is not for you; 55000 the latest period is spent, or the owner is gone; PV005 a name '
    'that is NULL, an infinite at; 25001 in a transaction block; PV004 on a standby; those of the release.\n'
    'See also: docs/guide/schedules.md, docs/proofs/schedule.md.';

CREATE FUNCTION dpmix.set_schedule_active(name text, active boolean)
    RETURNS void LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_set_schedule_active';
COMMENT ON FUNCTION dpmix.set_schedule_active(text, boolean) IS
    E'pauses or resumes a schedule; waits for a run to end. For its owner, members of that role and superusers.\n'
    'active: false: pause\n'
    'Errors: PV006 no such schedule, or not yours; PV005 an argument is NULL; PV004 on a standby.';

CREATE FUNCTION dpmix.drop_schedule(name text)
    RETURNS void LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_drop_schedule';
COMMENT ON FUNCTION dpmix.drop_schedule(text) IS
    E'forgets a schedule and its history; waits for a run to end. What was released and charged stays. For its owner, members '
    'of that role and superusers.\n'
    'Errors: PV006 no such schedule, or not yours; PV005 name is NULL; PV004 on a standby.';

CREATE FUNCTION dpmix.schedule_outlook(schedule bigint, OUT next_due timestamptz, OUT charge_share float8,
                                       OUT periods_left bigint, OUT runs_out_at timestamptz)
    RETURNS record LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_schedule_outlook';
COMMENT ON FUNCTION dpmix.schedule_outlook(bigint) IS
    E'what dpmix.schedules says of the future of a schedule. Free. Without a price, as after access was revoked, all but next_due are '
    'NULL; all are where there is no such schedule, or it is not yours.\n'
    'schedule: its number: the view asks with it\n'
    'next_due, charge_share, periods_left, runs_out_at: as in dpmix.schedules';

-- Whose they are, recognised by oid and name as everywhere, and who may look.
-- A barrier, so that no plan asks for the outlook of a schedule that is not shown.
CREATE VIEW dpmix.known_schedule WITH (security_barrier) AS
    SELECT k.*
    FROM (SELECT s.*, coalesce(pg_catalog.pg_has_role(o.oid, 'USAGE'),
                               (SELECT u.rolsuper FROM pg_catalog.pg_roles u WHERE u.rolname = current_user)) AS owned
          FROM dpmix.schedule s
          LEFT JOIN pg_catalog.pg_roles o ON o.oid = s.owner_oid AND o.rolname = s.owner) k
    WHERE k.owned OR EXISTS (SELECT FROM dpmix.known_table t WHERE t.id = ANY (k.table_ids) AND t.owned);
COMMENT ON VIEW dpmix.known_schedule IS
    'schedules that the current user sees: those of its roles (owned), and those about tables that it owns';

CREATE VIEW dpmix.schedules WITH (security_barrier) AS
    SELECT s.name, s.owner, s.kind, s.spec, s.period, s.start, s.time_zone, s.active,
           CASE WHEN s.result_table IS NOT NULL
                THEN format('%I.%I', s.result_schema, s.result_table) END AS result_table,
           o.next_due, s.epsilon, s.delta, o.charge_share, o.periods_left, o.runs_out_at,
           r.due AS last_due, r.state AS last_state, CASE WHEN s.owned THEN r.message END AS last_error
    FROM dpmix.known_schedule s
    CROSS JOIN LATERAL dpmix.schedule_outlook(s.id) o
    LEFT JOIN LATERAL (SELECT l.due, l.state, l.message FROM dpmix.schedule_run l
                       WHERE l.schedule_id = s.id AND l.attempt > 0
                       ORDER BY l.period DESC, l.attempt DESC LIMIT 1) r ON true;
COMMENT ON VIEW dpmix.schedules IS
    E'schedules of the current user''s roles and about tables that they own. Each row is priced as its preview is: some milliseconds.\n'
    'See also: dpmix.create_schedule, docs/guide/schedules.md.';
COMMENT ON COLUMN dpmix.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpmix.schedules.owner IS 'role that made it, which pays and owns what is stored';
COMMENT ON COLUMN dpmix.schedules.kind IS 'query, gmm or cda';
COMMENT ON COLUMN dpmix.schedules.spec IS 'the recipe';
COMMENT ON COLUMN dpmix.schedules.period IS 'from one period to the next, in the calendar of time_zone';
COMMENT ON COLUMN dpmix.schedules.start IS 'when period 0 is, or would have been, due';
COMMENT ON COLUMN dpmix.schedules.time_zone IS 'in which periods are counted';
COMMENT ON COLUMN dpmix.schedules.active IS 'false: paused';
COMMENT ON COLUMN dpmix.schedules.result_table IS 'where released rows go; NULL for gmm, whose models are in dpmix.release';
COMMENT ON COLUMN dpmix.schedules.next_due IS 'due time of the period that runs next: in the past when it is late or to be tried again; NULL: none can run';
COMMENT ON COLUMN dpmix.schedules.epsilon IS 'charged for a period';
COMMENT ON COLUMN dpmix.schedules.delta IS 'charged for a period';
COMMENT ON COLUMN dpmix.schedules.charge_share IS 'share of the whole budget that a period takes, 0 to 1 and above';
COMMENT ON COLUMN dpmix.schedules.periods_left IS
    'how many periods fit the budget and the owner''s cap now, if nothing else is charged; NULL: refused now, as without access';
COMMENT ON COLUMN dpmix.schedules.runs_out_at IS 'when the first period is due that does not fit; NULL: beyond the calendar';
COMMENT ON COLUMN dpmix.schedules.last_due IS 'due time of the last period that was attempted';
COMMENT ON COLUMN dpmix.schedules.last_state IS 'what became of it, as in dpmix.schedule_runs';
COMMENT ON COLUMN dpmix.schedules.last_error IS 'what went wrong, if anything; NULL for who has not the rights of the schedule''s owner';

CREATE VIEW dpmix.schedule_runs WITH (security_barrier) AS
    SELECT r.id, s.name, r.period, r.due, r.attempt, r.state, r.role, r.charge_ids, r.started, r.finished,
           r.sqlstate, CASE WHEN s.owned THEN r.message END AS message,
           CASE WHEN s.owned THEN r.detail END AS detail, CASE WHEN s.owned THEN r.hint END AS hint
    FROM dpmix.known_schedule s JOIN dpmix.schedule_run r ON r.schedule_id = s.id;
COMMENT ON VIEW dpmix.schedule_runs IS
    E'what became of each period of the schedules in dpmix.schedules: a row for each attempt.\n'
    'See also: dpmix.run_schedule, docs/guide/schedules.md.';
COMMENT ON COLUMN dpmix.schedule_runs.id IS 'number of the attempt: schedule_run in the parameters of its charges in dpmix.ledger';
COMMENT ON COLUMN dpmix.schedule_runs.name IS 'name of the schedule';
COMMENT ON COLUMN dpmix.schedule_runs.period IS 'number of the period, 0 being due at the start';
COMMENT ON COLUMN dpmix.schedule_runs.due IS 'when it was due';
COMMENT ON COLUMN dpmix.schedule_runs.attempt IS 'first, second ... attempt at the period; 0: skipped';
COMMENT ON COLUMN dpmix.schedule_runs.state IS
    'stored; failed: not charged, the next call tries again; spent: charged but not stored, and not run again without retry; '
    'skipped: a later one was due as well (the newest 1000 are recorded); running: under way, or its end is found out by the next call';
COMMENT ON COLUMN dpmix.schedule_runs.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.schedule_runs.charge_ids IS 'its charges in dpmix.ledger, one for each protected table';
COMMENT ON COLUMN dpmix.schedule_runs.started IS 'server''s clock';
COMMENT ON COLUMN dpmix.schedule_runs.finished IS 'server''s clock; of an attempt that was cut off, when that was found out';
COMMENT ON COLUMN dpmix.schedule_runs.sqlstate IS 'of the error, NULL without';
COMMENT ON COLUMN dpmix.schedule_runs.message IS
    'of the error, as detail and hint: for who has the rights of the schedule''s owner, since it may quote what was released';
COMMENT ON COLUMN dpmix.schedule_runs.detail IS 'of the error';
COMMENT ON COLUMN dpmix.schedule_runs.hint IS 'of the error';

GRANT SELECT ON dpmix.schedules, dpmix.schedule_runs TO PUBLIC;
-- When a budget runs out. A gauge for those who see the budget; nothing is decided by it.

CREATE FUNCTION dpmix.forecast(
    INOUT relation regclass, IN past interval DEFAULT '30 days', IN at timestamptz DEFAULT NULL,
    OUT since timestamptz, OUT charges bigint, OUT share_spent float8, OUT share_per_day float8,
    OUT epsilon_per_day float8, OUT limited_by text, OUT charges_left bigint, OUT days_left float8,
    OUT runs_out_at timestamptz, OUT caution text)
    RETURNS record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_forecast';
COMMENT ON FUNCTION dpmix.forecast(regclass, interval, timestamptz) IS
    E'when the budget of a table runs out if its charges go on as in the past span, by what its accountant admits. For those who see the '
    'table in dpmix.budget. Free; nothing is decided by it.\n'
    'past: the span, above 0, up to 100 years\n'
    'at: as of an earlier moment, for the owner; NULL: now\n'
    'since: where the span begins, not before the table was protected; for others than the owner at their own last charge before the '
    'span, else where the table was protected, as dpmix.audit shows them no other totals\n'
    'charges: made in the span\n'
    'share_spent: as in dpmix.budget\n'
    'share_per_day: what the span took each day of the sum that will end the budget, as a share of what that may come to\n'
    'epsilon_per_day: sum of epsilon as declared, a day\n'
    'limited_by: the sum that will end the budget, a column of dpmix.ledger; NULL without charges in the span\n'
    'charges_left: how many charges of the average size fit; NULL without charges in the span\n'
    'days_left: NULL where the budget does not run out at this pace\n'
    'runs_out_at: NULL there too, and beyond 1000 years\n'
    'caution: why not to rely on it; NULL: nothing known\n'
    'Errors: PV005 past out of range, or at in the future or before the table was protected; PV006 no such budget, or not yours to see; '
    '42501 at for others than the owner.\n'
    'See also: docs/guide/ledger.md#when-the-budget-runs-out.';
-- Pictures of what is known anyway, as SVG documents: nothing here reads a protected table.

CREATE FUNCTION dpmix.budget_svg(relation regclass) RETURNS text
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_budget_svg';
COMMENT ON FUNCTION dpmix.budget_svg(regclass) IS
    E'picture of a table''s privacy budget: the composed total over time (UTC), stacked by the role that was charged, below the budget and '
    'its changes. The owner sees all roles; others with access see their own, and the rest as one, at the times of their own charges, as '
    'in dpmix.audit. A standalone SVG document in ASCII of bounded size: six roles in colours, the rest together; at most 300 steps. '
    'Free.\n'
    'Errors: PV006 not protected, or no access; PV005 NULL.\n'
    'See also: docs/guide/pictures.md.';

-- A row for each group of a query ------------------------------------------------------------------

CREATE FUNCTION dpmix.interval_svg_add(state internal, label text, answer float8, low float8, high float8)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix.interval_svg_add(internal, text, float8, float8, float8) IS
    'transition function of dpmix.interval_svg';
CREATE FUNCTION dpmix.interval_svg_add(state internal, label text, answer float8, low float8, high float8, title text)
    RETURNS internal
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_add';
COMMENT ON FUNCTION dpmix.interval_svg_add(internal, text, float8, float8, float8, text) IS
    'transition function of dpmix.interval_svg with a title';
CREATE FUNCTION dpmix.interval_svg_draw(state internal) RETURNS text
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_interval_svg_draw';
COMMENT ON FUNCTION dpmix.interval_svg_draw(internal) IS 'final function of dpmix.interval_svg';

-- No COMBINEFUNC: rows are drawn in the order they come in.
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8) (
    SFUNC = dpmix.interval_svg_add, STYPE = internal, SSPACE = 8192, FINALFUNC = dpmix.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8) IS
    E'picture of answers and their intervals, one row for each input row, in their order (ORDER BY within the call): a dot for the answer, '
    'a bar from low to high. A standalone SVG document in ASCII. The first 300 rows are drawn, the others counted. Draws what it is given '
    'and reads nothing else: free. No value raises.\n'
    'label: cut to what fits\n'
    'answer, low, high: NULL and NaN leave gaps, infinite ends are arrows\n'
    'See also: dpmix.query, docs/guide/pictures.md.';
CREATE AGGREGATE dpmix.interval_svg(label text, answer float8, low float8, high float8, title text) (
    SFUNC = dpmix.interval_svg_add, STYPE = internal, SSPACE = 8192, FINALFUNC = dpmix.interval_svg_draw, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.interval_svg(text, float8, float8, float8, text) IS
    E'the same under a title.\n'
    'title: of the rows the first that is not NULL';
-- A page for the owner, of what the ledger and the catalog say of a table.

CREATE FUNCTION dpmix.report(relation regclass, newest integer DEFAULT 300, at timestamptz DEFAULT NULL)
    RETURNS text LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_report';
COMMENT ON FUNCTION dpmix.report(regclass, integer, timestamptz) IS
    E'a static HTML page about a protected table, for its owner and superusers: the guarantee in words, what is left and how long it '
    'lasts, who used what, what was released at what cost, stored models, schedules, declarations, history of the budget. One file in '
    'ASCII, without scripts or links. Times are in the session''s time zone. Free; reads no row of the table. It holds the query texts of '
    'all roles.\n'
    'relation: a table that is protected, or was\n'
    'newest: how many releases are listed one by one, 0 to 10000; older ones are summed by month\n'
    'at: as of an earlier moment; NULL: now. Access, bounds and categories are always those of today\n'
    'Errors: PV005 newest out of range, or at in the future or before the table was protected; PV006 never protected; 42501 not the '
    'owner.\n'
    'See also: dpmix.forecast, dpmix.budget_svg, docs/guide/report.md.';
