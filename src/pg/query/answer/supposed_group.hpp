// A group that somebody thinks of: so many rows, of which every statistic is, with values that lie
// in the middle of their bounds on average. What intervals that depend on the rows are told for.
#pragma once

#include "pg/query/answer/one_answer.hpp"

namespace dpmix::pg {

// Its cells without noise.
GroupAnswer supposed_group(const QueryStatistics* statistics, int64 rows);

}  // namespace dpmix::pg
