#include "pg/query/statistics/contribution.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_max_groups(const char* message, int max_groups, const char* reason,
                                    const char* hint) {
  refuse_argument(message, psprintf("max_groups is %d. %s", max_groups, reason), hint);
}

StatisticShift shift_of(const QueryStatistic* statistic, Adjacency adjacency,
                        const Contribution& unit, int groups) {
  switch (statistic->kind) {
    case StatisticKind::distinct:
      return shift_of_distinct(adjacency, unit, groups, statistic->categories);
    case StatisticKind::units:
      return shift_of_units(adjacency, unit, groups);
    default:
      return dpmix::shift_of(statistic->lattice, adjacency, unit, {groups, statistic->cells});
  }
}

}  // namespace

Contribution unit_contribution(const QueryShape* shape, const QueryGroups* groups,
                               std::optional<int> max_groups) {
  if (!max_groups) return contribution_of(shape->joined.most, std::nullopt);
  require_range("max_groups", *max_groups, 1, kMostGroupsPerUnit,
                "It is in how many groups a unit has rows, at most; leave it out for as many as it "
                "has rows.");
  if (!shape->joined.sampled) {
    refuse_max_groups("max_groups has nothing to limit", *max_groups,
                      "A privacy unit has one row, in one group.", "Leave max_groups out.");
  }
  if (groups->keys == 0) {
    refuse_max_groups("max_groups has nothing to limit", *max_groups, "The query has no GROUP BY.",
                      "Leave max_groups out, or add GROUP BY.");
  }
  return contribution_of(shape->joined.most, max_groups);
}

StatisticShift* statistic_shifts(const QueryShape* shape, const Contribution& unit,
                                 const QueryGroups* groups, const QueryStatistics* statistics) {
  StatisticShift* shifts = (StatisticShift*)palloc(sizeof(StatisticShift) * statistics->count);
  // Prices are the same whether one category is declared or many.
  const int count = groups->keys > 0 ? Max(groups->count, 2) : 1;
  for (int i = 0; i < statistics->count; i++) {
    shifts[i] = shift_of(&statistics->statistic[i], shape->joined.adjacency, unit, count);
  }
  return shifts;
}

}  // namespace dpmix::pg
