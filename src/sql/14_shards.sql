-- States of parts of the rows: of several databases, and of the shards of a Citus cluster. Exact and
-- noise-free, as in 10_stats.sql.

-- Several databases -------------------------------------------------------------------------------

-- Their statistics as plain SQL, and what adds them up.

CREATE AGGREGATE dpmix.merge(dpmix.exact_state) (
    SFUNC = dpmix_internal.state_combine, STYPE = dpmix.exact_state, INITCOND = '()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.exact_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any '
    'order and grouping. NULL is skipped; of nothing, the state of no rows. A set, which stands for '
    'dp_count_distinct, does not say which categories its bits stand for: they must be declared alike, in the same '
    'order, in every database.\n'
    'Errors: PV005 states of different kinds, lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.numbers, dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(bigint) (
    SFUNC = pg_catalog.int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = pg_catalog.int8pl, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(bigint) IS
    E'the sum of counts, as bigint. NULL is skipped; of nothing, 0.\n'
    'Errors: 22003 beyond the range of bigint.';

CREATE FUNCTION dpmix.partial_sql(query text, params text[] = '{}') RETURNS text
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial_sql';
COMMENT ON FUNCTION dpmix.partial_sql(text, text[]) IS
    E'a plain SELECT of the exact statistics, WITHOUT NOISE, that dpmix.query would compute for this text over the '
    'rows of this database: the keys of each group that has rows, then one state for each statistic, which '
    'dpmix.merge adds up over several databases. It is for a view of the owner''s: whoever runs it needs SELECT on '
    'the table as for any other SELECT, and sees exact numbers. Reads no row, charges nothing, needs access as '
    'dpmix.query does. Bounds and categories are those of now. To be read where pg_catalog comes first in search_path '
    'and standard_conforming_strings is on, as they are by default.\n'
    'query: as for dpmix.query, without rows drawn from those of a privacy unit\n'
    'params: $1, $2, ... of the query as texts, put into the SELECT as constants\n'
    'Errors: as dpmix.query; PV002 too where a privacy unit may have several rows.\n'
    'See also: docs/guide/scale.md.';

CREATE FUNCTION dpmix.partial(query text, params text[] = '{}') RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial';
COMMENT ON FUNCTION dpmix.partial(text, text[]) IS
    E'what the SELECT of dpmix.partial_sql returns: EXACT statistics WITHOUT NOISE, not private. Runs with the '
    'caller''s own rights: for those who have SELECT on all that the query reads, over the rows that they see. '
    'Charges nothing.\n'
    'query, params: as for dpmix.partial_sql\n'
    'Errors: as dpmix.partial_sql; PV005, with the list to write, when the column definition list does not fit; 42501 '
    'no SELECT.\n'
    'See also: docs/guide/scale.md.';

-- The form for Citus ------------------------------------------------------------------------------

-- Citus runs an aggregate that has a combine function inside its own worker_partial_agg, which looks the
-- transition function up again for every row. One that has none it sends to the shards as it stands,
-- if it knows by the name how to join the results: those of array_agg, whoever made it, it
-- concatenates. So this one does what any of the statistics aggregates does, and returns an array of one state;
-- dpmix_internal.joined_states merges what comes back.

CREATE FUNCTION dpmix_internal.shard_state_add(dpmix.exact_state, VARIADIC "any") RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_shard_state_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.shard_state_add(dpmix.exact_state, VARIADIC "any") IS
    'transition function of dpmix_internal.array_agg';
CREATE FUNCTION dpmix_internal.state_array(dpmix.exact_state) RETURNS dpmix.exact_state[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_array';
COMMENT ON FUNCTION dpmix_internal.state_array(dpmix.exact_state) IS
    'final function of dpmix_internal.array_agg: an array of one element, the state';

CREATE AGGREGATE dpmix_internal.array_agg(VARIADIC "any") (
    SFUNC = dpmix_internal.shard_state_add, STYPE = dpmix.exact_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(VARIADIC "any") IS
    E'one of the statistics aggregates in an array, for the shards of a distributed table: its arguments, of the very '
    'types, then its name, a text constant. Of no row, the state of no rows.\n'
    'Errors: PV005 no such aggregate, and those of the aggregate.';

CREATE FUNCTION dpmix_internal.joined_states(dpmix.exact_state[]) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_joined_states';
COMMENT ON FUNCTION dpmix_internal.joined_states(dpmix.exact_state[]) IS
    'all states of an array, merged as by dpmix.merge, with its errors; the state of no rows where there is none';

-- Weights of units on their shards ----------------------------------------------------------------

-- All rows of a unit lie on one shard, which counts there what unit_weights counts on one machine: by GROUP BY and
-- sums of each unit, or where these would be many numbers (histograms), by windows over the rows.

CREATE FUNCTION dpmix_internal.norm_add(norm bigint, rows bigint, most bigint, by_rows boolean) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_norm_add';
COMMENT ON FUNCTION dpmix_internal.norm_add(bigint, bigint, bigint, boolean) IS
    'transition function of dpmix_internal.norm_sum';
CREATE AGGREGATE dpmix_internal.norm_sum(rows bigint, most bigint, by_rows boolean) (
    SFUNC = dpmix_internal.norm_add, STYPE = bigint, INITCOND = '0', PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.norm_sum(bigint, bigint, boolean) IS
    E'sum of the squares of numbers of rows, or with by_rows of these numbers, each at most `most` where that is above '
    '0; not above 2^63 - 1\n'
    'Errors: PV005 a number below 0.';

CREATE FUNCTION dpmix_internal.row_order(record) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_row_order';
COMMENT ON FUNCTION dpmix_internal.row_order(record) IS
    'a hash of the bytes of a row, whatever its types: by it so many rows of a unit are picked on its shard';

CREATE FUNCTION dpmix_internal.norm_weight(rows bigint, norm bigint, most bigint, bound bigint, by_rows boolean,
                                           bits integer) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_norm_weight';
COMMENT ON FUNCTION dpmix_internal.norm_weight(bigint, bigint, bigint, bigint, boolean, integer) IS
    E'what each row of a privacy unit counts, in units of 2^-bits, in a group where it has so many rows: the largest '
    'weight of all its rows that keeps the bound, cut where a group has more than `most`. 0 where norm is 2^63 - 1.\n'
    'norm: dpmix_internal.norm_sum over its groups; bits: 0 to 20\n'
    'Errors: PV005 a number below 0, or too many bits.';

-- Sums of the rows of one unit, in one group, and what adds them up with weights.

CREATE FUNCTION dpmix_internal.unit_sum_add(unit bytea, x float8, origin float8, step float8, low float8, high float8)
    RETURNS bytea
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_unit_sum_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.unit_sum_add(bytea, float8, float8, float8, float8, float8) IS
    'transition function of dpmix_internal.unit_sum';
CREATE AGGREGATE dpmix_internal.unit_sum(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix_internal.unit_sum_add, STYPE = bytea, PARALLEL = SAFE,
    INITCOND = '\x000000000000000000000000000000000000000000000000'
);
COMMENT ON AGGREGATE dpmix_internal.unit_sum(float8, float8, float8, float8, float8) IS
    E'what dpmix_internal.lattice_sum counts and sums, of the rows of one privacy unit, in 24 bytes\n'
    'Errors: PV005 no lattice.';

CREATE FUNCTION dpmix_internal.lattice_sum_add(state dpmix.exact_state, unit bytea, origin float8, step float8,
                                               low float8, high float8, weight integer) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_sum_add_unit';
COMMENT ON FUNCTION dpmix_internal.lattice_sum_add(dpmix.exact_state, bytea, float8, float8, float8, float8, integer) IS
    'transition function of dpmix_internal.lattice_sum of weighed units';
CREATE AGGREGATE dpmix_internal.lattice_sum(unit bytea, origin float8, step float8, low float8, high float8,
                                            weight integer) (
    SFUNC = dpmix_internal.lattice_sum_add, STYPE = dpmix.exact_state, INITCOND = 'sum(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_sum(bytea, float8, float8, float8, float8, integer) IS
    E'dpmix_internal.lattice_sum of all units'' rows, as if each of a unit''s rows came weight times, from 0 to 2^20\n'
    'unit: dpmix_internal.unit_sum on the same lattice\n'
    'Errors: PV005 no such sum, no lattice, or several.';

CREATE FUNCTION dpmix_internal.unit_squares_add(unit bytea, x float8, origin float8, step float8, low float8,
                                                high float8) RETURNS bytea
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_unit_squares_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.unit_squares_add(bytea, float8, float8, float8, float8, float8) IS
    'transition function of dpmix_internal.unit_squares';
CREATE AGGREGATE dpmix_internal.unit_squares(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix_internal.unit_squares_add, STYPE = bytea, PARALLEL = SAFE,
    INITCOND = '\x00000000000000000000000000000000000000000000000000000000000000000000000000000000'
);
COMMENT ON AGGREGATE dpmix_internal.unit_squares(float8, float8, float8, float8, float8) IS
    E'what dpmix_internal.lattice_squares counts and sums, of the rows of one privacy unit, in 40 bytes\n'
    'Errors: PV005 no lattice.';

CREATE FUNCTION dpmix_internal.lattice_squares_add(state dpmix.exact_state, unit bytea, origin float8, step float8,
                                                   low float8, high float8, weight integer) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_squares_add_unit';
COMMENT ON FUNCTION dpmix_internal.lattice_squares_add(dpmix.exact_state, bytea, float8, float8, float8, float8,
                                                       integer) IS
    'transition function of dpmix_internal.lattice_squares of weighed units';
CREATE AGGREGATE dpmix_internal.lattice_squares(unit bytea, origin float8, step float8, low float8, high float8,
                                                weight integer) (
    SFUNC = dpmix_internal.lattice_squares_add, STYPE = dpmix.exact_state, INITCOND = 'squares(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_squares(bytea, float8, float8, float8, float8, integer) IS
    E'dpmix_internal.lattice_squares of all units'' rows, as if each of a unit''s rows came weight times, from 0 to '
    '2^20\n'
    'unit: dpmix_internal.unit_squares on the same lattice\n'
    'Errors: PV005 no such sum, no lattice, or several.';
