// What a counter counts: its query, as one that reads all blocks up to some one, and the price of
// its whole life for a block.
#pragma once

#include "pg/counter/store.hpp"
#include "pg/query/query.hpp"

namespace dpmix::pg {

struct CounterPlan : CheckedQuery {
  const ProtectedTable* table;
  Contribution unit;
  StatisticShift* shift;  // a plain release's, in lattice steps
  // What each column of the query that is no key is called, and of which statistic it is.
  int columns;
  char** column;
  int* statistic;
  char** group;      // the keys of each group, a JSON object
  const char* form;  // all of this that prices and sums rest on, as text
};
// Free, and reads no row. Access comes first. last: of the blocks that it reads, from block 0.
// PV002: a query that is none of a counter.
CounterPlan plan_counter(const char* query, ArrayType* params, int64 last);

struct CounterPrice {
  QueryPlan plan;         // that of the whole life, for one block
  StatisticNoise* noise;  // that of each statistic in one step, in refined steps
};
// PV005: bounds too wide; numbers out of range. PV002: an accountant that cannot add it up.
CounterPrice price_counter(const CounterPlan& plan, double epsilon, double delta, int steps);

// The query's groups by the age of their blocks: the last key says it. from: the first block of
// each age but the first, in order.
QueryGroups groups_by_age(const CounterPlan& plan, const int64* from, int ages);

}  // namespace dpmix::pg
