// What stands for NULL in the scan of a key whose values are found (found_nulls.hpp).
#pragma once

#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

// Whether any such key has NULL as a group; one of a type of which no value is known does not.
bool find_stand_ins(const KeyColumns& of);

}  // namespace dpmix::pg
