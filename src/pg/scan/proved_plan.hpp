// Whether the path of a finished plan is public.
//
// Lists the shapes that docs/proofs/silence.md proves: in them what a plan reads from shared
// buffers, the temporary files that it makes and the workers that it asks for follow from the
// query's text, declarations and public sizes. Any other shape, and any node that a later version
// of PostgreSQL may bring, is refused until it is on the list.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

// What in the plan is not on the list; NULL: all of it is.
const char* unproved_part(const PlannedStmt* plan);
// PV002.
[[noreturn]] void refuse_unproved(const char* part);

}  // namespace dpmix::pg
