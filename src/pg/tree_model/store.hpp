// Tree models as rows of dpmix.release.
#pragma once

#include "core/tree_model/model.hpp"
#include "pg/mixture/found_release.hpp"

namespace dpmix::pg {

struct StoredTree {
  FoundRelease row;
  const TreeModel* model;  // as long as the current memory context
  // Of each feature with categories: its texts.
  char** categories(int feature) const;
};

// As usable_release().
StoredTree load_tree(const char* name);

// numbers: TreeModel::pack(); rows: released, of each class.
void store_tree(const char* name, const ModelColumns* columns, const char* adjacency,
                const double* numbers, int count, const double* rows, double count_stddev,
                const char* quality, int64 charge_id);

}  // namespace dpmix::pg
