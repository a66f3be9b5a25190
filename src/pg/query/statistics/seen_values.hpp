// Which values came before, while a scan runs: what numbers of different values are counted by.
//
// dpmix_internal.value_first says of a value whether it is the first of its kind in its group. What
// is kept of whole numbers and bytes is a hash of 64 bits, keyed with fresh random bits: two values
// are taken for one with a probability of 2^-64, and one row moves the number by at most 1 even
// then (docs/proofs/query_variance.md). Values of other types are kept themselves. Memory grows
// with the rows, by nothing that anybody sees.
#pragma once

#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct SeenValues;

// Whether different values of a type can be counted.
bool can_be_seen(Oid type);

// Whether a query counts any.
bool counts_different_values(const QueryStatistics* statistics);
// What they take (need_own_memory). query: of the statistics, over the tables. PV005: by the sizes
// of tables that is more than dpmix.scan_memory.
void need_first_values(const Query* query, const RowScope* scope, const QueryGroups* groups,
                       const QueryStatistics* statistics);
// query: of the statistics, as it will run: of different values it counts the first ones from here
// on. NULL: none are counted.
SeenValues* count_first_values(Query* query, const RowScope* scope, const QueryGroups* groups,
                               const QueryStatistics* statistics);

}  // namespace dpmix::pg
