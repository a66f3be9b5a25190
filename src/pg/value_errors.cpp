#include "pg/value_errors.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/resowner.h"
}

namespace dpmix::pg {
namespace {

bool is_value_error(int sqlstate) {
  return ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_DATA_EXCEPTION ||
         sqlstate == ERRCODE_FEATURE_NOT_SUPPORTED || sqlstate == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

}  // namespace

bool without_value_errors(void (*body)(void* arg), void* arg) {
  const MemoryContext context = CurrentMemoryContext;
  const ResourceOwner owner = CurrentResourceOwner;
  ErrorData* volatile error = NULL;
  BeginInternalSubTransaction(NULL);
  MemoryContextSwitchTo(context);
  PG_TRY();
  {
    body(arg);
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
  if (error == NULL) return true;
  if (!is_value_error(error->sqlerrcode)) ReThrowError(error);
  FreeErrorData(error);
  return false;
}

}  // namespace dpmix::pg
