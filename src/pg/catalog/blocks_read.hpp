// Which blocks of a table a release reads: those that it is charged for, and the condition that
// keeps its scan inside them, both from one list.
#pragma once

#include "core/accounting/block_sums.hpp"
#include "pg/catalog/protected_table.hpp"

extern "C" {
#include "nodes/primnodes.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

struct BlocksRead {  // ranges, in order and apart from each other; none: the table has no blocks
  int count;
  BlockRange* range;
};

struct Places {  // values of a block column, as whole numbers
  int64 first, last;
  bool empty() const { return first > last; }
};
// What any block holds, up to now.
Places places_of_blocks(const BlockColumn& blocks);
// Where they end while a schedule that runs later is priced, or run by a clock that was set, also
// in the release's process; 0: at the transaction's time again.
void end_blocks_at(TimestampTz later);
TimestampTz end_of_blocks();  // what end_blocks_at() set

struct ListedValues {  // of the categories that are blocks, in their order
  int count;
  Datum* value;
};
ListedValues listed_values(const ProtectedTable* table);
// Those of `count` blocks that are named.
BlocksRead blocks_where(const bool* named, int count);
// Those of either, each once.
BlocksRead joined_blocks(const BlocksRead& a, const BlocksRead& b);
// A charge names so many ranges at most: those that are nearest become one.
void join_nearest(BlocksRead* read);

// That the column of a query's table, its varno-th, lies in these blocks.
Expr* within_blocks(const ProtectedTable* table, Index varno, const BlocksRead& read);
// The same of a query whose only table it is; NULL: the table has no blocks.
Expr* scan_condition(const ProtectedTable* table, const BlocksRead& read);

// The argument `blocks` of a model, synthetic table or comparison: a text of a range of the block
// column's values, or an array of its categories; the blocks that it touches. PV003: not given, of
// a table with blocks. PV005: given of a table without, or no block is in it.
BlocksRead blocks_argument(FunctionCallInfo fcinfo, int n, const ProtectedTable* table);

}  // namespace dpmix::pg
