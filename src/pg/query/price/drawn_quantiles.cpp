#include "pg/query/price/drawn_quantiles.hpp"

#include <vector>

#include "core/query/quantile_draw.hpp"
#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/exact_groups.hpp"
#include "pg/query/price/noise_plan.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/cells.hpp"
#include "pg/query/statistics/statistics.hpp"
#include "pg/scan/memory.hpp"

namespace dpmix::pg {

namespace {

bool has_quantile(Node* node, void* shape) {
  if (node == NULL) return false;
  const QueryShape* of = (const QueryShape*)shape;
  if (!IsA(node, Var)) return walk_expression(node, has_quantile, shape);
  const int place = ((const Var*)node)->varattno - of->keys - 1;
  return place >= 0 && place < of->values && of->value[place].aggregate >= 0 &&
         of->aggregate[of->value[place].aggregate].row->cuts_column;
}

// An answer, or an interval without a quantile in it.
bool is_known_of_draws(const QueryShape* shape, const ReleasedValue* value) {
  if (value->end == ReleasedEnd::answer || value->end == ReleasedEnd::grouping) return true;
  if (value->expression != NULL) return !has_quantile((Node*)value->expression, (void*)shape);
  return !shape->aggregate[value->aggregate].row->cuts_column;
}

}  // namespace

bool may_be_drawn(const QueryCall& call, const PricedQuery* priced) {
  const QueryShape* shape = priced->shape;
  bool all = shape->aggregates > 0 && !call.mechanism && !call.half_width && !call.intervals &&
             call.kept.name == NULL && !priced->groups->discovered && priced->groups->cube == NULL;
  int quantiles = 0;
  for (int i = 0; i < shape->aggregates; i++) quantiles += shape->aggregate[i].row->cuts_column;
  // Other aggregates may be beside quantiles where no rows are sampled or weighed.
  all = all && quantiles > 0 && (quantiles == shape->aggregates || !shape->joined.sampled);
  for (int i = 0; all && i < shape->values; i++) {
    all = is_known_of_draws(shape, &shape->value[i]);
  }
  return all;
}

const QueryStatistics* drawn_statistics(const PricedQuery* priced) {
  const int64 groups = groups_at_once(priced->groups);
  for (const int cells : {TreeShape::fine_cells, TreeShape::plain_cells}) {
    const RowBytes bytes = *priced->scope.bytes;
    const QueryStatistics* drawn =
        list_statistics(&priced->scope, priced->shape, groups, cells, true);
    *priced->scope.bytes = bytes;  // both lists have the same expressions, and one is scanned
    if (has_room(drawn, groups) && memory_bytes(priced->groups, drawn) <= scan_memory_bytes()) {
      return drawn;
    }
  }
  return NULL;
}

bool are_draws_worth(const PricedQuery* drawn, const PricedQuery* trees) {
  // Where they share mu^2, all else has Gaussian noise.
  if (drawn->plan.drawn == Drawn::some && drawn->plan.family != trees->plan.family) return false;
  return guard([&] {
    std::vector<QuantileRank> ranks;
    for (int i = 0; i < drawn->shape->aggregates; i++) {
      if (!drawn->shape->aggregate[i].row->cuts_column) continue;
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
