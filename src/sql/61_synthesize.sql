-- One front door to private synthetic tables: it picks the method.

CREATE FUNCTION dpmix.synthesize(row_type anyelement, rows bigint, epsilon float8, delta float8, columns name[] = NULL,
                                 label name = NULL, method text = NULL, source text = NULL, blocks text = NULL)
    RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_synthesize' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.synthesize(anyelement, bigint, float8, float8, name[], name, text, text, text) IS
    E'private synthetic rows of a protected table: CREATE TABLE synthetic AS SELECT * FROM '
    'dpmix.synthesize(NULL::patients, 20000, 1, 1e-6). Makes a private model, draws the rows from it, and keeps no '
    'model: dpmix.release_tree() and dpmix.release_gmm() make one to draw from again, for the same charge. Charges '
    '(epsilon, delta) once, before a row is read; a ROLLBACK does not undo it. NOTICEs say which columns are left out, '
    'which method was picked and why, and how good the rows are, by public and released numbers.\n'
    'row_type: NULL::the_table; columns that are not modelled are NULL. Of a source any row type that has its columns\n'
    'rows: 1 to 10^9; any number costs the same\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'columns: numbers, dates and timestamps with declared bounds, booleans, any column with declared categories. NULL: '
    'all of these, but for generated ones and that of the privacy unit\n'
    'label: a column with declared categories, for instance what a classifier is to tell: how all other columns depend '
    'on it is kept. Rows whose label is none of them are left out. Under adjacency label the declared one\n'
    'method: tree, as dpmix.release_tree(); mixture, as dpmix.release_gmm(), of numbers alone, without the rows that '
    'have a NULL; copula: single columns as in a tree, and in each class one correlation of ranks for each pair of them; '
    'cda, as dpmix.cda() with as many rows of each class as the table has. NULL: picked by what is declared: tree, but '
    'mixture for 9 and more columns that are all numbers, none of them whole with 128 values or fewer, cda for more than '
    '100 columns, and always tree where a privacy unit may have several rows\n'
    'source: in place of the rows of the_table, as in dpmix.release_regression(), where each person has one row; not '
    'by cda\n'
    'blocks: as in dpmix.release_gmm()\n'
    'Errors: PV001 budget; PV002 units of several rows, but for a tree; PV003 no bounds or categories, or no blocks; '
    'PV004 ledger; PV005 parameter; PV006 not protected, or no access.\n'
    'See also: dpmix.preview, dpmix.compare, docs/guide/synthetic_tables.md, docs/proofs/copula.md.';

-- A name in quotes instead of NULL::the_table: says what to write.
CREATE FUNCTION dpmix.synthesize(row_type text, rows bigint, epsilon float8, delta float8, columns name[] = NULL,
                                 label name = NULL, method text = NULL, source text = NULL, blocks text = NULL)
    RETURNS SETOF text
    AS 'MODULE_PATHNAME', 'dpmix_rows_of_name' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.synthesize(text, bigint, float8, float8, name[], name, text, text, text) IS
    E'raises PV005: the first argument of dpmix.synthesize() is NULL::the_table, which gives the result its columns.';
