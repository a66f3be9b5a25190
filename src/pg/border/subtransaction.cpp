#include "pg/border/subtransaction.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/resowner.h"
}

namespace dpmix::pg {

ErrorData* error_of(Action body) {
  const MemoryContext context = CurrentMemoryContext;
  const ResourceOwner owner = CurrentResourceOwner;
  ErrorData* volatile error = NULL;
  BeginInternalSubTransaction(NULL);
  MemoryContextSwitchTo(context);
  PG_TRY();
  {
    body();
    ReleaseCurrentSubTransaction();
  }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
    RollbackAndReleaseCurrentSubTransaction();
  }
  PG_END_TRY();
  MemoryContextSwitchTo(context);
  CurrentResourceOwner = owner;
  return error;
}

}  // namespace dpmix::pg
