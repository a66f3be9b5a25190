// What sample, classify and draw do with tree models.
#include "pg/release/model_use.hpp"

#include "pg/tree_model/density.hpp"
#include "pg/tree_model/picture.hpp"
#include "pg/tree_model/sample.hpp"

namespace dpmix::pg {
namespace {

const ModelUse kTrees(
    {.kind = "tree",
     .sample = put_tree_sample,
     .load_classes = [](const FoundRelease& found) -> void* { return loaded_tree(found); },
     .class_of = [](void* loaded,
                    HeapTupleHeader row) { return class_by_tree((LoadedTree*)loaded, row); },
     .draw = [](const FoundRelease& found, const DrawAsked&) { return tree_picture(found); }});

}  // namespace
}  // namespace dpmix::pg
