// What is done with stored models by one function whatever their kind: a row for each kind, in a
// file of its own room. Free: post-processing.
//
//   const ModelUse kTrees({.kind = "tree", .draw = draw_tree});
#pragma once

#include "pg/release/stored.hpp"
#include "pg/rows/builder.hpp"

namespace dpmix::pg {

struct DrawAsked {
  const char* feature;  // NULL: the first
  double level;         // that of intervals and bands
};

struct ModelUseRow {
  const char* kind;  // its word in core/release/kinds
  // NULL: models of the kind have none of it.
  // dpmix.sample: into rows of any type that has the model's columns.
  void (*sample)(const FoundRelease& found, RowBuilder* rows, int64 wanted) = NULL;
  // dpmix.classify: what it takes for many rows, as long as the current memory context; then the
  // class of a row, NULL where it has none.
  void* (*load_classes)(const FoundRelease& found) = NULL;
  const char* (*class_of)(void* loaded, HeapTupleHeader row) = NULL;
  // dpmix.draw: SVG; and which of its arguments the picture has.
  text* (*draw)(const FoundRelease& found, const DrawAsked& asked) = NULL;
  bool draws_feature = false, draws_level = false;
};

struct ModelUse : ModelUseRow {
  explicit ModelUse(const ModelUseRow& row);  // lists it
  ModelUse(const ModelUse&) = delete;
  const ModelUse* next;
};

using HasUse = bool (*)(const ModelUse& use);
// PV005 where the kind of the release has not what is asked for.
const ModelUse* required_use(const FoundRelease& found, HasUse has);
// Words of the kinds that have it, in the order of core/release/kinds: "gmm, tree or regression".
const char* kinds_with(HasUse has);

}  // namespace dpmix::pg
