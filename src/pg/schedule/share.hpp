// Who may read what a schedule stores, and the view of its latest period: ordinary rights and an
// ordinary view of the schedule's owner, who may change both.
#pragma once

#include "pg/schedule/store.hpp"

extern "C" {
#include "utils/array.h"
}

namespace dpmix::pg {

// SELECT on the result table and the view, and USAGE on their schemas where it is missing, to the
// roles (name[]; NULL: none). latest: the name of the view; NULL: none. As the current user, after
// the table was made. PV005 without a result table, a role that is not there or a temporary view.
void share_results(const Schedule* schedule, ArrayType* roles, const char* latest);

}  // namespace dpmix::pg
