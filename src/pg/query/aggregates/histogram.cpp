// dp_histogram: a noisy count between each two edges.
#include "core/query/answers.hpp"
#include "core/query/plan.hpp"
#include "core/query/upgrade.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/query/statistics/sums.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

AggregateParts histogram_statistics(const AskedStatistics& asked) {
  Expr* value = as_float8(safe_value(asked.scope, (Node*)asked.aggregate->argument));
  QueryStatistic bins = statistic_of(asked.scope, asked.aggregate, StatisticKind::bins, "histogram",
                                     value, kCountLattice);
  bins.cells = asked.aggregate->edges - 1;
  bins.edge = asked.aggregate->edge;
  AggregateParts parts = {-1, -1, -1};
  parts.cells = add_statistic(asked.list, bins);
  return parts;
}

// made: of each cell.
template <class Made>
Datum array_of(const NoisyAnswer& noisy, Oid type, const Made& made) {
  const int cells = noisy.statistic(noisy.parts.cells).cells;
  const Int128* cell = noisy.cells(noisy.parts.cells);
  Datum* values = (Datum*)palloc(sizeof(Datum) * cells);
  for (int i = 0; i < cells; i++) values[i] = made(cell[i]);
  return PointerGetDatum(
      construct_array(values, cells, type, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum counts_of(const NoisyAnswer& noisy) {
  return array_of(noisy, INT8OID, [](Int128 cell) { return Int64GetDatum(count_answer(cell)); });
}

Datum ends_of_counts(const NoisyAnswer& noisy, const EndReach& reach, ReleasedEnd end) {
  return array_of(noisy, FLOAT8OID, [&](Int128 cell) {
    const NoiseInterval interval = count_interval(cell, reach.count);
    return Float8GetDatum(end == ReleasedEnd::low ? interval.low : interval.high);
  });
}

EndReach reach_of_counts(const AnswerSource& source, double level) {
  EndReach reach = {};
  reach.count = guard([&] { return answer_reach(source.noise[source.parts.cells], level, 1); });
  return reach;
}

const Aggregate kHistogram({.name = "dp_histogram",
                            .stored = 14,
                            .takes = Takes::edges,
                            .type = INT8ARRAYOID,
                            .statistics = histogram_statistics,
                            .answer = counts_of,
                            .interval = NULL,
                            .ends = ends_of_counts,
                            .reach = reach_of_counts});

}  // namespace
}  // namespace dpmix::pg
