#include "pg/query/answer/supposed_group.hpp"

namespace dpmix::pg {

GroupAnswer supposed_group(const QueryStatistics* statistics, int64 rows) {
  void* block = palloc0(sizeof(Int128) * (statistics->cells + 1));
  Int128* cells = (Int128*)TYPEALIGN(alignof(Int128), block);
  for (int i = 0; i < statistics->count; i++) {
    const QueryStatistic* statistic = &statistics->statistic[i];
    Int128 exact = rows;
    if (statistic->kind == StatisticKind::sum) {
      exact = exact * (statistic->lattice.low + statistic->lattice.high) / 2;
    } else if (statistic->kind == StatisticKind::squares) {
      exact = 0;  // half of the largest
    } else if (statistic->kind == StatisticKind::distinct) {
      exact = Min(rows, statistic->categories);
    }
    cells[statistics->first[i]] = exact;
  }
  return {cells, cells, 0, NULL};
}

}  // namespace dpmix::pg
