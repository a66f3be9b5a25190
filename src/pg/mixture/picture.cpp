// One feature of a stored mixture: its density at points, and as a picture.
#include "pg/mixture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/drawing/mixture.hpp"
#include "core/mixture/marginal.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/texts.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/stored.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_gmm_marginal);
}

namespace dpmix::pg {
namespace {

constexpr int kMostPoints = 100000;

struct Points {
  double* x;
  int count;
};

// `at` if given, else so many across the range of the components.
Points points_argument(FunctionCallInfo fcinfo, const StoredGmm* gmm, int feature) {
  Points points = {};
  if (!PG_ARGISNULL(3)) {
    ArrayType* array = PG_GETARG_ARRAYTYPE_P(3);
    points.count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    bool known = !array_contains_nulls(array) && ARR_NDIM(array) <= 1;
    points.x = (double*)ARR_DATA_PTR(array);
    for (int i = 0; known && i < points.count; i++) known = !std::isnan(points.x[i]);
    if (!known || points.count > kMostPoints) {
      refuse_argument(
          "invalid points",
          psprintf("at must be a list of at most %d numbers, without NULL or NaN.", kMostPoints),
          "Leave it out to have points chosen.");
    }
    return points;
  }
  require_argument(fcinfo, 2);
  points.count = PG_GETARG_INT32(2);
  require_range(fcinfo, 2, points.count, 2, kMostPoints, "Leave it out for 200.");
  points.x = (double*)palloc(points.count * sizeof(double));
  guard([&] {
    const MarginalRange range = marginal_range(marginal_of(mixture_of(gmm), feature),
                                               gmm->lower[feature], gmm->upper[feature]);
    const std::vector<double> grid = marginal_grid(range, points.count);
    std::copy(grid.begin(), grid.end(), points.x);
  });
  return points;
}

const char* component_name(const StoredGmm* gmm, int k) {
  return gmm->labels != NULL ? as_utf8(gmm->labels[k]) : psprintf("component %d", k + 1);
}

}  // namespace

text* gmm_picture(const FoundRelease& found, const char* named) {
  const StoredGmm* gmm = load_gmm(found);
  const int feature = named != NULL ? feature_named(gmm, named) : 0;
  const char *model = as_utf8(gmm->name), *column = as_utf8(gmm->feature[feature]);
  const char* label = gmm->label != NULL ? as_utf8(gmm->label) : "";
  const char** names = (const char**)palloc(Max(gmm->components, 1) * sizeof(char*));
  for (int k = 0; k < gmm->components; k++) names[k] = component_name(gmm, k);
  return guard([&] {
    const MarginalPicture picture{model,
                                  column,
                                  label,
                                  {names, names + gmm->components},
                                  axis_unit(gmm->types[feature]),
                                  gmm->lower[feature],
                                  gmm->upper[feature],
                                  marginal_of(mixture_of(gmm), feature)};
    return text_of(draw_marginal(picture));
  });
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_marginal(PG_FUNCTION_ARGS) {
  const StoredGmm* gmm = load_gmm(release_argument(fcinfo, 0));
  const int feature = feature_argument(fcinfo, 1, gmm), d = gmm->features;
  const Points points = points_argument(fcinfo, gmm, feature);
  const ResultRows rows = begin_rows(fcinfo);
  for (int k = 0; k < gmm->components; k++) {
    CHECK_FOR_INTERRUPTS();
    const Size place = (Size)k * d + feature;
    const MarginalComponent marginal = {gmm->weights[k], gmm->means[place],
                                        sqrt(gmm->covariances[place * d + feature])};
    const Value label = gmm->labels != NULL ? gmm->labels[k] : (const char*)NULL;
    for (int i = 0; i < points.count; i++) {
      add_row(rows, {label, k + 1, points.x[i], marginal.density(points.x[i])});
    }
  }
  return (Datum)0;
}
