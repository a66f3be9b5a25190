// How likely a stored mixture makes a point, and which component did: for each row of a query, from
// a model that is loaded, with the caller's rights checked, once. Free: post-processing.
#include <algorithm>
#include <cmath>

#include "core/mixture/density.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/store.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dpmix_gmm_log_density);
PG_FUNCTION_INFO_V1(dpmix_gmm_posterior);
PG_FUNCTION_INFO_V1(dpmix_gmm_classify);
}

namespace dpmix::pg {
namespace {

// As whom and of what moment the catalog was read: when two are equal, no transaction that was
// under way or not yet begun at the first had ended by the second, and the caller's own wrote
// nothing in between. A query has one; PL/pgSQL keeps a call's memory for many.
struct Moment {
  Oid user;
  TransactionId xmax;
  uint32 running, subtransactions;
  bool overflowed;
  CommandId command;

  bool operator==(const Moment&) const = default;
};

Moment present_moment() {  // of nobody where there is no snapshot to tell by
  if (!ActiveSnapshotSet()) return {};
  const Snapshot s = GetActiveSnapshot();
  return {GetUserId(), s->xmax, s->xcnt, (uint32)s->subxcnt, s->suboverflowed, s->curcid};
}

bool is_present(const Moment& moment) {
  return OidIsValid(moment.user) && moment == present_moment();
}

struct LoadedDensity {   // kept by the call site, in its memory
  MemoryContext memory;  // of the rest; emptied when another is loaded
  bool loaded;
  Moment moment;
  const text* name;
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

void load(LoadedDensity* density, const text* name) {
  density->loaded = false;
  MemoryContextReset(density->memory);
  MemoryContext outer = MemoryContextSwitchTo(density->memory);
  density->moment = present_moment();
  const StoredGmm* gmm = load_gmm(text_to_cstring(name));
  density->name = (const text*)PG_DETOAST_DATUM_COPY(PointerGetDatum(name));
  density->table = copy_density(gmm);
  density->densities = (double*)palloc(Max(gmm->components, 1) * sizeof(double));
  density->labels = (Datum*)palloc(Max(gmm->components, 1) * sizeof(Datum));
  for (int k = 0; k < gmm->components; k++) {
    density->labels[k] =
        CStringGetTextDatum(gmm->labels != NULL ? gmm->labels[k] : psprintf("%d", k + 1));
  }
  MemoryContextSwitchTo(outer);
  density->loaded = true;
}

bool same_text(const text* a, const text* b) {
  const Size size = VARSIZE_ANY_EXHDR(a);
  return size == VARSIZE_ANY_EXHDR(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

LoadedDensity* loaded_density(FunctionCallInfo fcinfo) {
  FmgrInfo* site = fcinfo->flinfo;
  LoadedDensity* density = (LoadedDensity*)site->fn_extra;
  if (density == NULL) {
    density = (LoadedDensity*)MemoryContextAllocZero(site->fn_mcxt, sizeof(LoadedDensity));
    density->memory = AllocSetContextCreate(site->fn_mcxt, "dpmix density", ALLOCSET_DEFAULT_SIZES);
    site->fn_extra = density;
  }
  const text* name = PG_GETARG_TEXT_PP(0);
  if (!density->loaded || !same_text(name, density->name) || !is_present(density->moment)) {
    load(density, name);
  }
  return density;
}

// NULL where an entry is NULL or NaN: the point is not known.
const double* point_argument(FunctionCallInfo fcinfo, const LoadedDensity* density) {
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
  LoadedDensity* density = loaded_density(fcinfo);
  const double* x = point_argument(fcinfo, density);
  if (x == NULL) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(log_densities(density->table, x, density->densities));
}

Datum dpmix_gmm_posterior(PG_FUNCTION_ARGS) {
  LoadedDensity* density = loaded_density(fcinfo);
  const double* x = point_argument(fcinfo, density);
  if (x == NULL) PG_RETURN_NULL();
  const double total = log_densities(density->table, x, density->densities);
  if (std::isinf(total)) PG_RETURN_NULL();  // too far from all to tell them apart
  normalise({density->densities, density->table.components}, total);
  PG_RETURN_DATUM(float8_array(density->densities, (int)density->table.components).datum);
}

Datum dpmix_gmm_classify(PG_FUNCTION_ARGS) {
  LoadedDensity* density = loaded_density(fcinfo);
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
