-- What is done with a stored model, whatever its kind. All of it is free: post-processing.

CREATE FUNCTION dpmix.sample(release text, row_type anyelement, rows bigint) RETURNS SETOF anyelement
    AS 'MODULE_PATHNAME', 'dpmix_sample' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION dpmix.sample(text, anyelement, bigint) IS
    E'rows drawn from a stored mixture or tree, as rows of the table in row_type: CREATE TABLE synthetic AS SELECT * '
    'FROM dpmix.sample(''model'', NULL::patients, 20000). Numbers are clamped to their bounds and rounded to the '
    'column''s type. Free, for its maker, the table''s owner and roles with access to the table.\n'
    'row_type: NULL of any row type that has the columns of the model. A modelled column goes into a column of its '
    'kind: numbers into numbers, dates and timestamps (in UTC) into either, booleans into booleans. The label is left '
    'out where the row type has no column for it; other columns are NULL\n'
    'rows: 1 to 10^9\n'
    'Of a tree, within blocks of 131072 rows every label is as frequent as the model says, but for less than one row, '
    'and so is every value among rows that agree in the label and the columns it is drawn from. Columns that were NOT '
    'NULL have no NULL.\n'
    'Errors: PV005 a release of another kind, a column that is missing or cannot hold the values; PV006 no such '
    'release, or no access.\n'
    'See also: dpmix.synthesize, docs/guide/mixtures.md, docs/guide/synthetic_tables.md.';

CREATE FUNCTION dpmix.classify(release text, "row" record) RETURNS text
    AS 'MODULE_PATHNAME', 'dpmix_classify' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dpmix.classify(text, record) IS
    E'label that is most likely under a stored mixture or tree given the row''s other columns: SELECT '
    'dpmix.classify(''model'', p) FROM patients p. Of a mixture without labels the number of the component. Whatever '
    'the row has for a label is not looked at. NULL where a feature of a mixture is NULL or NaN, or infinitely far '
    'from all components; in a tree NULL is a value. The model is loaded once per query. Free, for its maker, the '
    'table''s owner and roles with access to the table.\n'
    'row: any row that has the columns of the model\n'
    'Errors: PV005 a release of another kind, a tree without a label, a column that is missing or of another kind; '
    'PV006 no such release, or no access.\n'
    'See also: dpmix.gmm_posterior, docs/guide/mixtures.md, docs/guide/synthetic_tables.md.';

CREATE FUNCTION dpmix.draw(release text, feature name = NULL, level float8 = NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'dpmix_draw' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.draw(text, name, float8) IS
    E'picture of a stored mixture, tree, regression or survival curves: a standalone SVG document in ASCII. Free, for its maker, the '
    'table''s owner and roles with access to the table.\n'
    'A mixture: what dpmix.gmm_marginal() tells of a feature, a curve for each component (the 20 heaviest), all '
    'together in grey, dates as dates. A component too narrow for the scale of the others is cut off at the top, and a '
    'note says so.\n'
    'A tree: what dpmix.tree_edges() tells, columns, and lines between those whose dependence the model holds, the '
    'wider the more they tell of each other; chords are dashed.\n'
    'A regression: what each term does to the target, with its intervals, of at most 300 coefficients. A coefficient '
    'is multiplied by how far its term can go within public bounds, so that all are in the units of the target: those '
    'of numbers are from the lower to the upper bound, those of categories compared with the first. Without the '
    'intercept. Light bars: the population; dark ones: the noise alone. A coefficient without intervals has a word in '
    'its place: the note of dpmix.regression().\n'
    'Survival curves: what dpmix.survival() tells, at most 6 groups. Light bands: the population; dark ones: the noise '
    'alone. A line ends where its curve does.\n'
    'feature: of a mixture, and only there; NULL: its first\n'
    'level: of a regression or survival curves, and only there: of intervals and bands, between 0 and 1; NULL: 0.95\n'
    'Errors: PV005 a release or an argument of another kind, no such feature, a level out of range; PV006 no such '
    'release, or no access.\n'
    'See also: docs/guide/pictures.md.';
