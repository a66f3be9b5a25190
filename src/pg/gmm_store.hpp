// Mixtures as rows of dpmix.release: reserved before the charge, stored after the noise, read by
// those who may.
#pragma once

#include "core/release/gmm.hpp"
#include "pg/model_columns.hpp"

namespace dpmix::pg {

// One row of dpmix.release, in plain memory.
struct StoredGmm {
  const char* name;
  int features, components;
  char** feature;
  const char* label;       // NULL: none
  char** labels;           // of each component; NULL without a label
  double *lower, *upper;   // the bounds at the time of the release
  double *weights, *rows;  // K
  double* means;           // K x d
  double* covariances;     // K x d x d
};

// Takes the name, for this transaction: PV005 when it is in use (waits for a transaction that is
// about to use it). So that a taken name costs nothing.
void reserve_release(const char* name, const ProtectedTable* table, const char* method,
                     double epsilon, double delta, const ModelColumns* columns);
void store_gmm(const StoredGmm* gmm, int64 charge_id);

// Arrays sized, to be filled: what store_gmm() takes.
StoredGmm* new_gmm(const char* name, const ModelColumns* columns, int components);
// PV005: no mixture of that name. PV006: current user is neither its maker, nor the table's owner,
// nor has access to the table.
StoredGmm* load_gmm(const char* name);
// PV006 unless the current user is the maker, the table's owner or a superuser.
void drop_release(const char* name);

// Inside guard(): between plain memory and the core's form.
GaussianMixture mixture_of(const StoredGmm* gmm);
void fill_gmm(StoredGmm* gmm, const GaussianMixture& mixture);

// float8[] of one, two or three dimensions.
Datum float8_array(const double* values, int dimensions, const int* sizes);

}  // namespace dpmix::pg
