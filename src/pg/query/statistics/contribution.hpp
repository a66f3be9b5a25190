// What one privacy unit may contribute to a query, and how far that moves each of its
// statistics. From public numbers alone.
#pragma once

#include <vector>

#include "core/query/contribution.hpp"
#include "core/query/quantile_draw.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// max_groups: none unless the caller limited the groups of a unit; max_rows: instead of what the
// owner declared. PV005: out of range, or there is nothing to limit.
Contribution unit_contribution(const QueryShape* shape, const QueryGroups* groups,
                               std::optional<int> max_groups, std::optional<int> max_rows);

// The statistic that is how many units each group has; -1: none is.
int count_of_units(const QueryShape* shape, const Contribution& unit,
                   const QueryStatistics* statistics);
// How far a unit moves each statistic, in their order. weighed: rows may be weighed
// (unit_weighing.hpp).
StatisticShift* statistic_shifts(const QueryShape* shape, const Contribution& unit,
                                 const QueryGroups* groups, const QueryStatistics* statistics,
                                 bool weighed);

// The same for those that are drawn. In guard().
std::vector<DrawShift> draw_shifts(const QueryShape* shape, const Contribution& unit,
                                   const QueryGroups* groups, const QueryStatistics* statistics);

// What all of them cost together: what a row moves of one it may not move of another. nullopt: not
// known.
std::optional<JointPrice> joint_price(const QueryShape* shape, const Contribution& unit,
                                      const QueryGroups* groups, const QueryStatistics* statistics,
                                      const StatisticShift* shifts, bool weighed);

}  // namespace dpmix::pg
