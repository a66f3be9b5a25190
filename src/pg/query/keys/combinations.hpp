// Which combinations of the values of several keys can be.
//
// Keys over the same columns have values together: of a year the four quarters, of an age its
// decade. So do keys that a fact compares. Where the public values of their columns are few, what
// the keys are is computed of each combination of them for which the facts about them are true;
// buckets of one column in time are visited along it (samples.hpp). All other keys are crossed.
#pragma once

#include "pg/query/keys/column.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct Combinations {
  int count;
  const int64* product;  // their numbers among all, in order; NULL: all
  double scanned;        // what rows can be in, those without a public value of some key too
};
// False: more than kMaxGroups.
bool find_combinations(const RowScope* scope, const KeyColumns& of, Combinations* found);

}  // namespace dpmix::pg
