// dpmix.total_memory: what rows may make all release processes of the server take together, with
// their parallel workers. Each process states what it needs, before the charge, and gives it back
// as it ends. What it needs besides once it was charged (need_more_memory(): the state of a pass,
// by what earlier passes released) is not part of it: a refusal would come after the charge.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

void total_memory_init();  // called by _PG_init
// So many bytes in all, for this process and its workers. PV005: more than there is for all; PV004:
// others have it.
void take_of_total(double bytes);

}  // namespace dpmix::pg
