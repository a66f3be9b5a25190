#include "pg/query/statistics/worker_worth.hpp"

#include "pg/query/read/sources.hpp"
#include "pg/scan/table_size.hpp"

namespace dpmix::pg {
namespace {

constexpr double kRowsForNumber = 2;  // measured: below that two workers may lose to one

// The size of a group's states, in units of 8 bytes.
double numbers_in_states(const QueryStatistics* statistics) {
  double numbers = 0;
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->carrier[i] != i) continue;
    const QueryStatistic* statistic = &statistics->statistic[i];
    if (statistic->tree == NULL) {
      numbers += statistic->cells + statistic->categories / 64.;
    } else if (statistic->level == 0) {  // one state has all levels
      numbers += statistic->tree->cut.cells();
    }
  }
  return numbers;
}

}  // namespace

bool are_workers_worth(const QuerySources* sources, const QueryGroups* groups,
                       const QueryStatistics* statistics) {
  if (groups->discovered) return true;
  const double combinations = groups->cube != NULL ? groups->cube->combinations : groups->count;
  const double numbers = combinations * numbers_in_states(statistics);
  if (numbers <= 1 << 16) return true;  // half a megabyte
  double rows = 0;
  for (int i = 0; i < sources->count; i++)
    rows = Max(rows, measure_of(&sources->source[i], rows_in));
  return rows >= kRowsForNumber * numbers;
}

}  // namespace dpmix::pg
