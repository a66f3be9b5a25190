// dpmix.gmm_published: the published mechanism and its baselines, for comparison, on rows that the
// caller may read anyway. Charges nothing, stores nothing; owner and superuser only.

#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "core/published/baselines.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/mixture/store.hpp"
#include "pg/owner/owned.hpp"
#include "pg/scan/silent_scan.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_gmm_published);
}

namespace dpmix::pg {
namespace {

enum Argument { kRelation, kFeatures, kEpsilon, kDelta, kLabel, kMethod, kClip };
constexpr int kMostRows = 100000;

// What is asked, and the rows: complete ones, clamped to the bounds.
struct Comparison {
  PublishedMethod method;
  Guarantee guarantee;
  std::optional<double> clip;
  ProtectedTable* table;
  ModelColumns* columns;
  MemoryContext context;
  int rows, room;
  int* label;
  double* value;
};

Comparison read_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, kLabel + 1);
  Comparison c = {};
  c.method =
      word_argument(fcinfo, kMethod, "published", published_method_of,
                    "published, record, iid_laplace, iid_gaussian, coloured_gaussian or r1smg");
  if (c.method == PublishedMethod::iid_laplace) {
    c.guarantee = {PG_GETARG_FLOAT8(kEpsilon), PG_GETARG_FLOAT8(kDelta)};
    guard([&] { check_epsilon_delta(c.guarantee.epsilon, c.guarantee.delta); });
  } else {
    c.guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  }
  c.clip = float8_argument(fcinfo, kClip);
  lock_owned(PG_GETARG_OID(kRelation), AccessShareLock);
  c.table = open_protected(PG_GETARG_OID(kRelation));
  c.columns = model_columns(c.table, PG_GETARG_ARRAYTYPE_P(kFeatures), MomentFrame::max_features,
                            name_argument(fcinfo, kLabel));
  c.context = CurrentMemoryContext;
  return c;
}

// Makes room for one more row of the given size.
void make_room(Comparison* c) {
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

void receive_row(Comparison* c, const Datum* values, const bool* nulls) {
  const int d = c->columns->features;
  for (int i = 0; i <= d; i++) {
    if (nulls[i]) return;
  }
  for (int i = 0; i < d; i++) {
    const double value = DatumGetFloat8(values[i + 1]);
    if (value != value) return;
  }
  make_room(c);
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

Marks release(const Comparison* c, PlainNumbers* made) {
  Marks marks = {};
  guard_with_random([&](RandomStream& random) {
    const ModelColumns* columns = c->columns;
    const auto d = static_cast<std::size_t>(columns->features);
    const auto n = static_cast<std::size_t>(c->rows);
    LabelledRows rows{columns->features, columns->classes, {}, {}};
    rows.label.assign(c->label, c->label + n);
    rows.value.assign(c->value, c->value + n * d);
    PublishedRequest request;
    request.method = c->method;
    request.epsilon = c->guarantee.epsilon;
    request.delta = c->guarantee.delta;
    if (c->clip) request.clip = *c->clip;
    request.lower.assign(columns->lower, columns->lower + d);
    request.upper.assign(columns->upper, columns->upper + d);
    const PublishedRelease out = release_published(random, rows, request);
    *made = plain_numbers(packed_gmm(out.mixture));
    marks.is_private = out.is_private;
    marks.note = c_string_of(out.note);
  });
  return marks;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_published(PG_FUNCTION_ARGS) {
  Comparison c = read_call(fcinfo);
  run_scan(plan_scan(records_sql(c.table, c.columns), c.table->relation, c.table->owner),
           [&](const Datum* values, const bool* nulls) { receive_row(&c, values, nulls); });
  PlainNumbers made;
  const Marks marks = release(&c, &made);
  // It tells no numbers of rows.
  const StoredGmm gmm = gmm_of(NULL, c.columns, {NULL, c.columns->classes}, made);
  const ResultRows rows = begin_rows(fcinfo);
  for (int k = 0; k < gmm.components; k++) {
    add_row(rows, {k + 1, gmm.labels[k], gmm.weights[k], mean_value(&gmm, k),
                   covariance_value(&gmm, k), marks.is_private, marks.note});
  }
  return (Datum)0;
}
