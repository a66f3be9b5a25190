#include "pg/mixture/store.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {

std::vector<double> packed_gmm(const GaussianMixture& mixture) {
  std::vector<double> packed;
  for (const auto& c : mixture.components) packed.push_back(c.weight);
  for (const auto& c : mixture.components) {
    packed.insert(packed.end(), c.mean.begin(), c.mean.end());
  }
  for (const auto& c : mixture.components) {
    packed.insert(packed.end(), c.covariance.begin(), c.covariance.end());
  }
  return packed;
}

StoredGmm gmm_of(const char* name, const ModelColumns* columns, const PlainNumbers& rows,
                 const PlainNumbers& packed) {
  const Size k = rows.count, d = columns->features;
  if ((Size)packed.count != k * (1 + d + d * d)) elog(ERROR, "a mixture of another size");
  double *weights = packed.number, *means = weights + k;
  return {.name = name,
          .features = columns->features,
          .components = rows.count,
          .feature = (char**)columns->name,
          .types = columns->type,
          .label = columns->label,
          .labels = columns->category,
          .lower = columns->lower,
          .upper = columns->upper,
          .weights = weights,
          .rows = rows.number,
          .means = means,
          .covariances = means + k * d};
}

StoredGmm* load_gmm(const FoundRelease& found) {
  if (found.components < 1) elog(ERROR, "release \"%s\" is damaged", found.name);
  StoredGmm* gmm = (StoredGmm*)palloc(sizeof(StoredGmm));
  *gmm = {.name = found.name,
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
  return feature_named(gmm, NameStr(*PG_GETARG_NAME(n)));
}

int feature_named(const StoredGmm* gmm, const char* name) {
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

Value mean_value(const StoredGmm* gmm, int component) {
  return float8_array(gmm->means + (Size)component * gmm->features, gmm->features);
}

Value covariance_value(const StoredGmm* gmm, int component) {
  const int d = gmm->features, square[] = {d, d};
  return float8_array(gmm->covariances + (Size)component * d * d, 2, square);
}

}  // namespace dpmix::pg
