#include "pg/border/unrecorded.hpp"

#include "pg/border/io_counts.hpp"

extern "C" {
#include "executor/instrument.h"
#include "utils/resowner.h"
}

namespace dpmix::pg {

void run_unrecorded(Action work) {
  const BufferUsage buffers = pgBufferUsage;
  const WalUsage wal = pgWalUsage;
  IoCounts io;
  const int level = NewGUCNestLevel();
  for (const Setting& setting : kUnrecorded) set_for_now_if_known(setting);
  begin_uncounted(&io);
  PG_TRY();
  { work(); }
  PG_FINALLY();
  {
    pgBufferUsage = buffers;
    pgWalUsage = wal;
    end_uncounted(&io);  // last: WAL is counted from what it is by then
  }
  PG_END_TRY();
  AtEOXact_GUC(false, level);
}

void without_locks(Action statement) {
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner own = ResourceOwnerCreate(outer, "dpmix reading");
  CurrentResourceOwner = own;
  statement();  // an error ends it with the transaction's
  CurrentResourceOwner = outer;
  ResourceOwnerRelease(own, RESOURCE_RELEASE_BEFORE_LOCKS, true, false);
  ResourceOwnerRelease(own, RESOURCE_RELEASE_LOCKS, false, false);
  ResourceOwnerRelease(own, RESOURCE_RELEASE_AFTER_LOCKS, true, false);
  ResourceOwnerDelete(own);
}

}  // namespace dpmix::pg
