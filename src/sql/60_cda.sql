-- Private synthetic tables by DP-CDA.

CREATE FUNCTION dpmix.cda(row_type anyelement, features name[], label name, rows bigint, epsilon float8, delta float8,
                          mix integer = NULL, demix text = 'none', class_rows text = 'balanced', clip float8 = 1)
    RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
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

CREATE FUNCTION dpmix.preview_cda(row_type anyelement, features name[], label name, rows bigint, epsilon float8, delta float8,
                                  mix integer = NULL, demix text = 'none', class_rows text = 'balanced', clip float8 = 1)
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
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
