-- Exact counts of rows by cell of one number, in the state of 11_count_stats.sql.

CREATE FUNCTION dpmix.cell_counts_add(state dpmix.count_state, x float8, cut float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cell_counts_add';
COMMENT ON FUNCTION dpmix.cell_counts_add(dpmix.count_state, float8, float8[]) IS 'transition function of dpmix.cell_counts';
CREATE AGGREGATE dpmix.cell_counts(x float8, cut float8[]) (
    SFUNC = dpmix.cell_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.cell_counts(float8, float8[]) IS
    E'exact number of rows in each cell of x, one class. What lies beyond is in the outermost cells; NULL and NaN are in none.\n'
    'cut: {lower, limit, cells}: 1 to 2^20 cells of equal width from lower to limit, each with its lower end and without its upper '
    'one, up to the rounding of (x - lower) * cells / (limit - lower), which is monotone\n'
    'Errors: PV005 an invalid or varying cut.';

CREATE FUNCTION dpmix.edge_counts_add(state dpmix.count_state, x float8, edges float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add';
COMMENT ON FUNCTION dpmix.edge_counts_add(dpmix.count_state, float8, float8[]) IS 'transition function of dpmix.edge_counts';
CREATE AGGREGATE dpmix.edge_counts(x float8, edges float8[]) (
    SFUNC = dpmix.edge_counts_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.edge_counts(float8, float8[]) IS
    E'exact number of rows with edges[i] <= x < edges[i+1], for each i, one class. What lies beyond them, NULL and NaN are in no cell.\n'
    'edges: 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV005 invalid or varying edges.';
