// Tree models as a kind of release.
#pragma once

#include "pg/release/made_model.hpp"
#include "pg/tree_model/request.hpp"

namespace dpmix::pg {

struct TreeKind {
  using Call = TreeCall;
  using Plan = TreePlan;
  static TreeCall read(FunctionCallInfo fcinfo) { return tree_call(fcinfo); }
  static TreePlan plan(const TreeCall& call) { return checked_plan(&call); }
  static Terms terms(const TreeCall& call, const TreePlan& plan);
  static ModelRecord record(const TreeCall& call, const TreePlan& plan, const MadeModel& made);
  static Datum summary(FunctionCallInfo fcinfo, const TreeCall& call, const TreePlan& plan,
                       const MadeModel& made);
};

}  // namespace dpmix::pg
