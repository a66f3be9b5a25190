#include "pg/query/statistics/quantiles.hpp"

#include <numeric>
#include <vector>

#include "core/input/edge_cells.hpp"
#include "core/query/answers.hpp"
#include "core/query/plan.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

#include "pg/border/guard.hpp"
#include "pg/trees/refusal.hpp"
#include "pg/query/safe/safe_expression.hpp"
#include "pg/query/safe/parts.hpp"
#include "pg/stats/states.hpp"

namespace dpmix::pg {
namespace {

// Numbers that all groups together hold at once, 16 bytes each.
constexpr int64 kMostCells = 1 << 23;

const Const* constant_argument(const Aggref* call, const char* name) {
  const Node* argument = (const Node*)lsecond_node(TargetEntry, call->args)->expr;
  if (IsA(argument, Const)) return (const Const*)argument;
  refuse_construct(
      psprintf("%s that are computed from rows in %s are", name, get_func_name(call->aggfnoid)),
      "Write constants, or pass them as $1 with params.");
}

[[noreturn]] void bad_probability(const char* detail) {
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("p of a quantile must be between 0 and 1"), errdetail("%s", detail),
           errhint("dp_quantile(x, 0.9) is the value that 90%% of the rows do not exceed.")));
  pg_unreachable();
}

double probability_of(const Aggref* call) {
  const Const* given = constant_argument(call, "probabilities");
  if (given->constisnull) bad_probability("p is NULL.");
  const double p = DatumGetFloat8(given->constvalue);
  if (!(p >= 0 && p <= 1)) bad_probability(psprintf("p is %.17g.", p));
  return p + 0.0;  // -0 is 0
}

void read_edges(const Aggref* call, QueryAggregate* aggregate) {
  const Const* given = constant_argument(call, "edges");
  ArrayType* array = given->constisnull ? NULL : DatumGetArrayTypeP(given->constvalue);
  if (array == NULL || ARR_NDIM(array) != 1 || array_contains_nulls(array)) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("invalid edges of a histogram"),
             errdetail("They are NULL, hold a NULL, or are no list of numbers."),
             errhint("Write dp_histogram(x, '{0,10,20}'): 2 to 1000 ascending edges.")));
  }
  aggregate->edges = ARR_DIMS(array)[0];
  aggregate->edge = (const double*)ARR_DATA_PTR(array);
  guard([&] { check_edges({aggregate->edge, (std::size_t)aggregate->edges}); });
}

const CountedTree* cut_column(const SafeNumber& number, int most_cells) {
  CountedTree* tree = (CountedTree*)palloc(sizeof(CountedTree));
  guard([&] {
    const CellCut cut(number.lower, number.upper, number.integral, most_cells);
    *tree = {cut, tree_shape(cut.cells())};
  });
  return tree;
}

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

bool read_quantile(const Aggref* call, QueryAggregate* aggregate) {
  if (strcmp(aggregate->name, "dp_histogram") == 0) {
    aggregate->kind = AggregateKind::histogram;
    read_edges(call, aggregate);
    return true;
  }
  const bool median = strcmp(aggregate->name, "dp_median") == 0;
  if (!median && strcmp(aggregate->name, "dp_quantile") != 0) return false;
  aggregate->kind = AggregateKind::quantile;
  aggregate->probability = median ? 0.5 : probability_of(call);
  return true;
}

bool same_numbers(const QueryAggregate& a, const QueryAggregate& b) {
  return a.probability == b.probability && a.edges == b.edges &&
         (a.edges == 0 || memcmp(a.edge, b.edge, sizeof(double) * a.edges) == 0);
}

int64 groups_at_once(const QueryGroups* groups) {
  return groups->discovered ? 16384 : groups->count;
}

int cells_of_quantiles(const QueryShape* shape, int64 groups) {
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
  const int most = most_cells(groups, columns);
  if (most == 0) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("quantiles of too many groups and columns"),
                    errdetail("There are " INT64_FORMAT " groups and quantiles of %d columns; "
                              "their product may be 262144 at most.",
                              groups, columns),
                    errhint("Group by fewer columns, or ask for fewer quantiles at once.")));
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

bool same_cells(const QueryStatistic& a, const QueryStatistic& b) {
  if (a.kind == StatisticKind::tree) return a.level == b.level;  // of equal values: one cut
  return a.kind != StatisticKind::bins ||
         (a.cells == b.cells && memcmp(a.edge, b.edge, sizeof(double) * (a.cells + 1)) == 0);
}

bool has_cells_in(const QueryStatistics* list, const AggregateParts& parts, int statistic) {
  if (parts.cells < 0) return false;
  const CountedTree* tree = list->statistic[parts.cells].tree;
  const int levels = tree != NULL ? tree->shape.levels : 1;
  return statistic >= parts.cells && statistic < parts.cells + levels;
}

void check_cells(const QueryStatistics* list, int64 groups) {
  if (list->cells == list->count || list->cells <= kMostCells / groups) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("the query has too many cells"),
           errdetail("Its " INT64_FORMAT " groups have %d noisy numbers each; all together "
                     "may have " INT64_FORMAT ".",
                     groups, list->cells, kMostCells),
           errhint("Ask for fewer edges, fewer histograms and quantiles at once, or fewer "
                   "groups.")));
}

void read_cells(const QueryStatistic* statistic, Datum state, Int128* cells) {
  const CountState* counts = read_count_state(state);
  const std::span<const std::int64_t> exact((const std::int64_t*)counts->counts,
                                            (std::size_t)counts->bins);  // none: no row was seen
  if (statistic->kind == StatisticKind::tree) {
    sum_level(statistic->tree->shape, statistic->level, exact, cells);
  } else {
    for (std::size_t i = 0; i < exact.size(); i++) cells[i] = exact[i];
  }
}

EndReach cells_reach(const QueryAggregate& aggregate, const QueryStatistics* statistics,
                     const StatisticNoise* noise, int first, double level) {
  EndReach reach = {0, 0, 0, NULL};
  if (aggregate.kind == AggregateKind::histogram) {
    reach.count = guard([&] { return noise_reach(noise[first].law, level, 1); });
    return reach;
  }
  const int cells = statistics->statistic[first].tree->shape.cells;
  double* tree = (double*)palloc(sizeof(double) * cells);
  guard([&] {
    const std::vector<double> made =
        tree_of(statistics, noise, first).reaches(aggregate.probability, level);
    std::copy(made.begin(), made.end(), tree);
  });
  reach.tree = tree;
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
    const CellRange range = quantile_range(statistic->tree->shape, rows, aggregate.probability,
                                           {reach.tree, (std::size_t)statistic->tree->shape.cells});
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
