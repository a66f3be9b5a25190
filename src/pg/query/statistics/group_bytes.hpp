// What the groups of a scan take in a process.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// An entry of a hash table with its states, at most, besides the bytes of texts that are keys.
double bytes_of_group(const QueryGroups* groups, const QueryStatistics* statistics);
// need_memory() of all groups that are declared, as far as there are rows for them.
void need_declared_groups(const RowScope* scope, const QueryGroups* groups,
                          const QueryStatistics* statistics);

}  // namespace dpmix::pg
