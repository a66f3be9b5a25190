// The noise of a query, of one group after the other.
#pragma once

#include "core/base/int128.hpp"
#include "core/query/plan.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct GroupNoise;

// With a key of its own; ends, and erases it, with the current memory context.
GroupNoise* group_noise(const QueryStatistics* statistics, const StatisticNoise* noise);
// To the exact cells of a group, in place: now they are private.
void add_noise(GroupNoise* noise, Int128* cells);

}  // namespace dpmix::pg
