// Buckets of one column in time, met one after the other.
//
// Along the values of the column a bucket is constant over runs, each of which is at least as long
// as its unit, but for those that the ends of the ranges cut off. So it has no other value than at
// the ends of the ranges and at every step between them, where steps are no longer than the least
// run. Runs of several buckets that are cut at the same moments (midnights, full hours) are no
// shorter than those of the finest one. Clocks that are changed make runs shorter, of half an hour
// at least: steps are half as long, or a quarter of an hour, where a zone has a say.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/query/keys/column.hpp"

namespace dpmix::pg {

// The longest step for a call of date_trunc, extract, date_part, to_char or a cast to date, in the
// units of the column; 0: not known.
int64 longest_step(const FuncExpr* call, Oid column);
// Whether ranges can be visited in such steps: there are at most kMaxGroups.
bool can_visit(const PlacesLeft& ranges, int64 step);

// Leaves those of a bucket's values (in order) that it has within the ranges. The expression is of
// the column alone.
void keep_met(KeyColumn* bucket, const Expr* expression, Var* column, const PlacesLeft& ranges,
              int64 step);

// Calls visit with each place.
using PlaceVisitor = Callable<void(int64 place)>;
void visit_places(const PlacesLeft& ranges, int64 step, const PlaceVisitor& visit);

}  // namespace dpmix::pg
