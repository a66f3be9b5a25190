// What a private comparison's process is told of the synthetic table, which only the caller reads:
// the compared columns and the states of the aggregates.
#pragma once

#include "pg/comparison/count.hpp"
#include "pg/comparison/request.hpp"

namespace dpmix::pg {

// Caller.
StringInfoData attachment_of(const CompareCall* call, const CompareScan* scan,
                             const CompareStates* states);
// Process. Names of features: the argument of the call as if they had been named.
ArrayType* attached_features();
CompareStates* attached_states(const CompareCall* call, const CompareScan* scan);

}  // namespace dpmix::pg
