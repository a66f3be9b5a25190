#include "pg/mixture/store.hpp"

#include <algorithm>

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/mixture/found_release.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, weights = $3, means = $4, covariances = $5, "
    "    row_counts = $6, feature_types = $7, adjacency = $8, covariance = $9, objective = $10, "
    "    dimensions = $11, count_stddev = $12, quality = $13 WHERE name = $1 AND charge_id = 0"};

}  // namespace

void store_gmm(const StoredGmm* gmm, const GmmFacts& facts, int64 charge_id) {
  const int sizes[] = {gmm->components, gmm->features, gmm->features};
  as_catalog_owner([&] {
    (void)write_rows(
        store, {gmm->name, charge_id, float8_array(gmm->weights, 1, sizes),
                float8_array(gmm->means, 2, sizes), float8_array(gmm->covariances, 3, sizes),
                float8_array(gmm->rows, 1, sizes), oid_array(gmm->types, gmm->features, REGTYPEOID),
                facts.adjacency, facts.covariance, facts.objective, facts.dimensions,
                facts.count_stddev, facts.quality});
  });
}

StoredGmm* new_gmm(const char* name, const ModelColumns* columns, int components) {
  StoredGmm* gmm = (StoredGmm*)palloc0(sizeof(StoredGmm));
  const Size k = components, d = columns->features;
  gmm->name = name;
  gmm->features = columns->features;
  gmm->types = columns->type;
  gmm->components = components;
  gmm->labels = columns->category;
  gmm->weights = (double*)palloc(k * sizeof(double));
  gmm->rows = (double*)palloc(k * sizeof(double));
  gmm->means = (double*)palloc(k * d * sizeof(double));
  gmm->covariances = (double*)palloc(k * d * d * sizeof(double));
  return gmm;
}

namespace {

// Calls with each array of a mixture and the number of its elements.
template <class Receive>
void each_array(const StoredGmm* gmm, const Receive& receive) {
  const Size k = gmm->components, d = gmm->features;
  receive(gmm->weights, k);
  receive(gmm->rows, k);
  receive(gmm->means, k * d);
  receive(gmm->covariances, k * d * d);
}

}  // namespace

void put_gmm(StringInfo out, const StoredGmm* gmm) {
  pq_sendint32(out, gmm->components);
  each_array(gmm, [=](const double* numbers, Size count) {
    appendBinaryStringInfo(out, (const char*)numbers, (int)(count * sizeof(double)));
  });
}

StoredGmm* get_gmm(StringInfo in, const char* name, const ModelColumns* columns) {
  StoredGmm* gmm = new_gmm(name, columns, (int)pq_getmsgint(in, 4));
  each_array(gmm, [=](double* numbers, Size count) {
    memcpy(numbers, pq_getmsgbytes(in, (int)(count * sizeof(double))), count * sizeof(double));
  });
  return gmm;
}

StoredGmm* load_gmm(const char* name) {
  const FoundRelease found = usable_release(name, "gmm");
  StoredGmm* gmm = (StoredGmm*)palloc(sizeof(StoredGmm));
  *gmm = {.name = name,
          .features = found.features,
          .components = found.components,
          .feature = found.feature,
          .types = found.types,
          .label = found.label,
          .labels = found.labels,
          .lower = found.lower,
          .upper = found.upper,
          .weights = found.weights,
          .rows = found.rows,
          .means = found.means,
          .covariances = found.covariances};
  return gmm;
}

int feature_argument(FunctionCallInfo fcinfo, int n, const StoredGmm* gmm) {
  require_argument(fcinfo, n);
  const char* name = NameStr(*PG_GETARG_NAME(n));
  for (int i = 0; i < gmm->features; i++) {
    if (strcmp(gmm->feature[i], name) == 0) return i;
  }
  refuse_argument(psprintf("\"%s\" is not a feature of release \"%s\"", name, gmm->name), NULL,
                  "Its features are in dpmix.releases.");
}

GaussianMixture mixture_of(const StoredGmm* gmm) {
  GaussianMixture mixture;
  mixture.features = gmm->features;
  const std::ptrdiff_t d = gmm->features;
  for (int k = 0; k < gmm->components; ++k) {
    const double *mean = gmm->means + k * d, *covariance = gmm->covariances + k * d * d;
    mixture.components.push_back(
        {gmm->weights[k], gmm->rows[k], {mean, mean + d}, {covariance, covariance + d * d}});
  }
  return mixture;
}

void fill_gmm(StoredGmm* gmm, const GaussianMixture& mixture) {
  double *mean = gmm->means, *covariance = gmm->covariances;
  for (std::size_t k = 0; k < mixture.components.size(); ++k) {
    const GaussianMixture::Component& c = mixture.components[k];
    gmm->weights[k] = c.weight;
    gmm->rows[k] = c.rows;
    mean = std::copy(c.mean.begin(), c.mean.end(), mean);
    covariance = std::copy(c.covariance.begin(), c.covariance.end(), covariance);
  }
}

Value mean_value(const StoredGmm* gmm, int component) {
  return float8_array(gmm->means + (Size)component * gmm->features, gmm->features);
}

Value covariance_value(const StoredGmm* gmm, int component) {
  const int d = gmm->features, square[] = {d, d};
  return float8_array(gmm->covariances + (Size)component * d * d, 2, square);
}

}  // namespace dpmix::pg
