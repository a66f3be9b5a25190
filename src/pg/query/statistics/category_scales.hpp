// Sums of a column whose bounds go by the category that rows are grouped by.
//
// Each row is placed within the bounds of its own category, as a part of them. All groups have one
// lattice of such parts, and one noise; each reads its sums on a lattice of its own, so that the
// noise of a group is that of its category's bounds (docs/proofs/category_bounds.md).
#pragma once

#include "core/input/bounds_scale.hpp"
#include "pg/query/statistics/sums.hpp"

namespace dpmix::pg {

struct CategoryScales {
  int key;         // of GROUP BY, a column that decides bounds
  int categories;  // and after them the place of all other values
  const char** category;
  BoundsScale* scale;
  Lattice* lattice;
  int widest;
  int now;  // of the group at hand; without one the widest
};

// As add_sum(), where the sums of each group may be on its own lattice and the argument is such a
// column.
int add_sum_of_categories(const AskedStatistics& asked, const SafeNumber& number, bool centred);

// The group at hand has this key. Call it with a group's keys before any answer is made of it.
void use_scales_of_group(const QueryStatistics* statistics, const Datum* keys, const bool* nulls,
                         const QueryShape* shape);

}  // namespace dpmix::pg
