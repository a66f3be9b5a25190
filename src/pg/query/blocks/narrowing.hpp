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

// Of each source of the query; its scan is told to read no more. PV003: no condition narrows,
// unless all blocks were asked for; then those up to now.
BlocksRead* narrow_to_blocks(const RowScope* scope, bool all, QueryShape* shape);
// Those up to now, of a table.
BlocksRead all_blocks_of(const ProtectedTable* table);

// What AND joins at the top of WHERE, BETWEEN's two comparisons apart.
List* conditions_of(const Query* query);

}  // namespace dpmix::pg
