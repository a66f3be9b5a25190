-- Exact, noise-free, mergeable statistics. Plain sums over rows that the caller may read anyway, so
-- EXECUTE stays with PUBLIC; dpmix.query refuses them on a protected table.

-- The state of any of them --------------------------------------------------------------------------

CREATE TYPE dpmix.exact_state;
CREATE FUNCTION dpmix_internal.state_in(cstring) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_in';
COMMENT ON FUNCTION dpmix_internal.state_in(cstring) IS
    'text input of dpmix.exact_state. An error when it is not a state that rows can make';
CREATE FUNCTION dpmix_internal.state_out(dpmix.exact_state) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_out';
COMMENT ON FUNCTION dpmix_internal.state_out(dpmix.exact_state) IS 'text output, exact, of dpmix.exact_state';
CREATE FUNCTION dpmix_internal.state_recv(internal) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_recv';
COMMENT ON FUNCTION dpmix_internal.state_recv(internal) IS
    'binary input of dpmix.exact_state. An error when it is not a state that rows can make';
CREATE FUNCTION dpmix_internal.state_send(dpmix.exact_state) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_send';
COMMENT ON FUNCTION dpmix_internal.state_send(dpmix.exact_state) IS 'binary output, exact, of dpmix.exact_state';
CREATE TYPE dpmix.exact_state (
    INPUT = dpmix_internal.state_in, OUTPUT = dpmix_internal.state_out,
    RECEIVE = dpmix_internal.state_recv, SEND = dpmix_internal.state_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended
);
COMMENT ON TYPE dpmix.exact_state IS
    E'what a statistic sums over rows, exact and WITHOUT NOISE; states of the same statistic add up. Its text says of '
    'which kind it is: sum(count,total,origin,step,low,high), total in steps; '
    'squares(squares,count,total,origin,step,low,high), low = -high, squares in steps of their own lattice; '
    'moments(classes,features,resolution,frame){count|sums|products}..., products as upper triangle row by row; '
    'counts(classes,bins,frame){counts}, class by class, at most 2^20 of them; '
    'sample(features,limit,resolution,frame,salt,threshold){count|q...}..., by hash; set(hexadecimal), a bit for each '
    'number; () of no rows, which adds to any. Invalid states are refused on input.\n'
    'See also: dpmix.merge, dpmix.numbers, docs/guide/scale.md.';

CREATE FUNCTION dpmix_internal.state_combine(dpmix.exact_state, dpmix.exact_state) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_combine';
COMMENT ON FUNCTION dpmix_internal.state_combine(dpmix.exact_state, dpmix.exact_state) IS
    'adds two states of the same kind. PV005 when kinds, lattices, frames, cuts or edges differ; an error when a state '
    'is corrupt';

CREATE FUNCTION dpmix.numbers(dpmix.exact_state) RETURNS numeric[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_state_numbers';
COMMENT ON FUNCTION dpmix.numbers(dpmix.exact_state) IS
    E'the exact integers of a state: of a sum, how many values were not missing and their total in lattice steps from '
    'the origin; of squares, also the sum of squares, in steps of their lattice above the half of the largest square; '
    'of counts, rows by class and bin (classes x bins); of moments, rows by class; of a '
    'sample, how many rows are in it; of a set, how many numbers are. Empty where no row was seen.\n'
    'See also: dpmix.merge, docs/guide/scale.md.';

-- Count and sum on a lattice ----------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.lattice_sum_add(state dpmix.exact_state, x float8, origin float8, step float8, low float8,
                                             high float8)
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_sum_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.lattice_sum_add(dpmix.exact_state, float8, float8, float8, float8, float8) IS
    'transition function of dpmix_internal.lattice_sum';
CREATE AGGREGATE dpmix_internal.lattice_sum(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix_internal.lattice_sum_add, STYPE = dpmix.exact_state, INITCOND = 'sum(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_sum(float8, float8, float8, float8, float8) IS
    E'exact count and sum of round((x - origin) / step), clamped to [low, high], equal for any order of rows. NULL '
    'and NaN are missing, infinities are clamped.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low <= high integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';

CREATE FUNCTION dpmix_internal.lattice_sum_add(state dpmix.exact_state, x float8, origin float8, step float8, low float8,
                                             high float8, weight integer)
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_sum_add_weighed';
COMMENT ON FUNCTION dpmix_internal.lattice_sum_add(dpmix.exact_state, float8, float8, float8, float8, float8, integer) IS
    'transition function of dpmix_internal.lattice_sum of weighed rows';
CREATE AGGREGATE dpmix_internal.lattice_sum(x float8, origin float8, step float8, low float8, high float8,
                                            weight integer) (
    SFUNC = dpmix_internal.lattice_sum_add, STYPE = dpmix.exact_state, INITCOND = 'sum(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_sum(float8, float8, float8, float8, float8, integer) IS
    'dpmix_internal.lattice_sum(x, origin, step, low, high) as if each row came weight times, from 0 to 2^20';

-- Sum of squares on a lattice ---------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.lattice_squares_add(state dpmix.exact_state, x float8, origin float8, step float8,
                                                 low float8, high float8)
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_squares_add';  -- skips NULLs itself
COMMENT ON FUNCTION dpmix_internal.lattice_squares_add(dpmix.exact_state, float8, float8, float8, float8, float8) IS
    'transition function of dpmix_internal.lattice_squares';
CREATE AGGREGATE dpmix_internal.lattice_squares(x float8, origin float8, step float8, low float8, high float8) (
    SFUNC = dpmix_internal.lattice_squares_add, STYPE = dpmix.exact_state, INITCOND = 'squares(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_squares(float8, float8, float8, float8, float8) IS
    E'exact count and sum of k = round((x - origin) / step), clamped to [low, high], and sum of 2 k^2 - high^2, '
    'divided by the least power of two that leaves at most 2^30, each rounded to an integer; equal for any order of '
    'rows. NULL and NaN are missing, infinities are clamped.\n'
    'origin, step, low, high: the lattice, one constant: step > 0, low = -high, integers up to 2^53\n'
    'Errors: PV005 an invalid or varying lattice.';

CREATE FUNCTION dpmix_internal.lattice_squares_add(state dpmix.exact_state, x float8, origin float8, step float8,
                                                 low float8, high float8, weight integer)
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_lattice_squares_add_weighed';
COMMENT ON FUNCTION dpmix_internal.lattice_squares_add(dpmix.exact_state, float8, float8, float8, float8, float8,
                                                     integer) IS
    'transition function of dpmix_internal.lattice_squares of weighed rows';
CREATE AGGREGATE dpmix_internal.lattice_squares(x float8, origin float8, step float8, low float8, high float8,
                                                weight integer) (
    SFUNC = dpmix_internal.lattice_squares_add, STYPE = dpmix.exact_state, INITCOND = 'squares(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.lattice_squares(float8, float8, float8, float8, float8, integer) IS
    'dpmix_internal.lattice_squares(x, origin, step, low, high) as if each row came weight times, from 0 to 2^20';

-- Which categories occur --------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.numbers_seen_add(state dpmix.exact_state, number integer, size integer) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_numbers_seen_add';
COMMENT ON FUNCTION dpmix_internal.numbers_seen_add(dpmix.exact_state, integer, integer) IS
    'transition function of dpmix_internal.numbers_seen';
CREATE AGGREGATE dpmix_internal.numbers_seen(number integer, size integer) (
    SFUNC = dpmix_internal.numbers_seen_add, STYPE = dpmix.exact_state, INITCOND = 'set()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.numbers_seen(integer, integer) IS
    E'which of the numbers 0 .. size - 1 occur, one bit for each. NULL and other numbers are '
    'missing. Equal for any order of rows, but for zero bytes at the end.\n'
    'size: 1 to 2^24\n'
    'Errors: PV005 size out of range.';

-- Counts, sums and products by class --------------------------------------------------------------

CREATE FUNCTION dpmix_internal.class_moments_add(state dpmix.exact_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_moments_add';
COMMENT ON FUNCTION dpmix_internal.class_moments_add(dpmix.exact_state, integer, float8[], float8[]) IS
    'transition function of dpmix_internal.class_moments';
CREATE AGGREGATE dpmix_internal.class_moments(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix_internal.class_moments_add, STYPE = dpmix.exact_state, INITCOND = 'moments()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.class_moments(integer, float8[], float8[]) IS
    E'exact count, sum and products, for each class 0..K-1, of the rows seen from a public frame: clamped to its box, '
    'whitened, clipped to its radius, rounded toward zero to 1/resolution of it. A row with a NULL, a NaN or another '
    'class contributes nothing.\n'
    'x: d numbers, under version 2 m\n'
    'frame: version 1, K, d, diagonal 0|1, resolution (to 2^20), lower[d], upper[d], then per class radius, '
    'centre[d], map (d*d row by row, or d when diagonal). Version 2 looks at rows of m >= d elements through a '
    'projection: after resolution come m, lower[m], upper[m], centre[m], map[d*m], and the rest sees map (x - '
    'centre), x clamped to that box\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- The same by component of a mixture --------------------------------------------------------------

CREATE FUNCTION dpmix_internal.soft_moments_add(state dpmix.exact_state, x float8[], frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_soft_moments_add';
COMMENT ON FUNCTION dpmix_internal.soft_moments_add(dpmix.exact_state, float8[], float8[]) IS
    'transition function of dpmix_internal.soft_moments';

CREATE AGGREGATE dpmix_internal.soft_moments(x float8[], frame float8[]) (
    SFUNC = dpmix_internal.soft_moments_add, STYPE = dpmix.exact_state, INITCOND = 'moments()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.soft_moments(float8[], float8[]) IS
    E'exact count, sum and products, for each component 0..K-1 of a public mixture, of rows as '
    'dpmix_internal.class_moments places them, each counted by its share in the component: a whole number from 0 to '
    '2^20, all of a row''s together at most 2^20. Shares are proportional to exp(log weight - tightness / 2 * |map (x '
    '- centre)|^2), rounded down; hard: all to the largest, the first of equals. A row with a NULL or a NaN '
    'contributes nothing.\n'
    'frame: that of dpmix_internal.class_moments with a class for each component, then: hard 0|1, log weight[K], '
    'tightness[K], and nothing more or a second frame of as many classes and features, which densities are seen from '
    'instead of the first\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- Logistic regressions ----------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.logistic_moments_add(state dpmix.exact_state, class integer, x float8[],
                                                    frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_logistic_moments_add';
COMMENT ON FUNCTION dpmix_internal.logistic_moments_add(dpmix.exact_state, integer, float8[], float8[]) IS
    'transition function of dpmix_internal.logistic_moments';

CREATE AGGREGATE dpmix_internal.logistic_moments(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix_internal.logistic_moments_add, STYPE = dpmix.exact_state, INITCOND = 'moments()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.logistic_moments(integer, float8[], float8[]) IS
    E'exact count, sum and products of two integer vectors for each row, by class 0..2K-1. A row of class k that '
    'dpmix_internal.class_moments places at q counts as (p - y) q in class k, and as 2 sqrt(p (1 - p)) q in class K + '
    'k, both rounded toward zero: p is the logistic function of b x. A row with a NULL, a NaN or another class '
    'contributes nothing.\n'
    'x: d numbers from -1 to 1: what comes after a first element that is always 1, then 2 y - 1\n'
    'frame: that of dpmix_internal.class_moments for K classes of d features, version 1; then b[d] of each class, '
    'in units of 2^-16: whole numbers up to 2^26\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- Counts by class and bin -------------------------------------------------------------------------

-- Bins: distances from a centre -------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.class_distances_add(state dpmix.exact_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_distances_add';
COMMENT ON FUNCTION dpmix_internal.class_distances_add(dpmix.exact_state, integer, float8[], float8[]) IS
    'transition function of dpmix_internal.class_distances';

CREATE AGGREGATE dpmix_internal.class_distances(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix_internal.class_distances_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.class_distances(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by distance from the class''s centre, as seen from a public frame. '
    'Bin i of edges + 1 holds the rows above edge i-1, up to edge i. A row with a NULL, a NaN or another class is not '
    'counted.\n'
    'frame: that of dpmix_internal.class_moments, then 1 to 1000 ascending edges: squared distances in steps of '
    '1/resolution of the radius, whole numbers\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- Contingency tables -------------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.marginal_counts_add(state dpmix.exact_state, class integer, x float8[],
                                                   tables float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_marginal_counts_add';
COMMENT ON FUNCTION dpmix_internal.marginal_counts_add(dpmix.exact_state, integer, float8[], float8[]) IS
    'transition function of dpmix_internal.marginal_counts';

CREATE AGGREGATE dpmix_internal.marginal_counts(class integer, x float8[], tables float8[]) (
    SFUNC = dpmix_internal.marginal_counts_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.marginal_counts(integer, float8[], float8[]) IS
    E'exact contingency tables of columns, one by one and in pairs, by class 0..K-1, all in one array. NaN is a value of '
    'its own, as is a category that there is not. A row with a NULL or another class is not counted.\n'
    'x: a number for each column; of categories, their number from 0\n'
    'tables: K, columns; for each column its number of categories (0: of a number), its number of edges, the edges '
    'ascending, the code of each cell and of missing values; the number of tables; for each its columns a and b from 0 '
    '(b -1: a alone), and 1, or 0 where classes are not told apart\n'
    'Errors: PV005 invalid or varying tables, or another length of x.';

-- Bins: components of a public mixture ------------------------------------------------------------

CREATE FUNCTION dpmix_internal.class_clusters_add(state dpmix.exact_state, class integer, x float8[], frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_class_clusters_add';
COMMENT ON FUNCTION dpmix_internal.class_clusters_add(dpmix.exact_state, integer, float8[], float8[]) IS
    'transition function of dpmix_internal.class_clusters';

CREATE AGGREGATE dpmix_internal.class_clusters(class integer, x float8[], frame float8[]) (
    SFUNC = dpmix_internal.class_clusters_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.class_clusters(integer, float8[], float8[]) IS
    E'exact number of rows, for each class 0..K-1, by the component of a public mixture to which they most likely '
    'belong. A row with a NULL, a NaN or another class is not counted.\n'
    'frame: that of dpmix_internal.class_moments with a class for each component, then 0 | 1 (ignored), a log weight '
    'and a tightness for each component (log density = log weight - tightness |map (x - centre)|^2 / 2), then K (1 to '
    '1000)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- Scores of codes, in place of values ---------------------------------------------------------------

CREATE FUNCTION dpmix_internal.code_scores(class integer, x float8[], packed float8[]) RETURNS float8[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_code_scores';
COMMENT ON FUNCTION dpmix_internal.code_scores(integer, float8[], float8[]) IS
    E'a row as releases of ranks sum its moments: for each column the score, -3 to 3, that the code of its value has in '
    'this class. NULL for another class, or where a value is NULL; NaN is missing, which has a code.\n'
    'packed: -1, how many numbers these are in all, K, columns, then of each column: categories '
    '(0: a number), number of edges, edges, a code for each cell and for missing values, scores by class and code. What '
    'follows is not read: the frame of dpmix_internal.class_moments and dpmix_internal.class_distances, which skip what '
    'stands before it\n'
    'Errors: PV005 invalid scores, or another length of x.';

-- Bins: cells of a grid ---------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.cells_add(state dpmix.exact_state, x float8[], frame float8[]) RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cells_add';
COMMENT ON FUNCTION dpmix_internal.cells_add(dpmix.exact_state, float8[], float8[]) IS
    'transition function of dpmix_internal.cells';

CREATE AGGREGATE dpmix_internal.cells(x float8[], frame float8[]) (
    SFUNC = dpmix_internal.cells_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.cells(float8[], float8[]) IS
    E'exact number of rows by cell of a grid, for each of V views. The first axes coordinates of a placed row, from '
    '-radius to radius, are cut into side parts each; the first coordinate counts slowest. A row is in one cell of '
    'every view; one with a NULL or a NaN is not counted.\n'
    'frame: that of dpmix_internal.class_moments with a class for each view, then: axes (1..d), side (at least 1; V * '
    'side^axes at most 2^20)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';

-- Bins: tables of columns and pairs of columns ----------------------------------------------------

CREATE FUNCTION dpmix_internal.pair_counts_add(state dpmix.exact_state, x float8[], shape float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_pair_counts_add';
COMMENT ON FUNCTION dpmix_internal.pair_counts_add(dpmix.exact_state, float8[], float8[]) IS
    'transition function of dpmix_internal.pair_counts';

CREATE AGGREGATE dpmix_internal.pair_counts(x float8[], shape float8[]) (
    SFUNC = dpmix_internal.pair_counts_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.pair_counts(float8[], float8[]) IS
    E'exact number of rows in each cell of small tables, one class: a table for each column, then one for each pair of '
    'columns (1 and 2, 1 and 3, ...; the second one''s cells change fastest), then how many rows a naive Bayes '
    'classifier takes for what they are, and how many not. A NULL or a NaN is in a cell of its own, after the '
    'column''s others; what lies beyond is in the outermost cells. So each row is in one cell of each table. Rows '
    'without a class are neither right nor wrong.\n'
    'shape: {columns (1 to 1600), 0 | 1: tables of columns, 0 | 1: tables of pairs}, then lower, upper, cells for each '
    'column, then nothing or the scores of the classifier, whole numbers: its classes are the cells of the last '
    'column; one for each class, then for each cell of each other column, that of missing values too, one for each '
    'class. The largest sum has the row, of equal ones the first. At most 2^20 counts\n'
    'Errors: PV005 an invalid or varying shape, or another length of x.';

-- Bins: cells of one number -----------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.cell_counts_add(state dpmix.exact_state, x float8, cut float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_cell_counts_add';
COMMENT ON FUNCTION dpmix_internal.cell_counts_add(dpmix.exact_state, float8, float8[]) IS
    'transition function of dpmix_internal.cell_counts';
CREATE AGGREGATE dpmix_internal.cell_counts(x float8, cut float8[]) (
    SFUNC = dpmix_internal.cell_counts_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.cell_counts(float8, float8[]) IS
    E'exact number of rows in each cell of x, one class. What lies beyond is in the outermost cells; NULL and NaN are '
    'in none.\n'
    'cut: {lower, limit, cells}: 1 to 2^20 cells of equal width from lower to limit, each with its lower end and '
    'without its upper one, up to the rounding of (x - lower) * cells / (limit - lower), which is monotone\n'
    'Errors: PV005 an invalid or varying cut.';

CREATE FUNCTION dpmix_internal.edge_counts_add(state dpmix.exact_state, x float8, edges float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add';
COMMENT ON FUNCTION dpmix_internal.edge_counts_add(dpmix.exact_state, float8, float8[]) IS
    'transition function of dpmix_internal.edge_counts';
CREATE AGGREGATE dpmix_internal.edge_counts(x float8, edges float8[]) (
    SFUNC = dpmix_internal.edge_counts_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.edge_counts(float8, float8[]) IS
    E'exact number of rows with edges[i] <= x < edges[i+1], for each i, one class. What lies beyond them, NULL and '
    'NaN are in no cell.\n'
    'edges: 2 to 1000 in strictly ascending order; the first may be -Infinity, the last Infinity\n'
    'Errors: PV005 invalid or varying edges.';

CREATE FUNCTION dpmix_internal.edge_counts_add(state dpmix.exact_state, x float8, edges float8[], weight integer)
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_edge_counts_add_weighed';
COMMENT ON FUNCTION dpmix_internal.edge_counts_add(dpmix.exact_state, float8, float8[], integer) IS
    'transition function of dpmix_internal.edge_counts of weighed rows';
CREATE AGGREGATE dpmix_internal.edge_counts(x float8, edges float8[], weight integer) (
    SFUNC = dpmix_internal.edge_counts_add, STYPE = dpmix.exact_state, INITCOND = 'counts()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.edge_counts(float8, float8[], integer) IS
    'dpmix_internal.edge_counts(x, edges) as if each row came weight times, from 0 to 2^20';

-- A sample of the features ------------------------------------------------------------------------

CREATE FUNCTION dpmix_internal.feature_sample_add(state dpmix.exact_state, x float8[], frame float8[])
    RETURNS dpmix.exact_state
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_feature_sample_add';
COMMENT ON FUNCTION dpmix_internal.feature_sample_add(dpmix.exact_state, float8[], float8[]) IS
    'transition function of dpmix_internal.feature_sample';

CREATE AGGREGATE dpmix_internal.feature_sample(x float8[], frame float8[]) (
    SFUNC = dpmix_internal.feature_sample_add, STYPE = dpmix.exact_state, INITCOND = 'sample()',
    COMBINEFUNC = dpmix_internal.state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix_internal.feature_sample(float8[], float8[]) IS
    E'a sample of the distinct rows, as placed by the first class of a public frame: those of the least hash, each '
    'with its exact number of rows; the same for any order of rows. A row with a NULL or a NaN is not counted.\n'
    'frame: that of dpmix_internal.class_moments, then limit (1 to 65536, at most 2^20 / d) and salt (an integer to '
    '2^53)\n'
    'Errors: PV005 an invalid or varying frame, or another length of x.';
