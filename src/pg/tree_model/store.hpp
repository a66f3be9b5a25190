// Tree models as rows of dpmix.release.
#pragma once

#include "core/tree_model/model.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

struct StoredTree {
  FoundRelease row;
  const TreeModel* model;  // as long as the current memory context
  // Of each feature with categories: its texts.
  char** categories(int feature) const;
};

StoredTree load_tree(const FoundRelease& row);
inline StoredTree load_tree(const char* name) {
  return load_tree(usable_release(name, "tree"));
}

}  // namespace dpmix::pg
