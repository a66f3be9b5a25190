-- What synthetic rows of DP-CDA cost: a planning tool, like those of 30_planning.sql.
CREATE FUNCTION dpmix.cda_epsilon(class_rows bigint, mix int, rows_per_class bigint, clip float8,
                                  scale float8, delta float8,
                                  adjacency text DEFAULT 'add_remove',
                                  sampler text DEFAULT 'poisson', accountant text DEFAULT 'pld')
    RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000000
    AS 'MODULE_PATHNAME', 'dpmix_cda_epsilon';
COMMENT ON FUNCTION dpmix.cda_epsilon(bigint, int, bigint, float8, float8, float8, text, text, text) IS
    E'the epsilon at delta of rows_per_class synthetic rows of one class (for a record that changes its label, of each of two such '
    'classes), each the mean of mix of class_rows records, plus Gaussian noise on each coordinate: a proved bound, free. The noise of '
    'a release and its class counts are not in it: see dpmix.preview_cda().\n'
    'class_rows: records of the class, 1 to 2^53\n'
    'mix: 1 to 2^31 - 1\n'
    'rows_per_class: 1 to 2^30\n'
    'clip: largest norm of a record, 1e-150 to 1e150; for pld at most 30 mix scale unless all records join\n'
    'scale: standard deviation of the noise, in the units of the norm, 1e-150 to 1e150\n'
    'delta: 1e-20 to 0.5\n'
    'adjacency: add_remove, replace or label\n'
    'sampler: poisson, each record joins a row with probability mix / class_rows and the sum is divided by mix, as dpmix.cda() does; '
    'without_replacement, exactly mix records, where class_rows counts the record that may leave, and mix is less\n'
    'accountant: pld, within 0.5% (up to 10^5 rows; 1% at 10^6) of the epsilon of the worst tables, or, where a record is replaced '
    'without replacement, of the least pair of laws that covers them all; rdp, the best of many Renyi orders, never less; published, '
    'for comparison only and NOT a guarantee: Theorem 1 of the DP-CDA paper for N = class_rows records, T = rows_per_class rows and '
    'the same noise on labels, whatever the sampler and adjacency; nothing is charged by it\n'
    'Errors: PV005 a value out of range.\n'
    'See also: docs/proofs/synthetic_epsilon.md.';
