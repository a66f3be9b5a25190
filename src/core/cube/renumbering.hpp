// Tables of several releases as tables of one: keys that they share get the same numbers.
//
// Enters: a set of keys, or its table, and the number that each key has among the keys of all
// releases; no two keys of a set have the same one. Leaves: the set, or the table, under these
// numbers. Why least squares may take them together: docs/proofs/cube.md, Several releases.
#pragma once

#include <span>
#include <vector>

#include "core/cube/workload.hpp"

namespace dpmix {

// number: of each key of the release.
KeySet renumbered(KeySet set, std::span<const int> number);

// size, number: of each key of the table, the slowest first. The cells in the order of a table of
// the renumbered set.
std::vector<double> reordered(std::span<const double> table, std::span<const int> size,
                              std::span<const int> number);

}  // namespace dpmix
