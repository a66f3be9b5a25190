// What the release of a tree model does in its process, for dpmix.release_tree, which stores it,
// and for who does not.
#pragma once

#include "pg/release/made_model.hpp"
#include "pg/release/passes.hpp"
#include "pg/tree_model/kind.hpp"

namespace dpmix::pg {

// Charges, and reads the rows: TreeModel::pack(). Its fact: how many pairs were measured.
MadeModel make_tree(const InProcess& process, const TreeCall& call, const TreePlan& plan);

}  // namespace dpmix::pg
