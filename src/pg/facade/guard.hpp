// The body of a facade. It runs where the planner left the view as it is, and raises: no row comes
// of it, in a session without the library either, since calling it loads the library.
#pragma once

namespace dpmix::pg {

void facade_guard_init();  // called by _PG_init

}  // namespace dpmix::pg
