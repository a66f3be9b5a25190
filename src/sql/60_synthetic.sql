-- Private synthetic tables by DP-CDA.

CREATE FUNCTION dpmix.cda(row_type anyelement, columns name[], rows bigint, epsilon float8, delta float8,
                          label name = NULL, mix integer = NULL, demix text = NULL, class_rows text = 'balanced', clip float8 = 1,
                          blocks text = NULL)
    RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cda(anyelement, name[], bigint, float8, float8, name, integer, text, text, float8, text) IS
    E'private synthetic rows of a protected table, each the mean of some random records of one class, plus noise '
    '(DP-CDA with Poisson mixing). Charges (epsilon, delta) once, before a row is read; a ROLLBACK does not undo it. '
    'Values beyond the bounds are clamped; a record with a NULL, a NaN or an undeclared value in a feature or the '
    'label is in no row. A WARNING, made of public numbers and noisy counts, says in how many classes noise hides '
    'what rows shall show.\n'
    'row_type: NULL::the_table; columns that are neither features nor label are NULL\n'
    'columns: the features: columns with declared bounds, booleans, and columns with declared categories alone, of '
    'which each row gets one, in the shares that its class has; at most 4096 coordinates: numbers, booleans and '
    'categories of all together\n'
    'rows: 1 to 10^9 over all classes, at least one for each where they are balanced\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: a column with declared categories, each a class; NULL: one class; under adjacency label the declared one\n'
    'mix: how many records a row is the mean of, on average, 1 to 10000: each joins with probability mix over the '
    'noisy number of the class''s records; in a class with fewer, all. NULL: chosen from public numbers and noisy '
    'counts. Without demixing, for each class the least that brings the noise of a value down to 0.2 of half the '
    'bounds'' width, about the spread of a class, or near the least there can be. With it, what leaves most of the '
    'spread to be seen: 0.505 mu N / sqrt(T) for N records and T rows of an average class, under per_class at most a '
    'quarter of a class''s own records\n'
    'demix: per_class or tied (one shape for all classes) stretch rows back to the spread that averaging took, at '
    'most 2048 coordinates; they see released rows only, so they are free. none leaves raw averages, whose noise piles '
    'up at the bounds: it moves the means of skewed columns, for instance doubles the mean number of visits of patients '
    'who mostly had none. NULL: per_class, but none beyond 2048 coordinates\n'
    'class_rows: balanced, as many rows of each class (differing by one at most), or proportional, in the shares of '
    'the noisy counts, where a class may get none\n'
    'clip: above 0, at most 1: records farther from the middle of all bounds than this share of the distance of a '
    'corner are moved toward it, and the noise is as much less; means are drawn to the middle and shares to equal '
    'ones\n'
    'blocks: of a table with blocks, and only there: a range of the block column''s values as text, such as '
    '''[2026-01-01,2026-02-01)''; a time without a zone is UTC''s. The blocks that it touches are read whole, and '
    'each is charged once. Without a lower end from the first block, without an upper one up to now\n'
    'Errors: PV001 budget; PV002 units that may have several rows; PV003 no bounds or categories, or no blocks; PV004 '
    'ledger; PV005 parameter; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.cda_progress, dpmix.compare, docs/guide/cda.md, '
    'docs/proofs/synthetic.md, docs/proofs/synthetic_records.md, docs/proofs/synthetic_demix.md.';

-- A name in quotes instead of NULL::the_table: says what to write.
CREATE FUNCTION dpmix.cda(row_type text, columns name[], rows bigint, epsilon float8, delta float8,
                          label name = NULL, mix integer = NULL, demix text = NULL, class_rows text = 'balanced', clip float8 = 1,
                          blocks text = NULL)
    RETURNS SETOF text
    AS 'MODULE_PATHNAME', 'dpmix_rows_of_name' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cda(text, name[], bigint, float8, float8, name, integer, text, text, float8, text) IS
    E'raises PV005: the first argument of dpmix.cda() is NULL::the_table, which gives the result its columns.';
CREATE FUNCTION dpmix.cda_epsilon(class_rows bigint, mix int, rows_per_class bigint, clip float8,
                                  scale float8, delta float8,
                                  adjacency text DEFAULT 'add_remove',
                                  sampler text DEFAULT 'poisson', accountant text DEFAULT 'pld')
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000000
    AS 'MODULE_PATHNAME', 'dpmix_cda_epsilon';
COMMENT ON FUNCTION dpmix.cda_epsilon(bigint, int, bigint, float8, float8, float8, text, text, text) IS
    E'the epsilon at delta of rows_per_class synthetic rows of one class (for a record that changes its label, of '
    'each of two such classes), each the mean of mix of class_rows records, plus Gaussian noise on each coordinate: a '
    'proved bound, free. The noise of a release and its class counts are not in it: see dpmix.preview().\n'
    'class_rows: records of the class, 1 to 2^53\n'
    'mix: 1 to 2^31 - 1\n'
    'rows_per_class: 1 to 2^30\n'
    'clip: largest norm of a record, 1e-150 to 1e150; for pld at most 30 mix scale unless all records join\n'
    'scale: standard deviation of the noise, in the units of the norm, 1e-150 to 1e150\n'
    'delta: 1e-20 to 0.5\n'
    'adjacency: add_remove, replace or label\n'
    'sampler: poisson, each record joins a row with probability mix / class_rows and the sum is divided by mix, as '
    'dpmix.cda() does; without_replacement, exactly mix records, where class_rows counts the record that may leave, '
    'and mix is less\n'
    'accountant: pld, within 0.5% (up to 10^5 rows; 1% at 10^6) of the epsilon of the worst tables, or, where a '
    'record is replaced without replacement, of the least pair of laws that covers them all; rdp, the best of many '
    'Renyi orders, never less; published, for comparison only and NOT a guarantee: Theorem 1 of the DP-CDA paper for '
    'N = class_rows records, T = rows_per_class rows and the same noise on labels, whatever the sampler and '
    'adjacency; nothing is charged by it\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/proofs/synthetic_epsilon.md.';

-- Progress ----------------------------------------------------------------------------------------

-- How far running calls of dpmix.cda are.

CREATE FUNCTION dpmix_internal.running_cda(OUT pid integer, OUT relation regclass, OUT role regrole,
                                  OUT rows_written bigint, OUT rows_total bigint,
                                  OUT started timestamptz)
    RETURNS SETOF record LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'dpmix_cda_progress';
COMMENT ON FUNCTION dpmix_internal.running_cda() IS
    'the rows of dpmix.cda_progress, which says what they are.';

CREATE VIEW dpmix.cda_progress AS
    SELECT pid, relation, role, rows_written, rows_total, started FROM dpmix_internal.running_cda();
COMMENT ON VIEW dpmix.cda_progress IS
    'calls of dpmix.cda() that run in this database now: those of the current user''s roles, all of tables that it '
    'owns, and all for superusers and members of pg_read_all_stats. Of more than 32 calls some are not shown.';
COMMENT ON COLUMN dpmix.cda_progress.pid IS 'process of the session that runs it';
COMMENT ON COLUMN dpmix.cda_progress.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.cda_progress.role IS 'current_user of the call';
COMMENT ON COLUMN dpmix.cda_progress.rows_written IS
    'synthetic rows written so far, told by batches; 0 while records are read, and with demixing while rows wait for '
    'it';
COMMENT ON COLUMN dpmix.cda_progress.rows_total IS 'synthetic rows asked for';
COMMENT ON COLUMN dpmix.cda_progress.started IS 'server''s clock when it was charged and began';
GRANT SELECT ON dpmix.cda_progress TO PUBLIC;
