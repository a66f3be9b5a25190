// Which blocks of a table a query reads: told by its WHERE, and enforced in its scan.
//
// A condition narrows where it is one of those that AND joins at the top of WHERE and compares the
// block column with constants (keys/compared_places.hpp). FILTER narrows nothing. What is found
// decides on what is charged and on what the scan reads, both from this one list: a condition read
// wrongly would cost accuracy, never privacy.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// The blocks that each source of the query reads; its scan is told to read no more. PV003: no
// condition narrows, unless all blocks were asked for; then those up to now.
BlocksRead* narrow_to_blocks(const RowScope* scope, bool all, QueryShape* shape);
// Where no condition on the block column says which are read: PV003, or all up to now.
enum class UnknownBlocks { refused, all };
// Which blocks of a table a text with sub-selects reads: those of each of its references, told by
// the WHERE that stands beside it. A table that is read for whose its rows are alone has none.
BlocksRead narrow_references(const ProtectedTable* table, const Query* text, UnknownBlocks unknown);

// What AND joins at the top of WHERE, BETWEEN's two comparisons apart.
List* conditions_of(const Query* query);

}  // namespace dpmix::pg
