// The answers of a query, and intervals around them, from noisy integers: post-processing, free of
// charge.
//
// Enters: released counts and sums in lattice steps. Leaves: bigint counts, and sums and averages
// in the units of the column; no answer is NULL, NaN or infinite for finite bounds, whatever the
// noise did. An interval holds the released answer, and with the probability asked over the noise
// the answer that the same statistics give without noise; what clamping rows to the bounds moved
// is not in it. Nothing here reads data. Proof: docs/proofs/query.md.
#pragma once

#include <cstdint>

#include "core/base/int128.hpp"
#include "core/input/lattice.hpp"
#include "core/noise/law.hpp"

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

// Lattice steps that the noise stays within but for a probability of (1 - level) / parts: parts
// statistics stay within theirs together with probability level. 0 < level < 1, else Error PV005.
double noise_reach(const NoiseLaw& law, double level, int parts);

struct NoiseInterval {
  double low, high;
};
// The interval around one answer at the reach of its noise; several answers are not covered
// together. The count is kept within bigint, as the answer is.
NoiseInterval count_interval(Int128 noisy, double reach);
NoiseInterval sum_interval(const Lattice& anchored, Int128 noisy, double reach);
// What averages are possible where both statistics stay within their reach (of 2 parts), and the
// count of an average is 1 at least.
NoiseInterval mean_interval(const Lattice& centred, double lower, double upper, Int128 noisy_count,
                            double count_reach, Int128 noisy_sum, double sum_reach);

}  // namespace dpmix
