// What the ledger keeps of a regression.
#pragma once

#include "pg/regression/request.hpp"

namespace dpmix::pg {

const char* parameters_json(const RegressionCall& call, const CallPlan& plan);

}  // namespace dpmix::pg
