// A query that may be answered: what dpmix.query and dpmix.preview share.
#pragma once

#include "core/release/query_plan.hpp"
#include "pg/query_groups.hpp"
#include "pg/silent_scan.hpp"
#include "pg/statistics_query.hpp"
#include "pg/validator.hpp"

extern "C" {
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct ItemReach {  // lattice steps that an interval allows the noise of an item's statistics
  double first, second;
};

struct PricedQuery {  // everything that is known before a row is read
  const char* text;
  const ProtectedTable* table;
  const QueryShape* shape;
  const QueryStatistics* statistics;
  const DeclaredGroups* groups;
  QueryRequest request;
  QueryPlan plan;
  StatisticNoise* noise;  // of each statistic
  Candidates candidates;  // if they are to be explained
  ItemReach* reach;       // of each item
  SilentScan* scan;
};

// Reads the arguments; refuses whatever may be refused. Free, and reads no row. Access comes first,
// so that nobody without it learns more than that.
PricedQuery prepare(FunctionCallInfo fcinfo, bool explain);

// The caller's result, to be filled; its columns in *columns.
Tuplestorestate* begin_result(FunctionCallInfo fcinfo, TupleDesc* columns);

}  // namespace dpmix::pg
