// GRANT SELECT on a protected table: noticed, not refused, for its owner may.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// Whether rows of tables can be read after the command that could not before.
bool grants_reading(Node* command);
// WARNING for each protected table that it concerns and that others than its owner can read.
// Outside as_catalog_owner(): names are looked up as the command did.
void warn_of_grant(const GrantStmt* command);

}  // namespace dpmix::pg
