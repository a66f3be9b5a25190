// How many schedules a role may have: whoever calls runs them all, and each is priced for whoever
// looks at dpmix.schedules.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

void schedule_limit_init();  // called by _PG_init: dpmix.max_schedules_per_role
// Refuses (53400) one more of this owner. Others that it makes meanwhile wait until the transaction
// ends.
void require_room_for(const Schedule* schedule);

}  // namespace dpmix::pg
