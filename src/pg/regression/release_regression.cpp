// dpmix.release_regression: a private regression of a table. The order of a release
// (docs/architecture.md) is dpmix_release_regression() at the end: validate, price, plan the scan,
// take the name, charge, scan, noise, model (make_model.cpp). dpmix.preview_regression stops after
// the price.
#include <cmath>

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/parameters.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/regression/make_model.hpp"
#include "pg/regression/store.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/json.h"
PG_FUNCTION_INFO_V1(dpmix_release_regression);
PG_FUNCTION_INFO_V1(dpmix_preview_regression);
}

namespace dpmix::pg {
namespace {

CallPlan checked_plan(const RegressionCall* call) {
  return guard([&] { return plan_of(call, call->epsilon); });
}

const char* mechanism_name(const RegressionCall* call) {
  return call->coordinate ? name(call->settings.family).data() : "gaussian";
}

// Without parameters and name, as for a preview.
ChargeRequest charge_request(const RegressionCall* call, const CallPlan* plan) {
  return {.table = call->table,
          .kind = "regression",
          .mechanism = mechanism_name(call),
          .epsilon = call->epsilon,
          .delta = call->delta,
          .own = &plan->own,
          .parameters = NULL,
          .blocks = call->blocks.range,
          .block_count = call->blocks.count};
}

// Terms by name, or how many they are where that takes more than is left.
void append_terms(StringInfo json, const RegressionTerms* terms) {
  const int before = json->len;
  appendStringInfoString(json, "\"label\": ");
  if (terms->columns->label == NULL) {
    appendStringInfoString(json, "null");
  } else {
    escape_json(json, terms->columns->label);
  }
  const int labelled = json->len;
  appendStringInfoString(json, ", \"target\": ");
  escape_json(json, terms->target.name);
  appendStringInfoString(json, ", \"terms\": [");
  for (int i = 0; i < terms->count; i++) {
    if (i > 0) appendStringInfoString(json, ", ");
    escape_json(json, terms->term[i].name);
  }
  appendStringInfoChar(json, ']');
  if (json->len + 1 <= (int)kParameterBytes) return;
  json->len = labelled + 32 <= (int)kParameterBytes ? labelled : before;
  json->data[json->len] = '\0';
  appendStringInfo(json, "%s\"terms\": %d", json->len == before ? "" : ", ", terms->count);
}

// Each number has a sensitivity of its own, and noise that goes by it.
void append_coordinate(StringInfo json, const CoordinatePlan& plan) {
  const double noise = guard([&] { return std::sqrt(variance(plan.unit)); });
  const double sides = plan.twice ? 2 : 1, rows = plan.unit.sensitivity;
  if (!plan.exact_moments) {
    append_statistic(json, "count", rows, noise);
    append_statistic(json, "sum", sides * rows, sides * noise);
    append_statistic(json, "square", rows, noise);
  }
  append_statistic(json, "slope", sides * rows, sides * noise);  // in units of the clip
}

// Of each kind of sum: how far a neighbour moves one number of it, and the deviation of its noise,
// where the bounds of every number are -1 and 1. All of them together are mu-GDP.
const char* parameters_json(const RegressionCall* call, const CallPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json,
                   "{\"kind\": \"%s\", \"mu\": %.9g, \"unit\": \"half bounds\", "
                   "\"statistics\": [",
                   kind_name(call->kind), plan.mu);
  const GramNoise& noise = plan.newton.moments.noise;
  const int rows = rows_per_unit(call->table);
  const int two = rows * (call->table->adjacency != Adjacency::add_remove ? 2 : 1);
  if (call->coordinate) {
    append_coordinate(&json, plan.coordinate);
  } else if (plan.newton.moments.part == ProtectedPart::row) {
    append_statistic(&json, "count", rows, noise.square);
    append_statistic(&json, "sum", two, noise.product);
    append_statistic(&json, "square", rows, noise.square);
    append_statistic(&json, "product", two, noise.product);
  } else {
    append_statistic(&json, "product with the target", 2, noise.target_product);
    append_statistic(&json, "square of the target", 1, noise.target_square);
  }
  if (call->kind == RegressionKind::logistic &&
      !call->coordinate) {  // of the last pass, in units of the radius
    const LogisticNoise& last = plan.newton.pass.back();
    const double r = (double)MomentFrame::max_resolution;
    append_statistic(&json, "slope", last.square > 0 ? two : 1, last.slope / r);
    if (last.square > 0) append_statistic(&json, "information", rows, last.square / r / r);
  }
  appendStringInfoString(&json, "], ");
  append_terms(&json, call->terms);
  appendStringInfoChar(&json, '}');
  return json.data;
}

const char* quality_note(const RegressionCall* call, int untold) {
  if (call->coordinate) return "coordinate descent gives no intervals";
  if (untold == 0) {
    return rows_per_unit(call->table) == 1 ? "coefficients have intervals"
                                           : "coefficients have intervals; low and high allow for "
                                             "rows of a unit that are alike";
  }
  const char* why =
      "terms are nearly collinear, or the noise hides what tells them apart: there are no "
      "intervals. Ask for fewer terms, or more epsilon";
  const int classes = call->terms->columns->classes;
  return classes == 1 ? why : psprintf("%d of %d classes: %s", untold, classes, why);
}

// In the process.
Datum release(const RegressionCall& call, const CallPlan& plan) {
  const RegressionScans scans = plan_scans(&call);
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    return filter.charge_of(epsilon, call.delta, own_cost(&call, epsilon));
  };
  const Repricing repricing = {call.epsilon, call.delta, charge_at};
  ChargeRequest request = charge_request(&call, &plan);
  request.parameters = parameters_json(&call, plan);
  request.release = call.name;
  request.repricing = &repricing;
  const int64 charge_id = charge(request);
  DPMIX_FAULT("regression.charged");
  const MadeRegression made = make_model(&call, plan, scans);
  StringInfoData bytes;
  initStringInfo(&bytes);
  pq_sendint64(&bytes, charge_id);
  pq_sendint32(&bytes, made.untold);
  pq_sendint32(&bytes, made.model.count);
  appendBinaryStringInfo(&bytes, (const char*)made.rows,
                         call.terms->columns->classes * (int)sizeof(double));
  appendBinaryStringInfo(&bytes, (const char*)made.model.number,
                         made.model.count * (int)sizeof(double));
  return return_bytes(bytes);
}

double* get_numbers(StringInfo in, int count) {
  const Size size = (Size)count * sizeof(double);
  double* numbers = (double*)palloc(size);
  memcpy(numbers, pq_getmsgbytes(in, (int)size), size);
  return numbers;
}

// In the caller, whose the model is: it takes the name, and stores what the process has made.
Datum store(FunctionCallInfo fcinfo, const RegressionCall& call, const CallPlan& plan) {
  require_primary();
  const ModelColumns* columns = call.terms->columns;
  reserve_release(call.name, "regression", call.table, kind_name(call.kind), call.epsilon,
                  call.delta, columns);
  StringInfoData bytes = release_bytes(fcinfo);
  const int64 charge_id = pq_getmsgint64(&bytes);
  const int untold = (int)pq_getmsgint(&bytes, 4);
  const int count = (int)pq_getmsgint(&bytes, 4);
  const double* rows = get_numbers(&bytes, columns->classes);
  const double* numbers = get_numbers(&bytes, count);
  const char* quality = quality_note(&call, untold);
  store_regression(call.name, call.terms, name(call.table->adjacency).data(), numbers, count, rows,
                   plan.count_stddev, quality, charge_id);
  DPMIX_FAULT("regression.stored");
  double all = 0;
  for (int k = 0; k < columns->classes; k++) all += rows[k];
  const int coefficients = guard([&] { return design_of(call.terms).columns() + 1; });
  return row_datum(fcinfo, {call.name, call.table->relation, kind_name(call.kind), coefficients,
                            call.epsilon, call.delta, plan.count_stddev, all, quality});
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_regression(PG_FUNCTION_ARGS) {
  const RegressionCall call = regression_call(fcinfo);
  const CallPlan plan = checked_plan(&call);
  return in_release_process() ? release(call, plan) : store(fcinfo, call, plan);
}

Datum dpmix_preview_regression(PG_FUNCTION_ARGS) {
  const RegressionCall call = regression_call(fcinfo);
  const CallPlan plan = checked_plan(&call);
  return return_preview(fcinfo, charge_request(&call, &plan), plan.mu, plan.count_stddev);
}
