// How far the answers of a statistic are off, for preview, EXPLAIN and the ledger. Public.
#pragma once

#include "pg/query/query.hpp"

namespace dpmix::pg {

struct AnswerError {  // in lattice steps
  const char* text;   // the statistic, and by what its groups are made where there are several ways
  double stddev, expected_abs, half_width;  // half_width: the 95% interval's
};
AnswerError answer_error(const PricedQuery* priced, int statistic, int set);

// What a mechanism would do that is more accurate at the same epsilon, for more of the budget:
// "laplace noise would be 2.6 times less ..."; NULL: none is worth a word.
const char* more_accurate_text(const PricedQuery* priced);

}  // namespace dpmix::pg
