// A layer that aggregates the rows of one table by person needs no rows held: they are added up as
// they are read (units/grouping.hpp).
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// The layer's rows, then the number of the unit, over the groups of each unit, which are then all
// that is held; NULL: the layer is not of that kind. Whether it is follows from the text and
// declarations alone.
Query* grouped_rows(const LayerQuery* level);

}  // namespace dpmix::pg
