// dpmix_papers.fit: the published mechanism and its baselines, for comparison, of rows that the
// caller brings. Charges nothing, stores nothing.
#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "core/published/baselines.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"

extern "C" {
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_papers_fit);
}

namespace dpmix::pg {
namespace {

enum Argument {
  kLabels,
  kFeatures,
  kLower,
  kUpper,
  kClasses,
  kEpsilon,
  kDelta,
  kMethod,
  kClip,
};
constexpr int kMostRows = 100000;

struct Rows {
  int rows, features, classes;
  const int* label;  // counted from 1
  const double *value, *lower, *upper;
};

[[noreturn]] void refuse_arrays(const char* detail) {
  refuse_argument("the arrays are not rows of features with labels", detail,
                  "Leave it to dpmix_papers.gmm(), which makes them of a table.");
}

const ArrayType* array_argument(FunctionCallInfo fcinfo, int n) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(n);
  if (array_contains_nulls(array)) refuse_arrays("One of them holds a NULL.");
  return array;
}

int size_of(const ArrayType* array) {
  return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

Rows rows_of(FunctionCallInfo fcinfo) {
  const ArrayType *labels = array_argument(fcinfo, kLabels),
                  *values = array_argument(fcinfo, kFeatures),
                  *lower = array_argument(fcinfo, kLower), *upper = array_argument(fcinfo, kUpper);
  Rows r = {size_of(labels), size_of(lower), PG_GETARG_INT32(kClasses), NULL, NULL, NULL, NULL};
  r.label = (const int*)ARR_DATA_PTR(labels);
  r.value = (const double*)ARR_DATA_PTR(values);
  r.lower = (const double*)ARR_DATA_PTR(lower);
  r.upper = (const double*)ARR_DATA_PTR(upper);
  require_range("the number of features", r.features, 1, MomentFrame::max_features,
                "Name fewer columns.");
  require_range("the number of classes", r.classes, 1, MomentFrame::max_classes,
                "Name a label with fewer categories.");
  if (r.rows > kMostRows) {
    refuse_argument("too many rows for the published mixture",
                    psprintf("The table has more than %d complete rows.", kMostRows),
                    "Compare on a sample of the table.");
  }
  if (size_of(upper) != r.features || size_of(values) != (int64)r.rows * r.features) {
    refuse_arrays("Their lengths differ.");
  }
  for (int i = 0; i < r.features; i++) {
    if (!(r.lower[i] < r.upper[i]) || !std::isfinite(r.upper[i] - r.lower[i])) {
      refuse_arrays("A lower bound is not below its upper bound, or is not finite.");
    }
  }
  for (int n = 0; n < r.rows; n++) {
    if (r.label[n] < 1 || r.label[n] > r.classes) refuse_arrays("A label is of no class.");
    for (int i = 0; i < r.features; i++) {
      const double value = r.value[(Size)n * r.features + i];
      if (!(value >= r.lower[i] && value <= r.upper[i])) refuse_arrays("A value is out of bounds.");
    }
  }
  return r;
}

struct Call {
  PublishedMethod method;
  Guarantee guarantee;
  std::optional<double> clip;
  Rows rows;
};

Call read_call(FunctionCallInfo fcinfo) {
  require_arguments(fcinfo, kDelta + 1);
  Call call = {};
  call.method =
      word_argument(fcinfo, kMethod, "published", published_method_of,
                    "published, record, iid_laplace, iid_gaussian, coloured_gaussian or r1smg");
  if (call.method == PublishedMethod::iid_laplace) {
    call.guarantee = {PG_GETARG_FLOAT8(kEpsilon), PG_GETARG_FLOAT8(kDelta)};
    guard([&] { check_epsilon_delta(call.guarantee.epsilon, call.guarantee.delta); });
  } else {
    call.guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  }
  call.clip = float8_argument(fcinfo, kClip);
  call.rows = rows_of(fcinfo);
  return call;
}

// Weights, means and covariances, in plain memory.
struct Made {
  double *weight, *mean, *covariance;
  bool is_private;
  char* note;
};

Made fit(const Call& call) {
  const Rows& r = call.rows;
  const Size k = r.classes, d = r.features;
  Made made = {(double*)palloc(sizeof(double) * k), (double*)palloc(sizeof(double) * k * d),
               (double*)palloc(sizeof(double) * k * d * d), false, NULL};
  guard_with_random([&](RandomStream& random) {
    LabelledRows rows{r.features, r.classes, {}, {}};
    for (int n = 0; n < r.rows; n++) rows.label.push_back(r.label[n] - 1);
    rows.value.assign(r.value, r.value + static_cast<std::size_t>(r.rows) * d);
    PublishedRequest request;
    request.method = call.method;
    request.epsilon = call.guarantee.epsilon;
    request.delta = call.guarantee.delta;
    if (call.clip) request.clip = *call.clip;
    request.lower.assign(r.lower, r.lower + d);
    request.upper.assign(r.upper, r.upper + d);
    const PublishedRelease out = release_published(random, rows, request);
    for (std::size_t c = 0; c < k; ++c) {
      const auto& component = out.mixture.components.at(c);
      made.weight[c] = component.weight;
      std::ranges::copy(component.mean, made.mean + c * d);
      std::ranges::copy(component.covariance, made.covariance + c * d * d);
    }
    made.is_private = out.is_private;
    made.note = c_string_of(out.note);
  });
  return made;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_papers_fit(PG_FUNCTION_ARGS) {
  const Call call = read_call(fcinfo);
  const Made made = fit(call);
  const int d = call.rows.features, square[] = {d, d};
  const ResultRows rows = begin_rows(fcinfo);
  for (int c = 0; c < call.rows.classes; c++) {
    add_row(rows, {c + 1, made.weight[c], float8_array(made.mean + (Size)c * d, d),
                   float8_array(made.covariance + (Size)c * d * d, 2, square), made.is_private,
                   made.note});
  }
  return (Datum)0;
}
