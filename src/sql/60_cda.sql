-- Private synthetic tables by DP-CDA.

CREATE FUNCTION dpmix.cda(row_type anyelement, features name[], label name, rows bigint,
                          epsilon float8, delta float8, mix integer DEFAULT NULL,
                          demix text DEFAULT 'none')
RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cda(anyelement, name[], name, bigint, float8, float8, integer, text) IS
    'private synthetic rows of a protected table, each a noisy mixture of about `mix` random records '
    'of one class; charges (epsilon, delta). row_type: NULL::the_table; features: columns with '
    'declared bounds, or boolean; label: column with declared categories (one class each, equally '
    'many rows), NULL for one class; rows: 1 to 1e9; mix: 1 to 10000, NULL: chosen from public '
    'numbers; demix: none (raw mixtures), per_class or tied (spread restored). Other columns are '
    'NULL. Errors: PV001 budget, PV003 bounds or categories missing, PV004 ledger, PV005 parameters, '
    'PV006 not protected or no access';

CREATE FUNCTION dpmix.preview_cda(row_type anyelement, features name[], label name, rows bigint,
                                  epsilon float8, delta float8, mix integer DEFAULT NULL,
                                  demix text DEFAULT 'none')
    RETURNS TABLE (mechanism text, epsilon float8, delta float8, mu float8, count_stddev float8,
                   charge_cost float8, charge_delta float8, charge_share float8, calls_left bigint)
    AS 'MODULE_PATHNAME', 'dpmix_preview_cda' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.preview_cda(anyelement, name[], name, bigint, float8, float8, integer, text) IS
    'what dpmix.cda would charge and add as noise, for the same arguments; free, reads no row, needs access. '
    'mu: all rows together reveal no more than Gaussian noise that is mu-GDP; count_stddev: of the noise in '
    'each class''s number of records; the rest as in dpmix.preview. Errors as dpmix.cda';
