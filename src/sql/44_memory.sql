-- Memory: noisy answers that were paid for, and are shown again instead of being charged again.

-- Keys of items are digests under this secret, so that nobody who sees one (a lock's number, a
-- backup) can try out questions. Not dumped: a restored database begins with an empty memory.
CREATE TABLE dpmix.memory_secret (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    secret bytea   NOT NULL CHECK (octet_length(secret) = 32)
);
INSERT INTO dpmix.memory_secret (secret)
    SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
COMMENT ON TABLE dpmix.memory_secret IS 'what the keys of memory are made with: for nobody to read';

-- What owners declared. A table without a row keeps answers for dpmix.memory_keep, each grant its own.
CREATE TABLE dpmix.memory_terms (
    table_id     bigint PRIMARY KEY,
    keep_seconds float8 CHECK (keep_seconds >= 0),  -- NULL: dpmix.memory_keep
    scope        text   NOT NULL DEFAULT 'grant' CHECK (scope IN ('grant', 'table')),
    edition      bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE dpmix.memory_terms IS 'how long answers about a table are kept, and for whom';

CREATE TABLE dpmix.memory_item (
    key          bytea       NOT NULL,
    holder       bytea       NOT NULL,  -- whose room it takes
    table_ids    bigint[]    NOT NULL,  -- the protected tables, in the order of FROM
    grants       text[]      NOT NULL,  -- dpmix.access.id that paid; empty: owner or superuser
    chain_at     timestamptz NOT NULL,  -- when the first draw that it is combined with was made
    made_at      timestamptz NOT NULL,
    statistic    text        NOT NULL,
    mechanism    text        NOT NULL,
    noise_stddev float8      NOT NULL,
    groups       integer     NOT NULL,
    law          bytea       NOT NULL,
    charges      bigint[]    NOT NULL,  -- of each table
    content      bytea       NOT NULL   -- noisy integers, 16 bytes each, group after group
);
-- Not compressed: how much a relation takes is for everybody to see, and is to follow from the question alone.
ALTER TABLE dpmix.memory_item ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX ON dpmix.memory_item (key);
CREATE INDEX ON dpmix.memory_item (holder, made_at);
COMMENT ON TABLE dpmix.memory_item IS 'noisy answers that were paid for; nobody reads it but dpmix';

DO $$
BEGIN
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.memory_terms'::regclass, '');
END $$;

CREATE FUNCTION dpmix.set_memory(relation regclass, keep interval = NULL, scope text = 'grant')
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_memory';
COMMENT ON FUNCTION dpmix.set_memory(regclass, interval, text) IS
    E'how long answers about a table are kept, and for whom. Within that time the same question, asked with the same '
    'noise or more, is answered from memory: at once, and free. Changes of rows do not end it; '
    'dpmix.new_edition() and dpmix.forget() do. For the owner and superusers.\n'
    'keep: 0 keeps nothing; NULL: the setting dpmix.memory_keep, by default one day\n'
    'scope: grant: who has access through a grant is answered what was paid through it; table: what anyone paid. A '
    'free and quick answer then shows that somebody asked the same before, and the price of a more precise one how '
    'precisely; the cap of a grant pays at its first sight of what another one paid\n'
    'Errors: PV005 argument; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.memory, dpmix.new_edition, dpmix.forget, docs/guide/memory.md.';

CREATE FUNCTION dpmix.new_edition(relation regclass)
    RETURNS bigint LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_new_edition';
COMMENT ON FUNCTION dpmix.new_edition(regclass) IS
    E'says that the content of a table is another one from now on, such as after a nightly load: earlier answers are '
    'neither shown again nor combined with new ones. Call it by the clock or by the load, never by a trigger that '
    'depends on rows: analysts see by the price that it was called. Returns the number of the edition. For the owner '
    'and superusers.\n'
    'Errors: PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.set_memory.';

CREATE FUNCTION dpmix.forget(relation regclass)
    RETURNS bigint LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_forget';
COMMENT ON FUNCTION dpmix.forget(regclass) IS
    E'deletes all answers about a table from memory, and begins a new edition: what is asked from now on is charged. '
    'What was charged stays charged. Returns how many noisy statistics were deleted. For the owner and superusers.\n'
    'Errors: PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.set_memory.';

-- Indexes for dpmix.memory: what is about a table, what a grant paid.
CREATE INDEX ON dpmix.memory_item USING gin (table_ids) WITH (fastupdate = off);
CREATE INDEX ON dpmix.memory_item USING gin (grants) WITH (fastupdate = off);

CREATE VIEW dpmix_internal.seen_memory AS
    WITH seen AS MATERIALIZED (SELECT t.id, t.relation, t.owned FROM dpmix_internal.seen_table t WHERE t.active),
    own AS MATERIALIZED (SELECT g.id::text AS id FROM dpmix_internal.own_grant g),
    paid AS MATERIALIZED (
        SELECT a.id::text AS id, a.rolname AS role, a.id::text IN (SELECT o.id FROM own o) AS held
        FROM dpmix_internal.known_grant a WHERE a.table_id = ANY (ARRAY(SELECT t.id FROM seen t)))
    SELECT k.relation, g.role, i.charges[i.n] AS charge, i.statistic, i.mechanism, i.noise_stddev, i.groups,
           i.made_at, i.chain_at, octet_length(i.content) AS bytes, coalesce(m.scope, 'grant') AS scope
    FROM (SELECT s.*, generate_subscripts(s.table_ids, 1) AS n FROM dpmix.memory_item s
          WHERE s.table_ids && ARRAY(SELECT t.id FROM seen t WHERE t.owned)
             OR s.grants && ARRAY(SELECT o.id FROM own o)) i
    JOIN seen k ON k.id = i.table_ids[i.n]
    LEFT JOIN paid g ON g.id = i.grants[i.n]
    LEFT JOIN LATERAL (SELECT t.scope FROM dpmix.memory_terms t WHERE t.table_id = k.id OFFSET 0) m ON true
    WHERE k.owned OR g.held;
COMMENT ON VIEW dpmix_internal.seen_memory IS 'dpmix.memory, of the viewer';
CREATE FUNCTION dpmix_internal.memory() RETURNS SETOF dpmix_internal.seen_memory
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 100 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.memory() IS 'rows of dpmix.memory';
CREATE VIEW dpmix.memory AS SELECT * FROM dpmix_internal.memory();
COMMENT ON VIEW dpmix.memory IS
    E'noisy statistics in memory, a row for each draw and protected table of its query: all of the tables that the '
    'current user owns, elsewhere those that were paid through the grants it holds. Some may be older than their '
    'owner allows by now, and are not shown again.\n'
    'See also: dpmix.set_memory, docs/guide/memory.md.';
COMMENT ON COLUMN dpmix.memory.relation IS 'the protected table';
COMMENT ON COLUMN dpmix.memory.role IS 'role of the grant that paid; NULL: the owner or a superuser';
COMMENT ON COLUMN dpmix.memory.charge IS 'number of the charge in dpmix.ledger';
COMMENT ON COLUMN dpmix.memory.statistic IS 'what was counted or summed; groups found: the keys of discovered groups; tables by keys: what grouping sets are '
    'tables of, so that coarser questions are answered from them';
COMMENT ON COLUMN dpmix.memory.mechanism IS 'family of the noise';
COMMENT ON COLUMN dpmix.memory.noise_stddev IS 'of the noise of this draw, in the units of the column';
COMMENT ON COLUMN dpmix.memory.groups IS 'for how many groups';
COMMENT ON COLUMN dpmix.memory.made_at IS 'server''s clock when it was charged';
COMMENT ON COLUMN dpmix.memory.chain_at IS
    'made_at of the first draw that it is combined with: its age decides how long they are shown';
COMMENT ON COLUMN dpmix.memory.bytes IS 'size of the answer';
COMMENT ON COLUMN dpmix.memory.scope IS 'who may be answered from it by now: grant or table';

GRANT SELECT ON dpmix.memory TO PUBLIC;
