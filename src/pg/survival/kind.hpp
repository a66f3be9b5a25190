// Survival curves as a kind of release. They are charged as pg/query charges what it draws.
#pragma once

#include "pg/release/made_model.hpp"
#include "pg/release/preview.hpp"
#include "pg/survival/request.hpp"

namespace dpmix::pg {

struct SurvivalKind {
  using Call = SurvivalCall;
  using Plan = SurvivalPlan;
  static SurvivalCall read(FunctionCallInfo fcinfo) { return survival_call(fcinfo); }
  static SurvivalPlan plan(const SurvivalCall& call) { return survival_plan(call); }
  static void preview(FunctionCallInfo fcinfo, Preview* preview);
  static Terms terms(const SurvivalCall& call, const SurvivalPlan& plan);
  static ModelRecord record(const SurvivalCall& call, const SurvivalPlan& plan,
                            const MadeModel& made);
  static Datum summary(FunctionCallInfo fcinfo, const SurvivalCall& call, const SurvivalPlan& plan,
                       const MadeModel& made);
};

}  // namespace dpmix::pg
