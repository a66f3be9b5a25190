// Locks of inheritance and partition trees, until the transaction ends.
//
// Only one table of a tree may have a budget, and none a public relative. So whoever declares
// something of a table must know its tree, and whoever joins two trees what was declared of both.
// Each side first marks what it does, then looks for marks of the other side in the trees
// concerned, and waits for those who made them: at least one of the two sees the other. A declared
// tree is marked at its least oid, joined ones at both ends of the new edge.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// protect(), declare_public().
void lock_tree_of(Oid relation);
// Whoever attached a table in this transaction.
void lock_joined_trees();
// adopt_ledger(): against all of these.
void lock_all_trees();

}  // namespace dpmix::pg
