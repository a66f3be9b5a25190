// What a call of dpmix.release_regression asks for, read from its
// arguments and checked: every refusal comes before a charge and without a row.
#pragma once

#include "core/regression/coordinate_plan.hpp"
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
  bool coordinate;  // by coordinate descent, with these settings
  CoordinateSettings settings;
};
RegressionCall regression_call(FunctionCallInfo fcinfo);

const char* kind_name(RegressionKind kind);

struct CallPlan {
  LogisticPlan newton;  // linear: its moments are all there is
  CoordinatePlan coordinate;
  // For either: mu of all of it; the deviation of the noise in the number of rows of a class.
  double mu, count_stddev;
  Cost own;
};
// Inside guard(), at another epsilon, too. own_cost: without looking for noise, which is slow.
CallPlan plan_of(const RegressionCall* call, double epsilon);
Cost own_cost(const RegressionCall* call, double epsilon);

}  // namespace dpmix::pg
