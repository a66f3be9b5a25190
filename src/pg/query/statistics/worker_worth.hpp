// Whether parallel workers gain anything for a query.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

// Each worker hands over a state for each group, and the leader adds them up: for a number of
// theirs it does a fifth of what a row costs, which the planner, who knows nothing of how large
// states are, leaves out. By the estimate of rows that plans go by, and public numbers. Discovered
// groups: true, for nobody knows how many there are.
bool are_workers_worth(const QuerySources* sources, const QueryGroups* groups,
                       const QueryStatistics* statistics);

}  // namespace dpmix::pg
