// Locks of the ledger and of declarations, until the transaction ends.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "storage/lockdefs.h"
}

namespace dpmix::pg {

// id: of a table or population. Excludes charges of the table, or population (mode
// AccessExclusiveLock) or its redefinition (ShareLock). False: wait was not asked for, and someone
// holds it.
bool lock_protection(int64 id, LOCKMODE mode, bool wait);

}  // namespace dpmix::pg
