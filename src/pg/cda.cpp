// dpmix.cda: a private synthetic table. The order of a release (docs/data_flow.md) is dpmix_cda()
// at the end: validate, price, plan the scan, charge, scan, noise, rows. dpmix.preview_cda stops
// after the price.
#include "core/release/cda.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/poll.hpp"
#include "pg/cda_demix.hpp"
#include "pg/guard.hpp"
#include "pg/catalog.hpp"
#include "pg/entropy.hpp"
#include "pg/fault.hpp"
#include "pg/ledger.hpp"
#include "pg/model_columns.hpp"
#include "pg/release_preview.hpp"
#include "pg/row_builder.hpp"
#include "pg/silent_scan.hpp"

extern "C" {
#include "access/htup_details.h"
#include "lib/stringinfo.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_cda);
PG_FUNCTION_INFO_V1(dpmix_preview_cda);
}

namespace dpmix::pg {
namespace {

enum Argument { kRowType, kFeatures, kLabel, kRows, kEpsilon, kDelta, kMix, kDemix };

struct Release {
  ProtectedTable* table;
  ModelColumns* columns;
  Lattice* lattice;  // of each feature
  RowBuilder* rows;
  CdaRequest request;
  const char* demix;
};

[[noreturn]] void refuse(const char* message, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("%s", message),
                  errdetail("%s", detail), errhint("%s", hint)));
  pg_unreachable();
}

Release* validate(FunctionCallInfo fcinfo) {
  static constexpr const char* required[] = {NULL, "features", NULL, "rows", "epsilon", "delta"};
  for (const int i : {kFeatures, kRows, kEpsilon, kDelta}) {
    if (PG_ARGISNULL(i)) {
      refuse(psprintf("%s is NULL", required[i]), "It must be given.",
             "See the comment of dpmix.cda.");
    }
  }
  Release* release = (Release*)palloc0(sizeof(Release));
  release->rows = row_builder(fcinfo, kRowType);
  const Oid relation = row_relation(release->rows);
  if (!OidIsValid(relation)) {
    refuse("synthetic rows need a protected table", "The first argument is a composite type.",
           "Write NULL::name_of_the_protected_table.");
  }
  release->table = open_protected(relation);

  release->demix = PG_ARGISNULL(kDemix) ? "none" : text_to_cstring(PG_GETARG_TEXT_PP(kDemix));
  const std::optional<Demix> demix = demix_of(release->demix);
  if (!demix) {
    refuse("unknown demixing",
           psprintf("demix is \"%s\"; it must be none, per_class or tied.",
                    pnstrdup(release->demix, 64)),
           "Use none for raw mixtures, per_class for rows as spread out as the records.");
  }
  if (!PG_ARGISNULL(kMix) && PG_GETARG_INT32(kMix) < 1) {
    refuse("order of mixing out of range",
           psprintf("mix is %d; it must lie between 1 and 10000.", PG_GETARG_INT32(kMix)),
           "Leave mix out to have it chosen.");
  }
  const char* label = PG_ARGISNULL(kLabel) ? NULL : NameStr(*PG_GETARG_NAME(kLabel));
  ModelColumns* columns = model_columns(release->table, PG_GETARG_ARRAYTYPE_P(kFeatures),
                                        MaxHeapAttributeNumber, label);
  release->columns = columns;
  release->lattice = (Lattice*)palloc(columns->features * sizeof(Lattice));
  release->request = {.classes = columns->classes,
                      .features = columns->features,
                      .rows = PG_GETARG_INT64(kRows),
                      .epsilon = PG_GETARG_FLOAT8(kEpsilon),
                      .delta = PG_GETARG_FLOAT8(kDelta),
                      .adjacency = release->table->adjacency,
                      .accounting = {release->table->accountant, release->table->order},
                      .mix = PG_ARGISNULL(kMix) ? 0 : PG_GETARG_INT32(kMix),
                      .demix = *demix};
  for (int j = 0; j < columns->features; j++) {
    number_column(release->rows, columns->name[j], columns->lower[j], columns->upper[j]);
    release->lattice[j] = feature_lattice(columns->lower[j], columns->upper[j]);
  }
  if (columns->label != NULL) {
    category_column(release->rows, columns->label, columns->classes, columns->category);
  }
  ready(release->rows);
  return release;
}

const Cost* own_of(const CdaPlan& plan) {
  return plan.asked.accounting.counts_cost() ? &plan.own : NULL;
}

Spending charge_at(const Filter& filter, double epsilon, const void* asked) {
  CdaRequest request = static_cast<const Release*>(asked)->request;
  request.epsilon = epsilon;
  const CdaPlan plan = plan_cda(request);
  return charge_of(filter, epsilon, request.delta, own_of(plan));
}

// The noise of the rows is made from the noisy counts, hence not known at the charge: what the rows
// are as telling as is, mu and slack.
const char* parameters_json(const Release* release, const CdaPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  const int mix = release->request.mix;
  const int changed = release->request.adjacency == Adjacency::replace ? 2 : 1;
  appendStringInfo(&json, "{\"rows\": " INT64_FORMAT ", \"mix\": %s, \"demix\": \"%s\", ",
                   release->request.rows, mix == 0 ? "null" : psprintf("%d", mix), release->demix);
  appendStringInfo(&json, "\"mu\": %.9g, \"slack\": %.9g, \"statistics\": [", plan.mu,
                   plan.rows.slack);
  appendStringInfo(&json, "{\"statistic\": \"count\", \"sensitivity\": 1, \"scale\": %.9g}], ",
                   changed / plan.count_epsilon);
  append_columns_json(&json, release->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

// What one pass over the records does with each complete one.
struct Pass {
  const Release* release;
  int64* record;  // in lattice steps
  int64* counts;  // of each class; NULL in a mixing pass
  RowMixer* mixer;
  RandomStream* random;
};

void receive(const Datum* values, const bool* nulls, void* arg) {
  Pass* pass = (Pass*)arg;
  if (nulls[0]) return;
  const int k = DatumGetInt32(values[0]);
  for (int j = 0; j < pass->release->columns->features; j++) {
    if (nulls[j + 1]) return;
    const double value = DatumGetFloat8(values[j + 1]);
    if (value != value) return;
    pass->record[j] = pass->release->lattice[j].place(value);
  }
  if (pass->counts != NULL) {
    pass->counts[k]++;
  } else {
    guard([&] { pass->mixer->add(*pass->random, k, pass->record); });
  }
}

// A synthetic row in half widths of the bounds leaves in the columns' own units.
struct Output {
  const Release* release;
  std::vector<double> numbers;

  void put(int k, const double* half_widths) {
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      const double inside = std::clamp(half_widths[j], -1., 1.);
      numbers[j] = release->lattice[j].value_of(inside * half_steps);
    }
    const double* values = numbers.data();
    postgres([&] { put_row(release->rows, values, &k); });
  }
};

void warn_of_noise(const std::vector<MixedClass>& classes, int features) {
  const auto noisy = std::count_if(classes.begin(), classes.end(),
                                   [&](const auto& c) { return c.noise(features) > 1; });
  if (noisy == 0) return;
  const int count = static_cast<int>(noisy), all = static_cast<int>(classes.size());
  postgres([&] {
    ereport(WARNING, (errmsg("the noise exceeds the bounds in %d of %d classes", count, all),
                      errdetail("A synthetic value's noise has a deviation above half the width of "
                                "its column's bounds."),
                      errhint("Ask for fewer rows or features, a larger mix, or more epsilon.")));
  });
}

void synthesise(const Release* release, SilentScan* scan, const CdaPlan& plan,
                RandomStream& random) {
  const int features = release->request.features;
  std::vector<std::int64_t> record(static_cast<std::size_t>(features));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(release->request.classes));
  Pass pass = {release, record.data(), counts.data(), NULL, &random};
  postgres([&] { run_scan(scan, receive, &pass); });
  pass.counts = NULL;
  for (std::int64_t& count : counts) count = noisy_class_count(random, plan, count);
  const std::vector<MixedClass> classes = plan_classes(plan, counts);
  warn_of_noise(classes, features);

  // As many rows at a time as work_mem holds; each block reads the table once.
  const std::int64_t memory = static_cast<std::int64_t>(work_mem) * 1024;
  const std::int64_t block = std::max<std::int64_t>(1, memory / (8 * features));
  Output output = {release, std::vector<double>(static_cast<std::size_t>(features))};
  Demixer demixer(release->request.demix, classes, features,
                  [&](int k, const double* row) { output.put(k, row); });
  std::vector<double> row(static_cast<std::size_t>(features));
  std::size_t k = 0;
  for (std::int64_t first = 0; first < release->request.rows; first += block) {
    const std::int64_t end = std::min(first + block, release->request.rows);
    RowMixer mixer(classes, features, first, end - first);
    pass.mixer = &mixer;
    postgres([&] { run_scan(scan, receive, &pass); });
    for (std::int64_t t = first; t < end; ++t) {
      poll();
      if (t == classes[k].first + classes[k].rows) ++k;
      mixer.finish(random, static_cast<int>(k), t, row.data());
      demixer.add(static_cast<int>(k), row.data());
    }
  }
  demixer.finish();
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda(PG_FUNCTION_ARGS) {
  const Release* release = validate(fcinfo);
  const CdaPlan plan = guard([&] { return plan_cda(release->request); });
  SilentScan* scan = plan_scan(records_sql(release->table, release->columns),
                               release->table->relation, release->table->owner);
  const Repricing repricing = {plan.asked.epsilon, plan.asked.delta, charge_at, release};
  const ChargeRequest request = {
      .table = release->table,
      .kind = "cda",
      .mechanism = "poisson_mixing",
      .epsilon = plan.asked.epsilon,
      .delta = plan.asked.delta,
      .own = own_of(plan),
      .parameters = parameters_json(release, plan),
      .release = NULL,
      .repricing = &repricing,
  };
  charge(request);
  DPMIX_FAULT("cda.charged");

  RandomStream::Key key;
  fresh_key(key);
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    synthesise(release, scan, plan, random);
  });
  DPMIX_FAULT("cda.synthesised");
  return (Datum)0;
}

Datum dpmix_preview_cda(PG_FUNCTION_ARGS) {
  const Release* release = validate(fcinfo);
  const CdaPlan plan = guard([&] { return plan_cda(release->request); });
  return return_preview(fcinfo, {.mechanism = "poisson_mixing",
                                 .epsilon = plan.asked.epsilon,
                                 .delta = plan.asked.delta,
                                 .mu = plan.mu,
                                 .count_stddev = count_stddev(plan),
                                 .outlook = outlook_of(release->table, plan.asked.epsilon,
                                                       plan.asked.delta, own_of(plan))});
}
