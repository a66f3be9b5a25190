// dpmix.release_gmm: a private Gaussian mixture of a labelled table. The order of a release
// (docs/data_flow.md) is dpmix_release_gmm() at the end: validate, price, plan the scan, take the
// name, charge, scan, noise, model. dpmix.preview_gmm stops after the price.
#include "core/release/gmm.hpp"

#include <string>
#include <vector>

#include "core/accounting/decimal.hpp"
#include "core/mechanism/calibration.hpp"
#include "core/mechanism/gaussian_dp.hpp"
#include "pg/entropy.hpp"
#include "pg/fault.hpp"
#include "pg/gmm_store.hpp"
#include "pg/guard.hpp"
#include "pg/ledger.hpp"
#include "pg/release_preview.hpp"
#include "pg/silent_scan.hpp"
#include "pg/stats_agg.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/datum.h"

PG_FUNCTION_INFO_V1(dpmix_release_gmm);
PG_FUNCTION_INFO_V1(dpmix_preview_gmm);
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

struct Release {
  const char* name;
  ProtectedTable* table;
  ModelColumns* columns;
  double epsilon, delta;
  CovarianceShape covariance;
  GmmObjective objective;
};

[[noreturn]] void refuse(const char* message, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("%s", message),
                  errdetail("%s", detail), errhint("%s", hint)));
  pg_unreachable();
}

void require_arguments(FunctionCallInfo fcinfo) {
  static constexpr const char* name[] = {"name", "relation", "features", "epsilon", "delta"};
  for (int i = kName; i <= kDelta; i++) {
    if (PG_ARGISNULL(i)) {
      refuse(psprintf("%s is NULL", name[i]), "It must be given.",
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
    refuse("invalid name of a release",
           psprintf("It has %d characters; the valid range is 1 to %d.", pg_mbstrlen(name),
                    kNameCharacters),
           "Choose a short name.");
  }
  return name;
}

// What later versions may offer, and this one does not.
void refuse_unsupported(FunctionCallInfo fcinfo) {
  if (PG_ARGISNULL(kLabel)) {
    refuse("mixtures without a label are not supported yet", "label is NULL.",
           "Name a column with declared categories: each becomes a component.");
  }
  const char* method = text_argument(fcinfo, kMethod);
  if (method != NULL && strcmp(method, "one_shot") != 0) {
    refuse("unknown method", "The only method so far is one_shot.",
           "Leave method out to get the best there is.");
  }
  if (!PG_ARGISNULL(kDimensions)) {
    refuse("mixtures in fewer dimensions are not supported yet",
           psprintf("dimensions is %d; it must be NULL.", PG_GETARG_INT32(kDimensions)),
           "Leave dimensions out, or name fewer features.");
  }
}

const Release* validate(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo);
  Release* release = (Release*)palloc0(sizeof(Release));
  release->name = release_name(fcinfo);
  release->epsilon = PG_GETARG_FLOAT8(kEpsilon);
  release->delta = PG_GETARG_FLOAT8(kDelta);
  guard([&] { check_epsilon_delta(release->epsilon, release->delta); });
  if (release->delta == 0) {
    refuse("delta must be above 0", "The noise of a mixture is Gaussian.",
           "Use a delta well below one over the number of rows, such as 1e-6.");
  }
  refuse_unsupported(fcinfo);

  const char* covariance = text_argument(fcinfo, kCovariance);
  const auto shape = covariance_shape_of(covariance != NULL ? covariance : "full");
  if (!shape) refuse("unknown covariance", "It must be full or diagonal.", "Use full.");
  release->covariance = *shape;
  const char* objective = text_argument(fcinfo, kObjective);
  const auto known = gmm_objective_of(objective != NULL ? objective : "balanced");
  if (!known) refuse("unknown objective", "It must be balanced or forward_kl.", "Use balanced.");
  release->objective = *known;

  release->table = open_protected(PG_GETARG_OID(kRelation));
  release->columns = model_columns(release->table, PG_GETARG_ARRAYTYPE_P(kFeatures),
                                   MomentFrame::max_features, NameStr(*PG_GETARG_NAME(kLabel)));
  const int components = release->columns->classes;
  if (!PG_ARGISNULL(kComponents) && PG_GETARG_INT32(kComponents) != components) {
    refuse("components do not fit the label",
           psprintf("components is %d; the label has %d declared categories, one component each.",
                    PG_GETARG_INT32(kComponents), components),
           "Leave components out.");
  }
  return release;
}

struct Price {
  double mu;  // the release is mu-GDP
  Cost own;   // as the table adds up
};

// Epsilon and delta are the decimals that PostgreSQL prints: the noise is for the doubles below.
Price price_of(const Release* release) {
  Price price;
  price.mu = gdp_mu(Decimal::printed(release->epsilon).lower_double(),
                    Decimal::printed(release->delta).lower_double());
  price.own = cost_of_gaussian({release->table->accountant, release->table->order}, price.mu);
  return price;
}

const Cost* own_of(const Release* release, const Price* price) {
  return release->table->accountant != Accountant::basic ? &price->own : NULL;
}

Spending charge_at(const Filter& filter, double epsilon, const void* asked) {
  Release release = *static_cast<const Release*>(asked);
  release.epsilon = epsilon;
  const Price price = price_of(&release);
  return charge_of(filter, epsilon, release.delta, own_of(&release, &price));
}

GmmPlan plan_of(const Release* release, const Price& price) {
  const ModelColumns* c = release->columns;
  return plan_gmm({c->lower, c->lower + c->features}, {c->upper, c->upper + c->features},
                  c->classes, release->covariance, release->table->adjacency, price.mu);
}

// One row: the exact moments of all classes.
const char* scan_sql(const Release* release, const double* frame, Size size) {
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "SELECT dpmix.class_moments(");
  append_class(&sql, release->columns);
  for (int i = 0; i < release->columns->features; i++) {
    appendStringInfoString(&sql, i == 0 ? ", ARRAY[" : ", ");
    append_feature(&sql, release->columns, i);
  }
  for (Size i = 0; i < size; i++)
    appendStringInfo(&sql, "%s%.17g", i == 0 ? "], '{" : ",", frame[i]);
  appendStringInfo(&sql, "}'::pg_catalog.float8[]) FROM %s AS r", release->table->name);
  return sql.data;
}

SilentScan* plan_moments_scan(const Release* release, const Price& price) {
  double* frame = NULL;
  Size size = 0;
  guard([&] {
    const std::vector<double> packed = plan_of(release, price).frame.pack();
    size = packed.size();
    postgres([&] { frame = (double*)palloc(size * sizeof(double)); });
    std::copy(packed.begin(), packed.end(), frame);
  });
  return plan_scan(scan_sql(release, frame, size), release->table->relation, release->table->owner);
}

void append_statistic(StringInfo json, const char* statistic, double sensitivity, double scale) {
  appendStringInfo(json, "{\"statistic\": \"%s\", \"sensitivity\": %.9g, \"scale\": %.9g}",
                   statistic, sensitivity, scale);
}

// Of each kind of sum: how far a neighbour moves one number of it, and the deviation of its noise,
// where the bounds of every feature are -1 and 1. All of them together are mu-GDP.
void append_noise(StringInfo json, const Release* release, const Price& price) {
  const MomentNoise noise = guard([&] { return plan_of(release, price).box_noise(); });
  const bool replace = release->table->adjacency == Adjacency::replace;
  appendStringInfo(json, "\"mu\": %.9g, \"unit\": \"half bounds\", \"statistics\": [", price.mu);
  append_statistic(json, "count", 1, noise.count);
  appendStringInfoString(json, ", ");
  append_statistic(json, "sum", replace ? 2 : 1, noise.sum);
  appendStringInfoString(json, ", ");
  append_statistic(json, "square", 1, noise.square);
  if (release->covariance == CovarianceShape::full && release->columns->features > 1) {
    appendStringInfoString(json, ", ");
    append_statistic(json, "product", replace ? 2 : 1, noise.product);
  }
  appendStringInfoString(json, "], ");
}

const char* parameters_json(const Release* release, const Price& price) {
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfo(&json, "{\"components\": %d, \"covariance\": \"%s\", \"objective\": \"%s\", ",
                   release->columns->classes,
                   release->covariance == CovarianceShape::full ? "full" : "diagonal",
                   release->objective == GmmObjective::balanced ? "balanced" : "forward_kl");
  append_noise(&json, release, price);
  append_columns_json(&json, release->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

struct ExactMoments {
  MemoryContext context;
  Datum state;
};

void receive(const Datum* values, const bool*, void* arg) {
  ExactMoments* exact = (ExactMoments*)arg;
  MemoryContext outer = MemoryContextSwitchTo(exact->context);
  exact->state = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[0]));
  MemoryContextSwitchTo(outer);
}

// What the caller gets to see besides the model.
struct Summary {
  double count_stddev;
  char* quality;
};

Summary model_of(const Release* release, const Price& price, Datum exact, StoredGmm* gmm) {
  RandomStream::Key key;
  fresh_key(key);
  ClassMoments moments = read_moment_state(exact);
  Summary summary = {};
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    const GmmPlan plan = plan_of(release, price);
    const GmmFit fit = fit_gmm(add_noise(random, moments.totals(), plan), plan, release->objective);
    fill_gmm(gmm, fit.mixture);
    const std::string note = quality_note(fit, {gmm->labels, gmm->labels + gmm->components});
    summary.count_stddev = plan.noise.count;
    postgres([&] { summary.quality = pstrdup(note.c_str()); });
  });
  return summary;
}

Datum summary_row(FunctionCallInfo fcinfo, const Release* release, const StoredGmm* gmm,
                  const Summary& summary) {
  TupleDesc desc;
  if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "dpmix.release_summary expected");
  }
  Datum values[] = {CStringGetTextDatum(release->name),
                    ObjectIdGetDatum(release->table->relation),
                    CStringGetTextDatum("one_shot"),
                    Int32GetDatum(gmm->components),
                    Int32GetDatum(gmm->features),
                    Float8GetDatum(release->epsilon),
                    Float8GetDatum(release->delta),
                    Float8GetDatum(summary.count_stddev),
                    float8_array(gmm->rows, 1, &gmm->components),
                    CStringGetTextDatum(summary.quality)};
  bool nulls[lengthof(values)] = {};
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_release_gmm(PG_FUNCTION_ARGS) {
  const Release* release = validate(fcinfo);
  const Price price = guard([&] { return price_of(release); });
  SilentScan* scan = plan_moments_scan(release, price);
  require_primary();
  reserve_release(release->name, release->table, "one_shot", release->epsilon, release->delta,
                  release->columns);
  const Repricing repricing = {release->epsilon, release->delta, charge_at, release};
  const ChargeRequest request = {
      .table = release->table,
      .kind = "gmm",
      .mechanism = "gaussian",
      .epsilon = release->epsilon,
      .delta = release->delta,
      .own = own_of(release, &price),
      .parameters = parameters_json(release, price),
      .release = release->name,
      .repricing = &repricing,
  };
  const int64 charge_id = charge(request);
  DPMIX_FAULT("gmm.charged");

  ExactMoments exact = {CurrentMemoryContext, (Datum)0};
  run_scan(scan, receive, &exact);
  StoredGmm* gmm = new_gmm(release->name, release->columns, release->columns->classes);
  const Summary summary = model_of(release, price, exact.state, gmm);
  const GmmFacts facts = {
      .adjacency = name(release->table->adjacency).data(),
      .covariance = release->covariance == CovarianceShape::full ? "full" : "diagonal",
      .objective = release->objective == GmmObjective::balanced ? "balanced" : "forward_kl",
      .dimensions = gmm->features,
      .count_stddev = summary.count_stddev,
      .quality = summary.quality,
  };
  store_gmm(gmm, &facts, charge_id);
  DPMIX_FAULT("gmm.stored");
  return summary_row(fcinfo, release, gmm, summary);
}

Datum dpmix_preview_gmm(PG_FUNCTION_ARGS) {
  const Release* release = validate(fcinfo);
  const Price price = guard([&] { return price_of(release); });
  const double count_stddev = guard([&] { return plan_of(release, price).noise.count; });
  return return_preview(fcinfo, {.mechanism = "gaussian",
                                 .epsilon = release->epsilon,
                                 .delta = release->delta,
                                 .mu = price.mu,
                                 .count_stddev = count_stddev,
                                 .outlook = outlook_of(release->table, release->epsilon,
                                                       release->delta, own_of(release, &price))});
}
