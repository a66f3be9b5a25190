#include "pg/mixture/request.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"
#include "pg/release/asked_table.hpp"
#include "pg/release/stored.hpp"
#include "pg/units/rows_of_units.hpp"

namespace dpmix::pg {
namespace {

enum Argument {
  kName,
  kRelation,
  kColumns,
  kEpsilon,
  kDelta,
  kLabel,
  kComponents,
  kCovariance,
  kObjective,
  kMethod,
  kDimensions,
  kSource,
  kBlocks
};

// With a label there is one component for each of its categories.
std::optional<int> read_components(FunctionCallInfo fcinfo, const ModelColumns* columns) {
  const std::optional<int> components = int4_argument(fcinfo, kComponents);
  if (!components) return components;
  if (columns->label == NULL) {
    require_range(fcinfo, kComponents, *components, 1, most_components,
                  "Leave components out to have it chosen privately.");
    return components;
  }
  if (*components != columns->classes) {
    refuse_argument(
        "components do not fit the label",
        psprintf("components is %d; the label has %d declared categories, one component each.",
                 *components, columns->classes),
        "Leave components out.");
  }
  return std::nullopt;
}

std::optional<GmmMethod> read_method(FunctionCallInfo fcinfo, const GmmCall* call) {
  const char* text = text_argument(fcinfo, kMethod);
  if (text == NULL) return std::nullopt;
  const std::optional<GmmMethod> method = gmm_method_of(text);
  if (!method) {
    refuse_word("method", text, guard([&] {
                  const int classes = call->columns->label != NULL ? call->columns->classes : 0;
                  return c_string_of("one of " + fitting_methods(classes, call->table->adjacency) +
                                     " for this mixture");
                }));
  }
  return method;
}

}  // namespace

GmmCall gmm_call(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, kName);
  require_stated(fcinfo, kColumns, "columns => '{age,income}'");
  GmmCall call = {};
  call.name = release_name_argument(fcinfo, kName);
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.epsilon = guarantee.epsilon;
  call.delta = guarantee.delta;
  if (strcmp(text_argument(fcinfo, kCovariance, "auto"), "auto") != 0) {
    call.covariance = word_argument(fcinfo, kCovariance, "auto", covariance_shape_of,
                                    "auto, full, diagonal or shared");
  }
  call.objective =
      word_argument(fcinfo, kObjective, "balanced", gmm_objective_of, "balanced or forward_kl");
  call.table = asked_table(fcinfo, kRelation, kSource);
  require_one_row(call.table);
  call.blocks = blocks_argument(fcinfo, kBlocks, call.table);
  const char* label = name_argument(fcinfo, kLabel);
  require_label(call.table, label);
  call.columns =
      model_columns(call.table, PG_GETARG_ARRAYTYPE_P(kColumns), MomentFrame::max_features, label);
  call.components = read_components(fcinfo, call.columns);
  call.method = read_method(fcinfo, &call);
  call.dimensions = int4_argument(fcinfo, kDimensions);
  return call;
}

GmmRequest request_of(const GmmCall* call, double mu) {
  const ModelColumns* c = call->columns;
  GmmRequest request;
  request.lower.assign(c->lower, c->lower + c->features);
  request.upper.assign(c->upper, c->upper + c->features);
  request.classes = c->label != NULL ? c->classes : 0;
  request.components = call->components;
  request.shape = call->covariance;
  request.adjacency = call->table->adjacency;
  request.mu = mu;
  request.method = call->method;
  request.dimensions = call->dimensions;
  return request;
}

const char* name(CovarianceShape shape) {
  switch (shape) {
    case CovarianceShape::full:
      return "full";
    case CovarianceShape::diagonal:
      return "diagonal";
    case CovarianceShape::shared:
      break;
  }
  return "shared";
}

const char* name(GmmObjective objective) {
  return objective == GmmObjective::balanced ? "balanced" : "forward_kl";
}

}  // namespace dpmix::pg
