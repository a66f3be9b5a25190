-- States of several databases: their statistics as plain SQL, and what adds them up. Exact and
-- noise-free, as in 10_stats.sql.

CREATE AGGREGATE dpmix.merge(dpmix.sum_state) (
    SFUNC = dpmix.sum_state_combine, STYPE = dpmix.sum_state, INITCOND = '(0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.sum_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.sum_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.squares_state) (
    SFUNC = dpmix.squares_state_combine, STYPE = dpmix.squares_state, INITCOND = '(0,0,0,0,0,0,0)',
    COMBINEFUNC = dpmix.squares_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.squares_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.moment_state) (
    SFUNC = dpmix.moment_state_combine, STYPE = dpmix.moment_state, INITCOND = '()',
    COMBINEFUNC = dpmix.moment_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.moment_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.count_state) (
    SFUNC = dpmix.count_state_combine, STYPE = dpmix.count_state, INITCOND = '()',
    COMBINEFUNC = dpmix.count_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.count_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(dpmix.sample_state) (
    SFUNC = dpmix.sample_state_combine, STYPE = dpmix.sample_state, INITCOND = '()',
    COMBINEFUNC = dpmix.sample_state_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(dpmix.sample_state) IS
    E'the state that the aggregate behind the states would have made of all their rows together, bit for bit, in any order and grouping. '
    'NULL is skipped; of nothing, the state of no rows.\n'
    'Errors: PV005 states of different lattices, frames, cuts or edges; XX001 a corrupt state.\n'
    'See also: dpmix.partial_sql, docs/guide/scale.md.';

CREATE AGGREGATE dpmix.merge(bytea) (
    SFUNC = dpmix.numbers_seen_combine, STYPE = bytea, INITCOND = '',
    COMBINEFUNC = dpmix.numbers_seen_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(bytea) IS
    'the union of sets of dpmix.numbers_seen, in any order. A set does not say which categories its numbers stand for: they must be '
    'declared alike, in the same order, in every database. NULL is skipped; of nothing, the empty set.';

CREATE AGGREGATE dpmix.merge(bigint) (
    SFUNC = pg_catalog.int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = pg_catalog.int8pl, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpmix.merge(bigint) IS
    E'the sum of counts, as bigint. NULL is skipped; of nothing, 0.\n'
    'Errors: 22003 beyond the range of bigint.';

CREATE FUNCTION dpmix.partial_sql(query text, params text[] = '{}') RETURNS text
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial_sql';
COMMENT ON FUNCTION dpmix.partial_sql(text, text[]) IS
    E'a plain SELECT of the exact statistics, WITHOUT NOISE, that dpmix.query would compute for this text over the rows of this database: '
    'the keys of each group that has rows, then one state for each statistic, which dpmix.merge adds up over several databases. It is for '
    'a view of the owner''s: whoever runs it needs SELECT on the table as for any other SELECT, and sees exact numbers. Reads no row, '
    'charges nothing, needs access as dpmix.query does. Bounds and categories are those of now. To be read where pg_catalog comes first '
    'in search_path and standard_conforming_strings is on, as they are by default.\n'
    'query: as for dpmix.query, without rows drawn from those of a privacy unit\n'
    'params: $1, $2, ... of the query as texts, put into the SELECT as constants\n'
    'Errors: as dpmix.query; PV002 too where a privacy unit may have several rows.\n'
    'See also: docs/guide/scale.md.';

CREATE FUNCTION dpmix.partial(query text, params text[] = '{}') RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_partial';
COMMENT ON FUNCTION dpmix.partial(text, text[]) IS
    E'what the SELECT of dpmix.partial_sql returns: EXACT statistics WITHOUT NOISE, not private. Runs with the caller''s own rights: for '
    'those who have SELECT on all that the query reads, over the rows that they see. Charges nothing.\n'
    'query, params: as for dpmix.partial_sql\n'
    'Errors: as dpmix.partial_sql; PV005, with the list to write, when the column definition list does not fit; 42501 no SELECT.\n'
    'See also: docs/guide/scale.md.';
