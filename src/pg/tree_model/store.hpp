// Tree models as rows of dpmix.release.
#pragma once

#include "core/tree_model/model.hpp"
#include "pg/catalog/column_rules.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

struct StoredTree {
  FoundRelease row;
  const TreeModel* model;  // lives as long as the current memory context
  // What the model says of a feature; NULL: it is a sum of others.
  const CutColumn* column(int feature) const;
  int category_count(int feature) const;
  // The categories of a feature that has them, as texts.
  char** categories(int feature) const;
  bool may_be_missing(int feature) const;  // in a row that is drawn
  ColumnRules rules() const;               // in the current memory context
};

StoredTree load_tree(const FoundRelease& row);
inline StoredTree load_tree(const char* name) {
  return load_tree(usable_release(name, "tree"));
}

}  // namespace dpmix::pg
