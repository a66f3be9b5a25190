-- A record of a table's deployment, as the public registry of deployments of differential privacy has them: what the
-- catalog knows, and what its owner states.

CREATE TABLE dpmix.stated (
    table_id bigint      NOT NULL,
    key      text        NOT NULL,
    words    text        NOT NULL,
    role     name        NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (table_id, key)
);
COMMENT ON TABLE dpmix.stated IS 'what the record of a protected table says in its owner''s words';
SELECT pg_catalog.pg_extension_config_dump('dpmix.stated', '');

CREATE FUNCTION dpmix.state(relation regclass, key text, words text) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_state';
COMMENT ON FUNCTION dpmix.state(regclass, text, text) IS
    E'states what the public record of a table says and dpmix cannot know. For the table''s owner. Free.\n'
    'key: name, data_curators, description, intended_use, data_product_type, data_product_region, data_product_sector, '
    'data_source_type, actors, preprocessing_and_hyperparameter_tuning, post_processing, justification, sources, notes '
    'or registry_authors\n'
    'words: up to 10 000 bytes; data_curators and registry_authors: a line each; data_product_type, '
    'data_product_sector and data_source_type: a word of the registry''s, which an error lists; NULL: takes it back\n'
    'Errors: PV005 an unknown key, an unknown or empty word; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.registry_record, docs/guide/report.md.';

-- One row for each table of which the viewer sees the whole record.
CREATE VIEW dpmix_internal.recorded_table AS
    SELECT t.relation, t.accountant, t.population, p.adjacency, p.privacy_unit, p.label, p.max_rows_per_unit,
           r.schema_name || '.' || r.table_name AS unit_through, b.column_name AS block_column,
           (SELECT dpmix_internal.width_text(q.width) FROM dpmix.population q WHERE q.id = t.account) AS population_width,
           (SELECT max(h.epsilon) FROM dpmix.budget_change h WHERE h.table_id = t.account) AS epsilon,
           (SELECT max(h.delta) FROM dpmix.budget_change h WHERE h.table_id = t.account) AS delta,
           (SELECT min(h.at) FROM dpmix.budget_change h WHERE h.table_id IN (t.id, t.account)) AS since,
           (SELECT count(*) FROM dpmix_internal.known_grant g WHERE g.table_id = t.id) AS roles,
           (SELECT count(*) FROM dpmix_internal.known_grant g WHERE g.table_id = t.id AND g.epsilon IS NOT NULL) AS capped,
           c.first, c.kinds, c.mechanisms,
           (SELECT json_object_agg(s.key, s.words) FROM dpmix.stated s WHERE s.table_id = t.id) AS stated
    FROM dpmix_internal.seen_table t
    CROSS JOIN LATERAL (SELECT * FROM dpmix.protected_table x WHERE x.id = t.id OFFSET 0) p
    LEFT JOIN dpmix.protected_table r ON r.id = p.unit_through
    LEFT JOIN dpmix.block_column b ON b.table_id = t.id
    CROSS JOIN LATERAL (SELECT min(g.at) AS first, array_agg(DISTINCT g.kind ORDER BY g.kind) AS kinds,
                               array_agg(DISTINCT g.mechanism ORDER BY g.mechanism) AS mechanisms
                        FROM dpmix.charge g WHERE g.table_id = t.id) c
    WHERE t.audited AND t.active;
COMMENT ON VIEW dpmix_internal.recorded_table IS 'what a record says of the tables that the viewer owns or audits';
CREATE FUNCTION dpmix_internal.recorded_tables() RETURNS SETOF dpmix_internal.recorded_table
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.recorded_tables() IS 'rows of dpmix_internal.recorded_table';

-- Texts are double-quoted as in JSON, which YAML reads the same way.
CREATE FUNCTION dpmix_internal.yaml(document json, indent integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    margin CONSTANT text := repeat(' ', indent);
BEGIN
    IF json_typeof(document) = 'array' THEN
        RETURN (SELECT string_agg(format(E'\n%s- %s', margin, i.value), '' ORDER BY i.ordinality)
                FROM json_array_elements(document) WITH ORDINALITY AS i(value, ordinality));
    ELSIF json_typeof(document) = 'object' THEN
        RETURN (SELECT string_agg(format(E'\n%s%s:%s', margin, m.key, dpmix_internal.yaml(m.value, indent + 2)), ''
                                  ORDER BY m.ordinality)
                FROM json_each(document) WITH ORDINALITY AS m(key, value, ordinality));
    END IF;
    RETURN ' ' || document::text;
END $$;
COMMENT ON FUNCTION dpmix_internal.yaml(json, integer) IS 'a document as YAML, below a key: lists are of plain values';

CREATE FUNCTION dpmix_internal.deployment(t dpmix_internal.recorded_table) RETURNS json
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
    SELECT json_strip_nulls(json_build_object(
        'basic', json_build_object(
            'name', t.stated ->> 'name',
            'data_curators', to_json(string_to_array(t.stated ->> 'data_curators', E'\n')),
            'description', t.stated ->> 'description',
            'intended_use', t.stated ->> 'intended_use',
            'data_product_type', coalesce(t.stated ->> 'data_product_type',
                CASE WHEN t.kinds <@ '{cda,copula}' THEN 'Synthetic data'
                     WHEN t.kinds <@ '{gmm,tree,regression}' THEN 'Machine learning model'
                     ELSE 'SQL queries' END),
            'data_product_region', t.stated ->> 'data_product_region',
            'publication_date', to_char(coalesce(t.first, t.since) AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
            'data_product_sector', t.stated ->> 'data_product_sector'),
        'dp_variant', json_build_object(
            'variant_name', CASE WHEN t.delta > 0 THEN 'Approximate DP' ELSE 'Pure DP' END,
            'data_domain', 'All tables with the declared columns. Numbers are moved into declared bounds, and values '
                'of keys are the declared ones or are found with noise; neither is taken from the rows.',
            'unprotected_quantities', CASE t.adjacency
                WHEN 'label' THEN 'Every column but the label.'
                WHEN 'replace' THEN CASE WHEN t.privacy_unit IS NULL AND t.unit_through IS NULL THEN 'The number of rows.'
                                         ELSE 'The number of privacy units.' END
                ELSE 'None in what is released.' END
                || ' To roles of the database PostgreSQL shows the size of the table''s files, and how long a release takes.'),
        'privacy_loss', json_build_object(
            'privacy_unit', CASE WHEN t.adjacency = 'label' THEN 'the label of a row'
                WHEN t.unit_through IS NOT NULL THEN 'all rows that one person is found through'
                WHEN t.privacy_unit IS NOT NULL THEN format('all rows of one value of %s', quote_ident(t.privacy_unit))
                ELSE 'a row' END
                || CASE WHEN t.population IS NOT NULL THEN ', in all tables of a population' ELSE '' END
                || CASE WHEN t.population_width IS NOT NULL
                        THEN format(', within one block of %s, or of what is in no block', t.population_width)
                        WHEN t.block_column IS NOT NULL THEN format(', within one block of %s', quote_ident(t.block_column)) ELSE '' END,
            'privacy_unit_details', CASE t.adjacency
                WHEN 'label' THEN 'Neighbouring tables differ in the label of one row.'
                WHEN 'replace' THEN 'Neighbouring tables differ in the values of one such unit; there are as many units in both.'
                ELSE 'Of neighbouring tables one has the rows of one such unit more than the other.' END
                || CASE WHEN t.max_rows_per_unit > 1
                        THEN format(' At most %s rows of a unit count in a release: more are weighed down, or drawn.', t.max_rows_per_unit)
                        ELSE '' END,
            'privacy_parameters', json_build_object('epsilon', t.epsilon, 'delta', t.delta),
            'privacy_parameters_details', 'The whole budget: what all releases ever made are admitted to come to together. '
                'It is the largest that the budget ever was'
                || CASE WHEN t.population_width IS NOT NULL
                        THEN ', of each block: to somebody who is there in k blocks k + 1 of it are promised, composed.'
                        WHEN t.block_column IS NOT NULL THEN ', of each block.' ELSE '.' END),
        'deployment_model', json_build_object(
            'model_name', 'Central',
            'actors', coalesce(t.stated ->> 'actors', 'The owner of the table and administrators of the database see '
                'its rows, and are trusted. Analysts have no right to the rows and are not trusted: the guarantee '
                'holds for all of them together.'),
            'release_type', 'Many releases',
            'release_type_details', 'Releases are made until the budget is used up; it does not reset.',
            'data_source_type', t.stated ->> 'data_source_type',
            'access_type', CASE WHEN t.roles > 0 OR 'query' = ANY (t.kinds) THEN 'Interactive' ELSE 'Non-interactive' END,
            'access_type_details', format('Roles with access: %s, of which %s have a cap of their own. All draw on one budget, '
                'so that it does not matter whether they collude.', t.roles, t.capped)),
        'accounting', json_build_object(
            'post_processing', coalesce(t.stated ->> 'post_processing',
                'Answers, intervals, models and synthetic rows are computed from noisy numbers alone.'),
            'composition', CASE t.accountant
                WHEN 'basic' THEN 'Sequential composition: the sums of epsilon and of delta as declared.'
                WHEN 'renyi' THEN 'Sums of epsilon and delta as declared, and adaptive composition of Renyi divergences at '
                    'one order; a release is admitted where either holds.'
                ELSE 'Sums of epsilon and delta as declared, and adaptive composition by Gaussian differential privacy; a '
                    'release is admitted where either holds.' END
                || CASE WHEN num_nonnulls(t.block_column, t.population_width) > 0 THEN ' Blocks of rows compose in parallel.' ELSE '' END),
        'implementation', json_build_object(
            'preprocessing_and_hyperparameter_tuning', t.stated ->> 'preprocessing_and_hyperparameter_tuning',
            'mechanisms', format('dpmix %s, an extension of PostgreSQL %s. Noise so far: %s. Floating point: statistics '
                'are exact integers and noise is drawn exactly on the same lattice. Platform: rows are read in a process '
                'of its own, so that what roles see of the server does not depend on them. Timing: not covered. Access: '
                'by roles of the database; each release is charged durably before a row is read.',
                (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'dpmix'),
                current_setting('server_version_num')::integer / 10000,
                coalesce(array_to_string(t.mechanisms, ', '), 'none')),
            'justification', t.stated ->> 'justification'),
        'administrative', json_build_object(
            'sources', t.stated ->> 'sources',
            'notes', t.stated ->> 'notes',
            'registry_authors', to_json(string_to_array(t.stated ->> 'registry_authors', E'\n')))));
    END;
COMMENT ON FUNCTION dpmix_internal.deployment(dpmix_internal.recorded_table) IS 'the record of a table, but for its head';

CREATE FUNCTION dpmix.registry_record(relation regclass, format text DEFAULT 'yaml') RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found dpmix_internal.recorded_table;
    missing text[];
    document json;
BEGIN
    IF registry_record.format IS NULL OR registry_record.format NOT IN ('yaml', 'json') THEN
        RAISE EXCEPTION 'unknown format %', coalesce(registry_record.format, 'NULL')
            USING ERRCODE = 'PV005', HINT = 'Pass yaml or json.';
    END IF;
    SELECT * INTO found FROM dpmix_internal.recorded_tables() r WHERE r.relation = registry_record.relation;
    IF found.relation IS NULL THEN
        RAISE EXCEPTION 'no record of table % for you', registry_record.relation
            USING ERRCODE = 'PV006', DETAIL = 'It is not protected, or you are neither its owner nor an auditor.',
                  HINT = 'Its owner protects it with dpmix.protect(), and names auditors with dpmix.grant_audit().';
    END IF;
    SELECT array_agg(k.key ORDER BY k.ordinality) INTO missing
    FROM unnest('{name,data_curators,description,intended_use,data_product_region,registry_authors}'::text[])
         WITH ORDINALITY AS k(key, ordinality)
    WHERE found.stated ->> k.key IS NULL;
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the record of table % lacks %', registry_record.relation, array_to_string(missing, ', ')
            USING ERRCODE = 'PV005', DETAIL = 'The registry asks for what dpmix cannot know.',
                  HINT = format('Its owner states it: SELECT dpmix.state(%L, %L, ''...'').', registry_record.relation, missing[1]);
    END IF;
    document := json_build_object(
        'url_slug', trim(BOTH '_' FROM left(regexp_replace(lower(found.stated ->> 'name'), '[^a-z0-9]+', '_', 'g'), 60)),
        'status', 'Draft',
        'tier', CASE WHEN found.stated ->> 'justification' IS NULL
                       OR found.stated ->> 'preprocessing_and_hyperparameter_tuning' IS NULL THEN 2 ELSE 3 END,
        'deployment', dpmix_internal.deployment(found));
    IF registry_record.format = 'json' THEN RETURN document; END IF;
    RETURN ltrim(dpmix_internal.yaml(document, 0), E'\n') || E'\n';
END $$;
COMMENT ON FUNCTION dpmix.registry_record(regclass, text) IS
    E'the record of a table as the registry of deployments of differential privacy has it (NIST, Oblivious and OpenDP: '
    'deployments-registry-data): unit, budget, mechanisms and accounting from the catalog, the rest as dpmix.state() was '
    'told. For the table''s owner and auditors. Free; nothing in it depends on rows, and it names no role and no query.\n'
    'relation: a protected table\n'
    'format: yaml, a file of the registry; json, the same in JSON\n'
    'returns: tier 3 where justification and preprocessing_and_hyperparameter_tuning are stated, else tier 2; status '
    'Draft. The budget is the largest it ever was, of the population where the table is in one\n'
    'Errors: PV005 an unknown format, or something that the registry asks for and nobody stated; PV006 not protected, or '
    'neither the owner nor an auditor.\n'
    'See also: dpmix.state, dpmix.report, docs/guide/report.md.';
