// How much of a query's statistics is one privacy unit's, and how far neighbours move them.
//
// Enters: the bounds that sampling keeps (rows of a unit in all, groups of it, rows of it in each
// group), a statistic's lattice and its cells. Leaves: its shift, in lattice steps.
// Guaranteed: no unit that comes, goes or changes all its rows moves the statistic further, nor in
// more cells; whole numbers above 2^53 and square roots are rounded up. Proof:
// docs/proofs/query_units.md.
#pragma once

#include <optional>

#include "core/base/adjacency.hpp"
#include "core/input/lattice.hpp"
#include "core/query/family_noise.hpp"

namespace dpmix {

constexpr int kMostRowsPerUnit = 1000000;
constexpr int kMostGroupsPerUnit = 1000000;

struct Contribution {  // of one unit to one release, at most
  int rows;            // in all
  int rows_per_group;
  int groups;  // in which it has rows
};

// Bounds that admit `rows` rows, spread evenly where the groups are bounded too. Both at least 1.
Contribution contribution_of(int rows, std::optional<int> max_groups);

// The numbers of one statistic. Each row adds to one of them or to none.
struct StatisticCells {
  int groups = 1;     // of the query
  int per_group = 1;  // bins
};

// The shift of a sum of the rows' indices on the lattice, in the cells where the rows fall; a
// count's rows have index 1. With rows = 1 it is statistic_shift(). The adjacency is not `label`.
StatisticShift shift_of(const Lattice& lattice, Adjacency adjacency, const Contribution& unit,
                        const StatisticCells& cells);
// The shift of the number of units that have a row in a group, drawn or weighed.
StatisticShift shift_of_units(Adjacency adjacency, const Contribution& unit, int groups);
// The shift of how many of so many values occur in a group.
StatisticShift shift_of_distinct(Adjacency adjacency, const Contribution& unit, int groups,
                                 int values);

}  // namespace dpmix
