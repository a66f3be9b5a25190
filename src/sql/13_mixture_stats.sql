-- Exact, noise-free statistics of unlabelled rows, as seen from a mixture. As in 10_stats.sql: plain
-- sums over rows that the caller may read anyway.

-- By component ------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.soft_moments_add(state dpmix.moment_state, x float8[], frame float8[])
    RETURNS dpmix.moment_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_soft_moments_add';
COMMENT ON FUNCTION dpmix.soft_moments_add(dpmix.moment_state, float8[], float8[]) IS
    'transition function of dpmix.soft_moments';

CREATE AGGREGATE dpmix.soft_moments(x float8[], frame float8[]) (
    SFUNC = dpmix.soft_moments_add, STYPE = dpmix.moment_state, INITCOND = '()',
    COMBINEFUNC = dpmix.moment_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.soft_moments(float8[], float8[]) IS
    E'exact count, sum and products, for each component 0..K-1 of a public mixture, of rows as dpmix.class_moments places them, each '
    'counted by its share in the component: a whole number from 0 to 2^20, all of a row''s together at most 2^20. Shares are '
    'proportional to exp(log weight - tightness / 2 * |map (x - centre)|^2), rounded down; hard: all to the largest, the first of '
    'equals. A row with a NULL or a NaN contributes nothing.\n'
    'frame: that of dpmix.class_moments with a class for each component, then: hard 0|1, log weight[K], tightness[K], and nothing '
    'more or a second frame of as many classes and features, which densities are seen from instead of the first\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- By cell -----------------------------------------------------------------------------------------

CREATE FUNCTION dpmix.cells_add(state dpmix.count_state, x float8[], frame float8[]) RETURNS dpmix.count_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cells_add';
COMMENT ON FUNCTION dpmix.cells_add(dpmix.count_state, float8[], float8[]) IS
    'transition function of dpmix.cells';

CREATE AGGREGATE dpmix.cells(x float8[], frame float8[]) (
    SFUNC = dpmix.cells_add, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.cells(float8[], float8[]) IS
    E'exact number of rows by cell of a grid, for each of V views. The first axes coordinates of a placed row, from -radius to radius, '
    'are cut into side parts each; the first coordinate counts slowest. A row is in one cell of every view; one with a NULL or a NaN '
    'is not counted.\n'
    'frame: that of dpmix.class_moments with a class for each view, then: axes (1..d), side (at least 1; V * side^axes at most 2^20)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
