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

// Of each statistic, in their order.
StatisticShift* statistic_shifts(const QueryShape* shape, const Contribution& unit,
                                 const QueryGroups* groups, const QueryStatistics* statistics);

}  // namespace dpmix::pg
