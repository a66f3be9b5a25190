// SELECT on a protected table itself: PostgreSQL's own 42501, with a HINT at what to ask instead,
// for roles that have access. In sessions that have loaded the library.
#pragma once

namespace dpmix::pg {

// Called by _PG_init.
void denied_select_init();

}  // namespace dpmix::pg
