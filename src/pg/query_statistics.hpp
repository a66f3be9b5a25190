// The noisy statistics behind a private query: each once, with the lattice that it is summed on.
//
// Enters: aggregates of a query that passed the validator. Leaves: what has to be counted and
// summed over the rows of each group, and which of them each aggregate is made of. Bad rows, by
// one rule: NULL and NaN are missing; infinities and values out of bounds are clamped.
#pragma once

#include "core/input/cell_cut.hpp"
#include "core/input/lattice.hpp"
#include "core/int128.hpp"
#include "core/release/quantile_tree.hpp"
#include "pg/query_shape.hpp"

namespace dpmix::pg {

struct CountedTree {  // of a column
  CellCut cut;
  TreeShape shape;
};

enum class StatisticKind {
  rows,    // of the group
  values,  // not missing
  sum,     // on the lattice
  tree,    // of a column's cells, as wide as those of one level (core/release/quantile_tree)
  bins,    // between edges
};

struct QueryStatistic {
  StatisticKind kind;
  Expr* value;  // safe; NULL: rows
  Lattice lattice;
  int cells;                       // numbers for each group
  double lower, upper;             // of a sum
  const char* text;                // what it is, for people
  const CountedTree* tree = NULL;  // whose level it is
  int level = 0;
  const double* edge = NULL;  // of bins: cells + 1
};

struct AggregateParts {  // indices of statistics; -1: not a part
  int count, sum;
  int cells;  // a histogram, or the first level of a tree
};

struct QueryStatistics {
  int count;
  QueryStatistic* statistic;
  AggregateParts* parts;  // of each aggregate
  int cells;              // of all statistics, for each group
  int* first;             // the first cell of each statistic
};

// PV003: a sum over what has no declared bounds. PV002: not a number. PV005: more cells than all
// groups together may have.
QueryStatistics* query_statistics(const RowScope* scope, const QueryShape* shape, int64 groups);

// Equal statistics are released once. The index of the one asked.
int add_statistic(QueryStatistics* list, const QueryStatistic& asked);

}  // namespace dpmix::pg
