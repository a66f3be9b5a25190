// Mixtures as rows of dpmix.release: reserved before the charge, stored after the noise, read by
// those who may.
#pragma once

#include "core/mixture/gaussian_mixture.hpp"
#include "pg/border/value.hpp"
#include "pg/rows/model_columns.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// How names of scheduled releases end, after a blank: a regular expression.
#define SCHEDULED_AT                                       \
  "[0-9]{4,}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}" \
  "([.][0-9]+)?[+-][0-9]{2}(:[0-9]{2}){0,2}"

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

// Takes the name, for this transaction: PV005 when it is in use (waits for a transaction that is
// about to use it). So that a taken name costs nothing. Names that end like those of a schedule are
// for the owner of the schedule that they begin with: PV005.
void reserve_release(const char* name, const ProtectedTable* table, const char* method,
                     double epsilon, double delta, const ModelColumns* columns);
void store_gmm(const StoredGmm* gmm, const GmmFacts& facts, int64 charge_id);

// Arrays sized, to be filled: what store_gmm() takes.
StoredGmm* new_gmm(const char* name, const ModelColumns* columns, int components);

// On its way from the process that made it: its numbers.
void put_gmm(StringInfo out, const StoredGmm* gmm);
StoredGmm* get_gmm(StringInfo in, const char* name, const ModelColumns* columns);

// PV005: no mixture of that name. PV006: current user is neither its maker, nor the table's owner,
// nor has access to the table. Allowed in parallel mode.
StoredGmm* load_gmm(const char* name);
// PV006 unless the current user is the maker, the table's owner or a superuser.
void drop_release(const char* name);

// Inside guard(): between plain memory and the core's form.
GaussianMixture mixture_of(const StoredGmm* gmm);
void fill_gmm(StoredGmm* gmm, const GaussianMixture& mixture);

// Mean and covariance of a component.
Value mean_value(const StoredGmm* gmm, int component);
Value covariance_value(const StoredGmm* gmm, int component);

}  // namespace dpmix::pg
