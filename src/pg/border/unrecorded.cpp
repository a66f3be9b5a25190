#include "pg/border/unrecorded.hpp"

#include "pg/border/io_counts.hpp"

extern "C" {
#include "executor/instrument.h"
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

}  // namespace dpmix::pg
