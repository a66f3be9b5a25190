// What the owner of a view declared of the columns that it computes (dpmix.declare of a view).
//
// A declaration is no promise that anybody relies on: it is put into the text. Bounds clamp each
// value, values that are no category become the other one or NULL, in a query around that of the
// view. So whatever is declared, the answer is that of a text that its asker might have written.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// The query of a view, which is locked, within what is declared of its columns by its name. What is
// declared of a column that the view lacks now, or has by another type, is left out.
Query* within_declared(Oid view, Query* body);

}  // namespace dpmix::pg
