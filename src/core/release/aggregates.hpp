// From noisy integers to the answers of a query: post-processing, free of charge.
//
// Enters: released counts and sums in lattice steps. Leaves: bigint counts, and sums and averages
// in the units of the column. No answer is NULL, NaN or infinite for finite bounds, whatever the
// noise did. Nothing here reads data. Proof: docs/proofs/query.md.
#pragma once

#include <cstdint>

#include "core/input/lattice.hpp"
#include "core/int128.hpp"

namespace dpmix {

// Kept negative where the noise made it so: clamping would bias sums of counts. Saturates at the
// ends of bigint, which only an absurdly small epsilon reaches.
std::int64_t count_answer(Int128 noisy);

// origin 0: anchored_lattice.
double sum_answer(const Lattice& anchored, Int128 noisy_sum);

// origin + step * sum / max(count, 1), clamped to the bounds: centred_lattice. About the origin the
// noise of the count is multiplied by the distance from the middle, never by the middle itself.
double mean_answer(const Lattice& centred, double lower, double upper, Int128 noisy_count,
                   Int128 noisy_sum);

}  // namespace dpmix
