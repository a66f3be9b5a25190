// dpmix.release_gmm: a private Gaussian mixture of a table. The order of a release
// (docs/architecture.md) is dpmix_release_gmm() at the end: validate, price, plan the scans, take the
// name, charge, then pass by pass scan and noise, model. dpmix.preview_gmm stops after the price.
#include <algorithm>
#include <string>
#include <vector>

#include "core/accounting/decimal.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/mixture/methods/method.hpp"
#include "core/mixture/methods/start.hpp"
#include "core/mixture/fit/one_shot_plan.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/mixture/passes.hpp"
#include "pg/mixture/request.hpp"
#include "pg/mixture/store.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/release_preview.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"

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
Price price_of(const GmmCall* call) {
  Price price;
  price.mu = gdp_mu(Decimal::printed(call->epsilon).lower_double(),
                    Decimal::printed(call->delta).lower_double());
  price.own = cost_of_gaussian({call->table->accountant, call->table->order}, price.mu);
  return price;
}

const Cost* own_of(const GmmCall* call, const Price* price) {
  return call->table->accountant != Accountant::basic ? &price->own : NULL;
}

Spending charge_at(const Filter& filter, double epsilon, const void* asked) {
  GmmCall call = *static_cast<const GmmCall*>(asked);
  call.epsilon = epsilon;
  const Price price = price_of(&call);
  return charge_of(filter, epsilon, call.delta, own_of(&call, &price));
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

// Between an installation of the library and ALTER EXTENSION UPDATE the aggregates are those of an
// earlier version, and the best there is may be one_shot.
Outline settle_method(GmmCall* call, const Price& price) {
  const Outline outline = outline_of(call, price);
  if (has_aggregates(outline.kind, outline.kinds)) return outline;
  const int classes = call->columns->label != NULL ? call->columns->classes : 0;
  if (!call->best || !fits(GmmMethod::one_shot, classes, call->table->adjacency)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                    errmsg("this method needs a newer version of the extension's objects"),
                    errdetail("It is %s; the library is newer than what CREATE EXTENSION made.",
                              name(outline.method).data()),
                    errhint("Run ALTER EXTENSION dpmix UPDATE.")));
  }
  call->best = false;
  call->method = GmmMethod::one_shot;
  return outline_of(call, price);
}

void append_statistic(StringInfo json, const char* statistic, double sensitivity, double scale) {
  appendStringInfo(json, "{\"statistic\": \"%s\", \"sensitivity\": %.9g, \"scale\": %.9g}",
                   statistic, sensitivity, scale);
}

// Of each kind of sum: how far a neighbour moves one number of it, and the deviation of its noise,
// where the bounds of every feature are -1 and 1. All of them together are mu-GDP.
void append_one_shot(StringInfo json, const GmmCall* call, const Price& price) {
  const MomentNoise noise = guard([&] {
    const GmmRequest r = request_of(call, price.mu);
    return plan_gmm(r.lower, r.upper, r.classes, r.shape, r.adjacency, r.mu).box_noise();
  });
  const bool replace = call->table->adjacency == Adjacency::replace;
  append_statistic(json, "count", 1, noise.count);
  appendStringInfoString(json, ", ");
  append_statistic(json, "sum", replace ? 2 : 1, noise.sum);
  appendStringInfoString(json, ", ");
  append_statistic(json, "square", 1, noise.square);
  if (call->covariance == CovarianceShape::full && call->columns->features > 1) {
    appendStringInfoString(json, ", ");
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
  const int components = call->columns->label != NULL ? call->columns->classes : call->components;
  appendStringInfo(&json, "{\"method\": \"%s\", \"components\": %s, ", name(outline.method).data(),
                   components > 0 ? psprintf("%d", components) : "null");
  appendStringInfo(&json, "\"covariance\": \"%s\", \"objective\": \"%s\", ", name(call->covariance),
                   name(call->objective));
  if (call->reduced) appendStringInfo(&json, "\"dimensions\": %d, ", call->dimensions);
  append_noise(&json, call, price, outline);
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

struct Model {
  StoredGmm* gmm;
  char* quality;
};

std::vector<std::string> labels_of(const StoredGmm* gmm) {
  if (gmm->labels == NULL) return {};
  return {gmm->labels, gmm->labels + gmm->components};
}

// Scans and noise in turns; then all of it is post-processing.
Model make_model(const GmmCall* call, const Price& price, GmmPasses* passes) {
  RandomStream::Key key;
  fresh_key(key);
  Model model = {};
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    const auto mechanism = start_gmm(request_of(call, price.mu));
    while (const auto pass = mechanism->next()) mechanism->take(random, run_pass(passes, *pass));
    const GmmFit fit = mechanism->fit(call->objective);
    const int components = (int)fit.mixture.components.size();
    postgres([&] { model.gmm = new_gmm(call->name, call->columns, components); });
    fill_gmm(model.gmm, fit.mixture);
    const std::string note = quality_note(fit, labels_of(model.gmm));
    postgres([&] { model.quality = pstrdup(note.c_str()); });
  });
  return model;
}

Datum summary_row(FunctionCallInfo fcinfo, const GmmCall* call, const Outline& outline,
                  const Model& model) {
  TupleDesc desc;
  if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "dpmix.release_summary expected");
  }
  const StoredGmm* gmm = model.gmm;
  Datum values[] = {CStringGetTextDatum(call->name),
                    ObjectIdGetDatum(call->table->relation),
                    CStringGetTextDatum(name(outline.method).data()),
                    Int32GetDatum(gmm->components),
                    Int32GetDatum(call->reduced ? call->dimensions : gmm->features),
                    Float8GetDatum(call->epsilon),
                    Float8GetDatum(call->delta),
                    Float8GetDatum(outline.count_stddev),
                    float8_array(gmm->rows, 1, &gmm->components),
                    CStringGetTextDatum(model.quality)};
  bool nulls[lengthof(values)] = {};
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_gmm(PG_FUNCTION_ARGS) {
  GmmCall* call = read_gmm_call(fcinfo);
  const Price price = guard([&] { return price_of(call); });
  const Outline outline = settle_method(call, price);
  GmmPasses* passes = plan_passes(call->table, call->columns, outline.kind, outline.kinds);
  require_primary();
  reserve_release(call->name, call->table, name(outline.method).data(), call->epsilon, call->delta,
                  call->columns);
  const Repricing repricing = {call->epsilon, call->delta, charge_at, call};
  const ChargeRequest request = {
      .table = call->table,
      .kind = "gmm",
      .mechanism = "gaussian",
      .epsilon = call->epsilon,
      .delta = call->delta,
      .own = own_of(call, &price),
      .parameters = parameters_json(call, price, outline),
      .release = call->name,
      .repricing = &repricing,
  };
  const int64 charge_id = charge(request);
  DPMIX_FAULT("gmm.charged");

  const Model model = make_model(call, price, passes);
  const GmmFacts facts = {
      .adjacency = name(call->table->adjacency).data(),
      .covariance = name(call->covariance),
      .objective = name(call->objective),
      .dimensions = call->reduced ? call->dimensions : call->columns->features,
      .count_stddev = outline.count_stddev,
      .quality = model.quality,
  };
  store_gmm(model.gmm, &facts, charge_id);
  DPMIX_FAULT("gmm.stored");
  return summary_row(fcinfo, call, outline, model);
}

Datum dpmix_preview_gmm(PG_FUNCTION_ARGS) {
  GmmCall* call = read_gmm_call(fcinfo);
  const Price price = guard([&] { return price_of(call); });
  const Outline outline = settle_method(call, price);
  return return_preview(fcinfo, {.mechanism = "gaussian",
                                 .epsilon = call->epsilon,
                                 .delta = call->delta,
                                 .mu = price.mu,
                                 .count_stddev = outline.count_stddev,
                                 .outlook = outlook_of(call->table, call->epsilon, call->delta,
                                                       own_of(call, &price))});
}
