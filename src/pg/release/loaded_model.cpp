#include "pg/release/loaded_model.hpp"

extern "C" {
#include "utils/snapmgr.h"
}

namespace dpmix::pg {

Moment present_moment() {
  if (!ActiveSnapshotSet()) return {};
  const Snapshot s = GetActiveSnapshot();
  return {GetUserId(), s->xmax, s->xcnt, (uint32)s->subxcnt, s->suboverflowed, s->curcid};
}

bool is_present(const Moment& moment) {
  return OidIsValid(moment.user) && moment == present_moment();
}

bool same_text(const text* a, const text* b) {
  const Size size = VARSIZE_ANY_EXHDR(a);
  return size == VARSIZE_ANY_EXHDR(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

}  // namespace dpmix::pg
