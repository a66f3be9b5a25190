// The noisy statistics behind a private query: each once, with the lattice that it is summed on.
//
// Enters: aggregates of a query that passed the validator. Leaves: what has to be counted and
// summed over the rows of each group, and which of them each aggregate is made of. Bad rows, by
// one rule: NULL and NaN are missing; infinities and values out of bounds are clamped.
#pragma once

#include "core/input/lattice.hpp"
#include "core/int128.hpp"
#include "pg/query_shape.hpp"

namespace dpmix::pg {

enum class StatisticKind {
  rows,      // of the group
  values,    // not missing
  sum,       // on the lattice
  squares,   // of distances from the middle, on a lattice of their own
  distinct,  // declared categories that occur
  units,     // privacy units that have a row; where one may have several
};

struct QueryStatistic {
  StatisticKind kind;
  Expr* value;   // safe; NULL: rows; of units, their column
  Node* filter;  // safe; NULL: none
  Lattice lattice;
  int cells;            // numbers for each group
  double lower, upper;  // of a sum
  const char* text;     // what it is, for people
  Lattice centred;      // of squares: the lattice of what is squared
  int categories;       // of distinct
  bool integral;        // of sums: of whole numbers
};

struct AggregateParts {  // indices of statistics; -1: not a part
  int count, sum, squares;
};

struct QueryStatistics {
  int count;
  QueryStatistic* statistic;
  AggregateParts* parts;  // of each aggregate
  int cells;              // of all statistics, for each group
  int* first;             // the first cell of each statistic
  // The statistic from whose aggregate each is read, itself or another of the same rows: one pass
  // over a column gives its count, its sum and its squares.
  int* carrier;
};

// PV003: a sum over what has no declared bounds, or distinct values of what has no categories.
// PV002: not a number.
QueryStatistics* query_statistics(const RowScope* scope, const QueryShape* shape);

}  // namespace dpmix::pg
