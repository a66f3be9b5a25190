#include "pg/query/recall/match_cube.hpp"

#include <algorithm>
#include <vector>

#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/recall/canonical.hpp"
#include "pg/query/recall/filter_values.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace dpmix::pg {

AskedTables asked_tables(const PricedQuery* priced, const MemoryTerms& terms) {
  AskedTables asked = {};
  asked.priced = priced;
  asked.terms = &terms;
  asked.cubes = key_of_kept_cubes(priced, terms);
  const List* conditions = make_ands_implicit((Expr*)priced->shape->where);
  const int keys = priced->groups->keys, statistics = priced->statistics->count;
  asked.condition = (const Node**)palloc(sizeof(Node*) * (list_length(conditions) + 1));
  asked.condition_id = (Digest*)palloc(sizeof(Digest) * (list_length(conditions) + 1));
  asked.key = (Digest*)palloc(sizeof(Digest) * (keys + 1));
  asked.column = (Digest*)palloc(sizeof(Digest) * (keys + 1));
  asked.statistic = (Digest*)palloc(sizeof(Digest) * (statistics + 1));
  const ListCell* cell;
  foreach (cell, conditions) {
    const int i = asked.conditions++;
    asked.condition[i] = (const Node*)lfirst(cell);
    asked.condition_id[i] = digest_in(terms, asked.cubes, canonical_node(lfirst(cell)));
  }
  for (int k = 0; k < keys; k++) {
    const KeyColumn* key = &priced->groups->key[k];
    asked.key[k] = digest_in(terms, asked.cubes, canonical_key(key));
    asked.column[k] = digest_in(terms, asked.cubes, canonical_node(key->expression));
  }
  for (int i = 0; i < statistics; i++) {
    asked.statistic[i] = statistic_in(priced, terms, asked.cubes, i);
  }
  return asked;
}

int find_digest(const Digest& digest, const Digest* among, int count) {
  for (int i = 0; i < count; i++) {
    if (memcmp(digest.bytes, among[i].bytes, kDigestBytes) == 0) return i;
  }
  return -1;
}

namespace {

bool match_filter(const AskedTables& asked, const Node* condition, CubeMatch* match) {
  const List* columns = columns_of((Node*)condition);
  if (list_length(columns) != 1) return false;
  Var* column = linitial_node(Var, columns);
  const Digest id = digest_in(*asked.terms, asked.cubes, canonical_node(column));
  for (int k = 0; k < match->cube.keys; k++) {
    const KeptKey& key = match->cube.key[k];
    if (!key.has_values || find_digest(id, &key.column, 1) < 0) continue;
    if (match->admitted[k] == NULL) {
      match->admitted[k] = (bool*)palloc(sizeof(bool) * (key.categories + 1));
      std::fill_n(match->admitted[k], key.categories + key.has_null, true);
    }
    return filter_values(condition, column, key, values_of(key), match->admitted[k]);
  }
  return false;
}

bool has_conditions(const AskedTables& asked, const KeptCube& cube) {
  for (int i = 0; i < cube.conditions; i++) {
    if (find_digest(cube.condition[i], asked.condition_id, asked.conditions) < 0) return false;
  }
  return true;
}

// Those of the query that the cube does not have.
bool match_filters(const AskedTables& asked, CubeMatch* match) {
  const KeptCube& cube = match->cube;
  for (int i = 0; i < asked.conditions; i++) {
    if (find_digest(asked.condition_id[i], cube.condition, cube.conditions) >= 0) continue;
    if (!match_filter(asked, asked.condition[i], match)) return false;
  }
  return true;
}

// A key that facts narrowed has some of the cube's places, in their order. NULL: it has others.
int* places_among(const KeyColumn& key, const KeptKey& kept) {
  const Datum* all = values_of(kept);
  int* number = (int*)palloc(sizeof(int) * (key.places() + 1));
  int at = 0;
  for (int i = 0; i < key.categories; i++) {
    while (at < kept.categories && compare_values(&key, all[at], key.value[i]) != 0) at++;
    if (at == kept.categories) return NULL;
    number[i] = at++;
  }
  if (key.has_null) number[key.null_place()] = kept.categories;
  if (key.others) number[key.others_place()] = kept.categories + kept.has_null;
  return number;
}

bool match_key(const AskedTables& asked, int k, CubeMatch* match) {
  const KeyColumn& key = asked.priced->groups->key[k];
  for (int c = 0; c < match->cube.keys; c++) {
    const KeptKey& kept = match->cube.key[c];
    match->place[k] = c;
    match->value[k] = NULL;
    if ((key.has_null && !kept.has_null) || (key.others && !kept.others)) continue;
    const bool same = find_digest(asked.key[k], &kept.id, 1) >= 0;
    if (same && key.has_null == kept.has_null) return true;
    if ((!same && key.declared == key.categories) || !kept.has_values ||
        find_digest(asked.column[k], &kept.column, 1) < 0) {
      continue;
    }
    match->value[k] = places_among(key, kept);
    if (match->value[k] != NULL) return true;
  }
  return false;
}

bool match_keys(const AskedTables& asked, CubeMatch* match) {
  for (int k = 0; k < asked.priced->groups->keys; k++) {
    if (!match_key(asked, k, match)) return false;
  }
  return true;
}

// Rows that some key of the cube leaves out are in none of its tables: the query must leave them
// out, too.
bool same_population(const AskedTables& asked, const CubeMatch& match) {
  for (int c = 0; c < match.cube.keys; c++) {
    if (has_every_row(match.cube.key[c]) || match.admitted[c] != NULL) continue;
    const int* end = match.place + asked.priced->groups->keys;
    if (std::find((const int*)match.place, end, c) == end) return false;
  }
  return true;
}

bool match_statistics(const AskedTables& asked, CubeMatch* match) {
  const int count = asked.priced->statistics->count;
  bool any = false;
  for (int i = 0; i < count; i++) {
    match->statistic[i] =
        find_digest(asked.statistic[i], match->cube.statistic, match->cube.statistics);
    any = any || match->statistic[i] >= 0;
  }
  return any;
}

KeySet keys_of_set(const PricedQuery* priced, int set) {
  const QueryCube* cube = priced->groups->cube;
  return cube != NULL ? cube->sets->keys[set] : ~KeySet{0};
}

}  // namespace

bool match_cube(const AskedTables& asked, CubeMatch* match) {
  match->place = (int*)palloc(sizeof(int) * (asked.priced->groups->keys + 1));
  match->value = (int**)palloc0(sizeof(int*) * (asked.priced->groups->keys + 1));
  match->admitted = (bool**)palloc0(sizeof(bool*) * (match->cube.keys + 1));
  match->statistic = (int*)palloc(sizeof(int) * (asked.priced->statistics->count + 1));
  if (!match_statistics(asked, match) || !has_conditions(asked, match->cube)) return false;
  match->tells =
      match_keys(asked, match) && match_filters(asked, match) && same_population(asked, *match);
  return true;
}

CubeSelection selection_of(const PricedQuery* priced, const CubeMatch& match, int set) {
  const KeySet grouped = keys_of_set(priced, set);
  CubeSelection made;
  std::vector<bool> by(match.cube.keys);
  std::vector<const KeyColumn*> asked(match.cube.keys);
  for (int k = 0; k < priced->groups->keys; k++) {
    asked[match.place[k]] = &priced->groups->key[k];
    by[match.place[k]] = (grouped >> k & 1) != 0;
  }
  for (int c = 0; c < match.cube.keys; c++) {
    const KeptKey& key = match.cube.key[c];
    const bool* admitted = match.admitted[c];
    // Rows that the query has no place for are in none of its sums.
    const bool leaves_out = key.others && asked[c] != NULL && !asked[c]->others;
    if (!by[c] && admitted == NULL && !leaves_out) continue;
    made.keys |= KeySet{1} << c;
    const int shown = key.categories + key.has_null;
    const int places = shown + (key.others && asked[c] != NULL && asked[c]->others);
    std::vector<std::vector<int>> lists(by[c] ? places : 1);
    for (int v = 0; v < places; v++) {  // a filter admits no others
      if (admitted == NULL || (v < shown && admitted[v])) lists[by[c] ? v : 0].push_back(v);
    }
    made.lists.push_back(std::move(lists));
  }
  return made;
}

std::size_t place_of(const PricedQuery* priced, const CubeMatch& match,
                     const CubeSelection& selection, int set, std::size_t number) {
  const KeySet grouped = keys_of_set(priced, set);
  std::vector<std::size_t> value(match.cube.keys);
  for (int k = priced->groups->keys - 1; k >= 0; k--) {
    if ((grouped >> k & 1) == 0) continue;
    const auto size = (std::size_t)priced->groups->key[k].places();
    const std::size_t own = number % size;
    value[match.place[k]] = match.value[k] != NULL ? (std::size_t)match.value[k][own] : own;
    number /= size;
  }
  std::size_t place = 0, next = 0;
  for (const int c : keys_of(selection.keys)) {
    place = place * selection.lists[next++].size() + value[c];
  }
  return place;
}

}  // namespace dpmix::pg
