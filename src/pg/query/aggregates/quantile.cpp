// dp_quantile and dp_median: of noisy counts in the nodes of a tree over the column, or drawn from
// exact counts of its cells.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/query/answers.hpp"
#include "core/query/plan.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/query/statistics/sums.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace dpmix::pg {
namespace {

const CountedTree* cut_column(const SafeNumber& number, int most_cells) {
  CountedTree* tree = (CountedTree*)palloc(sizeof(CountedTree));
  guard([&] {
    const CellCut cut(number.lower, number.upper, number.integral, most_cells);
    *tree = {cut, tree_shape(cut.cells())};
  });
  return tree;
}

// The index of the first level; the others follow.
int add_tree(const AskedStatistics& asked) {
  const QueryAggregate* aggregate = asked.aggregate;
  const SafeNumber number = asked_number(asked);
  const CountedTree* tree = cut_column(number, asked.most_cells);
  const int levels = tree->shape.levels;
  int first = -1;
  for (int l = 0; l < levels; l++) {
    QueryStatistic level = statistic_of(asked.scope, aggregate, StatisticKind::tree, "tree",
                                        number.value, kCountLattice);
    level.text = psprintf("tree level %d of %d of %s%s", l + 1, levels,
                          expression_text(asked.scope, (Node*)aggregate->argument),
                          aggregate->filter != NULL ? " filtered" : "");
    level.cells = tree->shape.nodes(l);
    level.lower = number.lower;
    level.upper = number.upper;
    level.tree = tree;
    level.level = l;
    const int added = add_statistic(asked.list, level);
    if (l == 0) first = added;
  }
  return first;
}

int add_draw(const AskedStatistics& asked) {
  const QueryAggregate* aggregate = asked.aggregate;
  const SafeNumber number = asked_number(asked);
  QueryStatistic drawn = statistic_of(asked.scope, aggregate, StatisticKind::drawn, "quantile",
                                      number.value, kCountLattice);
  drawn.text = psprintf("rank of quantile %g of %s%s", aggregate->probability,
                        expression_text(asked.scope, (Node*)aggregate->argument),
                        aggregate->filter != NULL ? " filtered" : "");
  drawn.lower = number.lower;
  drawn.upper = number.upper;
  drawn.tree = cut_column(number, asked.most_cells);
  drawn.share = aggregate->probability;
  return add_statistic(asked.list, drawn);
}

AggregateParts quantile_statistics(const AskedStatistics& asked) {
  AggregateParts parts = {-1, -1, -1};
  parts.cells = asked.drawn ? add_draw(asked) : add_tree(asked);
  return parts;
}

const QueryStatistic& first_level(const AnswerSource& source) {
  return source.statistic(source.parts.cells);
}

QuantileTree tree_of(const AnswerSource& source) {
  const TreeShape& shape = first_level(source).tree->shape;
  std::vector<NoiseLaw> laws;
  for (int l = 0; l < shape.levels; l++) laws.push_back(source.noise[source.parts.cells + l].law);
  return QuantileTree(shape, laws);
}

CellDistribution rows_in_cells(const NoisyAnswer& noisy) {
  const int nodes = first_level(noisy).tree->shape.all_nodes();
  return tree_of(noisy).fit({noisy.cells(noisy.parts.cells), (std::size_t)nodes});
}

double middle_of(const QueryStatistic& level) {
  return std::midpoint(level.lower, level.upper);
}

// Quantiles of one column in their order: draws are made apart, and may pass each other.
double drawn_value(const NoisyAnswer& noisy) {
  const QueryStatistics* list = noisy.statistics;
  const QueryStatistic& drawn = first_level(noisy);
  std::vector<double> values;
  std::size_t place = 0;
  for (int i = 0; i < list->count; i++) {
    if (list->counted[i] != list->counted[noisy.parts.cells]) continue;
    const int cell = (int)noisy.number(i);
    values.push_back(cell < 0 ? middle_of(drawn) : drawn.tree->cut.middle(cell));
    place += list->statistic[i].share < drawn.share;
  }
  std::ranges::nth_element(values, values.begin() + (std::ptrdiff_t)place);
  return values[place];
}

Datum quantile_of(const NoisyAnswer& noisy) {
  if (first_level(noisy).kind == StatisticKind::drawn) {
    return Float8GetDatum(guard([&] { return drawn_value(noisy); }));
  }
  return Float8GetDatum(guard([&] {
    const QueryStatistic& level = first_level(noisy);
    const int cell = quantile_cell(rows_in_cells(noisy), noisy.aggregate->probability);
    return cell < 0 ? middle_of(level) : level.tree->cut.middle(cell);
  }));
}

EndReach reach_of_quantile(const AnswerSource& source, double level) {
  EndReach reach = {};
  reach.tree = context_object<QuantileReaches>([&] {
    return new QuantileReaches(tree_of(source).reaches(source.aggregate->probability, level));
  });
  return reach;
}

NoiseInterval interval_of_quantile(const NoisyAnswer& noisy, const EndReach& reach) {
  return guard([&]() -> NoiseInterval {
    const QueryStatistic& level = first_level(noisy);
    const CellCut& cut = level.tree->cut;
    const double middle = middle_of(level);
    const CellRange range = quantile_range(level.tree->shape, rows_in_cells(noisy),
                                           noisy.aggregate->probability, *reach.tree);
    if (range.empty) return {middle, middle};
    const double low = cut.first(range.low), high = cut.last(range.high);
    if (!range.maybe_empty) return {low, high};
    return {std::min(low, middle), std::max(high, middle)};
  });
}

const Aggregate kQuantile({.name = "dp_quantile",
                           .stored = 12,
                           .takes = Takes::share,
                           .type = FLOAT8OID,
                           .statistics = quantile_statistics,
                           .answer = quantile_of,
                           .interval = interval_of_quantile,
                           .reach = reach_of_quantile,
                           .cuts_column = true,
                           .plain = {{"percentile_cont", Made::ordered},
                                     {"percentile_disc", Made::ordered}},
                           .plain_text = "percentile_cont, percentile_disc"});
const Aggregate kMedian({.name = "dp_median",
                         .stored = 13,
                         .takes = Takes::number,
                         .type = FLOAT8OID,
                         .statistics = quantile_statistics,
                         .answer = quantile_of,
                         .interval = interval_of_quantile,
                         .reach = reach_of_quantile,
                         .cuts_column = true,
                         .same_as = &kQuantile,
                         .share = 0.5});

}  // namespace
}  // namespace dpmix::pg
