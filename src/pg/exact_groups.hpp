// The groups that come back from the scan, with their exact statistics, later noisy ones.
//
// Declared groups: all of them, with 0 where there are no rows. Discovered groups: a coin decides
// on each as its row arrives, and what is not kept is forgotten at once, so memory is for what
// comes back; in the end they are put in the order of their keys.
#pragma once

#include "core/int128.hpp"
#include "core/release/group_discovery.hpp"
#include "pg/query_groups.hpp"
#include "pg/query_statistics.hpp"

namespace dpmix::pg {

struct ExactGroups;

// Before the charge. PV005: a guarantee that cannot find groups.
ExactGroups* exact_groups(const QueryGroups* groups, const QueryStatistics* statistics,
                          const GroupSearch& search);

// A RowReceiver (silent_scan.hpp) of the statistics query; arg: ExactGroups.
void receive_group(const Datum* values, const bool* nulls, void* arg);

// After the scan.
void end_groups(ExactGroups* groups);
int64 count_groups(const ExactGroups* groups);
Int128* cells_of(const ExactGroups* groups, int64 group);
Datum key_of(const ExactGroups* groups, int64 group, int key);

}  // namespace dpmix::pg
