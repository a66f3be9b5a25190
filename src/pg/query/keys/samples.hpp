// Buckets of one column in time, met one after the other.
//
// Along the values of the column a bucket is constant over runs, each of which is at least as long
// as its unit, but for those that the ends of the span cut off. So it has no other value than at
// the ends of the span and at every step between them, where steps are no longer than the least
// run. Runs of several buckets that are cut at the same moments (midnights, full hours) are no
// shorter than those of the finest one. Clocks that are changed make runs shorter, of half an hour
// at least: steps are half as long, or a quarter of an hour, where a zone has a say.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/query/keys/groups.hpp"

namespace dpmix::pg {

// The longest step for a call of date_trunc, extract, date_part or a cast to date, in the units of
// the column; 0: not known.
int64 longest_step(const FuncExpr* call, Oid column);
// In how many steps a span is visited, its ends with it; more than kMaxGroups: never.
bool can_visit(const Places& span, int64 step);

// Leaves those of a bucket's values (in order) that it has within the span. The expression is of
// the column alone.
void keep_met(KeyColumn* bucket, const Expr* expression, Var* column, const Places& span,
              int64 step);

// Leaves the combinations that occur of keys that are buckets of one column. False: there are more
// than kMaxGroups.
bool join_buckets(QueryGroups* groups);

}  // namespace dpmix::pg
