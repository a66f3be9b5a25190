// Rows of each privacy unit with weights, so that all of them count, and no unit for more than it
// may.
//
// Enters: a query that was priced. Leaves: which of its statistics are weighed, by which lists of
// rows; and its statistics query over weighed rows. Weights are functions of a unit's own rows
// alone, so whatever noise is for drawn rows is for weighed ones: docs/proofs/query_units.md,
// "Weights".
#pragma once

#include "core/noise/law.hpp"
#include "pg/query/statistics/contribution.hpp"
#include "pg/units/sampled_units.hpp"

namespace dpmix::pg {

struct WeightList {
  const Node* filter;  // FILTER of the statistics that it is for; NULL: none
  bool pairs;          // units in groups count, not rows
  bool binds;          // some unit may have a weight below 1
  bool finds;          // groups are found by these pairs
};

struct UnitWeighing {
  int bits;      // a row that counts in full has the weight 2^bits
  bool by_rows;  // the norm is L1: for Laplace noise
  int lists;
  WeightList* list;
  int binding;  // lists that bind
  int* of;      // each statistic's list; -1: its rows are drawn
  bool draws;   // there are such
  int search;   // the list by which groups are found; -1: they are declared
  // For each list, the units that shards found weighed down; NULL: rows are weighed here.
  int64* on_shards;
};

bool can_be_weighed(StatisticKind kind);
bool can_be_weighed(Family family);

// Decides, by what is known before the charge, what is weighed. NULL: rows are drawn, or a unit has
// one.
UnitWeighing* unit_weighing(const QueryShape* shape, const Contribution& unit,
                            const QueryGroups* groups, const QueryStatistics* statistics,
                            const StatisticShift* shifts, Family family);
// The weights' part of each statistic's noise: how finely its cells are read.
void set_fine_bits(const UnitWeighing* weighing, const QueryStatistics* statistics,
                   StatisticNoise* noise);
// Whether FILTER is told by weights, so that the aggregate of a statistic need not look at it.
inline bool is_weighed(const UnitWeighing* weighing, int statistic) {
  return weighing != NULL && weighing->of[statistic] >= 0;
}

// Whether a row is in each list that not all are in; and the place of each in what is told: -1.
List* passes_of(const UnitWeighing* weighing, int* place);
// The same aggregate of weighed rows.
Aggref* weighed_aggregate(const Aggref* plain, Expr* weight);

// Like sample_units(), for a query whose last targets are those of the statistics.
SampledUnits* weigh_units(Query* query, const RowScope* scope, const QueryGroups* groups,
                          const QueryStatistics* statistics, const Contribution& most,
                          const UnitWeighing* weighing);

}  // namespace dpmix::pg
