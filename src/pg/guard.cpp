#include "pg/guard.hpp"

namespace dpmix::pg::detail {

void raise(const Caught& caught) {
  switch (caught.outcome) {
    case Outcome::postgres_error:
      ReThrowError(caught.data);
      break;
    case Outcome::out_of_memory:
      ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
      break;
    default:
      ereport(ERROR, (errcode(caught.code), errmsg("%s", caught.message),
                      caught.detail[0] != '\0' ? errdetail("%s", caught.detail) : 0,
                      caught.hint[0] != '\0' ? errhint("%s", caught.hint) : 0));
  }
  pg_unreachable();
}

}  // namespace dpmix::pg::detail
