// dpmix.error: how much epsilon an error takes.
#pragma once

#include "pg/query/price/priced.hpp"

namespace dpmix::pg {

// The least that keeps the error that is asked for; call.epsilon is the most there is. By planning
// alone. PV005: none does, or the error of what comes first is not known.
double epsilon_for_error(const QueryCall& call, const PricedQuery* priced);

}  // namespace dpmix::pg
