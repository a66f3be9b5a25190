// What sample, classify and draw do with mixtures.
#include "pg/release/model_use.hpp"

#include "pg/mixture/density.hpp"
#include "pg/mixture/picture.hpp"
#include "pg/mixture/sample.hpp"

namespace dpmix::pg {
namespace {

const ModelUse kMixtures(
    {.kind = "gmm",
     .sample = put_gmm_sample,
     .load_classes = [](const FoundRelease& found) -> void* { return loaded_gmm(found); },
     .class_of = [](void* loaded,
                    HeapTupleHeader row) { return class_by_gmm((LoadedGmm*)loaded, row); },
     .draw = [](const FoundRelease& found,
                const DrawAsked& asked) { return gmm_picture(found, asked.feature); },
     .draws_feature = true});

}  // namespace
}  // namespace dpmix::pg
