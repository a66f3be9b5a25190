#include "pg/query/statistics/cells.hpp"

#include "core/query/plan.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/stats/count_state.hpp"

namespace dpmix::pg {
namespace {

// Numbers that all groups together hold at once, 16 bytes each.
constexpr int64 kMostCells = 1 << 23;

const CountedTree* cut_column(const SafeNumber& number, int most_cells) {
  CountedTree* tree = (CountedTree*)palloc(sizeof(CountedTree));
  guard([&] {
    const CellCut cut(number.lower, number.upper, number.integral, most_cells);
    *tree = {cut, tree_shape(cut.cells())};
  });
  return tree;
}

}  // namespace

int64 groups_at_once(const QueryGroups* groups) {
  return groups->discovered ? 16384 : groups->count;
}

int cells_of_quantiles(const QueryShape* shape, int64 groups, int finest) {
  int columns = 0;
  for (int i = 0; i < shape->aggregates; i++) {
    bool first = shape->aggregate[i].kind == AggregateKind::quantile;
    for (int j = 0; first && j < i; j++) {
      first = shape->aggregate[j].kind != AggregateKind::quantile ||
              !equal(shape->aggregate[j].argument, shape->aggregate[i].argument) ||
              !equal(shape->aggregate[j].filter, shape->aggregate[i].filter);
    }
    columns += first;
  }
  const int most = most_cells(groups, columns, finest);
  if (most == 0) {
    refuse_argument(
        "quantiles of too many groups and columns",
        psprintf("There are " INT64_FORMAT
                 " groups and quantiles of %d columns; their product may be 262144 at most.",
                 groups, columns),
        "Group by fewer columns, or ask for fewer quantiles at once.");
  }
  return most;
}

int add_tree(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate,
             int most_cells) {
  const SafeNumber number = safe_number(scope, (Node*)aggregate->argument, aggregate->name);
  const CountedTree* tree = cut_column(number, most_cells);
  const int levels = tree->shape.levels;
  int first = -1;
  for (int l = 0; l < levels; l++) {
    QueryStatistic level =
        statistic_of(scope, aggregate, StatisticKind::tree, "tree", number.value, kCountLattice);
    level.text = psprintf("tree level %d of %d of %s%s", l + 1, levels,
                          expression_text(scope, (Node*)aggregate->argument),
                          aggregate->filter != NULL ? " filtered" : "");
    level.cells = tree->shape.nodes(l);
    level.lower = number.lower;
    level.upper = number.upper;
    level.tree = tree;
    level.level = l;
    const int added = add_statistic(list, level);
    if (l == 0) first = added;
  }
  return first;
}

int add_histogram(QueryStatistics* list, const RowScope* scope, const QueryAggregate* aggregate) {
  Expr* value = as_float8(safe_value(scope, (Node*)aggregate->argument));
  QueryStatistic bins =
      statistic_of(scope, aggregate, StatisticKind::bins, "histogram", value, kCountLattice);
  bins.cells = aggregate->edges - 1;
  bins.edge = aggregate->edge;
  return add_statistic(list, bins);
}

bool has_cells_in(const QueryStatistics* list, const AggregateParts& parts, int statistic) {
  if (parts.cells < 0) return false;
  const CountedTree* tree = list->statistic[parts.cells].tree;
  const int levels = tree != NULL ? tree->shape.levels : 1;
  return statistic >= parts.cells && statistic < parts.cells + levels;
}

bool has_room(const QueryStatistics* list, int64 groups) {
  return list->cells == list->count || list->cells <= kMostCells / groups;
}

void check_cells(const QueryStatistics* list, int64 groups) {
  if (has_room(list, groups)) return;
  refuse_argument(
      "the query has too many cells",
      psprintf("Its " INT64_FORMAT
               " groups have %d noisy numbers each; all together may have " INT64_FORMAT ".",
               groups, list->cells, kMostCells),
      "Ask for fewer edges, fewer histograms and quantiles at once, or fewer groups.");
}

void read_counts(const QueryStatistic* statistic, Datum state, Int128* cells) {
  const CountState* counts = read_count_state(state);
  const std::span<const std::int64_t> exact((const std::int64_t*)counts->counts,
                                            (std::size_t)counts->bins);  // none: no row was seen
  if (statistic->kind == StatisticKind::tree) {
    sum_level(statistic->tree->shape, statistic->level, exact, cells);
  } else {
    for (std::size_t i = 0; i < exact.size(); i++) cells[i] = exact[i];
  }
}

}  // namespace dpmix::pg
