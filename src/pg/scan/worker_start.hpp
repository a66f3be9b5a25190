// What a parallel worker of a release does before its first row, whatever the rows are.
#pragma once

namespace dpmix::pg {

void worker_start_init();  // of _PG_init

}  // namespace dpmix::pg
