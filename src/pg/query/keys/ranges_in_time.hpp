// A column in time as far as its bounds and facts leave it.
#pragma once

#include "pg/query/keys/compared_places.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

// What facts leave of the declared bounds of a column; none: nothing, and the one place is the
// first that is declared. PV003: there are no bounds.
PlacesLeft ranges_in_time(const RowScope* scope, const Var* column, bool* none);

// Whether a row's value lies between the first and the last place.
Node* within_ranges(const Var* column, const PlacesLeft& ranges);

}  // namespace dpmix::pg
