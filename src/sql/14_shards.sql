-- States of parts of the rows: of several databases, and of the shards of a Citus cluster. Exact and
-- noise-free, as in 10_stats.sql.

-- Several databases -------------------------------------------------------------------------------

-- Their statistics as plain SQL, and what adds them up.

CREATE FUNCTION dpmix_internal.merge_state(merged anyelement, state anyelement) RETURNS anyelement
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_merge_state';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.merge_state(anyelement, anyelement) IS
    'transition and combine function of dpmix.merge; NULL is the state of no row';
CREATE FUNCTION dpmix_internal.merged_state(merged anyelement) RETURNS anyelement
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_merged_state';
COMMENT ON FUNCTION dpmix_internal.merged_state(anyelement) IS 'final function of dpmix.merge';

CREATE AGGREGATE dpmix.merge(anyelement) (
    SFUNC = dpmix_internal.merge_state, STYPE = anyelement, FINALFUNC = dpmix_internal.merged_state,
    COMBINEFUNC = dpmix_internal.merge_state, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(anyelement) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any '
    'order and grouping. Of counts (bigint) it is the sum. Of sets of categories (bytea), which stand for '
    'dp_count_distinct, it is the union: bit_count() of a set is how many occur. A set does not say which categories '
    'its bits stand for: they must be declared alike, in the same order, in every database. NULL is skipped; of nothing, '
    'the state of no rows.\n'
    'Errors: PV005 another type, or states of different lattices, frames, cuts or edges; 22003 a count beyond bigint; '
    'XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

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

-- Forms for Citus ---------------------------------------------------------------------------------

-- The forms of the statistics aggregates that Citus computes on shards, each once and in place.
--
-- Citus runs an aggregate that has a combine function inside its own worker_partial_agg, which looks the
-- transition function up again for every row. One that has none it sends to the shards as it stands,
-- if it knows by the name how to join the results: those of array_agg, whoever made it, it
-- concatenates. So these return arrays of one state each, which dpmix_internal.joined_states merges. The last
-- argument tells those of equal arguments apart; nobody reads it.

CREATE FUNCTION dpmix_internal.state_array(anyelement) RETURNS anyarray
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_array';
COMMENT ON FUNCTION dpmix_internal.state_array(anyelement) IS
    'final function of dpmix_internal.array_agg: an array of one element, the state';

CREATE FUNCTION dpmix_internal.joined_states(anyarray) RETURNS anyelement
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_joined_states';
COMMENT ON FUNCTION dpmix_internal.joined_states(anyarray) IS
    E'all states of an array, of one of dpmix''s types or sets of dpmix_internal.numbers_seen, merged as by '
    'dpmix.merge; that of no row where there is none.\n'
    'Errors: PV005 another type, or states of different lattices, frames, cuts or edges; XX001 a corrupt state.';

-- Forms for Citus: numbers ------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.sum_state_add(state dpmix.sum_state, x float8, origin float8, step float8, low float8,
                                             high float8, kind dpmix.sum_state)
    RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_add';
COMMENT ON FUNCTION dpmix_internal.sum_state_add(dpmix.sum_state, float8, float8, float8, float8, float8,
    dpmix.sum_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.lattice_sum';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, origin float8, step float8, low float8, high float8,
                                          kind dpmix.sum_state) (
    SFUNC = dpmix_internal.sum_state_add, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8, float8, float8, float8, dpmix.sum_state) IS
    'dpmix_internal.lattice_sum(x, origin, step, low, high) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.squares_state_add(state dpmix.squares_state, x float8, origin float8, step float8,
                                                 low float8, high float8, kind dpmix.squares_state)
    RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_add';
COMMENT ON FUNCTION dpmix_internal.squares_state_add(dpmix.squares_state, float8, float8, float8, float8, float8,
    dpmix.squares_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.lattice_squares';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, origin float8, step float8, low float8, high float8,
                                          kind dpmix.squares_state) (
    SFUNC = dpmix_internal.squares_state_add, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8, float8, float8, float8, dpmix.squares_state) IS
    'dpmix_internal.lattice_squares(x, origin, step, low, high) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.sum_state_add(state dpmix.sum_state, x float8, origin float8, step float8, low float8,
                                             high float8, weight integer, kind dpmix.sum_state)
    RETURNS dpmix.sum_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_sum_state_add_weighed';
COMMENT ON FUNCTION dpmix_internal.sum_state_add(dpmix.sum_state, float8, float8, float8, float8, float8, integer,
    dpmix.sum_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.lattice_sum of weighed rows';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, origin float8, step float8, low float8, high float8, weight integer,
                                          kind dpmix.sum_state) (
    SFUNC = dpmix_internal.sum_state_add, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8, float8, float8, float8, integer, dpmix.sum_state) IS
    'dpmix_internal.lattice_sum(x, origin, step, low, high, weight) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.squares_state_add(state dpmix.squares_state, x float8, origin float8, step float8,
                                                 low float8, high float8, weight integer, kind dpmix.squares_state)
    RETURNS dpmix.squares_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_squares_state_add_weighed';
COMMENT ON FUNCTION dpmix_internal.squares_state_add(dpmix.squares_state, float8, float8, float8, float8, float8,
    integer, dpmix.squares_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.lattice_squares of weighed rows';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, origin float8, step float8, low float8, high float8, weight integer,
                                          kind dpmix.squares_state) (
    SFUNC = dpmix_internal.squares_state_add, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8, float8, float8, float8, integer, dpmix.squares_state) IS
    'dpmix_internal.lattice_squares(x, origin, step, low, high, weight) in an array, for the shards of a distributed '
    'table';

CREATE FUNCTION dpmix_internal.numbers_seen_add(seen bytea, number integer, size integer, kind bytea) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_add';
COMMENT ON FUNCTION dpmix_internal.numbers_seen_add(bytea, integer, integer, bytea) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.numbers_seen';
CREATE AGGREGATE dpmix_internal.array_agg(number integer, size integer, kind bytea) (
    SFUNC = dpmix_internal.numbers_seen_add, STYPE = bytea, INITCOND = '',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, integer, bytea) IS
    'dpmix_internal.numbers_seen(number, size) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.cell_counts_add(state dpmix.count_state, x float8, cut float8[],
                                               kind dpmix.count_state)
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cell_counts_add';
COMMENT ON FUNCTION dpmix_internal.cell_counts_add(dpmix.count_state, float8, float8[], dpmix.count_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.cell_counts';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, cut float8[], kind dpmix.count_state) (
    SFUNC = dpmix_internal.cell_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8[], dpmix.count_state) IS
    'dpmix_internal.cell_counts(x, cut) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.edge_counts_add(state dpmix.count_state, x float8, edges float8[],
                                               kind dpmix.count_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add';
COMMENT ON FUNCTION dpmix_internal.edge_counts_add(dpmix.count_state, float8, float8[], dpmix.count_state[]) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.edge_counts';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, edges float8[], kind dpmix.count_state[]) (
    SFUNC = dpmix_internal.edge_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8[], dpmix.count_state[]) IS
    'dpmix_internal.edge_counts(x, edges) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.edge_counts_add(state dpmix.count_state, x float8, edges float8[], weight integer,
                                               kind dpmix.count_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add_weighed';
COMMENT ON FUNCTION dpmix_internal.edge_counts_add(dpmix.count_state, float8, float8[], integer, dpmix.count_state[])
    IS 'transition function of dpmix_internal.array_agg as dpmix_internal.edge_counts of weighed rows';
CREATE AGGREGATE dpmix_internal.array_agg(x float8, edges float8[], weight integer, kind dpmix.count_state[]) (
    SFUNC = dpmix_internal.edge_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8, float8[], integer, dpmix.count_state[]) IS
    'dpmix_internal.edge_counts(x, edges, weight) in an array, for the shards of a distributed table';

-- Weights of units on their shards ----------------------------------------------------------------

-- All rows of a unit lie on one shard, where windows over them count what unit_weights counts on one machine.

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

CREATE FUNCTION dpmix_internal.norm_weight(rows bigint, norm bigint, most bigint, bound bigint, by_rows boolean,
                                           bits integer) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_norm_weight';
COMMENT ON FUNCTION dpmix_internal.norm_weight(bigint, bigint, bigint, bigint, boolean, integer) IS
    E'what each row of a privacy unit counts, in units of 2^-bits, in a group where it has so many rows: the largest '
    'weight of all its rows that keeps the bound, cut where a group has more than `most`. 0 where norm is 2^63 - 1.\n'
    'norm: dpmix_internal.norm_sum over its groups; bits: 0 to 20\n'
    'Errors: PV005 a number below 0, or too many bits.';

-- Forms for Citus: rows of a model ----------------------------------------------------------------

CREATE FUNCTION dpmix_internal.moment_state_add(state dpmix.moment_state, class integer, x float8[], frame float8[],
                                                kind dpmix.moment_state)
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_moment_state_add';
COMMENT ON FUNCTION dpmix_internal.moment_state_add(dpmix.moment_state, integer, float8[], float8[],
    dpmix.moment_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.class_moments';
CREATE AGGREGATE dpmix_internal.array_agg(class integer, x float8[], frame float8[], kind dpmix.moment_state) (
    SFUNC = dpmix_internal.moment_state_add, STYPE = dpmix.moment_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, float8[], float8[], dpmix.moment_state) IS
    'dpmix_internal.class_moments(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.class_distances_add(state dpmix.count_state, class integer, x float8[], frame float8[],
    kind dpmix.count_state)
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_distances_add';
COMMENT ON FUNCTION dpmix_internal.class_distances_add(dpmix.count_state, integer, float8[], float8[],
    dpmix.count_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.class_distances';
CREATE AGGREGATE dpmix_internal.array_agg(class integer, x float8[], frame float8[], kind dpmix.count_state) (
    SFUNC = dpmix_internal.class_distances_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, float8[], float8[], dpmix.count_state) IS
    'dpmix_internal.class_distances(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.class_clusters_add(state dpmix.count_state, class integer, x float8[], frame float8[],
                                                  kind dpmix.count_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_clusters_add';
COMMENT ON FUNCTION dpmix_internal.class_clusters_add(dpmix.count_state, integer, float8[], float8[],
    dpmix.count_state[]) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.class_clusters';
CREATE AGGREGATE dpmix_internal.array_agg(class integer, x float8[], frame float8[], kind dpmix.count_state[]) (
    SFUNC = dpmix_internal.class_clusters_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, float8[], float8[], dpmix.count_state[]) IS
    'dpmix_internal.class_clusters(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.marginal_counts_add(state dpmix.count_state, class integer, x float8[], tables float8[],
                                                   kind dpmix.moment_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_marginal_counts_add';
COMMENT ON FUNCTION dpmix_internal.marginal_counts_add(dpmix.count_state, integer, float8[], float8[],
    dpmix.moment_state[]) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.marginal_counts';
CREATE AGGREGATE dpmix_internal.array_agg(class integer, x float8[], tables float8[], kind dpmix.moment_state[]) (
    SFUNC = dpmix_internal.marginal_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, float8[], float8[], dpmix.moment_state[]) IS
    'dpmix_internal.marginal_counts(class, x, tables) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.logistic_moments_add(state dpmix.moment_state, class integer, x float8[],
                                                    frame float8[], kind dpmix.sample_state[])
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_logistic_moments_add';
COMMENT ON FUNCTION dpmix_internal.logistic_moments_add(dpmix.moment_state, integer, float8[], float8[],
    dpmix.sample_state[]) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.logistic_moments';
CREATE AGGREGATE dpmix_internal.array_agg(class integer, x float8[], frame float8[], kind dpmix.sample_state[]) (
    SFUNC = dpmix_internal.logistic_moments_add, STYPE = dpmix.moment_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(integer, float8[], float8[], dpmix.sample_state[]) IS
    'dpmix_internal.logistic_moments(class, x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.soft_moments_add(state dpmix.moment_state, x float8[], frame float8[],
                                                kind dpmix.moment_state)
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_soft_moments_add';
COMMENT ON FUNCTION dpmix_internal.soft_moments_add(dpmix.moment_state, float8[], float8[], dpmix.moment_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.soft_moments';
CREATE AGGREGATE dpmix_internal.array_agg(x float8[], frame float8[], kind dpmix.moment_state) (
    SFUNC = dpmix_internal.soft_moments_add, STYPE = dpmix.moment_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8[], float8[], dpmix.moment_state) IS
    'dpmix_internal.soft_moments(x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.cells_add(state dpmix.count_state, x float8[], frame float8[],
                                         kind dpmix.count_state)
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cells_add';
COMMENT ON FUNCTION dpmix_internal.cells_add(dpmix.count_state, float8[], float8[], dpmix.count_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.cells';
CREATE AGGREGATE dpmix_internal.array_agg(x float8[], frame float8[], kind dpmix.count_state) (
    SFUNC = dpmix_internal.cells_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8[], float8[], dpmix.count_state) IS
    'dpmix_internal.cells(x, frame) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.pair_counts_add(state dpmix.count_state, x float8[], shape float8[],
                                               kind dpmix.count_state[])
    RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_pair_counts_add';
COMMENT ON FUNCTION dpmix_internal.pair_counts_add(dpmix.count_state, float8[], float8[], dpmix.count_state[]) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.pair_counts';
CREATE AGGREGATE dpmix_internal.array_agg(x float8[], shape float8[], kind dpmix.count_state[]) (
    SFUNC = dpmix_internal.pair_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8[], float8[], dpmix.count_state[]) IS
    'dpmix_internal.pair_counts(x, shape) in an array, for the shards of a distributed table';

CREATE FUNCTION dpmix_internal.feature_sample_add(state dpmix.sample_state, x float8[], frame float8[],
                                                  kind dpmix.sample_state)
    RETURNS dpmix.sample_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_feature_sample_add';
COMMENT ON FUNCTION dpmix_internal.feature_sample_add(dpmix.sample_state, float8[], float8[], dpmix.sample_state) IS
    'transition function of dpmix_internal.array_agg as dpmix_internal.feature_sample';
CREATE AGGREGATE dpmix_internal.array_agg(x float8[], frame float8[], kind dpmix.sample_state) (
    SFUNC = dpmix_internal.feature_sample_add, STYPE = dpmix.sample_state, INITCOND = '()',
    FINALFUNC = dpmix_internal.state_array, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.array_agg(float8[], float8[], dpmix.sample_state) IS
    'dpmix_internal.feature_sample(x, frame) in an array, for the shards of a distributed table';
