// Names of models, schedules and counters, which are unique for each role that makes them.
#pragma once

#include "pg/border/statement.hpp"
#include "pg/catalog/role_number.hpp"

namespace dpmix::pg {

// The number of what a name means to the current user: of its own, or else of what others made and
// it may use. `role.name` means what that role made, unless something has this name as a whole.
// 0: nothing is shown under this name. PV005: several are, of other roles.
// shown: of those that dpmix_internal.viewer() may use, by DPMIX_NAMED. kind: for the error.
int64 find_named(Statement& shown, const char* kind, const char* name);

#define DPMIX_NAMED(view, maker)                                                       \
  "SELECT v.id, v." maker "_name, v.name = $1, v." maker                               \
  " = " DPMIX_NUMBERS_OF("dpmix_internal.viewer()") " FROM dpmix_internal." view       \
                                                    " v WHERE $1 IN (v.name, v." maker \
                                                    "_name || '.' || v.name) "
#define DPMIX_NAMED_ORDER "ORDER BY 3 DESC, 4 DESC, 1 DESC"

}  // namespace dpmix::pg
