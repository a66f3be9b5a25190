// A time during which no function of a user may run in this process.
//
// Planning evaluates parts of index, constraint and statistics expressions, with the rights of a
// table's owner, and reading a constant runs the constraints of domains. A release's process shows
// what it has cached to whatever runs in it.
#pragma once

namespace dpmix::pg {

void own_code_init();  // called by _PG_init

// Turns it on or off; returns what it was. While it is on, a call of a function that is neither
// PostgreSQL's own nor dpmix's is PV002. Whoever turns it on puts it back, also on error.
bool set_own_code_only(bool on);

}  // namespace dpmix::pg
