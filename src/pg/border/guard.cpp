#include "pg/border/guard.hpp"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace dpmix::pg {

void refuse(int sqlstate, const char* message, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(sqlstate), errmsg("%s", message),
                  detail != NULL ? errdetail("%s", detail) : 0, errhint("%s", hint)));
  pg_unreachable();
}

}  // namespace dpmix::pg

namespace dpmix::pg::detail {
namespace {

// Whoever kept a long text may have cut its last character in two.
char* whole_characters(const char* text) {
  return pnstrdup(text, pg_mbcliplen(text, strlen(text), strlen(text)));
}

}  // namespace

void raise(const Caught& caught) {
  switch (caught.outcome) {
    case Outcome::postgres_error:
      ReThrowError(caught.data);
      break;
    case Outcome::out_of_memory:
      ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
      break;
    default:
      ereport(ERROR,
              (errcode(caught.code), errmsg("%s", whole_characters(caught.message)),
               caught.detail[0] != '\0' ? errdetail("%s", whole_characters(caught.detail)) : 0,
               caught.hint[0] != '\0' ? errhint("%s", whole_characters(caught.hint)) : 0));
  }
  pg_unreachable();
}

}  // namespace dpmix::pg::detail
