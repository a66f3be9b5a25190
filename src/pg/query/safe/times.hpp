// Times made of times in row expressions: casts, date_trunc, date_bin, AT TIME ZONE, times moved by
// constant intervals, and times of day. PostgreSQL's own functions, over moments that are so far
// from the ends of their types that none of them can leave it (docs/proofs/query_times.md).
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_time_function(const SafeCall* call, SafePart* made);

// A moment as a timestamptz in the session's time zone; NULL close to the ends of its type.
Expr* in_session_zone(Expr* at);
// A moment that a clock of the session's zone can show; otherwise NULL. Of no zone: as it is.
Expr* on_clock_of_session(Expr* at);

}  // namespace dpmix::pg
