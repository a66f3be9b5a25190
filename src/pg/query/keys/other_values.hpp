// The group of all values of a key that are not public, where the owner declares one.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// Finds whether some column of a key of texts has such a group, and what it shows as; before facts
// narrow the key. There is none where facts name public values alone, nor for CASE, whose branches
// are its values.
void find_others(const RowScope* scope, KeyColumn* key);

}  // namespace dpmix::pg
