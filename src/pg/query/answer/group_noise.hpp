// The noise of a query, of one group after the other.
#pragma once

#include "core/base/int128.hpp"
#include "core/query/plan.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct GroupNoise;

// A statistic whose law has the scale 0 is not drawn: its cells become 0, so that nothing exact
// stays there. With a key of its own; ends, and erases it, with the current memory context.
// drawn: the statistic that has its noise already; -1: none.
GroupNoise* group_noise(const QueryStatistics* statistics, const StatisticNoise* noise,
                        int drawn = -1);
// Makes noise from here on that of tables whose deviations are `stretch` times as large
// (core/query/cube_noise).
void stretch_noise(GroupNoise* group, const StatisticNoise* noise, double stretch);
// Adds noise to the exact cells of a group: now they are private, and whole steps. Of what is
// drawn the number of a cell takes its place, and the counts that it was drawn from become 0.
void add_noise(GroupNoise* noise, Int128* cells);

}  // namespace dpmix::pg
