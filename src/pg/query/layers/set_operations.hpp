// UNION, INTERSECT and EXCEPT of layers.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// A level that is one. PV002: the sides do not tell people apart alike, or have other types.
void make_union(LayerQuery* level);

}  // namespace dpmix::pg
