// Cubes as rows of dpmix.release: the noisy cells of all tables as they were drawn, and all that is
// needed to answer from them, whatever becomes of the table.
#pragma once

#include "pg/mixture/found_release.hpp"
#include "pg/query/ask.hpp"

namespace dpmix::pg {

// Packed where it was drawn: what travels to the caller, and is stored.
struct PackedCube {
  double* number;
  int numbers;
  const char** text;
  int texts;
};
PackedCube pack_cube(const PricedQuery& priced, const Int128* cells);
void put_packed(StringInfo out, const PackedCube& packed);
PackedCube get_packed(StringInfo in);

// A stored one, in the form in which queries are answered. Nothing of it is an expression.
struct StoredCube {
  const char** key;      // columns
  const char** measure;  // of each aggregate of the shape
  QueryShape* shape;
  QueryGroups* groups;  // public values as texts
  QueryStatistics* statistics;
  StatisticNoise* noise;
  Int128* cell;  // as they were drawn
};
StoredCube unpack_cube(const PackedCube& packed, const char* const* keys, int count);
// As usable_release().
StoredCube load_cube(const char* name);

// rows: noisy number of all; below 0: it was not counted.
void store_cube(const char* name, const PackedCube& packed, const PricedQuery& priced, double rows,
                int64 charge_id);

}  // namespace dpmix::pg
