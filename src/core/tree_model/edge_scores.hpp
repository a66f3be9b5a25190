// How much of a pair of columns is missed without measuring it: the scores of the exponential
// mechanism.
//
// Enters: the exact table of a pair, and what released numbers make of it. Leaves: an integer that
// a row moves by at most 1: the rows that are elsewhere than expected, less what noise would put
// there (docs/proofs/tree_model.md).
#pragma once

#include <cstdint>
#include <span>

namespace dpmix {

// exact, expected: by class, then cell. by_class: whether the pair would be measured in each class,
// or over all of them together; stddev: of the noise of each count.
std::int64_t edge_score(std::span<const std::int64_t> exact, std::span<const double> expected,
                        int classes, bool by_class, double stddev);

}  // namespace dpmix
