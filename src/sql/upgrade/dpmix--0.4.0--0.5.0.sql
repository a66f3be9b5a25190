-- 0.4.0 to 0.5.0. After it a database has the very objects that CREATE EXTENSION makes
-- (test/server/install/upgrade.test.sh).
DROP FUNCTION dpmix.cda(anyelement, name[], name, bigint, float8, float8, integer, text);
DROP FUNCTION dpmix.preview_cda(anyelement, name[], name, bigint, float8, float8, integer, text);

-- Private synthetic tables by DP-CDA.

CREATE FUNCTION dpmix.cda(row_type anyelement, features name[], label name, rows bigint, epsilon float8, delta float8,
                          mix integer = NULL, demix text = 'none', class_rows text = 'balanced', clip float8 = 1)
    RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cda(anyelement, name[], name, bigint, float8, float8, integer, text, text, float8) IS
    'private synthetic rows of a protected table, each the mean of some random records of one class, plus noise. Charges (epsilon, delta), '
    '1e-6 <= epsilon <= 1e7, 0 < delta <= .5, once, before a row is read; a ROLLBACK does not undo it. row_type: NULL::the_table; columns '
    'that are neither features nor label are NULL. features: columns with declared bounds, booleans, and columns with declared categories '
    'alone, of which each row gets one, in the shares that its class has; at most 4096 numbers, booleans and categories. label: column with '
    'declared categories, each a class; NULL: one class; under adjacency label it must be the declared one. rows: 1 to 1e9, over all '
    'classes. mix: how many records a row is the mean of, on average, 1 to 10000 (in a class with fewer, all); NULL: chosen for each class from public numbers and noisy '
    'counts: with demix none the least that brings a row''s noise down to about the spread of a class, else what leaves most of that spread '
    'to be seen. demix: none; per_class or tied (one shape for all classes) stretch rows back to the spread that averaging took, at no '
    'cost, with at most 2048 numbers, booleans and categories. class_rows: balanced (as many of each class) or proportional (as the noisy '
    'counts say). clip: above 0, at most 1: records farther from the middle of all bounds than this share of the distance of a corner are '
    'moved toward it, and the noise is as much less. Values beyond the bounds are clamped; a record with a NULL, NaN or undeclared value is '
    'in no row. A warning says where noise hides what rows shall show. PV001 budget, PV003 no bounds or categories, PV004 ledger, PV005 '
    'parameter, PV006 no access';

CREATE FUNCTION dpmix.preview_cda(row_type anyelement, features name[], label name, rows bigint, epsilon float8, delta float8,
                                  mix integer = NULL, demix text = 'none', class_rows text = 'balanced', clip float8 = 1)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_cda(anyelement, name[], name, bigint, float8, float8, integer, text, text, float8) IS
    'what dpmix.cda would charge, and how noisy its counts would be, for the same arguments; free, reads no row, needs access. mu: all rows '
    'together reveal no more than Gaussian noise that is mu-GDP, but for delta / 16; with accountant basic and adjacency add_remove that '
    'holds only at two epsilons, just below and above the call''s own, and elsewhere rows may reveal more (counts and rows together are '
    '(epsilon, delta) all the same). count_stddev: of the noise in each class''s number of records. The rest as in dpmix.preview. Errors as '
    'dpmix.cda';

-- What synthetic rows of DP-CDA cost: a planning tool, like those of 30_planning.sql.
CREATE FUNCTION dpmix.cda_epsilon(class_rows bigint, mix int, rows_per_class bigint, clip float8,
                                  scale float8, delta float8,
                                  adjacency text DEFAULT 'add_remove',
                                  sampler text DEFAULT 'poisson', accountant text DEFAULT 'pld')
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000000
    AS 'MODULE_PATHNAME', 'dpmix_cda_epsilon';
COMMENT ON FUNCTION dpmix.cda_epsilon(bigint, int, bigint, float8, float8, float8, text, text, text) IS
'The epsilon at delta of rows_per_class synthetic rows of one class (for a record that changes its label, of each of two such classes), each the mean of mix of class_rows records of norm at most clip, plus Gaussian noise of deviation scale on each coordinate; a proved bound, free. sampler: poisson, each record joins a row with probability mix / class_rows and the sum is divided by mix, as dpmix.cda does; without_replacement, exactly mix records, where class_rows counts the record that may leave, and mix is less. adjacency: add_remove, replace or label. accountant: pld, within .5% (up to 10^5 rows; 1% at 10^6) of the epsilon of the worst tables, or, where a record is replaced without replacement, of the least pair of laws that covers them all; rdp, the best of many Renyi orders, never less; published, for comparison only and NOT a guarantee: Theorem 1 of the DP-CDA paper for N = class_rows records, T = rows_per_class rows and the same noise on labels, whatever the sampler and adjacency; nothing is charged by it. The noise of a release and its class counts are not in it: see dpmix.preview_cda. class_rows 1..2^53; mix 1..2^31-1; rows_per_class 1..2^30; clip, scale 1e-150..1e150, for pld clip at most 30 mix scale unless all records join; delta 1e-20..0.5. Else PV005.';

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

-- How far running calls of dpmix.cda are.

CREATE FUNCTION dpmix.running_cda(OUT pid integer, OUT relation regclass, OUT role regrole,
                                  OUT rows_written bigint, OUT rows_total bigint,
                                  OUT started timestamptz)
    RETURNS SETOF record LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_cda_progress';
COMMENT ON FUNCTION dpmix.running_cda() IS 'the rows of dpmix.cda_progress';

CREATE VIEW dpmix.cda_progress AS
    SELECT pid, relation, role, rows_written, rows_total, started FROM dpmix.running_cda();
COMMENT ON VIEW dpmix.cda_progress IS
    'calls of dpmix.cda that run in this database now: those of the current user''s roles, all of tables that '
    'it owns, and all for superusers and members of pg_read_all_stats. Of more than 32 calls some are not shown';
COMMENT ON COLUMN dpmix.cda_progress.pid IS 'process of the session that runs it';
COMMENT ON COLUMN dpmix.cda_progress.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.cda_progress.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.cda_progress.rows_written IS
    'synthetic rows written so far; 0 while records are read, and with demixing while rows wait for it';
COMMENT ON COLUMN dpmix.cda_progress.rows_total IS 'synthetic rows asked for';
COMMENT ON COLUMN dpmix.cda_progress.started IS 'server''s clock when it was charged and began';
GRANT SELECT ON dpmix.cda_progress TO PUBLIC;

COMMENT ON COLUMN dpmix.ledger.kind IS 'query, gmm, cda or compare';
