// Weights of privacy units as expressions over layers of a query on Citus's shards: what both ways
// of weighing there are made of (shard_weighing.hpp, shard_unit_sums.hpp).
#pragma once

#include "pg/query/statistics/unit_weighing.hpp"

namespace dpmix::pg {

// A query between the statistics and what they read, with more columns; where they begin.
struct RowsBetween {
  Query* query;
  int first, keys;

  Expr* more(int place) const;
};
RowsBetween put_between(Query* query, List* more);

// The window of a unit's rows, or of those in a group, in a layer that has but one of the two.
constexpr Index kUnitWindow = 1;

Expr* is_first(Expr* row_number);
Expr* numbered(Index window);
Expr* both_of(Expr* one, Expr* other);

// The numbers of rows of one unit in one list.
struct UnitRows {
  NormBound bound;
  int keys;     // of the query; 0: one group, and nothing to add up
  Expr* rows;   // of the row's group
  Expr* first;  // whether a row is the first of its group; NULL: each group has one row

  // What the unit has in the list, over its groups.
  Expr* norm() const;
  // Of a row in a group with so many rows, or with as many as the unit has in any of its groups.
  Expr* weight(int bits) const;
  Expr* weight_at(Expr* norm, int bits) const;  // of a unit that has that in all its groups
  Expr* least_weight(int bits) const;
  // Whether a row is the first of a unit that counts for less than it has.
  Expr* is_weighed_down(int bits) const;
};
Expr* is_below_one(Expr* weight, int bits);

// Behind the targets of a query, of how many rows this is true.
void count_rows_where(Query* query, Expr* condition);

}  // namespace dpmix::pg
