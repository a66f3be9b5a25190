#include "core/release/kinds.hpp"

namespace dpmix {
namespace {

constexpr ReleaseKind kKinds[] = {
    {"query", "", "query", ""},
    {"gmm", "model", "release_gmm",
     "Functions for it are dpmix.sample(), dpmix.classify(), dpmix.draw(), dpmix.gmm() and those "
     "that begin with gmm_."},
    {"tree", "model", "release_tree",
     "Functions for it are dpmix.sample(), dpmix.classify(), dpmix.draw(), dpmix.tree_edges() and "
     "dpmix.tree_probability()."},
    {"regression", "model", "release_regression",
     "Functions for it are dpmix.regression(), dpmix.predict() and dpmix.draw()."},
    {"cube", "tables with totals", "release_cube",
     "Functions for it are dpmix.cube() and dpmix.cube_table()."},
    {"survival", "survival curves", "release_survival",
     "Functions for it are dpmix.survival(), dpmix.draw() and those that begin with survival_."},
    {"cda", "synthetic table", "cda", ""},
    // The ledger has its charges under the kind that makes the rows.
    {"synthesize", "synthetic table", "synthesize", ""},
    {"compare", "comparison", "compare_private", ""},
    {"counter", "running total", "", ""},
};

}  // namespace

std::span<const ReleaseKind> release_kinds() {
  return kKinds;
}

const ReleaseKind* release_kind_of(std::string_view word) {
  for (const ReleaseKind& kind : kKinds) {
    if (kind.word == word) return &kind;
  }
  return nullptr;
}

}  // namespace dpmix
