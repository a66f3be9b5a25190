// Code whose error is caught: what it did is undone, and what a function holds when it fails
// (PostgreSQL's own written in SQL open snapshots and plans) is let go.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// NULL: done. Else what was raised, a cancel too; in the current memory context.
ErrorData* error_of(Action body);

}  // namespace dpmix::pg
