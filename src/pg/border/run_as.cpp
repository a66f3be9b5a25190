#include "pg/border/run_as.hpp"

namespace dpmix::pg {

void run_as(Oid user, bool restricted, Action body) {
  Oid before;
  int security;
  GetUserIdAndSecContext(&before, &security);
  SetUserIdAndSecContext(user, security | SECURITY_LOCAL_USERID_CHANGE |
                                   (restricted ? SECURITY_RESTRICTED_OPERATION : 0));
  body();
  SetUserIdAndSecContext(before, security);
}

}  // namespace dpmix::pg
