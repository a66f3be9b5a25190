// What one privacy unit may contribute to a query, and how far that moves each of its
// statistics. From public numbers alone.
#pragma once

#include "core/query/contribution.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// max_groups: none unless the caller limited the groups of a unit. PV005: out of range, or there is
// nothing to limit.
Contribution unit_contribution(const QueryShape* shape, const QueryGroups* groups,
                               std::optional<int> max_groups);

// The statistic that is how many units each group has; -1: none is.
int count_of_units(const QueryShape* shape, const Contribution& unit,
                   const QueryStatistics* statistics);
// Among how many groups neighbours differ: prices are the same whether one is declared or many.
int groups_at_least(const QueryGroups* groups);
// Of each statistic, in their order.
StatisticShift* statistic_shifts(const QueryShape* shape, const Contribution& unit,
                                 const QueryGroups* groups, const QueryStatistics* statistics);

// Of all together, in the same terms: what a row moves of one it may not move of another.
std::optional<JointPrice> joint_price(const QueryShape* shape, const Contribution& unit,
                                      const QueryGroups* groups, const QueryStatistics* statistics,
                                      const StatisticShift* shifts);

}  // namespace dpmix::pg
