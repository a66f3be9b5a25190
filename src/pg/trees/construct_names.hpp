// What a refusal calls a part of a query: with its verb, for refuse_construct.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// An expression that is on no list.
const char* expression_name(const Node* node);

bool is_table(const RangeTblEntry* entry);
// What stands in FROM in place of a table.
const char* source_name(const RangeTblEntry* entry);

}  // namespace dpmix::pg
