// What of a stored cube its readers name; PV005, with what there is, where there is no such thing.
#pragma once

#include "pg/cube/store.hpp"

namespace dpmix::pg {

const char* list_of(const char* const* names, int count);  // with commas

int key_in(const StoredCube& cube, const char* name);
// A measure as its reader writes it: a column is its average.
int measure_in(const StoredCube& cube, const char* written);
// The table by these keys.
int table_of(const StoredCube& cube, KeySet keys);

}  // namespace dpmix::pg
