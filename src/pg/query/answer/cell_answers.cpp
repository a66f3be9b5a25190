#include "pg/query/answer/cell_answers.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/query/answers.hpp"
#include "core/query/upgrade.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

QuantileTree tree_of(const QueryStatistics* statistics, const StatisticNoise* noise, int first) {
  const TreeShape& shape = statistics->statistic[first].tree->shape;
  std::vector<NoiseLaw> laws;
  for (int l = 0; l < shape.levels; l++) laws.push_back(noise[first + l].law);
  return QuantileTree(shape, laws);
}

Datum array_of(Datum* values, int count, Oid type) {
  return PointerGetDatum(
      construct_array(values, count, type, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

}  // namespace

EndReach cells_reach(const QueryAggregate& aggregate, const QueryStatistics* statistics,
                     const StatisticNoise* noise, int first, double level) {
  EndReach reach = {0, 0, 0, NULL};
  if (aggregate.kind == AggregateKind::histogram) {
    reach.count = guard([&] { return answer_reach(noise[first], level, 1); });
    return reach;
  }
  reach.tree = context_object<QuantileReaches>([&] {
    return new QuantileReaches(
        tree_of(statistics, noise, first).reaches(aggregate.probability, level));
  });
  return reach;
}

Datum quantile_value(const QueryAggregate& aggregate, const QueryStatistics* statistics,
                     const StatisticNoise* noise, int first, ReleasedEnd end, const EndReach& reach,
                     const Int128* noisy) {
  const QueryStatistic* statistic = &statistics->statistic[first];
  const CellCut& cut = statistic->tree->cut;
  const double value = guard([&] {
    const QuantileTree tree = tree_of(statistics, noise, first);
    const CellDistribution rows = tree.fit(
        {noisy + statistics->first[first], (std::size_t)statistic->tree->shape.all_nodes()});
    const double middle = std::midpoint(statistic->lower, statistic->upper);
    if (end == ReleasedEnd::answer) {
      const int cell = quantile_cell(rows, aggregate.probability);
      return cell < 0 ? middle : cut.middle(cell);
    }
    const CellRange range =
        quantile_range(statistic->tree->shape, rows, aggregate.probability, *reach.tree);
    if (range.empty) return middle;
    if (end == ReleasedEnd::low) {
      const double low = cut.first(range.low);
      return range.maybe_empty ? std::min(low, middle) : low;
    }
    const double high = cut.last(range.high);
    return range.maybe_empty ? std::max(high, middle) : high;
  });
  return Float8GetDatum(value);
}

Datum histogram_value(const QueryStatistics* statistics, int first, ReleasedEnd end,
                      const EndReach& reach, const Int128* noisy) {
  const int cells = statistics->statistic[first].cells;
  const Int128* cell = noisy + statistics->first[first];
  Datum* values = (Datum*)palloc(sizeof(Datum) * cells);
  for (int i = 0; i < cells; i++) {
    if (end == ReleasedEnd::answer) {
      values[i] = Int64GetDatum(count_answer(cell[i]));
      continue;
    }
    const Interval interval = count_interval(cell[i], reach.count);
    values[i] = Float8GetDatum(end == ReleasedEnd::low ? interval.low : interval.high);
  }
  return array_of(values, cells, end == ReleasedEnd::answer ? INT8OID : FLOAT8OID);
}

}  // namespace dpmix::pg
