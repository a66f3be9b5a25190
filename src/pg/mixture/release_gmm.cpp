// dpmix.release_gmm: a private Gaussian mixture of a table. The order of a release
// (docs/architecture.md) is dpmix_release_gmm() at the end: validate, price, plan the scans, take
// the name, charge, then pass by pass scan and noise, model. dpmix.preview_gmm stops after the
// price.
#include "pg/mixture/release_gmm.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/accounting/decimal.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/methods/method.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/parameters.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/mixture/found_release.hpp"
#include "pg/mixture/passes.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_release_gmm);
PG_FUNCTION_INFO_V1(dpmix_preview_gmm);
}

namespace dpmix::pg {
namespace {

struct Price {
  double mu;  // the release is mu-GDP
  Cost own;   // as the table adds up
};

// Epsilon and delta are the decimals that PostgreSQL prints: the noise is for the doubles below.
Price price_of(const GmmCall* call, double epsilon) {
  Price price;
  price.mu = gdp_mu(Decimal::printed(epsilon).lower_double(),
                    Decimal::printed(call->delta).lower_double());
  price.own = cost_of_gaussian({call->table->accountant, call->table->order}, price.mu);
  return price;
}

// What is known of the mechanism before the charge.
struct Outline {
  GmmMethod method;
  double count_stddev;
  int kinds;
  PassKind kind[pass_kinds];  // each once
};

Outline outline_of(const GmmCall* call, const Price& price) {
  return guard([&] {
    const auto mechanism = start_gmm(request_of(call, price.mu));
    Outline outline = {mechanism->method(), mechanism->count_stddev(), 0, {}};
    for (const PassKind kind : mechanism->kinds()) {
      PassKind* end = outline.kind + outline.kinds;
      if (std::find(outline.kind, end, kind) == end) outline.kind[outline.kinds++] = kind;
    }
    return outline;
  });
}

// Of each kind of sum: how far a neighbour moves one number of it, and the deviation of its noise,
// where the bounds of every feature are -1 and 1. All of them together are mu-GDP.
void append_one_shot(StringInfo json, const GmmCall* call, const Price& price) {
  const MomentNoise noise = guard([&] {
    const GmmRequest r = request_of(call, price.mu);
    const CovarianceShape shape = r.shape.value_or(CovarianceShape::full);
    return plan_gmm(r.lower, r.upper, r.classes, shape, r.adjacency, r.mu).box_noise();
  });
  const bool replace = call->table->adjacency == Adjacency::replace;
  append_statistic(json, "count", 1, noise.count);
  append_statistic(json, "sum", replace ? 2 : 1, noise.sum);
  append_statistic(json, "square", 1, noise.square);
  if (call->covariance != CovarianceShape::diagonal && call->columns->features > 1) {
    append_statistic(json, "product", replace ? 2 : 1, noise.product);
  }
}

// What later passes look at, and with how much noise, depends on what earlier ones release. Known
// now: all of it together is mu-GDP, and the noise in a component's number of rows.
void append_noise(StringInfo json, const GmmCall* call, const Price& price,
                  const Outline& outline) {
  appendStringInfo(json, "\"mu\": %.9g, \"count_stddev\": %.9g, ", price.mu, outline.count_stddev);
  if (outline.method == GmmMethod::one_shot) {
    appendStringInfoString(json, "\"unit\": \"half bounds\", \"statistics\": [");
    append_one_shot(json, call, price);
  } else {
    appendStringInfoString(json, "\"statistics\": [");
    append_statistic(json, "count", 1, outline.count_stddev);
  }
  appendStringInfoString(json, "], ");
}

const char* parameters_json(const GmmCall* call, const Price& price, const Outline& outline) {
  StringInfoData json;
  initStringInfo(&json);
  const ModelColumns* columns = call->columns;
  const int components = columns->label != NULL ? columns->classes : call->components.value_or(0);
  appendStringInfo(&json, "{\"method\": \"%s\", \"components\": %s, ", name(outline.method).data(),
                   components > 0 ? psprintf("%d", components) : "null");
  appendStringInfo(&json, "\"covariance\": \"%s\", \"objective\": \"%s\", ",
                   call->covariance ? name(*call->covariance) : "auto", name(call->objective));
  if (call->dimensions) appendStringInfo(&json, "\"dimensions\": %d, ", *call->dimensions);
  append_noise(&json, call, price, outline);
  if (call->rows > 0) appendStringInfo(&json, "\"rows\": " INT64_FORMAT ", ", call->rows);
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

// Without parameters and name, as for a preview.
ChargeRequest charge_request(const GmmCall* call, const Price* price) {
  return {.table = call->table,
          .kind = "gmm",
          .mechanism = "gaussian",
          .epsilon = call->epsilon,
          .delta = call->delta,
          .own = &price->own,
          .parameters = NULL,
          .blocks = call->blocks.range,
          .block_count = call->blocks.count};
}

struct Model {
  StoredGmm* gmm;
  const char* covariance;  // its shape
  char* quality;
};

std::vector<std::string> labels_of(const StoredGmm* gmm) {
  if (gmm->labels == NULL) return {};
  return {gmm->labels, gmm->labels + gmm->components};
}

// Scans and noise in turns; then all of it is post-processing.
Model make_model(const GmmCall* call, const Price& price, GmmPasses* passes) {
  Model model = {};
  guard_with_random([&](RandomStream& random) {
    const auto mechanism = start_gmm(request_of(call, price.mu));
    while (const auto pass = mechanism->next()) mechanism->take(random, run_pass(passes, *pass));
    const GmmFit fit = mechanism->fit(call->objective);
    const int components = (int)fit.mixture.components.size();
    postgres([&] { model.gmm = new_gmm(call->name, call->columns, components); });
    fill_gmm(model.gmm, fit.mixture);
    model.covariance = name(fit.shape);
    model.quality = c_string_of(quality_note(fit, labels_of(model.gmm)));
  });
  return model;
}

// In the process.
Model charged_model(const GmmCall& call, const Price& price, const Outline& outline,
                    int64* charge_id) {
  GmmPasses* passes =
      plan_passes(call.table, call.blocks, call.columns, outline.kind, outline.kinds);
  const auto charge_at = [&](const Filter& filter, double epsilon) {
    return filter.charge_of(epsilon, call.delta, price_of(&call, epsilon).own);
  };
  const Repricing repricing = {call.epsilon, call.delta, charge_at};
  ChargeRequest request = charge_request(&call, &price);
  request.parameters = parameters_json(&call, price, outline);
  request.release = call.name;
  request.repricing = &repricing;
  *charge_id = charge(request);
  DPMIX_FAULT("gmm.charged");
  return make_model(&call, price, passes);
}

Datum release(const GmmCall& call, const Price& price, const Outline& outline) {
  int64 charge_id;
  const Model model = charged_model(call, price, outline, &charge_id);
  StringInfoData bytes;
  initStringInfo(&bytes);
  pq_sendint64(&bytes, charge_id);
  for (const char* text : {model.covariance, (const char*)model.quality}) {
    appendBinaryStringInfo(&bytes, text, (int)strlen(text) + 1);
  }
  put_gmm(&bytes, model.gmm);
  return return_bytes(bytes);
}

// In the caller, whose the mixture is: it takes the name, and stores what the process has made.
Datum store(FunctionCallInfo fcinfo, const GmmCall& call, const Outline& outline) {
  require_primary();
  const char* method = name(outline.method).data();
  reserve_release(call.name, "gmm", call.table, method, call.epsilon, call.delta, call.columns);
  StringInfoData bytes = release_bytes(fcinfo);
  const int64 charge_id = pq_getmsgint64(&bytes);
  const char* covariance = pstrdup(pq_getmsgrawstring(&bytes));
  const char* quality = pstrdup(pq_getmsgrawstring(&bytes));
  const StoredGmm* gmm = get_gmm(&bytes, call.name, call.columns);
  const int dimensions = call.dimensions.value_or(call.columns->features);
  store_gmm(gmm,
            {.adjacency = name(call.table->adjacency).data(),
             .covariance = covariance,
             .objective = name(call.objective),
             .dimensions = dimensions,
             .count_stddev = outline.count_stddev,
             .quality = quality},
            charge_id);
  DPMIX_FAULT("gmm.stored");
  return row_datum(fcinfo, {call.name, call.table->relation, method, gmm->components, dimensions,
                            call.epsilon, call.delta, outline.count_stddev,
                            float8_array(gmm->rows, gmm->components), quality});
}

}  // namespace

ReleasedGmm release_gmm(const GmmCall& call) {
  const Price price = guard([&] { return price_of(&call, call.epsilon); });
  int64 charge_id;
  const Model model = charged_model(call, price, outline_of(&call, price), &charge_id);
  return {model.gmm, model.quality};
}

Datum preview_gmm(FunctionCallInfo fcinfo, const GmmCall& call) {
  const Price price = guard([&] { return price_of(&call, call.epsilon); });
  const Outline outline = outline_of(&call, price);
  return return_preview(fcinfo, charge_request(&call, &price), price.mu, outline.count_stddev);
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_gmm(PG_FUNCTION_ARGS) {
  const GmmCall call = gmm_call(fcinfo);
  const Price price = guard([&] { return price_of(&call, call.epsilon); });
  const Outline outline = outline_of(&call, price);
  return in_release_process() ? release(call, price, outline) : store(fcinfo, call, outline);
}

Datum dpmix_preview_gmm(PG_FUNCTION_ARGS) {
  return preview_gmm(fcinfo, gmm_call(fcinfo));
}
