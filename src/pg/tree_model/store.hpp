// Tree models as rows of dpmix.release.
#pragma once

#include "core/tree_model/model.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

struct StoredTree {
  FoundRelease row;
  const TreeModel* model;  // lives as long as the current memory context
  // The categories of a feature that has them, as texts.
  char** categories(int feature) const;
};

StoredTree load_tree(const FoundRelease& row);
inline StoredTree load_tree(const char* name) {
  return load_tree(usable_release(name, "tree"));
}

}  // namespace dpmix::pg
