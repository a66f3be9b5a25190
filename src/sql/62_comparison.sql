-- How alike a protected table and a synthetic one are: exactly, for the owner, and privately.

CREATE FUNCTION dpmix.compare(relation regclass, synthetic regclass, label name = NULL, columns name[] = NULL,
                              bins integer = 10)
    RETURNS TABLE (measure text, column_name name, other_column name, category text,
                   real_value float8, synthetic_value float8, difference float8, private boolean)
    AS 'MODULE_PATHNAME', 'dpmix_compare' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.compare(regclass, regclass, name, name[], integer) IS
    E'NOT PRIVATE: exact measures of how alike a protected table and a synthetic one are, for the owner''s eyes; '
    'dpmix.compare_private() makes one to show. Never charged, never stored; a NOTICE and the column private say so. '
    'For the owner of relation and superusers, with SELECT on synthetic. Rows are read as everywhere: values beyond '
    'bounds are clamped, a missing one leaves its column''s count.\n'
    'label: a column with declared categories\n'
    'columns: those to compare, with bounds or declared categories, or boolean; NULL: all such columns of both tables, but '
    'those that are NULL in all synthetic rows\n'
    'bins: equal cells of each number in the tables of columns and pairs, 2 to 100; NULL: no such tables, and none of '
    'their measures\n'
    'measure: rows, complete_rows; accuracy, the share of the real rows that a classifier gets right (a Gaussian for '
    'each class, learnt from the real and from the synthetic rows), or, without a label, log_density, the mean of the '
    'real rows, in nats; accuracy_of_largest_class, class_total_variation, class_share; mean, stddev, quantile, '
    'ks_distance, total_variation (of numbers on 20 equal cells between the bounds), share; correlation, its largest '
    'and mean absolute difference; marginal_tv, pair_tv, the total variation distance of each column and of each pair '
    'of columns (the label is one of them, a missing value a value of its own), marginal_tv_mean, pair_tv_mean, and '
    'pair_tv_worst, which names the pair; naive_bayes_accuracy, as accuracy, of a classifier that is made of the tables '
    'of columns by label; rule_broken, the share of the synthetic rows that break a rule between columns '
    '(dpmix.declare), which category has as a text: real rows are not counted by it\n'
    'column_name, other_column, category: what the measure is of; of a quantile, category says which\n'
    'real_value, synthetic_value: in the units of the column; dates are days, timestamps seconds since 2000-01-01\n'
    'difference: synthetic_value - real_value, or a distance\n'
    'private: always false\n'
    'Errors: PV003 bounds or categories missing; PV005 parameter; PV006 not protected; 42501 not the owner, or no '
    'SELECT on synthetic.\n'
    'See also: docs/guide/comparisons.md, docs/proofs/comparison.md.';

CREATE FUNCTION dpmix.compare_svg(relation regclass, synthetic regclass, label name = NULL, columns name[] = NULL,
                                  bins integer = 10)
    RETURNS text LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_compare_svg';
COMMENT ON FUNCTION dpmix.compare_svg(regclass, regclass, name, name[], integer) IS
    E'NOT PRIVATE: picture of the columns of both tables, a small plot for each: the share of the rows in each cell, '
    'real beside synthetic, and their total variation distance, the marginal_tv of dpmix.compare(). For the owner''s '
    'eyes, as that; a NOTICE says so. Never charged, never stored. A standalone SVG document in ASCII of bounded size: '
    '60 columns, of each the 30 most frequent categories, the rest together.\n'
    'label, columns: as in dpmix.compare(); a label is one more column\n'
    'bins: 2 to 100 equal cells of a number between its bounds\n'
    'Errors: as dpmix.compare().\n'
    'See also: dpmix.compare, docs/guide/comparisons.md, docs/guide/pictures.md.';

CREATE FUNCTION dpmix.compare_private(relation regclass, synthetic regclass, epsilon float8, delta float8,
                                      label name = NULL, columns name[] = NULL, bins integer = 10,
                                      blocks text = NULL)
    RETURNS TABLE (measure text, column_name name, other_column name, category text,
                   real_value float8, synthetic_value float8, difference float8, error_bound_95 float8)
    AS 'MODULE_PATHNAME', 'dpmix_compare_private' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.compare_private(regclass, regclass, float8, float8, name, name[], integer, text) IS
    E'the measures of dpmix.compare() from noisy statistics of the protected table, without rows and quantile. '
    'Charges (epsilon, delta) once, before any row of it is read. Needs access to relation and SELECT on synthetic, '
    'which is read exactly, as the caller, before, and alone decides what columns => NULL stands for. '
    'Shares of the budget (mu^2): 5 tables of columns and pairs, 4 what the classifiers get right (2 each), 3 means, '
    'deviations and correlations, 2 distributions, 1 class counts; what is not asked is left to the others.\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: under adjacency label the declared one; what other columns alone tell has no noise there\n'
    'bins: equal cells of each number in the tables of columns and pairs, 2 to 100; NULL: no such tables, and their '
    'share is left to the others\n'
    'blocks: of a table with blocks, and only there: a range of the block column''s values as text, such as '
    '''[2026-01-01,2026-02-01)''; a time without a zone is UTC''s. The blocks that it touches are read whole, and '
    'each is charged once; the synthetic table is read as it is. Without a lower end from the first block, without an '
    'upper one up to now\n'
    'measure: also marginal_tv_noise and pair_tv_noise: what noise alone would make of the mean distances of equal '
    'tables. It is taken off each distance, as squares\n'
    'real_value: NULL for accuracy, naive_bayes_accuracy and log_density: nothing is learnt from real rows\n'
    'error_bound_95: noise moves real_value (of a distance: difference; of accuracies and log_density: synthetic_value) '
    'by no more in 95 of 100 calls, as simulated, not proved\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories, or no blocks; PV004 '
    'ledger; PV005 parameter, or no complete synthetic row; PV006 not protected, or no access; 42501 no SELECT on '
    'synthetic.\n'
    'See also: dpmix.preview, docs/guide/comparisons.md, docs/proofs/comparison.md.';
