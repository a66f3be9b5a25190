// Rows of dpmix.release, whatever the kind of the model: their names are taken before the charge,
// and they are read by those who may.
#pragma once

#include "pg/release/terms.hpp"

namespace dpmix::pg {

// The argument `name` of a release: 1 to 200 characters; PV005.
const char* release_name_argument(FunctionCallInfo fcinfo, int n);
// The name of a stored release, as an argument that is required.
const char* release_argument(FunctionCallInfo fcinfo, int n);

// Takes the name of the current user's, for this transaction: PV005 when it is in use (waits for a
// transaction that is about to use it). So that a taken name costs nothing. The row has charge_id 0
// until the model is stored.
void reserve_release(const Terms& terms);

// What is stored; of its arrays those that its kind has.
struct FoundRelease {
  int64 id;
  const char* name;  // as the caller wrote it
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
};

// A release found by find_named(). PV006: none of that name that the current user made, whose table
// it owns or has access to. Allowed in parallel mode.
FoundRelease shown_release(const char* name);
// The same; PV005 where it is of another kind.
FoundRelease usable_release(const char* name, const char* kind);
// PV005. kinds: those that the function is for, as in "gmm and tree".
[[noreturn]] void refuse_kind(const FoundRelease& found, const char* kinds);
// PV006 unless the current user is the maker, the table's owner or a superuser.
void drop_release(const char* name);

}  // namespace dpmix::pg
