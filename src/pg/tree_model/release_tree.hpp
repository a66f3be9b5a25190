// The release of a tree model, for dpmix.release_tree, which stores it, and for who does not.
#pragma once

#include "pg/tree_model/request.hpp"

namespace dpmix::pg {

struct ReleasedTree {  // in plain memory
  int64 charge_id;
  double *numbers, *rows;  // TreeModel::pack(); of each class
  int count;               // of numbers
  int edges;               // pairs that were measured
  char* quality;           // how much can be seen through the noise
};
// In the release process: charges, and reads the rows.
ReleasedTree release_tree(const TreeCall& call, const TreePlan& plan);
// The whole result of a preview.
Datum preview_tree(FunctionCallInfo fcinfo, const TreeCall& call);

}  // namespace dpmix::pg
