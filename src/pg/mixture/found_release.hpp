// Rows of dpmix.release, whatever the kind of the model: their names are taken before the charge,
// and they are read by those who may.
#pragma once

#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

// How names of scheduled releases end, after a blank: a regular expression.
#define SCHEDULED_AT                                       \
  "[0-9]{4,}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}" \
  "([.][0-9]+)?[+-][0-9]{2}(:[0-9]{2}){0,2}"

// The argument `name` of a release: 1 to 200 characters; PV005.
const char* release_name_argument(FunctionCallInfo fcinfo, int n);
// The name of a stored release, as an argument that is required.
const char* release_argument(FunctionCallInfo fcinfo, int n);

// Takes the name, for this transaction: PV005 when it is in use (waits for a transaction that is
// about to use it). So that a taken name costs nothing. Names that end like those of a schedule are
// for the owner of the schedule that they begin with: PV005.
void reserve_release(const char* name, const char* kind, const ProtectedTable* table,
                     const char* method, double epsilon, double delta, const ModelColumns* columns);

// What is stored; of its arrays those that its kind has.
struct FoundRelease {
  const char* kind;
  int features;
  char** feature;
  Oid* types;
  double *lower, *upper;
  const char* label;  // NULL: none
  char** labels;
  int label_count, components;
  double *weights, *rows, *means, *covariances;
  double* model;
  int model_size;
  char** texts;
  int text_count;
  Oid relation, maker;
  Oid* granted;  // roles with access to the table
  int grants;
};

// PV005: none of that name and kind. PV006: current user is neither its maker, nor the table's
// owner, nor has access to the table. Allowed in parallel mode.
FoundRelease usable_release(const char* name, const char* kind);
// PV006 unless the current user is the maker, the table's owner or a superuser.
void drop_release(const char* name);

}  // namespace dpmix::pg
