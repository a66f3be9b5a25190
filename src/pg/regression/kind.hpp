// Regressions as a kind of release.
#pragma once

#include "pg/regression/request.hpp"
#include "pg/release/made_model.hpp"

namespace dpmix::pg {

struct RegressionsKind {
  using Call = RegressionCall;
  using Plan = CallPlan;
  static RegressionCall read(FunctionCallInfo fcinfo) { return regression_call(fcinfo); }
  static CallPlan plan(const RegressionCall& call);
  static Terms terms(const RegressionCall& call, const CallPlan& plan);
  static ModelRecord record(const RegressionCall& call, const CallPlan& plan,
                            const MadeModel& made);
  static Datum summary(FunctionCallInfo fcinfo, const RegressionCall& call, const CallPlan& plan,
                       const MadeModel& made);
};

}  // namespace dpmix::pg
