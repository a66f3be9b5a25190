// NOTICEs about answers that mean nothing: counts and sums within their noise of 0; averages,
// variances and deviations of a number of rows that is, or with a 95% interval wider than half of
// what the bounds allow. Functions of noisy values and of public things alone.
#pragma once

#include "core/query/cube_noise.hpp"
#include "core/query/plan.hpp"
#include "pg/query/keys/groups.hpp"
#include "pg/query/statistics/list.hpp"

namespace dpmix::pg {

struct WeakAnswers;

// Call before the groups. NULL: the query has no such answer, or its client wants no notices.
WeakAnswers* weak_answers(const RowScope* scope, const QueryShape* shape, const QueryGroups* groups,
                          const QueryStatistics* statistics, const StatisticNoise* noise,
                          const CubeReach* sums = NULL);  // those of end_reaches()
// Looks at the noisy cells of one group of a grouping set.
void look_at_answers(WeakAnswers* weak, int set, const Int128* noisy);
// Raises the NOTICEs. Call after the last group.
void warn_of_answers(const WeakAnswers* weak);

}  // namespace dpmix::pg
