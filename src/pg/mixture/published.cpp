// dpmix.gmm_published: the published mechanism and its baselines, for comparison, on rows that the
// caller may read anyway. Charges nothing, stores nothing; owner and superuser only.
#include <algorithm>
#include <vector>

#include "core/base/refuse_parameter.hpp"
#include "core/published/baselines.hpp"
#include "pg/border/entropy.hpp"
#include "pg/mixture/store.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/border/quoted.hpp"
#include "pg/scan/silent_scan.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(dpmix_gmm_published);
}

namespace dpmix::pg {
namespace {

enum Argument { kRelation, kFeatures, kEpsilon, kDelta, kLabel, kMethod, kClip };
constexpr int kMostRows = 100000;

// What is asked, and the rows: complete ones, clamped to the bounds.
struct Comparison {
  PublishedMethod method;
  double epsilon, delta;
  bool clips;
  double clip;
  ProtectedTable* table;
  ModelColumns* columns;
  MemoryContext context;
  int rows, room;
  int* label;
  double* value;
};

Comparison* validate(FunctionCallInfo fcinfo) {
  static constexpr const char* required[] = {"relation", "features", "epsilon", "delta", "label"};
  for (int i = kRelation; i <= kLabel; i++) {
    if (PG_ARGISNULL(i)) {
      refuse_argument(psprintf("%s is NULL", required[i]), "It must be given.",
                      "See the comment of dpmix.gmm_published.");
    }
  }
  Comparison* c = (Comparison*)palloc0(sizeof(Comparison));
  const char* asked =
      PG_ARGISNULL(kMethod) ? "published" : text_to_cstring(PG_GETARG_TEXT_PP(kMethod));
  const auto method = published_method_of(asked);
  if (!method) {
    refuse_argument(
        "unknown method",
        psprintf("method is \"%s\"; it must be published, record, iid_laplace, iid_gaussian, "
                 "coloured_gaussian or r1smg.",
                 shown(asked)),
        "Leave method out for the published mechanism.");
  }
  c->method = *method;
  c->epsilon = PG_GETARG_FLOAT8(kEpsilon);
  c->delta = PG_GETARG_FLOAT8(kDelta);
  guard([&] { check_epsilon_delta(c->epsilon, c->delta); });
  if (c->delta == 0 && c->method != PublishedMethod::iid_laplace) {
    refuse_argument("delta must be above 0", "Only iid_laplace does without.",
                    "Use a delta well below one over the number of rows, such as 1e-6.");
  }
  c->clips = !PG_ARGISNULL(kClip);
  c->clip = c->clips ? PG_GETARG_FLOAT8(kClip) : 0;

  lock_owned(PG_GETARG_OID(kRelation), AccessShareLock);
  c->table = open_protected(PG_GETARG_OID(kRelation));
  c->columns = model_columns(c->table, PG_GETARG_ARRAYTYPE_P(kFeatures), MomentFrame::max_features,
                             NameStr(*PG_GETARG_NAME(kLabel)));
  c->context = CurrentMemoryContext;
  return c;
}

// Makes room for one more row of the given size.
void grow(Comparison* c) {
  const int d = c->columns->features;
  if (c->rows < c->room) return;
  if (c->rows == kMostRows) {
    refuse_argument("too many rows for the published mixture",
                    psprintf("The table has more than %d complete rows.", kMostRows),
                    "Compare on a sample of the table.");
  }
  MemoryContext outer = MemoryContextSwitchTo(c->context);
  const bool first = c->room == 0;
  c->room = first ? 1024 : Min(2 * c->room, kMostRows);
  const Size labels = c->room * sizeof(int), values = (Size)c->room * d * sizeof(double);
  c->label = (int*)(first ? palloc(labels) : repalloc(c->label, labels));
  c->value = (double*)(first ? palloc(values) : repalloc(c->value, values));
  MemoryContextSwitchTo(outer);
}

void receive(const Datum* values, const bool* nulls, void* arg) {
  Comparison* c = (Comparison*)arg;
  const int d = c->columns->features;
  for (int i = 0; i <= d; i++) {
    if (nulls[i]) return;
  }
  for (int i = 0; i < d; i++) {
    const double value = DatumGetFloat8(values[i + 1]);
    if (value != value) return;
  }
  grow(c);
  c->label[c->rows] = DatumGetInt32(values[0]);
  for (int i = 0; i < d; i++) {
    c->value[(Size)c->rows * d + i] =
        Min(Max(DatumGetFloat8(values[i + 1]), c->columns->lower[i]), c->columns->upper[i]);
  }
  c->rows++;
}

struct Marks {
  bool is_private;
  char* note;
};

Marks release(const Comparison* c, StoredGmm* gmm) {
  RandomStream::Key key;
  fresh_key(key);
  Marks marks = {};
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    const ModelColumns* columns = c->columns;
    const auto d = static_cast<std::size_t>(columns->features);
    const auto n = static_cast<std::size_t>(c->rows);
    LabelledRows rows{columns->features, columns->classes, {}, {}};
    rows.label.assign(c->label, c->label + n);
    rows.value.assign(c->value, c->value + n * d);
    PublishedRequest request;
    request.method = c->method;
    request.epsilon = c->epsilon;
    request.delta = c->delta;
    if (c->clips) request.clip = c->clip;
    request.lower.assign(columns->lower, columns->lower + d);
    request.upper.assign(columns->upper, columns->upper + d);
    const PublishedRelease out = release_published(random, rows, request);
    fill_gmm(gmm, out.mixture);
    marks.is_private = out.is_private;
    const char* note = out.note.c_str();
    postgres([&] { marks.note = pstrdup(note); });
  });
  return marks;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_published(PG_FUNCTION_ARGS) {
  Comparison* c = validate(fcinfo);
  run_scan(plan_scan(records_sql(c->table, c->columns), c->table->relation, c->table->owner),
           receive, c);
  StoredGmm* gmm = new_gmm(NULL, c->columns, c->columns->classes);
  const Marks marks = release(c, gmm);

  InitMaterializedSRF(fcinfo, 0);
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  const int d = gmm->features, square[] = {d, d};
  for (int k = 0; k < gmm->components; k++) {
    Datum values[] = {Int32GetDatum(k + 1),
                      CStringGetTextDatum(gmm->labels[k]),
                      Float8GetDatum(gmm->weights[k]),
                      float8_array(gmm->means + (Size)k * d, 1, square),
                      float8_array(gmm->covariances + (Size)k * d * d, 2, square),
                      BoolGetDatum(marks.is_private),
                      CStringGetTextDatum(marks.note)};
    bool nulls[lengthof(values)] = {};
    tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  }
  return (Datum)0;
}
