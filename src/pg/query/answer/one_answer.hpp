// One answer of a group, and the interval around it, from the noisy integers of the group:
// post-processing, free of charge. How each is made the row of its aggregate knows.
#pragma once

#include "core/query/answers.hpp"
#include "core/query/cube_noise.hpp"
#include "pg/query/answer/end_reach.hpp"
#include "pg/query/answer/noisy_answer.hpp"
#include "pg/query/keys/groups.hpp"

namespace dpmix::pg {

AnswerSource answer_source(const QueryShape* shape, const QueryStatistics* statistics,
                           const StatisticNoise* noise, int aggregate);

// The reach of an answer's interval in groups of a grouping set. In guard(): Error PV005. sums: the
// reach of each statistic in that set, where answers are sums of cubes' cells; NULL: they are not.
EndReach interval_reach(const AnswerSource& source, const QueryGroups* groups, int set,
                        double level, const CubeReach* sums = NULL);
// The reach of one statistic's noise, if it is one of `parts` that all stay within theirs with the
// level's probability. In guard().
double statistic_reach(const QueryGroups* groups, int set, const StatisticNoise* noise,
                       int statistic, double level, int parts, const CubeReach* sums);
CubeReach reach_in(const QueryGroups* groups, int set);  // grouping sets alone have one
// That answer in a group, and that interval; both of one number. noisy: the cells of the group.
double number_in(const AnswerSource& source, const Int128* noisy);
NoiseInterval answer_interval(const AnswerSource& source, const EndReach& reach,
                              const Int128* noisy);

struct GroupAnswer {
  const Int128* noisy;   // the group's cells
  const Int128* centre;  // what intervals are around: the same, or not rounded to add up
  KeySet without;        // keys that its grouping set lacks
  const double* slack;   // each cell's, added to the reach of intervals; NULL: none
};
// The same, where the answers of a group may be rounded to add up.
NoiseInterval interval_in(const AnswerSource& source, const EndReach& reach,
                          const GroupAnswer& group);
// The answer, of the type of the aggregate, or an end of its interval.
Datum value_in(const AnswerSource& source, ReleasedEnd end, const EndReach& reach,
               const GroupAnswer& group);

}  // namespace dpmix::pg
