// Rows of a sub-select that a statement names as a whole, as rows of its columns: then it may have
// further columns that they do not show.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Spells whole rows out in a statement. False: some stay as they are, because an outer join tells a
// row that is missing from one of NULLs.
bool spell_whole_rows(Query* statement);

}  // namespace dpmix::pg
