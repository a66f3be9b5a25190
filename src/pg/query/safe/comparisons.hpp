// Comparisons in row expressions: PostgreSQL's own where both sides kept their types; of float8
// where arithmetic made one side a double.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

// OpExpr and DistinctExpr (alike in memory), and with constant arrays.
SafePart safe_comparison(SafeCompiler* compiler, OpExpr* node);
SafePart safe_array_comparison(SafeCompiler* compiler, ScalarArrayOpExpr* node);
// Whether values of a type may be put in order under a collation.
bool has_total_order(Oid type, Oid collation);

// A date or timestamp compared with a constant timestamptz, such as now() - interval '30 days':
// compared with that moment in the session's time zone instead, which needs no time zone of a row.
// Any other comparison is returned as it is.
OpExpr* in_local_time(OpExpr* node);

// Whether a comparison is one of a time with a zone and one without; and as one of times with a
// zone, that of the session: no row finds out whether it is beyond what its type holds.
bool looks_at_zone(const OpExpr* node);
SafePart zoned_comparison(SafeCompiler* compiler, const OpExpr* node);

}  // namespace dpmix::pg
