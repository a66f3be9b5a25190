#include "pg/query/statistics/group_bytes.hpp"

#include <limits>

#include "pg/citus/shard_places.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/statistics/tuples.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/stats/lattice_state.hpp"

extern "C" {
#include "port/pg_bitutils.h"
}

namespace dpmix::pg {
namespace {

constexpr int kChunk = 16;        // what a block of a memory context has besides
constexpr int kEntry = 80;        // an entry of a hash table, while it grows
constexpr int kTuple = 16;        // a tuple without its columns
constexpr int kPlace = 16;        // the place of a state
constexpr double kCategory = 96;  // an entry of class_number's table

// What a block of a memory context takes.
double block(int bytes) {
  return kChunk + (double)pg_nextpower2_32((uint32)bytes);
}

// Rounded up, as a block of a memory context is.
double state_bytes(const QueryStatistic& statistic) {
  switch (statistic.kind) {
    case StatisticKind::rows:
    case StatisticKind::values:
    case StatisticKind::different:
    case StatisticKind::units:
      return 0;
    case StatisticKind::sum:
      return kChunk + 2 * sizeof(SumState);
    case StatisticKind::squares:
      return kChunk + 2 * sizeof(SquaresState);
    case StatisticKind::distinct:
      return kChunk + 2 * (8 + statistic.categories / 8.);
    case StatisticKind::drawn:
    case StatisticKind::tree:  // one state has all levels
      return statistic.level > 0 ? 0 : 2 * (64 + 8. * statistic.tree->cut.cells());
    case StatisticKind::bins:
      return 2 * (64 + 8. * statistic.cells);
  }
  elog(ERROR, "statistic %s is of no known kind", statistic.text);
}

}  // namespace

double bytes_of_group(const QueryGroups* groups, const QueryStatistics* statistics) {
  double states = 0;
  bool rows = false;
  int places = 0;
  for (int i = 0; i < statistics->count; i++) {
    if (statistics->carrier[i] != i) continue;
    rows = rows || statistics->statistic[i].kind == StatisticKind::rows;
    states += state_bytes(statistics->statistic[i]);
    places++;
  }
  if (groups->discovered && !rows) places++;  // the number of units
  const int column = (int)sizeof(Datum);
  return kEntry + block(kTuple + column * key_columns(groups)) + block(kPlace * places) + states;
}

double groups_met(const QueryGroups* groups) {
  if (groups->discovered) return std::numeric_limits<double>::infinity();
  return Max(groups->cube != NULL ? groups->cube->combinations : groups->scanned, 1.);
}

void need_keys(const QueryGroups* groups) {
  // One that is found is tested for NULL, and is a condition, a group, a share and a bit.
  constexpr double kFound = 10, kDeclared = 4;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    need_memory(((key->found ? kFound : kDeclared) - 1) * key->row_bytes);
  }
}

void need_declared_groups(const RowScope* scope, const QueryGroups* groups,
                          const QueryStatistics* statistics) {
  List* keys = NIL;
  for (int k = 0; k < groups->keys; k++) keys = lappend(keys, groups->key[k].expression);
  const double rows = tuples_of(scope, keys, false, most_rows_in).count;
  // Workers hand over what they have, which is read while it is added up.
  constexpr double kHandedOver = 2;
  need_memory(kHandedOver * Min(groups_met(groups), rows) * bytes_of_group(groups, statistics));
  // A row of what shards send has the states alone, once.
  need_own_memory(bytes_of_states(shards_of(scope->sources->first->relation), groups_met(groups),
                                  bytes_of_group(groups, statistics) / 2));
  for (int k = 0; k < groups->keys; k++) need_memory(kCategory * groups->key[k].categories);
}

}  // namespace dpmix::pg
