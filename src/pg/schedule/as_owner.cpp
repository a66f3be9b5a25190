#include "pg/schedule/as_owner.hpp"

extern "C" {
#include "access/xact.h"
#include "utils/resowner.h"
}

namespace dpmix::pg {

ErrorData* try_as_owner(const Schedule* schedule, void (*body)(void* arg), void* arg) {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner resources = CurrentResourceOwner;
  ErrorData* volatile error = NULL;
  BeginInternalSubTransaction(NULL);
  MemoryContextSwitchTo(context);
  PG_TRY();
  {
    Oid user;
    int security;
    GetUserIdAndSecContext(&user, &security);
    SetUserIdAndSecContext(schedule->owner,
                           security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    const int level = enter_settings(schedule);
    body(arg);
    leave_settings(level);
    SetUserIdAndSecContext(user, security);
    ReleaseCurrentSubTransaction();
  }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
    RollbackAndReleaseCurrentSubTransaction();  // user and settings are as they were
  }
  PG_END_TRY();
  MemoryContextSwitchTo(context);
  CurrentResourceOwner = resources;
  return error;
}

}  // namespace dpmix::pg
