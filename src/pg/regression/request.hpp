// What a call of dpmix.release_regression or dpmix.preview_regression asks for, read from its
// arguments and checked: every refusal comes before a charge and without a row.
#pragma once

#include "core/regression/linear_fit.hpp"
#include "core/regression/logistic_plan.hpp"
#include "pg/regression/terms.hpp"

namespace dpmix::pg {

struct RegressionCall {
  const char* name;
  RegressionKind kind;
  ProtectedTable* table;
  BlocksRead blocks;
  RegressionTerms* terms;
  double epsilon, delta;
};
RegressionCall regression_call(FunctionCallInfo fcinfo);

const char* kind_name(RegressionKind kind);

// Inside guard(), at another epsilon, too. Linear: the moments are all there is.
LogisticPlan plan_of(const RegressionCall* call, double epsilon);

}  // namespace dpmix::pg
