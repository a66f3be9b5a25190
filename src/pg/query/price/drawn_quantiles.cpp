#include "pg/query/price/drawn_quantiles.hpp"

#include <vector>

#include "core/query/quantile_draw.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/price/noise_plan.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/shards.hpp"
#include "pg/query/statistics/statistics.hpp"
#include "pg/scan/memory.hpp"

namespace dpmix::pg {

bool may_be_drawn(const QueryCall& call, const PricedQuery* priced) {
  const QueryShape* shape = priced->shape;
  bool all = shape->aggregates > 0 && !call.mechanism && !call.half_width && !call.intervals &&
             call.cube == NULL && !priced->groups->discovered && priced->groups->cube == NULL &&
             !(shape->joined.sampled && reads_shards(priced->scope.sources));
  for (int i = 0; all && i < shape->aggregates; i++) all = shape->aggregate[i].row->cuts_column;
  for (int i = 0; all && i < shape->values; i++) {
    all = shape->value[i].end == ReleasedEnd::answer && shape->value[i].expression == NULL;
  }
  return all;
}

const QueryStatistics* drawn_statistics(const PricedQuery* priced) {
  const int64 groups = groups_at_once(priced->groups);
  for (const int cells : {TreeShape::fine_cells, TreeShape::plain_cells}) {
    const RowBytes bytes = *priced->scope.bytes;
    const QueryStatistics* drawn =
        list_statistics(&priced->scope, priced->shape, groups, cells, true);
    *priced->scope.bytes = bytes;  // of the same expressions, one list of which is scanned
    if (has_room(drawn, groups) && memory_bytes(priced->groups, drawn) <= scan_memory_bytes()) {
      return drawn;
    }
  }
  return NULL;
}

bool are_draws_worth(const PricedQuery* drawn, const PricedQuery* trees) {
  return guard([&] {
    std::vector<QuantileRank> ranks;
    for (int i = 0; i < drawn->shape->aggregates; i++) {
      const int draw = drawn->statistics->parts[i].cells, first = trees->statistics->parts[i].cells;
      const QueryStatistic& level = trees->statistics->statistic[first];
      std::vector<NoiseLaw> laws;
      for (int l = 0; l < level.tree->shape.levels; l++) {
        laws.push_back(trees->noise[first + l].law);
      }
      ranks.push_back({drawn->statistics->statistic[draw].share, drawn->noise[draw].law.scale,
                       rank_deviation(QuantileTree(level.tree->shape, laws), laws,
                                      drawn->shape->aggregate[i].probability),
                       level.tree->shape.cells});
    }
    return are_draws_worth(ranks, public_rows_of_group(drawn));
  });
}

}  // namespace dpmix::pg
