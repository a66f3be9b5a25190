// What pg's half of the replay audit sees (docs/proofs/replay.md). Included where DPMIX_REPLAY is
// defined, by pg/border/replay.hpp alone.
#pragma once

#include "core/random/stream.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/plannodes.h"
}

namespace dpmix::pg {
struct PricedQuery;
struct QueryGroups;
}  // namespace dpmix::pg

namespace dpmix::replay {

// The key of the release's next stream: a function of the seed and of how many came before.
// False: nobody audits.
bool fixed_key(RandomStream::Key& key);
// Writes down the plan. Returns it, or a copy that leaves out rows that are hidden.
PlannedStmt* seen_plan(PlannedStmt* plan);
// Writes down how far the query says that neighbours move its statistics.
void see_query(const pg::PricedQuery* priced);
// What meets noise from here on is of this statistic.
void see_statistic(int number);
// What meets noise from here on is of a group that was found, until it is nobody's (groups: NULL).
// random: becomes a stream that is a function of the seed and the group's keys.
void see_found(const pg::QueryGroups* groups, const Datum* values, const bool* nulls,
               RandomStream** random);

}  // namespace dpmix::replay
