#include "pg/query/statistics/cells.hpp"

#include "core/query/plan.hpp"
#include "pg/border/guard.hpp"
#include "pg/query/read/aggregate.hpp"
#include "pg/stats/count_state.hpp"

namespace dpmix::pg {
namespace {

// Numbers that all groups together hold at once, 16 bytes each.
constexpr int64 kMostCells = 1 << 23;

}  // namespace

int64 groups_at_once(const QueryGroups* groups) {
  return groups->discovered ? 16384 : groups->count;
}

int cells_of_quantiles(const QueryShape* shape, int64 groups, int finest) {
  int columns = 0;
  for (int i = 0; i < shape->aggregates; i++) {
    bool first = shape->aggregate[i].row->cuts_column;
    for (int j = 0; first && j < i; j++) {
      first = !shape->aggregate[j].row->cuts_column ||
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

bool has_cells_in(const QueryStatistics* list, const AggregateParts& parts, int statistic) {
  if (parts.cells < 0) return false;
  const CountedTree* tree = list->statistic[parts.cells].tree;
  const bool drawn = list->statistic[parts.cells].kind == StatisticKind::drawn;
  const int levels = tree != NULL && !drawn ? tree->shape.levels : 1;
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
