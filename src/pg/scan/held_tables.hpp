// Tables that a release reads into memory of its process before anything looks at their rows: public
// ones, so that which of their pages are read does not follow from protected rows; and protected ones
// where several are joined, so that nothing of one is left out because another has no row for it.
//
// Enters: an analysed query; the tables are replaced by named tuplestores, in place. Public ones may
// spill to a temporary file, within the caller's own temp_file_limit; protected ones never do.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "utils/queryenvironment.h"
}

namespace dpmix::pg {

struct HeldTables;

HeldTables* no_held_tables();
// This table of the query, with the rights that the query reads it with. Planned now, read later.
void hold_table(HeldTables* held, Query* query, Index varno, bool is_protected);
// Reads the public ones: before the charge; or the protected ones: after it.
void read_held(const HeldTables* held, bool is_protected);
QueryEnvironment* environment_of(const HeldTables* held);

}  // namespace dpmix::pg
