// Mixtures as a kind of release.
#pragma once

#include "pg/mixture/request.hpp"
#include "pg/release/made_model.hpp"

namespace dpmix::pg {

// What is known of the mechanism before the charge.
struct GmmPlan {
  double mu;  // the release is mu-GDP
  Cost own;   // as the table adds up
  GmmMethod method;
  double count_stddev;
  int kinds;
  PassKind kind[pass_kinds];  // each once
};

struct GmmKind {
  using Call = GmmCall;
  using Plan = GmmPlan;
  static GmmCall read(FunctionCallInfo fcinfo) { return gmm_call(fcinfo); }
  static GmmPlan plan(const GmmCall& call);
  static Terms terms(const GmmCall& call, const GmmPlan& plan);
  static Cost cost_at(const GmmCall& call, double epsilon);  // inside guard()
  static ModelRecord record(const GmmCall& call, const GmmPlan& plan, const MadeModel& made);
  static Datum summary(FunctionCallInfo fcinfo, const GmmCall& call, const GmmPlan& plan,
                       const MadeModel& made);
};

}  // namespace dpmix::pg
