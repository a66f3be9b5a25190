// GROUPING SETS, ROLLUP and CUBE, which are answered together as one workload (core/cube).
#pragma once

#include "pg/query/read/shape.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// The sets of a query whose keys are known, the finest first. NULL: GROUP BY without such sets, or
// what means the same. PV005: more than core/cube is made for.
const QuerySets* grouping_sets(const Query* query, const QueryShape* shape);

QueryGrouping grouping_of(const Query* query, const QueryShape* shape, const GroupingFunc* call);

// "by region, sex"; "in all".
const char* set_text(const RowScope* scope, const QueryShape* shape, int set);

}  // namespace dpmix::pg
