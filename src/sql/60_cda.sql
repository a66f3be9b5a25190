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
