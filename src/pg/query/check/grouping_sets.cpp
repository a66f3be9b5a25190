#include "pg/query/check/grouping_sets.hpp"

#include <bit>

#include "pg/border/guard.hpp"
#include "pg/query/safe/expression.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_agg.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostSets = 4096;        // as in PostgreSQL
constexpr int kMostSubsets = 1 << 20;  // those of all sets together

int key_number(const Query* query, const QueryShape* shape, int reference) {
  const TargetEntry* entry = get_sortgroupref_tle((Index)reference, query->targetList);
  for (int k = 0; k < shape->keys; k++) {
    if (equal(shape->key[k].expression, entry->expr)) return k;
  }
  elog(ERROR, "a grouping set has a key of no number");
}

KeySet keys_in(const Query* query, const QueryShape* shape, const List* references) {
  KeySet keys = 0;
  const ListCell* cell;
  foreach (cell, references) keys |= KeySet{1} << key_number(query, shape, lfirst_int(cell));
  return keys;
}

void check_size(int subsets, KeySet set) {
  if (std::popcount(set) <= kMostKeysOfSet && subsets <= kMostSubsets) return;
  refuse_argument("the query has too many keys in its grouping sets",
                  psprintf("A grouping set may have %d keys; all sets together, %d subsets.",
                           kMostKeysOfSet, kMostSubsets),
                  "Write the grouping sets that you need with GROUPING SETS, or leave out keys.");
}

int place_of(QuerySets* sets, KeySet* known, KeySet keys) {
  for (int i = 0; i < sets->count; i++) {
    if (known[i] == keys) return i;
  }
  known[sets->count] = keys;
  return sets->count++;
}

}  // namespace

const QuerySets* grouping_sets(const Query* query, const QueryShape* shape) {
  if (query->groupingSets == NIL) return NULL;
  if (shape->keys > kMostKeys) {
    refuse_argument(
        "the query has too many keys",
        psprintf("There are %d; grouping sets may have %d together.", shape->keys, kMostKeys),
        "Ask for fewer grouping sets at once.");
  }
  const List* expanded = expand_grouping_sets(query->groupingSets, query->groupDistinct, kMostSets);
  const int answers = list_length(expanded);
  if (answers <= 1) return NULL;
  QuerySets* sets = (QuerySets*)palloc0(sizeof(QuerySets));
  KeySet* known = (KeySet*)palloc(sizeof(KeySet) * answers);
  int* order = (int*)palloc(sizeof(int) * answers);
  sets->keys = known;
  sets->order = order;
  int subsets = 0;
  for (int size = shape->keys; size >= 0; size--) {  // a list of lists, the shortest first
    const ListCell* cell;
    foreach (cell, expanded) {
      const KeySet keys = keys_in(query, shape, (const List*)lfirst(cell));
      if (std::popcount(keys) != size) continue;
      const int before = sets->count;
      order[sets->answers++] = place_of(sets, known, keys);
      if (sets->count == before) continue;
      if (size <= kMostKeysOfSet) subsets += 1 << size;
      check_size(subsets, keys);
    }
  }
  return sets;
}

QueryGrouping grouping_of(const Query* query, const QueryShape* shape, const GroupingFunc* call) {
  int* key = (int*)palloc(sizeof(int) * list_length(call->refs));
  QueryGrouping made = {0, key};
  const ListCell* cell;
  foreach (cell, call->refs) key[made.keys++] = key_number(query, shape, lfirst_int(cell));
  return made;
}

const char* set_text(const RowScope* scope, const QueryShape* shape, int set) {
  StringInfoData out;
  initStringInfo(&out);
  for (int k = 0; k < shape->keys; k++) {
    if ((shape->sets->keys[set] >> k & 1) == 0) continue;
    appendStringInfo(&out, "%s%s", out.len == 0 ? "by " : ", ",
                     expression_text(scope, (const Node*)shape->key[k].expression));
  }
  return out.len == 0 ? "in all" : out.data;
}

}  // namespace dpmix::pg
