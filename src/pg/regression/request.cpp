#include "pg/regression/request.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/mechanism.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/stored.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {
namespace {

enum Argument {
  kName,
  kRelation,
  kTarget,
  kTerms,
  kEpsilon,
  kDelta,
  kKind,
  kLabel,
  kMethod,
  kMechanism,
  kL1,
  kL2,
  kPasses,
  kSource,
  kBlocks
};

RegressionKind kind_argument(FunctionCallInfo fcinfo) {
  const char* kind = text_argument(fcinfo, kKind, "linear");
  for (const RegressionKind known : {RegressionKind::linear, RegressionKind::logistic}) {
    if (strcmp(kind, kind_name(known)) == 0) return known;
  }
  refuse_word("kind", kind, "linear or logistic");
}

// True: coordinate descent.
bool method_argument(FunctionCallInfo fcinfo, RegressionKind kind) {
  const char* method = text_argument(fcinfo, kMethod);
  const bool coordinate = method != NULL && strcmp(method, "coordinate") == 0;
  if (method != NULL && !coordinate && strcmp(method, "newton") != 0) {
    refuse_word("method", method, "newton or coordinate");
  }
  if (method != NULL && kind == RegressionKind::linear) {
    refuse_argument("a linear regression has no method",
                    "Its coefficients come from one matrix of moments.",
                    "Leave method out, or ask for kind => 'logistic'.");
  }
  return coordinate;
}

// What only coordinate descent has.
CoordinateSettings settings_argument(FunctionCallInfo fcinfo, bool coordinate) {
  CoordinateSettings settings;
  if (!PG_ARGISNULL(kMechanism)) settings.family = family_argument(fcinfo, kMechanism);
  settings.l1 = float8_argument(fcinfo, kL1).value_or(0);
  settings.l2 = float8_argument(fcinfo, kL2).value_or(0);
  settings.passes = int4_argument(fcinfo, kPasses).value_or(settings.passes);
  if (!coordinate) {
    if (settings == CoordinateSettings{}) return settings;
    refuse_argument("mechanism, l1, l2 and passes are of coordinate descent",
                    "Other regressions have Gaussian noise and no penalties.",
                    "Leave them out, or ask for kind => 'logistic', method => 'coordinate'.");
  }
  guard([&] { settings.check(); });
  return settings;
}

void check_logistic_target(const RegressionTerm& target) {
  if (target.coding.lower == 0 && target.coding.upper == 1) return;
  refuse_argument(
      "the target of a logistic regression is yes or no",
      psprintf("%s lies between %g and %g.", target.name, target.coding.lower, target.coding.upper),
      "Name a boolean, a condition such as 'wage > 500', or a number with bounds 0 and 1.");
}

// Inside guard().
RegressionRequest request_of(const RegressionCall* call, const Design& design, double epsilon) {
  const bool alone = call->terms->target_alone;
  // A row that looks at the label anywhere else may differ in all of it: as if it were replaced.
  const Adjacency adjacency = call->table->adjacency == Adjacency::label && !alone
                                  ? Adjacency::replace
                                  : call->table->adjacency;
  return {.norm2 = design.norm2(),
          .epsilon = epsilon,
          .delta = call->delta,
          .adjacency = adjacency,
          .part = alone ? ProtectedPart::target : ProtectedPart::row,
          .rows_per_unit = rows_per_unit(call->table),
          .accounting = {call->table->accountant, call->table->order}};
}

}  // namespace

const char* kind_name(RegressionKind kind) {
  return kind == RegressionKind::linear ? "linear" : "logistic";
}

RegressionCall regression_call(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kName);
  require_stated(fcinfo, kTarget, "target => 'wage'");
  require_stated(fcinfo, kTerms, "terms => '{age,education}'");
  RegressionCall call = {};
  call.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.epsilon = guarantee.epsilon;
  call.delta = guarantee.delta;
  call.kind = kind_argument(fcinfo);
  call.coordinate = method_argument(fcinfo, call.kind);
  call.settings = settings_argument(fcinfo, call.coordinate);
  call.table = asked_table(fcinfo, kRelation, kSource);
  require_sampled_units(call.table);
  call.blocks = blocks_argument(fcinfo, kBlocks, call.table);
  call.terms = regression_terms(call.table, text_argument(fcinfo, kTarget),
                                PG_GETARG_ARRAYTYPE_P(kTerms), name_argument(fcinfo, kLabel));
  if (call.kind == RegressionKind::logistic) check_logistic_target(call.terms->target);
  if (call.coordinate && call.terms->columns->label != NULL) {
    refuse(ErrorCode::query_not_allowed, "coordinate descent makes one regression, of all rows",
           "A row that changes its class would move two of its numbers.",
           "Leave label out, or use method => 'newton'.");
  }
  return call;
}

CallPlan plan_of(const RegressionCall* call, double epsilon) {
  const Design design = design_of(call->terms);
  const RegressionRequest request = request_of(call, design, epsilon);
  const int classes = call->terms->columns->classes;
  const MomentFrame frame = design.frame(classes);
  if (call->coordinate) {
    (void)design.frame(2 * classes);  // as many as its passes sum
    const CoordinatePlan plan = plan_coordinate(request, design.columns(), call->settings);
    return {{}, plan, plan.mu, plan.count_stddev(), plan.own};
  }
  if (call->kind == RegressionKind::linear) {
    const RegressionPlan plan = plan_regression(request, frame);
    return {{plan, {}, plan.mu}, {}, plan.mu, plan.lattice.count, plan.own};
  }
  (void)design.frame(2 * classes);  // as many as its passes sum
  const LogisticPlan plan = plan_logistic(request, frame);
  return {plan, {}, plan.mu, plan.moments.lattice.count, plan.moments.own};
}

Cost own_cost(const RegressionCall* call, double epsilon) {
  if (!call->coordinate) return plan_of(call, epsilon).own;
  return cost_of_coordinate(request_of(call, design_of(call->terms), epsilon),
                            call->settings.family);
}

}  // namespace dpmix::pg
