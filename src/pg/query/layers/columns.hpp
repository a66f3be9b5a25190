// What a level selects: safe expressions, and what is known of their values.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// Fills in the targets of what runs, the layer's columns, and what each tells of its row's unit.
void make_columns(LayerQuery* level, LayerAs as);

}  // namespace dpmix::pg
