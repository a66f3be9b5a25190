// What the release of a regression does in its process: scans, noise, and what is made of them.
#pragma once

#include "pg/regression/kind.hpp"
#include "pg/release/passes.hpp"

namespace dpmix::pg {

// Charges, and reads the rows: RegressionModel::pack().
MadeModel make_regression(const InProcess& process, const RegressionCall& call,
                          const CallPlan& plan);

}  // namespace dpmix::pg
