// The groups that come back from the scan, with their exact statistics.
//
// Declared groups: all of them, with 0 where there are no rows; how much memory they take is known,
// and bounded, before the charge. Discovered groups: a coin or noise decides on each as its row
// arrives, and what is not kept is forgotten at once; the others are held in memory, however many,
// and sorted by their keys: exact numbers go to no temporary file.
#pragma once

#include "core/base/int128.hpp"
#include "core/query/family_noise.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct ExactGroups;

// Zeros, aligned as integers of 128 bits want to be.
Int128* make_cells(Size count);

// What the declared groups take. rows: of the table, of which each may be a combination of its own
// of the keys of grouping sets.
double memory_bytes(const QueryGroups* groups, const QueryStatistics* statistics, double rows = 0);
// PV005 where that is more than dpmix.scan_memory.
void require_memory(const QueryGroups* groups, const QueryStatistics* statistics, double rows = 0);

// Call before the charge. PV005: a guarantee that cannot find groups. noise: that of each
// statistic; that of the number of units is drawn here where it decides which groups come back.
ExactGroups* exact_groups(const QueryGroups* groups, const QueryStatistics* statistics,
                          const GroupSearch& search, const StatisticNoise* noise);

// A row of the statistics query, as it comes.
void receive_group(ExactGroups* groups, const Datum* values, const bool* nulls);

// Call after the scan. This and what follows run inside run_silently(): they see exact groups.
void end_groups(ExactGroups* groups);
// One group after the other, in the order of their keys; false: there are no more. Its cells, which
// the caller may change, and keys last until the next.
bool next_group(ExactGroups* groups);
Int128* group_cells(ExactGroups* groups);
// The statistic of which group_cells() has the noisy numbers already; -1: none.
int drawn_statistic(const ExactGroups* groups);
NullableDatum group_key(const ExactGroups* groups, int key);

}  // namespace dpmix::pg
