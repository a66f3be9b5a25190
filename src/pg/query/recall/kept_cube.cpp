#include "pg/query/recall/kept_cube.hpp"

#include <algorithm>
#include <vector>

#include "pg/query/recall/canonical.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The most values kept of a key of a plain query, for filters by it: such queries are many.
constexpr int kMostValues = 1000;

template <class Number>
void put(StringInfo out, const Number* number, int count = 1) {
  appendBinaryStringInfo(out, (const char*)number, (int)sizeof(Number) * count);
}

struct Cursor {
  const char *at, *end;

  bool has(Size bytes) const { return (Size)(end - at) >= bytes; }
  template <class Number>
  Number* take(int count) {
    if (count < 0 || !has(sizeof(Number) * (Size)count)) return NULL;
    Number* made = (Number*)palloc(sizeof(Number) * ((Size)count + 1));
    memcpy((void*)made, at, sizeof(Number) * (Size)count);
    at += sizeof(Number) * (Size)count;
    return made;
  }
};

StringInfo serialized_values(const KeyColumn* key) {
  StringInfo out = makeStringInfo();
  int16 length;
  bool by_value;
  get_typlenbyval(key->type, &length, &by_value);
  for (int i = 0; i < key->categories; i++) {
    Datum value = key->value[i];
    if (length == -1) value = PointerGetDatum(PG_DETOAST_DATUM(value));
    enlargeStringInfo(out, (int)datumEstimateSpace(value, false, by_value, length));
    char* end = out->data + out->len;
    datumSerialize(value, false, by_value, length, &end);
    out->len = (int)(end - out->data);
  }
  return out;
}

void put_key(StringInfo out, const PricedQuery* priced, const MemoryTerms& terms,
             const Digest& cubes, const KeyColumn* key) {
  const bool has_values =
      IsA(key->expression, Var) && (priced->groups->cube != NULL || key->categories <= kMostValues);
  const StringInfo values = has_values ? serialized_values(key) : makeStringInfo();
  KeptKey kept = {};
  kept.id = digest_in(terms, cubes, canonical_key(key));
  kept.column = digest_in(terms, cubes, canonical_node(key->expression));
  kept.has_values = has_values;
  kept.has_null = key->has_null;
  kept.others = key->others;
  kept.coverage = coverage_of(&priced->scope, key);
  kept.categories = key->categories;
  kept.bytes = (Size)values->len;
  put(out, &kept);
  appendBinaryStringInfo(out, values->data, values->len);
}

bool read_keys(Cursor* in, KeptCube* cube) {
  cube->key = (KeptKey*)palloc0(sizeof(KeptKey) * ((Size)cube->keys + 1));
  for (int k = 0; k < cube->keys; k++) {
    const KeptKey* kept = in->take<KeptKey>(1);
    if (kept == NULL || !in->has(kept->bytes)) return false;
    cube->key[k] = *kept;
    cube->key[k].value = in->at;
    in->at += kept->bytes;
  }
  return true;
}

bool is_same_each_time(const PricedQuery* priced, const char* question) {
  return question == NULL && !priced->groups->discovered && !priced->shape->joined.sampled &&
         !is_mutable(priced);
}

}  // namespace

bool may_derive(const PricedQuery* priced, const char* question) {
  const QueryStatistic* first = priced->statistics->statistic;
  return std::all_of(first, first + priced->statistics->count,
                     [](const QueryStatistic& each) { return adds_over_groups(each.kind); }) &&
         is_same_each_time(priced, question);
}

bool tells_others(const PricedQuery* priced, const char* question) {
  const int keys = priced->groups->keys;
  // Tables have a cell for every combination.
  if (priced->groups->product != NULL) return false;
  return (priced->groups->cube != NULL || (keys > 0 && keys <= kMostKeysOfSet)) &&
         priced->plan.family == Family::gaussian && priced->plan.drawn == Drawn::none &&
         is_same_each_time(priced, question);
}

Digest key_of_kept_cubes(const PricedQuery* priced, const MemoryTerms& terms) {
  StringInfoData text = canonical_source(priced, terms);
  appendStringInfoString(&text, " cubes");
  return keyed_digest(terms, text.data, (Size)text.len);
}

Digest digest_in(const MemoryTerms& terms, const Digest& cubes, const char* text) {
  StringInfoData all;
  initStringInfo(&all);
  put(&all, &cubes);
  appendStringInfoString(&all, text);
  return keyed_digest(terms, all.data, (Size)all.len);
}

Digest statistic_in(const PricedQuery* priced, const MemoryTerms& terms, const Digest& cubes,
                    int number) {
  StringInfoData text;
  initStringInfo(&text);
  append_canonical_statistic(&text, priced, number, NULL);
  return digest_in(terms, cubes, text.data);
}

StringInfo put_kept_cube(const PricedQuery* priced, const MemoryTerms& terms, const Digest* items) {
  const Digest cubes = key_of_kept_cubes(priced, terms);
  const QueryGroups* groups = priced->groups;
  const QueryCube* cube = groups->cube;
  const int sets = sets_of(groups);
  const KeySet all_keys = (KeySet{1} << groups->keys) - 1;
  const double unstretched = 1;
  const List* conditions = make_ands_implicit((Expr*)priced->shape->where);
  const int counts[] = {list_length(conditions), groups->keys, sets, priced->statistics->count};
  StringInfo out = makeStringInfo();
  put(out, counts, lengthof(counts));
  const ListCell* cell;
  foreach (cell, conditions) {
    const Digest digest = digest_in(terms, cubes, canonical_node(lfirst(cell)));
    put(out, &digest);
  }
  for (int k = 0; k < groups->keys; k++) put_key(out, priced, terms, cubes, &groups->key[k]);
  put(out, cube != NULL ? cube->sets->keys : &all_keys, sets);
  put(out, cube != NULL ? cube->stretch : &unstretched, sets);
  for (int i = 0; i < priced->statistics->count; i++) {
    const Digest digest = statistic_in(priced, terms, cubes, i);
    put(out, &digest);
  }
  put(out, items, priced->statistics->count);
  appendStringInfoString(out, priced->kept.name != NULL ? priced->kept.name : "");
  return out;
}

bool read_kept_cube(const StoredDraw& stored, KeptCube* cube) {
  *cube = {};
  Cursor in = {stored.content, stored.content + stored.size};
  const int* counts = in.take<int>(4);
  if (counts == NULL) return false;
  cube->conditions = counts[0];
  cube->keys = counts[1];
  cube->sets = counts[2];
  cube->statistics = counts[3];
  cube->condition = in.take<Digest>(cube->conditions);
  if (cube->condition == NULL || cube->keys < 0 || cube->keys > kMostKeys) return false;
  if (!read_keys(&in, cube)) return false;
  cube->set = in.take<KeySet>(cube->sets);
  cube->stretch = in.take<double>(cube->sets);
  cube->statistic = in.take<Digest>(cube->statistics);
  cube->item = in.take<Digest>(cube->statistics);
  if (cube->set == NULL || cube->stretch == NULL || cube->statistic == NULL || cube->item == NULL) {
    return false;
  }
  cube->name = pnstrdup(in.at, in.end - in.at);
  return true;
}

Datum* values_of(const KeptKey& key) {
  Datum* values = (Datum*)palloc(sizeof(Datum) * ((Size)key.categories + 1));
  char* at = (char*)key.value;
  for (int i = 0; i < key.categories; i++) {
    bool null;
    values[i] = datumRestore(&at, &null);
  }
  return values;
}

CubeWorkload workload_of_kept(const KeptCube& cube) {
  std::vector<int> sizes;
  for (int k = 0; k < cube.keys; k++) sizes.push_back(places_of(cube.key[k]));
  return {sizes, {cube.set, (std::size_t)cube.sets}};
}

double cells_of_kept(const KeptCube& cube) {
  double cells = 0;
  for (int s = 0; s < cube.sets; s++) {
    double here = 1;
    for (int k = 0; k < cube.keys; k++) {
      if (cube.set[s] >> k & 1) here *= places_of(cube.key[k]);
    }
    cells += here;
  }
  return cells;
}

}  // namespace dpmix::pg
