#include "pg/regression/request.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/mixture/found_release.hpp"

namespace dpmix::pg {
namespace {

enum Argument { kName, kRelation, kTarget, kTerms, kEpsilon, kDelta, kKind, kLabel, kBlocks };

RegressionKind kind_argument(FunctionCallInfo fcinfo) {
  const char* kind = text_argument(fcinfo, kKind, "linear");
  for (const RegressionKind known : {RegressionKind::linear, RegressionKind::logistic}) {
    if (strcmp(kind, kind_name(known)) == 0) return known;
  }
  refuse_word("kind", kind, "linear or logistic");
}

void check_logistic_target(const RegressionTerm& target) {
  if (target.coding.lower == 0 && target.coding.upper == 1) return;
  refuse_argument(
      "the target of a logistic regression is yes or no",
      psprintf("%s lies between %g and %g.", target.name, target.coding.lower, target.coding.upper),
      "Name a boolean, a condition such as 'wage > 500', or a number with bounds 0 and 1.");
}

}  // namespace

const char* kind_name(RegressionKind kind) {
  return kind == RegressionKind::linear ? "linear" : "logistic";
}

RegressionCall regression_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, kDelta + 1);
  RegressionCall call = {};
  call.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.epsilon = guarantee.epsilon;
  call.delta = guarantee.delta;
  call.kind = kind_argument(fcinfo);
  call.table = open_protected(PG_GETARG_OID(kRelation));
  call.blocks = blocks_argument(fcinfo, kBlocks, call.table);
  call.terms = regression_terms(call.table, text_argument(fcinfo, kTarget),
                                PG_GETARG_ARRAYTYPE_P(kTerms), name_argument(fcinfo, kLabel));
  if (call.kind == RegressionKind::logistic) check_logistic_target(call.terms->target);
  return call;
}

LogisticPlan plan_of(const RegressionCall* call, double epsilon) {
  const Design design = design_of(call->terms);
  const bool alone = call->terms->target_alone;
  // A row that looks at the label anywhere else may differ in all of it: as if it were replaced.
  const Adjacency adjacency = call->table->adjacency == Adjacency::label && !alone
                                  ? Adjacency::replace
                                  : call->table->adjacency;
  const RegressionRequest request = {.norm2 = design.norm2(),
                                     .epsilon = epsilon,
                                     .delta = call->delta,
                                     .adjacency = adjacency,
                                     .part = alone ? ProtectedPart::target : ProtectedPart::row,
                                     .accounting = {call->table->accountant, call->table->order}};
  const int classes = call->terms->columns->classes;
  const MomentFrame frame = design.frame(classes);
  if (call->kind == RegressionKind::linear) {
    const RegressionPlan plan = plan_regression(request, frame);
    return {plan, {}, plan.mu};
  }
  (void)design.frame(2 * classes);  // as many as its passes sum
  return plan_logistic(request, frame);
}

}  // namespace dpmix::pg
