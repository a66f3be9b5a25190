// What is said of totals of which each privacy unit has a bounded part: that they are, before the
// charge, and how many units that concerns, after it. docs/guide/query.md, "Privacy units".
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// "privacy units with more than 4 rows count for less; intervals are of that bounded total", and
// what multiplies rows: lines for people. NIL: the rows of all units count.
List* bound_lines(const PricedQuery* priced);  // a List of char*
// The same as a NOTICE.
void tell_of_bound(const PricedQuery* priced);

// Numbers of units that are weighed down, as they are released beside Gaussian noise. Before the
// charge; NULL: none is.
struct BoundedUnits;
BoundedUnits* bounded_units_to_tell(const PricedQuery* priced);
// Adds noise; call after the scan.
void add_noise(BoundedUnits* bounded);
// A NOTICE where there are some for certain.
void tell_of(const BoundedUnits* bounded);

}  // namespace dpmix::pg
