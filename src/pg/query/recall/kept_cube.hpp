// Tables of grouping sets, or of one GROUP BY, in memory as a source of other answers: an item
// beside those of their statistics, which says what they are tables of.
//
// Nothing of it depends on rows: conditions, keys with their public values, sets and stretches. It
// is found by what a query that it may answer shares with it: tables, editions, grants, FROM,
// blocks and unit. docs/proofs/memory.md, Derived answers.
#pragma once

#include "pg/memory/items.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

struct KeptKey {
  Digest id;        // what the key is, with its public values
  Digest column;    // the expression alone, where it is a column
  bool has_values;  // it is a column, and they are few enough
  bool has_null;    // the place after the values is for NULL
  bool others;      // the last place is for all other rows
  Coverage coverage;
  int categories;
  Size bytes;         // bytes of the values, which follow
  const char* value;  // serialized, where it has them
};

struct KeptCube {
  const char* name;  // the stored cube's; empty: a query drew it
  int conditions, keys, sets, statistics;
  Digest* condition;
  KeptKey* key;
  KeySet* set;
  double* stretch;
  Digest *statistic, *item;  // which it is; the key of its cells
};

// Whether answers of a query may be derived: its statistics are of the same exact numbers each
// time, and add up over groups.
bool may_derive(const PricedQuery* priced, const char* question);
// Whether others may be derived from them.
bool tells_others(const PricedQuery* priced, const char* question);
Digest key_of_kept_cubes(const PricedQuery* priced, const MemoryTerms& terms);
// A digest as KeptCube has them, under the key of kept cubes.
Digest digest_in(const MemoryTerms& terms, const Digest& cubes, const char* text);
Digest statistic_in(const PricedQuery* priced, const MemoryTerms& terms, const Digest& cubes,
                    int number);

// The kept cube of a query that tells others, as bytes. items: the keys of its statistics.
StringInfo put_kept_cube(const PricedQuery* priced, const MemoryTerms& terms, const Digest* items);
// false: damaged.
bool read_kept_cube(const StoredDraw& stored, KeptCube* cube);
// The public values of a key that has them.
Datum* values_of(const KeptKey& key);
// Every row that the conditions admit has a place along this key.
inline bool has_every_row(const KeptKey& key) {
  return key.others || key.coverage == Coverage::all ||
         (key.has_null && key.coverage == Coverage::but_null);
}
// How many cells a set's table has along a key.
inline int places_of(const KeptKey& key) {
  return key.categories + key.has_null + key.others;
}
CubeWorkload workload_of_kept(const KeptCube& cube);  // in guard()
double cells_of_kept(const KeptCube& cube);           // those of all its tables

}  // namespace dpmix::pg
