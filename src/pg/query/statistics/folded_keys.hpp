// Keys of declared groups as one number.
//
// The planner expects 200 values of each key, so with three keys of a few values it would expect a
// group for each row, and no worker: a number made of all of them is one column. It is found in a
// hash table sooner, too.
#pragma once

#include "pg/query/keys/groups.hpp"

namespace dpmix::pg {

// A scan tree whose keys are numbers of places, computed in its subquery (group_by_columns()), the
// first columns of its rows. They stay so, computed from the number of each group: of rows that
// lack a place of one key, which are in no group, all are NULL. Changed in place, where groups are
// declared, are combinations of several keys, and have numbers that are integers.
void fold_keys(Query* tree, const QueryGroups* groups);

}  // namespace dpmix::pg
