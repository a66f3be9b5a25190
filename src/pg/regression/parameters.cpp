#include "pg/regression/parameters.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/ledger/request.hpp"
#include "pg/release/parameters.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "utils/json.h"
}

namespace dpmix::pg {
namespace {

// Terms by name, or how many they are where that takes more than is left.
void append_terms(StringInfo json, const RegressionTerms* terms, const ProtectedTable* table) {
  const int most = json->len + room_for_columns(json, table) + 1;
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
  if (json->len + 1 <= most) return;
  json->len = labelled + 32 <= most ? labelled : before;
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

}  // namespace

// What the ledger keeps: for each kind of sum, how far a neighbour moves one number of it, and the
// deviation of its noise, where the bounds of every number are -1 and 1. All together are mu-GDP.
const char* parameters_json(const RegressionCall& call, const CallPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json,
                   "{\"kind\": \"%s\", \"mu\": %.9g, \"unit\": \"half bounds\", "
                   "\"statistics\": [",
                   kind_name(call.kind), plan.mu);
  const GramNoise& noise = plan.newton.moments.noise;
  const int rows = rows_per_unit(call.table);
  const int two = rows * (call.table->adjacency != Adjacency::add_remove ? 2 : 1);
  if (call.coordinate) {
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
  if (call.kind == RegressionKind::logistic &&
      !call.coordinate) {  // of the last pass, in units of the radius
    const LogisticNoise& last = plan.newton.pass.back();
    const double r = (double)MomentFrame::max_resolution;
    append_statistic(&json, "slope", last.square > 0 ? two : 1, last.slope / r);
    if (last.square > 0) append_statistic(&json, "information", rows, last.square / r / r);
  }
  appendStringInfoString(&json, "], ");
  append_terms(&json, call.terms, call.table);
  appendStringInfoChar(&json, '}');
  return json.data;
}

}  // namespace dpmix::pg
