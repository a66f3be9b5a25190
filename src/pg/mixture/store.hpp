// Mixtures as rows of dpmix.release.
#pragma once

#include <vector>

#include "core/mixture/gaussian_mixture.hpp"
#include "pg/release/made_model.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

// One row of dpmix.release, in plain memory.
struct StoredGmm {
  const char* name;
  int features, components;
  char** feature;
  Oid* types;              // types of the features' columns, below domains
  const char* label;       // NULL: none
  char** labels;           // each component's; NULL without a label
  double *lower, *upper;   // the bounds at the time of the release
  double *weights, *rows;  // K
  double* means;           // K x d
  double* covariances;     // K x d x d
};

// Inside guard(): weights, means and covariances, one after the other.
std::vector<double> packed_gmm(const GaussianMixture& mixture);
// The mixture that these numbers are, without copies; rows: those of each component.
StoredGmm gmm_of(const char* name, const ModelColumns* columns, const PlainNumbers& rows,
                 const PlainNumbers& packed);

StoredGmm* load_gmm(const FoundRelease& found);
inline StoredGmm* load_gmm(const char* name) {
  return load_gmm(usable_release(name, "gmm"));
}
// The number of a feature, from 0; PV005: it has none of that name.
int feature_named(const StoredGmm* gmm, const char* name);
// The number of the feature that argument n names.
int feature_argument(FunctionCallInfo fcinfo, int n, const StoredGmm* gmm);

// Inside guard().
GaussianMixture mixture_of(const StoredGmm* gmm);

// Mean and covariance of a component.
Value mean_value(const StoredGmm* gmm, int component);
Value covariance_value(const StoredGmm* gmm, int component);

}  // namespace dpmix::pg
