// The exact statistics behind a private query, and the Query that computes them in one scan.
//
// Enters: the shape of a query that passed the validator. Leaves: the list of noisy statistics
// (equal ones once), and a Query over the same table with the same WHERE that returns, for each
// declared group that has rows, its keys and then one exact value for each statistic. Bad rows, by
// one rule: NULL and NaN are missing; infinities and values out of bounds are clamped.
#pragma once

#include "core/input/lattice.hpp"
#include "core/int128.hpp"
#include "pg/query_groups.hpp"

namespace dpmix::pg {

enum class StatisticKind {
  rows,    // of the group
  values,  // not missing in the column
  sum,     // on the lattice
};

struct QueryStatistic {
  StatisticKind kind;
  AttrNumber column;  // InvalidAttrNumber: rows
  Lattice lattice;
  double lower, upper;  // of a sum
  const char* text;     // what it is, for people
};

struct QueryStatistics {
  int count;
  QueryStatistic* statistic;
  int* first;   // of each item of the select list: its count or its sum; -1: a key
  int* second;  // of a mean: its centred sum; else -1
};

// PV003: a sum over a column without declared bounds. PV002: not a number.
QueryStatistics* query_statistics(const QueryShape* shape, const ProtectedTable* table);

// Runs with the rights of the table's owner.
Query* statistics_query(const Query* query, const QueryShape* shape, const ProtectedTable* table,
                        const DeclaredGroups* groups, const QueryStatistics* statistics);

// One exact value of a row that the statistics query returned, in lattice steps.
Int128 exact_value(const QueryStatistic* statistic, Datum value, bool null);

}  // namespace dpmix::pg
