// A time during which no function of a user may run in this process.
//
// Planning evaluates parts of index, constraint and statistics expressions, with the rights of the
// current user. The owner of a table is trusted with its own rights, but not with those of the
// owner of another table in the same query.
#pragma once

namespace dpmix::pg {

void own_code_init();  // of _PG_init

// On or off; tells what it was. While it is on a call of a function that is neither PostgreSQL's
// own nor dpmix's is PV002. Whoever turns it on puts it back, also on error.
bool set_own_code_only(bool on);

}  // namespace dpmix::pg
