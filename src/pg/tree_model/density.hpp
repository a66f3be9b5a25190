// How likely a stored tree model makes a row, and which class it belongs to. Free: post-processing.
#pragma once

#include "pg/tree_model/store.hpp"

namespace dpmix::pg {

// A tree loaded for many rows; it lives as long as the current memory context.
struct LoadedTree;
LoadedTree* loaded_tree(const FoundRelease& found);

// The label that is most likely given the row's other columns. PV005: the model has no classes, or
// the row not the model's columns.
const char* class_by_tree(LoadedTree* tree, HeapTupleHeader row);

}  // namespace dpmix::pg
