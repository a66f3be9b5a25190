-- Blocks of growing tables, each with a budget of its own.

CREATE TABLE dpmix.block_column (
    table_id    bigint   PRIMARY KEY,
    column_name name     NOT NULL,
    attnum      integer  NOT NULL,
    first_value bigint   NOT NULL,     -- of block 0: days or microseconds since 2000-01-01 (UTC), or a number
    width       bigint   NOT NULL CHECK (width <> 0),  -- below 0: so many months of the calendar
    in_order_of text,                  -- the type of the column, whose values are in that order
    categories  text[]                 -- whose numbers, from 0, are the blocks; NULL: the column is in order
);
COMMENT ON TABLE dpmix.block_column IS
    'the column that says in which block a row of a protected table is; rows before the first block are in none';
SELECT pg_catalog.pg_extension_config_dump('dpmix.block_column', '');

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON dpmix.block_column
    FOR EACH ROW EXECUTE FUNCTION dpmix_internal.announce_change();
ALTER TABLE dpmix.block_column ENABLE ALWAYS TRIGGER announce;

CREATE FUNCTION dpmix_internal.block_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_block_guard';
COMMENT ON FUNCTION dpmix_internal.block_guard() IS
    'trigger of tables with blocks: PV002 where an UPDATE would move a row out of its block';

-- Sums of charges to blocks, so that nothing needs to read a million rows again: as the ledger worker
-- wrote them, for each account whose tables have blocks. Without its row the sums are those of all charges.
CREATE TABLE dpmix.block_checkpoint (
    account bigint PRIMARY KEY,
    through bigint NOT NULL,   -- all charges up to this id are in the sums
    content bytea  NOT NULL
);
ALTER TABLE dpmix.block_checkpoint ALTER COLUMN content SET STORAGE EXTERNAL;  -- it is dense already
SELECT pg_catalog.pg_extension_config_dump('dpmix.block_checkpoint', '');
COMMENT ON TABLE dpmix.block_checkpoint IS 'sums of dpmix.charge for the blocks of each account, up to some charge';

-- What blocks have spent ---------------------------------------------------------------------------

CREATE FUNCTION dpmix.blocks(relation regclass, OUT first_block bigint, OUT last_block bigint, OUT from_value text,
                             OUT to_value text, OUT epsilon_declared numeric, OUT delta_declared numeric,
                             OUT cost_spent numeric, OUT cost_delta_spent numeric, OUT share_spent float8,
                             OUT charges bigint)
    RETURNS SETOF record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_blocks';
COMMENT ON FUNCTION dpmix.blocks(regclass) IS
    E'what was charged to the blocks of a table, for those who see the table in dpmix.budget: a row for each run of '
    'neighbouring blocks of equal sums. Blocks that no charge names are not listed, and no row of the table is read. '
    'Of a table of a population with blocks that has no time column it is one row: block -2, from always. Free.\n'
    'first_block, last_block: of the run, both included; last_block NULL: it has no end\n'
    'from_value, to_value: where the run begins and ends in terms of the block column, the end excluded, in UTC; NULL: '
    'beyond its values\n'
    'epsilon_declared, delta_declared, cost_spent, cost_delta_spent: sums of the columns of dpmix.ledger over the '
    'charges '
    'that name the block, which pays each of them whole\n'
    'share_spent: of what the accountant allows each block, as in dpmix.budget\n'
    'charges: how many charges name the block\n'
    'Errors: PV005 a table without blocks; PV006 no such budget, or not yours to see.\n'
    'See also: dpmix.protect, dpmix.budget, docs/guide/blocks.md.';

CREATE FUNCTION dpmix_internal.fullest_block(relation regclass, OUT epsilon numeric, OUT delta numeric,
                                             OUT cost numeric, OUT cost_delta numeric, OUT least_share_spent float8)
    RETURNS SETOF record LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE ROWS 1
    AS 'MODULE_PATHNAME', 'dpmix_fullest_block';
COMMENT ON FUNCTION dpmix_internal.fullest_block(regclass) IS
    'for dpmix.budget: sums of the block of a table that has spent the largest share, and the least share of any '
    'block that was charged';

CREATE FUNCTION dpmix_internal.block_of_now(relation regclass, OUT from_value text, OUT to_value text,
                                            OUT share_spent float8)
    RETURNS SETOF record LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE ROWS 1
    AS 'MODULE_PATHNAME', 'dpmix_block_of_now';
COMMENT ON FUNCTION dpmix_internal.block_of_now(regclass) IS
    'of a table whose blocks follow the clock: the one that is filled now, and what is spent of it; NULL: what is in no '
    'block of its population';

CREATE FUNCTION dpmix_internal.population_blocks(population bigint, OUT epsilon numeric, OUT delta numeric,
                                                 OUT cost numeric, OUT cost_delta numeric, OUT blocks_from text,
                                                 OUT from_value text, OUT to_value text, OUT share_spent_now float8,
                                                 OUT share_spent_always float8)
    RETURNS SETOF record LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE ROWS 1
    AS 'MODULE_PATHNAME', 'dpmix_population_blocks';
REVOKE EXECUTE ON FUNCTION dpmix_internal.population_blocks(bigint) FROM PUBLIC;
COMMENT ON FUNCTION dpmix_internal.population_blocks(bigint) IS
    'of a population with blocks: sums of the fullest one, the block of now, and what is spent of it and of what is in '
    'no block';

CREATE FUNCTION dpmix_internal.width_text(width bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
    SELECT CASE WHEN width < 0 THEN (-width * interval '1 month')::text
                ELSE justify_hours(width * interval '1 microsecond')::text END;
    END;
COMMENT ON FUNCTION dpmix_internal.width_text(bigint) IS 'the width of the blocks of a population, as an interval';
