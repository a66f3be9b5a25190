#include "pg/mixture/request.hpp"

#include "core/base/refuse_parameter.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/quoted.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

enum Argument {
  kName,
  kRelation,
  kFeatures,
  kEpsilon,
  kDelta,
  kLabel,
  kComponents,
  kCovariance,
  kObjective,
  kMethod,
  kDimensions
};
constexpr int kNameCharacters = 200;

void require_arguments(FunctionCallInfo fcinfo) {
  static constexpr const char* name[] = {"name", "relation", "features", "epsilon", "delta"};
  for (int i = kName; i <= kDelta; i++) {
    if (PG_ARGISNULL(i)) {
      refuse_argument(psprintf("%s is NULL", name[i]), "It must be given.",
                      "See the comment of dpmix.release_gmm.");
    }
  }
}

const char* text_argument(FunctionCallInfo fcinfo, int argument) {
  return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

const char* release_name(FunctionCallInfo fcinfo) {
  const char* name = text_argument(fcinfo, kName);
  if (name[0] == '\0' || pg_mbstrlen(name) > kNameCharacters) {
    refuse_argument("invalid name of a release",
                    psprintf("It has %d characters; the valid range is 1 to %d.", pg_mbstrlen(name),
                             kNameCharacters),
                    "Choose a short name.");
  }
  return name;
}

void read_guarantee(FunctionCallInfo fcinfo, GmmCall* call) {
  call->epsilon = PG_GETARG_FLOAT8(kEpsilon);
  call->delta = PG_GETARG_FLOAT8(kDelta);
  guard([&] { check_epsilon_delta(call->epsilon, call->delta); });
  if (call->delta == 0) {
    refuse_argument("delta must be above 0", "The noise of a mixture is Gaussian.",
                    "Use a delta well below one over the number of rows, such as 1e-6.");
  }
}

void read_words(FunctionCallInfo fcinfo, GmmCall* call) {
  const char* covariance = text_argument(fcinfo, kCovariance);
  const auto shape = covariance_shape_of(covariance != NULL ? covariance : "full");
  if (!shape) refuse_argument("unknown covariance", "It must be full or diagonal.", "Use full.");
  call->covariance = *shape;
  const char* objective = text_argument(fcinfo, kObjective);
  const auto known = gmm_objective_of(objective != NULL ? objective : "balanced");
  if (!known)
    refuse_argument("unknown objective", "It must be balanced or forward_kl.", "Use balanced.");
  call->objective = *known;
}

void read_components(FunctionCallInfo fcinfo, GmmCall* call) {
  if (PG_ARGISNULL(kComponents)) return;
  const int components = PG_GETARG_INT32(kComponents), classes = call->columns->classes;
  if (call->columns->label == NULL) {
    if (components < 1 || components > most_components) {
      refuse_argument(
          "number of components out of range",
          psprintf("components is %d; the valid range is 1 to %d.", components, most_components),
          "Leave components out to have it chosen privately.");
    }
    call->components = components;
  } else if (components != classes) {
    refuse_argument(
        "components do not fit the label",
        psprintf("components is %d; the label has %d declared categories, one component each.",
                 components, classes),
        "Leave components out.");
  }
}

void read_method(FunctionCallInfo fcinfo, GmmCall* call) {
  const char* text = text_argument(fcinfo, kMethod);
  call->best = text == NULL;
  if (call->best) return;
  const auto method = gmm_method_of(text);
  if (!method) {
    char valid[256];
    guard([&] {
      const int classes = call->columns->label != NULL ? call->columns->classes : 0;
      strlcpy(valid, fitting_methods(classes, call->table->adjacency).c_str(), sizeof valid);
    });
    refuse_argument(
        "unknown method",
        psprintf("It is \"%s\"; for this mixture it must be one of: %s.", shown(text), valid),
        "Leave method out to get the best there is.");
  }
  call->method = *method;
}

}  // namespace

GmmCall* read_gmm_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo);
  GmmCall* call = (GmmCall*)palloc0(sizeof(GmmCall));
  call->name = release_name(fcinfo);
  read_guarantee(fcinfo, call);
  read_words(fcinfo, call);
  call->table = open_protected(PG_GETARG_OID(kRelation));
  const char* label = PG_ARGISNULL(kLabel) ? NULL : NameStr(*PG_GETARG_NAME(kLabel));
  require_label(call->table, label);
  call->columns = model_columns(call->table, PG_GETARG_ARRAYTYPE_P(kFeatures),
                                MomentFrame::max_features, label);
  read_components(fcinfo, call);
  read_method(fcinfo, call);
  call->reduced = !PG_ARGISNULL(kDimensions);
  if (call->reduced) call->dimensions = PG_GETARG_INT32(kDimensions);
  return call;
}

GmmRequest request_of(const GmmCall* call, double mu) {
  const ModelColumns* c = call->columns;
  GmmRequest request;
  request.lower.assign(c->lower, c->lower + c->features);
  request.upper.assign(c->upper, c->upper + c->features);
  request.classes = c->label != NULL ? c->classes : 0;
  if (call->components > 0) request.components = call->components;
  request.shape = call->covariance;
  request.adjacency = call->table->adjacency;
  request.mu = mu;
  if (!call->best) request.method = call->method;
  if (call->reduced) request.dimensions = call->dimensions;
  return request;
}

const char* name(CovarianceShape shape) {
  return shape == CovarianceShape::full ? "full" : "diagonal";
}

const char* name(GmmObjective objective) {
  return objective == GmmObjective::balanced ? "balanced" : "forward_kl";
}

}  // namespace dpmix::pg
