// Noisy tables of grouping sets made to agree with each other: post-processing, free of charge.
#pragma once

#include "core/base/int128.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct AgreeingCells {
  const Int128* centre;  // what intervals are around, in all groups; each rounded to the nearest
  const double* slack;   // [set * statistics + statistic]: by how much roundings may have moved it
};
// Changes the cells of all groups into whole numbers that add up.
AgreeingCells agreeing_cells(const QueryGroups* groups, const QueryStatistics* statistics,
                             Int128* cells);

}  // namespace dpmix::pg
