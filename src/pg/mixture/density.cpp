// How likely a stored mixture makes a point, and which component did: for each row of a query, from
// a model that is loaded, with the caller's rights checked, once. Free: post-processing.
#include <algorithm>
#include <cmath>

#include "core/mixture/density.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/loaded_model.hpp"
#include "pg/mixture/store.hpp"

extern "C" {
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_gmm_log_density);
PG_FUNCTION_INFO_V1(dpmix_gmm_posterior);
PG_FUNCTION_INFO_V1(dpmix_gmm_classify);
}

namespace dpmix::pg {
namespace {

struct Density {
  DensityTable table;
  double* densities;  // room for one of each component
  Datum* labels;      // texts
};

DensityTable copy_density(const StoredGmm* gmm) {
  DensityTable copy = {};
  guard([&] {
    const MixtureDensity density(mixture_of(gmm));
    copy = density.table();
    const Size bytes = Max(copy.size(), 1) * sizeof(double);
    double* numbers = NULL;
    postgres([&] { numbers = (double*)MemoryContextAllocHuge(CurrentMemoryContext, bytes); });
    std::copy_n(copy.numbers, copy.size(), numbers);
    copy.numbers = numbers;
  });
  return copy;
}

void load(const char* name, Density* density) {
  const StoredGmm* gmm = load_gmm(name);
  density->table = copy_density(gmm);
  density->densities = (double*)palloc(Max(gmm->components, 1) * sizeof(double));
  density->labels = (Datum*)palloc(Max(gmm->components, 1) * sizeof(Datum));
  for (int k = 0; k < gmm->components; k++) {
    density->labels[k] =
        CStringGetTextDatum(gmm->labels != NULL ? gmm->labels[k] : psprintf("%d", k + 1));
  }
}

Density* loaded_density(FunctionCallInfo fcinfo) {
  return loaded_model<Density>(fcinfo, load);
}

// NULL where an entry is NULL or NaN: the point is not known.
const double* point_argument(FunctionCallInfo fcinfo, const Density* density) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(1);
  const int d = (int)density->table.features;
  if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != d) {
    refuse_argument(psprintf("a point of the mixture has %d entries", d),
                    psprintf("x has %d, in %d dimensions.",
                             ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), ARR_NDIM(array)),
                    "Give one float8 for each feature, in the order of dpmix.releases.");
  }
  if (ARR_HASNULL(array) && array_contains_nulls(array)) return NULL;
  const double* x = (const double*)ARR_DATA_PTR(array);
  for (int i = 0; i < d; i++) {
    if (std::isnan(x[i])) return NULL;
  }
  return x;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_log_density(PG_FUNCTION_ARGS) {
  Density* density = loaded_density(fcinfo);
  const double* x = point_argument(fcinfo, density);
  if (x == NULL) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(log_densities(density->table, x, density->densities));
}

Datum dpmix_gmm_posterior(PG_FUNCTION_ARGS) {
  Density* density = loaded_density(fcinfo);
  const double* x = point_argument(fcinfo, density);
  if (x == NULL) PG_RETURN_NULL();
  const double total = log_densities(density->table, x, density->densities);
  if (std::isinf(total)) PG_RETURN_NULL();  // too far from all to tell them apart
  normalise({density->densities, density->table.components}, total);
  PG_RETURN_DATUM(float8_array(density->densities, (int)density->table.components).datum);
}

Datum dpmix_gmm_classify(PG_FUNCTION_ARGS) {
  Density* density = loaded_density(fcinfo);
  const double* x = point_argument(fcinfo, density);
  if (x == NULL) PG_RETURN_NULL();
  const double total = log_densities(density->table, x, density->densities);
  if (std::isinf(total)) PG_RETURN_NULL();
  const double* end = density->densities + density->table.components;
  const auto k = std::max_element(density->densities, (double*)end) - density->densities;
  const text* label = (const text*)DatumGetPointer(density->labels[k]);
  text* copy = (text*)palloc(VARSIZE_ANY(label));
  memcpy(copy, label, VARSIZE_ANY(label));
  PG_RETURN_TEXT_P(copy);
}
