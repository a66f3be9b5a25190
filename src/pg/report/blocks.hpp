// What the blocks of a table have spent, for what shows budgets.
#pragma once

#include <vector>

#include "core/accounting/block_sums.hpp"
#include "core/input/block_grid.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct DeclaredBlocks {
  bool any;            // the table's budget is one for each block
  const char* column;  // NULL: none of its columns says in which; its population has blocks
  BlockRange own;      // blocks that its rows may be in, among those of its account
  Oid type;  // that of the column, or of what blocks begin with; InvalidOid: the column is gone
  BlockGrid grid;
  bool listed;      // each category is a block
  char** category;  // their names
  int categories;
};
// A table's blocks as on record, whether rows are kept in them or not. Inside as_catalog_owner();
// the column's name is in the memory of SPI's caller.
DeclaredBlocks read_declared_blocks(int64 table_id);

// 0: before the first one, or blocks follow no clock.
int64 block_of_now(const DeclaredBlocks& blocks);

// The first value of a block, in UTC whatever the session's settings are, or its category; NULL:
// beyond all values of the type.
const char* first_value_of(const DeclaredBlocks& blocks, int64 block);
// "blocks 3 to 5 (2026-01-04 to 2026-01-07)".
const char* named_blocks(const DeclaredBlocks& blocks, BlockRange range);

constexpr BlockRange kPaidBlocks{kAlways.first, kAllBlocks.last};  // all blocks of an account
// Runs of blocks that were charged, up to some charge. Inside guard().
std::vector<BlockSegment> charged_blocks(int64 account, BlockRange within,
                                         int64 through = PG_INT64_MAX);

}  // namespace dpmix::pg
