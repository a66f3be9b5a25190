#include "pg/query/answer/exact_groups.hpp"

#include "core/query/group_finder.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/replay.hpp"
#include "pg/query/keys/found_nulls.hpp"
#include "pg/query/keys/public_values.hpp"
#include "pg/query/statistics/scan_tree.hpp"
#include "pg/scan/memory.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {

struct ExactGroups {
  const QueryGroups* groups;
  const QueryStatistics* statistics;
  int64 at;  // the group that next_group() came to
  // All cells of declared groups: [group * cells + cell]; those of one group of discovered ones.
  Int128* cell;
  Int128* row;  // what a combination of all keys adds to a group of each grouping set
  // Discovered groups have these:
  GroupFinder* finder;
  RandomStream* random;
  int counted;  // the statistic whose noise the finder draws; -1: none
  // Slots with what each key is sorted by and the number of its category, then the cells as bytes,
  // then a random number: it decides where keys are shown alike, or the order of rows would.
  TupleTableSlot *kept, *found;  // as it goes into the sort, and as it comes out
  Tuplesortstate* sort;
};

namespace {

Size cell_bytes(const ExactGroups* groups) {
  return sizeof(Int128) * groups->statistics->cells;
}

void read_cells(const ExactGroups* to, const Datum* values, const bool* nulls, Int128* cells) {
  const QueryStatistics* statistics = to->statistics;
  const int keys = key_columns(to->groups);
  for (int i = 0; i < statistics->count; i++) {
    const int from = keys + statistics->carrier[i];
    read_exact(statistics, i, values[from], nulls[from], cells);
  }
}

// A group may come in several shares of the units.
void add_cells(const ExactGroups* to, const Datum* values, const bool* nulls, Int128* cells) {
  memset((void*)to->row, 0, cell_bytes(to));
  read_cells(to, values, nulls, to->row);
  for (int i = 0; i < to->statistics->cells; i++) cells[i] += to->row[i];
}

// A key that is found is sorted by what it says: nothing else of a row gets into the sort, and so
// into how much of it there is.
Oid sorted_type(const KeyColumn* key) {
  return key->found ? key->shown_type : key->type;
}

AttrNumber cells_column(const QueryGroups* groups) {
  return (AttrNumber)(found_width(groups) - 1);
}

AttrNumber draw_column(const QueryGroups* groups) {
  return (AttrNumber)found_width(groups);
}

void begin_found(ExactGroups* to) {
  const int keys = to->groups->keys;
  const AttrNumber columns = draw_column(to->groups);
  TupleDesc type = CreateTemplateTupleDesc(columns);
  AttrNumber* column = (AttrNumber*)palloc(sizeof(AttrNumber) * (keys + 1));
  Oid* less = (Oid*)palloc(sizeof(Oid) * (keys + 1));
  Oid* collation = (Oid*)palloc0(sizeof(Oid) * (keys + 1));
  bool* nulls_first = (bool*)palloc0(sizeof(bool) * (keys + 1));
  for (int k = 0; k < keys; k++) {
    const KeyColumn* key = &to->groups->key[k];
    column[k] = (AttrNumber)(2 * k + 1);
    TupleDescInitEntry(type, column[k], NULL, sorted_type(key), -1, 0);
    TupleDescInitEntry(type, column[k] + 1, NULL, INT4OID, -1, 0);
    less[k] = lookup_type_cache(sorted_type(key), TYPECACHE_LT_OPR)->lt_opr;
    collation[k] = OidIsValid(get_typcollation(sorted_type(key))) ? C_COLLATION_OID : InvalidOid;
  }
  TupleDescInitEntry(type, cells_column(to->groups), NULL, BYTEAOID, -1, 0);
  TupleDescInitEntry(type, columns, NULL, INT8OID, -1, 0);
  column[keys] = columns;
  less[keys] = Int8LessOperator;
  to->kept = MakeSingleTupleTableSlot(type, &TTSOpsVirtual);
  memset(to->kept->tts_isnull, 0, sizeof(bool) * columns);
  to->found = MakeSingleTupleTableSlot(type, &TTSOpsMinimalTuple);
  to->sort = tuplesort_begin_heap(type, keys + 1, column, less, collation, nulls_first,
                                  MAX_KILOBYTES, NULL, TUPLESORT_NONE);
}

// Whether the keys are NULL or values of their types, each among the public ones if there are some:
// of these the scan tells the number.
bool read_keys(const QueryGroups* groups, const Datum* values, const bool* nulls,
               TupleTableSlot* to) {
  Datum* found = to->tts_values;
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    if (nulls[k]) return false;
    const int number = key->found ? 0 : DatumGetInt32(values[k]);
    const bool null = key->has_null && (key->found ? has_null_bit(values[groups->keys], k)
                                                   : number == key->null_place());
    to->tts_isnull[2 * k] = null;
    found[2 * k + 1] = Int32GetDatum(number);
    if (null) continue;
    if (!key->found) {
      found[2 * k] = key->value[number];
    } else if (!shown_key(key, values[k], &found[2 * k])) {
      return false;
    }
  }
  return true;
}

// Puts a group into the sort. Call in the memory context of a row.
void keep_group(ExactGroups* to, const Datum* values, const bool* nulls, Int128 units,
                uint64 draw) {
  ExecClearTuple(to->kept);
  if (!read_keys(to->groups, values, nulls, to->kept)) return;
  memset((void*)to->cell, 0, cell_bytes(to));
  read_cells(to, values, nulls, to->cell);
  if (to->counted >= 0) to->cell[to->statistics->first[to->counted]] = units;
  bytea* cells = (bytea*)palloc(VARHDRSZ + cell_bytes(to));
  SET_VARSIZE(cells, VARHDRSZ + cell_bytes(to));
  memcpy(VARDATA(cells), to->cell, cell_bytes(to));
  to->kept->tts_values[cells_column(to->groups) - 1] = PointerGetDatum(cells);
  to->kept->tts_values[draw_column(to->groups) - 1] = Int64GetDatum((int64)draw);
  ExecStoreVirtualTuple(to->kept);
  tuplesort_puttupleslot(to->sort, to->kept);
}

void receive_combination(ExactGroups* to, const Datum* values, const bool* nulls) {
  const int cells = to->statistics->cells;
  memset((void*)to->row, 0, cell_bytes(to));
  read_cells(to, values, nulls, to->row);
  for (int set = 0; set < to->groups->cube->sets->count; set++) {
    const int group = group_in_set(to->groups, set, values, nulls);
    if (group < 0) return;
    Int128* sum = to->cell + (Size)group * cells;
    for (int i = 0; i < cells; i++) sum[i] += to->row[i];
  }
}

}  // namespace

// palloc aligns to 8 bytes, 128-bit integers want 16.
Int128* make_cells(Size count) {
  void* block =
      MemoryContextAllocExtended(CurrentMemoryContext, sizeof(Int128) * count + alignof(Int128),
                                 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
  return (Int128*)TYPEALIGN(alignof(Int128), block);
}

double memory_bytes(const QueryGroups* groups, const QueryStatistics* statistics, double rows) {
  constexpr double kState = 64;  // bytes of an aggregate's state in a table of groups
  constexpr double kEntry = 96;  // bytes of an entry of such a table, besides
  if (groups->discovered) return 0;
  double bytes = groups->count * (sizeof(Int128) * statistics->cells + kState * statistics->count);
  if (const QueryCube* cube = groups->cube; cube != NULL) {
    bytes += groups->count * sizeof(Int128) * statistics->cells +
             cube->places * (sizeof(Int128) + 2 * sizeof(double)) +
             Min(cube->combinations, rows) *
                 (kEntry + sizeof(Datum) * groups->keys + kState * statistics->count);
  }
  return bytes;
}

void require_memory(const QueryGroups* groups, const QueryStatistics* statistics, double rows) {
  const double bytes = memory_bytes(groups, statistics, rows);
  if (bytes <= scan_memory_bytes()) return;
  refuse_argument(
      "the query's groups do not fit the memory of a release",
      psprintf("Its %d groups of %d noisy numbers each take %.0f kB; dpmix.scan_memory "
               "is %.0f kB.",
               groups->count, statistics->cells, bytes / 1024, scan_memory_bytes() / 1024),
      groups->cube == NULL
          ? "Ask for fewer groups or aggregates at once."
          : "Ask for fewer keys or aggregates at once; all combinations of the keys are counted.");
}

ExactGroups* exact_groups(const QueryGroups* groups, const QueryStatistics* statistics,
                          const GroupSearch& search, const StatisticNoise* noise) {
  ExactGroups* made = (ExactGroups*)palloc0(sizeof(ExactGroups));
  made->groups = groups;
  made->statistics = statistics;
  made->at = made->counted = -1;
  if (!groups->discovered) {
    made->cell = make_cells((Size)groups->count * statistics->cells);
    made->row = make_cells((Size)statistics->cells);
    return made;
  }
  made->counted = search.kind == SearchKind::coin ? -1 : search.statistic;
  made->finder = context_object<GroupFinder>([&] {
    return new GroupFinder(search, made->counted >= 0 ? &noise[made->counted].law : NULL);
  });
  made->random = random_stream();
  made->cell = make_cells((Size)statistics->cells);
  begin_found(made);
  return made;
}

void receive_group(ExactGroups* to, const Datum* values, const bool* nulls) {
  const QueryGroups* groups = to->groups;
  if (groups->cube != NULL) {
    receive_combination(to, values, nulls);
    return;
  }
  if (!groups->discovered) {
    const int group = group_of(groups, values, nulls);
    if (group >= 0) add_cells(to, values, nulls, to->cell + (Size)group * to->statistics->cells);
    return;
  }
  const uint64 units = (uint64)DatumGetInt64(values[key_columns(groups) + to->statistics->count]);
  uint64 draw = 0;
  Int128 noisy_units = 0;
  DPMIX_REPLAY_HOOK(see_found(groups, values, nulls, &to->random));
  const bool kept = guard([&] {
    const std::optional<Int128> found = to->finder->find(*to->random, units);
    if (!found) return false;
    noisy_units = *found;
    draw = to->random->next64();
    return true;
  });
  DPMIX_REPLAY_HOOK(see_found(NULL, NULL, NULL, NULL));
  if (kept) keep_group(to, values, nulls, noisy_units, draw);
}

void end_groups(ExactGroups* groups) {
  if (groups->groups->discovered) tuplesort_performsort(groups->sort);
}

bool next_group(ExactGroups* groups) {
  if (!groups->groups->discovered) return ++groups->at < groups->groups->count;
  if (!tuplesort_gettupleslot(groups->sort, true, false, groups->found, NULL)) {
    ExecClearTuple(groups->found);
    tuplesort_end(groups->sort);
    return false;
  }
  slot_getallattrs(groups->found);
  const bytea* cells = DatumGetByteaPP(groups->found->tts_values[2 * groups->groups->keys]);
  memcpy((void*)groups->cell, VARDATA_ANY(cells), cell_bytes(groups));
  return true;
}

Int128* group_cells(ExactGroups* groups) {
  if (groups->groups->discovered) return groups->cell;
  return groups->cell + (Size)groups->at * groups->statistics->cells;
}

int drawn_statistic(const ExactGroups* groups) {
  return groups->counted;
}

NullableDatum group_key(const ExactGroups* groups, int k) {
  if (!groups->groups->discovered) return key_of(groups->groups, (int)groups->at, k);
  const KeyColumn* key = &groups->groups->key[k];
  const Datum* found = groups->found->tts_values + 2 * k;
  if (groups->found->tts_isnull[2 * k]) return {0, true};
  return {key->found ? found[0] : key->shown[DatumGetInt32(found[1])], false};
}

}  // namespace dpmix::pg
