// Cubes as rows of dpmix.release: the noisy cells of all tables as they were drawn, and all that is
// needed to answer from them, whatever becomes of the table.
#pragma once

#include "pg/query/ask.hpp"
#include "pg/release/made_model.hpp"

namespace dpmix::pg {

// Packed where it was drawn: what travels to the caller, and is stored.
void pack_cube(const PricedQuery& priced, const Int128* cells, PlainNumbers* numbers,
               PlainTexts* texts);

// A stored one, in the form in which queries are answered. Nothing of it is an expression.
struct StoredCube {
  const char** key;      // columns
  const char** measure;  // names of the shape's aggregates
  QueryShape* shape;
  QueryGroups* groups;  // public values as texts
  QueryStatistics* statistics;
  StatisticNoise* noise;
  Int128* cell;  // cells as they were drawn
};
StoredCube unpack_cube(const PlainNumbers& numbers, const PlainTexts& texts,
                       const char* const* keys, int count);
// The cube that usable_release() finds.
StoredCube load_cube(const char* name);

}  // namespace dpmix::pg
