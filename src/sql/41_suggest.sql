-- What to declare and what to ask with. Bounds and categories come from a private look at the rows: each is one call of
-- dpmix.query(), and what is made of its noisy numbers. Advice comes from dpmix.preview(), free.

CREATE FUNCTION dpmix_internal.bound_bins(whole boolean) RETURNS float8[]
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_bound_bins';
COMMENT ON FUNCTION dpmix_internal.bound_bins(boolean) IS
    'edges of the bins that dpmix.suggest_bounds() counts: six for each power of 2; whole: of whole numbers';

CREATE FUNCTION dpmix_internal.chosen_bounds(edges float8[], counts float8[], deviation float8, row_noise float8,
                                             whole boolean, OUT lower float8, OUT upper float8,
                                             OUT share_below float8, OUT share_above float8)
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_chosen_bounds';
COMMENT ON FUNCTION dpmix_internal.chosen_bounds(float8[], float8[], float8, float8, boolean) IS
    'bounds at which what is clipped and the noise of a planned sum weigh alike, from a histogram with noise of that '
    'deviation; NULL: the noise hides the rows';

CREATE FUNCTION dpmix_internal.six_digits(number float8) RETURNS float8
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_six_digits';
COMMENT ON FUNCTION dpmix_internal.six_digits(float8) IS
    'a number with six significant digits, for reading';

CREATE FUNCTION dpmix_internal.asked_table(relation regclass) RETURNS regclass
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_asked_table';
COMMENT ON FUNCTION dpmix_internal.asked_table(regclass) IS
    'the table of a facade that the caller may select from; any other relation itself';

-- A view's column is declared where it comes from: of a table, or where the view computes it of the view.
CREATE FUNCTION dpmix_internal.declared_column(INOUT relation regclass, INOUT column_name name, OUT computed boolean)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v record;
BEGIN
    relation := dpmix_internal.asked_table(relation);
    SELECT * INTO v FROM dpmix_internal.view_columns(relation) w WHERE w.column_name = declared_column.column_name;
    computed := FOUND AND v.of_relation IS NULL;
    IF v.of_relation IS NOT NULL THEN
        relation := v.of_relation;
        column_name := v.of_column;
    END IF;
END $$;
COMMENT ON FUNCTION dpmix_internal.declared_column(regclass, name) IS
    'where a column of a table, a facade or a view is declared, and whether that is a column that a view computes';

CREATE FUNCTION dpmix.suggest_bounds(relation regclass, column_name name, epsilon float8, delta float8 = 0,
                                     planned_epsilon float8 = NULL, planned_delta float8 = 0,
                                     all_blocks boolean = false)
    RETURNS TABLE (lower float8, upper float8, share_below float8, share_above float8, noise_stddev float8,
        statement text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    named text := quote_ident(column_name);
    type oid;
    whole boolean;
    asked text := format('SELECT dpmix.dp_histogram(%s, $1) FROM %s', named, relation);
    bins float8[];
    counts float8[];
    deviation float8;
    row_noise float8;
BEGIN
    SELECT a.atttypid INTO type FROM pg_attribute a
    WHERE a.attrelid = relation AND a.attname = suggest_bounds.column_name AND a.attnum > 0 AND NOT a.attisdropped;
    whole := type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype);
    IF NOT coalesce(whole OR type IN ('real'::regtype, 'double precision'::regtype, 'numeric'::regtype), false) THEN
        RAISE EXCEPTION 'no bounds can be suggested of column %', named
            USING ERRCODE = 'PV005', DETAIL = 'It is no column of the table, or holds no numbers.',
                  HINT = 'Name a column of type smallint, integer, bigint, real, double precision or numeric.';
    END IF;
    -- This comes before the charge: the planned release has to be possible, too.
    SELECT p.noise_stddev INTO row_noise
    FROM dpmix.preview(format('SELECT dpmix.dp_count(*) FILTER (WHERE %s > 0) FROM %s', named, relation),
                       coalesce(planned_epsilon, suggest_bounds.epsilon), planned_delta, all_blocks => all_blocks,
                       details => true) p;
    bins := dpmix_internal.bound_bins(whole);
    SELECT p.noise_stddev INTO deviation
    FROM dpmix.preview(asked, suggest_bounds.epsilon, suggest_bounds.delta, params => ARRAY[bins::text],
        all_blocks => all_blocks, details => true) p;
    SELECT h::float8[] INTO counts
    FROM dpmix.query(asked, suggest_bounds.epsilon, suggest_bounds.delta, params => ARRAY[bins::text],
        all_blocks => all_blocks)
        AS t(h bigint[]);
    RETURN QUERY
        SELECT c.lower, c.upper, dpmix_internal.six_digits(c.share_below), dpmix_internal.six_digits(c.share_above),
               dpmix_internal.six_digits(row_noise * greatest(abs(c.lower), abs(c.upper))),
               format('SELECT dpmix.set_bounds(%L, %L, %s, %s)', d.relation, d.column_name, c.lower, c.upper)
        FROM dpmix_internal.chosen_bounds(bins, counts, deviation, row_noise, whole) c
        CROSS JOIN dpmix_internal.declared_column(suggest_bounds.relation, suggest_bounds.column_name) d
        WHERE c.lower IS NOT NULL;
    IF NOT FOUND THEN
        RAISE NOTICE 'no bounds can be suggested of column %: noise hides where its values lie', named
            USING HINT = 'Pass a larger epsilon, or state bounds from what the column means.';
    END IF;
END $$;
COMMENT ON FUNCTION dpmix.suggest_bounds(regclass, name, float8, float8, float8, float8, boolean) IS
    E'bounds for a column of numbers, without looking: from one noisy histogram of it, charged once, as a call of '
    'dpmix.query(). They are where the values that are clamped weigh as much in a sum as the noise that wider bounds '
    'would cost. It declares nothing: statement does. Few rows outside may stay unseen. No row comes back where the '
    'noise hides the column, which is charged all the same. For roles with access.\n'
    'epsilon, delta: of the histogram, as for dpmix.query()\n'
    'planned_epsilon, planned_delta: of the sums that are planned at these bounds; NULL: epsilon. Not charged\n'
    'all_blocks: as for dpmix.query()\n'
    'lower, upper: of two digits, rounded outwards; of whole numbers whole\n'
    'share_below, share_above: noisy part of the rows that these bounds would clamp\n'
    'noise_stddev: of the planned sum. Shares and noise have six digits\n'
    'statement: declares them, for the owner: of a view''s column that is one of a table, of that one\n'
    'Errors: as dpmix.query(); PV005 no column of numbers.\n'
    'See also: dpmix.declare, dpmix.check, docs/guide/declaring.md, docs/proofs/suggestions.md.';

CREATE FUNCTION dpmix_internal.unit_histogram(relation regclass, epsilon float8, delta float8, blocks text)
    RETURNS TABLE (counts float8[], deviation float8, max_rows_per_unit integer)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_unit_histogram';
COMMENT ON FUNCTION dpmix_internal.unit_histogram(regclass, float8, float8, text) IS
    'how many privacy units have how many rows, with noise of that deviation, charged as a query; and how many rows of '
    'a unit its owner declared';

CREATE FUNCTION dpmix_internal.chosen_unit_rows(counts float8[], deviation float8, row_noise float8,
                                                OUT max_rows_per_unit integer, OUT share_of_units float8,
                                                OUT share_of_rows float8)
    LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpmix_chosen_unit_rows';
COMMENT ON FUNCTION dpmix_internal.chosen_unit_rows(float8[], float8, float8) IS
    'the number of rows of a unit at which the rows that are lost and the noise of a planned count weigh alike; NULL: '
    'noise hides the units';

CREATE FUNCTION dpmix.suggest_unit_bounds(relation regclass, epsilon float8, delta float8 = 0,
                                          planned_epsilon float8 = NULL, planned_delta float8 = 0,
                                          blocks text = NULL)
    RETURNS TABLE (max_rows_per_unit integer, share_of_units float8, share_of_rows float8, noise_stddev float8,
        noise_stddev_now float8, statement text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    noise_now float8;
    noise_each float8;
    seen record;
BEGIN
    IF relation IS NULL THEN
        RAISE EXCEPTION 'relation must not be NULL'
            USING ERRCODE = 'PV005', DETAIL = 'It is the table whose units are counted.', HINT = 'Pass a table.';
    END IF;
    -- This comes before the charge: the planned release has to be possible, too.
    SELECT p.noise_stddev INTO noise_now
    FROM dpmix.preview(format('SELECT dpmix.dp_count(*) FROM %s', relation),
                       coalesce(planned_epsilon, suggest_unit_bounds.epsilon), planned_delta,
                       all_blocks => true, details => true) p;
    SELECT h.counts, h.deviation, h.max_rows_per_unit AS declared INTO seen
    FROM dpmix_internal.unit_histogram(relation, suggest_unit_bounds.epsilon, suggest_unit_bounds.delta, blocks) h;
    noise_each := noise_now / seen.declared;
    RETURN QUERY
        SELECT c.max_rows_per_unit, dpmix_internal.six_digits(c.share_of_units),
               dpmix_internal.six_digits(c.share_of_rows),
               dpmix_internal.six_digits(noise_each * c.max_rows_per_unit), dpmix_internal.six_digits(noise_now),
               format('SELECT dpmix.set_max_rows_per_unit(%L, %s)', dpmix_internal.asked_table(relation), c.max_rows_per_unit)
        FROM dpmix_internal.chosen_unit_rows(seen.counts, seen.deviation, noise_each) c
        WHERE c.max_rows_per_unit IS NOT NULL;
    IF NOT FOUND THEN
        RAISE NOTICE 'no number of rows can be suggested for the units of %: noise hides them', relation
            USING HINT = 'Pass a larger epsilon, or state how many rows most units have.';
    END IF;
END $$;
COMMENT ON FUNCTION dpmix.suggest_unit_bounds(regclass, float8, float8, float8, float8, text) IS
    E'how many rows of a privacy unit releases should use, without looking: from one noisy histogram of the units by '
    'their number of rows, charged once, as a query. All rows of a unit are counted, whatever max_rows_per_unit is. '
    'The number is where the rows that are lost weigh as much in a count as the noise that a larger one would cost. It '
    'declares nothing: statement does. No row comes back where the noise hides the units, which is charged all the '
    'same. For roles with access to a table whose privacy units may have several rows.\n'
    'epsilon, delta: of the histogram, as for dpmix.query()\n'
    'planned_epsilon, planned_delta: of the queries that are planned; NULL: epsilon. Not charged\n'
    'blocks: of a table with blocks a range of the block column, in which rows are counted, as for dpmix.cda(); NULL '
    'otherwise\n'
    'max_rows_per_unit: of two digits, rounded up\n'
    'share_of_units, share_of_rows: noisy part of the units that have more, and of all rows that are then not used\n'
    'noise_stddev: of a planned count at this number; noise_stddev_now: at the number that is declared\n'
    'statement: declares it, for the owner\n'
    'Errors: as dpmix.query(); PV003 blocks left out; PV005 units of one row.\n'
    'See also: dpmix.set_max_rows_per_unit, docs/guide/declaring.md, docs/proofs/suggestions.md.';

CREATE FUNCTION dpmix.suggest_categories(relation regclass, column_name name, epsilon float8, delta float8,
                                         max_groups integer = NULL, all_blocks boolean = false)
    RETURNS TABLE (categories text[], noisy_rows bigint[], statement text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    named text := quote_ident(column_name);
    type text;
    printed text;
    asked text := format('SELECT %1$s, dpmix.dp_count(*) FROM %2$s GROUP BY %1$s', named, relation);
    found text[];
    rows bigint[];
    all_found float8;
    estimated float8;  -- rows, where a unit is one; NULL: not known
    deviation float8;
BEGIN
    -- Whoever made a type may have made a cast of it to text, which runs with the rights of who prints by it.
    SELECT format_type(a.atttypid, a.atttypmod),
           CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN 'v::text' ELSE 'format(''%s'', v)' END
    INTO type, printed FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = relation AND a.attname = suggest_categories.column_name AND a.attnum > 0 AND NOT a.attisdropped;
    IF type IS NULL THEN
        RAISE EXCEPTION 'no categories can be suggested of column %', coalesce(named, 'NULL')
            USING ERRCODE = 'PV005', DETAIL = 'It is no column of the table.', HINT = 'Name a column of the table.';
    END IF;
    -- All of it is public: PostgreSQL's estimate of the rows, beside what will be answered.
    SELECT c.reltuples INTO estimated FROM pg_class c JOIN dpmix_internal.described_tables() d ON d.relation = c.oid
    WHERE c.oid = suggest_categories.relation AND c.reltuples > 0 AND d.privacy_unit IS NULL AND d.unit_through IS NULL
      AND split_part(type, '(', 1) IN ('text', 'character varying', 'character');
    SELECT max(p.noise_stddev) INTO deviation
    FROM dpmix.preview(asked, suggest_categories.epsilon, suggest_categories.delta, keys => 'discover',
        max_groups => suggest_categories.max_groups, all_blocks => suggest_categories.all_blocks, details => true) p
    WHERE estimated IS NOT NULL AND p.statistic = 'count(*)';
    EXECUTE format('SELECT coalesce(array_agg(t.text ORDER BY n DESC, t.text) FILTER (WHERE t.v IS NOT NULL), ''{}''), '
                   'coalesce(array_agg(n ORDER BY n DESC, t.text) FILTER (WHERE t.v IS NOT NULL), ''{}''), sum(n) '
                   'FROM (SELECT v, %s AS text, n FROM dpmix.query($1, $2, $3, keys => ''discover'', '
                   'max_groups => $4, all_blocks => $5) AS q(v %s, n bigint)) AS t', printed, type)
        INTO found, rows, all_found
        USING asked, suggest_categories.epsilon, suggest_categories.delta, max_groups, all_blocks;
    RETURN QUERY SELECT found, rows, CASE WHEN found <> '{}'
            -- Of numbers that a view computes there are bounds alone.
            AND NOT (d.computed AND type ~ '^(smallint|integer|bigint|real|double|numeric|date|timestamp|time|interval|boolean)') THEN
        format('SELECT dpmix.set_categories(%L, %L, %L%s)', d.relation, d.column_name, found,
            CASE WHEN estimated - all_found > 0.05 * estimated + 4 * deviation * sqrt(cardinality(found))
                THEN ', other => true' END) END
    FROM dpmix_internal.declared_column(suggest_categories.relation, suggest_categories.column_name) d;
END $$;
COMMENT ON FUNCTION dpmix.suggest_categories(regclass, name, float8, float8, integer, boolean) IS
    E'categories for a column, without looking: the values that enough units have, charged once, as a call of '
    'dpmix.query() with keys => ''discover''. Rare values stay unseen. It declares nothing: statement does. For roles '
    'with access.\n'
    'epsilon, delta, max_groups, all_blocks: as for dpmix.query(); delta above 0\n'
    'categories: the most frequent first, as far as the noisy numbers say\n'
    'noisy_rows: of each\n'
    'statement: declares them, for the owner, with a group of other values where more than a twentieth of the rows seems to '
    'have some: by PostgreSQL''s estimate of the rows, of texts in tables whose unit is a row; of a view''s column that is one of a table, of that one; NULL: none was found, or '
    'a view computes numbers or times, which have bounds\n'
    'Errors: as dpmix.query(); PV005 no such column.\n'
    'See also: dpmix.declare, docs/guide/query_keys.md, docs/guide/declaring.md, docs/proofs/suggestions.md.';

-- What reads the caller's text is this one call: the bodies around it are read under a path of their own.
CREATE FUNCTION dpmix_internal.preview_under(
    query text, epsilon float8, delta float8, mechanism text, params text[], keys text, max_groups integer,
    all_blocks boolean, group_rows bigint, details boolean, max_rows integer, path text)
    RETURNS TABLE (output_column text, statistic text, mechanism text, sensitivity float8,
                   epsilon float8, delta float8, noise_stddev float8, expected_error float8,
                   interval_95 float8, candidates jsonb, charge_cost float8, charge_delta float8,
                   charge_share float8, calls_left bigint, memory text, limited_by text, mu float8)
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_preview_under';
COMMENT ON FUNCTION dpmix_internal.preview_under(text, float8, float8, text, text[], text, integer, boolean, bigint,
    boolean, integer, text) IS
    'dpmix.preview() of a text that means what it means under that search_path';

-- Half the width of the widest interval of a column of the query, and what preview() says of the call.
CREATE FUNCTION dpmix_internal.previewed_error(
    query text, epsilon float8, delta float8, mechanism text, params text[], keys text, max_groups integer,
    all_blocks boolean, group_rows bigint, wanted name, path text, OUT interval_95 float8, OUT family text,
    OUT outputs text, OUT charge_share float8, OUT calls_left bigint, OUT limited_by text)
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
    BEGIN ATOMIC
    WITH shown AS (
        SELECT p.*, pg_catalog.row_number() OVER () AS place,
               wanted::text = ANY (pg_catalog.string_to_array(p.output_column, ', ')) AS is_wanted
        FROM dpmix_internal.preview_under(query, epsilon, delta, mechanism, params, keys, max_groups, all_blocks,
            group_rows, true, NULL, path) p
    ), known AS (SELECT * FROM shown WHERE shown.interval_95 IS NOT NULL AND (wanted IS NULL OR is_wanted)),
    first AS (SELECT k.output_column FROM known k ORDER BY k.place LIMIT 1)
    SELECT pg_catalog.max(k.interval_95), pg_catalog.min(k.mechanism),
           coalesce(wanted::text, pg_catalog.min(k.output_column)), pg_catalog.max(k.charge_share),
           pg_catalog.min(k.calls_left), pg_catalog.min(k.limited_by)
    FROM known k WHERE wanted IS NOT NULL OR k.output_column = (SELECT f.output_column FROM first f);
    END;
COMMENT ON FUNCTION dpmix_internal.previewed_error(text, float8, float8, text, text[], text, integer, boolean, bigint,
    name, text) IS
    'what dpmix.preview() says of one column of a query; NULL: its error is not known';

CREATE FUNCTION dpmix_internal.advised(query text, error float8, group_rows bigint, delta float8, output_column name,
                                       params text[], keys text, max_groups integer, all_blocks boolean, path text)
    RETURNS TABLE (epsilon float8, delta_needed float8, mechanism text, interval_95 float8, charge_share float8,
                   calls_left bigint, limited_by text, advice text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    family text;
    low float8;
    high float8;
    tried float8;
    seen record;
    kept record;
    best record;
    best_epsilon float8;
    interval_tried float8;
    step float8;
    shown_from text := current_setting('client_min_messages');
BEGIN
    IF error IS NULL OR NOT (error > 0 AND error < 'Infinity') THEN
        RAISE EXCEPTION 'error out of range'
            USING ERRCODE = 'PV005', DETAIL = format('error is %s; it is half the width of a 95%% interval.',
                                                     coalesce(error::text, 'NULL')),
                  HINT = 'Pass how far the answer may be off, above 0, in the units of the column.';
    END IF;
    -- What cannot be asked at all is refused in the words of a query that names no mechanism.
    SELECT p.* INTO seen
    FROM dpmix_internal.previewed_error(query, 1, delta, 'auto', params, keys, max_groups, all_blocks, group_rows,
        output_column, path) p;
    IF seen.interval_95 IS NULL THEN
        RAISE EXCEPTION 'the error of % is not known', coalesce('column ' || quote_ident(output_column), 'the answers')
            USING ERRCODE = 'PV002', DETAIL = 'It is that of counts, sums and histograms; of averages and ratios it '
                                              'depends on the number of rows.',
                  HINT = 'Pass group_rows => how many rows a group has that you think of, or output_column => a '
                         'column of the query.';
    END IF;
    -- The query's notices were shown once.
    IF shown_from NOT IN ('warning', 'error') THEN
        PERFORM set_config('client_min_messages', 'warning', true);
    END IF;
    <<families>>
    FOREACH family IN ARRAY CASE WHEN delta > 0 THEN ARRAY['gaussian', 'laplace', 'optimal']
                                 ELSE ARRAY['laplace', 'staircase'] END LOOP
        low := 0;
        high := 'Infinity';
        tried := 1;
        FOR i IN 1 .. 60 LOOP
            BEGIN
                SELECT p.* INTO seen
                FROM dpmix_internal.previewed_error(query, tried, delta, family, params, keys, max_groups, all_blocks,
                    group_rows, output_column, path) p;
                interval_tried := seen.interval_95;
            EXCEPTION WHEN SQLSTATE 'PV002' OR SQLSTATE 'PV005' THEN
                -- Not with this mechanism, or so small an epsilon cannot be calibrated and is not enough.
                CONTINUE families WHEN i = 1;
                interval_tried := NULL;
            END;
            IF interval_tried <= error THEN
                high := tried;
                kept := seen;
            ELSE
                low := tried;
            END IF;
            EXIT WHEN high <= low * 1.0005 OR low >= 1e7 OR high <= 1e-6;
            -- Noise goes about as 1 / epsilon.
            tried := tried * coalesce(interval_tried, 2 * error) / error;
            IF NOT (tried > low AND tried < high) OR i > 6 THEN
                tried := CASE WHEN low = 0 THEN high / 10 WHEN high = 'Infinity' THEN low * 10
                    ELSE sqrt(low * high) END;
            END IF;
            tried := least(greatest(tried, 1e-6), 1e7);
        END LOOP;
        CONTINUE WHEN high = 'Infinity';
        -- Epsilon is rounded up to four digits: there it is as accurate at least.
        step := power(10::float8, floor(log(high)) - 3);
        tried := least((ceil(high / step) * step)::numeric(30, 12)::float8, 1e7);
        SELECT p.* INTO seen FROM dpmix_internal.previewed_error(query, tried, delta, family, params, keys,
            max_groups, all_blocks, group_rows, output_column, path) p;
        IF seen.interval_95 <= error THEN
            kept := seen;
            high := tried;
        END IF;
        IF best_epsilon IS NOT NULL THEN
            CONTINUE WHEN (best.calls_left, -best.charge_share) >= (kept.calls_left, -kept.charge_share);
        END IF;
        best := kept;
        best_epsilon := high;
    END LOOP;
    IF shown_from NOT IN ('warning', 'error') THEN
        PERFORM set_config('client_min_messages', shown_from, true);
    END IF;
    IF best_epsilon IS NULL THEN
        RAISE EXCEPTION 'no epsilon keeps the error that was asked for'
            USING ERRCODE = 'PV005', DETAIL = format('error is %s, and epsilon at most 1e7.', error),
                  HINT = 'Allow a larger error, or ask for fewer columns.';
    END IF;
    RETURN QUERY SELECT best_epsilon, CASE WHEN best.family IN ('laplace', 'staircase') THEN 0 ELSE delta END,
        best.family, least(dpmix_internal.six_digits(best.interval_95), error),
        dpmix_internal.six_digits(best.charge_share), best.calls_left, best.limited_by,
        format('With epsilon => %s%s, mechanism => %L, %s is within %s of the answer without noise in 95%% of calls. %s',
               best_epsilon,
               CASE WHEN best.family NOT IN ('laplace', 'staircase') THEN format(', delta => %s', delta) END,
               best.family, best.outputs, error::numeric,
               CASE WHEN best.limited_by IS NULL THEN 'It is free: memory has the answer.'
                    WHEN best.calls_left = 0 THEN format('The %s does not allow it.', best.limited_by)
                    WHEN best.calls_left = 1 THEN 'You can ask this once.'
                    ELSE format('You can ask this %s times.', best.calls_left) END);
END $$;
COMMENT ON FUNCTION dpmix_internal.advised(text, float8, bigint, float8, name, text[], text, integer, boolean, text) IS
    'what dpmix.advise() returns, of a text that means what it means under that search_path';

CREATE FUNCTION dpmix.advise(query text, error float8, group_rows bigint = NULL, delta float8 = 0,
    output_column name = NULL,
                             params text[] = '{}', keys text = 'auto', max_groups integer = NULL,
                             all_blocks boolean = false)
    RETURNS TABLE (epsilon float8, delta_needed float8, mechanism text, interval_95 float8, charge_share float8,
                   calls_left bigint, limited_by text, advice text)
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
    BEGIN ATOMIC
    SELECT * FROM dpmix_internal.advised(query, error, group_rows, delta, output_column, params, keys, max_groups,
                                         all_blocks, current_setting('search_path'));
    END;
COMMENT ON FUNCTION dpmix.advise(text, float8, bigint, float8, name, text[], text, integer, boolean) IS
    E'what a query costs at a wanted accuracy: the least epsilon at which its answer is as accurate, and how often '
    'it can then be asked, '
    'in words, too. Free; reads no row; needs access.\n'
    'query, params, keys, max_groups, all_blocks: as for dpmix.query()\n'
    'error: how far the answer may be off: half the width of its 95% interval, in its units\n'
    'group_rows: how many rows a group has that you think of, for averages and ratios, as for dpmix.preview(); NULL: '
    'none\n'
    'delta: as for dpmix.query(); above 0 many answers may cost less\n'
    'output_column: whose error is meant; NULL: the first column whose error is known\n'
    'epsilon, delta_needed, mechanism: to ask with: of gaussian, laplace and optimal (without delta laplace and '
    'staircase) '
    'the one that can be asked most often\n'
    'interval_95: at this epsilon, at most error\n'
    'charge_share, calls_left, limited_by: as in dpmix.preview()\n'
    'advice: the same as a sentence\n'
    'Errors: as dpmix.query(); PV002 a column whose error is not known; PV005 an error that no epsilon keeps.\n'
    'See also: dpmix.preview, docs/guide/query.md.';
