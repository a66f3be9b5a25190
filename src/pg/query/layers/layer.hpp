// A query of a text as a layer.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// PV002: it is none; the hint says what to write. around: of a sub-select.
const LayerQuery* make_layer(LayerTables* all, const Query* query, const LayerQuery* around,
                             int depth, LayerAs as);

}  // namespace dpmix::pg
