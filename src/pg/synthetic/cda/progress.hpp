// How far calls of dpmix.cda are: rows written of rows asked for, both the caller's own knowledge
// once the call is over. Nothing about the records read. Seen in dpmix.cda_progress.
//
// Lives in shared memory, in one of a few slots that a call has from begin to end; an error or an
// end of the process in between gives it back too. Without a slot or memory the call goes on
// unseen: nothing here raises.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct CdaProgress;

// Takes a slot, which goes when the CurrentMemoryContext of the call does. NULL: the call is not
// seen, as a call within a call of cda is not.
CdaProgress* begin_cda_progress(Oid relation, int64 rows);
// So many rows were written so far. Cheap, and calls nothing.
void report_cda_rows(CdaProgress* progress, int64 written);
void end_cda_progress(CdaProgress* progress);

void cda_progress_init();  // called by _PG_init

}  // namespace dpmix::pg
