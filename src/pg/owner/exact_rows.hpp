// Exact queries over a table's rows, for its owner's eyes alone: nothing of them may be published.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/statement.hpp"

namespace dpmix::pg {

// Runs a query (every name qualified, or PostgreSQL's own) with the rights of the table's owner;
// receive reads its result as that of read_rows().
void read_exactly(Oid relation, const char* query, Callable<void(uint64 rows)> receive);

}  // namespace dpmix::pg
