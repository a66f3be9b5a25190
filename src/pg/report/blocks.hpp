// What the blocks of a table have spent, for what shows budgets.
#pragma once

#include <vector>

#include "core/accounting/block_sums.hpp"
#include "core/input/block_grid.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct DeclaredBlocks {
  const char* column;  // NULL: the table has no blocks
  Oid type;            // InvalidOid: the column is gone
  BlockGrid grid;
  bool listed;      // each category is a block
  char** category;  // of which there are so many
  int categories;
};
// As on record, whether rows are kept in them or not. Inside as_catalog_owner(); the column's name
// is in the memory of SPI's caller.
DeclaredBlocks read_declared_blocks(int64 table_id);

// The first value of a block, in UTC whatever the session's settings are, or its category; NULL:
// beyond all values of the type.
const char* first_value_of(const DeclaredBlocks& blocks, int64 block);
// "blocks 3 to 5 (2026-01-04 to 2026-01-07)".
const char* named_blocks(const DeclaredBlocks& blocks, BlockRange range);

// Runs of blocks that were charged, up to some charge; blocks before the first are none. Inside
// guard().
std::vector<BlockSegment> charged_blocks(int64 account, int64 through = PG_INT64_MAX);

}  // namespace dpmix::pg
