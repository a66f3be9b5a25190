// The group of all values of a key that are not public, where the owner declares one.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Of a key of texts, before facts narrow it: whether some column of it has such a group, and what
// it shows as. Not where facts name public values alone, nor of CASE, whose branches are its
// values.
void find_others(const RowScope* scope, KeyColumn* key);

}  // namespace dpmix::pg
