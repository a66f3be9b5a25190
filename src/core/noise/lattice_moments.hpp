// Moments of what is released: the noise rounded to the lattice. Proofs: docs/proofs/lattice.md.
#pragma once

#include "core/noise/law.hpp"

namespace dpmix {

// The moments of the released law on the lattice step * Z, in the units of the statistic; for the
// families that are laws on a lattice, of that law (a step family: its own lattice, whatever the
// step). The step divides the sensitivity of multi_gaussian, as NoiseSampler demands. Relative
// error below 1e-9 (docs/proofs/lattice.md).
struct LatticeMoments {
  double expected_abs, stddev;
};
LatticeMoments lattice_moments(const NoiseLaw& law, double step);
// Where noise on a far finer lattice is added to numbers that lie anywhere between multiples of the
// step, and the sum is rounded to one: of the noise, and the deviation with that of rounding.
LatticeMoments moments_with_rounding(const NoiseLaw& law, double step);
// The smallest q >= 0 on that lattice with P(|noise| <= q) >= level: half the width of the interval
// of that level around an answer. 0 < level < 1, else Error PV005.
double lattice_quantile(const NoiseLaw& law, double step, double level);
void check_level(double level);
// The same by what it leaves out, P(|noise| > q) <= tail, 0 < tail < 1. Never too small; one
// lattice step more than the smallest where the two differ by less than 4e-12 of the tail.
double lattice_tail_quantile(const NoiseLaw& law, double step, double tail);
// The same q for a normal number of deviation 1, not rounded: P(|Z| > q) <= tail. Never too small.
double normal_tail_quantile(double tail);

// P(|noise| > k step), k an integer >= 0: to 2^-38 of itself.
double lattice_tail(const NoiseLaw& law, double step, double k);

}  // namespace dpmix
