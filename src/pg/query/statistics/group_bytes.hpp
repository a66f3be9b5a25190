// What the groups of a scan take in a process.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// An entry of a hash table with its states, at most, besides the bytes of texts that are keys.
double bytes_of_group(const QueryGroups* groups, const QueryStatistics* statistics);
// How many a scan may meet where they are declared; infinite where they are found.
double groups_met(const QueryGroups* groups);
// What the keys take of a row beyond RowBytes, which has each of them once: a tree may have several
// copies of each.
void need_keys(const QueryGroups* groups);
// need_memory() of all groups that are declared, as far as there are rows for them.
void need_declared_groups(const RowScope* scope, const QueryGroups* groups,
                          const QueryStatistics* statistics);

}  // namespace dpmix::pg
