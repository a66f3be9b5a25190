// Density and posterior of a point: for each row of a query, from a model that is loaded, with the
// caller's rights checked, once. Free: post-processing.
#include "pg/mixture/density.hpp"

#include <algorithm>
#include <cmath>

#include "core/mixture/density.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/rows/named_columns.hpp"

extern "C" {
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_gmm_log_density);
PG_FUNCTION_INFO_V1(dpmix_gmm_posterior);
}

namespace dpmix::pg {
namespace {

struct Density {
  DensityTable table;
  double* densities;  // room for one of each component
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

Density density_of(const StoredGmm* gmm) {
  return {copy_density(gmm), (double*)palloc(Max(gmm->components, 1) * sizeof(double))};
}

Density* loaded_density(FunctionCallInfo fcinfo) {
  return loaded_model<Density>(
      fcinfo, [](const char* name, Density* density) { *density = density_of(load_gmm(name)); });
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

struct LoadedGmm {
  const StoredGmm* gmm;
  Density density;
  NamedColumns columns;
  RowNumber* features;
  double* x;  // room for a point
};

static void find_features(LoadedGmm* loaded) {
  const StoredGmm* gmm = loaded->gmm;
  loaded->features = (RowNumber*)palloc(gmm->features * sizeof(RowNumber));
  for (int i = 0; i < gmm->features; i++) {
    const int column = required_column(loaded->columns, gmm->feature[i], gmm->name);
    loaded->features[i] = number_in(loaded->columns, column, gmm->feature[i], gmm->types[i]);
  }
}

LoadedGmm* loaded_gmm(const FoundRelease& found) {
  LoadedGmm* loaded = (LoadedGmm*)palloc0(sizeof(LoadedGmm));
  loaded->gmm = load_gmm(found);
  loaded->density = density_of(loaded->gmm);
  loaded->columns = named_columns();
  loaded->x = (double*)palloc(loaded->gmm->features * sizeof(double));
  return loaded;
}

const char* class_by_gmm(LoadedGmm* loaded, HeapTupleHeader row) {
  const StoredGmm* gmm = loaded->gmm;
  read_named(&loaded->columns, row, [&] { find_features(loaded); });
  for (int i = 0; i < gmm->features; i++) {
    loaded->x[i] = number_of(loaded->columns, loaded->features[i]);
    if (std::isnan(loaded->x[i])) return NULL;
  }
  double* densities = loaded->density.densities;
  if (std::isinf(log_densities(loaded->density.table, loaded->x, densities))) return NULL;
  const auto k = std::max_element(densities, densities + gmm->components) - densities;
  return gmm->labels != NULL ? gmm->labels[k] : psprintf("%d", (int)k + 1);
}

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
