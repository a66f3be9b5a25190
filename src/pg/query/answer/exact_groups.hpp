// The groups that come back from the scan, with their exact statistics.
//
// Declared groups: all of them, with 0 where there are no rows; how much memory they take is known,
// and bounded, before the charge. Discovered groups: a coin decides on each as its row arrives, and
// what is not kept is forgotten at once; the others are held in memory, however many, and sorted
// by their keys: exact numbers go to no temporary file.
#pragma once

#include "core/base/int128.hpp"
#include "core/query/group_discovery.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct ExactGroups;

// PV005 where the declared groups take more than dpmix.scan_memory.
void require_memory(const QueryGroups* groups, const QueryStatistics* statistics);

// Before the charge. PV005: a guarantee that cannot find groups.
ExactGroups* exact_groups(const QueryGroups* groups, const QueryStatistics* statistics,
                          const GroupSearch& search);

// A row of the statistics query, as it comes.
void receive_group(ExactGroups* groups, const Datum* values, const bool* nulls);

// After the scan. Call this and what follows inside run_silently(): they see exact groups.
void end_groups(ExactGroups* groups);
// One group after the other, in the order of their keys; false: there are no more. Its cells, which
// the caller may change, and keys last until the next.
bool next_group(ExactGroups* groups);
Int128* group_cells(ExactGroups* groups);
Datum group_key(const ExactGroups* groups, int key);

}  // namespace dpmix::pg
