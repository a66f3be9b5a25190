// Mixtures as rows of dpmix.release.
#pragma once

#include "core/mixture/gaussian_mixture.hpp"
#include "pg/border/value.hpp"
#include "pg/rows/model_columns.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// One row of dpmix.release, in plain memory.
struct StoredGmm {
  const char* name;
  int features, components;
  char** feature;
  Oid* types;              // of the features' columns, below domains
  const char* label;       // NULL: none
  char** labels;           // of each component; NULL without a label
  double *lower, *upper;   // the bounds at the time of the release
  double *weights, *rows;  // K
  double* means;           // K x d
  double* covariances;     // K x d x d
};

// What else is told of a release.
struct GmmFacts {
  const char *adjacency, *covariance, *objective;
  int dimensions;       // of the space in which components were looked for
  double count_stddev;  // of the noise in a component's number of rows
  const char* quality;  // note; NULL: none
};

void store_gmm(const StoredGmm* gmm, const GmmFacts& facts, int64 charge_id);

// Arrays sized, to be filled: what store_gmm() takes.
StoredGmm* new_gmm(const char* name, const ModelColumns* columns, int components);

// On its way from the process that made it: its numbers.
void put_gmm(StringInfo out, const StoredGmm* gmm);
StoredGmm* get_gmm(StringInfo in, const char* name, const ModelColumns* columns);

// As usable_release().
StoredGmm* load_gmm(const char* name);
// Argument n, a name: the number of that feature, from 0. PV005: it has none of that name.
int feature_argument(FunctionCallInfo fcinfo, int n, const StoredGmm* gmm);

// Inside guard(): between plain memory and the core's form.
GaussianMixture mixture_of(const StoredGmm* gmm);
void fill_gmm(StoredGmm* gmm, const GaussianMixture& mixture);

// Mean and covariance of a component.
Value mean_value(const StoredGmm* gmm, int component);
Value covariance_value(const StoredGmm* gmm, int component);

}  // namespace dpmix::pg
