// What PostgreSQL looks up in its catalogs when the first row comes so far that it is needed: done
// beforehand, for all that a plan names. Else which pages of the catalogs a process read would tell
// whether some row came that far.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "executor/execdesc.h"
}

namespace dpmix::pg {

// Opens what a plan that is started needs, in each process that runs it: types, collations, the
// operators of joins, the tables and indexes of values that are stored out of line, time zones and
// patterns.
void open_plan(QueryDesc* desc);

}  // namespace dpmix::pg
