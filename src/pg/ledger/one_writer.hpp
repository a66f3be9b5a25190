// One writer of a database's ledger, whatever builds of the library are at work in the server: each
// has shared memory of its own, so the place in it excludes workers of the same build only.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Called by the worker, outside a transaction. True: until resign_writer() or the end of this
// process no other is the writer. False: another one is, and did not end within ten seconds.
bool become_writer();
// Called by a worker whose last transaction is over: the next one need not wait until this process
// is gone.
void resign_writer();

}  // namespace dpmix::pg
