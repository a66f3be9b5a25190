// How many rows a unit has in what a layer joins.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

constexpr int64 kMostRowsOfUnit = 1000000;

// Finds, by FROM and WHERE, the most rows, or that there is one whatever owners say; whether a row
// may meet several; and without which tables a unit has none.
void count_rows(LayerQuery* level);

}  // namespace dpmix::pg
