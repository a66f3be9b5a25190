// What PostgreSQL looks up in its catalogs when a function meets the first value of a type: done
// beforehand, for every type and collation that a query names. Else which pages of the catalogs a
// release read would tell whether some row came that far.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

void open_types(Query* query);

}  // namespace dpmix::pg
