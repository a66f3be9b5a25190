#include "pg/exact_groups.hpp"

#include "core/mechanism/partition_selection.hpp"
#include "pg/entropy.hpp"
#include "pg/guard.hpp"
#include "pg/statistics_query.hpp"

extern "C" {
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace dpmix::pg {

struct FoundGroup {
  Datum* key;    // of the scan
  Datum* shown;  // as the caller sees it
  Int128* cell;
};

struct ExactGroups {
  const QueryGroups* groups;
  const QueryStatistics* statistics;
  MemoryContext context;
  Int128* cell;  // of declared groups: [group * cells + cell]
  // Of discovered ones:
  PartitionSelection* selection;
  RandomStream* random;
  FoundGroup* found;
  int64 count, room;
};

namespace {

// palloc aligns to 8 bytes, 128-bit integers want 16.
Int128* make_cells(Size count) {
  void* block =
      MemoryContextAllocExtended(CurrentMemoryContext, sizeof(Int128) * count + alignof(Int128),
                                 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
  return (Int128*)TYPEALIGN(alignof(Int128), block);
}

void forget_stream(void* random) {
  delete static_cast<RandomStream*>(random);
}

// A stream that ends with the memory context, whether or not an error comes in between.
RandomStream* make_stream() {
  MemoryContextCallback* end = (MemoryContextCallback*)palloc0(sizeof(MemoryContextCallback));
  RandomStream::Key key;
  fresh_key(key);
  RandomStream* random = guard([&] { return new RandomStream(key); });
  explicit_bzero(key.data(), key.size());
  end->func = forget_stream;
  end->arg = random;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, end);
  return random;
}

void read_cells(const ExactGroups* to, const Datum* values, const bool* nulls, Int128* cells) {
  const QueryStatistics* statistics = to->statistics;
  const int keys = to->groups->keys;
  for (int i = 0; i < statistics->count; i++) {
    const int from = keys + statistics->carrier[i];
    read_exact(statistics, i, values[from], nulls[from], cells + statistics->first[i]);
  }
}

// Whether the keys are values of their types, each among the public ones if there are some: of
// these the scan tells the number.
bool read_keys(const QueryGroups* groups, const Datum* values, const bool* nulls, FoundGroup* to) {
  to->key = (Datum*)palloc(sizeof(Datum) * groups->keys);
  to->shown = (Datum*)palloc(sizeof(Datum) * groups->keys);
  for (int k = 0; k < groups->keys; k++) {
    const KeyColumn* key = &groups->key[k];
    if (nulls[k]) return false;
    if (key->categories > 0) {
      const int number = DatumGetInt32(values[k]);
      to->key[k] = key->value[number];
      to->shown[k] = key->shown[number];
      continue;
    }
    if (!shown_key(key, values[k], &to->shown[k])) return false;
    int16 length;
    bool by_value;
    get_typlenbyval(key->type, &length, &by_value);
    to->key[k] = datumCopy(values[k], by_value, length);
  }
  return true;
}

void keep_group(ExactGroups* to, const Datum* values, const bool* nulls) {
  MemoryContext outer = MemoryContextSwitchTo(to->context);
  FoundGroup group;
  if (read_keys(to->groups, values, nulls, &group)) {
    group.cell = make_cells(to->statistics->cells);
    if (to->count == to->room) {
      to->room = Max(64, to->room * 2);
      const Size size = sizeof(FoundGroup) * to->room;
      to->found = (FoundGroup*)(to->found == NULL ? palloc(size) : repalloc_huge(to->found, size));
    }
    to->found[to->count++] = group;
    MemoryContextSwitchTo(outer);
    read_cells(to, values, nulls, group.cell);  // what it unpacks goes with the row
  }
  MemoryContextSwitchTo(outer);
}

int compare_groups(const void* a, const void* b, void* arg) {
  const QueryGroups* groups = (const QueryGroups*)arg;
  for (int k = 0; k < groups->keys; k++) {
    const int order = compare_keys(&groups->key[k], ((const FoundGroup*)a)->key[k],
                                   ((const FoundGroup*)b)->key[k]);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace

ExactGroups* exact_groups(const QueryGroups* groups, const QueryStatistics* statistics,
                          const GroupSearch& search) {
  ExactGroups* made = (ExactGroups*)palloc0(sizeof(ExactGroups));
  made->groups = groups;
  made->statistics = statistics;
  made->context = CurrentMemoryContext;
  if (!groups->discovered) {
    made->count = groups->count;
    made->cell = make_cells((Size)groups->count * statistics->cells);
    return made;
  }
  static_assert(std::is_trivially_destructible_v<PartitionSelection>);
  void* block = palloc(sizeof(PartitionSelection));
  made->selection =
      guard([&] { return new (block) PartitionSelection(search.each_epsilon, search.each_delta); });
  made->random = make_stream();
  return made;
}

void receive_group(const Datum* values, const bool* nulls, void* arg) {
  ExactGroups* to = (ExactGroups*)arg;
  const QueryGroups* groups = to->groups;
  if (!groups->discovered) {
    const int group = group_of(groups, values, nulls);
    if (group >= 0) read_cells(to, values, nulls, cells_of(to, group));
    return;
  }
  const uint64 units = (uint64)DatumGetInt64(values[groups->keys + to->statistics->count]);
  if (guard([&] { return to->selection->keeps(*to->random, units); })) {
    keep_group(to, values, nulls);
  }
}

void end_groups(ExactGroups* groups) {
  if (groups->count > 1 && groups->groups->discovered) {
    qsort_arg(groups->found, groups->count, sizeof(FoundGroup), compare_groups,
              (void*)groups->groups);
  }
}

int64 count_groups(const ExactGroups* groups) {
  return groups->count;
}

Int128* cells_of(const ExactGroups* groups, int64 group) {
  return groups->groups->discovered ? groups->found[group].cell
                                    : groups->cell + (Size)group * groups->statistics->cells;
}

Datum key_of(const ExactGroups* groups, int64 group, int key) {
  return groups->groups->discovered ? groups->found[group].shown[key]
                                    : key_of(groups->groups, (int)group, key);
}

}  // namespace dpmix::pg
