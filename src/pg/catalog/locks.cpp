#include "pg/catalog/locks.hpp"

#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "storage/lock.h"
}

namespace dpmix::pg {

bool lock_protection(int64 id, LOCKMODE mode, bool wait) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("protected_table"), (Oid)id, 0);
  return LockAcquire(&tag, mode, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

}  // namespace dpmix::pg
