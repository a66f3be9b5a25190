-- How alike a protected table and a synthetic one are: exactly, for the owner, and privately.

CREATE FUNCTION dpmix.compare(relation regclass, synthetic regclass, label name = NULL, features name[] = NULL)
    RETURNS TABLE (measure text, column_name name, other_column name, category text,
                   real_value float8, synthetic_value float8, difference float8, private boolean)
    AS 'MODULE_PATHNAME', 'dpmix_compare' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.compare(regclass, regclass, name, name[]) IS
    'NOT PRIVATE: exact measures of how alike a protected table and a synthetic one are, for the owner''s eyes; dpmix.compare_private '
    'makes one to show. Never charged, never stored; a notice and the column private (always false) say so. The owner of relation or a '
    'superuser, with SELECT on synthetic. label: column with declared categories; features: columns with bounds or declared categories, or '
    'boolean; NULL: all such columns of both tables, but those that are NULL in all synthetic rows. Rows are read as everywhere: values beyond '
    'bounds are clamped, a missing one leaves its column''s count. difference is synthetic_value - real_value, or a distance. Dates are days, timestamps seconds since 2000-01-01. '
    'Measures: rows, complete_rows; accuracy (share of the real rows that a classifier gets right: a Gaussian for each class, learnt from '
    'the real, from the synthetic rows) or, without a label, log_density (the mean of the real rows, in nats); accuracy_of_largest_class, '
    'class_total_variation, class_share; mean, stddev, quantile (category: which), ks_distance, total_variation (numbers: on 20 equal cells '
    'between the bounds), share; correlation, its largest and mean absolute difference. PV003 bounds or categories missing, PV005 parameter, '
    'PV006 not protected, 42501 not the owner, or no SELECT on synthetic';

CREATE FUNCTION dpmix.compare_private(relation regclass, synthetic regclass, epsilon float8, delta float8,
                                      label name = NULL, features name[] = NULL)
    RETURNS TABLE (measure text, column_name name, other_column name, category text,
                   real_value float8, synthetic_value float8, difference float8, error_bound_95 float8)
    AS 'MODULE_PATHNAME', 'dpmix_compare_private' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.compare_private(regclass, regclass, float8, float8, name, name[]) IS
    'the measures of dpmix.compare from noisy statistics of the protected table; charges (epsilon, delta), 1e-6 <= epsilon <= 1e7, '
    '0 < delta <= .5, once, before any row of it is read. Needs access to relation and SELECT on synthetic, which is read exactly, as the '
    'caller, before, and alone decides which columns features => NULL stands for. Without rows and quantile; real_value of accuracy and '
    'log_density is NULL: nothing is learnt from real rows. '
    'error_bound_95: noise moves real_value (of a distance: difference; of accuracy and log_density: synthetic_value) by no more in 95 of '
    '100 calls, as simulated (not proved). Shares of the budget (mu^2): 4 what the classifier gets right, 3 means, deviations and correlations, 2 '
    'distributions, 1 class counts; what is not asked is left to the others. Under adjacency label, label must be the declared one, and '
    'what other columns alone tell has no noise. PV001 budget, PV003 no bounds or categories, PV004 ledger, PV005 parameter, or no complete '
    'synthetic row, PV006 no access, 42501 no SELECT on synthetic';

CREATE FUNCTION dpmix.preview_compare(relation regclass, synthetic regclass, epsilon float8, delta float8,
                                      label name = NULL, features name[] = NULL)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_compare' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_compare(regclass, regclass, float8, float8, name, name[]) IS
    'what dpmix.compare_private would charge and add as noise, for the same arguments; free, reads no row of relation (of synthetic, where '
    'features is NULL, to see which columns hold values), needs access. '
    'mu: all its statistics together are mu-GDP; count_stddev: of the noise in the number of rows that the classifier gets right (without one: '
    'in each class count, else in the number of rows); the rest as in dpmix.preview. Errors as dpmix.compare_private';
