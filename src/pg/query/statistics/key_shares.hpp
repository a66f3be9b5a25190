// Groups that are to be found, in shares of their keys: however many values the rows of a table
// have, the groups of one share fit the memory that each process has for them.
//
// A key is in a share by a hash of it, keyed with bits that are fresh and secret in every release.
// How many shares there are follows from the sizes of tables, which are public; each is a scan.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"
#include "pg/units/row_memory.hpp"

namespace dpmix::pg {

// The type of $1 where the scan has no RowMemory: the seed, how many shares, which one.
constexpr Oid kShareType = INT8ARRAYOID;
Datum share_parameter(const KeyShares& shares, int share);

// Adds the condition to the query, where it takes more than one share. has_memory: it has $1 of its
// own. Says what the groups of one need (need_memory).
KeyShares share_keys(Query* query, const RowScope* scope, const QueryGroups* groups,
                     const QueryStatistics* statistics, bool has_memory);
// Says what the groups of sampled rows need: they come in one scan.
void need_found_groups(const Query* query, const RowScope* scope, const QueryGroups* groups,
                       const QueryStatistics* statistics);

}  // namespace dpmix::pg
