// A time during which the planner takes no index for unique, and no column for free of NULLs.
//
// An index that is younger than the snapshot, or rows that the running transaction wrote, can show
// two rows of one key. A plan that stops at the first match then lets one row hide another, and
// with it one privacy unit others. So can NOT NULL be younger, and rows of nobody come through.
#pragma once

namespace dpmix::pg {

void index_trust_init();  // of _PG_init

// On or off; tells what it was. Whoever turns it off puts it back, also on error.
bool set_index_trust(bool on);

}  // namespace dpmix::pg
