-- Tree models: private marginals of mixed columns, one charged release, then free use of the model.

CREATE TYPE dpmix.tree_summary AS (
    name           text,
    relation       regclass,
    columns        integer,
    edges          integer,
    epsilon        float8,
    delta          float8,
    count_stddev   float8,
    rows_estimated float8,
    quality        text
);
COMMENT ON TYPE dpmix.tree_summary IS
    'what dpmix.release_tree() made.';
COMMENT ON COLUMN dpmix.tree_summary.name IS 'of the model';
COMMENT ON COLUMN dpmix.tree_summary.relation IS 'the modelled table';
COMMENT ON COLUMN dpmix.tree_summary.columns IS 'number of columns, besides the label';
COMMENT ON COLUMN dpmix.tree_summary.edges IS
    'pairs of columns whose dependence was measured: dpmix.tree_edges()';
COMMENT ON COLUMN dpmix.tree_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.tree_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.tree_summary.count_stddev IS
    'standard deviation of the noise in the number of rows of one class with one value of a column';
COMMENT ON COLUMN dpmix.tree_summary.rows_estimated IS 'noisy number of rows whose label is declared';
COMMENT ON COLUMN dpmix.tree_summary.quality IS 'how much can be seen through the noise';

CREATE FUNCTION dpmix.release_tree(name text, relation regclass = NULL, columns name[] = NULL, epsilon float8 = NULL,
                                   delta float8 = NULL, label name = NULL, bins text = 'private', source text = NULL,
                                   blocks text = NULL)
    RETURNS dpmix.tree_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_tree' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_tree(text, regclass, name[], float8, float8, name, text, text, text) IS
    E'stores a private model of mixed columns of a protected table under a new name: noisy counts of single columns and '
    'of the pairs that depend most on each other, within the classes of a label. What synthetic rows of tables with '
    'categories, whole numbers, spikes and NULLs are drawn from: dpmix.sample(). Charges (epsilon, delta) once, '
    'before a row is read; all passes over the rows see one snapshot. A ROLLBACK, an error or a cancel undoes the '
    'model, not the charge. Needs access; what one does with the model is free. Where a privacy unit may have several '
    'rows, as many of each as its owner declared are drawn for each pass. Where rows are too few to see pairs '
    'through the noise, columns are counted twice in place of them, and the model has no edges. Pairs whose tables have '
    'more than 2^16 cells, or together more than 2^23, are not looked at; quality says how many.\n'
    'name: as in dpmix.release_gmm()\n'
    'columns: 1 to 100: numbers, dates and timestamps with declared bounds, booleans, any column with declared '
    'categories. NULL is a value, and stands for values that are not declared, too; numbers beyond the bounds count '
    'as the nearest\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'label: a column with declared categories: all tables are counted within each. Rows whose label is none of them '
    'are in no table. Under adjacency label the declared one\n'
    'bins: of whole numbers with more than 128 values between their bounds, and of other numbers. private: at most 32 '
    'of about as many rows each, and values that many rows share, found for a tenth of the budget; equal: 32 of equal '
    'width, at no cost\n'
    'source: in place of relation, as in dpmix.release_regression()\n'
    'blocks: as in dpmix.release_gmm()\n'
    'Errors: PV001 budget; PV002 units of several rows in a table with blocks or over shards; PV003 no bounds or '
    'categories, or no blocks; PV004 ledger; PV005 parameter, or a name that is taken; PV006 not protected, or no '
    'access.\n'
    'See also: dpmix.preview, dpmix.synthesize, dpmix.releases, docs/guide/synthetic_tables.md, '
    'docs/proofs/tree_model.md.';

CREATE FUNCTION dpmix.tree_edges(release text)
    RETURNS TABLE (a name, b name, mutual_information float8, chord boolean)
    AS 'MODULE_PATHNAME', 'dpmix_tree_edges' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.tree_edges(text) IS
    E'the pairs of columns whose dependence a stored tree model holds, in the order in which they were drawn. All '
    'other dependence goes through these. Free.\n'
    'a, b: columns\n'
    'mutual_information: how much they tell of each other within a class, in nats, by the released counts\n'
    'chord: closes a triangle of columns\n'
    'Errors: PV006 no such release, or no access.\n'
    'See also: dpmix.draw.';

CREATE FUNCTION dpmix.tree_probability(release text, "row" record) RETURNS float8
    AS 'MODULE_PATHNAME', 'dpmix_tree_probability' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.tree_probability(text, record) IS
    E'probability of a row under a stored tree model: SELECT dpmix.tree_probability(''model'', p) FROM patients p. Of '
    'the cells that its values are in, so a number counts with all others of its cell. With the label where the row has '
    'one (0: one that is not declared), else of all classes together. The model is loaded once per query. Free.\n'
    'row: any row that has the columns of the model\n'
    'Errors: PV005 a column is missing or of another kind; PV006 no such release, or no access.\n'
    'See also: docs/guide/synthetic_tables.md.';
