-- Cubes: tables of counts and sums by public keys with all their margins, one charged release, then free use.

CREATE TYPE dpmix.cube_summary AS (
    name           text,
    relation       regclass,
    keys           name[],
    tables         integer,
    groups         integer,
    epsilon        float8,
    delta          float8,
    rows_estimated float8
);
COMMENT ON TYPE dpmix.cube_summary IS
    'what dpmix.release_cube() made.';
COMMENT ON COLUMN dpmix.cube_summary.name IS 'of the cube';
COMMENT ON COLUMN dpmix.cube_summary.relation IS 'the table that it is of';
COMMENT ON COLUMN dpmix.cube_summary.keys IS 'columns that it can be read by';
COMMENT ON COLUMN dpmix.cube_summary.tables IS 'sets of up to so many keys: dpmix.cube()';
COMMENT ON COLUMN dpmix.cube_summary.groups IS 'of all tables, with those of other values, which are not shown';
COMMENT ON COLUMN dpmix.cube_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.cube_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.cube_summary.rows_estimated IS 'noisy number of rows; NULL: count is no measure';

CREATE FUNCTION dpmix.release_cube(name text, relation regclass = NULL, keys name[] = NULL, measures text[] = NULL,
                                   epsilon float8 = NULL, delta float8 = NULL, up_to integer = NULL,
                                   condition text = NULL, max_groups integer = NULL, source text = NULL)
    RETURNS dpmix.cube_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_cube' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_cube(text, regclass, name[], text[], float8, float8, integer, text, integer, text) IS
    E'stores the tables of counts and sums of a protected table by all sets of up to so many keys, under a new name: '
    'what dpmix.query answers of GROUP BY GROUPING SETS, which agree with each other. Charges (epsilon, delta) once, '
    'before a row is read. A ROLLBACK, an error or a cancel undoes the cube, not the charge. Needs access. What one '
    'does with it is free: dpmix.cube(), dpmix.cube_table(), and coarser queries, which memory answers.\n'
    'name: as in dpmix.release_gmm()\n'
    'keys: columns with public values: categories, booleans, bounded whole numbers or dates\n'
    'measures: count; avg(column), or the column alone; sum(column), count(column), variance(column), stddev(column). '
    'Each takes a share of the guarantee, an average two and a variance three\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'up_to: how many keys a table has together, at most; NULL: all. At most 4096 tables\n'
    'condition: on rows, as after WHERE; NULL: all rows. Of a table with blocks it says which are read\n'
    'max_groups: as in dpmix.query()\n'
    'source: in place of relation, as in dpmix.release_regression()\n'
    'All rows that meet the condition count in totals, also those where a key has no public value.\n'
    'Errors: PV001 budget; PV002 a condition that is not allowed; PV003 no bounds, no public values, or no blocks; '
    'PV004 ledger; PV005 parameter, too many groups, or a name that is taken; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.releases, docs/guide/cubes.md, docs/proofs/cube.md.';

CREATE FUNCTION dpmix.cube(release text)
    RETURNS TABLE (keys name[], groups integer, measure text, noise_stddev float8)
    AS 'MODULE_PATHNAME', 'dpmix_cube' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cube(text) IS
    E'the tables and measures of a stored cube. Free, for its maker, the table''s owner and roles with access to the '
    'table.\n'
    'keys: of a table; {}: the total\n'
    'groups: rows that dpmix.cube_table() returns\n'
    'noise_stddev: of a count or a sum, in the units of the column; NULL of a ratio, whose error depends on the rows\n'
    'Errors: PV006 no such release, or no access.\n'
    'See also: dpmix.cube_table, docs/guide/cubes.md.';

CREATE FUNCTION dpmix.cube_table(release text, keys name[] = '{}', measure text = 'count', level float8 = 0.95)
    RETURNS TABLE (key_values text[], answer float8, dp_low float8, dp_high float8)
    AS 'MODULE_PATHNAME', 'dpmix_cube_table' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.cube_table(text, name[], text, float8) IS
    E'a table of a stored cube: SELECT key_values[1] AS region, answer FROM dpmix.cube_table(''cps'', ''{region}'', '
    '''wage''). Free, for its maker, the table''s owner and roles with access to the table.\n'
    'keys: what it is by; {}: the total\n'
    'measure: as in dpmix.release_cube()\n'
    'level: of the intervals, between 0 and 1\n'
    'key_values: of the keys, in their order, as texts\n'
    'answer: counts and sums of all tables agree with each other\n'
    'dp_low, dp_high: what is exact lies there at this level\n'
    'Errors: PV005 no such table or measure, or a level out of range; PV006 no such release, or no access.\n'
    'See also: dpmix.cube, docs/guide/cubes.md.';

CREATE FUNCTION dpmix.test(release text, test text, by name, outcome name, among text[] = NULL, level float8 = 0.95,
                           OUT statistic float8, OUT degrees integer, OUT p_value float8, OUT difference float8,
                           OUT low float8, OUT high float8)
    RETURNS record
    AS 'MODULE_PATHNAME', 'dpmix_test' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.test(text, text, name, name, text[], float8) IS
    E'do groups of a stored cube differ? SELECT * FROM dpmix.test(''trial'', ''t'', by => ''arm'', outcome => '
    '''weight''). The noise of the release is part of the test, so that it finds differences that are not there no more '
    'often than it says. Free, for its maker, the table''s owner and roles with access to the table.\n'
    'release: a cube\n'
    'test: of an outcome by group, chi2, or proportions (two groups, two outcomes): the cube needs count, and by and '
    'outcome among its keys. Of the mean of a number by group, anova, or t (two groups), without the assumption that '
    'spreads are equal: the cube needs variance(outcome)\n'
    'by: the key whose values are the groups. Rows where it is NULL, or no public value, are left out\n'
    'outcome: another key, or the column of the measure\n'
    'among: values of by that are compared; NULL: all\n'
    'level: of low and high, between 0 and .995\n'
    'statistic, degrees: of a chi-squared law, if the groups do not differ\n'
    'p_value: the chance of such a statistic then, 0 to 1, at the most people and the widest spreads that the noise '
    'leaves possible but for a chance of .005, which is added\n'
    'difference: of two groups the mean, or the share of the second outcome, of the first less that of the second; '
    'NULL: of more groups or outcomes\n'
    'low, high: what the test at this level does not contradict lies there\n'
    'Errors: PV005 no such test, key, value or measure, or a level out of range; PV006 '
    'no such release, or no access.\n'
    'See also: dpmix.release_cube, docs/guide/cubes.md, docs/proofs/group_tests.md.';
