// Which component of a stored mixture a row most likely comes from. Free: post-processing.
#pragma once

#include "pg/release/stored.hpp"

namespace dpmix::pg {

// A mixture loaded for many rows; it lives as long as the current memory context.
struct LoadedGmm;
LoadedGmm* loaded_gmm(const FoundRelease& found);

// Its label, or its number where there are no labels; NULL: a feature is missing, or the row
// infinitely far from all components. PV005: the row has not the model's features.
const char* class_by_gmm(LoadedGmm* mixture, HeapTupleHeader row);

}  // namespace dpmix::pg
