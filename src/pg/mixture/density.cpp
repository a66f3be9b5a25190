// Density, posterior and class of a row: for each row of a query, from a model that is loaded, with
// the caller's rights checked, once. Free: post-processing.
#include "pg/mixture/density.hpp"

#include <algorithm>
#include <cmath>

#include "core/mixture/density.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/rows/named_columns.hpp"

extern "C" {
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

// False where a feature is NULL or NaN: the point is not known.
static bool read_point(LoadedGmm* loaded, HeapTupleHeader row) {
  read_named(&loaded->columns, row, [&] { find_features(loaded); });
  for (int i = 0; i < loaded->gmm->features; i++) {
    loaded->x[i] = number_of(loaded->columns, loaded->features[i]);
    if (std::isnan(loaded->x[i])) return false;
  }
  return true;
}

static double log_density_at(const LoadedGmm* loaded) {
  return log_densities(loaded->density.table, loaded->x, loaded->density.densities);
}

static LoadedGmm* loaded_argument(FunctionCallInfo fcinfo) {
  return *loaded_model<LoadedGmm*>(fcinfo, [](const char* name, LoadedGmm** loaded) {
    *loaded = loaded_gmm(usable_release(name, "gmm"));
  });
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
  if (!read_point(loaded, row) || std::isinf(log_density_at(loaded))) return NULL;
  const double* densities = loaded->density.densities;
  const auto k = std::max_element(densities, densities + gmm->components) - densities;
  return gmm->labels != NULL ? gmm->labels[k] : psprintf("%d", (int)k + 1);
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_log_density(PG_FUNCTION_ARGS) {
  LoadedGmm* loaded = loaded_argument(fcinfo);
  if (!read_point(loaded, PG_GETARG_HEAPTUPLEHEADER(1))) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(log_density_at(loaded));
}

Datum dpmix_gmm_posterior(PG_FUNCTION_ARGS) {
  LoadedGmm* loaded = loaded_argument(fcinfo);
  if (!read_point(loaded, PG_GETARG_HEAPTUPLEHEADER(1))) PG_RETURN_NULL();
  const double total = log_density_at(loaded);
  if (std::isinf(total)) PG_RETURN_NULL();  // too far from all to tell them apart
  const Density& density = loaded->density;
  normalise({density.densities, density.table.components}, total);
  PG_RETURN_DATUM(float8_array(density.densities, (int)density.table.components).datum);
}
